# SPDX-License-Identifier: MIT
"""The paper's patterns and systems, and single points of its experiments."""

from collections.abc import Mapping
from typing import NamedTuple

from sunstar.run import Result, Setting

LAYOUTS = ("random-blocks", "contiguous")
METHODS: dict[str, dict[str, Setting]] = {
    "tc": {"file_system.kind": "traditional-caching"},
    "enwrich": {"file_system.kind": "enwrich"},
    "ddio": {"file_system.kind": "disk-directed"},
    "tc-sstf": {"file_system.kind": "traditional-caching", "file_system.queue_order": "shortest-seek-first"},
    "tc-cscan": {"file_system.kind": "traditional-caching", "file_system.queue_order": "cyclical-scan"},
}
ONE_ARRAY = ("wnn", "wnb", "wnc", "wbn", "wbb", "wbc", "wcn", "wcb", "wcc", "wss")
ROUND_ROBIN = ("wrnnbb", "wrnncc", "wrnbbn", "wrbccb")
PARTITION = ("wpnnbb", "wpnncc", "wpnbbn", "wpbccb")
TWO_ARRAYS = ROUND_ROBIN + PARTITION
DILUTED = tuple(pattern for pattern in TWO_ARRAYS if pattern[2:4] == "nn")
"""Half of the data is one processor's."""
PATTERNS = ONE_ARRAY + TWO_ARRAYS


def mappings(pattern: str) -> tuple[str, ...]:
    """How the arrays of a pattern are spread: "wrnbbn" is ("nb", "bn"); wss is nc in step."""
    if pattern == "wss":
        return ("nc",)
    return (pattern[2:4], pattern[4:6]) if pattern in TWO_ARRAYS else (pattern[1:],)


def chunks_are_records(pattern: str) -> bool:
    """Whether what a processor writes at once is one record: some array is cyclic along its rows."""
    return any(mapping[1] == "c" for mapping in mappings(pattern))


class Key(NamedTuple):
    """What tells a point from the others of its experiment."""

    method: str
    pattern: str
    layout: str
    record_bytes: int
    x: str = ""
    """Of the swept parameter, or the name of an option."""

    def __str__(self) -> str:
        size = f"{self.record_bytes} B" if self.record_bytes else ""
        return " ".join(part for part in (self.layout, self.pattern, size, self.method, self.x) if part)

    def settings(self) -> dict[str, Setting]:
        """What makes it of the machine's defaults, but for x. 64 MiB of data; where each call writes 8 bytes, 8."""
        small = self.record_bytes == 8 and chunks_are_records(self.pattern)
        return {
            **METHODS[self.method],
            "file_system.layout": self.layout,
            "workload.pattern": self.pattern,
            "workload.record_size": f"{self.record_bytes}B",
            "workload.file_size": "8MiB" if small else "64MiB",
        }


Cases = dict[Key, dict[str, Setting]]
"""The points of an experiment and what each sets."""


class Found:
    """What was measured of an experiment."""

    def __init__(self, results: Mapping[Key, Result]) -> None:
        self.results = results

    def mib(self, key: Key) -> float:
        return self.results[key].mib_per_s

    def ratio(self, key: Key, method: str) -> float:
        """Throughput over another system's on the same."""
        return self.mib(key) / self.mib(key._replace(method=method))

    def statistic(self, key: Key, name: str) -> float:
        """A statistic of the result file, 0 if it has none of the name."""
        found = self.results[key].document.get("statistics", {}).get(name)
        return float(found["value"]) if found else 0.0

    def flushes(self, key: Key, reason: str | None = None) -> float:
        """Flushes of all caches; with a reason, how often a processor asked for one because of it."""
        return self.statistic(key, f"enwrich.{reason}_flushes" if reason else "enwrich.flushes")

    def latency(self, key: Key, percentile: str) -> float:
        """Of a call, in seconds; percentile as in "p50" or "max"."""
        return float(self.results[key].document.get("result", {}).get("latency", {}).get(f"{percentile}_s", 0.0))

    def select(self, *methods: str, **fields: object) -> list[Key]:
        """The points of these systems, or of all, whose other fields are as given."""
        return [
            key
            for key in self.results
            if (not methods or key.method in methods)
            and all(getattr(key, name) == value for name, value in fields.items())
        ]

    def values(self, field: str) -> list:
        """The values of a field, in the experiment's order."""
        return list(dict.fromkeys(getattr(key, field) for key in self.results))
