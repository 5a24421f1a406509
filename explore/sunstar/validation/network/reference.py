# SPDX-License-Identifier: MIT
"""BookSim2's figures, which come with this package (data/README.md), and how its names map to Sunstar's parameters."""

from pathlib import Path

from sunstar.study.cases import Settings

DATA = Path(__file__).parents[1] / "data"
CURVES = DATA / "booksim-torus.csv"
ZERO_LOAD = DATA / "booksim-zero-load.csv"

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
    """Synthetic traffic on one of the network's models."""
    return {
        "machine.network.model": model,
        "workload.kind": "synthetic",
        "workload.pattern": pattern,
        "workload.packet_flits": packet_flits,
        "workload.load": load,
    }
