# SPDX-License-Identifier: MIT
"""The contents of a report, gathered from the user's runs and tables."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.configurations import leaves
from sunstar.errors import FileError, UsageError
from sunstar.files import taking_apart
from sunstar.machine.picture import Picture, picture_of
from sunstar.over_time import OverTime
from sunstar.reports.parts import telling_apart, used
from sunstar.reports.samples import numbers, samples_of
from sunstar.reports.sources import BEFORE_FIGURES, SEED, ResultFile, find
from sunstar.results import Document, figures, units, with_unit
from sunstar.runs.simulator import indices_of
from sunstar.sweeps.sweep import LOST, Sweep
from sunstar.sweeps.tables import column, figure_columns, parameter

RUN, NAME, IDENTITY = "run", "name", "identity"
FEASIBLE = "feasible"  # The column of a search that says whether a configuration keeps the constraints
OF_FIGURES = ("result.", "host.")
OF_ENDINGS = (BEFORE_FIGURES, "message", IDENTITY)


@dataclass(frozen=True)
class Detail:
    """A run that the report shows in full."""

    row: int
    config: Mapping[str, Any]  # Parameters by path
    picture: Picture | None
    warnings: Sequence[str]
    program: str
    over_time: OverTime | None


@dataclass
class Gathered:
    title: str
    frame: pl.DataFrame  # A row for each run: its parameters and figures, and, of a sweep or search, how it ended
    parameters: list[str]  # The columns of parameters that vary
    trials: dict[int, dict[str, list[float]]] = field(default_factory=dict)  # By row; those of known results
    seeds: dict[int, list[int]] = field(default_factory=dict)  # Of these trials
    details: list[Detail] = field(default_factory=list)

    @property
    def figures(self) -> list[str]:
        """The columns that can be drawn and are no parameters."""
        apart = {RUN, *OF_ENDINGS, *self.parameters}
        return [name for name in self.frame.columns if name not in apart and self.frame[name].dtype.is_numeric()]

    def number(self, column: str, row: int) -> float | None:
        """A number that can be drawn; None if it is missing or infinite."""
        value = self.frame[column][row]
        return value if value is not None and math.isfinite(value) else None

    def seeded(self, row: int, values: Sequence[float]) -> Iterator[tuple[object, float]]:
        """Values of a row's trials with their seeds, as far as all trials know the figure."""
        known = len(values) == len(self.seeds[row])
        return zip(self.seeds[row] if known else [(row, i) for i in range(len(values))], values, strict=True)

    def name(self, row: int) -> str:
        """The name of a run: its file's, or its number in the sweep."""
        if NAME in self.frame.columns:
            return str(self.frame[NAME][row])
        return f"run {self.frame[RUN][row] if RUN in self.frame.columns else row}"

    def lost(self, rows: Iterable[int]) -> float:
        """The most bytes that one of these runs lost."""
        known = (self.number(LOST, row) for row in rows) if LOST in self.frame.columns else ()
        return max(filter(None, known), default=0)

    def done(self, row: int) -> bool:
        return BEFORE_FIGURES not in self.frame.columns or self.frame[BEFORE_FIGURES][row] == 0

    def feasible(self, row: int) -> bool:
        """Whether it is done and, of a search, keeps the constraints."""
        return self.done(row) and (FEASIBLE not in self.frame.columns or bool(self.frame[FEASIBLE][row]))


def gather(
    names: Sequence[str], results: Path, most_details: int, where: str | None = None, called: Sequence[str] = ()
) -> Gathered:
    """`where` chooses rows of a table: an SQL condition on its columns. `called` are names of result files."""
    if called and len(called) != len(names):
        raise UsageError(f"--name is there {len(called)} times for {len(names)} results; name each of them, or none")
    sources = [find(name, results) for name in names]
    files = [source for source in sources if isinstance(source, ResultFile)]
    if len(files) == len(sources):
        if where is not None:
            raise UsageError("--where chooses runs of a sweep or table; of result files, name only the wanted ones")
        return of_files(files, most_details, called)
    if called:
        raise UsageError("--name names result files; the runs of a sweep or table have the names of their parameters")
    match sources:
        case [Sweep() as table]:
            return of_table(table, most_details, where)
    raise FileError(f"{', '.join(names)}: a report is of one or several result files, or of one sweep or table")


def of_files(files: Sequence[ResultFile], most_details: int, called: Sequence[str]) -> Gathered:
    results = [file.result for file in files]
    varying = {} if called else telling_apart([result.config for result in results])
    if len(set(seeds := [result.seed for result in results])) > 1:
        varying[SEED] = seeds
    measured = [figures({"result": result.result, "host": result.host}) for result in results]
    unit_of = {path: unit for result in results for path, unit in units(result.program).items()}
    set_ = [parameter(path, values) for path, values in varying.items()]
    stems = called or [file.path.name if ":" in file.path.name else file.path.stem for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file.path) for file in files]
    first = [column(RUN, range(len(files))), column(NAME, names)]
    frame = pl.DataFrame([*first, *set_, *figure_columns(measured, unit_of)])
    title = names[0] if len(files) == 1 else f"{len(files)} runs"
    by_name = [NAME] * bool(called or (len(files) > 1 and varying.keys() <= {SEED}))
    found = Gathered(title, frame, [*by_name, *(each.name for each in set_)])
    for row, result in enumerate(results):
        add(found, row, result, most_details)
    return found


def of_table(table: Sweep, most_details: int, where: str | None) -> Gathered:
    frame = table.frame()
    try:
        frame = frame if where is None else frame.filter(pl.sql_expr(where))
    except pl.exceptions.PolarsError as error:
        raise UsageError(f"--where {where}: it must be an SQL condition on columns of the table; {error}") from error
    if frame.is_empty():
        raise FileError(f"{table.path} has no row" + (f" where {where}" if where else ""))
    found = Gathered(table.name, frame, varying_columns(frame))
    if IDENTITY in frame.columns:
        rows = indices_of(frame[IDENTITY].to_list())
        for identity, result in table.known(list(rows)):
            for row in rows[identity]:
                add(found, row, result, most_details)
        found.details.sort(key=lambda each: each.row)
    return found


def varying_columns(frame: pl.DataFrame) -> list[str]:
    """The parameters of a table that vary. Those of a sweep stand before `exit_code`; in another table they are the
    columns that are no figures, if figures have figures' names."""
    names = frame.columns
    if BEFORE_FIGURES in names:
        names = names[: names.index(BEFORE_FIGURES)]
    elif not any(name.startswith(OF_FIGURES) for name in names):
        names = [name for name in names if not frame[name].dtype.is_float()]
    apart = (RUN, NAME, *OF_ENDINGS)
    return [n for n in names if n not in apart and not n.startswith(OF_FIGURES) and frame[n].n_unique() > 1]


def add(found: Gathered, row: int, result: Document, most_details: int) -> None:
    """Adds the details of a row from its complete result."""
    unit_of = units(result.program)
    found.seeds[row] = [trial["seed"] for trial in result.trials]
    found.trials[row] = {
        with_unit(path, unit_of.get(path)): values
        for path, each in samples_of([result]).items()
        if (values := numbers(each)) is not None
    }
    if row < most_details:
        warnings = [str(each) for each in result.result.warnings or ()]
        with taking_apart(f"{found.name(row)}: its configuration or statistics are not what {result.platform} writes"):
            picture = picture_of(result.config, result.statistics, result.statistics_s)
            config = dict(leaves(used(result.config), lists=True))
        found.details.append(Detail(row, config, picture, warnings, result.program, result.over_time))
