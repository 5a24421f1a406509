# SPDX-License-Identifier: MIT
"""What a user names as results: a file that a simulator wrote, a sweep or search, or a table of points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from sunstar.errors import FileError, RunError, UsageError
from sunstar.files import read_bytes
from sunstar.results import Document, read
from sunstar.runs.store import FILE as STORE
from sunstar.runs.store import Store
from sunstar.sweeps.sweep import RUNS


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
    """What this names: a result file, a Parquet file, the folder or the name of a sweep or search in these results."""
    path = Path(name)
    if path.is_file() and path.suffix == ".parquet":
        return table(path, results)
    if path.is_file():
        return ResultFile(path, read_result(path))
    if (path / RUNS).is_file():
        return table(path / RUNS, results)
    if path.is_dir():
        raise FileError(f"the folder {path} is not a sweep's: it has no {RUNS}; make one with: sunstar sweep SPEC.json")
    known = sorted(results.glob(f"*/*/{RUNS}"))
    found = [each for each in known if each.parent.name == name]
    if len(found) == 1:
        return table(found[0], results)
    if found:
        folders = " and ".join(str(each.parent) for each in found)
        raise UsageError(f"{name} is the name of {folders}; name one of these folders")
    names = dict.fromkeys(each.parent.name for each in known)
    others = f"there are {', '.join(names)}" if names else "there is none"
    raise FileError(f"there is no file {name}, and no sweep {name} in {results}; {others}")


def table(path: Path, results: Path) -> Table:
    """A table; a sweep's own lies in its folder of results, beside whose store it is."""
    own = path.resolve().parents[2] if path.name == RUNS and len(path.resolve().parents) > 2 else results
    return Table(path, own if (own / STORE).is_file() else results)


def read_result(path: Path) -> Result:
    return result_from(read_bytes(path), str(path))


def result_from(document: bytes, where: str) -> Result:
    try:
        parsed = orjson.loads(document)
        return read(Result, str(parsed["platform"]).removeprefix("sunstar-"), document)
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else error
        raise FileError(
            f"{where} is not a result: it must be the JSON that a simulator writes with --output ({why})"
        ) from error
    except RunError as error:
        raise FileError(f"{where} is not a result: {error}") from error
