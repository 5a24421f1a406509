# SPDX-License-Identifier: MIT
"""A sweep: its points are run, its tables written, of runs, of resources and of requests, and questions about them
answered in SQL, with DuckDB."""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

import orjson
import polars as pl
from polars.datatypes import IntegerType
from rich.console import Console

from sunstar.commands import relative, warn
from sunstar.console import meter
from sunstar.errors import FileError, RunError, UsageError
from sunstar.files import Outputs, make_folder, read_bytes, read_parquet, taking_apart, write_table
from sunstar.quantities import quantity
from sunstar.results import Document, figures, read, read_from, units, with_unit
from sunstar.runs.runner import FILE, Runner, Store
from sunstar.runs.simulator import CONFIGURATION, Plan, Point, Run, indices_of, plan
from sunstar.sweeps.spec import Given, Row, Spec, given, rows_of

ALLOW_FILES = "only with --files may a question read and write files"
WORDS = dict.fromkeys(("unit", "description"), pl.Categorical)
OF_RESOURCES = {"run": pl.Int64, "resource": pl.Categorical, "statistic": pl.Categorical, "value": pl.Float64, **WORDS}
Computed = tuple[str, str, str, str]  # A column's name, its place in the specification, the expression there, its SQL
FOLDER = "sweeps"  # The folder of sweeps, below that of results
FOLDERS = (FOLDER, "optimise")  # The folders with tables of runs that questions may be about: sweeps and searches
RUNS, RESOURCES, REQUESTS = "runs.parquet", "resources.parquet", "requests.parquet"
PLAN, KEPT = "plan.json", "kept.parquet"  # The runs that a sweep is to have, and those of one that has not ended
LOST = "result.bytes_lost [B]"
KINDS = (({"run", "exit_code"}, IntegerType, "whole numbers"), ({"message", "identity"}, pl.String, "texts"))
"""The columns of such a table that this package uses."""


def parameter(path: str, values: Sequence[Any]) -> pl.Series:
    """A column of a sweep's parameter. Quantities become numbers in their base unit; lists and objects become JSON."""
    quantities = [quantity(value) for value in values]
    bases = {found.base for found in quantities if found}
    known = all(found is not None or value is None for found, value in zip(quantities, values, strict=True))
    if not (known and len(bases) == 1):
        return column(path, values)
    [unit] = bases
    numbers = pl.Series(with_unit(path, unit), [found and found.value for found in quantities], pl.Float64)
    return numbers.cast(pl.Int64) if unit == "B" and (numbers == numbers.floor()).all() else numbers


def column(name: str, values: Sequence[Any]) -> pl.Series:
    """Values as they are: numbers as numbers, if all are; JSON if they are of several kinds."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return pl.Series(name, values, pl.Float64 if float in kinds else pl.Int64, strict=False)
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    text = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pl.Series(name, text, pl.String)


def figure_columns(measured: Sequence[Mapping[str, Any]], units: Mapping[str, str]) -> list[pl.Series]:
    """The columns of figures by path, in the order in which they first come; null where a run has not measured one."""
    paths = dict.fromkeys(path for each in measured for path in each)
    return [column(with_unit(path, units.get(path)), [each.get(path) for each in measured]) for path in paths]


def runs_table(rows: Sequence[Row], runs: Sequence[Run], store: Store) -> pl.DataFrame:
    """The run's number, its parameters, how it ended, and all figures of its result; null if it failed."""
    known = store.figures(run.identity for run in runs if run.done)
    found = {identity: figures(orjson.loads(text)) for identity, text in known}
    measured: list[dict[str, Any]] = [found.get(run.identity, {}) for run in runs]
    paths = dict.fromkeys(path for row in rows for path in row.values)
    return pl.DataFrame(
        [
            column("run", range(len(rows))),
            *(parameter(path, [row.values.get(path) for row in rows]) for path in paths),
            column("exit_code", [run.exit_code for run in runs]),
            column("message", [run.message for run in runs]),
            column("identity", [run.identity for run in runs]),
            *figure_columns(measured, units(rows[0].point.platform) if rows else {}),
        ]
    )


