# SPDX-License-Identifier: MIT
"""A search: a sampler proposes a batch of configurations, their runs are made or found in the store, the sampler learns
the outcomes, and so on. Its table is that of a sweep's runs, with the machine's costs, the objectives, the constraints,
and the Pareto front.

A batch is proposed before any of its runs has been made, and told when all have ended. So the findings depend neither
on the number of runs at the same time nor on interruptions of the search.

The journal has the form of Optuna's own: a file of JSON lines. Lines that are written together are on the disk
together, and a line that a crash has cut off is removed, so that a search goes on where it was. One command at a time
has the file; the lock ends with the program.
"""

import fcntl
import hashlib
import json
import math
import os
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Self

import optuna
import polars as pl
import typer
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, NSGAIISampler, RandomSampler, TPESampler
from optuna.storages.journal import BaseJournalBackend
from optuna.trial import FrozenTrial, Trial, TrialState
from rich.console import Console

from sunstar import commands
from sunstar.commands import JobsOption, JsonOption, ResultsOption, RetryOption, SchedulerOption, SchemaOption
from sunstar.console import console, meter, print_table
from sunstar.drawing import Axes, logarithmic, picture
from sunstar.errors import FileError, UsageError, meant
from sunstar.files import Outputs, make_folder, write_table, writing
from sunstar.results import SECTIONS, described, with_unit
from sunstar.runs.runner import Runner, Store
from sunstar.runs.simulator import CONFIGURATION, FAILED, Identities, Point, Run, Value, ask, plan
from sunstar.searches.spec import COLUMNS, Limit, Prices, Search, Spec, costs_of
from sunstar.sweeps.command import chosen, printed
from sunstar.sweeps.spec import Choices, Given, Range, Row, base, given, quantity_of, read_strictly
from sunstar.sweeps.sweep import RUNS, parameter, pareto_front, quoted, runs_table, with_columns

Entry = dict[str, Any]
OBJECTIVE, CONSTRAINT, FEASIBLE, FRONT = "objective.", "constraint.", "feasible", "front"
NAME = re.compile(r'"((?:[^"]|"")+)"')  # A quoted name in an expression
NUMBER = "CAST(({}) AS DOUBLE)"
FOLDER = "optimise"  # The folder of searches, below that of results
RAN = "run"  # The constraint that every run must end well
EXCLUDED = 5  # In place of an exit code: not run, since a constraint excludes it
WORST = 1e300  # The sampler's value of an objective without one; the constraint decides
FAR = 1e6  # The violation of a failed run: more than any other
SHOWN = 20  # The most configurations of the front that are printed
LATE = 0.75  # Share of a search after which an improvement says that it is not at its end


