# SPDX-License-Identifier: MIT
"""Mean latency against load on indirect networks: worms beside BookSim2."""

from collections.abc import Sequence
from itertools import groupby, pairwise
from pathlib import Path

from sunstar.files import Column, read_rows
from sunstar.results import NetworkResult
from sunstar.study.cases import Settings
from sunstar.validation.comparing import Row
from sunstar.validation.network.curves import beside
from sunstar.validation.network.models import DATA

BOOKSIM_FABRICS = DATA / "booksim-fabrics.csv"
COLUMNS: dict[str, Column] = {
    **dict.fromkeys(("topology", "routing", "traffic", "saturated", "mean_packet_latency"), str),
    **dict.fromkeys(("k", "n", "num_vcs", "vc_buf_size", "packet_size"), int),
    **dict.fromkeys(("offered", "accepted"), float),
}
TRAFFIC = {"bitrev": "bit-reversal", "bad_dragon": "next-group"}
KNEE = 100  # A latency so many cycles above the one before is beyond the knee


def fat_tree(row: Row) -> Settings:
    """A flit is a byte and a cycle 1 ns; a switch takes 3 cycles and a link one, in which the flit passes it."""
    return {
        "kind": "fat-tree",
        "routing": "random",
        "half_top": True,
        "switch_ports": 2 * row["k"],
        "levels": row["n"],
        "switch_delay": "4ns",
        "cable_delay": "0ns",
        "switch_buffer": f"{row['vc_buf_size']}B",
    }


def dragonfly(row: Row) -> Settings:
    """The same with k nodes and k global links on each of 2k routers a group. Local links take 10 cycles, global ones
    100; UGAL's threshold is BookSim2's."""
    k = row["k"]
    return {
        "kind": "dragonfly",
        "routing": {"min": "minimal"}.get(row["routing"], row["routing"]),
        "groups": 2 * k * k + 1,
        "routers": 2 * k,
        "nodes": k,
        "global_links": k,
        "ugal_threshold": "30B",
        "virtual_channels": row["num_vcs"],
        "global_bandwidth": "1GB/s",
        "router_delay": "4ns",
        "node_cable": "0ns",
        "local_cable": "9ns",
        "global_cable": "99ns",
        "router_buffer": f"{row['vc_buf_size']}B",
    }


FABRICS = {"fattree": fat_tree, "dragonflynew": dragonfly}


def pattern_of(row: Row) -> str:
    return TRAFFIC.get(row["traffic"], str(row["traffic"]))


def settings_of(row: Row) -> Settings:
    fabric: Settings = {**FABRICS[row["topology"]](row), "queues": "in-order", "link_bandwidth": "1GB/s"}
    traffic: Settings = {"pattern": pattern_of(row), "load": row["offered"]}
    workload: Settings = {**traffic, "packet_flits": row["packet_size"]}
    return {f"machine.network.{name}": value for name, value in fabric.items()} | {
        f"workload.{name}": value for name, value in workload.items()
    }


def curve_of(row: Row) -> str:
    which = f"{row['k']}-ary {row['n']}-tree" if row["topology"] == "fattree" else f"dragonfly of k = {row['k']}"
    return f"{which}, {row['routing']}, {pattern_of(row)}, L={row['packet_size']}, B={row['vc_buf_size']}"


def rows_to_measure(source: Path, texts: Sequence[str]) -> list[Row]:
    """The rows below 60 % of the lowest saturated load of their curve, and before its knee."""
    rows = [{**row, "curve": curve_of(row)} for row in read_rows(source, COLUMNS)]
    found, latency = list[Row](), "reference_latency"
    for curve, points in groupby(rows, lambda row: str(row["curve"])):
        if texts and not any(text in curve for text in texts):
            continue
        mine = [row for row in points if row["topology"] in FABRICS]
        saturated = [row["offered"] for row in mine if row["saturated"] == "1"]
        settled = [row for row in mine if row["saturated"] != "1"]
        for row in settled:
            row[latency] = float(row["mean_packet_latency"])
        rise = (after for before, after in pairwise(settled) if after[latency] - before[latency] > KNEE)
        knee = next((row["offered"] for row in rise), float("inf"))
        found += [row for row in settled if row["offered"] <= 0.6 * min(saturated, default=9) and row["offered"] < knee]
    return found


def load_points(rows: Sequence[Row], results: Sequence[NetworkResult]) -> list[Row]:
    found = [beside(row, row["reference_latency"], document) for row, document in zip(rows, results, strict=True)]
    return [{**each, "error": (each["latency"] or 0) / each["reference_latency"] - 1} for each in found]