def resources_table(identities: Sequence[str], store: Store) -> pl.DataFrame:
    """Every statistic of every run: `reads` of the resource machine.iop0_scsi0.disk0, and so on."""
    numbers = indices_of(identities)
    distinct, batch = list(numbers), 200  # Runs whose statistics are in memory at a time
    parts = [pl.DataFrame(schema=OF_RESOURCES)]
    for start in range(0, len(distinct), batch):
        rows = [
            (number, *name.rpartition(".")[::2], each["value"], each["unit"], each["description"])
            for identity, outcome in store.outcomes(distinct[start : start + batch])
            if outcome.done
            for name, each in orjson.loads(outcome.document)["statistics"].items()
            for number in numbers[identity]
        ]
        parts.append(pl.DataFrame(rows, schema=OF_RESOURCES, orient="row"))
    return pl.concat(parts).sort("run", maintain_order=True)


def requests_table(identities: Sequence[str], store: Store) -> pl.DataFrame:
    """Every request of every run that has kept them: the columns of the platform's records, after the run."""
    numbers = indices_of(identities)
    parts = [pl.DataFrame(schema={"run": pl.Int64})]
    for identity, outcome in store.outcomes(numbers):
        if outcome.records is not None:
            kept = pl.read_csv(outcome.records, infer_schema_length=None)
            parts += [kept.select(pl.lit(number, pl.Int64).alias("run"), pl.all()) for number in numbers[identity]]
    return pl.concat(parts, how="diagonal_relaxed").sort("run", maintain_order=True)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def tables_named(question: str) -> set[str]:
    """The tables that a question asks."""
    import duckdb

    with closing(duckdb.connect()) as database:
        try:
            return database.get_table_names(question)
        except duckdb.Error:  # for instance, JOIN ... USING looks for its columns, and no table is there yet
            return set(re.findall(r"(?i)(?:\bfrom|\bjoin|,)\s+\"?(\w+)", question))


def ask(question: str, tables: Mapping[str, Path], files: bool = False, seconds: float | None = None) -> pl.DataFrame:
    """The answer to a question about these Parquet files; `files` and `seconds` are as for Sweep.query()."""
    import duckdb  # here, so that sweeps start without it

    with closing(duckdb.connect()) as database:
        for name, path in tables.items():
            try:
                database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({literal(path)})")
            except duckdb.Error as error:
                raise FileError(f"cannot read {path} as a Parquet table; call its sweep again") from error
        if not files:
            database.execute(f"SET allowed_paths = [{', '.join(map(literal, tables.values()))}]")
            database.execute("SET enable_external_access = false")
            database.execute("SET lock_configuration = true")
        limit = Timer(seconds or 0, database.interrupt)
        try:
            kinds = {each.type for each in duckdb.extract_statements(question)}
            if not kinds:
                raise UsageError('the question is empty; ask, for instance, "SELECT * FROM runs"')
            if not files and duckdb.StatementType.COPY in kinds:
                raise UsageError(f"the question cannot be answered: COPY writes a file; {ALLOW_FILES}")
            if seconds is not None:
                limit.start()
            answer = database.execute(question)
            names: list[str] = []
            for name, *_ in answer.description or []:
                names.append(f"{name}_{names.count(name) + 1}" if name in names else name)
            rows = answer.fetchall()
        except duckdb.PermissionException as error:
            said = str(error).partition("\n\n")[0]
            raise UsageError(f"the question cannot be answered: {said}; {ALLOW_FILES}") from error
        except duckdb.InterruptException as error:
            raise UsageError(f"the question was not answered within {seconds:g} s") from error
        except duckdb.Error as error:
            raise UsageError(f"the question cannot be answered: {error}{unquoted(question, tables)}") from error
        finally:
            limit.cancel()
    columns = list(zip(*rows, strict=True)) or [() for _ in names]
    return pl.DataFrame([pl.Series(name, list(of), strict=False) for name, of in zip(names, columns, strict=True)])


