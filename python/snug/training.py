"""Train, evaluate and predict a live Keras model in libsnug."""
from __future__ import annotations

import warnings
from ctypes import byref, c_double, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _arguments as a
from . import _process
from . import _types as t
from ._arguments import Feed
from ._backup import Backup, backup_of, is_backup, seed_for
from ._callbacks import Bridge, Interrupts
from ._library import library, raise_for
from ._meter import Meter
from ._metrics import build_metrics
from ._plan import Plan, report_of
from ._record import FitRecord, Path, refuse_existing
from ._reserve import Needs
from ._session import Session
from ._size import Size
from ._stream import Stream
from .planning import refusal

# ---- fit ----


def fit(model: Any, x: Any = None, y: Any = None, batch_size: Optional[int] = None, epochs: int = 1,
        verbose: Union[str, int] = "auto", callbacks: Optional[Sequence[Any]] = None, *, memory: Optional[Size] = None,
        validation_split: float = 0.0, validation_data: Any = None, shuffle: bool = True,
        class_weight: Optional[Dict[int, float]] = None, sample_weight: Any = None, initial_epoch: int = 0,
        steps_per_epoch: Optional[int] = None, validation_steps: Optional[int] = None,
        validation_batch_size: Optional[int] = None, validation_freq: int = 1, allow_disk: bool = False,
        callback_memory: Optional[Size] = None, record: Optional[Path] = None, overwrite: bool = False,
        replan: bool = False) -> Any:
    """Train a Keras model in Snug as `model.fit` would, inside `memory` bytes.

    The model is functional or Sequential, and compiled.  When this returns it has the new weights and the state of the
    optimizer, and the result is its `History`, with `history.memory` (what was planned and measured, in bytes) and
    `history.plan` beside.  Arguments are those of `model.fit`, and:

        memory: the most that this whole process may hold, such as "2GiB": what the interpreter and the frameworks hold
            already counts.  If no plan stays under it, DoesNotFit (a MemoryError) says so before step 1, with the
            least that would do and other remedies.  "auto" or "70%": what the container or the machine leaves this process.
            Without it the plan is the one that nothing limits; where that is more than the container or the machine leaves,
            DoesNotFit says so too, above 90 % of it a RuntimeWarning.  "none": train without this check.
        allow_disk: values may wait in a file where the line asks for it.
        callback_memory: bytes that callbacks of your own may take, such as "64MiB".  Without it: one copy of all weights
            and 8 MiB, if there are such callbacks.  What those of Keras take is planned.  Each is measured when it is
            called: a RuntimeWarning names one that takes more, and before the process passes its line, or what it may hold
            where there is none, LineReached (a MemoryError) ends the training, with the weights so far in the model.
        record: a file for a recording, which `snug.report` shows, also if this process gets killed.
        overwrite: replace that file if it exists.  Otherwise FileExistsError says so before the first step.
        replan: a fit that goes on from its keras.callbacks.BackupAndRestore may have other arguments than it had, and another
            plan, and so other results.  Without it, what would change them is refused by its name (RuntimeError).

    x may be a NumPy array, a list or dict of them for several inputs, a generator of (x, y) batches, a
    keras.utils.PyDataset, a tf.data.Dataset (of batches or of samples) or a DataLoader of PyTorch; what is gone through
    from the start is gone through once before, to count its samples.  Arrays are read in place: they lie row by row, and
    are not copied.  Callbacks of Keras are called in its order.  Ctrl-C ends after the batch: KeyboardInterrupt, and the
    model has the weights so far.
    """
    if record is not None:
        refuse_existing(record, overwrite)
    given = a.callbacks_of(callbacks)
    with Session(model, memory, a.shapes(x), trains=True, seed=seed_for(given)) as session:
        feed = a.feed(session, x, y, sample_weight, shuffle=shuffle, batch_size=batch_size)
        held = a.validation(session, validation_data, validation_batch_size or batch_size)
        line = session.limit.line
        others = [callback for callback in given if not is_backup(callback)]
        resumes = len(others) < len(given)
        steps = a.steps_of(feed, batch_size, steps_per_epoch, 0.0 if held else validation_split)
        needs = Needs(session.live, others, callback_memory, epochs - initial_epoch, steps, resumes)
        options = a.fit_options(feed, held, needs, line=line, batch_size=batch_size, epochs=epochs,
                                initial_epoch=initial_epoch, steps_per_epoch=steps_per_epoch, shuffle=shuffle,
                                validation_split=validation_split, validation_steps=validation_steps,
                                validation_batch_size=validation_batch_size, validation_freq=validation_freq,
                                class_weight=class_weight, allow_disk=allow_disk, replan=replan)
        build_metrics(model, feed, session.outputs)
        meter = Meter(needs, callback_memory, session.limit)
        bridge = Bridge(session, meter, lambda steps: a.callback_list(model, callbacks, verbose, epochs, steps),
                        a.batches_of(feed, options), resumes)
        recorded = None if record is None else FitRecord(session, record, overwrite)
        with backup_of(session, given, bridge.interrupt) as backup, _process.peak() as whole:
            plan, report = _run(session, feed, held, options, bridge, meter, recorded, backup)
            session.pull()
            if bridge.reached:
                raise bridge.reached
            backup.trained()
        report["process_measured"] = max(report["process_measured"], whole.peak)
        history = model.history
        history.plan, history.memory = plan, {**report, **needs.as_dict()}
        return history


