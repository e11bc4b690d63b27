"""libsnug, opened when it is first needed, with the types of its functions and its failures as exceptions."""
from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import sys
import warnings
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence

from . import _types as t
from ._version import __version__

_HERE = Path(__file__).resolve().parent
_ARRAYS = POINTER(t.Array)

# name: what it returns, what it takes
_FUNCTIONS = {
    "snug_version": (c_char_p, []),
    "snug_ctx_create": (c_int, [POINTER(t.Options), POINTER(c_void_p)]),
    "snug_ctx_destroy": (None, [c_void_p]),
    "snug_message": (c_char_p, [c_void_p]),
    "snug_memory_preallocate": (c_int, [c_void_p, c_char_p, c_uint64]),
    "snug_memory_available": (c_int, [c_void_p, POINTER(t.Available)]),
    "snug_memory_set_available": (None, [c_void_p, c_uint64]),
    "snug_memory_set_bound": (None, [c_void_p, c_uint64]),
    "snug_model_load": (c_int, [c_void_p, c_char_p, POINTER(t.LoadOptions), POINTER(c_void_p)]),
    "snug_model_destroy": (None, [c_void_p]),
    "snug_model_variables": (c_int, [c_void_p, t.VISIT_VARIABLE, c_void_p]),
    "snug_model_variable_get": (c_int, [c_void_p, c_char_p, c_int64, c_int64, c_void_p]),
    "snug_model_variable_set": (c_int, [c_void_p, c_char_p, c_int64, c_int64, c_void_p]),
    "snug_model_left_out": (c_char_p, [c_void_p]),
    "snug_model_uncompiled": (c_char_p, [c_void_p]),
    "snug_model_learning_rate": (c_double, [c_void_p]),
    "snug_model_set_learning_rate": (c_int, [c_void_p, c_double]),
    "snug_model_metrics": (t.Logs, [c_void_p]),
    "snug_model_input_at": (c_int32, [c_void_p, c_int32]),
    "snug_model_output_at": (c_int32, [c_void_p, c_int32]),
    "snug_model_shape": (c_int32, [c_void_p, c_int32, POINTER(c_int64)]),
    "snug_model_tensor_name": (c_char_p, [c_void_p, c_int32]),
    "snug_model_tensor_dtype": (c_int, [c_void_p, c_int32]),
    "snug_fit": (c_int, [c_void_p, POINTER(t.Data), POINTER(t.FitOptions), POINTER(c_void_p)]),
    "snug_history_destroy": (None, [c_void_p]),
    "snug_history_memory": (None, [c_void_p, POINTER(t.MemoryReport)]),
    "snug_evaluate": (c_int, [c_void_p, POINTER(t.Data), c_int64, POINTER(c_double), c_size_t]),
    "snug_predict": (c_int, [c_void_p, POINTER(t.Data), c_int64, POINTER(c_void_p), c_int32]),
    "snug_plan_fit": (c_int, [c_void_p, POINTER(t.Data), POINTER(t.FitOptions), POINTER(c_void_p)]),
    "snug_plan_samples": (c_int, [c_void_p, c_int64, POINTER(t.FitOptions), POINTER(c_void_p)]),
    "snug_plan_destroy": (None, [c_void_p]),
    "snug_plan_memory": (None, [c_void_p, POINTER(t.MemoryReport)]),
    "snug_plan_layers": (c_size_t, [c_void_p]),
    "snug_plan_layer": (None, [c_void_p, c_size_t, POINTER(t.LayerMemory)]),
    "snug_plan_fits": (c_bool, [c_void_p]),
    "snug_plan_least": (c_uint64, [c_void_p]),
    "snug_plan_points": (c_size_t, [c_void_p]),
    "snug_plan_point_at": (None, [c_void_p, c_size_t, POINTER(t.PlanPoint)]),
    "snug_plan_chosen": (c_size_t, [c_void_p]),
    "snug_plan_peak": (None, [c_void_p, POINTER(t.PlanMoment)]),
    "snug_plan_resumes": (c_bool, [c_void_p]),
    "snug_callback_create": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(t.CallbackTarget), POINTER(t.Callback)]),
    "snug_callback_destroy": (None, [POINTER(t.Callback)]),
    "snug_backup_remove": (c_int, [POINTER(t.Callback)]),
    "snug_recorder_open": (c_int, [c_void_p, c_char_p, c_bool, POINTER(c_void_p)]),
    "snug_recorder_fact": (c_int, [c_void_p, c_char_p, c_char_p]),
    "snug_recorder_machine": (c_int, [c_void_p]),
    "snug_recorder_moment": (c_int, [c_void_p, POINTER(t.Moment)]),
    "snug_recorder_logs": (c_int, [c_void_p, c_int64, POINTER(t.Logs)]),
    "snug_recorder_close": (c_int, [c_void_p]),
    "snug_fit_record_callback": (None, [POINTER(t.FitRecord), POINTER(t.Callback)]),
}

