"""The plan of a training, read out of the library."""
from __future__ import annotations

from ctypes import byref
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import _types as t
from ._library import library
from ._limit import Limit
from ._size import table, text

# Two processes that do the same are less than so much apart.  JAX compiles in many threads, whose heaps held 11.6 to 15.3 MiB
# in 7 processes.  Its library lies at a random address, a multiple of 32 KiB, and Linux maps the 64 KiB around a page that is
# wanted: that is one of two sets of pages, 2.3 MiB apart.  Of PyTorch's files, as many pages are mapped as the page cache
# happens to have.  A line that was told in one process is accepted in another.
_SPREAD = {"tensorflow": 512 << 10, "torch": 4 << 20, "jax": 8 << 20}

_PARTS = ("weights", "gradients", "optimizer", "activations", "scratch", "data", "callbacks", "runtime")


class LayerMemory(NamedTuple):
    """Bytes of a layer: its weights, its optimizer state, and what it has alive at the peak of a step."""

    name: str
    weights: int
    optimizer: int
    step: int


def report_of(struct: t.MemoryReport) -> Dict[str, int]:
    return {field[0]: int(getattr(struct, field[0])) for field in struct._fields_ if field[0] != "struct_size"}


class Plan:
    """What a training will hold at its peak, in bytes, known before step 1.

    `process` is the whole process, `line` what it is to stay under (None: nothing), `fits` whether it does, `least`
    the least line that would do.  `available` is what this process may hold, which decides where there is no line, and
    `available_from` who says so (None and "": nobody looked).  `resumes`: it is the plan that a backup kept.  `snug` is what Snug allocates, `interpreter` what Python and the frameworks in this
    process hold already.  `parts` has what Snug's bytes are made of at the peak, `layers` whose they are.
    `room`, in bytes and part of the process, is left for Python: callbacks, and the results' way back into the model.
    `micro_batch` is how many samples run at a time, `seconds` how long a step will take (0: not known).
    """

    def __init__(self, pointer: Any, batch_size: int, limit: Limit) -> None:
        struct, peak = t.MemoryReport(), t.PlanMoment()
        library().snug_plan_memory(pointer, byref(struct))
        library().snug_plan_peak(pointer, byref(peak))
        self.memory = report_of(struct)
        self.batch_size, self.room = batch_size, self.memory["caller"]
        self.fits = bool(library().snug_plan_fits(pointer))
        self.resumes = bool(library().snug_plan_resumes(pointer))
        self.process, self.least = self._with_spread(int(library().snug_plan_least(pointer)), limit)
        self.line: Optional[int] = self.memory["line"] or None
        self.available: Optional[int] = limit.room or None
        self.available_from = limit.who
        self.warning = limit.warning(self.process) if self.fits else ""
        self.snug = self.memory["planned"]
        self.interpreter = self.memory["code"] + self.memory["outside"]
        self.parts = {name: self.memory[name] for name in _PARTS}
        self.layers = _layers(pointer)
        self.peak_layer = (peak.layer or b"").decode()
        self._read_point(pointer)

    def _with_spread(self, least: int, limit: Limit) -> Tuple[int, int]:
        """The process and the least, both with the spread as a part of the reserve; of a plan that fits, as much of it as
        the limit leaves."""
        bare = self.memory["process"]
        process = bare + _spread()
        if self.fits and limit.most:
            process = max(bare, min(process, limit.most))
        self.memory["reserve"] += process - bare
        self.memory["process"] = process
        return process, min(least + _spread(), process) if self.fits else least + _spread()

    def _read_point(self, pointer: Any) -> None:
        point = t.PlanPoint()
        n, chosen = library().snug_plan_points(pointer), library().snug_plan_chosen(pointer)
        library().snug_plan_point_at(pointer, min(chosen, n - 1) if n else 0, byref(point))
        self.micro_batch = int(point.micro_batch) or self.batch_size
        self.recomputed = int(point.recomputed)
        self.seconds = float(point.seconds)

    @property
    def verdict(self) -> str:
        """The answer in one line."""
        what = f"Training in batches of {self.batch_size}" + (" by the plan of its backup" if self.resumes else "")
        takes = f"takes {text(self.process)} for the whole process"
        may = f"{text(self.available or 0)} ({self.available_from})"
        least = f"{text(self.least)} ({self.least} bytes)"
        if self.line is None and self.fits:
            return f"{what} {takes}" + (f", which may hold {may}." if self.available else ".")
        if self.line is None:
            return (f"{what} {takes}, which may hold {may}: the least that would do is {least}. "
                    'memory="none" trains without this check.')
        if self.fits:
            return f"{what} {takes}: it fits in {text(self.line)}."
        return f"{what} does not fit in {text(self.line)}: the whole process needs at least {least}."

    @property
    def _rows(self) -> List[Tuple[str, int]]:
        rows = [(name, size) for name, size in sorted(self.parts.items(), key=lambda p: -p[1]) if size]
        rows += [("Snug in all", self.snug), ("interpreter and frameworks", self.interpreter),
                 ("callbacks, results' way back", self.room),
                 ("page tables, reserve", self.memory["tables"] + self.memory["reserve"]), ("process", self.process)]
        return rows

    def __str__(self) -> str:
        lines = [f"  {name:<30}{text(size):>12}" for name, size in self._rows]
        return "\n".join([self.verdict, *lines, *([f"Warning: {self.warning}."] if self.warning else [])])

    def _repr_html_(self) -> str:
        return table(self.verdict, [(name, text(size)) for name, size in self._rows])

    def __repr__(self) -> str:
        return f"<snug.Plan: {self.verdict}>"


def _spread() -> int:
    import keras

    return _SPREAD.get(keras.backend.backend(), max(_SPREAD.values()))


def _layers(pointer: Any) -> List[LayerMemory]:
    layers = []
    for i in range(library().snug_plan_layers(pointer)):
        layer = t.LayerMemory()
        library().snug_plan_layer(pointer, i, byref(layer))
        layers.append(LayerMemory(layer.layer.decode(), layer.weights, layer.optimizer, layer.step))
    return layers
