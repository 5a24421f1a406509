# SPDX-License-Identifier: MIT
"""The paper's measures: throughput of all processors together in MB/s (10^6 bytes/s), and speedup."""

from collections.abc import Callable, Sequence
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


def curves(keys: Sequence[Key], value: Callable[[Key], float], what: str, place: str = "pattern") -> list[Series]:
    """A curve for each number of IOPs and each value of a field of these points, `place`."""
    points: dict[tuple[str, str], dict[int, float]] = {}
    for key in keys:
        points.setdefault((getattr(key, place), key.x), {})[key.record_bytes] = value(key)
    return [Series(*at, Curve(f"{where_of(*at)}, {what}", curve)) for at, curve in points.items()]


def series(found: Found, method: str, *patterns: str) -> list[Series]:
    """The curves of a method, of these patterns or of all."""
    keys = [key for key in found.select(method) if not patterns or key.pattern in patterns]
    return curves(keys, lambda key: mb(found, key), method)


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
    strided = found.select(f"strided {operation}")
    return curves(strided, lambda key: found.ratio(key, f"traditional {operation}"), "speedup")


def interleaved_over_partitioned(found: Found) -> list[Series]:
    """In the place of throughput; in that of the pattern, the strided interface and what it does."""

    def ratio(key: Key) -> float:
        return found.mib(key) / found.mib(key._replace(pattern=PARTITIONED))

    return curves(found.select(pattern=INTERLEAVED), ratio, "ratio", "method")
