# SPDX-License-Identifier: MIT
"""The points of an experiment, and what was measured at them."""

from collections.abc import Mapping
from statistics import fmean
from typing import NamedTuple

from sunstar.errors import UnmeasuredError
from sunstar.results import MachineResult
from sunstar.runs.point import Setting
from sunstar.study.averages import Average

Settings = dict[str, Setting]


class Key(NamedTuple):
    """Identifies a point among those of its experiment. A field that an experiment does not vary may stay empty."""

    method: str
    """The paper's short name for a file system and its options."""
    pattern: str
    layout: str
    record_bytes: int = 0
    x: str = ""
    """Value of the swept parameter, or the name of an option."""

    def __str__(self) -> str:
        size = f"{self.record_bytes} B" if self.record_bytes else ""
        return " ".join(part for part in (self.layout, self.pattern, size, self.method, self.x) if part)


Cases = Mapping[Key, Settings]
"""The points of an experiment and the settings of each."""


class Curve(dict[int, float]):
    """Throughput in MiB/s by x."""

    def __init__(self, name: str, values: Mapping[int, float]) -> None:
        super().__init__(values)
        self.name = name

    def __missing__(self, x: int) -> float:
        raise UnmeasuredError(f"{self.name} was not measured at {x}")


class Found:
    """What an experiment measured. Asking for what was not measured is an UnmeasuredError."""

    def __init__(self, results: Mapping[Key, MachineResult], average: Average = fmean) -> None:
        self.results = results
        self.average = average

    def __getitem__(self, key: Key) -> MachineResult:
        result = self.results.get(key)
        if result is None:
            raise UnmeasuredError(f"{key} was not measured")
        return result

    def mib(self, key: Key) -> float:
        """Throughput in MiB/s, of all trials."""
        return self.average(self[key].trials_mib_per_s)

    def ratio(self, key: Key, method: str) -> float:
        """Throughput divided by that of another method at the same point."""
        return self.mib(key) / self.mib(key._replace(method=method))

    def statistic(self, key: Key, name: str) -> float:
        return self[key].statistic(name)

    def select(
        self,
        *methods: str,
        pattern: str | None = None,
        layout: str | None = None,
        record_bytes: int | None = None,
        x: str | None = None,
    ) -> list[Key]:
        """The points of these methods, or of all, whose other fields are as given."""
        wanted = {"pattern": pattern, "layout": layout, "record_bytes": record_bytes, "x": x}
        return [
            key
            for key in self.results
            if (not methods or key.method in methods)
            and all(value is None or getattr(key, name) == value for name, value in wanted.items())
        ]

    def one(
        self,
        *methods: str,
        pattern: str | None = None,
        layout: str | None = None,
        record_bytes: int | None = None,
        x: str | None = None,
    ) -> Key:
        """The only such point."""
        found = self.select(*methods, pattern=pattern, layout=layout, record_bytes=record_bytes, x=x)
        if len(found) != 1:
            asked = (*methods, pattern, layout, record_bytes, x)
            wanted = ", ".join(str(value) for value in asked if value is not None)
            raise UnmeasuredError(f"one point of {wanted} is needed; {len(found)} were measured")
        return found[0]

    def curve(self, method: str, pattern: str) -> Curve:
        """Throughput by x."""
        keys = self.select(method, pattern=pattern)
        return Curve(f"{pattern} {method}", {int(key.x): self.mib(key) for key in keys})

    @property
    def methods(self) -> list[str]:
        """Each method once, in the experiment's order; likewise the properties below."""
        return list(dict.fromkeys(key.method for key in self.results))

    @property
    def patterns(self) -> list[str]:
        return list(dict.fromkeys(key.pattern for key in self.results))

    @property
    def layouts(self) -> list[str]:
        return list(dict.fromkeys(key.layout for key in self.results))

    @property
    def record_sizes(self) -> list[int]:
        return list(dict.fromkeys(key.record_bytes for key in self.results))

    @property
    def xs(self) -> list[str]:
        return list(dict.fromkeys(key.x for key in self.results))
