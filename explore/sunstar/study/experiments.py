# SPDX-License-Identifier: MIT
"""A study: its experiments, each with cases, views and statements, and how they are carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Generic, TypeVar

from rich.console import Console

from sunstar.commands import relative
from sunstar.errors import UsageError
from sunstar.files import Outputs, write_json, write_table
from sunstar.progress import progress
from sunstar.results import MachineResult
from sunstar.runs.plan import plan
from sunstar.runs.point import Point
from sunstar.runs.runner import Runner, documents_of
from sunstar.runs.simulator import Run
from sunstar.study import documents
from sunstar.study.averages import Average
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.command import Call
from sunstar.study.measuring import Sweep, in_words, measure, one_trial
from sunstar.study.plots import picture
from sunstar.study.statements import Standing, Verdict, listed, tally, unmeasured
from sunstar.study.tables import Printed, called, print_table
from sunstar.study.views import View, draw_views

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure as Canvas

Choice = TypeVar("Choice")
"""What the user chose, as the study's cases take it."""

Cell = str | int | float | bool | None
Tables = Callable[[Found], Iterable[Printed]]
Statements = Callable[[Found], Iterable[Verdict]]


def no_statements(_: Found) -> Iterator[Verdict]:
    yield from ()


@dataclass(frozen=True)
class Experiment(Generic[Choice]):
    name: str
    """The number of a figure, or a word."""
    title: str
    cases: Callable[[Choice], Cases]
    views: Sequence[View | Tables]
    """Printed in this order. Tables that are no view of the points are made by functions."""
    statements: Statements = no_statements
    least_trials: Callable[[Key], int] = one_trial
    """The trials that a case needs at least, because a statement about it is finer than the trials' scatter."""
    picture: Callable[[Found, Canvas], None] | None = None
    """Draws it in the place of its views."""

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


def no_columns(_: Found, __: Key) -> Mapping[str, Cell]:
    return {}


def no_tables(_: Mapping[str, Found]) -> Mapping[str, pl.DataFrame]:
    return {}


@dataclass(frozen=True)
class Study(Generic[Choice]):
    name: str
    """That of its command and of its folder of results."""
    title: str
    """Stands before the titles of experiments."""
    experiments: Sequence[Experiment[Choice]]
    columns: Callable[[Found, Key], Mapping[str, Cell]] = no_columns
    """Columns of each point in addition to those of every study's points."""
    more_tables: Callable[[Mapping[str, Found]], Mapping[str, pl.DataFrame]] = no_tables
    """Tables to keep beside that of the points, by name, made from all experiments that were measured."""
    statistics: bool = True
    """Whether it looks at the runs' statistics. Without them, thousands of results take little memory."""
    platform: str = "torus"
    """The simulator of its machine."""
    average: Average = fmean
    """How it makes one throughput of those of its trials."""

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.experiments]

    def __getitem__(self, name: str) -> Experiment[Choice]:
        return self.experiments[self.names.index(name)]

    def choose(self, names: Sequence[str]) -> list[Experiment[Choice]]:
        """The experiments of these names, in the study's order; without names, all of them."""
        for name in names:
            if name not in self.names:
                raise UsageError(f"--figure {name}: it must be one of {', '.join(self.names)}")
        return [each for each in self.experiments if each.name in names or not names]


@dataclass(frozen=True)
class Output:
    """Where results go."""

    folder: Path
    prefix: str = ""
    """Stands before the names of files."""
    suffix: str = ""
    """Stands behind the names of tables, so that the points of some experiments do not replace those of all."""
    document: Path | None = None
    """The printed tables also go into this document, at its marked places."""


STATEMENTS_BLOCK = "statements"
"""The name of the statements' block in a document."""


