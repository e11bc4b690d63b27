"""The GPUs of the framework that is loaded, through its own allocator.

Nothing is imported here: a framework that the user has not imported has no memory either.  On a machine without
a GPU there is none, and nothing takes its place.
"""
from __future__ import annotations

import re
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional


class Gpu(NamedTuple):
    """One device.  read() gives its allocator's {'current', 'peak'} in bytes; reset() lets the peak count from
    now, and is None where the framework has no such thing: its peak counts from the start of the process."""

    name: str
    read: Callable[[], Dict[str, int]]
    reset: Optional[Callable[[], None]]


def _tensorflow(tf: Any) -> List[Gpu]:
    memory = tf.config.experimental

    def one(name: str) -> Gpu:
        def read() -> Dict[str, int]:
            info = memory.get_memory_info(name)
            return {"current": int(info["current"]), "peak": int(info["peak"])}

        return Gpu(name, read, lambda: memory.reset_memory_stats(name))

    return [one(f"GPU:{i}") for i in range(len(tf.config.list_logical_devices("GPU")))]


def _torch(torch: Any) -> List[Gpu]:
    def one(i: int) -> Gpu:
        def read() -> Dict[str, int]:
            return {"current": int(torch.cuda.memory_allocated(i)), "peak": int(torch.cuda.max_memory_allocated(i))}

        return Gpu(f"GPU:{i}", read, lambda: torch.cuda.reset_peak_memory_stats(i))

    return [one(i) for i in range(torch.cuda.device_count() if torch.cuda.is_available() else 0)]


def _jax(jax: Any) -> List[Gpu]:
    def one(i: int, device: Any) -> Gpu:
        def read() -> Dict[str, int]:
            stats = device.memory_stats()
            return {"current": int(stats["bytes_in_use"]), "peak": int(stats["peak_bytes_in_use"])}

        return Gpu(f"GPU:{i}", read, None)

    devices = [d for d in jax.local_devices() if d.platform in ("gpu", "cuda", "rocm")]
    return [one(i, d) for i, d in enumerate(devices) if d.memory_stats()]


_FRAMEWORKS = {"tensorflow": _tensorflow, "torch": _torch, "jax": _jax}


def of(framework: str) -> List[Gpu]:
    """The GPUs of 'tensorflow', 'torch' or 'jax'; none if it is not loaded or has none."""
    module = sys.modules.get(framework)
    return _FRAMEWORKS[framework](module) if module is not None and framework in _FRAMEWORKS else []


def of_loaded() -> List[Gpu]:
    """Those of the first framework that is loaded and has any."""
    for framework in _FRAMEWORKS:
        found = of(framework)
        if found:
            return found
    return []


def canonical(device: str) -> str:
    """'cpu', or 'GPU:1' for '/GPU:1', 'gpu:1', 'cuda:1', '/physical_device:GPU:1', 'GPU'."""
    if not isinstance(device, str):
        raise TypeError(f"a device is named by a text such as 'cpu' or 'GPU:0', not by {device!r}")
    match = re.fullmatch(r"(?:.*[/:])?(cpu|host|gpu|cuda)(?::(\d+))?", device.strip().lower())
    if not match:
        raise ValueError(f"there is no device {device!r}; devices are called 'cpu', 'GPU:0', 'GPU:1', ...")
    return "cpu" if match[1] in ("cpu", "host") else f"GPU:{int(match[2] or 0)}"


def find(device: str, among: Optional[List[Gpu]] = None) -> Gpu:
    """The GPU of a name; ValueError names those that there are."""
    there = of_loaded() if among is None else among
    for gpu in there:
        if gpu.name == canonical(device):
            return gpu
    names = ", ".join(["cpu"] + [gpu.name for gpu in there])
    loaded = [name for name in _FRAMEWORKS if name in sys.modules]
    why = f"of {', '.join(loaded)}" if loaded else "as neither tensorflow, torch nor jax is imported"
    raise ValueError(f"there is no device {device!r}: the devices are {names} ({why})")
