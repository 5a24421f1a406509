# SPDX-License-Identifier: MIT
"""What a user names as results: a file that a simulator wrote, a sweep, or a table of points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from sunstar.errors import FileError, RunError
from sunstar.results import Document, read
from sunstar.runs.store import FILE as STORE
from sunstar.runs.store import Store
from sunstar.sweeps.sweep import RUNS, Sweep, sweeps_in


class Result(Document):
    """A result file of any executable."""

    trials: tuple[dict[str, Any], ...] = ()
    """The figures of each trial, under the keys of `result`."""

    @property
    def program(self) -> str:
        """The platform without "sunstar-", as calls name it."""
        return self.platform.removeprefix("sunstar-")

    @property
    def elapsed_s(self) -> float | None:
        """How long the first trial took, whose statistics the result has; None if it does not say."""
        value = self.trials[0].get("elapsed_s") if self.trials else None
        return value if isinstance(value, int | float) else None


@dataclass(frozen=True)
class ResultFile:
    path: Path
    result: Result


@dataclass(frozen=True)
class Table:
    """A table of runs or of points, as Parquet, and the store that may have the runs' whole results."""

    path: Path
    store: Path
    """A folder of results."""

    @property
    def name(self) -> str:
        return self.path.parent.name if self.path.name == RUNS else self.path.stem

    def frame(self) -> pl.DataFrame:
        try:
            return pl.read_parquet(self.path, glob=False)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise FileError(f"cannot read {self.path} as a Parquet table: {error}") from error

    def results(self, identities: Sequence[str]) -> Iterator[tuple[str, Result]]:
        """Those runs that the store has and that did not fail, in any order."""
        if not (self.store / STORE).is_file():
            return
        with Store(self.store) as store:
            for identity, outcome in store.outcomes(identity for identity in identities if identity):
                if outcome.done:
                    yield identity, result_from(outcome.document, f"the store {store.path}")


Source = ResultFile | Table


def find(name: str, results: Path) -> Source:
    """What this names: a result file, a Parquet file, a sweep's folder, or a sweep of this folder of results."""
    path = Path(name)
    if path.is_file() and path.suffix == ".parquet":
        return table(path, results)
    if path.is_file():
        return ResultFile(path, read_result(path))
    if (path / RUNS).is_file():
        return table(path / RUNS, results)
    if path.is_dir():
        raise FileError(f"the folder {path} is not a sweep's: it has no {RUNS}; make one with: sunstar sweep SPEC.json")
    known = [folder.name for folder in sweeps_in(results)]
    if name in known:
        return table(results / "sweeps" / name / RUNS, results)
    sweeps = f"the sweeps there are {', '.join(sorted(known))}" if known else "there is none"
    raise FileError(f"there is no file {name}, and no sweep {name} in {results / 'sweeps'}; {sweeps}")


def table(path: Path, results: Path) -> Table:
    """A table; a sweep's own lies in its folder of results, beside whose store it is."""
    own = path.resolve().parents[2] if path.name == RUNS and len(path.resolve().parents) > 2 else results
    return Table(path, own if (own / STORE).is_file() else results)


def read_result(path: Path) -> Result:
    try:
        return result_from(path.read_bytes(), str(path))
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error


def result_from(document: bytes, where: str) -> Result:
    try:
        parsed = orjson.loads(document)
        return read(Result, str(parsed["platform"]).removeprefix("sunstar-"), document)
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise FileError(
            f"{where} is not a result: it must be the JSON that a simulator writes with --output ({error})"
        ) from error
    except RunError as error:
        raise FileError(f"{where} is not a result: {error}") from error


def sweep_of(source: Table) -> Sweep:
    return Sweep(source.path.parent, source.store)
