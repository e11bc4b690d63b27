"""Sizes as people write and read them."""
from __future__ import annotations

import html
import math
import re
from typing import Any, Sequence, Tuple, Union

_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgtpe", start=1):
    _UNITS[_letter] = _UNITS[_letter + "ib"] = 1024**_power
    _UNITS[_letter + "b"] = 1000**_power

_NAMES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")

Size = Union[int, str]


def parse(size: Size, what: str, also: str = "") -> int:
    """Bytes of 2147483648, "2GiB", "2G" (binary) or "2GB" (decimal), as the command takes them.  also: what else it may be."""
    if isinstance(size, bool) or not isinstance(size, (int, str)):
        raise TypeError(f"{what} is {size!r}: it is a number of bytes, or a text such as '2GiB'{also}")
    if isinstance(size, int):
        value = size
    else:
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", size.lower())
        if not match or match[2] not in _UNITS:
            raise ValueError(f"{what} is {size!r}: write a number of bytes, or '512MiB', '2GiB', '2.5GB'{also}")
        value = int(float(match[1]) * _UNITS[match[2]])
    if not 0 < value < 2**63:
        raise ValueError(f"{what} is {size!r}: it must be above 0 and below 2^63 bytes")
    return value


def text(size: float) -> str:
    """Bytes for people, '812 B', '3.4 MiB', rounded up: as the command and snug_bytes_text write them."""
    value, unit = float(size), 0
    while value > 1023 and unit < len(_NAMES) - 1:
        value, unit = value / 1024, unit + 1
    tens: float = 10 ** _digits(value, unit)
    value = math.ceil(value * tens) / tens
    return f"{value:.{_digits(value, unit)}f} {_NAMES[unit]}"


def _digits(value: float, unit: int) -> int:
    return 2 if unit > 2 and value < 9.995 else 1 if unit and value < 99.95 else 0  # 1.92 GiB


class Bytes(float):
    """Bytes in the logs of Keras: a number, but that its progress bar, which writes four places, shows it as a size."""

    def __format__(self, spec: str) -> str:
        return text(self) if spec == ".4f" else super().__format__(spec)

    # The bar averages over batches.  Divided by a unit it is a number in that unit.

    def __mul__(self, other: Any) -> float:
        return Bytes(float(self) * other)

    def __add__(self, other: Any) -> float:
        return Bytes(float(self) + other)

    def __truediv__(self, other: Any) -> float:
        quotient = float(self) / other
        return quotient if other != 1 and other in _UNITS.values() else Bytes(quotient)

    def __reduce__(self) -> Any:
        return float, (float(self),)


def table(title: str, rows: Sequence[Tuple[str, str]]) -> str:
    """Rows as HTML, for notebooks."""
    cells = "".join(f'<tr><td style="text-align:left">{html.escape(name)}</td><td style="text-align:right">'
                    f"{html.escape(value)}</td></tr>" for name, value in rows)
    return f"<table><caption>{html.escape(title)}</caption>{cells}</table>"
