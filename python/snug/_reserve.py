"""What callbacks may take: planned for Keras's own, reserved for those of the user."""
from __future__ import annotations

import copy
from typing import Any, Dict, List, Optional

from ._live import Live
from ._size import Size, parse

ROOM_OF_PYTHON = 1 << 20  # that the interpreter may come to take while the library trains
ROOM_OF_FILES = 6 << 20  # that HDF5 and zip take, whatever is written
GROWTH_OF_SAVES = 72 << 10  # each leaves so much on TensorFlow

# Callbacks of Keras that neither read nor set weights; and the one among them that calls a function of the user's.
_INDIFFERENT = {"History", "ProgbarLogger", "CSVLogger", "TerminateOnNaN", "LearningRateScheduler", "ReduceLROnPlateau",
                "MemoryMonitor", "RemoteMonitor"}
_CALLS_OTHERS = "LearningRateScheduler"


def _is_of(callback: Any, name: str) -> bool:
    return type(callback).__name__ == name and type(callback).__module__.split(".")[0] in ("keras", "tf_keras", "snug")


def looks_at_model(callback: Any) -> bool:
    return not any(_is_of(callback, name) for name in _INDIFFERENT)


def looks_now(callback: Any, hook: str, *values: Any) -> bool:
    """Whether this call does; between its saves a checkpoint only counts the batches."""
    if hook == "on_train_batch_end" and _is_of(callback, "ModelCheckpoint"):
        return copy.copy(callback)._should_save_on_batch(values[0])
    return looks_at_model(callback)


def is_measured(callback: Any) -> bool:
    return looks_at_model(callback) or _is_of(callback, _CALLS_OTHERS)


# ---- before the fit ----


class Needs:
    """Bytes that are planned for callbacks.  `own` is the reserve for those that are not Keras's.

    steps: of an epoch.  resumes: the model is given what a backup holds before the first epoch.
    """

    def __init__(self, live: Live, callbacks: List[Any], callback_memory: Optional[Size], epochs: int, steps: int = 0,
                 resumes: bool = False) -> None:
        self._epochs, self._steps, self._saves_grow = epochs, steps, live.saves_grow
        self._sizes = [pair.bytes for pair in live.weights]
        self._all = [pair.bytes for pair in live.pairs]
        looks = [callback for callback in callbacks if looks_at_model(callback)]
        self._planned = {id(callback): self._of_keras(callback) for callback in looks}
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

    def spare(self, kept: Dict[int, int]) -> int:
        """What is planned for Keras's and they do not hold; kept: what each holds."""
        return sum(max((size or 0) - kept.get(key, 0), 0) for key, size in self._planned.items())

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

    def _of_keras(self, callback: Any) -> Optional[int]:
        """What a callback of Keras's will take; None: nobody knows."""
        if _is_of(callback, "EarlyStopping"):
            return self._copy(3) if callback.restore_best_weights else 0  # of before, of now, and on their way back
        if _is_of(callback, "SwapEMAWeights"):
            return self._copy(1)
        if _is_of(callback, "ModelCheckpoint"):
            saves = self._saves(callback)
            return self._save(callback) + (saves * GROWTH_OF_SAVES if self._saves_grow else 0) if saves else 0
        return None

    def _saves(self, callback: Any) -> int:
        """How many there may be: only the training tells which are the best."""
        return self._epochs if callback.save_freq == "epoch" else self._epochs * self._steps // callback.save_freq

    def _save(self, callback: Any) -> int:
        """Weights go to the disk one by one; a whole model is first put together in memory."""
        one = 7 * max(self._all, default=0) // 2 + ROOM_OF_FILES
        if callback.save_weights_only and str(callback.filepath).endswith(".weights.h5"):
            return one
        return one + 9 * sum(self._all) // 8
