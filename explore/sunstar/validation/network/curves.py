# SPDX-License-Identifier: MIT
"""Latency and accepted load against offered load: the flit model beside BookSim2."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sunstar.errors import UnmeasuredError
from sunstar.files import Column, read_rows
from sunstar.results import NetworkResult
from sunstar.runs.simulator import Point
from sunstar.study.cases import Settings
from sunstar.validation.network.models import RULES, TRAFFIC, Row, pipeline, router, synthetic

DELAY_COLUMNS = ("routing_delay", "vc_alloc_delay", "sw_alloc_delay", "st_final_delay", "link_delay")
COLUMNS: dict[str, Column] = {
    **dict.fromkeys(("topology", "pipeline", "speculative", "routing_function", "traffic"), str),
    **dict.fromkeys(("wait_for_tail_credit", "saturated"), str),
    **dict.fromkeys(("k", "n", *DELAY_COLUMNS, "num_vcs", "vc_buf_size", "packet_size", "seed"), int),
    **dict.fromkeys(("offered", "accepted", "mean_packet_latency"), float),
}


@dataclass(frozen=True)
class Curve:
    k: int
    n: int
    topology: str
    pipeline: str
    delays: tuple[int | bool, ...]
    rule: str
    virtual_channels: int
    buffer_flits: int
    tail_credit: bool
    packet_flits: int
    traffic: str

    def settings(self, load: float) -> Settings:
        return {
            **router(
                virtual_channels=self.virtual_channels,
                buffer_flits=self.buffer_flits,
                vc_class_rule=self.rule,
                wait_for_tail_credit=self.tail_credit,
            ),
            **pipeline(self.delays),
            "machine.network.shape": str([self.k] * self.n),
            "machine.network.topology": self.topology,
            **synthetic("flit", self.traffic, self.packet_flits, load),
        }

    def name(self) -> str:
        tail = ", tail credit" if self.tail_credit else ""
        where = "" if (self.k, self.n, self.topology) == (6, 2, "torus") else f"{self.k}-ary {self.n}-{self.topology}, "
        vcs = "" if self.virtual_channels == 2 else f", {self.virtual_channels} VCs"
        lengths = f"L={self.packet_flits}, B={self.buffer_flits}{vcs}"
        return f"{where}{self.pipeline}, {self.rule}{tail}, {self.traffic}, {lengths}"


def file_name(curve: str) -> str:
    kept = (c if c.isalnum() else "-" for c in curve.replace("=", ""))
    return "-".join(part for part in "".join(kept).split("-") if part)


def curve_of(row: Row) -> Curve:
    traffic: str = row["traffic"]
    return Curve(
        row["k"],
        row["n"],
        row["topology"],
        row["pipeline"],
        delays=(*(row[name] for name in DELAY_COLUMNS), row["speculative"] == "1"),
        rule=RULES.get(row["routing_function"], "static"),
        virtual_channels=row["num_vcs"],
        buffer_flits=row["vc_buf_size"],
        tail_credit=row["wait_for_tail_credit"] == "1",
        packet_flits=row["packet_size"],
        traffic=TRAFFIC.get(traffic, traffic),
    )


def rows_to_measure(reference: Path, keep: Callable[[Curve], bool]) -> list[Row]:
    """The reference's rows of the first seed that `keep` accepts."""
    rows = read_rows(reference, COLUMNS)
    first = min(row["seed"] for row in rows)
    return [row for row in rows if row["seed"] == first and keep(curve_of(row))]


def points_of(rows: Sequence[Row], seed: int) -> dict[str, Point]:
    return {
        f"{curve_of(row).name()}, {row['offered']}": Point(
            curve_of(row).settings(row["offered"]), platform="network", seed=seed
        )
        for row in rows
    }


def load_points(rows: Sequence[Row], results: Sequence[NetworkResult]) -> list[Row]:
    """The figures of the runs beside those of the rows. There is no latency where BookSim2 was saturated, and where no
    measured message arrived."""
    return [
        {
            "curve": curve_of(row).name(),
            "offered": row["offered"],
            "reference_accepted": row["accepted"],
            "reference_latency": None if row["saturated"] == "1" else row["mean_packet_latency"],
            "accepted": document.result.accepted,
            "latency": document.result.latency.mean_cycles,
            "saturated": document.result.saturated,
        }
        for row, document in zip(rows, results, strict=True)
    ]


def summarise(points: Sequence[Row]) -> list[Row]:
    """For each curve: saturation, which is its largest accepted load; the largest relative error of the accepted load
    in a saturated row, None without such rows; and that of latency up to 80 % of saturation, with its load."""
    return [summary_of(curve, of_curve(points, curve)) for curve in dict.fromkeys(p["curve"] for p in points)]


def of_curve(points: Sequence[Row], curve: str) -> list[Row]:
    return [point for point in points if point["curve"] == curve]


def summary_of(curve: str, points: Sequence[Row]) -> Row:
    reference = max(p["reference_accepted"] for p in points)
    saturation = max(p["accepted"] for p in points)
    errors = []
    for p in points:
        if p["reference_latency"] is not None and p["offered"] <= 0.8 * reference:
            if p["latency"] is None:
                raise UnmeasuredError(f"{curve}: no message arrived at a load of {p['offered']}")
            errors.append((p["latency"] / p["reference_latency"] - 1, p["offered"]))
    if not errors:
        raise UnmeasuredError(f"{curve}: the reference has no row below 80 % of saturation")
    worst, at = max(errors, key=lambda e: abs(e[0]))
    accepted = [p["accepted"] / p["reference_accepted"] - 1 for p in points if p["reference_latency"] is None]
    return {
        "curve": curve,
        "points": len(points),
        "reference_saturation": reference,
        "saturation": saturation,
        "saturation_error": saturation / reference - 1,
        "worst_accepted": max(accepted, key=abs, default=None),
        "worst_latency": worst,
        "worst_at": at,
    }
