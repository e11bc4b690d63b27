"""Batches that Python makes, read by the library row by row: generators, keras.utils.PyDataset, and what can be gone
through again and again, such as a tf.data.Dataset or a DataLoader of PyTorch.

The thread that computes reads, so Python code runs where the user called fit.  Batches keep their borders: all have
the size of the first, and only the last of a pass may be shorter.
"""
from __future__ import annotations

import ctypes
import random
from typing import Any, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import _arrays
from . import _types as t


def is_stream(x: Any) -> bool:
    """Whether x makes batches itself."""
    if hasattr(x, "__array__") or isinstance(x, (list, tuple, dict, np.ndarray)):
        return False
    return hasattr(x, "__next__") or is_dataset(x) or is_passes(x)


def is_dataset(x: Any) -> bool:
    """A keras.utils.PyDataset, or what looks like one."""
    return hasattr(x, "__getitem__") and (hasattr(x, "__len__") or hasattr(x, "num_batches"))


def is_passes(x: Any) -> bool:
    """What gives its batches anew each time it is gone through; no array of its own."""
    return hasattr(x, "__iter__") and not hasattr(x, "__array__") and not isinstance(
        x, (list, tuple, dict, set, str, bytes, np.ndarray))


def batched(x: Any, axes: int, batch_size: Optional[int]) -> Any:
    """A tf.data.Dataset whose elements are single samples, in batches; all else as it is."""
    spec = getattr(x, "element_spec", None)
    if spec is None or not hasattr(x, "batch"):
        return x
    first = spec[0] if isinstance(spec, tuple) else spec
    while isinstance(first, (tuple, list, dict)):
        first = next(iter(first.values() if isinstance(first, dict) else first))
    return x.batch(batch_size or 32) if first.shape.rank == axes - 1 else x


