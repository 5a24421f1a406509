# SPDX-License-Identifier: MIT
"""A sweep: its points are run, its tables written, and questions about them answered."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sunstar.errors import FileError, RunError
from sunstar.files import Outputs, make_folder, writing
from sunstar.results import Document, read_any
from sunstar.runs.plan import Plan, plan
from sunstar.runs.run import Run
from sunstar.runs.runner import Runner
from sunstar.runs.store import Store
from sunstar.sweeps.database import add_columns, ask
from sunstar.sweeps.points import Row
from sunstar.sweeps.spec import Spec
from sunstar.sweeps.table import requests_table, resources_table, runs_table

FOLDER = "sweeps"
"""The folder of sweeps, below that of results."""
FOLDERS = (FOLDER, "optimise")
"""The folders with tables of runs that questions may be about: sweeps and searches."""
RUNS, RESOURCES, REQUESTS = "runs.parquet", "resources.parquet", "requests.parquet"


@dataclass(frozen=True)
class Planned:
    """A sweep before its runs."""

    spec: Spec
    name: str
    where: str
    """The file of the specification, for messages."""
    rows: Sequence[Row]
    plan: Plan


def planned(spec: Spec, name: str, where: str, rows: Sequence[Row], jobs: int = 0) -> Planned:
    return Planned(spec, spec.name or name, where, rows, plan([row.point for row in rows], jobs))


def carry_out(
    sweep: Planned, runner: Runner, results: Path, files: Outputs, on_end: Callable[[int, Run], None]
) -> list[Run]:
    """Runs what has not run yet, and writes the table of runs."""
    folder = make_folder(results / FOLDER / sweep.name)
    target = files.temporary(folder / RUNS)
    runs = runner.all(sweep.plan, on_end)
    write_runs(sweep, runs, runner.store, target)
    for name in (RESOURCES, REQUESTS):
        (folder / name).unlink(missing_ok=True)  # made anew when it is asked for
    return runs


def write_runs(sweep: Planned, runs: Sequence[Run], store: Store, target: Path) -> None:
    with writing(target):
        runs_table(sweep.rows, runs, store).write_parquet(target)
    if sweep.spec.derived:
        add_columns(target, target, sweep.spec.derived, sweep.where)


class Sweep:
    """A sweep whose runs have ended."""

    def __init__(self, folder: Path, results: Path) -> None:
        self.folder = folder
        self._results = results

    def frame(self) -> pl.DataFrame:
        """A row for each run: its parameters and figures."""
        return pl.read_parquet(self.folder / RUNS, glob=False)

    def resources(self) -> pl.DataFrame:
        """A row for each statistic of each resource of each run."""
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
            with Store(self._results) as store, Outputs() as files:
                table = make(self.frame()["identity"].to_list(), store)
                with files.file(path) as temporary:
                    table.write_parquet(temporary)
                files.commit()
        return pl.read_parquet(path, glob=False)

    def query(self, question: str) -> pl.DataFrame:
        """The answer to a question in SQL about the tables `runs`, `resources` and `requests`."""
        tables = {"runs": self.folder / RUNS}
        if "resources" in question:
            self.resources()
            tables["resources"] = self.folder / RESOURCES
        if re.search(r"(?i)\b(from|join)\s+\"?requests\b", question):  # a word that parameters have, too
            self.requests()
            tables["requests"] = self.folder / REQUESTS
        return ask(question, tables)

    def result(self, run: int) -> Document:
        """The result of a run by its number; a RunError if it failed."""
        row = self.frame().row(run, named=True)
        with Store(self._results) as store:
            outcome = store.outcome(row["identity"])
        if not row["identity"]:
            raise RunError(row["message"], row["exit_code"])
        if outcome is None:
            raise FileError(f"run {run} is not in the store {store.path} any more; call the sweep again")
        if not outcome.done:
            raise RunError(outcome.message, outcome.exit_code)
        return read_any(outcome.document)


def sweeps_in(results: Path) -> list[Path]:
    """The folders of finished sweeps and searches, the newest first."""
    found = [path for folder in FOLDERS for path in (results / folder).glob(f"*/{RUNS}")]
    return [path.parent for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)]


def find_sweep(name: str | None, results: Path) -> Sweep:
    """The sweep of this name; without a name, the newest."""
    folders = sweeps_in(results)
    if not folders:
        raise FileError(f"there is no sweep in {results / FOLDER}; make one with: sunstar sweep SPEC.json")
    if name is None:
        return Sweep(folders[0], results)
    for folder in folders:
        if folder.name == name:
            return Sweep(folder, results)
    raise FileError(f"there is no sweep {name} in {results / FOLDER}; there are {', '.join(f.name for f in folders)}")
