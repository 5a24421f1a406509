# SPDX-License-Identifier: MIT
"""The network's models side by side: one message alone, the worm model by load, whole experiments; with BookSim2's
figures, which come with this package (data/README.md), and how its names map to Sunstar's parameters."""

import tempfile
from pathlib import Path
from typing import NamedTuple

import polars as pl

from sunstar.errors import RunError, UnmeasuredError
from sunstar.files import Column, read_rows, writing
from sunstar.results import NetworkResult
from sunstar.runs.runner import Runner, documents_of
from sunstar.runs.simulator import Point
from sunstar.study.cases import Cases, Found, Settings, points_of
from sunstar.study.views import WORM, other, under_both
from sunstar.validation.comparing import Row

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
DELAYS = [f"{stage}_delay" for stage in ("routing", "vc_allocation", "switch_allocation", "traversal", "link")]
COLUMNS: dict[str, Column] = {"pipeline": str, "measured_mean_latency": float}
COLUMNS |= dict.fromkeys(("packet_size", "vc_buf_size", "links_H", "formula"), int)
CYCLE_NS = 5  # The cycle of the network's default clock
SHARES = (0.1, 0.2, 0.4, 0.6, 0.8)
STEPS = 7  # Steps of the bisection for saturation, which find it to 1/128 of a flit for each node and flit time


def router(**values: str | int | float | bool) -> Settings:
    return {f"machine.network.router.{name}": value for name, value in values.items()}


def pipeline(delays: tuple[int | bool, ...]) -> Settings:
    return router(**dict(zip([*DELAYS, "speculative"], delays, strict=True)))


def synthetic(model: str, pattern: str, packet_flits: int, load: float) -> Settings:
    traffic: Settings = {"kind": "synthetic", "pattern": pattern, "packet_flits": packet_flits, "load": load}
    return {"machine.network.model": model, **{f"workload.{name}": value for name, value in traffic.items()}}


def zero_load(reference: Path, runner: Runner) -> list[Row]:
    """One message alone over each number of links of a 6x6 torus: the closed form, what BookSim2 measured at a low
    load, a little above it, and the flit model's cycles from creation to arrival."""
    found: list[Row] = []
    table = pl.DataFrame(read_rows(reference, COLUMNS)).sort("packet_size", maintain_order=True)
    for name, delays in PIPELINES.items():
        mine = table.filter(pl.col("pipeline") == name).group_by("packet_size", maintain_order=True)
        for (flits,), rows in mine:
            latency = alone(router(buffer_flits=rows["vc_buf_size"][0]) | pipeline(delays), flits, runner)
            for hops, formula, measured in rows.select("links_H", "formula", "measured_mean_latency").iter_rows():
                message = {"pipeline": name, "flits": flits, "hops": hops}
                found.append({**message, "formula": formula, "reference": measured, "flit": latency[hops]})
    return found


def alone(settings: Settings, flits: int, runner: Runner) -> dict[int, float]:
    """Latency in cycles of messages far apart in time, by links crossed."""
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        messages = Path(folder) / "messages.csv"
        # Router (x, y) of a 6x6 is x + 6 y.
        places = [x + 6 * y for x in range(4) for y in range(4)]
        lines = [f"{1000 * i},0,{to},{flits}" for i, to in enumerate(places)]
        with writing(messages):
            messages.write_text("\n".join(["time,from,to,bytes", *lines]) + "\n")
        traced = {"workload.kind": "trace", "workload.trace": str(messages), "workload.time_unit": "us"}
        own = {**settings, "machine.network.model": "flit", **traced}
        point = Point(own, platform="network", records=True)
        records = pl.read_csv(runner.records(runner.one(point)))
    latency: dict[int, float] = {}
    cycles_of = (pl.col("arrived_ns") - pl.col("created_ns")) / CYCLE_NS
    for hops, cycles in records.select("hops", cycles_of.alias("cycles")).iter_rows():
        if latency.setdefault(hops, cycles) != cycles:
            raise RunError(f"messages over {hops} links took {latency[hops]} and {cycles} cycles", 4)
    return latency


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


def run_network(model: str, case: Case, load: float, seed: int, runner: Runner) -> NetworkResult:
    worm: Settings = {"machine.network.router_buffer": f"{case.buffer}B"}
    buffer = router(buffer_flits=case.buffer) if model == "flit" else worm
    settings = {**synthetic(model, case.traffic, case.flits, round(load, 6)), **buffer}
    run = runner.one(Point(settings, platform="network", seed=seed), trials_at_once=1)
    return documents_of(NetworkResult, [run], runner.store)[0]


def saturation(case: Case, seed: int, runner: Runner) -> float:
    """The largest load tried at which the flit model is not saturated."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        saturated = run_network("flit", case, middle, seed, runner).result.saturated
        low, high = (low, middle) if saturated else (middle, high)
    return low


def worm_points(case: Case, seed: int, runner: Runner) -> list[Row]:
    """Cycles from creation by both models; how long the busiest link was busy; whether the worm model warned."""
    most = saturation(case, seed, runner)
    points: list[Row] = []
    for share in SHARES:
        flit, worm = (run_network(model, case, share * most, seed, runner).result for model in ("flit", "worm"))
        if flit.latency.mean_cycles is None or worm.latency.mean_cycles is None:
            raise UnmeasuredError(f"{case}: no message arrived at {share:.0%} of saturation")
        warned = any("worm model" in sentence for sentence in worm.warnings)
        latency = {"flit": flit.latency.mean_cycles, "worm": worm.latency.mean_cycles}
        at = {**case._asdict(), "saturation": most, "share": share}
        points.append({**at, **latency, "busiest": worm.links.max, "warned": warned})
    return points


def cases() -> Cases:
    """Many large messages, and many tiny ones in small files."""
    large, tiny = (points_of("tr94-226", f"network, {size}") for size in ("large messages", "tiny messages"))
    return under_both({**large, **tiny}, keep_x=False)


def experiments(found: Found) -> list[Row]:
    """Throughput under both models in MiB/s, means of trials, and its coefficient of variation under the worm model."""
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
