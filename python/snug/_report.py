"""What a recording tells: `snug.report(path)`, made by the command."""
from __future__ import annotations

import html
import json
import os
import subprocess
import tempfile
from typing import Any, Dict, Optional, Union

from ._library import command


class Report:
    """A recording of snug.fit, MemoryMonitor, `snug fit --record` or `snug watch`.

    Printed it is the terminal's report, in a notebook it shows itself as a page.  `data` has everything as a dict;
    `verdict`, `peak` (bytes of the process), `state` ("complete", "cut" or "damaged") are out of it.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"{self.path}: there is no such recording")
        self.data: Dict[str, Any] = json.loads(self._ask("--json"))

    @property
    def verdict(self) -> str:
        return self.data["verdict"]

    @property
    def peak(self) -> Optional[int]:
        return self.data["peak"]["bytes"]

    @property
    def state(self) -> str:
        return self.data["state"]

    def _ask(self, *options: str) -> str:
        done = subprocess.run([command(), "report", self.path, *options], capture_output=True, text=True,
                              encoding="utf-8", errors="replace", stdin=subprocess.DEVNULL)
        if done.returncode:
            raise ValueError(done.stderr.strip() or f"{self.path}: the report failed with code {done.returncode}")
        return done.stdout

    def save_html(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the page, one file that needs nothing else; what is there is replaced."""
        self._ask("--html=" + os.fspath(path), "--force", "--quiet")

    def html(self) -> str:
        """The page as text."""
        with tempfile.TemporaryDirectory(prefix="snug-") as folder:
            path = os.path.join(folder, "report.html")
            self.save_html(path)
            with open(path, encoding="utf-8") as page:
                return page.read()

    def _repr_html_(self) -> str:
        """A frame of its own, so that the page's style and the notebook's do not meet."""
        return (f'<iframe srcdoc="{html.escape(self.html())}" title="Snug report" width="100%" height="720" '
                'style="border:0"></iframe>')

    def __str__(self) -> str:
        return self._ask()

    def __repr__(self) -> str:
        return f"<snug.Report: {self.path}: {self.verdict}>"


def report(path: Union[str, "os.PathLike[str]"]) -> Report:
    """Read a recording; ValueError if it is none, FileNotFoundError if it is not there."""
    return Report(path)
