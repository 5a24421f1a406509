# SPDX-License-Identifier: MIT
"""The points: patterns, layouts, record sizes, file systems, and networks of a hundredth to ten times the report's."""

from collections.abc import Callable
from dataclasses import dataclass

from sunstar.study.cases import Cases, Key, Settings

METHODS: dict[str, Settings] = {
    "tc": {"file_system.kind": "traditional-caching"},
    "two-phase": {"file_system.kind": "two-phase", "file_system.share": "contiguous"},
    "two-phase-cyclic": {"file_system.kind": "two-phase", "file_system.share": "cyclic"},
    "ddio": {"file_system.kind": "disk-directed", "file_system.gather": False},
    "ddio-gather": {"file_system.kind": "disk-directed", "file_system.gather": True},
}
TWO_PHASE = ("two-phase", "two-phase-cyclic")
LAYOUTS = ("contiguous", "random-blocks")
RECORDS = (8192, 512, 8)
MAPPINGS = ("n", "b", "c", "bb", "cc")
"""They span what matters here: how large the pieces are that go to one CP, and how many CPs share a block. One CP has
all (n); each has a sixteenth of the file (b), a block or less of each row of a matrix (bb), single records in turn (c,
cc)."""
PATTERNS = tuple(operation + mapping for operation in "rw" for mapping in MAPPINGS)
FEW_PATTERNS = ("rb", "rc", "rcc", "wb")

BANDWIDTHS = (2, 6, 20, 60, 200, 600, 2000)
"""Of each link, in MB/s; the report's is 200."""
FEW_BANDWIDTHS = (2, 20, 200, 2000)
REPORTED = 200


@dataclass(frozen=True)
class Choice:
    """What the user chose."""

    quick: bool = False
    """Fewer patterns and networks."""

    @property
    def patterns(self) -> tuple[str, ...]:
        return FEW_PATTERNS if self.quick else PATTERNS

    @property
    def bandwidths(self) -> tuple[int, ...]:
        return FEW_BANDWIDTHS if self.quick else BANDWIDTHS


def settings(key: Key, bandwidth: int) -> Settings:
    return {
        **METHODS[key.method],
        "file_system.layout": key.layout,
        "workload.pattern": key.pattern,
        "workload.record_size": f"{key.record_bytes}B",
        "machine.network.link_bandwidth": f"{bandwidth}MB/s",
    }


def of_records(record_bytes: int) -> Callable[[Choice], Cases]:
    """Every point with this record size."""

    def cases(choice: Choice) -> Cases:
        return {
            key: settings(key, bandwidth)
            for layout in LAYOUTS
            for pattern in choice.patterns
            for method in METHODS
            for bandwidth in choice.bandwidths
            for key in [Key(method, pattern, layout, record_bytes, str(bandwidth))]
        }

    return cases


# The network's two models --------------------------------------------------------------------------------------------

WORM, FLIT = "worm", "flit"
SLOW = (2, 20)
CHECKED = ("rc", "wb")
CHECKED_METHODS = ("two-phase", "two-phase-cyclic", "ddio")


def model_x(bandwidth: int, model: str) -> str:
    return f"{bandwidth} {model}"


def models(_: Choice) -> Cases:
    """Points on slow networks under both models of the network."""
    return {
        Key(method, pattern, "contiguous", 8192, model_x(bandwidth, model)): {
            **settings(Key(method, pattern, "contiguous", 8192), bandwidth),
            "machine.network.model": model,
        }
        for pattern in CHECKED
        for method in CHECKED_METHODS
        for bandwidth in SLOW
        for model in (WORM, FLIT)
    }
