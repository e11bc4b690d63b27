"""Recordings: written by a MemoryMonitor, or by the library while snug.fit trains."""
from __future__ import annotations

import datetime
import os
import shlex
import sys
import time
import warnings
from ctypes import byref, c_char_p, c_double, c_void_p
from typing import Any, Dict, Optional, Union

from . import _types as t
from ._library import Context, library

Path = Union[str, "os.PathLike[str]"]


def refuse_existing(path: Path, overwrite: bool) -> None:
    """Raise FileExistsError if a file would be lost.  What is no file, such as a pipe, is written to."""
    if not overwrite and os.path.isfile(path):
        raise FileExistsError(f"{os.fspath(path)}: there is such a file; give record= another name, or overwrite=True to "
                              "replace it")


def _tell_run(pointer: c_void_p, model: str) -> None:
    """Who is recorded; a disk that is full is noticed by what follows."""
    facts = library().snug_recorder_fact
    facts(pointer, b"run.command", shlex.join(["python", *sys.argv])[:4000].encode(errors="replace"))
    facts(pointer, b"model.name", model.encode(errors="replace")[:250])


class Recorder:
    """A recording of a training that someone else does.  A disk that is full is a warning, and no more is written."""

    def __init__(self, path: Path, model: str, overwrite: bool = False) -> None:
        refuse_existing(path, overwrite)
        self.path = os.fspath(path)
        self._ctx = Context()
        self._pointer: Optional[c_void_p] = c_void_p()
        self._began = time.monotonic()
        try:
            self._ctx.check(library().snug_recorder_open(self._ctx.pointer, os.fsencode(path), overwrite,
                                                         byref(self._pointer)))
        except BaseException:
            self._ctx.close()
            raise
        began = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.fact("run.kind", "monitor")
        self.fact("run.began", began)
        _tell_run(self._pointer, model)
        self._check(library().snug_recorder_machine(self._pointer))

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def _check(self, status: int) -> None:
        if status and self._pointer is not None:
            why = library().snug_message(self._ctx.pointer).decode(errors="replace")
            warnings.warn(f"{why}; the recording ends here, the training goes on", stacklevel=4)
            self._end()

    def fact(self, name: str, value: Any) -> None:
        if self._pointer is not None:
            self._check(library().snug_recorder_fact(self._pointer, name.encode(), str(value).encode(errors="replace")))

    def moment(self, at: str, epoch: int, batch: int, **figures: int) -> None:
        if self._pointer is not None:
            moment = t.Moment(seconds=self.seconds, at=at.encode(), epoch=epoch, batch=batch, processes=1, **figures)
            self._check(library().snug_recorder_moment(self._pointer, byref(moment)))

    def logs(self, epoch: int, values: Dict[str, float]) -> None:
        if self._pointer is not None:
            names = (c_char_p * len(values))(*[name.encode()[:255] for name in values])
            logs = t.Logs(len(values), names, (c_double * len(values))(*values.values()))
            self._check(library().snug_recorder_logs(self._pointer, epoch, byref(logs)))

    def _end(self) -> int:
        pointer, self._pointer = self._pointer, None
        status = library().snug_recorder_close(pointer)
        self._ctx.close()
        return status

    def close(self, verdict: str, process: int) -> None:
        """The recording is complete."""
        self.fact("end.verdict", verdict)
        self.fact("end.process", process)
        if self._pointer is not None and self._end():
            warnings.warn(f"{self.path}: the recording could not be ended", stacklevel=3)


class FitRecord:
    """A recording of a snug.fit, by the library's own callback; `struct` is that."""

    def __init__(self, session: Any, path: Path, overwrite: bool) -> None:
        self._session = session
        self._record = t.FitRecord(model=session.pointer, path=os.fsencode(path), replace=overwrite, stays_open=True)
        self.struct = t.Callback()
        library().snug_fit_record_callback(byref(self._record), byref(self.struct))

    def close(self, verdict: str, report: t.MemoryReport) -> None:
        """Also of a fit that failed: what is there is kept."""
        if not self._record.recorder:
            return
        pointer = c_void_p(self._record.recorder)
        _tell_run(pointer, self._session.keras_model.name)
        library().snug_recorder_fact(pointer, b"end.verdict", verdict.encode(errors="replace")[:1000])
        if report.process_measured:
            library().snug_recorder_fact(pointer, b"end.process", str(report.process_measured).encode())
        closed = library().snug_recorder_close(pointer)
        if self._record.failed or closed:
            warnings.warn(f"{self._record.why.decode(errors='replace')}; the recording is not complete", stacklevel=4)
