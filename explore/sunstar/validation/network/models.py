# SPDX-License-Identifier: MIT
"""The network's models side by side: one message alone, the worm model by load, whole experiments; with BookSim2's
figures, which come with this package (data/README.md), and how its names map to Sunstar's parameters."""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from sunstar.errors import RunError, UnmeasuredError
from sunstar.files import Column, read_rows, writing
from sunstar.results import NetworkResult
from sunstar.runs.runner import Runner, document_of
from sunstar.runs.simulator import Point
from sunstar.study.cases import Cases, Found, Key, Settings, every, transfer
from sunstar.study.views import WORM, other, under_both

DATA = Path(__file__).parents[1] / "data"
BOOKSIM_CURVES = DATA / "booksim-torus.csv"
BOOKSIM_ZERO_LOAD = DATA / "booksim-zero-load.csv"

RULES = {"dim_order": "static", "dim_order_bal": "balanced"}
TRAFFIC = {"neighbor": "neighbour", "bitcomp": "complement"}
PIPELINES = {  # routing, VC allocation, switch allocation, traversal, link, speculative
    "m4": (0, 1, 1, 1, 1, False),
    "d5": (1, 1, 1, 1, 1, False),
    "d6": (1, 1, 1, 1, 2, False),
    "s3": (0, 1, 1, 1, 1, True),
}
DELAYS = (
    "routing_delay",
    "vc_allocation_delay",
    "switch_allocation_delay",
    "traversal_delay",
    "link_delay",
    "speculative",
)


def router(**values: str | int | float | bool) -> Settings:
    return {f"machine.network.router.{name}": value for name, value in values.items()}


def pipeline(delays: tuple[int | bool, ...]) -> Settings:
    return router(**dict(zip(DELAYS, delays, strict=True)))


def synthetic(model: str, pattern: str, packet_flits: int, load: float) -> Settings:
    return {
        "machine.network.model": model,
        "workload.kind": "synthetic",
        "workload.pattern": pattern,
        "workload.packet_flits": packet_flits,
        "workload.load": load,
    }


# One message alone ----------------------------------------------------------------------------------------------------


COLUMNS: dict[str, Column] = {
    "pipeline": str,
    **dict.fromkeys(("packet_size", "vc_buf_size", "links_H", "formula"), int),
    "measured_mean_latency": float,
}
CYCLE_NS = 5  # The cycle of the network's default clock


Row = dict[str, Any]


def zero_load(reference: Path, runner: Runner) -> list[Row]:
    """One message alone over each number of links of a 6x6 torus: the closed form, what BookSim2 measured at a low
    load, a little above it, and the flit model's cycles from creation to arrival."""
    found: list[Row] = []
    rows = read_rows(reference, COLUMNS)
    for name, delays in PIPELINES.items():
        for flits in sorted({row["packet_size"] for row in rows if row["pipeline"] == name}):
            mine = [row for row in rows if (row["pipeline"], row["packet_size"]) == (name, flits)]
            latency = alone(router(buffer_flits=mine[0]["vc_buf_size"]) | pipeline(delays), flits, runner)
            found += [
                {
                    "pipeline": name,
                    "flits": flits,
                    "hops": row["links_H"],
                    "formula": row["formula"],
                    "reference": row["measured_mean_latency"],
                    "flit": latency[row["links_H"]],
                }
                for row in mine
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


# The worm model by load -----------------------------------------------------------------------------------------------


SHARES = (0.1, 0.2, 0.4, 0.6, 0.8)


class Case(NamedTuple):
    traffic: str
    flits: int  # Flits in a message
    buffer: int


CASES = (
    *(Case("uniform", flits, buffer) for flits in (8, 32) for buffer in (8, 16, 32)),
    Case("uniform", 128, 8),
    *(Case("tornado", flits, buffer) for flits in (8, 32) for buffer in (8, 32)),
    *(Case("neighbour", flits, 8) for flits in (8, 32)),
)
STEPS = 7  # Steps of the bisection for saturation, which find it to 1/128 of a flit for each node and flit time


def settings(model: str, case: Case, load: float) -> Settings:
    buffer: Settings = {"machine.network.router_buffer": f"{case.buffer}B"}
    return {
        **synthetic(model, case.traffic, case.flits, round(load, 6)),
        **(router(buffer_flits=case.buffer) if model == "flit" else buffer),
    }


def run_network(model: str, case: Case, load: float, seed: int, runner: Runner) -> NetworkResult:
    run = runner.one(Point(settings(model, case, load), platform="network", seed=seed), trials_at_once=1)
    return document_of(NetworkResult, run, runner.store)


def saturation(case: Case, seed: int, runner: Runner) -> float:
    """The largest load tried at which the flit model is not saturated."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        saturated = run_network("flit", case, middle, seed, runner).result.saturated
        low, high = (low, middle) if saturated else (middle, high)
    return low


def worm_points(case: Case, seed: int, runner: Runner) -> list[Row]:
    """Latency from creation, in cycles, by both models; the share of time for which the busiest link was busy, and
    whether the worm model warned."""
    most = saturation(case, seed, runner)
    points: list[Row] = []
    for share in SHARES:
        flit, worm = (run_network(model, case, share * most, seed, runner).result for model in ("flit", "worm"))
        if flit.latency.mean_cycles is None or worm.latency.mean_cycles is None:
            raise UnmeasuredError(f"{case}: no message arrived at {share:.0%} of saturation")
        points.append(
            {
                **case._asdict(),
                "saturation": most,
                "share": share,
                "flit": flit.latency.mean_cycles,
                "worm": worm.latency.mean_cycles,
                "busiest": worm.links.max,
                "warned": any("worm model" in sentence for sentence in worm.warnings),
            }
        )
    return points


# Whole experiments on the machine of TR94-226 -------------------------------------------------------------------------


METHODS: dict[str, Settings] = {
    "traditional-caching": {"file_system.kind": "traditional-caching"},
    "disk-directed": {"file_system.kind": "disk-directed", "file_system.presort": True},
}


def cases() -> Cases:
    """Many large messages, and many tiny ones in small files."""

    def settings(key: Key) -> Settings:
        size = "10MiB" if key.record_bytes == 8192 else "1MiB"
        return {**transfer(key, METHODS[key.method]), "workload.file_size": size}

    large = every(settings, METHODS, ("ra", "rb", "rcc", "wb", "wcc"), record_sizes=(8192,))
    return under_both({**large, **every(settings, METHODS, ("rc", "wcc"), record_sizes=(8,))}, keep_x=False)


def experiments(found: Found) -> list[Row]:
    """Throughput under both models in MiB/s, means of the trials, and the coefficient of variation of the trials under
    the worm model."""
    return [
        {
            "file_system": key.method,
            "pattern": key.pattern,
            "record_bytes": key.record_bytes,
            "worm": found.mib(key),
            "flit": found.mib(other(key)),
            "variation": found[key].coefficient_of_variation,
            "trials": len(found[key].trials),
        }
        for key in found.select(x=WORM)
    ]
