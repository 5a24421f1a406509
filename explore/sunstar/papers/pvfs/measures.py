# SPDX-License-Identifier: MIT
"""The paper's measure is time; a gain is the share of it that the cache saves."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, Unpack

from sunstar.errors import UnmeasuredError
from sunstar.papers.pvfs.cases import KIB, MIB, NONE, ONCE, THRICE, TWICE
from sunstar.results import MachineResult
from sunstar.study.cases import Curve, Fields, Found, Key
from sunstar.study.statements import Measure

Along = Literal["x", "record_bytes"]
"""A degree of sharing, or a request size."""


def application(result: MachineResult) -> float:
    """Seconds from the first request to the return of the last one."""
    found: float | None = result.result.application_s
    if found is None:
        raise UnmeasuredError(f"{result.platform} did not time its applications")
    return found


def seconds(found: Found, key: Key) -> float:
    """The time of a point: that of the third pass if it was measured."""
    thrice = key._replace(layout=THRICE)
    if thrice not in found.results:
        return application(found[key])
    return application(found[thrice]) - application(found[key._replace(layout=TWICE)])


def first_pass(found: Found, key: Key) -> float:
    return application(found[key._replace(layout=ONCE)])


def is_point(_: Found, key: Key) -> bool:
    """Whether this run stands for its point, which may need several."""
    return key.layout in ("", THRICE)


def points(found: Found, *methods: str, **fields: Unpack[Fields]) -> list[Key]:
    """The points of these methods, or of all, whose other fields are as given: each once, whatever runs it needs."""
    return [key._replace(layout="") for key in found.select(*methods, **fields) if is_point(found, key)]


def size(request: int) -> str:
    return f"{request // MIB} MiB" if request >= MIB else f"{request // KIB} KiB"


def where(key: Key) -> str:
    sharing = f"s = {key.x} %" if key.x else ""
    return ", ".join(part for part in (key.pattern, sharing, size(key.record_bytes)) if part)


class Series(NamedTuple):
    """Time by request size: one curve of a figure."""

    method: str
    pattern: str
    x: str
    curve: Curve
    """In seconds."""

    def key(self, request: int) -> Key:
        return Key(self.method, self.pattern, "", request, self.x)

    @property
    def requests(self) -> list[int]:
        return sorted(self.curve)


def series(found: Found, *methods: str, **fields: Unpack[Fields]) -> list[Series]:
    """The curves of these methods, or of all."""
    curves: dict[tuple[str, str, str], dict[int, float]] = {}
    for key in points(found, *methods, **fields):
        curves.setdefault((key.method, key.pattern, key.x), {})[key.record_bytes] = seconds(found, key)
    return [Series(*name, Curve(", ".join(name), curve)) for name, curve in curves.items()]


def against(found: Found, key: Key, method: str = NONE) -> float:
    """Time over that of another version with the same load. Two instances without caching are one curve for all
    degrees of sharing."""
    (other,) = points(found, method, pattern=key.pattern, record_bytes=key.record_bytes)
    return seconds(found, key) / seconds(found, other)


def gain(found: Found, key: Key, method: str = NONE) -> float:
    """The share of the other version's time that is saved."""
    return 1 - against(found, key, method)


def ratios(found: Found, keys: Sequence[Key], method: str = NONE) -> list[Measure]:
    return [Measure(against(found, key, method), where(key)) for key in keys]


def growth(found: Found, keys: Sequence[Key], along: Along, method: str = NONE) -> list[Measure]:
    """By how much the gain grows from each of these points to the next along a field, all others being equal."""
    lines: dict[Key, list[Key]] = {}
    for key in keys:
        lines.setdefault(key._replace(x="") if along == "x" else key._replace(record_bytes=0), []).append(key)
    return [
        Measure(gain(found, high, method) - gain(found, low, method), f"{where(low)} to {reached(high, along)}")
        for line in lines.values()
        for low, high in pairwise(sorted(line, key=lambda key: float(getattr(key, along))))
    ]


def reached(key: Key, along: Along) -> str:
    return f"{key.x} %" if along == "x" else size(key.record_bytes)
