"""What this process may hold: the line that the user drew, or what the container and the machine leave it."""
from __future__ import annotations

import mmap
from ctypes import byref
from typing import NamedTuple, Optional

from . import _types as t
from ._library import Context, DoesNotFit, library
from ._process import figures
from ._size import Size, parse, text

_ALSO = ", 'auto', '70%' or 'none'"
PAGE = mmap.PAGESIZE  # limits of the system are whole pages
CLOSE = 0.9  # of the room: a plan above that is told to be close to it


class Limit(NamedTuple):
    """`line`: the most that was asked for (0: nothing was).  `room`: what the process may hold, which decides where there
    is no line (0: nobody looked, or the system does not tell); `who` says where that comes from."""

    line: int = 0
    room: int = 0
    who: str = ""
    is_above: bool = False  # the line is above the room

    @property
    def most(self) -> int:
        return self.line or self.room

    def warning(self, needs: int) -> str:
        """What is to be said of a plan of so many bytes before it runs; "" if there is nothing."""
        if self.is_above:
            killed = ", and so is the plan: the system may kill it" if needs > self.room else ""
            return (f"the line of {text(self.line)} is above what this process may hold, {text(self.room)} "
                    f"({self.who}){killed}")
        if not self.line and self.room and CLOSE * self.room < needs:
            return (f"the training takes {text(needs)}, that is {100 * needs / self.room:.0f} % of what this process may hold, "
                    f"{text(self.room)} ({self.who}); memory=\"auto\" keeps it inside")
        return ""


def find(ctx: Context, memory: Optional[Size]) -> Limit:
    """What `memory=` comes to here.  From now on the context takes nothing that the process has no room for."""
    if memory == "none":
        return Limit()
    part = _part(memory)
    told = t.Available()
    status = library().snug_memory_available(ctx.pointer, byref(told))
    if status and part is not None:
        ctx.check(status)
    room, who = (0, "") if status else (int(told.bytes), told.who.decode(errors="replace"))
    line = 0 if memory is None else parse(memory, "memory", _ALSO) if part is None else int(room * part)
    library().snug_memory_set_bound(ctx.pointer, room)
    library().snug_memory_set_available(ctx.pointer, 0 if line else room)
    return Limit(line, room, who, bool(room) and line // PAGE > room // PAGE)


def refuse_state(limit: Limit, state: int, name: str) -> None:
    """DoesNotFit where there is no room for the state that an optimizer begins with: Keras takes it before there is a plan,
    and the plan tells what a line is too low for."""
    needs = figures().resident + state
    if not limit.room or needs <= limit.room:
        return
    raise DoesNotFit(f"making the state of the optimizer '{name}' takes {text(state)}: with it the process holds {text(needs)} "
                     f"({needs} bytes) before anything is trained, and it may hold {text(limit.room)} ({limit.who}). An "
                     "optimizer with less state, such as SGD, needs less")


def _part(memory: Optional[Size]) -> Optional[float]:
    """The part of what there is that "auto" or "70%" means; None where it is another thing."""
    share = "100%" if memory == "auto" else memory
    if not isinstance(share, str) or not share.endswith("%"):
        return None
    try:
        part = float(share[:-1]) / 100
    except ValueError:
        part = 0.0
    if not 0 < part <= 1:
        raise ValueError(f"memory is {memory!r}: a part is above 0 and up to 100%")
    return part