_library: Optional[ctypes.CDLL] = None


def _interface(version: str) -> str:
    """The part of a version that names its interface: below 1.0 the minor version does, "0.1"."""
    major, minor = version.split(".")[:2]
    return f"{major}.{minor}" if major == "0" else major


def _places() -> list:
    """Where the library may be: named by the user, in the wheel, where the system has it."""
    named = os.environ.get("SNUG_LIBRARY")
    if named:
        return [named]
    name = "libsnug.so." + _interface(__version__)
    return [str(_HERE / "lib" / name), name]


# How long a thread of OpenMP looks before it sleeps, in libgomp and libomp: as in the command (cli/patience.c says why).
_WAITS = {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "0"}


@contextlib.contextmanager
def _short_waits() -> Iterator[None]:
    """The OpenMP runtime reads its settings once; programs that are started later find the environment as it was."""
    ours = {} if "OMP_WAIT_POLICY" in os.environ else {k: v for k, v in _WAITS.items() if k not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]


def _open() -> ctypes.CDLL:
    tried = []
    for place in _places():
        try:
            with _short_waits():
                opened = ctypes.CDLL(place)
                if hasattr(opened, "omp_get_max_threads"):
                    opened.omp_get_max_threads()  # libgomp has read them when it was loaded, libomp does so now
                return opened
        except OSError as why:
            tried.append(str(why))
    raise ImportError("libsnug could not be opened: " + "; ".join(tried) +
                      ". Install the package with pip, or name the library in SNUG_LIBRARY")


def _check_version(opened: ctypes.CDLL) -> None:
    opened.snug_version.restype = c_char_p
    there = opened.snug_version().decode(errors="replace")
    if _interface(there) != _interface(__version__):
        raise ImportError(f"{opened._name} is libsnug {there}, and this is the Python package snug {__version__}, which needs "
                          f"libsnug {_interface(__version__)}: install both of one version (pip install snug=={there}, or "
                          f"libsnug {__version__}), or name another library in SNUG_LIBRARY")


def library() -> Any:
    """The library, with types."""
    global _library
    if _library is None:
        opened = _open()
        _check_version(opened)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(opened, name)
            function.restype, function.argtypes = result, arguments
        _library = opened
    return _library


def command() -> str:
    """The path of the command: SNUG, the one in the wheel, or that of the system."""
    named = os.environ.get("SNUG")
    inside = _HERE / "bin" / "snug"
    found = named or (str(inside) if inside.exists() else shutil.which("snug"))
    if not found:
        raise FileNotFoundError("there is no command snug: install the package with pip, or name it in SNUG")
    return found


# ---- failures ----


