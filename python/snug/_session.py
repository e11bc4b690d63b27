"""A live Keras model in the library, and the way of its weights and optimizer there and back.

The configuration goes through a folder of the kind that a `.keras` file unpacks to; weights and the optimizer's state go
from variable to variable (`_live.py`), so that no more than one of them is in memory twice.
"""
from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
from ctypes import byref, c_int64, c_void_p
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from . import _arrays
from . import _types as t
from ._library import Context, library, raise_for
from ._limit import Limit, find, refuse_state
from ._elements import free_heap, keep_large_apart
from ._live import Live, Pair, described, needs_of_state
from ._size import Size
from .memory import settings


PIECE_BYTES = 256 << 10  # of a variable that is compared, and of those between two looks at the room


class Session:
    """One model of the library for one Keras model.  `with Session(model) as s`.

    memory: what the process may hold, `limit` then; nothing is taken past it.
    trains: with the optimizer's state, and so that what comes back finds its memory resident.
    seed: of shuffling and dropout.
    """

    def __init__(self, model: Any, memory: Optional[Size], shapes: Optional[Sequence[Tuple[int, ...]]] = None,
                 compiled: bool = True, trains: bool = False, seed: int = 0) -> None:
        _check_keras(model, compiled, shapes)
        if trains:
            _check_trainable(model)
        self.keras_model = model
        self.pointer = c_void_p()
        self.folder = tempfile.mkdtemp(prefix="snug-")
        self.ctx: Any = None
        self._piece = np.zeros(PIECE_BYTES, np.uint8)
        self._steps_to_tell = 0
        self._has_changed = False
        try:
            self.ctx = Context(settings.limit or 0, not settings.growth)
            self.limit: Limit = find(self.ctx, memory)
            if trains and self.limit.line:
                keep_large_apart()
            self._load(shapes, compiled, seed)
            found = described(self)
            if trains and not model.optimizer.built:
                refuse_state(self.limit, needs_of_state(found), model.optimizer.name)
                model.optimizer.build(model.trainable_variables)
            self.live = Live(model, trains)
            if trains:
                self.live.rehearse()
            self.live.find_pairs(found)
            self.push()
        except BaseException:
            self.close()
            raise
        with settings.lock:
            settings.running += 1
        self._runs = True

    _runs = False

    def close(self) -> None:
        if self._runs:
            with settings.lock:
                settings.running -= 1
            self._runs = False
        if self.ctx is not None:
            library().snug_model_destroy(self.pointer)
            self.ctx.close()
            self.ctx = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def judge_by_limit(self, beside: int = 0) -> None:
        """Let the library refuse what needs more than the line, or than there is room for without one.  beside: bytes that
        Python will take."""
        most = self.limit.most
        library().snug_memory_set_available(self.ctx.pointer, max(most - beside, 1) if most else 0)

    def check(self, status: int) -> None:
        self.ctx.check(status)

    # ---- there ----

    def _load(self, shapes: Optional[Sequence[Tuple[int, ...]]], compiled: bool, seed: int) -> None:
        at = os.path.join(self.folder, "model")
        os.mkdir(at)
        _write(self.keras_model, at)
        shapes = shapes if _is_open(self.keras_model) else None
        arrays = (t.Array * len(shapes or ()))(*[
            t.Array(None, 1, len(s), (c_int64 * t.MAX_RANK)(*s)) for s in shapes or ()])
        options = t.LoadOptions(seed=seed, x=arrays if shapes else None, n_x=len(shapes or ()), no_compile=not compiled,
                                no_weights=True)
        status = library().snug_model_load(self.ctx.pointer, at.encode(), byref(options), byref(self.pointer))
        shutil.rmtree(at)
        if status:
            message = library().snug_message(self.ctx.pointer).decode(errors="replace")
            raise_for(status, message.replace(at, f"model '{self.keras_model.name}'"))
        why = library().snug_model_uncompiled(self.pointer)
        if why and compiled:
            raise_for(t.E_UNSUPPORTED, why.decode(errors="replace").replace(at, f"model '{self.keras_model.name}'"))
        left_out = library().snug_model_left_out(self.pointer)
        if left_out:
            warnings.warn("unsupported metrics are left out: " + left_out.decode(), stacklevel=4)

    # ---- what the model is ----

    def _names(self, at: Any) -> List[str]:
        names: List[str] = []
        while True:
            tensor = at(self.pointer, len(names))
            if tensor < 0:
                return names
            names.append(library().snug_model_tensor_name(self.pointer, tensor).decode())

    @property
    def inputs(self) -> List[str]:
        return self._names(library().snug_model_input_at)

    @property
    def outputs(self) -> List[str]:
        return self._names(library().snug_model_output_at)

    def output_like(self, i: int, rows: int) -> np.ndarray:
        """An array for so many rows of an output."""
        tensor = library().snug_model_output_at(self.pointer, i)
        shape = (c_int64 * t.MAX_RANK)()
        rank = library().snug_model_shape(self.pointer, tensor, shape)
        dtype = _arrays.numpy_dtype(library().snug_model_tensor_dtype(self.pointer, tensor))
        return np.empty((rows, *shape[:rank]), dtype)

    # ---- there and back ----

    def push(self) -> None:
        """Give the library all that the Keras model has."""
        for pair in self.live.pairs:
            value = self.live.value(pair)
            self._set(pair, value)

    def push_changes(self) -> None:
        """Take over what someone set in the Keras model."""
        for pair in self.live.pairs:
            if pair.of_optimizer and not pair.is_same:
                continue
            value = self.live.value(pair)
            if not self._has(pair, value):
                self._set(pair, value)

    def pull(self, has_room: Optional[Callable[[int], bool]] = None) -> bool:
        """Give the Keras model all that changed in the library since: weights, the optimizer's state, the seeds of random
        layers.  has_room: asked before so many bytes are taken; False ends it, and then the model has a part."""
        if not self._has_changed:
            return True
        if not self._pull(has_room):
            return False
        for state in self.live.seeds:
            value = np.array(_numpy(state))
            value[1] += self._steps_to_tell
            state.assign(value)
        self._steps_to_tell = 0
        self._has_changed = False
        free_heap()
        return True

    def count_step(self) -> None:
        """A step was made: random layers of Keras would have drawn once."""
        self._steps_to_tell += 1
        self._has_changed = True

    def change(self) -> None:
        """The library may have changed something by other means than a step."""
        self._has_changed = True

    def resume(self) -> None:
        """The library has what a backup held.  Random layers have drawn in the steps before it, too."""
        before = int(_numpy(self.keras_model.optimizer.iterations))
        self._pull(None)
        self._steps_to_tell += int(_numpy(self.keras_model.optimizer.iterations)) - before
        self._has_changed = True

    def _pull(self, has_room: Optional[Callable[[int], bool]]) -> bool:
        unasked = 0
        for pair in self.live.pairs:
            unasked += self.live.staging_of(pair)
            if has_room and unasked >= PIECE_BYTES:
                if not has_room(unasked):
                    return False
                unasked = 0
            self.live.set(pair, lambda at: self.check(
                library().snug_model_variable_get(self.pointer, pair.name, 0, pair.count, at)))
        return True

    def _set(self, pair: Pair, value: np.ndarray) -> None:
        self.check(library().snug_model_variable_set(self.pointer, pair.name, 0, pair.count, value.ctypes.data))

    def _has(self, pair: Pair, value: np.ndarray) -> bool:
        """Whether the library's elements are these, bit by bit, looked at piece by piece."""
        given = value.reshape(-1).view(np.uint8)
        step = PIECE_BYTES // pair.dtype.itemsize
        for first in range(0, pair.count, step):
            n = min(step, pair.count - first)
            self.check(library().snug_model_variable_get(self.pointer, pair.name, first, n, self._piece.ctypes.data))
            size = n * pair.dtype.itemsize
            at = first * pair.dtype.itemsize
            if not np.array_equal(self._piece[:size], given[at:at + size]):
                return False
        return True


