# SPDX-License-Identifier: MIT
"""The network's two models: flits beside BookSim2, worms beside flits."""

import csv
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sunstar.errors import FileError, RunError
from sunstar.run import Point, Setting, run_document
from sunstar.sweep import sweep_with

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


def router(**values: Setting) -> dict[str, Setting]:
    return {f"machine.network.router.{name}": value for name, value in values.items()}


def traffic(model: str, **values: Setting) -> dict[str, Setting]:
    return {"workload.kind": "traffic", "machine.network.model": model} | {
        f"workload.{name}": value for name, value in values.items()
    }


# Zero load ---------------------------------------------------------------------------------------------------------


ZERO_LOAD_COLUMNS = {
    "pipeline": str,
    **dict.fromkeys(("packet_size", "vc_buf_size", "links_H", "formula"), int),
    "measured_mean_latency": float,
}


@dataclass(frozen=True)
class ZeroLoad:
    pipeline: str
    flits: int
    hops: int
    formula: int
    reference: float
    """Measured by BookSim2 at a low load, a little above the formula."""
    flit: float
    """Cycles from creation to arrival of one message alone."""


def zero_load(reference: Path) -> list[ZeroLoad]:
    """One message alone over each number of links of a 6x6 torus, beside the closed forms."""
    found: list[ZeroLoad] = []
    rows = read(reference, ZERO_LOAD_COLUMNS)
    for pipeline, delays in PIPELINES.items():
        for flits in sorted({int(row["packet_size"]) for row in rows if row["pipeline"] == pipeline}):
            mine = [r for r in rows if r["pipeline"] == pipeline and int(r["packet_size"]) == flits]
            settings = router(buffer_flits=int(mine[0]["vc_buf_size"]), **dict(zip(DELAYS, delays, strict=True)))
            latency = alone(settings, flits)
            found += [
                ZeroLoad(pipeline, flits, hops, int(row["formula"]), float(row["measured_mean_latency"]), latency[hops])
                for row in mine
                for hops in [int(row["links_H"])]
            ]
    return found


def alone(settings: dict[str, Setting], flits: int) -> dict[int, float]:
    """Latency in cycles of messages far apart in time, by links crossed."""
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        messages, records = Path(folder) / "messages.csv", Path(folder) / "records.csv"
        # Router (x, y) of a 6x6 is x + 6 y.
        places = [x + 6 * y for x in range(4) for y in range(4)]
        lines = [f"{1000 * i},0,{to},{flits}" for i, to in enumerate(places)]
        messages.write_text("\n".join(["time,from,to,bytes", *lines]) + "\n")
        point = Point(
            settings | traffic("flit", traffic="trace", trace=str(messages), time_unit="us", records=str(records))
        )
        run_document(point)
        latency: dict[int, float] = {}
        for row in read(records, {"created_ns": float, "arrived_ns": float, "hops": int}):
            cycles = (float(row["arrived_ns"]) - float(row["created_ns"])) / 5
            hops = int(row["hops"])
            if latency.setdefault(hops, cycles) != cycles:
                raise RunError(f"messages over {hops} links took {latency[hops]} and {cycles} cycles", 4)
        return latency


# Latency against load ----------------------------------------------------------------------------------------------


REFERENCE_DELAYS = ("routing_delay", "vc_alloc_delay", "sw_alloc_delay", "st_final_delay", "link_delay")
CURVE_COLUMNS = {
    **dict.fromkeys(("topology", "pipeline", "speculative", "routing_function", "traffic"), str),
    **dict.fromkeys(("wait_for_tail_credit", "saturated"), str),
    **dict.fromkeys(("k", "n", *REFERENCE_DELAYS, "num_vcs", "vc_buf_size", "packet_size", "seed"), int),
    **dict.fromkeys(("offered", "accepted", "mean_packet_latency"), float),
}


@dataclass(frozen=True)
class Curve:
    """One configuration of the network."""

    k: int
    n: int
    topology: str
    pipeline: str
    delays: tuple[Setting, ...]
    rule: str
    virtual_channels: int
    buffer_flits: int
    tail_credit: bool
    packet_flits: int
    traffic: str

    def settings(self) -> dict[str, Setting]:
        return (
            router(
                virtual_channels=self.virtual_channels,
                buffer_flits=self.buffer_flits,
                vc_class_rule=self.rule,
                wait_for_tail_credit=self.tail_credit,
                **dict(zip(DELAYS, self.delays, strict=True)),
            )
            | {"machine.network.shape": str([self.k] * self.n), "machine.network.topology": self.topology}
            | {"workload.traffic": self.traffic, "workload.packet_flits": self.packet_flits}
        )

    def name(self) -> str:
        tail = ", tail credit" if self.tail_credit else ""
        where = "" if (self.k, self.n, self.topology) == (6, 2, "torus") else f"{self.k}-ary {self.n}-{self.topology}, "
        vcs = "" if self.virtual_channels == 2 else f", {self.virtual_channels} VCs"
        lengths = f"L={self.packet_flits}, B={self.buffer_flits}{vcs}"
        return f"{where}{self.pipeline}, {self.rule}{tail}, {self.traffic}, {lengths}"

    def file_name(self) -> str:
        kept = (c if c.isalnum() else "-" for c in self.name().replace("=", ""))
        return "-".join(part for part in "".join(kept).split("-") if part)