def conduct(study: Study[Choice], wanted: Sequence[Experiment[Choice]], choice: Choice, call: Call, to: Output) -> bool:
    """Measures, prints, draws and judges experiments. Returns whether a statement is NEW."""
    out, files = call.out, call.files
    if to.document is not None:
        documents.check(files, to.document, [*(each.name for each in wanted), STATEMENTS_BLOCK])
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
        verdicts += [(each.name, verdict) for verdict in (*each.statements(found), verified(found))]
        draw(files, to.folder / f"{to.prefix}{each.name}.png", study, each, found)
    for name, table in {"points": kept(study, everything), **study.more_tables(everything)}.items():
        for suffix in (".csv", ".json", ".parquet"):
            write_table(files, to.folder / f"{to.prefix}{name}{to.suffix}{suffix}", table)
    if to.document is not None and to.document.suffix == ".json":
        tables = {each.name: list(each.tables(everything[each.name])) for each in wanted}
        if len(wanted) == len(study.experiments):
            tables[STATEMENTS_BLOCK] = [counted(verdicts)]
        out.print(f"{documents.quote(files, to.document, tables)}: {relative(to.document)}", soft_wrap=True)
    elif to.document is not None:
        blocks = {each.name: documents.as_text(partial(print_tables, each, everything[each.name])) for each in wanted}
        blocks[STATEMENTS_BLOCK] = documents.as_text(lambda on: print_verdicts(on, verdicts))
        documents.put(files, to.document, blocks)
    return tell(call, verdicts, to.folder / f"{to.prefix}verdicts{to.suffix}.json")


def tell(call: Call, verdicts: Sequence[tuple[str, Verdict]], path: Path) -> bool:
    """Prints and writes verdicts, and returns whether a statement is NEW."""
    print_verdicts(call.out, verdicts)
    call.verdicts.extend(verdict for _, verdict in verdicts)
    write_json(call.files, path, [{"experiment": name, **asdict(verdict)} for name, verdict in verdicts])
    return any(verdict.standing is Standing.NEW for _, verdict in verdicts)


def with_progress(call: Call, title: str, statistics: bool = True) -> Sweep:
    """Runs points with the call's jobs, and shows progress. What any command has run, this one reads from the store.
    The results hold statistics only if asked for."""
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


def print_verdicts(out: Console, verdicts: Sequence[tuple[str, Verdict]]) -> None:
    """Prints a line for each statement, with the name of its experiment, and how many statements hold."""
    for line in listed((called(name), verdict) for name, verdict in verdicts):
        out.print(line, soft_wrap=True)
    out.print(tally([verdict for _, verdict in verdicts]), soft_wrap=True)


def counted(verdicts: Sequence[tuple[str, Verdict]]) -> Printed:
    """How many statements hold."""
    rows = {"hold": sum(verdict.holds for _, verdict in verdicts), "all": len(verdicts)}
    return Printed("", ("", "statements"), [[name, str(number)] for name, number in rows.items()])


def draw(files: Outputs, path: Path, study: Study[Choice], experiment: Experiment[Choice], found: Found) -> None:
    """Draws an experiment as a PNG."""
    with picture(files, path, font_size=8) as canvas:
        experiment.draw(found, canvas)
        name = f"{called(experiment.name)}: " if experiment.name.isdecimal() else ""
        canvas.suptitle(f"{study.title}, {name}{experiment.title}", fontsize=9)


def kept(study: Study[Choice], everything: Mapping[str, Found]) -> pl.DataFrame:
    """A line for each point of each experiment."""
    import polars as pl

    lines = [
        {
            "experiment": name,
            **key._asdict(),
            "mib_per_s": found.mib(key),
            "medium_mib_per_s": result.medium_mib_per_s,
            "coefficient_of_variation": result.coefficient_of_variation,
            "elapsed_s": result.elapsed_s,
            **study.columns(found, key),
            "bytes_moved": result.result.bytes_moved,
            "messages": result.messages,
            "message_bytes": result.message_bytes,
            "header_bytes": result.header_bytes,
            "network_bytes": result.network_bytes,
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


def verified(found: Found) -> Verdict:
    """The statement that every byte of every run ended where it belongs."""
    if not found.results:
        raise unmeasured("every byte is verified")
    wrong = [str(key) for key, result in found.results.items() if not result.verified]
    standing = Standing.NEW if wrong else Standing.HOLDS
    return Verdict("every byte is verified", standing, ", ".join(wrong) or f"{len(found.results)} runs")