def _numpy(variable: Any) -> np.ndarray:
    import keras

    return keras.ops.convert_to_numpy(variable)


def _check_keras(model: Any, compiled: bool, shapes: Optional[Sequence[Tuple[int, ...]]]) -> None:
    import keras

    if not isinstance(model, keras.Model):
        raise TypeError(f"the model is {type(model).__name__}: it is to be a keras.Model (of Keras 3)")
    if type(model) is not keras.Sequential and type(model).__name__ != "Functional":
        raise NotImplementedError(f"model '{model.name}' is a {type(model).__name__}, which does its own in Python code: "
                                  "Snug takes keras.Sequential and functional keras.Model(inputs, outputs)")
    if not model.built and shapes and len(shapes) == 1:
        model.build((None, *shapes[0][1:]))  # as Keras's own fit does
    if not model.built:
        raise ValueError(f"model '{model.name}' has no input shape yet: call model.build(...), or begin it with "
                         "keras.Input(...)")
    if compiled and not getattr(model, "compiled", False):
        raise ValueError(f"model '{model.name}' is not compiled: call model.compile(...) first")


def _check_trainable(model: Any) -> None:
    """Keras goes on with the variables that the optimizer was made for, whatever `trainable` is set to afterwards."""
    made_for = {variable.path for variable in getattr(model.optimizer, "_trainable_variables", ())}
    now = {variable.path for variable in model.trainable_variables}
    if model.optimizer.built and made_for != now:
        more, less = sorted(now - made_for), sorted(made_for - now)
        which = f"{more[0]} is trainable and" if more else f"{less[0]} is not trainable any more, and"
        raise ValueError(f"model '{model.name}': {which} its optimizer was made for {len(made_for)} variables, not for these "
                         f"{len(now)}: call model.compile(...) again after a change of trainable")


def _is_open(model: Any) -> bool:
    """Whether the shape of an input leaves a size to the data."""
    return any(size is None for tensor in model.inputs for size in tensor.shape[1:])


def _write(model: Any, at: str) -> None:
    """What a .keras file unpacks to, without weights."""
    import keras

    with open(os.path.join(at, "config.json"), "w") as config:
        json.dump(keras.saving.serialize_keras_object(model), config)
    with open(os.path.join(at, "metadata.json"), "w") as metadata:
        json.dump({"keras_version": keras.__version__}, metadata)
