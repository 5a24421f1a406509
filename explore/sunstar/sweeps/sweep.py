# SPDX-License-Identifier: MIT
"""A sweep: its points are run, its tables written, and questions about them answered."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from polars.datatypes import IntegerType
from rich.console import Console

from sunstar.console import meter
from sunstar.errors import FileError, RunError, UsageError
from sunstar.files import Outputs, make_folder, read_parquet, write_table
from sunstar.results import Document, read, read_from
from sunstar.runs.runner import Runner
from sunstar.runs.simulator import Plan, Run, plan
from sunstar.runs.store import FILE, Store
from sunstar.sweeps.spec import Given, Row, Spec, given, rows_of
from sunstar.sweeps.tables import ask, requests_table, resources_table, runs_table, tables_named, with_columns

FOLDER = "sweeps"  # The folder of sweeps, below that of results
FOLDERS = (FOLDER, "optimise")  # The folders with tables of runs that questions may be about: sweeps and searches
RUNS, RESOURCES, REQUESTS = "runs.parquet", "resources.parquet", "requests.parquet"
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
def shown(out: Console, sweep: Planned, runner: Runner, least_s: float = 0) -> Iterator[Callable[[int, Run], None]]:
    """Reports earlier finished runs, and then the progress of the others; yields `on_end` of carry_out()."""
    before = len(runner.known(sweep.plan)) - len(sweep.plan.refused)
    left = len(sweep.rows) - before - len(sweep.plan.refused)
    out.print(f"{sweep.name}: {before} of {len(sweep.rows)} runs were finished before", soft_wrap=True)
    with meter(out, sweep.name, left, least_s) as ended:
        yield lambda _, run: ended(run.done)


def carry_out(
    sweep: Planned, runner: Runner, results: Path, files: Outputs, on_end: Callable[[int, Run], None]
) -> list[Run]:
    """Makes the missing runs, and writes the table of runs."""
    folder = make_folder(results / FOLDER / sweep.name)
    files.temporary(folder / RUNS)  # fails before any run if it cannot be written
    runs = runner.all(sweep.plan, on_end)
    table = runs_table(sweep.rows, runs, runner.store)
    if sweep.spec.derived:
        derived = ((name, f"derived.{name}", text, f"({text})") for name, text in sweep.spec.derived.items())
        table = with_columns(table, derived, sweep.where)
    write_table(files, folder / RUNS, table)
    for name in (RESOURCES, REQUESTS):
        (folder / name).unlink(missing_ok=True)  # made anew when it is asked for
    return runs


class Sweep:
    """A sweep whose runs have ended, or another Parquet table of runs or points. `results` is the folder whose store
    may have the whole results of its runs."""

    def __init__(self, folder: Path, results: Path, table: str = RUNS) -> None:
        self.folder = folder
        self.path = folder / table
        self.results = results

    @property
    def name(self) -> str:
        return self.folder.name if self.path.name == RUNS else self.path.stem

    def frame(self) -> pl.DataFrame:
        """A row for each run: its parameters and figures."""
        frame = read_parquet(self.path)
        for names, kind, wanted in KINDS:
            for name in names & set(frame.columns):
                if not isinstance(frame.schema[name], kind):
                    raise FileError(f"{self.path}: the column {name} must hold {wanted}, as a sweep writes it")
        return frame.drop(name for name, kind in frame.schema.items() if kind.is_nested())

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
        if not path.exists():
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
        if not 0 <= run < frame.height:
            raise UsageError(f"run {run}: {self.name} has the runs 0 to {frame.height - 1}")
        row = frame.row(run, named=True)
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
    """The folders of finished sweeps and searches, the newest first."""
    found = [path for folder in FOLDERS for path in (results / folder).glob(f"*/{RUNS}")]
    return [path.parent for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)]


def find_sweep(name: str | None, results: Path) -> Sweep:
    """The sweep of this name; without a name, the newest."""
    folders = sweeps_in(results)
    if not folders:
        raise FileError(f"there is no sweep in {results / FOLDER}; make one with: sunstar sweep SPEC.json")
    for folder in folders:
        if name in (None, folder.name):
            return Sweep(folder, results)
    raise FileError(f"there is no sweep {name} in {results / FOLDER}; there are {', '.join(f.name for f in folders)}")
