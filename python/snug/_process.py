"""What this process holds, as the kernel counts it, and peaks that nest.

The kernel keeps one high-water mark per process.  Whoever sets it back takes it from everyone else, so all who
want a peak stand in one list: before the mark is set back, each of them is told what it was.
"""
from __future__ import annotations

import os
import threading
from typing import List, NamedTuple, Optional

from ._size import table, text

_STATUS = "/proc/self/status"
_CLEAR = "/proc/self/clear_refs"


class Figures(NamedTuple):
    """Bytes: resident now, the most since the mark was last set back, and what of it is no page of a file, which the
    system takes and brings back as it likes."""

    resident: int
    highest: int
    anonymous: int


def figures() -> Figures:
    """Read the kernel's figures; OSError where it does not tell them."""
    found = {}
    with open(_STATUS, "rb") as status:
        for line in status:
            name, _, value = line.partition(b":")
            if name in (b"VmRSS", b"VmHWM", b"RssAnon"):
                found[name] = int(value.split()[0]) * 1024
    if not {b"VmRSS", b"VmHWM"} <= set(found):
        raise OSError(f"{_STATUS} tells no VmRSS and VmHWM: the memory of this process is not known")
    resident = found[b"VmRSS"]
    return Figures(resident, max(found[b"VmHWM"], resident), found.get(b"RssAnon", resident))


def _set_back() -> bool:
    """Set the mark to what is resident now; False where the system does not let us."""
    try:
        descriptor = os.open(_CLEAR, os.O_WRONLY)
    except OSError:
        return False
    try:
        os.write(descriptor, b"5")
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def begin_again() -> Figures:
    """Tell everyone what the mark is, and set it back, so that it tells of what comes next alone."""
    with _lock:
        now = fold()
        _set_back()
        return now


class Peak:
    """The resident memory of the process over a piece of code, in bytes.

    `start` and `end` are what was resident at the borders (`end` is None while the scope is open), `peak` is the most
    in between.  `exact` is False where the kernel's mark could not be set back and did not rise either: then `peak`
    is the most that was seen, and the truth may be higher.
    """

    def __init__(self) -> None:
        self.start = 0
        self.end: Optional[int] = None
        self._highest = 0
        self._below = 0  # a mark up to here is older than the scope
        self._exact = True

    @property
    def peak(self) -> int:
        if self in _open:
            fold()
        return self._highest

    @property
    def exact(self) -> bool:
        return self._exact

    def _begin(self, now: Figures, was_set_back: bool) -> None:
        self.start = self._highest = now.resident
        self._below = 0 if was_set_back else now.highest
        self._exact = was_set_back
        self.end = None

    def _see(self, now: Figures) -> None:
        rose = now.highest > self._below
        self._exact = self._exact or rose
        self._highest = max(self._highest, now.highest if rose else now.resident)

    def __enter__(self) -> "Peak":
        with _lock:
            fold()
            was_set_back = _set_back()
            self._begin(figures(), was_set_back)
            _open.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        with _lock:
            now = fold()
            _open[:] = [scope for scope in _open if scope is not self]
            self.end = now.resident

    def __repr__(self) -> str:
        end = "open" if self.end is None else f"end={self.end}"
        return f"Peak(start={self.start}, {end}, peak={self.peak})"

    def _repr_html_(self) -> str:
        rows = [("before", text(self.start)), ("at the most", text(self.peak))]
        return table("Resident memory of the process", rows + ([] if self.end is None else [("after", text(self.end))]))


_lock = threading.RLock()
_open: List[Peak] = []


def fold() -> Figures:
    """Tell every open scope what the mark is now: to be called before anyone sets it back."""
    with _lock:
        now = figures()
        for scope in _open:
            scope._see(now)
        return now


def _since_the_start() -> Peak:
    scope = Peak()
    try:
        now = figures()
    except OSError:  # asked for later, and refused there
        return scope
    scope._begin(now, True)
    scope._see(now)
    _open.append(scope)
    return scope


# Since the process began, or since reset_memory_stats.
_whole = _since_the_start()


def whole() -> Peak:
    return _whole


def reset_whole() -> None:
    """Let the peak of the process count from now; open scopes keep theirs."""
    with _lock:
        fold()
        was_set_back = _set_back()
        _whole._begin(figures(), was_set_back)


def peak() -> Peak:
    """Measure the peak of the process's resident memory over a `with` block; blocks nest.

    >>> with snug.peak() as all_of_it:
    ...     with snug.peak() as one:
    ...         model.fit(x, y)
    >>> one.start, one.peak, one.end
    """
    return Peak()
