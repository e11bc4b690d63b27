"""Calls callbacks and measures what they take.

Nobody's callback is called before its time.  What one takes is seen when it returns: the resident memory that stays, and
the most in between.  Whoever takes more than was planned is named in a warning.  Before the process would pass its line
the training is to end: what is left of the epoch and the end is told to those whose calls still fit.
"""
from __future__ import annotations

import gc
import warnings
from typing import Any, Dict, List, Optional, Set, Tuple

from . import _process
from ._limit import Limit
from ._elements import free_heap
from ._reserve import ROOM_OF_PYTHON, Needs
from ._session import Session
from ._size import Size, text

IN_HEAP = 1 << 20  # from here on it is worth a look
_ONCE = {"on_train_begin", "on_train_end"}

_At = Tuple[int, str]  # a callback and its hook


class LineReached(MemoryError):
    """The process was about to pass its line because of a callback.  The training ended; the model has the weights so far.

    `callback` is the one that took the most beyond what was planned for it, `taken` the bytes that it took, `resident` what the process held then.
    `left_out` has the calls that were not made any more, such as "ModelCheckpoint.on_epoch_end".
    """

    def __init__(self, message: str, callback: Any, taken: int, resident: int) -> None:
        super().__init__(message)
        self.callback, self.taken, self.resident = callback, taken, resident
        self.left_out: List[str] = []

    def __str__(self) -> str:
        left_out = f"; not called any more, as that would have passed it: {', '.join(self.left_out)}" if self.left_out else ""
        return super().__str__() + left_out