class Journal(BaseJournalBackend):
    def __init__(self, path: Path) -> None:
        self.path = path
        with writing(path):
            self._file = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise FileError(f"{path}: another command is at work on this search") from error
        self._entries = self._read()
        self._written = len(self._entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read_logs(self, log_number_from: int) -> Iterable[Entry]:
        return self._entries[log_number_from:]

    def append_logs(self, logs: list[Entry]) -> None:
        self._entries += logs

    def commit(self) -> None:
        """Returns when everything is on the disk."""
        lines = "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in self._entries[self._written :])
        with writing(self.path):
            self._file.write(lines.encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        self._written = len(self._entries)

    def _read(self) -> list[Entry]:
        self._file.seek(0)
        text = self._file.read()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            self._file.truncate(whole)
        try:
            return [json.loads(line) for line in text[:whole].splitlines()]
        except ValueError as error:
            raise FileError(f"{self.path} is not the journal of a search ({error}); remove it") from error


class Tables:
    def __init__(self, spec: Spec, prices: Prices | None, where: str) -> None:
        self._spec, self._prices, self._where = spec, prices, where
        self._expressions = list(expressions(spec))
        self._met: set[str] = set()  # Figures that a run has had
        self._later: set[str] = set()  # Columns that need a run

    def check(self) -> None:
        """Checks before any run that DuckDB understands the expressions; names everything that is wrong."""
        self._computed(self._completed(pl.DataFrame()))

    def of(self, rows: Sequence[Row], runs: Sequence[Run], store: Store) -> pl.DataFrame:
        """A row for each configuration. Those whose run failed have no objectives, and are not feasible."""
        table = runs_table(rows, runs, store)
        self._met.update(table.columns)
        strange = (name for name in dict.fromkeys(self._strangers()) if name not in self._met)
        wrong = [f"{self._where}: no run has the figure {name}{meant(name, self._met)}" for name in strange]
        if wrong and any(run.done for run in runs):
            raise FileError("\n".join(wrong))
        if self._prices is not None:
            found = {
                identity: costs_of(self._prices, outcome, self._where)
                for identity, outcome in store.outcomes(run.identity for run in runs if run.done)
            }
            table = table.with_columns(
                pl.Series(name, [found.get(run.identity, {}).get(name) for run in runs], pl.Float64) for name in COLUMNS
            )
        computed = self._computed(self._completed(table))
        reached = [pl.col(OBJECTIVE + name).is_finite().fill_null(False) for name in self._spec.objectives]
        kept = [pl.col(CONSTRAINT + name) <= 0 for name in self._spec.constraints]
        return computed.with_columns(pl.all_horizontal(pl.col("exit_code") == 0, *reached, *kept).alias(FEASIBLE))

    def excluded(self, rows: Sequence[Row]) -> dict[int, str]:
        """The rows that break a constraint by their parameters alone, by their index, each with the constraint."""
        columns = [parameter(path, [row.values.get(path) for row in rows]) for path in self._spec.parameters]
        table = pl.DataFrame(columns)
        for computed in self._formulas(set(table.columns)):
            if computed[0] not in self._later:
                try:
                    table = with_columns(table, [computed], self._where)
                except FileError:  # DuckDB does not know a column: a figure of the run, or a cost
                    self._later.add(computed[0])
        broken = [name for name in self._spec.constraints if CONSTRAINT + name in table.columns]
        return {i: name for name in reversed(broken) for i, by in enumerate(table[CONSTRAINT + name]) if by > 0}

    def _completed(self, table: pl.DataFrame) -> pl.DataFrame:
        """The table with empty columns for figures that none of its runs has; if it is empty, with every column."""
        own = {"run": pl.Int64, "exit_code": pl.Int64, "message": pl.String}
        known: dict[str, pl.DataType | type[pl.DataType]] = {**figure_columns(self._spec.platform), **own}
        for path, of in self._spec.parameters.items():  # with their possible kinds of value
            column = parameter(path, of.choices if isinstance(of, Choices) else [of.at(0.0), of.at(1.0)])
            known[column.name] = column.dtype
        if self._prices is not None:
            known |= dict.fromkeys(COLUMNS, pl.Float64)
        known |= {name: pl.Float64 for name in self._strangers() if name not in known}
        missing = [pl.lit(None, kind).alias(name) for name, kind in known.items() if name not in table.columns]
        return table.with_columns(missing) if table.width else pl.DataFrame({name: [] for name in known}, known)

    def _strangers(self) -> Iterator[str]:
        """Figures in the expressions that the simulator does not describe, as those of some workloads."""
        described = figure_columns(self._spec.platform)
        for _, _, expression, _ in self._expressions:
            for name in NAME.findall(expression):
                if name.partition(".")[0] in SECTIONS and name not in described:
                    yield name

    def _computed(self, table: pl.DataFrame) -> pl.DataFrame:
        return with_columns(table, list(self._formulas(set(table.columns))), self._where)

    def _formulas(self, names: set[str]) -> Iterator[tuple[str, str, str, str]]:
        """The computed columns of a table that has columns of these names."""
        for column, place, expression, form in self._expressions:
            sql = form.replace("{}", quoted(expression) if expression in names else expression)
            yield column, place, expression, sql
            names.add(column)


def expressions(spec: Spec) -> Iterator[tuple[str, str, str, str]]:
    """The computed columns: name, place in the specification, expression, and the SQL with a {} for it: an objective is
    a number, a constraint by how much it is broken, as a share of its limit, or 1 for a condition."""
    for name, expression in spec.derived.items():
        yield name, f"derived.{name}", expression, "({})"
    for name, objective in spec.objectives.items():
        kind = "maximise" if objective.minimise is None else "minimise"
        yield OBJECTIVE + name, f"objectives.{name}.{kind}", objective.expression, NUMBER
    for name, of in spec.constraints.items():
        if not isinstance(of, Limit):
            form = "CASE WHEN ({}) THEN 0.0::DOUBLE ELSE 1.0::DOUBLE END"
            yield CONSTRAINT + name, f"constraints.{name}", of, form
            continue
        misses = ["0.0::DOUBLE"]
        if of.at_most is not None:
            misses.append(f"({NUMBER} - {of.at_most!r}) / {abs(of.at_most) or 1.0!r}")
        if of.at_least is not None:
            misses.append(f"({of.at_least!r} - {NUMBER}) / {abs(of.at_least) or 1.0!r}")
        form = f"CASE WHEN isfinite({NUMBER}) THEN greatest({', '.join(misses)}) ELSE 1.0::DOUBLE END"
        yield CONSTRAINT + name, f"constraints.{name}.value", of.value, form


@cache
def figure_columns(program: str) -> Mapping[str, type[pl.DataType]]:
    """The figures that every result of a simulator may have, as columns."""
    found: dict[str, type[pl.DataType]] = {}
    for path, schema in described(program).items():
        kinds = schema.get("type")
        kinds = set(kinds if isinstance(kinds, list) else [kinds]) - {"null"}
        for some, column in ({"number", "integer"}, pl.Float64), ({"boolean"}, pl.Boolean), ({"string"}, pl.String):
            if kinds <= some:
                found.setdefault(with_unit(path, schema.get("unit")), column)
    return found


def with_front(spec: Spec, table: pl.DataFrame) -> pl.DataFrame:
    """The table with the place of each configuration on the Pareto front; null for the others."""
    feasible = table.filter(FEASIBLE)
    losses = [pl.col(OBJECTIVE + name) * (-1.0 if of.maximise else 1.0) for name, of in spec.objectives.items()]
    best = pareto_front(feasible.select(losses).rows())
    place = {feasible["run"][index]: place for place, index in enumerate(best)}
    return table.with_columns(pl.Series(FRONT, [place.get(run) for run in table["run"]], pl.Int64))


@dataclass(frozen=True)
class Wanted(Given[Spec]):
    prices: Prices | None


@dataclass(frozen=True)
class Judged:
    rows: Sequence[Row]
    runs: Sequence[Run]
    table: pl.DataFrame  # A row for each configuration that was tried

    @property
    def best(self) -> pl.DataFrame:
        """The rows on the Pareto front, the best in the first objective first."""
        return self.table.filter(pl.col(FRONT).is_not_null()).sort(FRONT)


def wanted(spec: Path | str | Mapping[str, Any]) -> Wanted:
    """A search as a file or an object specifies it; checks everything before a run is made."""
    read = given(Spec, spec)
    prices = read.spec.prices
    if isinstance(prices, str):
        file = read.folder / prices
        if not file.is_file():
            raise FileError(f"{read.where}: prices is {prices}, but there is no file {file}")
        prices = read_strictly(Prices, file)
    base(read.spec.config, read.folder)
    Tables(read.spec, prices, read.where).check()
    return Wanted(**vars(read), prices=prices)


def search(
    wanted: Wanted,
    runner: Runner,
    results: Path,
    jobs: int,
    on_start: Callable[[int], None],
    ended: Callable[[bool], None],
) -> Judged:
    """Continues a search until it has tried all its configurations. on_start gets the number tried before; `ended` is
    called in this thread after each run that is made or found, with whether it succeeded."""
    spec = wanted.spec
    tables = Tables(spec, wanted.prices, wanted.where)
    with quiet(), Journal(make_folder(results / FOLDER / wanted.name) / "journal.jsonl") as journal:
        study = optuna.create_study(
            storage=optuna.storages.JournalStorage(journal),
            study_name=identity(wanted),
            load_if_exists=True,
            directions=[objective.direction for objective in spec.objectives.values()],
        )
        on_start(min(len(tried(study)), spec.search.configurations))
        while len(tried(study)) < spec.search.configurations:
            batch = under_way(study, spec) or propose(study, spec)
            journal.commit()
            rows = rows_of(wanted, batch)
            runs = carry_out(rows, tables.excluded(rows), runner, jobs, ended)
            teach(study, spec, batch, tables.of(rows, runs, runner.store))
            journal.commit()
        rows = rows_of(wanted, tried(study)[: spec.search.configurations])
        runs = carry_out(rows, tables.excluded(rows), runner, jobs, lambda _: None)
        return Judged(rows, runs, with_front(spec, tables.of(rows, runs, runner.store)))


def identity(wanted: Wanted) -> str:
    """The name of the search in its journal: it goes on if nothing has changed but the number of configurations."""
    shared = wanted.spec.model_dump(mode="json", by_alias=True, exclude={"name", "prices", "json_schema", "config"})
    shared["search"] |= {"configurations": None, "batch": wanted.spec.search.at_once}
    prices = wanted.prices.model_dump(mode="json") if wanted.prices else None
    lowest = {path: of.at(0) for path, of in wanted.spec.parameters.items()}
    parts = {"spec": shared, "prices": prices, "config": ask([point_of(wanted, each) for each in ({}, lowest)])}
    return Identities().of(wanted.spec.platform, parts, wanted.folder)


def tried(study: optuna.Study) -> list[FrozenTrial]:
    return study.get_trials(deepcopy=False, states=[TrialState.COMPLETE])


def propose(study: optuna.Study, spec: Spec) -> list[Trial]:
    known = len(tried(study))
    study.sampler = sampler(spec.search, known)
    space = {path: distribution(of) for path, of in spec.parameters.items()}
    return [study.ask(space) for _ in range(min(spec.search.at_once, spec.search.configurations - known))]


def under_way(study: optuna.Study, spec: Spec) -> list[Trial]:
    """The batch that was proposed when the search was interrupted."""
    found = study.get_trials(deepcopy=False, states=[TrialState.RUNNING])
    whole = [trial for trial in found if set(trial.params) == set(spec.parameters)]
    for trial in found:
        if trial not in whole:  # the disk has lost a part of it
            study.tell(trial.number, state=TrialState.FAIL)
    return [Trial(study, trial._trial_id) for trial in whole]


def rows_of(wanted: Wanted, trials: Sequence[Trial | FrozenTrial]) -> list[Row]:
    space = wanted.spec.parameters.items()
    of_all = [{path: value(of, trial.params[path]) for path, of in space} for trial in trials]
    return [Row(values, point_of(wanted, values)) for values in of_all]


def point_of(wanted: Wanted, values: Mapping[str, Value]) -> Point:
    spec = wanted.spec
    config, shared = base(spec.config, wanted.folder)
    trials = spec.repetitions.trials
    return Point({**shared, **values}, config, spec.platform, trials=trials, folder=wanted.folder)


def carry_out(
    rows: Sequence[Row], excluded: Mapping[int, str], runner: Runner, jobs: int, ended: Callable[[bool], None]
) -> list[Run]:
    """Gets the runs that no constraint excludes. A sampler may propose known configurations again."""
    wanted = plan([row.point for i, row in enumerate(rows) if i not in excluded], jobs)
    for run in runner.known(wanted).values():
        ended(run.done)
    runs = runner.all(wanted, lambda _, run: ended(run.done))
    for i, constraint in sorted(excluded.items()):
        ended(True)
        runs.insert(i, Run(rows[i].point, "", EXCLUDED, f"not run, since it breaks the constraint {constraint}"))
    return runs


def teach(study: optuna.Study, spec: Spec, batch: Sequence[Trial], table: pl.DataFrame) -> None:
    for trial, row in zip(batch, table.iter_rows(named=True), strict=True):
        values = [row[OBJECTIVE + name] for name in spec.objectives]
        good = row["exit_code"] == 0 and all(value is not None and abs(value) < WORST for value in values)
        judged = good or row["exit_code"] == EXCLUDED
        trial.set_constraint(RAN, 0.0 if judged else FAR)
        for name in spec.constraints:
            trial.set_constraint(CONSTRAINT + name, row[CONSTRAINT + name] if judged else FAR)
        study.tell(trial, values if good else [-WORST if o.maximise else WORST for o in spec.objectives.values()])


def distribution(of: Range | Choices) -> BaseDistribution:
    """A parameter as the sampler sees it. Multiples are counted, and choices are the texts of their JSON."""
    if isinstance(of, Choices):
        return CategoricalDistribution(list(dict.fromkeys(json.dumps(choice) for choice in of.choices)))
    least, most, log = quantity_of(of.least).value, quantity_of(of.most).value, of.scale == "log"
    if of.step is not None:
        return IntDistribution(math.ceil(least / of.step), math.floor(most / of.step), log=log)
    return FloatDistribution(least, most, log=log)


def value(of: Range | Choices, proposed: Any) -> Value:  # noqa: ANN401  as the distribution says
    if isinstance(of, Choices):
        chosen: Value = json.loads(proposed)
        return chosen
    return of.value_of(proposed * (of.step or 1))


def sampler(search: Search, tried: int) -> BaseSampler:
    """The sampler of the next batch, after `tried` configurations. Its random numbers follow from the seed and from
    this number, so that an interrupted search goes on as it would have gone."""
    seed = int.from_bytes(hashlib.sha256(f"{search.seed} {tried}".encode()).digest()[:4])
    if search.method == "nsga-ii":
        return NSGAIISampler(population_size=search.at_once, seed=seed)
    if search.method == "tpe":
        return TPESampler(seed=seed, n_startup_trials=max(10, search.at_once))
    return RandomSampler(seed=seed)


@contextmanager
def quiet() -> Iterator[None]:
    """Stops Optuna from reporting each step."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore", category=optuna.exceptions.ExperimentalWarning):
            yield
    finally:
        optuna.logging.set_verbosity(before)


def write(files: Outputs, results: Path, wanted: Wanted, found: Judged) -> None:
    folder = results / FOLDER / wanted.name
    write_table(files, folder / RUNS, found.table)
    for suffix in (".csv", ".parquet"):
        write_table(files, folder / f"front{suffix}", found.best)
    draw_front(files, folder / "front.png", wanted.name, wanted.spec, found.table)


def draw_front(files: Outputs, path: Path, title: str, spec: Spec, table: pl.DataFrame) -> None:
    names = list(spec.objectives)
    pairs = list(combinations(names, 2)) or [("", names[0])]
    with picture(files, path, max(6.4, 4.2 * len(pairs)), 4.2) as canvas:
        for axes, (x, y) in zip(canvas.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
            draw_pair(axes, table, f"{OBJECTIVE}{x}" if x else "run", OBJECTIVE + y, line=len(names) == 2)
            axes.set_xlabel(x or "configuration")
            axes.set_ylabel(y)
        canvas.suptitle(title, fontsize=10)


def draw_pair(axes: Axes, table: pl.DataFrame, x: str, y: str, line: bool) -> None:
    known = table.drop_nulls([x, y])
    for label, part, style, colour, size in (
        ("infeasible", known.filter(~pl.col(FEASIBLE)), "x", "0.7", 4),
        ("feasible", known.filter(FEASIBLE), "o", "C0", 4),
        ("Pareto front", known.filter(pl.col(FRONT).is_not_null()).sort(x), "o-" if line else "o", "C3", 5),
    ):
        if part.height:
            axes.plot(part[x].to_list(), part[y].to_list(), style, color=colour, markersize=size, label=label)
    for column, scale in ((known[x], axes.set_xscale), (known[y], axes.set_yscale)):
        if column.name != "run" and logarithmic(column):
            scale("log")
    axes.grid(alpha=0.3)
    if known.height:
        axes.legend(fontsize=7)


def optimise(
    spec: Annotated[Path | None, typer.Argument(metavar="SPEC.json")] = None,
    schema: SchemaOption = False,
    prices_schema: Annotated[bool, typer.Option("--prices-schema")] = False,
    scheduler: SchedulerOption = None,
    retry_failed: RetryOption = False,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
    as_json: JsonOption = False,
) -> None:
    for asked, model in ((schema, Spec), (prices_schema, Prices)):
        if asked:
            typer.echo(json.dumps(model.model_json_schema(), indent=2))
            return
    if spec is None:
        raise UsageError(
            "name the specification of the search, as in: sunstar optimise explore/examples/cheap_disks.json"
        )
    start = time.monotonic()
    out = console(stderr=as_json)
    asked_for = wanted(spec)
    folder = commands.results_folder(results)
    total = asked_for.spec.search.configurations
    with Store(folder) as store, Outputs() as files:
        with meter(out, asked_for.name, total) as ended:

            def on_start(told: int) -> None:
                out.print(f"{asked_for.name}: {told} of {total} configurations were tried before", soft_wrap=True)
                for _ in range(told):
                    ended(True)

            runner = Runner(store, chosen(scheduler, jobs), retry_failed)
            found = search(asked_for, runner, folder, jobs, on_start, ended)
        write(files, folder, asked_for, found)
    tell(out, asked_for, found, files.paths(), time.monotonic() - start, as_json)


def tell(out: Console, wanted: Wanted, found: Judged, written: list[Path], took_s: float, as_json: bool) -> None:
    done, excluded = (sum(run.exit_code == code for run in found.runs) for code in (0, EXCLUDED))
    failed, feasible = len(found.runs) - done - excluded, int(found.table[FEASIBLE].sum())
    if as_json:
        front = [
            {
                "run": row["run"],
                "parameters": found.rows[row["run"]].values,
                "objectives": {name: row[OBJECTIVE + name] for name in wanted.spec.objectives},
                "identity": row["identity"],
            }
            for row in found.best.iter_rows(named=True)
        ]
        counts = {"configurations": len(found.runs), "done": done, "failed": failed, "excluded": excluded}
        told = {"name": wanted.name, **counts, "feasible": feasible, "front": front, "files": list(map(str, written))}
        typer.echo(json.dumps(told, indent=2))
    else:
        print_front(out, wanted.spec, found)
        if wanted.prices and wanted.prices.source:
            out.print(f"prices: {wanted.prices.source}", soft_wrap=True)
        left = f", {excluded} not made, as their parameters break a constraint" if excluded else ""
        kept = f"{feasible} configurations keep all constraints"
        out.print(f"{done} runs done, {failed} failed{left}; {kept}", soft_wrap=True)
        if found.best.height:
            out.print(longer(found), soft_wrap=True)
        if not done and failed:
            typer.echo(next(run.message for run in found.runs if run.exit_code != EXCLUDED), err=True)
        out.print(f"written: {', '.join(map(commands.relative, written))}", soft_wrap=True)
        out.print(f"took {took_s:.0f} s")
    if not done and failed:
        refused = all(run.exit_code in (CONFIGURATION, EXCLUDED) for run in found.runs)
        raise typer.Exit(CONFIGURATION if refused else FAILED)


def print_front(out: Console, spec: Spec, found: Judged) -> None:
    best = found.best
    if not best.height:
        out.print(nearest(spec, found.table), soft_wrap=True)
        return
    parameters = [name for name in best.columns if name.partition(" [")[0] in spec.parameters]
    headings = [*short(parameters), *spec.objectives]
    names = [*parameters, *(OBJECTIVE + name for name in spec.objectives)]
    aims = " and ".join(f"{'most' if of.maximise else 'least'} {name}" for name, of in spec.objectives.items())
    what = f"Pareto front: {best.height}" if len(spec.objectives) > 1 else "the best"
    title = f"{what} of {found.table.height} configurations tried, by {aims}"
    if spec.constraints:
        title += f"; {'all keep' if best.height > 1 else 'it keeps'} {', '.join(spec.constraints)}"
    print_table(out, replace(printed(best.select(names).head(SHOWN), title), headings=headings))
    if best.height > SHOWN:
        out.print(f"... and {best.height - SHOWN} more; see front.csv")


def longer(found: Judged) -> str:
    """Whether a longer search would help: the last Pareto-optimal configuration was found late."""
    last, tried = max(found.best["run"].to_list()) + 1, found.table.height
    if last > LATE * tried:
        return f"configuration {last} of {tried} was the last to improve on the others: a longer search may find better"
    return f"no configuration after {last} of {tried} has improved on the others: a longer search would hardly help"


def nearest(spec: Spec, table: pl.DataFrame) -> str:
    """A sentence for when no configuration is feasible."""
    broken = [CONSTRAINT + name for name in spec.constraints]
    done = table.filter(pl.col("exit_code").is_in([0, EXCLUDED]))
    if not (broken and done.height):
        return "no configuration is feasible"
    row = done.sort(pl.sum_horizontal(broken)).row(0, named=True)
    said = ", ".join(f"{name.removeprefix(CONSTRAINT)} by {100 * row[name]:.3g} %" for name in broken if row[name] > 0)
    near = f"configuration {row['run']} is nearest and misses {said or 'an objective'}"
    return f"no configuration keeps all constraints; {near}"


def short(columns: Sequence[str]) -> list[str]:
    """The last words of the columns' paths, enough to tell them apart."""
    paths = [column.split(".") for column in columns]
    ends = [[path[-words:] for words in range(1, len(path) + 1)] for path in paths]
    return [
        ".".join(next((end for end in of if sum(path[-len(end) :] == end for path in paths) == 1), of[-1]))
        for of in ends
    ]
