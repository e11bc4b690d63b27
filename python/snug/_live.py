"""The variables of a live Keras model: which is which in the library, and their elements, read and set without files.

Elements are read where they lie.  They are set in memory that is the variable's alone (TensorFlow), new (JAX), or the
variable's own (PyTorch, whose optimizers work in place, too), so nobody who holds the values of before sees them change.
"""
from __future__ import annotations

import ctypes
import mmap
from typing import Any, Callable, Dict, List, NamedTuple

import numpy as np

from . import _arrays
from . import _types as t
from ._library import library

Fill = Callable[[int], None]  # write all elements, row by row, to an address

_LARGE = 1 << 20  # the C library keeps such a piece in its heap when it is freed, and the next may not fit there
_IN_HEAP = 64 << 10  # smaller arrays come from Python's heap, larger ones are pages that go when they are let go


class Pair(NamedTuple):
    """A variable of Keras's, and what the library calls it."""

    variable: Any
    name: bytes
    dtype: np.dtype
    count: int
    of_optimizer: bool

    @property
    def bytes(self) -> int:
        return self.count * self.dtype.itemsize


# ---- elements ----


def _pages(shape: Any, dtype: np.dtype) -> np.ndarray:
    size = int(np.prod(shape)) * dtype.itemsize
    if size < _IN_HEAP:
        return np.empty(shape, dtype)
    return np.frombuffer(mmap.mmap(-1, size), dtype).reshape(shape)


class _Backend:
    """How elements of a variable are read and set."""

    copies = 2  # of the largest variable, while one is set

    def look(self, variable: Any) -> np.ndarray:
        """The elements, where they lie if that is possible.  Not to be kept."""
        import keras

        return keras.ops.convert_to_numpy(variable)

    def put(self, variable: Any, dtype: np.dtype, fill: Fill) -> None:
        variable.assign(self._filled(variable, dtype, fill))

    def rehearse(self, variable: Any) -> None:
        """Set a variable to what it is."""
        value = np.ascontiguousarray(self.look(variable))
        _touch(value)
        self.put(variable, value.dtype, lambda at: ctypes.memmove(at, value.ctypes.data, value.nbytes))

    def _filled(self, variable: Any, dtype: np.dtype, fill: Fill) -> np.ndarray:
        array = _pages(tuple(variable.shape), dtype)
        fill(array.ctypes.data)
        return array if str(variable.dtype) == dtype.name else array.astype(_named(variable.dtype))


class _TensorFlow(_Backend):
    copies = 1  # where someone else holds the elements

    def look(self, variable: Any) -> np.ndarray:
        if _is_small(variable) or str(variable.dtype) == "bfloat16":
            return variable.value.numpy()
        return np.asarray(memoryview(variable.value.value()))

    def put(self, variable: Any, dtype: np.dtype, fill: Fill) -> None:
        """New memory would come from TensorFlow's pool, which grows by doubling, moves the variables through its new part
        from call to call and gives nothing back."""
        if not _can_be_own(variable) or str(variable.dtype) != dtype.name:
            super().put(variable, dtype, fill)
            return
        _make_own(variable)
        fill(np.asarray(memoryview(variable.value.value())).ctypes.data)

    def rehearse(self, variable: Any) -> None:
        if _can_be_own(variable):
            _make_own(variable)  # and nobody looks at it meanwhile
        else:
            super().rehearse(variable)


_SUBTRACTED = {"float32", "float64", "float16", "int8", "int32", "int64", "uint8"}  # by TensorFlow, in a variable


def _can_be_own(variable: Any) -> bool:
    return not _is_small(variable) and str(variable.dtype) in _SUBTRACTED and "CPU:" in variable.value.device


def _make_own(variable: Any) -> None:
    """Let a variable of TensorFlow's be the only one that holds its elements: before it subtracts from them where they
    lie, TensorFlow copies them if there are others.  The zeros are pages that are only read, and so no memory."""
    import tensorflow as tf

    shape, dtype = tuple(variable.shape), np.dtype(str(variable.dtype))
    pages = mmap.mmap(-1, int(np.prod(shape)) * dtype.itemsize, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    zeros = tf.experimental.dlpack.from_dlpack(np.frombuffer(pages, dtype).reshape(shape).__dlpack__())
    tf.raw_ops.AssignSubVariableOp(resource=variable.value.handle, value=zeros)


class _Torch(_Backend):
    def look(self, variable: Any) -> np.ndarray:
        tensor = variable.value.detach()
        return super().look(variable) if str(variable.dtype) == "bfloat16" else tensor.cpu().numpy()

    def put(self, variable: Any, dtype: np.dtype, fill: Fill) -> None:
        tensor = variable.value.detach()
        if tensor.device.type == "cpu" and tensor.is_contiguous() and str(variable.dtype) == dtype.name:
            fill(tensor.data_ptr())
        else:
            super().put(variable, dtype, fill)


class _Jax(_Backend):
    copies = 3  # the pages, and two of JAX's

    def look(self, variable: Any) -> np.ndarray:
        return np.asarray(variable.value)

    def put(self, variable: Any, dtype: np.dtype, fill: Fill) -> None:
        import jax

        array = jax.numpy.array(self._filled(variable, dtype, fill), copy=True)
        variable.assign(array)
        array.block_until_ready()  # then the pages that it was made from can go
        if array.nbytes >= _LARGE:
            del array
            free_heap()


def _named(dtype: Any) -> np.dtype:
    return _arrays.numpy_dtype(t.DTYPES.index(str(dtype)) + 1)


def _is_small(variable: Any) -> bool:
    """Frameworks share the memory of constants, such as a 0."""
    return int(np.prod(tuple(variable.shape))) < 16


_BACKENDS = {"tensorflow": _TensorFlow, "torch": _Torch, "jax": _Jax}


def _compare_numbers() -> None:
    """As Keras's callbacks do: JAX compiles that when it is first asked for."""
    import keras

    bool(keras.ops.less(0.0, 1.0)), bool(keras.ops.greater(1.0, 0.0))


_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)


