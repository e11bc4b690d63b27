"""Snug: train inside a stated number of bytes, and see what a training holds.

    import snug
    with snug.peak() as p: ...                      the peak of this process over a piece of code
    snug.get_memory_info("cpu")                     {'current': ..., 'peak': ...}
    snug.keras.MemoryMonitor()                      a callback for keras.Model.fit, on any back end

NumPy is all it needs.  Keras, TensorFlow, JAX and PyTorch are never imported before the user does, or asks for
`snug.keras`.
"""
from __future__ import annotations

import importlib
from typing import Any

from ._process import Peak, peak
from .memory import get_memory_info, reset_memory_stats, set_memory_growth, set_memory_limit

__version__ = "0.1.0"
__all__ = ["Peak", "get_memory_info", "keras", "peak", "reset_memory_stats", "set_memory_growth", "set_memory_limit"]


def __getattr__(name: str) -> Any:
    """What needs more than NumPy comes when it is asked for."""
    if name == "keras":
        return importlib.import_module(".keras", __name__)
    raise AttributeError(f"module 'snug' has no attribute {name!r}")
