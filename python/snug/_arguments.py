"""From the arguments of Keras's fit to those of the library's."""
from __future__ import annotations

from ctypes import c_double, pointer
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _types as t
from ._arrays import Data
from ._reserve import Needs
from ._session import Session
from ._stream import Stream, batched, is_stream

Feed = Union[Data, Stream]


def shapes(x: Any) -> Optional[List[Tuple[int, ...]]]:
    """Shapes of arrays in x, for inputs that leave sizes open; None where they are not told."""
    if x is None or is_stream(x):
        return None
    values = list(x.values()) if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else [x]
    shapes = [tuple(v.shape) for v in values if hasattr(v, "shape")]
    return shapes if len(shapes) == len(values) and all(1 <= len(s) <= t.MAX_RANK for s in shapes) else None


def feed(session: Session, x: Any, y: Any, sample_weight: Any, what: str = "x", labels: bool = True,
         shuffle: bool = False, batch_size: Optional[int] = None) -> Feed:
    if x is None:
        raise ValueError("x is missing: give an array, a generator, a keras.utils.PyDataset, a tf.data.Dataset or a DataLoader")
    if not is_stream(x):
        if isinstance(x, (set, str, bytes)):
            raise TypeError(f"x is a {type(x).__name__}: Snug reads arrays, generators of batches, keras.utils.PyDataset, "
                            "tf.data.Dataset and the DataLoader of PyTorch")
        if labels and y is None:
            raise ValueError(f"y is missing: the model has the outputs {session.outputs}")
        return Data(x, y if labels else None, sample_weight, session.inputs, session.outputs)
    if y is not None or sample_weight is not None:
        raise ValueError("y and sample_weight come with the batches of a generator or dataset: leave them out")
    x = batched(x, len(session.keras_model.inputs[0].shape), batch_size)
    return Stream(x, session.inputs, session.outputs, what, labels, shuffle)


def validation(session: Session, validation_data: Any, batch_size: Optional[int] = None) -> Optional[Feed]:
    if validation_data is None:
        return None
    if is_stream(validation_data):
        return feed(session, validation_data, None, None, "validation_data", batch_size=batch_size)
    if not isinstance(validation_data, (tuple, list)) or not 2 <= len(validation_data) <= 3:
        raise ValueError("validation_data is a tuple (x, y) or (x, y, sample_weight), a generator or a dataset")
    x, y, sample_weight = (*validation_data, None)[:3]
    return feed(session, x, y, sample_weight, "validation_data")


def batch_of(feed: Optional[Feed], batch_size: Optional[int]) -> int:
    if isinstance(feed, Stream):
        if batch_size not in (None, feed.batch_size):
            raise ValueError(f"batch_size is {batch_size}, and the batches that are given have {feed.batch_size}: leave it out")
        return feed.batch_size
    if batch_size is not None and batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}: it is 1 or more")
    return batch_size or 32


def batches_of(feed: Feed, options: t.FitOptions) -> int:
    """Batches of one pass over what is trained on; 0: nobody knows."""
    held = 0.0 if options.validation_data else options.validation_split
    return steps_of(feed, options.batch_size, None, held) if feed.rows > 0 else 0


def steps_of(feed: Feed, batch_size: Optional[int], steps_per_epoch: Optional[int], split: float) -> int:
    """Of an epoch; 0: nobody knows.  split: the part of the data that is kept for validation."""
    if steps_per_epoch or feed.rows < 0:
        return steps_per_epoch or 0
    return -(-int(feed.rows * (1.0 - split)) // batch_of(feed, batch_size))


def fit_options(feed: Feed, held: Optional[Feed], needs: Needs, **o: Any) -> t.FitOptions:
    _check_options(feed, held, o)
    made = t.FitOptions(
        batch_size=batch_of(feed, o["batch_size"]), epochs=o["epochs"], initial_epoch=o["initial_epoch"],
        steps_per_epoch=o["steps_per_epoch"] or 0, no_shuffle=not o["shuffle"] or isinstance(feed, Stream),
        validation_split=o["validation_split"], validation_steps=o["validation_steps"] or 0,
        validation_batch_size=_validation_batch(held, o),
        validation_freq=o["validation_freq"], memory=o["line"], caller_memory=needs.during,
        caller_memory_after=needs.after)
    if held is not None:
        made.validation_data = pointer(held.struct)
    if o["class_weight"] is not None:
        weights = _class_weights(o["class_weight"])
        made.class_weight, made.n_class_weight = weights, len(weights)
    made.allow_disk, made.replan = o["allow_disk"], o["replan"]
    return made


def _validation_batch(held: Optional[Feed], o: Dict[str, Any]) -> int:
    of_training = None if isinstance(held, Stream) else o["batch_size"]
    return batch_of(held, o["validation_batch_size"] or of_training)


def _check_options(feed: Feed, held: Optional[Feed], o: Dict[str, Any]) -> None:
    if o["epochs"] < 1 or o["initial_epoch"] < 0:
        raise ValueError(f"epochs is {o['epochs']} and initial_epoch {o['initial_epoch']}: they are from 1 and from 0")
    if isinstance(feed, Stream):
        if o["validation_split"]:
            raise ValueError("validation_split needs arrays; of a generator or PyDataset give validation_data")
        if feed.rows < 0 and not o["steps_per_epoch"]:
            raise ValueError("steps_per_epoch is missing: x does not tell how many batches make an epoch")
    if isinstance(held, Stream) and held.rows < 0 and not o["validation_steps"]:
        raise ValueError("validation_steps is missing: validation_data does not tell how many batches it has")


def _class_weights(class_weight: Dict[int, float]) -> Any:
    if not isinstance(class_weight, dict) or not class_weight or min(class_weight) < 0:
        raise ValueError(f"class_weight is {class_weight!r}: it is a dict from classes (0, 1, ...) to weights")
    n = max(class_weight) + 1
    if n > 1 << 24:
        raise ValueError(f"class_weight has the class {n - 1}: that is too many classes")
    return (c_double * n)(*[class_weight.get(i, 1.0) for i in range(n)])


def callbacks_of(callbacks: Any) -> List[Any]:
    """All that were given, one, a list or a CallbackList."""
    given = getattr(callbacks, "callbacks", callbacks)
    return list(given) if isinstance(given, (list, tuple)) else [] if given is None else [given]


def callback_list(model: Any, callbacks: Any, verbose: Any, epochs: int, steps: int) -> Any:
    import keras

    if isinstance(callbacks, keras.callbacks.CallbackList):
        return callbacks
    return keras.callbacks.CallbackList(callbacks, add_history=True, add_progbar=verbose != 0, model=model,
                                        verbose=1 if verbose == "auto" else verbose, epochs=epochs, steps=steps)
