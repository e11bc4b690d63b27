"""What would make a training fit that does not: each is planned before it is named."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional

from ._library import DoesNotFit
from ._plan import Plan
from ._size import text

_MIB = 1 << 20

Planned = Callable[[Dict[str, Any]], Plan]  # the plan of the same training with other arguments


class Remedy(NamedTuple):
    """Arguments of snug.fit with which it fits.  `bytes` is what the whole process then takes, or the least that it can."""

    what: str
    bytes: int
    arguments: Dict[str, Any]

    @property
    def call(self) -> str:
        """As it is written: snug.fit(..., batch_size=16)."""
        return f"snug.fit(..., {self._words})"

    @property
    def _words(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())

    def __str__(self) -> str:
        return f"{self._words}: {text(self.bytes)}; {self.what}"


def does_not_fit(plan: Plan, remedies: List[Remedy]) -> DoesNotFit:
    lines = [f"  {remedy}" for remedy in remedies]
    message = "\n".join([str(plan), *(["What would do, each planned:"] if lines else []), *lines])
    return DoesNotFit(message, plan, remedies)


def other_line(plan: Plan, room: int) -> List[Remedy]:
    """The least line, or all that there is where none was drawn; if this process may hold `room` bytes."""
    if plan.least > room:
        return []
    if plan.line:
        return [Remedy("it fits as it is", plan.least, {"memory": f"{-(-plan.least // _MIB)}MiB"})]
    return [Remedy("it fits into what this process may hold: the same result", plan.least, {"memory": "auto"})]


def other_plan(plan: Plan, planned: Planned) -> List[Remedy]:
    """Another one than a backup kept."""
    with_it = planned({"replan": True})
    always = {} if plan.line else {"memory": "auto"}
    return [Remedy("another plan than the backup's: other results than without the interruption", with_it.process,
                   {**always, "replan": True})] if with_it.fits else []


def smaller_needs(plan: Plan, planned: Planned, validation_batch: int, has_disk: bool) -> List[Remedy]:
    """What would do under the same line, or under what this process may hold if there is none; those that change no result
    first.  validation_batch: 0 if nothing validates."""
    found = []
    always = {} if plan.line else {"memory": "auto"}

    def fits(what: str, **arguments: Any) -> bool:
        with_it = planned(arguments)
        if with_it.fits:
            found.append(Remedy(what, with_it.process, {**always, **arguments}))
        return with_it.fits

    while validation_batch > 1:
        validation_batch //= 2
        if fits("validation in smaller batches gives the same values", validation_batch_size=validation_batch):
            break
    if not has_disk:
        fits("values wait in a file: the same result", allow_disk=True)
    smaller = largest_batch(lambda batch: planned({"batch_size": batch}), plan) if plan.batch_size > 1 else None
    if smaller:
        found.append(Remedy("another batch is another training", smaller.process, {**always, "batch_size": smaller.batch_size}))
    return found


def largest_batch(at: Callable[[int], Plan], high: Optional[Plan], most: int = 1 << 24) -> Optional[Plan]:
    """The plan with the largest batch that fits, below that of `high`, or up to `most` where there is none."""
    low = at(1)
    if not low.fits:
        return None
    while high is None and low.batch_size < most:
        tried = at(min(2 * low.batch_size, most))
        low, high = (tried, None) if tried.fits else (low, tried)
    while high is not None and high.batch_size - low.batch_size > 1:
        tried = at(_between(low, high))
        low, high = (tried, high) if tried.fits else (low, tried)
    return low


def _between(low: Plan, high: Plan) -> int:
    """Memory is close to a straight line over the batch: where that meets the limit, but never far from the middle."""
    span = high.batch_size - low.batch_size
    rise = high.least - low.least
    at = low.batch_size + (int(span * ((low.line or 0) - low.least) / rise) if rise > 0 else span // 2)
    return min(max(at, low.batch_size + max(1, span // 8)), high.batch_size - max(1, span // 8))
