"""Keras's callbacks, called by the library's loop in the order of Keras's.

Before they look at the model it has the weights of the library; what they change (weights, the learning rate,
stop_training) goes back.  What Python raises ends the fit and is raised again when the library has returned.
"""
from __future__ import annotations

import signal
import threading
from ctypes import c_int, pointer
from typing import Any, Callable, Dict, List, Optional

from . import _types as t
from ._backup import is_backup
from ._library import library
from ._meter import LineReached, Meter
from ._reserve import is_measured, looks_now
from ._session import Session


# What Keras's base class calls from a hook for batches.
_OLDER_NAMES = {"on_train_batch_begin": "on_batch_begin", "on_train_batch_end": "on_batch_end"}
_BY_BATCH = [*_OLDER_NAMES, "on_test_batch_begin", "on_test_batch_end"]
_HOOKS = ["on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_test_begin", "on_test_end", *_BY_BATCH]


def _has_hook(callback: Any, *names: str) -> bool:
    import keras

    base = keras.callbacks.Callback  # a hook may also be set on the object, as LambdaCallback does
    return any(getattr(getattr(callback, name), "__func__", None) is not getattr(base, name) for name in names)


class _Listeners:
    """The callbacks of a fit, called one after the other; what may take much is measured."""

    def __init__(self, callbacks: List[Any], meter: Meter) -> None:
        self._meter = meter
        self._of = {hook: [callback for callback in callbacks if _has_hook(callback, hook, _OLDER_NAMES.get(hook, hook))]
                    for hook in _HOOKS}

    def looks(self, hook: str, *values: Any) -> bool:
        """Whether one of them looks at the model in this call."""
        return any(looks_now(callback, hook, *values) for callback in self._of[hook])

    def tell(self, hook: str, *values: Any, is_there: bool) -> None:
        """is_there: the model is as those who look at it expect; otherwise they are left out."""
        for callback in self._of[hook]:
            if not is_measured(callback):
                getattr(callback, hook)(*values)
            elif is_there or not looks_now(callback, hook, *values):
                self._meter.call(callback, hook, *values)
            else:
                self._meter.leave_out(callback, hook)


