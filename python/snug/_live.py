"""The variables of a live Keras model: which is which in the library."""
from __future__ import annotations

import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _arrays
from . import _types as t
from ._elements import Fill, backend, free_heap
from ._library import library

OF_OPTIMIZER = "optimizer/"


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

    @property
    def is_same(self) -> bool:
        """Whether both have its elements in one dtype, so that none is rounded on the way."""
        return str(self.variable.dtype) == self.dtype.name


class Described(NamedTuple):
    """A variable of Keras's as the library knows it.  name: what it calls it; None: it has none."""

    path: str
    name: Optional[bytes]
    dtype: np.dtype
    shape: Tuple[int, ...]

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    @property
    def of_optimizer(self) -> bool:
        return self.path.startswith(OF_OPTIMIZER)


def described(session: Any) -> List[Described]:
    """All of a model's."""
    found: List[Described] = []
    session.check(library().snug_model_variables(session.pointer, t.VISIT_VARIABLE(lambda user, at: found.append(Described(
        at[0].path.decode(), at[0].name, _arrays.numpy_dtype(at[0].dtype), tuple(at[0].shape[:at[0].rank])))), None))
    return found


def needs_of_state(variables: Sequence[Described]) -> int:
    """Bytes that an optimizer's state takes when it is made, and setting it."""
    sizes = [one.count * one.dtype.itemsize for one in variables]
    return sum(size for size, one in zip(sizes, variables) if one.of_optimizer) + backend().copies * max(sizes, default=0)


# ---- a model ----


def _compare_numbers() -> None:
    """As Keras's callbacks do: JAX compiles that when it is first asked for."""
    import keras

    bool(keras.ops.less(0.0, 1.0)), bool(keras.ops.greater(1.0, 0.0))


class Live:
    """The variables of a Keras model, and of its optimizer if it is one to train."""

    def __init__(self, model: Any, trains: bool) -> None:
        self._backend = backend()
        self._trains = trains
        self._by_path = _by_path(model, trains)
        self.seeds = [v for v in model.variables if v.path.endswith("seed_generator_state")]  # of random layers
        self.pairs: List[Pair] = []

    def rehearse(self) -> None:
        """Set every variable to what it is.  What that takes, and what was only promised to the variables, is resident then."""
        for variable in self._by_path.values():
            self._backend.rehearse(variable)
        _compare_numbers()
        free_heap()

    def find_pairs(self, found: Sequence[Described]) -> None:
        """Which variable the library calls how: both count them as Keras's weights files do."""
        theirs = sum(path.startswith(OF_OPTIMIZER) for path in self._by_path)
        ours = sum(one.of_optimizer for one in found)
        if self._trains and theirs != ours:
            warnings.warn(f"the state of the optimizer stays as it is: Keras has {theirs} variables of it, and Snug {ours}",
                          stacklevel=5)
        for one in found:
            if not one.name or (one.of_optimizer and theirs != ours):
                continue  # as in Keras, an optimizer with other variables is left as it is
            variable = self._by_path.get(one.path)
            if variable is None or tuple(variable.shape) != one.shape:
                raise RuntimeError(f"'{one.path}' is {one.name.decode()} of {one.shape} in Snug, and in the Keras model it is "
                                   f"{'not there' if variable is None else tuple(variable.shape)}")
            self.pairs.append(Pair(variable, one.name, one.dtype, one.count, one.of_optimizer))

    @property
    def weights(self) -> List[Pair]:
        return [pair for pair in self.pairs if not pair.of_optimizer]

    @property
    def staging(self) -> int:
        """Bytes that are taken for a moment while one variable is set."""
        return max(map(self.staging_of, self.pairs), default=0)

    def staging_of(self, pair: Pair) -> int:
        return self._backend.copies * pair.bytes

    @property
    def saves_grow(self) -> bool:
        return self._backend.saves_grow

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