@dataclass(frozen=True)
class LoadPoint:
    curve: Curve
    offered: float
    reference_accepted: float
    reference_latency: float | None
    """None where BookSim2 was saturated."""
    accepted: float
    latency: float
    saturated: bool


def curve_of(row: dict[str, str]) -> Curve:
    speculative = row["speculative"] == "1"
    numbers = [int(row[name]) for name in REFERENCE_DELAYS]
    return Curve(
        k=int(row["k"]),
        n=int(row["n"]),
        topology=row["topology"],
        pipeline=row["pipeline"],
        delays=(*numbers, speculative),
        rule=RULES.get(row["routing_function"], "static"),
        virtual_channels=int(row["num_vcs"]),
        buffer_flits=int(row["vc_buf_size"]),
        tail_credit=row["wait_for_tail_credit"] == "1",
        packet_flits=int(row["packet_size"]),
        traffic=TRAFFIC.get(row["traffic"], row["traffic"]),
    )


def measure_curves(
    reference: Path, seed: int, jobs: int, keep: Callable[[Curve], bool], on_point: Callable[[str], None] | None = None
) -> list[LoadPoint]:
    """Every row of the first seed of the reference, run with the flit model."""
    rows = rows_to_measure(reference, keep)
    points = [Point(curve_of(r).settings() | traffic("flit", load=float(r["offered"])), seed=seed) for r in rows]
    names = [f"{curve_of(r).name()}, {r['offered']}" for r in rows]
    done = sweep_with(
        run_document, points, jobs=jobs, on_result=lambda i, _: on_point(names[i]) if on_point is not None else None
    )
    return [
        LoadPoint(
            curve_of(row),
            float(row["offered"]),
            float(row["accepted"]),
            None if row["saturated"] == "1" else float(row["mean_packet_latency"]),
            float(document["result"]["accepted"]),
            float(document["result"]["latency"]["mean_cycles"] or 0.0),  # null if no measured message arrived
            bool(document["result"]["saturated"]),
        )
        for row, document in zip(rows, done, strict=True)
    ]


def rows_to_measure(reference: Path, keep: Callable[[Curve], bool]) -> list[dict[str, str]]:
    rows = read(reference, CURVE_COLUMNS)
    first = min(int(row["seed"]) for row in rows)
    return [row for row in rows if int(row["seed"]) == first and keep(curve_of(row))]


@dataclass(frozen=True)
class CurveSummary:
    curve: Curve
    points: int
    reference_saturation: float
    """The most that is accepted at any load of the curve."""
    saturation: float
    worst_accepted: float
    """The largest relative error of the accepted load in a saturated row."""
    worst_latency: float
    """The largest relative error of latency below 80 % of saturation, and at which load."""
    worst_at: float

    @property
    def saturation_error(self) -> float:
        return self.saturation / self.reference_saturation - 1


def summarise(points: Sequence[LoadPoint]) -> list[CurveSummary]:
    summaries = []
    for curve in dict.fromkeys(p.curve for p in points):
        mine = [p for p in points if p.curve == curve]
        saturation = max(p.reference_accepted for p in mine)
        below = [p for p in mine if p.reference_latency is not None and p.offered <= 0.8 * saturation]
        errors = [(p.latency / p.reference_latency - 1, p.offered) for p in below if p.reference_latency]
        worst, at = max(errors, key=lambda e: abs(e[0]), default=(0.0, 0.0))
        accepted = [p.accepted / p.reference_accepted - 1 for p in mine if p.reference_latency is None]
        summaries.append(
            CurveSummary(
                curve,
                len(mine),
                saturation,
                max(p.accepted for p in mine),
                max(accepted, key=abs, default=0.0),
                worst,
                at,
            )
        )
    return summaries


# Worms beside flits ------------------------------------------------------------------------------------------------

SHARES = (0.1, 0.2, 0.4, 0.6, 0.8)
WORM_CASES = (  # traffic, flits of a message, buffer; saturation is measured
    *(("uniform", flits, buffer) for flits in (8, 32) for buffer in (8, 16, 32)),
    ("uniform", 128, 8),
    *(("tornado", flits, buffer) for flits in (8, 32) for buffer in (8, 32)),
    *(("neighbour", flits, 8) for flits in (8, 32)),
)
STEPS = 7
"""Of the search for saturation by bisection: to 1 % of the least load that is certainly too much."""


