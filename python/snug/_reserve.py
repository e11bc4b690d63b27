"""What callbacks may take: planned for Keras's own, reserved for those of the user, and measured at each call.

Nobody's callback is called before its time.  What one takes is seen when it returns: the resident memory that stays, and
the most in between.  Whoever takes more than was planned is named in a warning; before the process would pass its line
the training is stopped, and the model has its weights.
"""
from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Tuple

from . import _process
from ._live import Live, free_heap
from ._size import Size, parse, text

ROOM_OF_PYTHON = 1 << 20  # that the interpreter may come to take while the library trains
ROOM_OF_FILES = 6 << 20  # that HDF5 and zip take, whatever is written
GROWTH_OF_SAVES = 72 << 10  # each of TensorFlow's leaves so much

# Callbacks of Keras that neither read nor set weights.
_INDIFFERENT = {"History", "ProgbarLogger", "CSVLogger", "TerminateOnNaN", "LearningRateScheduler", "ReduceLROnPlateau",
                "MemoryMonitor", "RemoteMonitor"}


class LineReached(MemoryError):
    """The process was about to pass its line because of a callback.  The training ended; the model has the weights so far.

    `callback` is the one that was called last, `taken` the bytes that it took, `resident` what the process held then.
    """

    def __init__(self, message: str, callback: Any, taken: int, resident: int) -> None:
        super().__init__(message)
        self.callback, self.taken, self.resident = callback, taken, resident


def _is_of(callback: Any, name: str) -> bool:
    return type(callback).__name__ == name and type(callback).__module__.split(".")[0] in ("keras", "tf_keras", "snug")


def looks_at_model(callback: Any) -> bool:
    return not any(_is_of(callback, name) for name in _INDIFFERENT)


# ---- before the fit ----


class Needs:
    """Bytes that are planned for callbacks.  `own` is the reserve for those that are not Keras's.

    resumes: the model is given what a backup holds before the first epoch.
    """

    def __init__(self, live: Live, callbacks: List[Any], callback_memory: Optional[Size], epochs: int,
                 resumes: bool = False) -> None:
        self._sizes = [pair.bytes for pair in live.weights]
        self._all = [pair.bytes for pair in live.pairs]
        looks = [callback for callback in callbacks if looks_at_model(callback)]
        self._planned = {id(callback): self._of_keras(callback, epochs) for callback in looks}
        self.of_keras = sum(size for size in self._planned.values() if size is not None)
        self.own = self._reserve(callback_memory, None in self._planned.values())
        self.staging = live.staging
        self.during = ROOM_OF_PYTHON + self.of_keras + self.own + (self.staging if looks or resumes else 0)
        self.after = ROOM_OF_PYTHON + self.of_keras + self.own + self.staging

    def is_own(self, callback: Any) -> bool:
        """Whether a callback is one that nobody but the user knows."""
        return self.is_own_id(id(callback))

    def is_own_id(self, key: int) -> bool:
        return self._planned.get(key) is None

    def of(self, callback: Any) -> int:
        """What is there for a callback; all that are not Keras's share theirs."""
        planned = self._planned.get(id(callback))
        return self.own if planned is None else planned

    def _reserve(self, callback_memory: Optional[Size], has_own: bool) -> int:
        if callback_memory is None:
            return self._copy(1) + (8 << 20) if has_own else 0
        return 0 if callback_memory == 0 else parse(callback_memory, "callback_memory")

    def as_dict(self) -> Dict[str, int]:
        return {"keras_callbacks": self.of_keras, "callback_memory": self.own, "staging": self.staging}

    def _copy(self, copies: int) -> int:
        """Copies of all weights as arrays, with what making one takes."""
        return copies * sum(self._sizes) + 2 * max(self._sizes, default=0)

    def _of_keras(self, callback: Any, epochs: int) -> Optional[int]:
        """What a callback of Keras's will take; None: nobody knows."""
        if _is_of(callback, "EarlyStopping"):
            return self._copy(3) if callback.restore_best_weights else 0  # of before, of now, and on their way back
        if _is_of(callback, "SwapEMAWeights"):
            return self._copy(1)
        if _is_of(callback, "ModelCheckpoint"):
            return self._save(callback) + epochs * GROWTH_OF_SAVES
        return None

    def _save(self, callback: Any) -> int:
        """Weights go to the disk one by one; a whole model is first put together in memory."""
        one = 7 * max(self._all, default=0) // 2 + ROOM_OF_FILES
        if callback.save_weights_only and str(callback.filepath).endswith(".weights.h5"):
            return one
        return one + 9 * sum(self._all) // 8