def _run(session: Session, feed: Feed, held: Optional[Feed], options: t.FitOptions, bridge: Bridge,
         meter: Meter, record: Optional[FitRecord], backup: Backup) -> Tuple[Any, Any]:
    keeper = _Keeper(session, options.batch_size, meter)
    options.planned = keeper.planned
    structs = [bridge.struct] + ([record.struct] if record else []) + backup.structs
    options.callbacks, options.n_callbacks = (t.Callback * len(structs))(*structs), len(structs)
    history = c_void_p()
    _process.fold()  # the library sets the kernel's mark back
    with Interrupts(bridge):
        status = library().snug_fit(session.pointer, byref(feed.struct), byref(options), byref(history))
    report = t.MemoryReport()
    library().snug_history_memory(history, byref(report))
    if record:
        record.close(_verdict(session, status, bridge), report)
    library().snug_history_destroy(history)
    if status == t.E_LIMIT and keeper.plan and not keeper.plan.fits and not bridge.has_begun:
        raise refusal(session, feed, held, options, keeper.plan, backup)
    if keeper.error is not None:
        raise keeper.error
    _raise_from(session, status, bridge, [feed, held])
    return keeper.plan, report_of(report)


def _verdict(session: Session, status: int, bridge: Bridge) -> str:
    if status == t.OK:
        epochs = len(session.keras_model.history.epoch)
        return f"trained {epochs} epoch{'s' if epochs != 1 else ''}"
    if bridge.interrupted:
        return "interrupted"
    why = bridge.error or library().snug_message(session.ctx.pointer).decode(errors="replace")
    return f"failed: {why}"


class _Keeper:
    """Keeps the plan that a fit shows, and warns of one that is close to what there is.  A warning may be an error."""

    def __init__(self, session: Session, batch_size: int, meter: Meter) -> None:
        self._session, self._batch_size, self._meter = session, batch_size, meter
        self.plan: Optional[Plan] = None
        self.error: Optional[BaseException] = None
        self.planned = t.PLANNED(self._keep)

    def _keep(self, user: Any, plan: int) -> bool:
        try:
            self.plan = Plan(c_void_p(plan), self._batch_size, self._session.limit)
            self._meter.tables = self.plan.memory["tables"]
            if self.plan.warning:
                warnings.warn(self.plan.warning, RuntimeWarning, stacklevel=4)
        except BaseException as error:
            self.error = error
        return self.error is None


