# SPDX-License-Identifier: MIT
"""The paper's measures, each over the best value that is possible: 1 is best, and less is better.

| measure | best value |
|---|---|
| time | the bytes that are needed from the disks, over the peak rate of all drives |
| data, network | the bytes that are needed, sent once, without a header |
| messages | one for each record, or for each block of a subset |

What is needed: the whole file, filtered or not, since the disks read it all and the paper compares traffic with that of
no filter; of a subset the blocks that were asked for.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from sunstar.quantities import size_in_bytes
from sunstar.results import MachineResult
from sunstar.study.cases import Found, Key
from sunstar.study.peaks import disks_bytes_per_s


class Needed(NamedTuple):
    bytes: float
    units: float
    """Records, or blocks of a subset."""


def needed(result: MachineResult) -> Needed:
    workload = result.config["workload"]
    if workload["kind"] == "records":
        size = size_in_bytes(workload["file_size"])
        return Needed(size, size / size_in_bytes(workload["record_size"]))
    return Needed(result.result.bytes_moved, result.result.bytes_moved / size_in_bytes(workload["chunk_size"]))


class Normalised(NamedTuple):
    """A run's measures over the best values."""

    time: float
    data: float
    """Bytes in messages, without headers."""
    headers: float
    network: float
    """Data and headers."""
    messages: float


def normalised(found: Found, key: Key) -> Normalised:
    result = found[key]
    best = needed(result)
    return Normalised(
        result.elapsed_s * disks_bytes_per_s(result) / best.bytes,
        result.message_bytes / best.bytes,
        result.header_bytes / best.bytes,
        result.network_bytes / best.bytes,
        result.messages / best.units,
    )


def variation(found: Found, key: Key) -> float:
    """The largest coefficient of variation of the run's measures over its trials: time, data, messages."""
    trials = found[key].trials
    measures: Iterator[Sequence[float]] = (
        [getattr(trial, name) for trial in trials] for name in ("elapsed_s", "message_bytes", "messages")
    )
    return max(stdev(values) / fmean(values) if len(values) > 1 else 0.0 for values in measures)
