# SPDX-License-Identifier: MIT
"""Small result files of the form that the simulators write, with figures of one's choice."""

import json
from collections.abc import Mapping
from typing import Any

from sunstar.results import MachineResult, read

COUNTED_BY_ENWRICH = {
    "enwrich.flushes": 5.0,
    "enwrich.data_flushes": 4.0,
    "enwrich.directory_flushes": 0.0,
    "enwrich.fetched_blocks": 2.0,
}

COUNTS = ("bytes_lost", "bytes_verified", "calls", "disk_reads", "disk_writes")


def machine_document(
    mib_per_s: float,
    statistics: Mapping[str, float] | None = None,
    verified: bool = True,
    config: Mapping[str, Any] | None = None,
    **figures: Any,  # noqa: ANN401  any value of a result
) -> dict[str, Any]:
    """What sunstar-torus writes of one trial; `figures` stand in `result`, and in the trial if it has them."""
    throughput = {"mib_per_s": mib_per_s, "medium_mib_per_s": mib_per_s}
    counted = {"elapsed_s": 1, "messages": 7, "message_bytes": 1024, "verified": verified, "bytes_moved": 1024}
    unread = {"application_s": None, **dict.fromkeys(COUNTS, 0)}
    verification = {"by": "descriptions", "bytes_compared": 1024}
    latency = {"span": "of each call", "count": 8, "p50_s": 0.5, "p90_s": 1.0, "p99_s": 2.0, "max_s": 4.0}
    measured: dict[str, Any] = {
        **counted,
        **unread,
        "verification": verification,
        "header_bytes": 224,
        "network_bytes": 1248,
        "memory": {"compute_processor": 0, "io_processor": 16384},
        "warnings": [],
        "latency": latency,
    }
    return {
        "schema": "sunstar/1",
        "platform": "sunstar-torus",
        "version": "0.1.0",
        "seed": 1,
        "config": dict(config or {"workload": {"pattern": "rb"}}),
        "result": {
            "throughput": {**throughput, "coefficient_of_variation": 0},
            **measured,
            **figures,
        },
        "statistics": {
            name: {"value": value, "unit": "1", "description": name} for name, value in (statistics or {}).items()
        },
        "trials": [
            {
                "seed": 1,
                "throughput": throughput,
                **measured,
                **{name: in_trial(name, value) for name, value in figures.items() if name in measured},
            }
        ],
        "host": {"seconds": 0.5},
    }


def in_trial(name: str, value: object) -> object:
    """Counts are whole in a trial."""
    return round(value) if isinstance(value, float) and name != "elapsed_s" else value


def machine(
    mib_per_s: float,
    statistics: Mapping[str, float] | None = None,
    verified: bool = True,
    config: Mapping[str, Any] | None = None,
    **figures: Any,  # noqa: ANN401
) -> MachineResult:
    return machine_of(machine_document(mib_per_s, statistics, verified, config, **figures))


def machine_of(document: dict[str, Any]) -> MachineResult:
    found = read(json.dumps(document).encode())
    assert isinstance(found, MachineResult)
    return found


def of_trials(*values: float) -> MachineResult:
    """A run whose trials have this throughput, and each as many seconds."""
    document = machine_document(1.0)
    trial = document["trials"][0]
    document["trials"] = [
        {**trial, "throughput": {**trial["throughput"], "mib_per_s": value}, "elapsed_s": value} for value in values
    ]
    return machine_of(document)