class DoesNotFit(MemoryError):
    """It would take more than the line, or than this process may hold.  Nothing was trained or computed.

    Of a training `plan` is the least one and `remedies` are what would do; of what ended before there was a plan, of
    evaluate and of predict they are None and [].
    """

    def __init__(self, message: str, plan: Any = None, remedies: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.plan, self.remedies = plan, list(remedies)


_EXCEPTIONS = {
    t.E_MEMORY: MemoryError, t.E_LIMIT: DoesNotFit, t.E_DTYPE: TypeError, t.E_UNSUPPORTED: NotImplementedError,
    t.E_IO: OSError, t.E_STATE: RuntimeError, t.E_INTERNAL: RuntimeError, t.E_STOPPED: RuntimeError,
}


def check(ctx: c_void_p, status: int) -> None:
    """Raise what a status means, with the library's own message."""
    if status == t.OK:
        return
    message = library().snug_message(ctx) if ctx else b""
    raise_for(status, (message or b"").decode(errors="replace"))


# What the library says of options and files, and what a user of this package would do.
_IN_PYTHON = (
    (r"give the data it is for \((an array.*?)\) or its shape \(x of snug_load_options\), or save the model with a fixed input "
     r"shape", r"give the data it is for (x=, \1), or the model a fixed shape: keras.Input(...)"),
    (r"give the data it is for or the shape \(x of snug_load_options\), or call it once in Keras before it is saved",
     "give the data it is for (x=), or call model.build(...)"),
    (r"give [a-z_]+( and loss)? of snug_compile_options",
     "call model.compile(...) with one that is known; model.fit of Keras trains with any"),
    (r"the file (does not hold|holds)", r"its configuration \1"),
    (r"compile_config: ", "model.compile: "),
    (r"replan of snug_fit_options", "replan=True"),
    (r"replace of snug_(fit_record|view_tensorboard)", "overwrite=True"),
    (r"memory of snug_load_options", "memory="),
    (r"x of snug_load_options", "x="),
    (r"no_compile of snug_load_options", "a model that is not compiled has none"),
    (r"skip_bad of snug_image_options", "the command can"),
    (r"augment of snug_image_options", "a keras.utils.PyDataset or tf.data.Dataset can"),
    (r"call snug_model_compile first", "call model.compile(...) first"),
    (r"([a-z_]+) of snug_compile_options", r"\1= of model.compile"),
    (r"snug_model_compile", "model.compile"),
)


def in_python(message: str) -> str:
    """A message of the library with advice for Python."""
    for of_library, here in _IN_PYTHON:
        message = re.sub(of_library, here, message)
    return message


def raise_for(status: int, message: str) -> None:
    raise _EXCEPTIONS.get(status, ValueError)(in_python(message) or f"libsnug: status {status}")


def _warn(user: Any, text: bytes) -> None:
    """What the library tells and fails nothing, as a warning at the user's own line."""
    depth, frame = 1, sys._getframe()
    while frame.f_back and Path(frame.f_code.co_filename).resolve().parent == _HERE:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(in_python(text.decode(errors="replace")), stacklevel=depth)


class Context:
    """A context of the library: `with Context() as ctx`, ctx.pointer."""

    def __init__(self, memory_limit: int = 0, preallocate: bool = False) -> None:
        self.pointer = c_void_p()
        self._note = t.NOTE(_warn)  # as long as the context may call it
        options = t.Options(memory_limit=memory_limit, note=self._note)
        status = library().snug_ctx_create(byref(options), byref(self.pointer))
        if status:
            raise MemoryError(f"no context within {memory_limit} bytes: the limit of snug.set_memory_limit is too low")
        if preallocate:
            try:
                ahead = memory_limit - memory_limit // 8  # graphs and plans are taken beside it
                self.check(library().snug_memory_preallocate(self.pointer, b"cpu", ahead))
            except BaseException:
                self.close()
                raise

    def check(self, status: int) -> None:
        check(self.pointer, status)

    def close(self) -> None:
        library().snug_ctx_destroy(self.pointer)
        self.pointer = c_void_p()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
