# SPDX-License-Identifier: MIT
"""Latency and accepted load against offered load: the flit model beside BookSim2."""

from collections.abc import Sequence
from pathlib import Path

from sunstar.errors import UnmeasuredError
from sunstar.files import Column, read_rows
from sunstar.results import NetworkResult
from sunstar.study.cases import Settings
from sunstar.validation.comparing import Row
from sunstar.validation.network.models import RULES, TRAFFIC, pipeline, router, synthetic

DELAY_COLUMNS = ("routing_delay", "vc_alloc_delay", "sw_alloc_delay", "st_final_delay", "link_delay")
COLUMNS: dict[str, Column] = {
    **dict.fromkeys(("topology", "pipeline", "speculative", "routing_function", "traffic"), str),
    **dict.fromkeys(("wait_for_tail_credit", "saturated"), str),
    **dict.fromkeys(("k", "n", *DELAY_COLUMNS, "num_vcs", "vc_buf_size", "packet_size", "seed"), int),
    **dict.fromkeys(("offered", "accepted", "mean_packet_latency"), float),
}


def settings_of(row: Row) -> Settings:
    tail_credit = row["wait_for_tail_credit"] == "1"
    return {
        **router(virtual_channels=row["num_vcs"], buffer_flits=row["vc_buf_size"]),
        **router(vc_class_rule=row["rule"], wait_for_tail_credit=tail_credit),
        **pipeline(row["delays"]),
        "machine.network.shape": str([row["k"]] * row["n"]),
        "machine.network.topology": row["topology"],
        **synthetic("flit", row["traffic"], row["packet_size"], row["offered"]),
    }


def in_our_terms(row: Row) -> Row:
    """A row with the names of its rule, its traffic and its curve, and the delays of its pipeline."""
    rule, traffic = RULES.get(row["routing_function"], "static"), TRAFFIC.get(row["traffic"], row["traffic"])
    tail = ", tail credit" if row["wait_for_tail_credit"] == "1" else ""
    k, n, topology = row["k"], row["n"], row["topology"]
    where = "" if (k, n, topology) == (6, 2, "torus") else f"{k}-ary {n}-{topology}, "
    vcs = "" if row["num_vcs"] == 2 else f", {row['num_vcs']} VCs"
    lengths = f"L={row['packet_size']}, B={row['vc_buf_size']}{vcs}"
    curve = f"{where}{row['pipeline']}, {rule}{tail}, {traffic}, {lengths}"
    delays = (*(row[name] for name in DELAY_COLUMNS), row["speculative"] == "1")
    return {**row, "rule": rule, "traffic": traffic, "curve": curve, "delays": delays}


def rows_to_measure(reference: Path, texts: Sequence[str]) -> list[Row]:
    """The reference's rows of the first seed whose curves have one of these texts in their names; all without texts."""
    rows = read_rows(reference, COLUMNS)
    first = min(row["seed"] for row in rows)
    mine = [in_our_terms(row) for row in rows if row["seed"] == first]
    return [row for row in mine if not texts or any(text in row["curve"] for text in texts)]


def load_points(rows: Sequence[Row], results: Sequence[NetworkResult]) -> list[Row]:
    """The figures of runs beside the rows. Where BookSim2 was saturated, or nothing arrived, there is no latency."""
    latency = [None if row["saturated"] == "1" else row["mean_packet_latency"] for row in rows]
    found = zip(rows, latency, results, strict=True)
    return [{**beside(row, reference, of), "saturated": of.result.saturated} for row, reference, of in found]


def beside(row: Row, reference_latency: float | None, document: NetworkResult) -> Row:
    theirs = {"reference_accepted": row["accepted"], "reference_latency": reference_latency}
    ours = {"accepted": document.result.accepted, "latency": document.result.latency.mean_cycles}
    return {"curve": row["curve"], "offered": row["offered"], **theirs, **ours}


def summarise(points: Sequence[Row]) -> list[Row]:
    """For each curve: saturation, which is its largest accepted load; the largest relative error of the accepted load
    in a saturated row, None without such rows; and that of latency up to 80 % of saturation, with its load."""
    return [summary_of(curve, mine) for curve, mine in by_curve(points).items()]


def by_curve(points: Sequence[Row]) -> dict[str, list[Row]]:
    return {curve: [p for p in points if p["curve"] == curve] for curve in dict.fromkeys(p["curve"] for p in points)}


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
