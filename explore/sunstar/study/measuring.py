# SPDX-License-Identifier: MIT
"""Make the runs that experiments need. A run that several cases share is made once."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from sunstar.places import results
from sunstar.results import MachineResult
from sunstar.runs.plan import plan
from sunstar.runs.point import Point
from sunstar.runs.runner import Runner, documents_of
from sunstar.runs.store import Store
from sunstar.study.averages import Average
from sunstar.study.cases import Cases, Found, Key, Settings
from sunstar.study.tables import called


@dataclass(frozen=True)
class Conditions:
    """What holds for every run of a study."""

    trials: int = 1
    seed: int = 1
    settings: Settings = field(default_factory=dict)
    """These override what cases set."""
    config: Path | None = None
    """What cases set overrides this."""
    platform: str = "torus"

    def point(self, settings: Settings, least_trials: int = 1, platform: str | None = None) -> Point:
        """A case's settings as a run, with more trials than `trials` if the case needs more, on another platform than
        `platform` if it names one."""
        trials = max(self.trials, least_trials)
        return Point({**settings, **self.settings}, self.config, platform or self.platform, self.seed, trials)


def in_words(trials: int) -> str:
    return "1 trial" if trials == 1 else f"{trials} trials"


Sweep = Callable[[Sequence[Point], Sequence[str]], list[MachineResult]]
"""Runs points; the names say what each one is for."""


def silently(points: Sequence[Point], _: Sequence[str]) -> list[MachineResult]:
    with Store(results()) as store:
        runs = Runner(store).all(plan(points), lambda _, __: None)
        return documents_of(MachineResult, runs, store)


def one_trial(_: Key) -> int:
    return 1


def measure(
    experiments: Mapping[str, Cases],
    conditions: Conditions,
    run_all: Sweep = silently,
    least_trials: Mapping[str, Callable[[Key], int]] | None = None,
    average: Average = fmean,
) -> dict[str, Found]:
    """Runs the cases of all experiments and returns what was found, by the experiments' names. `average` makes one
    throughput of those of a run's trials."""
    points: dict[tuple[str, Key], Point] = {}
    runs: dict[Hashable, tuple[Point, str]] = {}
    for name, cases in experiments.items():
        least = (least_trials or {}).get(name, one_trial)
        for key, settings in cases.items():
            point = conditions.point(settings, least(key))
            points[name, key] = point
            runs.setdefault(identity(point), (point, f"{called(name)}, {key}"))
    found = run_all([point for point, _ in runs.values()], [title for _, title in runs.values()])
    result_of = dict(zip(runs, found, strict=True))
    return {
        name: Found({key: result_of[identity(points[name, key])] for key in cases}, average)
        for name, cases in experiments.items()
    }


def identity(point: Point) -> Hashable:
    """Equal for points that are the same run, in whatever order they set things."""
    settings = tuple(sorted((path, repr(value)) for path, value in point.settings.items()))
    return (point.platform, point.config, point.seed, point.trials, settings)