@dataclass(frozen=True)
class WormPoint:
    traffic: str
    flits: int
    buffer: int
    saturation: float
    share: float
    flit: float
    worm: float
    """Latency from creation, in cycles."""
    busiest: float
    """Share of time for which the busiest link was busy, by the worm model."""
    warned: bool

    @property
    def error(self) -> float:
        return self.worm / self.flit - 1


def worm_settings(model: str, case: tuple[str, int, int], load: float) -> dict[str, Setting]:
    name, flits, buffer = case
    settings = traffic(model, traffic=name, packet_flits=flits, load=round(load, 6))
    return settings | (
        router(buffer_flits=buffer) if model == "flit" else {"machine.network.router_buffer": f"{buffer}B"}
    )


def saturation(case: tuple[str, int, int], seed: int) -> float:
    """The load from which on the flit model calls itself saturated."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        result = run_document(Point(worm_settings("flit", case, middle), seed=seed), jobs=1)["result"]
        low, high = (low, middle) if result["saturated"] else (middle, high)
    return low


def worm_points(case: tuple[str, int, int], seed: int) -> list[WormPoint]:
    most = saturation(case, seed)
    points = []
    for share in SHARES:
        flit, worm = (
            run_document(Point(worm_settings(model, case, share * most), seed=seed), jobs=1)["result"]
            for model in ("flit", "worm")
        )
        points.append(
            WormPoint(
                *case,
                most,
                share,
                flit["latency"]["mean_cycles"],
                worm["latency"]["mean_cycles"],
                worm["links"]["max"],
                any("worm model" in sentence for sentence in worm["warnings"]),
            )
        )
    return points


# Whole experiments -------------------------------------------------------------------------------------------------

EXPERIMENTS = (  # file system, presort, pattern, record bytes, file size
    *(("traditional-caching", False, pattern, 8192, "10MiB") for pattern in ("ra", "rb", "rcc", "wb", "wcc")),
    *(("disk-directed", True, pattern, 8192, "10MiB") for pattern in ("ra", "rb", "rcc", "wb", "wcc")),
    ("traditional-caching", False, "rc", 8, "1MiB"),
    ("traditional-caching", False, "wcc", 8, "1MiB"),
    ("disk-directed", True, "rc", 8, "1MiB"),
    ("disk-directed", True, "wcc", 8, "1MiB"),
)


@dataclass(frozen=True)
class Experiment:
    file_system: str
    pattern: str
    record_bytes: int
    worm: float
    flit: float
    """MiB/s, means of the trials."""
    variation: float
    """Coefficient of variation of the trials under the worm model."""
    trials: int

    @property
    def difference(self) -> float:
        return self.flit / self.worm - 1


def experiment_points(trials: int, seed: int) -> list[Point]:
    """Two a row: under worms, under flits."""
    return [
        Point(
            {
                "file_system.kind": kind,
                "file_system.presort": presort,
                "workload.pattern": pattern,
                "workload.record_size": f"{record}B",
                "workload.file_size": size,
                "machine.network.model": model,
            },
            seed=seed,
            trials=trials,
        )
        for kind, presort, pattern, record, size in EXPERIMENTS
        for model in ("worm", "flit")
    ]


def experiments(documents: Sequence[dict[str, Any]]) -> list[Experiment]:
    rows = []
    for (kind, _, pattern, record, _), worm, flit in zip(EXPERIMENTS, documents[::2], documents[1::2], strict=True):
        a, b = (d["result"]["throughput"] for d in (worm, flit))
        rows.append(
            Experiment(
                kind,
                pattern,
                record,
                a["mib_per_s"],
                b["mib_per_s"],
                a["coefficient_of_variation"],
                len(worm["trials"]),
            )
        )
    return rows


def read(path: Path, columns: Mapping[str, type]) -> list[dict[str, str]]:
    """The rows of a CSV file that has at least these columns, whose values can be read as their types."""
    try:
        with path.open(newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or [])]
            if missing:
                raise FileError(f"{path} has no column {', '.join(missing)}")
            rows = list(reader)
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if not rows:
        raise FileError(f"{path} has no row below its line of column names")
    for number, row in enumerate(rows, start=2):
        for name, kind in columns.items():
            if row[name] is None:
                raise FileError(f"{path}, line {number}: {name} is missing")
            try:
                kind(row[name])
            except ValueError as error:
                wanted = "a whole number" if kind is int else "a number"
                raise FileError(f"{path}, line {number}: {name} is {row[name]!r}; it must be {wanted}") from error
    return rows


def table_of(items: Iterable[Any]) -> list[dict[str, Any]]:
    """Dataclasses as rows of plain values; a curve as its name."""
    return [
        {key: value.name() if isinstance(value, Curve) else value for key, value in vars(item).items()}
        for item in items
    ]
