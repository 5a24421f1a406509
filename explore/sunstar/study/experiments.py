# SPDX-License-Identifier: MIT
"""A study: its experiments, each with cases, views and statements; and its command `sunstar reproduce NAME`."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Generic, TypeVar

import polars as pl
import typer
from rich.console import Console
from typer.models import OptionInfo

from sunstar.commands import relative
from sunstar.console import Printed, called, print_table, progress
from sunstar.drawing import Canvas, picture
from sunstar.errors import RunError, check_choice
from sunstar.files import Outputs, write_json, write_table
from sunstar.places import results
from sunstar.reports.samples import half_width
from sunstar.results import MachineResult
from sunstar.runs.runner import Runner, documents_of
from sunstar.runs.simulator import Point, Run, plan
from sunstar.runs.store import Store
from sunstar.study import documents
from sunstar.study.cases import Average, Cases, Found, Key
from sunstar.study.command import Call, Conditions
from sunstar.study.statements import Shortfalls, Standing, Verdict, knowing, listed, shortfalls_of, tally
from sunstar.study.views import View, draw_views


def in_words(trials: int) -> str:
    return "1 trial" if trials == 1 else f"{trials} trials"


Sweep = Callable[[Sequence[Point], Sequence[str]], list[MachineResult]]
"""Runs points; the names tell their purposes."""


def measure(
    experiments: Mapping[str, Cases],
    conditions: Conditions,
    run_all: Sweep | None = None,
    least_trials: Mapping[str, Callable[[Key], int]] | None = None,
    average: Average = fmean,
) -> dict[str, Found]:
    """Runs the cases of all experiments, by default without a word, and returns the findings, by the experiments'
    names. `average` makes one throughput of those of a run's trials."""
    points: dict[tuple[str, Key], Point] = {}
    runs: dict[Hashable, tuple[Point, str]] = {}
    for name, cases in experiments.items():
        least = (least_trials or {}).get(name)
        for key, settings in cases.items():
            point = conditions.point(settings, least(key) if least else 1)
            points[name, key] = point
            runs.setdefault(identity(point), (point, f"{called(name)}, {key}"))
    wanted = [point for point, _ in runs.values()]
    if run_all:
        found = run_all(wanted, [title for _, title in runs.values()])
    else:
        with Store(results()) as store:
            found = documents_of(MachineResult, Runner(store).all(plan(wanted), lambda _, __: None), store)
    result_of = dict(zip(runs, found, strict=True))
    wrong = [title for (_, title), result in zip(runs.values(), found, strict=True) if not result.verified]
    if wrong:
        raise RunError(f"not every byte is where it belongs: {'; '.join(wrong)}", 4)
    return {
        name: Found({key: result_of[identity(points[name, key])] for key in cases}, average)
        for name, cases in experiments.items()
    }


def judge(statements: "Statements", found: Found, shortfalls: Shortfalls = MappingProxyType({})) -> list[Verdict]:
    """The verdicts on statements that have these shortfalls, with the spreads of their margins: the intervals of the
    jackknife, which makes the statements once more without each of the trials. Of points that have more trials than
    others, it leaves out equal parts of them."""
    with knowing(shortfalls):
        verdicts, n = list(statements(found)), found.trials
        if n < 2:
            return [verdict.decided(None) for verdict in verdicts]
        parts = [[verdict.margin for verdict in statements(found.without(i, n))] for i in range(n)]
    return [
        verdict.decided(half_width([n * verdict.margin - (n - 1) * margin for margin in margins]))
        for verdict, *margins in zip(verdicts, *parts, strict=True)
    ]


def identity(point: Point) -> Hashable:
    """Equal for points that are the same run, in any order of their settings."""
    settings = tuple(sorted((path, repr(value)) for path, value in point.settings.items()))
    return (point.platform, point.config, point.seed, point.trials, settings)


Choice = TypeVar("Choice")  # The user's choice, as the study's cases take it

Cell = str | int | float | bool | None
Tables = Callable[[Found], Iterable[Printed]]
Statements = Callable[[Found], Iterable[Verdict]]


