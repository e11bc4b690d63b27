"""Snug: train inside a stated number of bytes, and see what a training holds.

    import snug
    with snug.peak() as p: ...                      the peak of this process over a piece of code
    snug.get_memory_info("cpu")                     {'current': ..., 'peak': ...}
    snug.keras.MemoryMonitor()                      a callback for keras.Model.fit, on any back end
    snug.plan(model, batch_size=64)                 what training a Keras model would hold
    snug.fit(model, x, y, memory="2GiB")            train it inside of that

NumPy is all it needs.  Keras, TensorFlow, JAX and PyTorch are never imported before the user does, or asks for
`snug.keras`.
"""
from __future__ import annotations

import importlib
import sys
from typing import Any

from ._process import Peak, peak
from ._version import __version__
from .memory import get_memory_info, reset_memory_stats, set_memory_growth, set_memory_limit

__all__ = ["DoesNotFit", "LineReached", "Peak", "Plan", "Remedy", "Report", "evaluate", "find_batch_size", "fit",
           "get_memory_info", "keras", "peak", "plan", "predict", "report", "reset_memory_stats", "set_memory_growth",
           "set_memory_limit"]


# What is wanted by those alone who train comes when it is asked for.
_LATER = {"fit": "training", "evaluate": "training", "predict": "training", "plan": "planning",
          "find_batch_size": "planning", "report": "_report", "Report": "_report", "Plan": "_plan", "DoesNotFit": "_library",
          "Remedy": "_remedies", "LineReached": "_meter"}


def __getattr__(name: str) -> Any:
    if name == "keras":
        return importlib.import_module(".keras", __name__)
    if name in _LATER:
        return getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module 'snug' has no attribute {name!r}")


def __dir__() -> list:
    """What there is; `keras` once the user has imported Keras, as to look at it imports it."""
    return sorted({*globals(), *__all__} - (set() if "keras" in sys.modules else {"keras"}))