def unquoted(question: str, tables: Mapping[str, Path]) -> str:
    """A hint if the question names a column without the quotes that it needs."""
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", question)
    columns = (name for path in tables.values() for name in pl.read_parquet_schema(path) if not name.isidentifier())
    found = [name for name in columns if re.search(rf"(?<![\w.]){re.escape(name.partition(' [')[0])}\b", bare)]
    hint = "\nNames with dots or units need double quotes, and in a shell the whole question single ones: "
    return hint + quoted(max(found, key=len)) if found else ""


def with_columns(table: pl.DataFrame, computed: Iterable[Computed], where: str) -> pl.DataFrame:
    """The table with further columns, each computed from those before it; a FileError names all mistakes."""
    import duckdb  # here, as above

    with TemporaryDirectory(prefix="sunstar-") as folder, closing(duckdb.connect()) as database:
        source, target = Path(folder) / "in.parquet", Path(folder) / "out.parquet"
        table.write_parquet(source)
        database.execute(f"CREATE TABLE runs AS SELECT * FROM read_parquet({literal(source)})")
        database.execute(f"SET allowed_directories = [{literal(Path(folder))}]")
        database.execute("SET enable_external_access = false")
        wrong = []
        for name, place, expression, sql in computed:
            try:
                database.execute(f"CREATE OR REPLACE TABLE runs AS SELECT *, {sql} AS {quoted(name)} FROM runs")
            except duckdb.Error as error:
                said = str(error).partition("\n\n")[0]  # without the statement that was made of the expression
                wrong.append(f"{where}: {place} is {expression}; DuckDB says: {said}")
        if wrong:
            raise FileError("\n".join(wrong))
        database.execute(f"COPY runs TO {literal(target)} (FORMAT parquet)")
        return pl.read_parquet(target, glob=False)


def pareto_front(losses: Sequence[tuple[float, ...]]) -> list[int]:
    """The indices of points that no other dominates, the best in the first objective first; equal ones count once."""
    found: list[int] = []
    # Sorted: a dominating point precedes those it dominates.
    for index in sorted(range(len(losses)), key=lambda index: (losses[index], index)):
        if not any(all(a <= b for a, b in zip(losses[best], losses[index], strict=True)) for best in found):
            found.append(index)
    return found


@dataclass(frozen=True)
class Planned(Given[Spec]):
    rows: Sequence[Row]
    plan: Plan


def planned(spec: Path | str | Mapping[str, Any], jobs: int = 0, requests: bool = False) -> Planned:
    """A sweep as a file or an object specifies it. With `requests`, each run keeps its own."""
    read = given(Spec, spec)
    rows = rows_of(read.spec, read.folder, requests)
    return Planned(**vars(read), rows=rows, plan=plan([row.point for row in rows], jobs))


@contextmanager
def shown(out: Console, sweep: Planned, runner: Runner) -> Iterator[Callable[[int, Run], None]]:
    """Reports earlier finished runs, and then the progress of the others; yields `on_end` of carry_out()."""
    before = len(runner.known(sweep.plan)) - len(sweep.plan.refused)
    left = len(sweep.rows) - before - len(sweep.plan.refused)
    out.print(f"{sweep.name}: {before} of {len(sweep.rows)} runs were finished before", soft_wrap=True)
    with meter(out, sweep.name, left) as ended:
        yield lambda _, run: ended(run.done)


def carry_out(
    sweep: Planned, runner: Runner, results: Path, files: Outputs, on_end: Callable[[int, Run], None]
) -> list[Run]:
    """Makes the missing runs, and writes the table of runs."""
    folder = make_folder(results / FOLDER / sweep.name)
    files.temporary(folder / RUNS)  # fails before any run if it cannot be written
    begin(folder, sweep)
    runs = runner.all(sweep.plan, on_end)
    table = runs_table(sweep.rows, runs, runner.store)
    write_table(files, folder / RUNS, derived(table, sweep.spec.derived, sweep.where))
    return runs