@dataclass(frozen=True)
class Experiment(Generic[Choice]):
    name: str  # The number of a figure, or a word
    title: str
    cases: Callable[[Choice], Cases]
    views: Sequence[View | Tables]  # Printed in this order. Tables that are no view of the points are made by functions
    statements: Statements = lambda _: ()
    least_trials: Callable[[Key], int] = lambda _: 1
    """The least number of trials of a case whose statement is finer than the scatter between trials."""
    picture: Callable[[Found, Canvas], None] | None = None  # Draws it in the place of its views

    def tables(self, found: Found) -> Iterator[Printed]:
        for view in self.views:
            if not isinstance(view, View):
                yield from view(found)
            elif view.printed:
                yield from view.tables(found)

    def draw(self, found: Found, canvas: Canvas) -> None:
        if self.picture is None:
            draw_views((view for view in self.views if isinstance(view, View)), found, canvas)
        else:
            self.picture(found, canvas)


@dataclass(frozen=True)
class Study(Generic[Choice]):
    name: str  # The name of its command and of its folder of results
    title: str  # Stands before the titles of experiments
    experiments: Sequence[Experiment[Choice]]
    columns: Callable[[Found, Key], Mapping[str, Cell]] = lambda _, __: {}
    """Columns of each point in addition to those of every study's points."""
    more_tables: Callable[[Mapping[str, Found]], Mapping[str, pl.DataFrame]] = lambda _: {}
    """Tables to keep beside that of the points, by name, made from all experiments that were measured."""
    statistics: bool = True
    """Whether it looks at the runs' statistics. Without them, thousands of results take little memory."""
    platform: str = "torus"  # The simulator of its machine
    average: Average = fmean  # How it makes one throughput of those of its trials

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.experiments]

    def __getitem__(self, name: str) -> Experiment[Choice]:
        return self.experiments[self.names.index(name)]

    def known(self, name: str) -> Shortfalls:
        return shortfalls_of(self.name, name)

    def choose(self, names: Sequence[str]) -> list[Experiment[Choice]]:
        """The experiments of these names, in the study's order; without names, all of them."""
        for name in names:
            check_choice("--figure", name, self.names)
        return [each for each in self.experiments if each.name in names or not names]


STATEMENTS = "statements"  # What a document calls the tables of statements


def conduct(
    study: Study[Choice],
    wanted: Sequence[Experiment[Choice]],
    choice: Choice,
    call: Call,
    folder: Path,
    document: Path | None = None,
    named: bool = False,
    prefix: str = "",
) -> bool:
    """Measures, prints, draws and judges experiments. Returns whether a statement is NEW.

    `prefix` stands before the names of files. If the experiments were `named`, their names stand behind those of
    tables, so that the points of some do not replace those of all. The figures that the document names are renewed.
    """
    out, files, suffix = call.out, call.files, f"-{'-'.join(each.name for each in wanted)}" if named else ""
    if document is not None:
        documents.check(files, document, [*(each.name for each in wanted), STATEMENTS])
    everything = measure(
        {each.name: each.cases(choice) for each in wanted},
        replace(call.conditions, platform=study.platform),
        with_progress(call, study.title, study.statistics),
        {each.name: each.least_trials for each in wanted},
        study.average,
    )
    verdicts = []
    for each in wanted:
        found = everything[each.name]
        print_tables(each, found, out)
        verdicts += [(each.name, verdict) for verdict in judge(each.statements, found, study.known(each.name))]
        draw(files, folder / f"{prefix}{each.name}.png", study, each, found)
    for name, table in {"points": kept(study, everything), **study.more_tables(everything)}.items():
        for form in (".csv", ".json", ".parquet"):
            write_table(files, folder / f"{prefix}{name}{suffix}{form}", table)
    if document is not None:
        tables = {each.name: list(each.tables(everything[each.name])) for each in wanted}
        if len(wanted) == len(study.experiments):
            tables[STATEMENTS] = [counted(verdicts), shortfalls(verdicts)]
        out.print(f"{documents.quote(files, document, tables)}: {relative(document)}", soft_wrap=True)
    runs = {id(result) for found in everything.values() for result in found.results.values()}
    return tell(call, verdicts, folder / f"{prefix}verdicts{suffix}.json", len(runs))


