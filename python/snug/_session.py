"""A live Keras model in the library, and the way of its weights and optimizer there and back.

There: the configuration and the weights go through a folder of the kind that a `.keras` file unpacks to, written
variable by variable, so that memory stays bounded.  Back: weights are set in place, one at a time; the state of the
optimizer goes through a file.
"""
from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from ctypes import byref, c_int64, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _arrays
from . import _types as t
from ._library import Context, library
from .memory import settings


# Bytes of the line that Python itself may come to take while the library trains; and for files of weights.
ROOM_OF_PYTHON = 1 << 20
ROOM_OF_FILES = 8 << 20


class Session:
    """One model of the library for one Keras model.  `with Session(model) as s`."""

    def __init__(self, model: Any, shapes: Optional[Sequence[Tuple[int, ...]]] = None, compiled: bool = True) -> None:
        _check_keras(model, compiled)
        self.keras_model = model
        self.pointer = c_void_p()
        self.folder = tempfile.mkdtemp(prefix="snug-")
        self.ctx: Any = None
        self.room = ROOM_OF_PYTHON
        try:
            self.ctx = Context(settings.limit or 0, not settings.growth)
            self._load(shapes, compiled)
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

    def check(self, status: int) -> None:
        self.ctx.check(status)

    # ---- there ----

    def _load(self, shapes: Optional[Sequence[Tuple[int, ...]]], compiled: bool) -> None:
        at = os.path.join(self.folder, "model")
        os.mkdir(at)
        _write(self.keras_model, at, compiled)
        shapes = shapes if _is_open(self.keras_model) else None
        arrays = (t.Array * len(shapes or ()))(*[
            t.Array(None, 1, len(s), (c_int64 * t.MAX_RANK)(*s)) for s in shapes or ()])
        options = t.LoadOptions(random.getrandbits(63), arrays if shapes else None, len(shapes or ()), not compiled)
        status = library().snug_model_load(self.ctx.pointer, at.encode(), byref(options), byref(self.pointer))
        shutil.rmtree(at)
        self.check(status)

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

    def make_room(self) -> None:
        """Leave bytes for callbacks that look at the model in the midst of a fit: the largest weight as an array, as a copy
        of the framework's and in the reader of files, what such a file takes at all, and a copy of all weights for them."""
        sizes = [info.bytes for info in self._infos().values()]
        self.room = sum(sizes) + 4 * max(sizes, default=0) + ROOM_OF_FILES

    # ---- back ----

    def pull(self) -> None:
        """Give the Keras model all that training changed: weights and the optimizer's state."""
        path = os.path.join(self.folder, "state.weights.h5")
        self.check(library().snug_model_save(self.pointer, path.encode()))
        try:
            self.keras_model.load_weights(path)
        finally:
            os.remove(path)

    def pull_weights(self) -> None:
        """Weights alone, in place."""
        pairs = self._pairs()
        if pairs is None:
            self.pull()
            return
        for variable, info in pairs:
            variable.assign(self._value(info))

    def push_changes(self) -> None:
        """Take over weights that someone set in the Keras model."""
        pairs = self._pairs()
        if pairs is None:
            path = os.path.join(self.folder, "changed.weights.h5")
            self.keras_model.save_weights(path)
            self.check(library().snug_model_load_weights(self.pointer, path.encode()))
            os.remove(path)
            return
        for variable, info in pairs:
            value = np.ascontiguousarray(_numpy(variable), _arrays.numpy_dtype(info.dtype))
            if value.tobytes() != self._value(info).tobytes():
                self.check(library().snug_model_weight_set(self.pointer, info.name, value.ctypes.data, value.nbytes))

    def _value(self, info: t.WeightInfo) -> np.ndarray:
        value = np.empty(tuple(info.shape[:info.rank]), _arrays.numpy_dtype(info.dtype))
        self.check(library().snug_model_weight_get(self.pointer, info.name, value.ctypes.data, value.nbytes))
        return value

    def _pairs(self) -> Optional[List[Tuple[Any, t.WeightInfo]]]:
        """Each variable with the weight of its name; None where names do not say which is which."""
        own = f"{self.keras_model.name}/"
        variables = {v.path[len(own):] if v.path.startswith(own) else v.path: v for v in self.keras_model.weights}
        infos = self._infos()
        if len(variables) != len(self.keras_model.weights) or not set(infos) <= set(variables):
            return None
        pairs = [(variables[name], info) for name, info in infos.items()]
        fits = all(tuple(v.shape) == tuple(info.shape[:info.rank]) for v, info in pairs)
        return pairs if fits and len(pairs) == _count_floats(variables.values()) else None

    def _infos(self) -> Dict[str, t.WeightInfo]:
        infos = {}
        for i in range(library().snug_model_weights(self.pointer)):
            info = t.WeightInfo()
            self.check(library().snug_model_weight_info(self.pointer, i, byref(info)))
            infos[info.name.decode()] = info
        return infos


def _numpy(variable: Any) -> np.ndarray:
    import keras

    return keras.ops.convert_to_numpy(variable)


def _count_floats(variables: Any) -> int:
    """Seeds of random layers are no weights of Snug's."""
    return sum(1 for v in variables if "float" in str(v.dtype))


def _check_keras(model: Any, compiled: bool) -> None:
    import keras

    if not isinstance(model, keras.Model):
        raise TypeError(f"the model is {type(model).__name__}: it is to be a keras.Model (of Keras 3)")
    if type(model) is not keras.Sequential and type(model).__name__ != "Functional":
        raise NotImplementedError(f"model '{model.name}' is a {type(model).__name__}, which does its own in Python code: "
                                  "Snug takes keras.Sequential and functional keras.Model(inputs, outputs)")
    if not model.built:
        raise ValueError(f"model '{model.name}' has no input shape yet: call model.build(...), or begin it with "
                         "keras.Input(...)")
    if compiled and not getattr(model, "compiled", False):
        raise ValueError(f"model '{model.name}' is not compiled: call model.compile(...) first")


def _is_open(model: Any) -> bool:
    """Whether the shape of an input leaves a size to the data."""
    return any(size is None for tensor in model.inputs for size in tensor.shape[1:])


def _write(model: Any, at: str, compiled: bool) -> None:
    """What a .keras file unpacks to; weights straight to the disk, variable by variable."""
    import keras

    if compiled and not model.optimizer.built:
        model.optimizer.build(model.trainable_variables)
    with open(os.path.join(at, "config.json"), "w") as config:
        json.dump(keras.saving.serialize_keras_object(model), config)
    with open(os.path.join(at, "metadata.json"), "w") as metadata:
        json.dump({"keras_version": keras.__version__}, metadata)
    model.save_weights(os.path.join(at, "model.weights.h5"))
