"""Memory questions under the names that people know from TensorFlow."""
from __future__ import annotations

import threading
from typing import Dict, Optional

from . import _gpus, _process
from ._size import Size, parse


def get_memory_info(device: str = "cpu") -> Dict[str, int]:
    """Current and peak bytes of a device: {'current': ..., 'peak': ...}.

    Of 'cpu': the resident memory of this process, and the most since it began or since reset_memory_stats.
    Of 'GPU:0': the allocator of the framework that is imported (TensorFlow, PyTorch, JAX).  ValueError: there
    is no such device; the message names those that there are.
    """
    if _gpus.canonical(device) != "cpu":
        return _gpus.find(device).read()
    now = _process.fold()
    return {"current": now.resident, "peak": _process.whole().peak}


def reset_memory_stats(device: str = "cpu") -> None:
    """Set the peak of a device back to what is in use now.  Open snug.peak() scopes keep theirs.

    NotImplementedError: JAX cannot do that for a GPU.
    """
    if _gpus.canonical(device) == "cpu":
        _process.reset_whole()
        return
    reset = _gpus.find(device).reset
    if reset is None:
        raise NotImplementedError(f"JAX cannot set back the peak of {device}: it counts from the process's start")
    reset()


# ---- what Snug itself may hold ----


class _Settings:
    """What every training of this package is made with; fixed while one runs."""

    def __init__(self) -> None:
        self.limit: Optional[int] = None
        self.growth = True
        self.running = 0
        self.lock = threading.Lock()

    def check_idle(self, what: str) -> None:
        if self.running:
            raise RuntimeError(f"{what} comes too late: a training runs; call it before or after, nothing was changed")


settings = _Settings()


def _check_own(device: str) -> None:
    if _gpus.canonical(device) != "cpu":
        raise ValueError(f"Snug does not compute on {device}: the memory that it takes is that of 'cpu'")


def set_memory_limit(device: str = "cpu", limit: Optional[Size] = None) -> None:
    """Limit the bytes that Snug itself may hold in this process at one time; None: no limit.

    It holds for every later call of fit, evaluate, predict and plan.  The `memory` of fit is another thing: the
    line for the whole process.  RuntimeError while a training runs.
    """
    _check_own(device)
    value = None if limit is None else parse(limit, "limit")
    with settings.lock:
        settings.check_idle("set_memory_limit")
        if value is None and not settings.growth:
            raise ValueError("without a limit memory can only grow: call set_memory_growth('cpu', True) first")
        settings.limit = value


def set_memory_growth(device: str = "cpu", enable: bool = True) -> None:
    """Take memory as it is needed (True, as it is from the start), or most of the limit, seven eighths, at once (False).

    ValueError without a limit, which says how much that is.  RuntimeError while a training runs.
    """
    _check_own(device)
    with settings.lock:
        settings.check_idle("set_memory_growth")
        if not enable and settings.limit is None:
            raise ValueError("memory is taken ahead up to a limit: call set_memory_limit('cpu', bytes) first")
        settings.growth = bool(enable)
