"""The elements of a Keras variable, read and set without files.

They are read where they lie.  They are set in memory that is the variable's alone (TensorFlow), new (JAX), or the
variable's own (PyTorch, whose optimizers work in place, too), so nobody who holds the values of before sees them change.
"""
from __future__ import annotations

import ctypes
import mmap
from typing import Any, Callable

import numpy as np

from . import _arrays
from . import _types as t

Fill = Callable[[int], None]  # write all elements, row by row, to an address

_M_MMAP_THRESHOLD = -3  # of malloc.h
_LARGE = 1 << 20  # the C library keeps such a piece in its heap when it is freed, and the next may not fit there
_IN_HEAP = 64 << 10  # smaller arrays come from Python's heap, larger ones are pages that go when they are let go


def _pages(shape: Any, dtype: np.dtype) -> np.ndarray:
    size = int(np.prod(shape)) * dtype.itemsize
    if size < _IN_HEAP:
        return np.empty(shape, dtype)
    return np.frombuffer(mmap.mmap(-1, size), dtype).reshape(shape)


class Backend:
    """How elements of a variable are read and set."""

    copies = 2  # of the largest variable, while one is set
    saves_grow = False  # whether each save of Keras's leaves something in the process

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


class _TensorFlow(Backend):
    copies = 1  # where someone else holds the elements
    saves_grow = True

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


class _Torch(Backend):
    def look(self, variable: Any) -> np.ndarray:
        tensor = variable.value.detach()
        return super().look(variable) if str(variable.dtype) == "bfloat16" else tensor.cpu().numpy()

    def put(self, variable: Any, dtype: np.dtype, fill: Fill) -> None:
        tensor = variable.value.detach()
        if tensor.device.type == "cpu" and tensor.is_contiguous() and str(variable.dtype) == dtype.name:
            fill(tensor.data_ptr())
        else:
            super().put(variable, dtype, fill)


class _Jax(Backend):
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


def backend() -> Backend:
    """The one that Keras runs on."""
    import keras

    return _BACKENDS.get(keras.backend.backend(), Backend)()


_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)


def free_heap() -> None:
    """Give back what the C library keeps."""
    if _trim:
        _trim(0)


def keep_large_apart() -> None:
    """Let large pieces be pages of their own, as they are in a young process.  The C library takes them from its heap once
    such a piece was freed: then what grows in steps, as a file in memory does, is copied and leaves holes.

    From then on it also gives back the free end of a thread's heap, which malloc_trim leaves: where JAX had compiled, that was
    9 MiB in one process and nothing in the next."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


def _touch(value: np.ndarray) -> None:
    """Let its pages be memory, also where that is shared zeros so far: each is written with what it holds."""
    if value.flags.writeable and value.nbytes >= mmap.PAGESIZE:
        some = value.reshape(-1).view(np.uint8)[::mmap.PAGESIZE]
        some[...] = some.copy()
