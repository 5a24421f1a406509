# SPDX-License-Identifier: MIT
"""Quantities with their units, as configurations write them."""

import math
import re
from dataclasses import dataclass

from sunstar.errors import FileError, UsageError

SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
SIZES["TiB"] = 1 << 40
TIMES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
BASES: dict[str, dict[str, float]] = {"B": dict(SIZES), "s": TIMES}
BASES |= {"Hz": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}, "B/s": {f"{of}/s": n for of, n in SIZES.items()}}
"""By base unit of a dimension: its units, and their sizes in base units."""
BASE_OF = {unit: base for base, units in BASES.items() for unit in units}
QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+(?:/s)?)")
DURATIONS = {"ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "y": 31557600}
SI = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}


@dataclass(frozen=True)
class Quantity:
    value: float  # In base units
    base: str

    def __str__(self) -> str:
        """As a configuration takes it; sizes are whole bytes, times whole picoseconds."""
        if self.base == "B":
            return f"{round(self.value)}B"
        if self.base == "s":
            return f"{round(self.value / TIMES['ps'])}ps"
        return f"{self.value:.6f}".rstrip("0").rstrip(".") + self.base


def quantity(text: object) -> Quantity | None:
    """A quantity such as "8KiB" or "20ns"; None for anything else."""
    match = QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[2] not in BASE_OF:
        return None
    base = BASE_OF[match[2]]
    return Quantity(float(match[1]) * BASES[base][match[2]], base)


def size_in_bytes(text: object) -> int:
    found = quantity(text)
    if found is None or found.base != "B":
        raise FileError(f'"{text}" is not a size; it must be a number and one of {", ".join(SIZES)}')
    return round(found.value)


def duration(option: str, text: str) -> float:
    """The seconds of an option's value such as 5m; they are more than 0."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip())
    if not found or found[2] not in DURATIONS or float(found[1]) == 0:
        units = ", ".join(DURATIONS)
        raise UsageError(f"{option} {text}: it must be a number with one of {units}, as in 5m")
    return float(found[1]) * DURATIONS[found[2]]


def significant(value: float, digits: int = 3, sign: str = "") -> str:
    """A number of so many digits, without powers of ten: 118,000."""
    if not value or not math.isfinite(value):
        return f"{value:{sign}g}"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, places):{sign},.{min(max(places, 0), 9)}f}"


def engineering(value: float, unit: str = "", digits: int = 5, like: float | None = None) -> str:
    """A number with `digits` digits and a prefix: k from 100,000 on, m below a thousandth; bytes in powers of 1024.
    With `like`, the prefix is that of another number."""
    size = abs(value if like is None else like)
    if unit == "B":
        large, prefix = next(((n, p) for p, n in reversed(SIZES.items()) if "i" in p and size >= n), (1, "B"))
        return f"{value / large:.{digits}g} {prefix}"
    if 1e-3 <= size < 1e5 or not 1e-12 <= size < 1e15:
        return f"{value:.{digits}g}"
    power = max(-9, min(9, 3 * math.floor(math.log10(size) / 3)))
    return f"{value / 10.0**power:.{digits}g} {SI[power]}"


def cell(value: object) -> str:
    """A value in a table: a dash for none, at most five significant digits."""
    if value is None:
        return "-"
    return f"{value:.5g}" if isinstance(value, float) else str(value)