def free_heap() -> None:
    """Give back what the C library keeps."""
    if _trim:
        _trim(0)


# ---- a model ----


class Live:
    """The variables of a Keras model, and of its optimizer if it is one to train."""

    def __init__(self, model: Any, trains: bool) -> None:
        import keras

        self._backend = _BACKENDS.get(keras.backend.backend(), _Backend)()
        self._by_path = _by_path(model, trains)
        self.seeds = [v for v in model.variables if v.path.endswith("seed_generator_state")]  # of random layers
        self.pairs: List[Pair] = []

    def rehearse(self) -> None:
        """Set every variable to what it is.  What that takes, and what was only promised to the variables, is resident then."""
        for variable in self._by_path.values():
            self._backend.rehearse(variable)
        _compare_numbers()
        free_heap()

    def find_pairs(self, session: Any) -> None:
        """Which variable the library calls how: both count them as Keras's weights files do."""
        found: List[Any] = []
        session.check(library().snug_model_variables(session.pointer, t.VISIT_VARIABLE(
            lambda user, at: found.append((at[0].path.decode(), at[0].name, at[0].dtype, tuple(at[0].shape[:at[0].rank])))),
            None))
        of_optimizer = sum(path.startswith("optimizer/") for path, *_ in found)
        has_all = of_optimizer == sum(path.startswith("optimizer/") for path in self._by_path)
        for path, name, dtype, shape in found:
            if not name or (path.startswith("optimizer/") and not has_all):
                continue  # as in Keras, an optimizer with other variables is left as it is
            variable = self._by_path.get(path)
            if variable is None or tuple(variable.shape) != shape:
                raise RuntimeError(f"'{path}' is {name.decode()} of {shape} in Snug, and in the Keras model it is "
                                   f"{'not there' if variable is None else tuple(variable.shape)}")
            self.pairs.append(Pair(variable, name, _arrays.numpy_dtype(dtype), int(np.prod(shape)),
                                   path.startswith("optimizer/")))

    @property
    def weights(self) -> List[Pair]:
        return [pair for pair in self.pairs if not pair.of_optimizer]

    @property
    def staging(self) -> int:
        """Bytes that are taken for a moment while one variable is set."""
        return self._backend.copies * max((pair.bytes for pair in self.pairs), default=0)

    def value(self, pair: Pair) -> np.ndarray:
        """The elements in the library's dtype; not to be kept."""
        return np.ascontiguousarray(self._backend.look(pair.variable), pair.dtype)

    def set(self, pair: Pair, fill: Fill) -> None:
        self._backend.put(pair.variable, pair.dtype, fill)

def _by_path(model: Any, trains: bool) -> Dict[str, Any]:
    """Keras says itself which variable lies where in a weights file, to a store that keeps what it is given."""
    from keras.src.saving import saving_lib

    store = saving_lib.NpzIOStore("", mode="w")  # writes when it is closed, which it never is
    optimizer = getattr(model, "optimizer", None)
    saving_lib._save_state(model, weights_store=store, assets_store=None, inner_path="", visited_saveables={id(optimizer)})
    found = {f"{'' if group == '__root__' else group + '/'}vars/{i}": variable
             for group, variables in store.contents.items() for i, variable in variables.items()}
    if trains:
        found.update({f"optimizer/vars/{i}": v for i, v in enumerate(optimizer.variables)})
    return {path: variable for path, variable in found.items() if hasattr(variable, "assign")}


def _touch(value: np.ndarray) -> None:
    """Let its pages be memory, also where that is shared zeros so far: each is written with what it holds."""
    if value.flags.writeable and value.nbytes >= mmap.PAGESIZE:
        some = value.reshape(-1).view(np.uint8)[::mmap.PAGESIZE]
        some[...] = some.copy()