def derived(table: pl.DataFrame, expressions: Mapping[str, str], where: str) -> pl.DataFrame:
    computed = ((name, f"derived.{name}", text, f"({text})") for name, text in expressions.items())
    return with_columns(table, computed, where) if expressions else table


def begin(folder: Path, sweep: Planned) -> None:
    """Writes which runs the sweep is to have, and removes the tables of an earlier call, which may have had others."""
    refused = {index: run.message for index, run in sweep.plan.refused.items()}
    config = sweep.spec.config
    named = [Path(sweep.where).resolve(), *([sweep.folder / config] if isinstance(config, str) else [])]
    told = {
        "where": sweep.where,
        "files": {str(file): digest(file) for file in named if file.is_file()},
        "platform": sweep.rows[0].point.platform if sweep.rows else "",
        "derived": sweep.spec.derived,
        "runs": [(row.values, sweep.plan.identities[i], refused.get(i)) for i, row in enumerate(sweep.rows)],
    }
    with Outputs() as files, files.file(folder / PLAN) as temporary:
        temporary.write_bytes(orjson.dumps(told))
    for name in (RUNS, KEPT, RESOURCES, REQUESTS):
        (folder / name).unlink(missing_ok=True)  # made anew when it is asked for


def digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def sweep_in(folder: Path, results: Path) -> "Sweep":
    """The sweep or search in a folder, with a warning if it has not ended, or if its specification has changed. Of a
    sweep that has not ended, its table holds what is kept."""
    if not (folder / PLAN).is_file():
        return Sweep(folder, results)
    with taking_apart(f"{folder / PLAN} is not what a sweep writes; call the sweep again"):
        told = orjson.loads(read_bytes(folder / PLAN))
        made, total = Sweep(folder, results, RUNS if (folder / RUNS).is_file() else KEPT), len(told["runs"])
        if made.path.name == KEPT:
            of = f"{made.keep(told)} of {total} runs are kept, in {relative(made.path)}"
            warn(f"{made.name} has not ended: {of}; the same sweep goes on")
        changed = [relative(Path(file)) for file, before in told["files"].items() if digest(Path(file)) != before]
    if changed:
        begun = time.strftime("%Y-%m-%d %H:%M", time.localtime((folder / PLAN).stat().st_mtime))
        after = f"{' and '.join(changed)} changed after that, so call the sweep again"
        warn(f"{made.name} has {total} runs as specified at {begun}; {after}")
    return made


