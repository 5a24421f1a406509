# SPDX-License-Identifier: MIT
"""The paper's measures: throughput of all processors together in MB/s (10^6 bytes/s), and speedup."""

from collections.abc import Sequence
from typing import NamedTuple

from sunstar.papers.galley.cases import INTERLEAVED, KIB, PARTITIONED
from sunstar.study.cases import Curve, Found, Key
from sunstar.study.statements import Measure

MB_OF_MIB = 1.048576


def mb(found: Found, key: Key) -> float:
    """Throughput in MB/s."""
    return MB_OF_MIB * found.mib(key)


def size(record: int) -> str:
    return f"{record // KIB} KiB" if record >= KIB else f"{record} B"


def where(key: Key) -> str:
    """A point without its method, which the statements name."""
    return ", ".join(part for part in (key.pattern, size(key.record_bytes), f"{key.x} IOPs") if part)


class Series(NamedTuple):
    """Throughput by record size, or message size: one curve of a figure."""

    pattern: str
    x: str
    """The number of IOPs, or of sources."""
    curve: Curve
    """In MB/s."""

    @property
    def records(self) -> list[int]:
        return sorted(self.curve)

    @property
    def peak(self) -> float:
        return max(self.curve.values())

    @property
    def name(self) -> str:
        return where_of(self.pattern, self.x)

    def at(self, record: int, value: float) -> Measure:
        """A value that belongs to a point of the curve."""
        return Measure(value, where(Key("", self.pattern, "", record, self.x)))


def where_of(pattern: str, x: str) -> str:
    return f"{pattern}, {x} IOPs"


def series(found: Found, method: str, *patterns: str) -> list[Series]:
    """The curves of a method: one for each of these patterns, or of all, and each number of IOPs."""
    points: dict[tuple[str, str], dict[int, float]] = {}
    for key in found.select(method):
        if not patterns or key.pattern in patterns:
            points.setdefault((key.pattern, key.x), {})[key.record_bytes] = mb(found, key)
    return [
        Series(pattern, x, Curve(f"{where_of(pattern, x)}, {method}", curve)) for (pattern, x), curve in points.items()
    ]


def over(found: Found, keys: Sequence[Key], method: str | None = None, pattern: str | None = None) -> list[Measure]:
    """Throughput over that of another method, or pattern, with as many IOPs and the same records."""
    return [
        Measure(
            found.mib(key) / found.mib(key._replace(method=method or key.method, pattern=pattern or key.pattern)),
            where(key),
        )
        for key in keys
    ]


def speedups(found: Found, operation: str) -> list[Series]:
    """The strided interface over the traditional one, in the place of throughput."""
    points: dict[tuple[str, str], dict[int, float]] = {}
    for key in found.select(f"strided {operation}"):
        points.setdefault((key.pattern, key.x), {})[key.record_bytes] = found.ratio(key, f"traditional {operation}")
    return [Series(*place, Curve(f"{where_of(*place)}, speedup", curve)) for place, curve in points.items()]


def interleaved_over_partitioned(found: Found) -> list[Series]:
    """In the place of throughput; in that of the pattern, the strided interface and what it does."""
    points: dict[tuple[str, str], dict[int, float]] = {}
    for key in found.select(pattern=INTERLEAVED):
        other = key._replace(pattern=PARTITIONED)
        points.setdefault((key.method, key.x), {})[key.record_bytes] = found.mib(key) / found.mib(other)
    return [Series(*place, Curve(f"{where_of(*place)}, ratio", curve)) for place, curve in points.items()]
