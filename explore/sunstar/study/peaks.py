# SPDX-License-Identifier: MIT
"""The best that a machine's hardware allows, worked out from the configuration that ran."""

from collections.abc import Mapping
from typing import Any

from sunstar.errors import UnmeasuredError
from sunstar.quantities import size_in_bytes
from sunstar.results import MachineResult


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
    """What passes under the heads: in each revolution the sectors of a track, where a track has most of them.

    The HP 97560 has 72 sectors of 512 bytes and 4002 revolutions a minute: 2.345 MiB/s, the 2.34 of the papers.
    """
    sectors = max(zone["sectors_per_track"] for zone in drive["zones"])
    return float(sectors * size_in_bytes(drive["sector_size"]) * drive["rpm"] / 60)