# ---- while it runs ----


class Meter:
    """Calls callbacks and measures them.  Without a line nobody is stopped."""

    def __init__(self, needs: Needs, callback_memory: Optional[Size], line: int) -> None:
        self._needs, self._line = needs, line
        self._warns = bool(line) or callback_memory is not None
        self._kept: Dict[int, int] = {}  # by callback: what stayed of all its calls
        self._moving: Dict[Tuple[int, str], int] = {}  # by callback and hook: what its last call gave back
        self._growth: Dict[Tuple[int, str], int] = {}  # and what stayed of it
        self._end: Dict[Tuple[int, str], int] = {}  # and what the process held then
        self._told: Dict[int, int] = {}
        self.tables = 0  # bytes of the line that are no resident memory

    def call(self, callback: Any, hook: str, *values: Any) -> None:
        at = id(callback), hook
        before = _process.begin_again().anonymous
        # What a call left in the C library's heap may have gone back to the system since.
        self._kept[at[0]] = self._kept.get(at[0], 0) - max(self._end.get(at, before) - before, 0)
        try:
            getattr(callback, hook)(*values)
        finally:
            now = _process.fold()
            self._kept[at[0]] += now.anonymous - before
            self._moving[at] = now.highest - now.resident
            self._end[at] = now.anonymous
        if self._warns:
            self._compare(callback, hook)
        if self._line:
            # What a first call makes, the next one finds.
            growth = max(min(now.anonymous - before, self._growth.get(at, 0)), 0)
            self._growth[at] = now.anonymous - before
            self._check_line(callback, hook, now.resident, growth)

    def _taken(self, callback: Any, hook: str) -> int:
        """What a callback, or all that share a reserve, hold, and what this one's call took for a moment."""
        kept = self._kept[id(callback)]
        if self._needs.is_own(callback):
            kept = sum(size for key, size in self._kept.items() if self._needs.is_own_id(key))
        return max(kept, 0) + self._moving[id(callback), hook]

    def _compare(self, callback: Any, hook: str) -> None:
        most = max(self._needs.of(callback) + ROOM_OF_PYTHON, 2 * self._told.get(id(callback), 0))
        taken = self._taken(callback, hook)
        if taken <= most:
            return
        self._told[id(callback)] = taken
        warnings.warn(f"{type(callback).__name__}.{hook} took {text(taken)} ({taken} bytes), and "
                      f"{text(self._needs.of(callback))} were left for it; with callback_memory= it is planned",
                      RuntimeWarning, stacklevel=2)

    def _check_line(self, callback: Any, hook: str, resident: int, growth: int) -> None:
        ahead = max([self._needs.staging, *self._moving.values()]) + growth + self.tables
        if resident + ahead <= self._line:
            return
        free_heap()
        resident = _process.fold().resident
        if resident + ahead > self._line:
            taken = self._taken(callback, hook)
            raise LineReached(
                f"the process holds {text(resident)} and is about to pass its line, {text(self._line)}: "
                f"{type(callback).__name__}.{hook} took {text(taken)} ({taken} bytes). The training ended, and the model has the "
                "weights so far; give a larger memory=, and with callback_memory= what the callback needs is planned",
                callback, taken, resident)