def tell(call: Call, verdicts: Sequence[tuple[str, Verdict]], path: Path, runs: int) -> bool:
    """Prints and writes verdicts, says of how many runs, and returns whether a statement is NEW."""
    for line in listed((called(name), verdict) for name, verdict in verdicts):
        call.out.print(line, soft_wrap=True)
    call.out.print(tally([verdict for _, verdict in verdicts]), soft_wrap=True)
    call.out.print(f"every byte of {runs} runs is verified")
    call.verdicts.extend(verdict for _, verdict in verdicts)
    write_json(call.files, path, [{"experiment": name, **asdict(verdict)} for name, verdict in verdicts])
    return any(verdict.standing is Standing.NEW for _, verdict in verdicts)


def with_progress(call: Call, title: str, statistics: bool = True) -> Sweep:
    """Runs points with the call's jobs and shows progress; finished runs come from the store. The results hold
    statistics only if asked for."""
    what = f"{title}, {in_words(call.conditions.trials)} each"

    def run_all(points: Sequence[Point], names: Sequence[str]) -> list[MachineResult]:
        with call.runner() as runner:
            runs = run_with_progress(call, what, runner, points, names)
            return documents_of(MachineResult, runs, runner.store, statistics)

    return run_all


def run_with_progress(
    call: Call, what: str, runner: Runner, points: Sequence[Point], names: Sequence[str]
) -> list[Run]:
    """Gets all runs, and says how many were finished before. A point that is no configuration is an error at once."""
    wanted = plan(points, call.jobs)
    for refused in wanted.refused.values():
        raise refused.error()
    found = runner.known(wanted)
    with progress(call.out, what, len(points)) as advance:
        for index in found:
            advance(names[index])
        runs = runner.all(wanted, lambda index, _: advance(names[index]))
    if found:
        again = f"{len(found)} of {len(points)} runs were finished before"
        call.out.print(f"{again}: {relative(runner.store.path)}", soft_wrap=True)
    return runs


def print_tables(experiment: Experiment[Choice], found: Found, out: Console) -> None:
    for printed in experiment.tables(found):
        title = ": ".join(part for part in (called(experiment.name), experiment.title, printed.title) if part)
        print_table(out, replace(printed, title=title))


def counted(verdicts: Sequence[tuple[str, Verdict]]) -> Printed:
    """How many statements hold."""
    undecided = sum(verdict.standing is Standing.UNDECIDED for _, verdict in verdicts)
    rows = {"hold": sum(verdict.holds for _, verdict in verdicts), "undecided": undecided, "all": len(verdicts)}
    return Printed("", ("", "statements"), [[name, str(number)] for name, number in rows.items()])


def shortfalls(verdicts: Sequence[tuple[str, Verdict]]) -> Printed:
    """The known shortfalls, as the code has them."""
    rows = [[f"{name}: {of.sentence}", f"{of.shortfall.measured:.4g}"] for name, of in verdicts if of.shortfall]
    return Printed("known shortfalls", ("statement", "known"), rows)


def draw(files: Outputs, path: Path, study: Study[Choice], experiment: Experiment[Choice], found: Found) -> None:
    with picture(files, path, font_size=8) as canvas:
        experiment.draw(found, canvas)
        name = f"{called(experiment.name)}: " if experiment.name.isdecimal() else ""
        canvas.suptitle(f"{study.title}, {name}{experiment.title}", fontsize=9)


def kept(study: Study[Choice], everything: Mapping[str, Found]) -> pl.DataFrame:
    lines = [
        {
            "experiment": name,
            **key._asdict(),
            "mib_per_s": found.mib(key),
            **{name: getattr(result, name) for name in ("medium_mib_per_s", "coefficient_of_variation", "elapsed_s")},
            **study.columns(found, key),
            "bytes_moved": result.result.bytes_moved,
            **{name: getattr(result, name) for name in ("messages", "message_bytes", "header_bytes", "network_bytes")},
            "compute_processor_memory_bytes": result.memory.compute_processor,
            "io_processor_memory_bytes": result.memory.io_processor,
            "warnings": "; ".join(result.result.warnings),
            "verified": result.verified,
            "host_s": result.host_s,
        }
        for name, found in everything.items()
        for key, result in found.results.items()
    ]
    return pl.DataFrame(lines, infer_schema_length=None)


def figures_of(study: Study[Choice]) -> OptionInfo:
    help_ = f"Only this one of {', '.join(study.names)}; repeatable."
    option: OptionInfo = typer.Option("--figure", metavar="NAME", help=help_)
    return option
