"""What a training of a live Keras model would hold, without training it."""
from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Dict, Optional, Sequence

from . import _arguments as a
from . import _types as t
from ._arguments import Feed
from ._backup import Backup, backup_of, is_backup, seed_for
from ._library import DoesNotFit, library
from ._metrics import build_metrics
from ._plan import Plan
from ._remedies import does_not_fit, largest_batch, other_line, other_plan, smaller_needs
from ._reserve import Needs
from ._session import Session
from ._size import Size
from ._stream import Stream


def plan(model: Any, x: Any = None, y: Any = None, batch_size: Optional[int] = None, *, memory: Optional[Size] = None,
         samples: Optional[int] = None, validation_split: float = 0.0, allow_disk: bool = False, epochs: int = 1,
         callbacks: Optional[Sequence[Any]] = None, callback_memory: Optional[Size] = None) -> Plan:
    """What a training would hold, without training: print it.

    Without x, for so many `samples` (one batch) of the shapes that the model takes, whose own bytes are not counted.
    A line that nothing fits under is no error here: `plan.fits` is False.  Without one the plan is judged by what this
    process may hold, and with memory="none" by nothing.  epochs, callbacks and callback_memory as `fit`
    will be given them: what callbacks take is planned, none is called.  It is the plan of a training from its start, also where
    a BackupAndRestore has something to go on from.
    """
    given = a.callbacks_of(callbacks)
    with Session(model, memory, a.shapes(x), trains=True, seed=seed_for(given)) as session:
        feed = None if x is None else a.feed(session, x, y, None, batch_size=batch_size)
        others = [callback for callback in given if not is_backup(callback)]
        build_metrics(model, feed, session.outputs)
        steps = -(-(samples or 1) // (batch_size or 32)) if feed is None else a.steps_of(feed, batch_size, None, validation_split)
        needs = Needs(session.live, others, callback_memory, epochs, steps, len(others) < len(given))
        options = _options(feed, needs, batch_size, session.limit.line, allow_disk)
        options.validation_split, options.replan = validation_split, True
        with backup_of(session, given) as backup:
            _set_callbacks(options, backup.structs)
            return made(session, feed, options, samples)


def find_batch_size(model: Any, *, memory: Optional[Size] = None, samples: Optional[int] = None, allow_disk: bool = False) -> int:
    """The largest batch that trains whole, not in pieces, inside `memory`, or inside what this process may hold; found by
    planning, nothing is run.

    samples: how many there are to train on, which no batch exceeds.  DoesNotFit: not even a batch of one fits.
    """
    with Session(model, memory, trains=True) as session:
        line = session.limit.most
        if not line:
            raise ValueError("memory is 'none': a largest batch needs a limit")
        needs = Needs(session.live, [], None, 1)

        def at(batch: int) -> Plan:
            options = _options(None, needs, batch, line, allow_disk)
            options.micro_batch = batch
            return made(session, None, options)

        largest = largest_batch(at, None, samples or 1 << 24)
        if largest is None:
            least = at(1)
            raise does_not_fit(least, other_line(least, session.limit.room))
        return largest.batch_size


_SHOWN = t.PLANNED(lambda user, plan: True)  # a fit shows its plan, and counts what that takes


def _options(feed: Optional[Feed], needs: Needs, batch_size: Optional[int], line: int, allow_disk: bool) -> t.FitOptions:
    options = t.FitOptions(batch_size=a.batch_of(feed, batch_size), epochs=1, memory=line, caller_memory=needs.during,
                           caller_memory_after=needs.after, planned=_SHOWN)
    options.allow_disk, options.beside = allow_disk, True
    return options


def _set_callbacks(options: t.FitOptions, structs: Sequence[t.Callback]) -> None:
    options.callbacks, options.n_callbacks = (t.Callback * len(structs))(*structs), len(structs)


def made(session: Session, feed: Optional[Feed], options: t.FitOptions, samples: Optional[int] = None) -> Plan:
    """The plan of a fit with these options; without a feed, on so many samples."""
    pointer = c_void_p()
    if feed is None:
        status = library().snug_plan_samples(session.pointer, samples or options.batch_size, byref(options), byref(pointer))
    else:
        status = library().snug_plan_fit(session.pointer, byref(feed.struct), byref(options), byref(pointer))
    session.check(status)
    try:
        return Plan(pointer, options.batch_size, session.limit)
    finally:
        library().snug_plan_destroy(pointer)


def refusal(session: Session, feed: Feed, held: Optional[Feed], options: t.FitOptions, plan: Plan,
            backup: Backup) -> DoesNotFit:
    """Why a fit with these options is refused, and what would do.  A stream is not read to find that."""
    validates = held is not None or options.validation_split > 0
    follows = options.validation_batch_size == options.batch_size

    def planned(changes: Dict[str, Any]) -> Plan:
        o = t.FitOptions.from_buffer_copy(options)
        o.planned, o.replan = _SHOWN, changes.get("replan", o.replan)
        _set_callbacks(o, backup.structs)
        o.memory = session.limit.most
        o.beside = True
        o.allow_disk = changes.get("allow_disk", o.allow_disk)
        o.batch_size = changes.get("batch_size", o.batch_size)
        o.validation_batch_size = changes.get("validation_batch_size", o.batch_size if follows else o.validation_batch_size)
        return made(session, feed, o)

    found = other_line(plan, session.limit.room)
    if plan.resumes:
        found += other_plan(plan, planned)
    elif not isinstance(feed, Stream) and not isinstance(held, Stream):
        found += smaller_needs(plan, planned, options.validation_batch_size if validates else 0, options.allow_disk)
    return does_not_fit(plan, found)
