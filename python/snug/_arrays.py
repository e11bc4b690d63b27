"""NumPy arrays as the library sees them: in place, where they lie."""
from __future__ import annotations

from ctypes import POINTER, c_int64, cast, pointer
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from . import _types as t
from ._size import text


def dtype_code(dtype: Any, what: str) -> int:
    """The number of a dtype; TypeError for those that Snug has not."""
    name = np.dtype(dtype).name
    if name not in t.DTYPES or not np.dtype(dtype).isnative:
        known = ", ".join(t.DTYPES)
        raise TypeError(f"{what} has dtype {np.dtype(dtype)!s}: Snug reads {known}; convert it with .astype(...)")
    return t.DTYPES.index(name) + 1


def numpy_dtype(code: int) -> np.dtype:
    name = t.DTYPES[code - 1]
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def checked(array: Any, what: str) -> np.ndarray:
    """An array that can be read in place: ValueError where that would take a copy of it."""
    array = np.asarray(array)
    dtype_code(array.dtype, what)
    if not 1 <= array.ndim <= t.MAX_RANK:
        raise ValueError(f"{what} has {array.ndim} axes: it needs 1 to {t.MAX_RANK}, the first counts the samples")
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise ValueError(f"{what} of shape {array.shape} does not lie row by row without gaps (a slice, a transposed "
                         f"or Fortran-ordered array), and is read in place: np.ascontiguousarray makes such a copy, "
                         f"of {text(array.nbytes)}")
    return array


def described(array: np.ndarray, what: str, with_data: bool = True) -> t.Array:
    shape = (c_int64 * t.MAX_RANK)(*array.shape)
    return t.Array(array.ctypes.data if with_data else None, dtype_code(array.dtype, what), array.ndim, shape)


def array_list(values: Any, names: Sequence[str], what: str) -> List[Any]:
    """One value per name, of an array, a list of arrays, or a dict by name."""
    if isinstance(values, dict):
        missing = [name for name in names if name not in values]
        if missing:
            raise ValueError(f"{what} has {sorted(values)}; the model wants {list(names)}")
        return [values[name] for name in names]
    if isinstance(values, (list, tuple)) and values and all(hasattr(value, "shape") for value in values):
        found = list(values)
    else:
        found = [values]
    if len(found) != len(names):
        raise ValueError(f"{what} has {len(found)} arrays; the model wants {len(names)}: {list(names)}")
    return found


class Data:
    """What feeds a model, from arrays; keeps them alive.  `struct` is the library's."""

    def __init__(self, x: Any, y: Any, sample_weight: Any, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        self.x = _all_checked(x, inputs, "x")
        self.y = _all_checked(y, outputs, "y") if y is not None else []
        self.weight = [checked(sample_weight, "sample_weight")] if sample_weight is not None else []
        self.rows = len(self.x[0])
        self._check_lengths(inputs, outputs)
        self._arrays = [_ctypes(arrays, what) for arrays, what in
                        ((self.x, "x"), (self.y, "y"), (self.weight, "sample_weight"))]
        self.struct = data_struct(self._arrays, None)

    @property
    def labels(self) -> List[Tuple[np.dtype, Tuple[Optional[int], ...]]]:
        """The dtype and the shape of what each output is to give."""
        return [(array.dtype, (None, *array.shape[1:])) for array in self.y]

    def _check_lengths(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        names = [f"x '{n}'" for n in inputs] + [f"y '{n}'" for n in outputs[:len(self.y)]] + ["sample_weight"]
        for name, array in zip(names, self.x + self.y + self.weight):
            if len(array) != self.rows:
                raise ValueError(f"{name} has {len(array)} samples, and x '{inputs[0]}' has {self.rows}")


def data_struct(arrays: Sequence[Any], source: Optional[t.Source]) -> t.Data:
    x, y, weight = arrays
    return t.Data(x=_first(x), n_x=len(x), y=_first(y), n_y=len(y), sample_weight=_first(weight),
                  source=pointer(source) if source else None)


def _first(array: Any) -> Any:
    return cast(array, POINTER(t.Array)) if len(array) else None


def _all_checked(values: Any, names: Sequence[str], what: str) -> List[np.ndarray]:
    return [checked(value, f"{what} '{name}'") for value, name in zip(array_list(values, names, what), names)]


def _ctypes(arrays: Sequence[np.ndarray], what: str) -> Any:
    return (t.Array * len(arrays))(*[described(a, what) for a in arrays])