class Sweep:
    """A sweep whose runs have ended, or another Parquet table. The store of `results` may have its whole results."""

    def __init__(self, folder: Path, results: Path, table: str = RUNS) -> None:
        self.folder = folder
        self.path = folder / table
        self.results = results

    @property
    def name(self) -> str:
        return self.folder.name if self.path.name in (RUNS, KEPT) else self.path.stem

    def frame(self) -> pl.DataFrame:
        """A row for each run: its parameters and figures."""
        frame = read_parquet(self.path)
        for names, kind, wanted in KINDS:
            for name in names & set(frame.columns):
                if not isinstance(frame.schema[name], kind):
                    raise FileError(f"{self.path}: the column {name} must hold {wanted}, as a sweep writes it")
        return frame.drop(name for name, kind in frame.schema.items() if kind.is_nested())

    def keep(self, told: Mapping[str, Any]) -> int:
        """Writes the table of those runs of a plan that are kept; returns their number."""
        with Store(self.results) as store, Outputs() as files:
            endings = store.endings(identity for _, identity, _ in told["runs"] if identity)
            kept, point = [], Point(platform=told["platform"])
            for number, (values, identity, refused) in enumerate(told["runs"]):
                if identity in endings or refused:
                    ending = endings.get(identity, (CONFIGURATION, refused))[:2]
                    kept.append((number, Row(values, point), Run(point, identity, *ending)))
            table = runs_table([row for _, row, _ in kept], [run for *_, run in kept], store)
            table = table.with_columns(pl.Series("run", [number for number, *_ in kept], pl.Int64))
            with suppress(FileError):  # no run may have the figures yet
                table = derived(table, told["derived"], told["where"])
            write_table(files, self.path, table)
        return len(kept)

    def resources(self) -> pl.DataFrame:
        return self._made(RESOURCES, resources_table)

    def requests(self) -> pl.DataFrame:
        """A row for each request of each run of a sweep that keeps them: each call or collective of a machine, each
        message of a network, each request to a disk. A FileError if the sweep keeps none."""
        table = self._made(REQUESTS, requests_table)
        if table.width == 1:
            (self.folder / REQUESTS).unlink()
            raise FileError(
                f"the runs of {self.folder.name} have kept no requests; call the sweep again with --requests"
            )
        return table

    def _made(self, name: str, make: Callable[[Sequence[str], Store], pl.DataFrame]) -> pl.DataFrame:
        """A table that is made when it is first asked for."""
        path = self.folder / name
        if not path.exists() or self.path.name == KEPT:
            with Store(self.results) as store, Outputs() as files:
                write_table(files, path, make(self.frame()["identity"].to_list(), store))
        return read_parquet(path)

    def query(self, question: str, files: bool = False, seconds: float | None = None) -> pl.DataFrame:
        """The answer to a question in SQL about the tables `runs`, `resources` and `requests`. It may read and write
        other files only with `files`, and take at most `seconds`."""
        tables = {"runs": self.path}
        named = tables_named(question)
        if "resources" in named:
            self.resources()
            tables["resources"] = self.folder / RESOURCES
        if "requests" in named:
            self.requests()
            tables["requests"] = self.folder / REQUESTS
        return ask(question, tables, files, seconds)

    def result(self, run: int) -> Document:
        """The result of a run by its number; a RunError if it failed."""
        frame = self.frame()
        found = frame.filter(pl.col("run") == run)
        if found.is_empty():
            numbers = f"runs 0 to {frame.height - 1}" if self.path.name == RUNS else f"{frame.height} runs so far"
            raise UsageError(f"there is no run {run}: {self.name} has the {numbers}")
        row = found.row(0, named=True)
        with Store(self.results) as store:
            outcome = store.outcome(row["identity"])
        if not row["identity"]:
            raise RunError(row["message"], row["exit_code"])
        if outcome is None:
            raise FileError(f"run {run} is not in the store {store.path} any more; call the sweep again")
        if not outcome.done:
            raise RunError(outcome.message, outcome.exit_code)
        return read(outcome.document)

    def known(self, identities: Sequence[str]) -> Iterator[tuple[str, Document]]:
        """The results of those runs that the store has and that did not fail, in any order."""
        if not (self.results / FILE).is_file():
            return
        with Store(self.results) as store:
            for identity, outcome in store.outcomes(identity for identity in identities if identity):
                if outcome.done:
                    yield identity, read_from(outcome.document, f"the store {store.path}")


def sweeps_in(results: Path) -> list[Path]:
    """The folders of sweeps and searches, the newest first."""
    found = [path for folder in FOLDERS for name in (PLAN, RUNS) for path in (results / folder).glob(f"*/{name}")]
    ordered = sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
    return list(dict.fromkeys(path.parent for path in ordered))


def find_sweep(name: str | None, results: Path) -> Sweep:
    """The sweep of this name; without a name, the newest."""
    folders = sweeps_in(results)
    if not folders:
        raise FileError(f"there is no sweep in {results / FOLDER}; make one with: sunstar sweep SPEC.json")
    for folder in folders:
        if name in (None, folder.name):
            return sweep_in(folder, results)
    raise FileError(f"there is no sweep {name} in {results / FOLDER}; there are {', '.join(f.name for f in folders)}")
