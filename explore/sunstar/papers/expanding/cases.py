# SPDX-License-Identifier: MIT
"""The points of each experiment, and the paper's measures of them."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

from sunstar.errors import UnmeasuredError
from sunstar.quantities import size_in_bytes
from sunstar.results import MachineResult
from sunstar.study.cases import DIRECTED, TRADITIONAL, Cases, Found, Key, Settings, every

LAYOUTS = ("contiguous", "random-blocks")
RECORDS = (64, 8192)
SMALL, LARGE = RECORDS


def of_records(key: Key, method: Settings, **workload: str | float) -> Settings:
    """Every record of a 10 MB file goes to the CP that `function` names."""
    return {
        **method,
        "file_system.layout": key.layout,
        "workload.kind": "records",
        "workload.file_size": "10MiB",
        "workload.record_size": f"{key.record_bytes}B",
        **{f"workload.{name}": value for name, value in workload.items()},
    }


# Data-dependent distribution (section 3) -----------------------------------------------------------------------------

DISTRIBUTION: dict[str, Settings] = {
    "tc": {**TRADITIONAL, "file_system.records": "cyclic-blocks"},
    "tc-share": {**TRADITIONAL, "file_system.records": "contiguous-share"},
    "tc-direct": {**TRADITIONAL, "file_system.records": "own-records"},
    "ddio": DIRECTED,
}
"""tc and tc-share redirect records. tc-share is ours, for what it tells about tc with records as large as a block."""


def distribution(_: bool) -> Cases:
    def settings(key: Key) -> Settings:
        return of_records(key, DISTRIBUTION[key.method], function="cyclic")

    return every(settings, DISTRIBUTION, ("cyclic",), LAYOUTS, RECORDS)


# Data-dependent filtering (section 4) --------------------------------------------------------------------------------

FILTERING: dict[str, Settings] = {
    "tc": {**TRADITIONAL, "file_system.records": "own-records"},
    "ddio": {**DIRECTED, "file_system.filter_at": "io-processor"},
    "ddio-at-cp": {**DIRECTED, "file_system.filter_at": "compute-processor"},
}
"""ddio-at-cp, which filters where tc does, is ours; it differs from ddio only if something is thrown away."""


def filtering(_: bool) -> Cases:
    """The x of a point is the share of the records that is thrown away."""

    def settings(key: Key) -> Settings:
        return of_records(key, FILTERING[key.method], function="cyclic", discard=float(key.x))

    def differs(key: Key) -> bool:
        return key.x != "0.0" or key.method != "ddio-at-cp"

    return every(settings, FILTERING, ("cyclic",), LAYOUTS, RECORDS, (0.0, 0.9), differs)


# Irregular subsets (section 5) ---------------------------------------------------------------------------------------

SUBSETS: dict[str, Settings] = {
    "tc": {**TRADITIONAL, "file_system.cache.prefetch": True},
    "tc-no-prefetch": {**TRADITIONAL, "file_system.cache.prefetch": False},
    "ddio": DIRECTED,
}


def subsets(quick: bool) -> Cases:
    """22 % of the blocks of a file, as even over CPs and disks as the workload's defaults make them."""

    def settings(key: Key) -> Settings:
        return {
            **SUBSETS[key.method],
            "file_system.layout": key.layout,
            "workload.kind": "subset",
            "workload.operation": "read",
            "workload.file_size": key.x,
        }

    return every(settings, SUBSETS, ("subset",), LAYOUTS, (8192,), ("100MiB",) if quick else ("100MiB", "1000MiB"))


# Functions of the records' bytes (ours) ------------------------------------------------------------------------------

FUNCTIONS: dict[str, Settings] = {
    "tc": DISTRIBUTION["tc"],
    "tc-gather": {**DISTRIBUTION["tc"], "file_system.gather": True},
    "ddio": DIRECTED,
    "ddio-gather": {**DIRECTED, "file_system.gather": True},
}


def functions(quick: bool) -> Cases:
    def settings(key: Key) -> Settings:
        return of_records(key, FUNCTIONS[key.method], function=key.pattern)

    return every(settings, FUNCTIONS, ("cyclic", "hash", "range"), LAYOUTS[: 1 if quick else None], RECORDS)


# The best that a machine's hardware allows ----------------------------------------------------------------------------


def disks_bytes_per_s(result: MachineResult) -> float:
    """The peak rate of all drives together."""
    machine = result.config.get("machine", {})
    groups = [
        group for node in machine.get("nodes", []) for bus in node.get("buses", []) for group in bus.get("drives", [])
    ]
    if not groups:
        raise UnmeasuredError("the peak rate of the drives is not known: the result names none")
    return sum(
        int(group["count"]) * drive_bytes_per_s({**machine["disk"], **(group["disk"] or {})}) for group in groups
    )


def drive_bytes_per_s(drive: Mapping[str, Any]) -> float:
    """What passes under the heads in the outermost zone: the sectors of a track in each revolution.

    The HP 97560 has 72 sectors of 512 bytes and 4002 revolutions a minute: 2.345 MiB/s, the 2.34 of the papers.
    """
    sectors = max(zone["sectors_per_track"] for zone in drive["zones"])
    return float(sectors * size_in_bytes(drive["sector_size"]) * drive["rpm"] / 60)


# The paper's measures -------------------------------------------------------------------------------------------------
#
# Each is over the best value that is possible: 1 is best, and less is better.
#
# | measure | best value |
# |---|---|
# | time | the bytes that are needed from the disks, over the peak rate of all drives |
# | data, network | the bytes that are needed, sent once, without a header |
# | messages | one for each record, or for each block of a subset |
#
# What is needed: the whole file, filtered or not, since the disks read it all and the paper compares traffic with that
# of no filter; of a subset the blocks that were asked for.


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