def _raise_from(session: Session, status: int, bridge: Bridge, feeds: Sequence[Optional[Feed]]) -> None:
    """Raise what ended a fit; the model has the weights so far."""
    if status == t.OK:
        return
    error = bridge.error or next((f.error for f in feeds if isinstance(f, Stream) and f.error), None)
    message = library().snug_message(session.ctx.pointer).decode(errors="replace")
    if bridge.has_begun:
        if not bridge.has_ended:
            session.change()  # also by half a step
        session.pull()
    if error is not None:
        raise error
    if bridge.interrupted:
        raise KeyboardInterrupt
    raise_for(status, message)


# ---- evaluate and predict ----


def evaluate(model: Any, x: Any = None, y: Any = None, batch_size: Optional[int] = None, *, sample_weight: Any = None,
             return_dict: bool = False, memory: Optional[Size] = None) -> Any:
    """Loss and metrics over the data, as `model.evaluate` gives them.

    memory: the most that this whole process may hold, as fit takes it; without it, what the container or the machine
    leaves.  DoesNotFit (a MemoryError) before the first batch if it would need more; "none": without this check.
    """
    with Session(model, memory, a.shapes(x)) as session:
        session.judge_by_limit()
        feed = a.feed(session, x, y, sample_weight, batch_size=batch_size)
        names = library().snug_model_metrics(session.pointer)
        names = [names.names[i].decode() for i in range(names.n)]
        values = (c_double * len(names))()
        status = library().snug_evaluate(session.pointer, byref(feed.struct), a.batch_of(feed, batch_size), values, len(names))
        _check_feed(session, status, feed)
    found = dict(zip(names, values))
    if return_dict:
        return found
    in_order = [found[name] for name in _order_of_keras(model, names)]
    return in_order if len(in_order) > 1 else in_order[0]


def _order_of_keras(model: Any, names: Sequence[str]) -> List[str]:
    """The loss, metrics as they were given to compile, the losses of outputs, then the others sorted."""
    config = model.get_compile_config() or {}
    given = ["loss"]
    for metric in [*(config.get("metrics") or []), *(config.get("weighted_metrics") or [])]:
        if isinstance(metric, dict):
            metric = metric.get("config", {})
            metric = metric.get("name") if isinstance(metric, dict) else metric
        given += [metric] if isinstance(metric, str) else []
    given += [f"{output}_loss" for output in getattr(model, "output_names", [])]
    known = [name for name in dict.fromkeys(given) if name in names]
    return known + sorted(set(names) - set(known))


def predict(model: Any, x: Any, batch_size: Optional[int] = None, *, memory: Optional[Size] = None) -> Any:
    """The outputs of the model for the data, as `model.predict` gives them.  memory: as evaluate takes it."""
    with Session(model, memory, a.shapes(x), compiled=False) as session:
        feed = a.feed(session, x, None, None, labels=False, batch_size=batch_size)
        if feed.rows < 0:
            raise ValueError("predict: a generator does not tell how many samples it has; give a PyDataset or an array")
        names = session.outputs
        out = [session.output_like(i, feed.rows) for i in range(len(names))]
        session.judge_by_limit(beside=sum(array.nbytes for array in out))
        to = (c_void_p * len(out))(*[array.ctypes.data for array in out])
        status = library().snug_predict(session.pointer, byref(feed.struct), a.batch_of(feed, batch_size), to, len(out))
        _check_feed(session, status, feed)
        return _structured(session, out)


def _structured(session: Session, out: List[Any]) -> Any:
    """Outputs as the model was given them: one, a list, or a dict."""
    structure = getattr(session.keras_model, "_outputs_struct", None)
    if isinstance(structure, dict):
        by_key = dict(zip(session.outputs, out))
        return {key: by_key[key] for key in structure}
    return out if isinstance(structure, (list, tuple)) or len(out) > 1 else out[0]


def _check_feed(session: Session, status: int, feed: Feed) -> None:
    if status and isinstance(feed, Stream) and feed.error:
        raise feed.error
    session.check(status)
