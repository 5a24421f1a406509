# SPDX-License-Identifier: MIT
"""Latency of the worm model beside the flit model, at shares of the load that saturates the network."""

from dataclasses import dataclass
from typing import NamedTuple

from sunstar.errors import UnmeasuredError
from sunstar.results import NetworkResult
from sunstar.runs.point import Point
from sunstar.runs.runner import Runner, document_of
from sunstar.study.cases import Settings
from sunstar.validation.network.reference import router, synthetic

SHARES = (0.1, 0.2, 0.4, 0.6, 0.8)


class Case(NamedTuple):
    traffic: str
    flits: int
    """Flits in a message."""
    buffer: int


CASES = (
    *(Case("uniform", flits, buffer) for flits in (8, 32) for buffer in (8, 16, 32)),
    Case("uniform", 128, 8),
    *(Case("tornado", flits, buffer) for flits in (8, 32) for buffer in (8, 32)),
    *(Case("neighbour", flits, 8) for flits in (8, 32)),
)
STEPS = 7
"""Steps of the bisection for saturation, which find it to 1/128 of a flit for each node and flit time."""


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
    def case(self) -> Case:
        return Case(self.traffic, self.flits, self.buffer)

    @property
    def error(self) -> float:
        return self.worm / self.flit - 1


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


def worm_points(case: Case, seed: int, runner: Runner) -> list[WormPoint]:
    most = saturation(case, seed, runner)
    points = []
    for share in SHARES:
        flit, worm = (run_network(model, case, share * most, seed, runner).result for model in ("flit", "worm"))
        if flit.latency.mean_cycles is None or worm.latency.mean_cycles is None:
            raise UnmeasuredError(f"{case}: no message arrived at {share:.0%} of saturation")
        points.append(
            WormPoint(
                *case,
                most,
                share,
                flit.latency.mean_cycles,
                worm.latency.mean_cycles,
                worm.links.max,
                any("worm model" in sentence for sentence in worm.warnings),
            )
        )
    return points
