# SPDX-License-Identifier: MIT
"""A sweep: its points are run, its tables written, and questions about them answered."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import polars as pl
from polars.datatypes import IntegerType
from rich.console import Console

from sunstar.commands import relative, warn
from sunstar.console import meter
from sunstar.errors import FileError, RunError, UsageError
from sunstar.files import Outputs, make_folder, read_bytes, read_parquet, taking_apart, write_table
from sunstar.results import Document, read, read_from
from sunstar.runs.runner import Runner
from sunstar.runs.simulator import CONFIGURATION, Plan, Point, Run, plan
from sunstar.runs.store import FILE, Store
from sunstar.sweeps.spec import Given, Row, Spec, given, rows_of
from sunstar.sweeps.tables import ask, requests_table, resources_table, runs_table, tables_named, with_columns

FOLDER = "sweeps"  # The folder of sweeps, below that of results
FOLDERS = (FOLDER, "optimise")  # The folders with tables of runs that questions may be about: sweeps and searches
RUNS, RESOURCES, REQUESTS = "runs.parquet", "resources.parquet", "requests.parquet"
PLAN, KEPT = "plan.json", "kept.parquet"  # The runs that a sweep is to have, and those of one that has not ended
LOST = "result.bytes_lost [B]"
KINDS = (({"run", "exit_code"}, IntegerType, "whole numbers"), ({"message", "identity"}, pl.String, "texts"))
"""The columns of such a table that this package uses."""


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
    """A sweep whose runs have ended, or another Parquet table of runs or points. `results` is the folder whose store
    may have the whole results of its runs."""

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