class Bridge:
    """The callback through which the library's loop calls those of Python.  `struct` is the library's; `error` what was
    raised; `interrupt` not 0 once the fit is to end after its batch.  resumes: a backup may change the model first."""

    def __init__(self, session: Session, meter: Meter, make_list: Callable[[int], Any], batches: int,
                 resumes: bool) -> None:
        self._session, self._model = session, session.keras_model
        self._meter, self._make_list = meter, make_list
        self._listeners: Any = None
        self._epochs = self._steps = self._test_steps = 0
        self._is_last = False  # this epoch is the last one
        self._logs: Dict[str, float] = {}  # of the epoch before
        self._batches, self._at = batches, 0  # of a pass over the data (0: nobody knows), and those of this pass that came
        self.error: Optional[BaseException] = None
        self.interrupt = c_int(0)
        self._resumes = resumes
        self._is_cut = False  # the line ends the fit before its time
        self.has_ended = False  # callbacks were told so; what they then changed stays
        self._failure = c_int(t.OK)
        hooks = {"train_begin": t.TRAIN_BEGIN(self._hook(self._train_begin)),
                 "epoch_begin": t.COUNT(self._hook(self._epoch_begin)),
                 "batch_end": t.COUNT_LOGS(self._hook(self._batch_end, ends=True)),
                 "test_begin": t.COUNT(self._hook(self._test_begin)),
                 "test_batch_end": t.COUNT_LOGS(self._hook(self._test_batch_end)),
                 "test_end": t.LOGS(self._hook(self._test_end)),
                 "epoch_end": t.COUNT_LOGS(self._hook(self._epoch_end)),
                 "train_end": t.LOGS(self._hook(self._train_end))}
        self.struct = t.Callback(failure=pointer(self._failure), **hooks)

    @property
    def has_begun(self) -> bool:
        return self._listeners is not None

    @property
    def interrupted(self) -> bool:
        return self.interrupt.value != 0

    @property
    def reached(self) -> Optional[LineReached]:
        """Why the fit is not whole, if the line ended it."""
        at = self._meter.reached
        return at if at is not None and (self._is_cut or at.left_out) else None

    def _hook(self, call: Callable[..., None], ends: bool = False) -> Callable[..., bool]:
        """ends: a batch, which a backup keeps before an interrupted fit ends with the hook that comes next."""

        def guarded(user: Any, *values: Any) -> bool:
            if self.interrupted and not ends and not self._meter.reached:
                self._failure.value = t.E_STOPPED
                return False
            try:
                call(*values)
            except BaseException as error:
                self.error = error
                self._failure.value = t.E_STOPPED
                return False
            return not (self._model.stop_training or (ends and self.interrupted))

        return guarded

    def _tell(self, hook: str, *values: Any, by_batch: bool = False) -> None:
        """Call the callbacks; the model is what training made of it, and what they change counts."""
        looks = self._listeners.looks(hook, *values)
        is_there = not looks or self._meter.pull(self._session)
        self._listeners.tell(hook, *values, is_there=is_there)
        if looks and is_there:
            self._session.push_changes()
        if looks or not by_batch:
            self._take_rate()
        if self._meter.reached:
            self.interrupt.value = 1  # for the backup

    # ---- hooks, in the order of a fit ----

    def _train_begin(self, epochs: int, steps: int) -> None:
        self._epochs, self._steps = epochs, steps
        self._model.stop_training = False
        callbacks = [callback for callback in self._make_list(steps).callbacks if not is_backup(callback)]
        self._listeners = _Listeners(callbacks, self._meter)
        self._tell("on_train_begin", {})

    def _epoch_begin(self, epoch: int) -> None:
        self._at = self._at if self._at < self._batches else 0  # an epoch of few steps goes on in the pass before
        if self._resumes:
            self._session.resume()
            self._resumes = False
        self._end_at_the_line()
        self._is_last = epoch + 1 >= self._epochs
        if self._is_last:
            self._meter.over("on_epoch_begin")
        self._tell("on_epoch_begin", epoch, {})
        self._tell("on_train_batch_begin", 0, {}, by_batch=True)
        self._end_at_the_line()

    def _batch_end(self, batch: int, logs: Any) -> None:
        self._session.count_step()
        self._at += 1
        is_last = batch + 1 >= self._steps or self._at == self._batches
        if is_last and self._is_last:
            self._meter.over("on_train_batch_begin", "on_train_batch_end")
        self._tell("on_train_batch_end", batch, logs[0].as_dict(), by_batch=True)
        if not is_last and not self._model.stop_training and not self._meter.reached:
            self._tell("on_train_batch_begin", batch + 1, {}, by_batch=True)
        self._is_cut = self._meter.reached is not None and not (is_last and self._is_last)

    def _test_begin(self, steps: int) -> None:
        self._test_steps = steps
        self._tell("on_test_begin", {})
        self._tell("on_test_batch_begin", 0, {}, by_batch=True)

    def _test_batch_end(self, batch: int, logs: Any) -> None:
        self._tell("on_test_batch_end", batch, logs[0].as_dict(), by_batch=True)
        if batch + 1 < self._test_steps:
            self._tell("on_test_batch_begin", batch + 1, {}, by_batch=True)

    def _test_end(self, logs: Any) -> None:
        self._tell("on_test_end", logs[0].as_dict())

    def _epoch_end(self, epoch: int, logs: Any) -> None:
        if self._is_last:
            self._meter.over(*_HOOKS)
        self._logs = _without_nan(logs[0].as_dict())
        self._tell("on_epoch_end", epoch, self._logs)

    def _train_end(self, logs: Any) -> None:
        self._session.change()  # averages take the place of the weights
        self._end(_without_nan(logs[0].as_dict()))

    def _end(self, logs: Dict[str, float]) -> None:
        self.has_ended = self._meter.pull(self._session)
        self._listeners.tell("on_train_end", logs, is_there=self.has_ended)

    def _end_at_the_line(self) -> None:
        """The epoch before is whole, and kept; no other one begins."""
        if self._meter.reached:
            self._is_cut = True
            self._end(self._logs)
            raise self._meter.reached

    def _take_rate(self) -> None:
        rate = _rate_of(self._model.optimizer)
        pointer_ = self._session.pointer
        if rate is not None and rate != library().snug_model_learning_rate(pointer_):
            self._session.check(library().snug_model_set_learning_rate(pointer_, rate))


def _without_nan(logs: Dict[str, float]) -> Dict[str, float]:
    """Epochs without validation have no values of it in Keras."""
    return {name: value for name, value in logs.items() if value == value or not name.startswith("val_")}


def _rate_of(optimizer: Any) -> Optional[float]:
    """The learning rate as a number; None where a schedule rules it."""
    import keras

    if isinstance(getattr(optimizer, "_learning_rate", None), keras.optimizers.schedules.LearningRateSchedule):
        return None
    return float(keras.ops.convert_to_numpy(optimizer.learning_rate))


class Interrupts:
    """Ctrl-C while the library computes: the batch ends, then the fit.  A second one is Python's own again."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._before: Any = None

    def _note(self, number: int, frame: Any) -> None:
        self._bridge.interrupt.value = number
        signal.signal(signal.SIGINT, self._before)

    def __enter__(self) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
