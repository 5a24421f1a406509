# SPDX-License-Identifier: MIT
"""The weight of each free constant of a machine: the figures when it goes to either of its bounds, one constant at a
time; of the SP-2 and of the cluster in the measures of Galley and of PVFS, and of the report's torus in the errors of
its rows.

A file of papers/constants lists them: {"constants": {PATH: {"bounds": [LOW, HIGH], "source": TEXT}}}. Without bounds,
they are half the value and one and a half times.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from pathlib import Path
from typing import Any, NamedTuple

import typer

from sunstar.console import percent
from sunstar.errors import FileError
from sunstar.files import write_text
from sunstar.papers import galley, pvfs
from sunstar.papers import tr94_226 as report
from sunstar.runs.simulator import Setting, effective_config
from sunstar.study.cases import Cases, Found, Key, Settings, points_of, sized
from sunstar.study.command import Call, command
from sunstar.study.experiments import with_progress
from sunstar.study.statements import PAPERS

LOADS = {
    "read, p = 4, l = 0": "read",
    "read, p = 4, l = 1": "read again",
    "write, p = 4, l = 0": "write",
    "p = 3, l = 0": "two that share half",
}
"""The cases of figures 4, 5 and 8, by pattern."""
ERRORS = {
    "mean error": "mean_absolute_error",
    "mean of the rows that discriminate": "discriminating_mean_absolute_error",
    "worst row": "worst_error",
}


class Constant(NamedTuple):
    path: str
    value: Setting
    bounds: tuple[Setting, ...]
    source: str

    @property
    def words(self) -> tuple[str, str, str]:
        """Value, bounds and source."""
        value, *bounds = (each if isinstance(each, str) else f"{each:g}" for each in (self.value, *self.bounds))
        return value, ", ".join(bounds), self.source


def constants(file: Path, config: Mapping[str, Any]) -> Iterator[Constant]:
    """The constants of a file with their values in a configuration."""
    for path, of in json.loads(file.read_text())["constants"].items():
        value: Any = reduce(lambda section, name: section[name], path.split("."), config)
        bounds = of.get("bounds") or [scaled(value, factor) for factor in (0.5, 1.5)]
        yield Constant(path, value, tuple(bounds), of.get("source", ""))


def scaled(value: Setting, factor: float) -> Setting:
    """A number, or a quantity with its unit, times a factor. A whole number stays whole."""
    if isinstance(value, int | float):
        return round(value * factor) if isinstance(value, int) else value * factor
    match = re.fullmatch(r"([0-9.]+(?:e[+-]?[0-9]+)?)\s*(\D.*)", value)
    if match is None:
        raise FileError(f'"{value}" is not a quantity that can be varied')
    return f"{float(match[1]) * factor:.12g}{match[2]}"


def change(value: float, usual: float) -> str:
    return percent(value / usual - 1, sign=True)


@dataclass(frozen=True)
class Weighing:
    name: str
    constants: Path
    cases: Cases
    figures: Mapping[str, Callable[[Found], float]]
    platform: str = "torus"
    shown: Callable[[float, float], str] = change  # A figure at a bound, beside its usual value

    def carry_out(self, call: Call) -> None:
        """Makes the runs, prints a Markdown table and writes it."""
        folder = call.folder()
        listed = list(constants(self.constants, effective_config(call.conditions.point({}, platform=self.platform))))
        text = "\n".join([*self.table(listed, self.measured(call, listed)), ""])
        write_text(call.files, folder / f"{self.name}-sensitivity.md", text)
        typer.echo(text)

    def measured(self, call: Call, listed: list[Constant]) -> Iterator[Found]:
        """The cases' findings with usual constants, with other seeds twice, and with each constant at each bound."""
        seed, trials = call.conditions.seed, call.conditions.trials
        seeds = range(seed, seed + 3 * trials, trials)
        variants: list[tuple[str, Settings, int]] = [(f"seed {each}", {}, each) for each in seeds]
        variants += [(f"{each.path}={bound}", {each.path: bound}, seed) for each in listed for bound in each.bounds]
        usual = [call.conditions.point(sets, platform=self.platform) for sets in self.cases.values()]
        points = [
            replace(point, settings={**point.settings, **sets}, seed=seed)
            for _, sets, seed in variants
            for point in usual
        ]
        outcome = iter(with_progress(call, "sensitivity")(points, [name for name, *_ in variants for _ in usual]))
        for _ in variants:
            yield Found({key: next(outcome) for key in self.cases})

    def table(self, listed: list[Constant], found: Iterator[Found]) -> Iterator[str]:
        usual = [figure(of) for of in [next(found)] for figure in self.figures.values()]

        def row(*cells: object) -> str:
            return f"| {' | '.join(map(str, cells))} |"

        def changes(bounds: int) -> list[str]:
            several = [[figure(of) for figure in self.figures.values()] for of in (next(found) for _ in range(bounds))]
            return [
                ", ".join(map(self.shown, column, [value] * bounds))
                for *column, value in zip(*several, usual, strict=True)
            ]

        yield row("constant", "value", "bounds", "source", *self.figures)
        yield row(*["---"] * (4 + len(usual)))
        yield row("(as it is)", "", "", "", *(f"{value:.4g}" for value in usual))
        yield row("(other seeds)", "", "", "", *changes(2))
        for each in listed:
            yield row(f"`{each.path}`", *each.words, *changes(len(each.bounds)))


def sensitivity(weighing: Callable[[], Weighing], trials: int = 3) -> Callable[..., None]:
    def vary(call: Call) -> bool:
        weighing().carry_out(call)
        return False

    return command(trials=trials, stderr=True)(vary)


def of_galley() -> Weighing:
    file = PAPERS / "constants" / "galley.json"
    keys = [Key(**each, layout="") for each in json.loads(file.read_text())["points"]]
    everything = {key: sets for each in galley.STUDY.experiments for key, sets in each.cases(True).items()}
    figures = {
        f"{key.method}, {galley.where(key)}": partial(lambda key, found: galley.mb(found, key), key) for key in keys
    }
    return Weighing("galley", file, {key: everything[key] for key in keys}, figures, "sp2")


def of_pvfs() -> Weighing:
    cases = points_of("pvfs", "sensitivity")
    figures = {
        f"{LOADS[key.pattern]}, {sized(key.record_bytes)}, {key.method}": partial(
            lambda key, found: pvfs.seconds(found, key), key._replace(layout="")
        )
        for key in cases
    }
    return Weighing("pvfs", PAPERS / "constants" / "pvfs.json", cases, figures, "cluster")


def of_tr94_226() -> Weighing:
    """The errors of the published rows, in the place of figures."""
    rows = report.all_rows((8, 8192))
    references = report.published(report.PUBLISHED, rows)

    def error(name: str, found: Found) -> float:
        return abs(float(report.summarise(report.comparison(found, references))[name]))

    return Weighing(
        "tr94-226",
        PAPERS / "constants" / "tr94-226.json",
        {row: sets for row, sets in rows.items() if row in references},
        {title: partial(error, name) for title, name in ERRORS.items()},
        shown=lambda value, _: percent(value),
    )


sensitivity_tr94_226, sensitivity_galley = sensitivity(of_tr94_226, trials=1), sensitivity(of_galley)
sensitivity_pvfs = sensitivity(of_pvfs)
