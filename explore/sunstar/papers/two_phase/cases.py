# SPDX-License-Identifier: MIT
"""The points: patterns, layouts, record sizes, file systems, and networks of a hundredth to ten times the report's."""

from collections.abc import Callable

from sunstar.study.cases import DIRECTED, TRADITIONAL, Cases, Key, Settings, every, transfer
from sunstar.study.models import under_both

METHODS: dict[str, Settings] = {
    "tc": TRADITIONAL,
    "two-phase": {"file_system.kind": "two-phase", "file_system.share": "contiguous"},
    "two-phase-cyclic": {"file_system.kind": "two-phase", "file_system.share": "cyclic"},
    "ddio": {**DIRECTED, "file_system.gather": False},
    "ddio-gather": {**DIRECTED, "file_system.gather": True},
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


def settings(key: Key) -> Settings:
    return {**transfer(key, METHODS[key.method]), "machine.network.link_bandwidth": f"{key.x}MB/s"}


def of_records(record_bytes: int) -> Callable[[bool], Cases]:
    """Every point with this record size."""

    def cases(quick: bool) -> Cases:
        patterns, bandwidths = (FEW_PATTERNS, FEW_BANDWIDTHS) if quick else (PATTERNS, BANDWIDTHS)
        return every(settings, METHODS, patterns, LAYOUTS, (record_bytes,), bandwidths)

    return cases


# The network's two models --------------------------------------------------------------------------------------------

SLOW = (2, 20)


def models(_: bool) -> Cases:
    """Points on slow networks under both models of the network."""
    return under_both(every(settings, (*TWO_PHASE, "ddio"), ("rc", "wb"), ("contiguous",), (8192,), SLOW), keep_x=True)