class Stream:
    """Data of the library whose rows come from batches.  `struct` is the library's; `error` what Python code raised."""

    def __init__(self, batches: Any, inputs: Sequence[str], outputs: Sequence[str], what: str, labels: bool = True,
                 shuffle: bool = False) -> None:
        self.what, self.shuffle = what, shuffle
        self._inputs, self._outputs, self._labels = inputs, outputs, labels
        self._batches = batches
        self.error: Optional[BaseException] = None
        self._iterator: Iterator[Any] = iter(())
        self._first: Optional[List[np.ndarray]] = None
        self._batch: List[np.ndarray] = []
        self._at = self._passed = 0
        self._look()
        self._make_struct()

    # ---- the first batch tells what all are ----

    def _look(self) -> None:
        if is_dataset(self._batches):
            self.n_batches = _length(self._batches)
            first = self._flat(self._batches[0])
            last = first if not self.n_batches or self.n_batches == 1 else self._flat(self._batches[self.n_batches - 1])
        elif not hasattr(self._batches, "__next__") and not _is_endless(self._batches):
            first, last = self._count()
        else:
            self.n_batches = None
            self._batches = iter(self._batches)
            try:
                first = last = self._flat(next(self._batches))
            except StopIteration:
                raise ValueError(f"{self.what}: the generator gives no batch") from None
            self._first = first
        self.batch_size = len(first[0])
        self._like = [(a.dtype, a.shape[1:]) for a in first]
        if self.n_batches:
            self.rows = (self.n_batches - 1) * self.batch_size + len(last[0])
        else:
            self.rows = t.ROWS_UNKNOWN
        self._samples = first

    @property
    def labels(self) -> List[Tuple[np.dtype, Tuple[Optional[int], ...]]]:
        """The dtype and the shape of what each output is to give."""
        of_y = self._like[len(self._inputs):len(self._inputs) + len(self._outputs)] if self._labels else []
        return [(dtype, (None, *shape)) for dtype, shape in of_y]

    def _count(self) -> Any:
        """Go through all once: nothing else tells how many samples the last batch has."""
        self.n_batches, first, last = 0, None, None
        for batch in self._batches:
            last = self._flat(batch)
            first = first or last
            self.n_batches += 1
        if first is None:
            raise ValueError(f"{self.what}: the {type(self._batches).__name__} gives no batch")
        return first, last

    def _flat(self, batch: Any) -> List[np.ndarray]:
        """x, y and sample_weight of a batch in the order of the library's arrays."""
        is_pair = isinstance(batch, list) and len(batch) == 1 + self._labels  # of a DataLoader
        parts = tuple(batch) if isinstance(batch, tuple) or is_pair else (batch,)
        if len(parts) > 3 or (self._labels and len(parts) < 2):
            raise ValueError(f"{self.what}: a batch is a tuple (x, y) or (x, y, sample_weight); this one has "
                             f"{len(parts)} parts")
        x, y, weight = (*parts, None, None)[:3]
        arrays = [np.asarray(a) for a in _arrays.array_list(x, self._inputs, f"{self.what}: x")]
        if self._labels:
            arrays += [np.asarray(a) for a in _arrays.array_list(y, self._outputs, f"{self.what}: y")]
            arrays += [] if weight is None else [np.asarray(weight)]
        sizes = {len(a) if a.ndim else 0 for a in arrays}
        if len(sizes) != 1 or not min(sizes):
            raise ValueError(f"{self.what}: the arrays of a batch have {sorted(sizes)} samples; all have as many, from 1")
        return arrays

    def _make_struct(self) -> None:
        n_x, n_y = len(self._inputs), len(self._outputs) if self._labels else 0
        described = [_arrays.described(a, self.what, with_data=False) for a in self._samples]
        groups = described[:n_x], described[n_x:n_x + n_y], described[n_x + n_y:]
        self._arrays = [(t.Array * len(group))(*group) for group in groups]
        self._row_bytes = [a.dtype.itemsize * int(np.prod(a.shape[1:])) for a in self._samples]
        self._hooks = t.RESTART(self._restart), t.READ(self._read)
        self.source = t.Source(name=self.what.encode(), rows=self.rows, in_order=True, restart=self._hooks[0],
                               read=self._hooks[1], workers=-1, prefetch=1)
        self.struct = _arrays.data_struct(self._arrays, self.source)
        del self._samples

    # ---- called by the library ----

    def _guarded(self, call: Any, why: int) -> int:
        try:
            return call()
        except BaseException as error:  # also KeyboardInterrupt: it goes on when the library has returned
            self.error = error
            text = f"{type(error).__name__}: {error}".encode()[:t.WHY_BYTES - 1]
            ctypes.memmove(why, text + b"\0", len(text) + 1)
            return t.E_DATA

    def _restart(self, user: int, scratch: int, number: int, why: int) -> int:
        return self._guarded(self._begin_pass, why)

    def _read(self, user: int, scratch: int, row: int, number: int, to: Any, why: int) -> int:
        return self._guarded(lambda: self._copy_row(to), why)

    def _begin_pass(self) -> int:
        """A dataset begins anew; a generator goes on, as Keras's do, with its next batch."""
        self._batch, self._at, self._passed = [], 0, 0
        if is_dataset(self._batches):
            self._iterator = self._pass_of_dataset()
        elif self.n_batches:
            self._iterator = iter(self._batches)
        return t.OK

    def _pass_of_dataset(self) -> Iterator[Any]:
        dataset = self._batches
        if hasattr(dataset, "on_epoch_begin"):
            dataset.on_epoch_begin()
        order = list(range(self.n_batches)) if self.n_batches else None
        if order and self.shuffle:
            has_rest = self.rows % self.batch_size != 0  # a short batch stays the last one
            full = order[:-1] if has_rest else order
            random.shuffle(full)
            order = full + order[len(full):]
        i = 0
        while order is None or i < len(order):
            yield dataset[order[i] if order else i]
            i += 1

    def _next_batch(self) -> List[np.ndarray]:
        if self._first is not None:
            batch, self._first = self._first, None
            return batch
        return self._flat(next(self._batches if hasattr(self._batches, "__next__") else self._iterator))

    def _take_batch(self) -> None:
        batch = self._next_batch()
        for array, (dtype, shape) in zip(batch, self._like):
            if array.shape[1:] != shape or array.dtype != dtype or len(batch) != len(self._like):
                raise ValueError(f"{self.what}: batch {self._passed} has samples of {array.shape[1:]} {array.dtype}; those of "
                                 f"the first are {shape} {dtype}")
        is_last = self.n_batches is not None and self._passed == self.n_batches - 1
        if len(batch[0]) != self.batch_size and not is_last:
            raise ValueError(f"{self.what}: batch {self._passed} has {len(batch[0])} samples and the first has {self.batch_size}: "
                             "only the last batch of a dataset that tells its length may be shorter")
        self._batch = [np.ascontiguousarray(a) for a in batch]
        self._at = 0
        self._passed += 1

    def _copy_row(self, to: Any) -> int:
        if not self._batch or self._at >= len(self._batch[0]):
            try:
                self._take_batch()
            except StopIteration:
                raise ValueError(f"{self.what}: the generator ended after {self._passed} batches, and more were asked for: "
                                 "lower steps_per_epoch or epochs, or let it go on") from None
        for k, (array, row_bytes) in enumerate(zip(self._batch, self._row_bytes)):
            if to[k]:
                ctypes.memmove(to[k], array.ctypes.data + self._at * row_bytes, row_bytes)
        self._at += 1
        if self._passed == self.n_batches and self._at == len(self._batch[0]):
            self._end_pass()
        return t.OK

    def _end_pass(self) -> None:
        """A dataset is told when all of it was read, as Keras does."""
        if is_dataset(self._batches) and hasattr(self._batches, "on_epoch_end"):
            self._batches.on_epoch_end()


def _is_endless(batches: Any) -> bool:
    """Whether a tf.data.Dataset says that it repeats for ever."""
    return hasattr(batches, "cardinality") and int(batches.cardinality()) == -1


def _length(dataset: Any) -> Optional[int]:
    """Batches of a pass; None: it never ends."""
    n = dataset.num_batches if hasattr(dataset, "num_batches") else len(dataset)
    if n is not None and n < 1:
        raise ValueError(f"the dataset {type(dataset).__name__} has {n} batches")
    return n
