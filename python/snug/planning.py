"""What a training of a live Keras model would hold, without training it."""
from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Optional

from . import _arguments as a
from . import _types as t
from ._arguments import Feed
from ._library import library
from ._plan import DoesNotFit, Plan
from ._session import Session
from ._size import Size


def plan(model: Any, x: Any = None, y: Any = None, *, batch_size: Optional[int] = None, memory: Optional[Size] = None,
         samples: Optional[int] = None, validation_split: float = 0.0, allow_disk: bool = False) -> Plan:
    """What a training would hold, without training: print it.

    Without x, for so many `samples` (one batch) of the shapes that the model takes, whose own bytes are not counted.
    A line that nothing fits under is no error here: `plan.fits` is False.
    """
    with Session(model, a.shapes(x)) as session:
        feed = None if x is None else a.feed(session, x, y, None)
        return _make_plan(session, feed, batch_size, memory, samples, validation_split, allow_disk, 0)


def find_batch_size(model: Any, *, memory: Size, samples: Optional[int] = None, allow_disk: bool = False) -> int:
    """The largest batch that trains whole, not in pieces, inside `memory`; found by planning, nothing is run.

    samples: how many there are to train on, which no batch exceeds.  DoesNotFit: not even a batch of one fits.
    """
    with Session(model) as session:
        line = a.line(session, memory)

        def at(batch: int) -> Plan:
            return _make_plan(session, None, batch, line, None, 0.0, allow_disk, batch)

        low, high = at(1), None
        if not low.fits:
            raise DoesNotFit(str(low), low)
        most = samples or 1 << 24
        while high is None and low.batch_size < most:
            tried = at(min(2 * low.batch_size, most))
            low, high = (tried, None) if tried.fits else (low, tried)
        while high is not None and high.batch_size - low.batch_size > 1:
            tried = at(_between(low, high, line))
            low, high = (tried, high) if tried.fits else (low, tried)
        return low.batch_size


def _between(low: Plan, high: Plan, line: int) -> int:
    """Memory is close to a straight line over the batch: where that meets the limit, but never far from the middle."""
    span = high.batch_size - low.batch_size
    rise = high.least - low.least
    at = low.batch_size + (int(span * (line - low.least) / rise) if rise > 0 else span // 2)
    return min(max(at, low.batch_size + max(1, span // 8)), high.batch_size - max(1, span // 8))


def _make_plan(session: Session, feed: Optional[Feed], batch_size: Optional[int], memory: Any, samples: Optional[int],
               validation_split: float, allow_disk: bool, micro_batch: int) -> Plan:
    options = t.FitOptions(batch_size=a.batch_of(feed, batch_size), epochs=1, validation_split=validation_split,
                           memory=a.line_of_library(session, memory))
    options.levers.allow_disk, options.levers.micro_batch = allow_disk, micro_batch
    options.levers.beside = True
    made = c_void_p()
    if feed is None:
        status = library().snug_plan_samples(session.pointer, samples or options.batch_size, byref(options), byref(made))
    else:
        status = library().snug_plan_fit(session.pointer, byref(feed.struct), byref(options), byref(made))
    session.check(status)
    try:
        return Plan(made, options.batch_size, session.room if options.memory else 0)
    finally:
        library().snug_plan_destroy(made)