class Meter:
    """limit: where it tells of no bytes nobody is stopped.  `reached` is what the training is to end with."""

    def __init__(self, needs: Needs, callback_memory: Optional[Size], limit: Limit) -> None:
        self._needs, self._limit, self._line = needs, limit, limit.most
        self._warns = bool(self._line) or callback_memory is not None
        self._kept: Dict[int, int] = {}  # by callback: what stayed of all its calls
        self._end: Dict[int, int] = {}  # and what the process held after the last one
        self._seen: Dict[_At, Any] = {}  # those that were called
        self._moving: Dict[_At, int] = {}  # what the last call gave back
        self._rise: Dict[_At, int] = {}  # how far it went above what was before and after it
        self._growth: Dict[_At, Tuple[int, int]] = {}  # and what stayed of the last two
        self._over: Set[str] = set(_ONCE)  # hooks that will not be called again
        self._told: Dict[int, int] = {}
        self._pulled = 0  # what values of before take that someone holds
        self._last: Any = None  # the callback that was called last, of the user's if there is one
        self.reached: Optional[LineReached] = None
        self.tables = 0  # bytes of the line that are no resident memory

    # ---- calls ----

    def over(self, *hooks: str) -> None:
        """These hooks are called for the last time."""
        self._over.update(hooks)

    def call(self, callback: Any, hook: str, *values: Any) -> None:
        at = id(callback), hook
        if self.reached and not self._fits(callback, at):
            self.leave_out(callback, hook)
            return
        before = _process.begin_again()
        gone = max(self._end.get(at[0], 0) - before.anonymous, 0)
        try:
            getattr(callback, hook)(*values)
        finally:
            now = _figures_after(before)
            growth = now.anonymous - before.anonymous - gone
            self._seen[at] = callback
            self._kept[at[0]] = self._kept.get(at[0], 0) + growth
            self._moving[at] = now.highest - now.resident
            self._rise[at] = now.highest - max(now.resident, before.resident)
            # What a first call makes, the next one finds.
            self._growth[at] = self._growth.get(at, (0, 0))[1], growth
            self._end[at[0]] = now.anonymous
        self._last = callback if self._last is None or self._needs.is_own(callback) else self._last
        if self._warns:
            self._compare(at)
        if self._line and not self.reached:
            self._check_line(now.resident)

    def leave_out(self, callback: Any, hook: str) -> None:
        if self.reached:
            self.reached.left_out.append(f"{_name(callback)}.{hook}")

    def pull(self, session: Session) -> bool:
        """Bring to the model what training changed; False where that would pass the line.  Values of before that a callback
        holds stay beside the new ones."""
        before = _process.figures().anonymous
        done = session.pull(self._has_room if self._line else None)
        self._pulled += _process.figures().anonymous - before
        if not done and not self.reached:
            held = self._held()
            self._reach(self._last, f"{_name(self._last)} holds {text(held)} ({held} bytes) of what was in the model",
                        _process.figures().resident, held)
        return done

    # ---- what is there for them ----

    def _held(self) -> int:
        """By the user's callbacks, of values that were in the model; what is planned for Keras's is theirs."""
        return max(self._pulled - self._needs.spare(self._kept), 0)

    def _taken(self, at: _At) -> int:
        """What a callback, or all that share a reserve, hold, and what this one's call took for a moment."""
        kept = self._kept[at[0]]
        if self._needs.is_own_id(at[0]):
            kept = sum(size for key, size in self._kept.items() if self._needs.is_own_id(key)) + self._held()
        return max(kept, 0) + self._moving[at]

    def _collect(self, at: _At) -> None:
        """Let go what only waits for Python's collector, which is no callback's: it went with the last call's."""
        before = _process.fold().anonymous
        gc.collect()
        free_heap()
        now = _process.fold().anonymous
        self._kept[at[0]] -= max(before - now, 0)
        self._end[at[0]] = now

    def _compare(self, at: _At) -> None:
        callback = self._seen[at]
        most = max(self._needs.of(callback) + ROOM_OF_PYTHON, 2 * self._told.get(at[0], 0))
        if self._taken(at) > most:
            self._collect(at)
        taken = self._taken(at)
        if taken <= most:
            return
        self._told[at[0]] = taken
        warnings.warn(f"{_name(callback)}.{at[1]} took {text(taken)} ({taken} bytes), and "
                      f"{text(self._needs.of(callback))} were left for it; with callback_memory= it is planned",
                      RuntimeWarning, stacklevel=2)

    # ---- the line ----

    def _has_room(self, more: int) -> bool:
        """Whether the process may take so much more."""
        for free in (None, free_heap, gc.collect, free_heap):
            if free:
                free()
            if _process.figures().resident + more + self.tables <= self._line:
                return True
        return False

    def _fits(self, callback: Any, at: _At) -> bool:
        """Whether this call does: by what it took before, or else by what is planned for it."""
        if at in self._rise:
            more = self._rise[at] + max(min(self._growth[at]), 0)
        else:
            more = max(self._needs.of(callback) - self._kept.get(at[0], 0), 0) if not self._needs.is_own(callback) else 0
        return self._has_room(more)

    def _ahead(self) -> int:
        """What is still to come: the most that a call takes for a moment, and what stays until each was called once more."""
        coming = [at for at in self._growth if at[1] not in self._over]
        by_callback: Dict[int, int] = {}
        for at in coming:
            by_callback[at[0]] = by_callback.get(at[0], 0) + min(self._growth[at])
        stays = sum(max(size, 0) for size in by_callback.values())
        return max([self._needs.staging, *(self._rise[at] for at in coming)]) + stays + ROOM_OF_PYTHON

    def _check_line(self, resident: int) -> None:
        ahead = self._ahead()
        if resident + ahead + self.tables <= self._line or self._has_room(ahead):
            return
        at = max(self._seen, key=lambda at: (self._taken(at) - self._needs.of(self._seen[at]), self._kept[at[0]]))
        taken, callback = self._taken(at), self._seen[at]
        self._reach(callback, f"{_name(callback)}.{at[1]} took {text(taken)} ({taken} bytes)", resident, taken)

    def _reach(self, callback: Any, why: str, resident: int, taken: int) -> None:
        line = "its line" if self._limit.line else "what it may hold"
        self.reached = LineReached(
            f"the process holds {text(resident)} and is about to pass {line}, {text(self._line)}: {why}. The training ended, "
            "and the model has the weights so far; with callback_memory= what the callback needs is planned", callback, taken,
            resident)


def _figures_after(before: _process.Figures) -> _process.Figures:
    """Without what the call only left in the C library's heap."""
    now = _process.fold()
    if now.anonymous - before.anonymous < IN_HEAP:
        return now
    free_heap()
    return _process.fold()


def _name(callback: Any) -> str:
    return type(callback).__name__
