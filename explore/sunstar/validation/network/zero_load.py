# SPDX-License-Identifier: MIT
"""One message alone beside the closed forms that BookSim2 meets."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from sunstar.errors import RunError
from sunstar.files import Column, read_rows, writing
from sunstar.runs.point import Point
from sunstar.runs.runner import Runner
from sunstar.study.cases import Settings
from sunstar.validation.network.reference import PIPELINES, pipeline, router

COLUMNS: dict[str, Column] = {
    "pipeline": str,
    **dict.fromkeys(("packet_size", "vc_buf_size", "links_H", "formula"), int),
    "measured_mean_latency": float,
}
CYCLE_NS = 5
"""The cycle of the network's default clock."""


@dataclass(frozen=True)
class ZeroLoad:
    pipeline: str
    flits: int
    hops: int
    formula: int
    reference: float
    """The latency that BookSim2 measured at a low load, a little above the formula."""
    flit: float
    """The flit model's cycles from creation to arrival of one message alone."""


def zero_load(reference: Path, runner: Runner) -> list[ZeroLoad]:
    """One message alone over each number of links of a 6x6 torus."""
    found: list[ZeroLoad] = []
    rows = read_rows(reference, COLUMNS)
    for name, delays in PIPELINES.items():
        for flits in sorted({row["packet_size"] for row in rows if row["pipeline"] == name}):
            mine = [row for row in rows if (row["pipeline"], row["packet_size"]) == (name, flits)]
            latency = alone(router(buffer_flits=mine[0]["vc_buf_size"]) | pipeline(delays), flits, runner)
            found += [
                ZeroLoad(name, flits, hops, row["formula"], row["measured_mean_latency"], latency[hops])
                for row in mine
                for hops in [row["links_H"]]
            ]
    return found


def alone(settings: Settings, flits: int, runner: Runner) -> dict[int, float]:
    """Latency in cycles of messages far apart in time, by links crossed."""
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        messages, records = Path(folder) / "messages.csv", Path(folder) / "records.csv"
        # Router (x, y) of a 6x6 is x + 6 y.
        places = [x + 6 * y for x in range(4) for y in range(4)]
        lines = [f"{1000 * i},0,{to},{flits}" for i, to in enumerate(places)]
        with writing(messages):
            messages.write_text("\n".join(["time,from,to,bytes", *lines]) + "\n")
        traced: Settings = {
            "machine.network.model": "flit",
            "workload.kind": "trace",
            "workload.trace": str(messages),
            "workload.time_unit": "us",
        }
        point = Point({**settings, **traced}, platform="network", records=True)
        with writing(records):
            records.write_bytes(runner.records(runner.one(point)))
        latency: dict[int, float] = {}
        for row in read_rows(records, {"created_ns": float, "arrived_ns": float, "hops": int}):
            cycles = (row["arrived_ns"] - row["created_ns"]) / CYCLE_NS
            hops = row["hops"]
            if latency.setdefault(hops, cycles) != cycles:
                raise RunError(f"messages over {hops} links took {latency[hops]} and {cycles} cycles", 4)
        return latency
