# SPDX-License-Identifier: MIT
"""What a user names as results: a file that a simulator wrote, a sweep or search, or a table of points."""

from dataclasses import dataclass
from pathlib import Path

from sunstar.errors import FileError, UsageError
from sunstar.results import Document, read_file
from sunstar.runs.store import FILE as STORE
from sunstar.sweeps.sweep import RUNS, Sweep, sweeps_in


@dataclass(frozen=True)
class ResultFile:
    path: Path
    result: Document


Source = ResultFile | Sweep


def find(name: str, results: Path) -> Source:
    """What this names: a result file, a Parquet file, the folder or the name of a sweep or search in these results."""
    path = Path(name)
    if path.is_file() and path.suffix == ".parquet":
        return table(path, results)
    if path.is_file():
        return ResultFile(path, read_file(path))
    if (path / RUNS).is_file():
        return table(path / RUNS, results)
    if path.is_dir():
        raise FileError(f"the folder {path} is not a sweep's: it has no {RUNS}; make one with: sunstar sweep SPEC.json")
    known = sorted(sweeps_in(results))
    found = [folder for folder in known if folder.name == name]
    if len(found) == 1:
        return table(found[0] / RUNS, results)
    if found:
        raise UsageError(f"{name} is the name of {' and '.join(map(str, found))}; name one of these folders")
    names = dict.fromkeys(folder.name for folder in known)
    others = f"there are {', '.join(names)}" if names else "there is none"
    raise FileError(f"there is no file {name}, and no sweep {name} in {results}; {others}")


def table(path: Path, results: Path) -> Sweep:
    """A table; a sweep's own lies in its folder of results, beside whose store it is."""
    own = path.resolve().parents[2] if path.name == RUNS and len(path.resolve().parents) > 2 else results
    return Sweep(path.parent, own if (own / STORE).is_file() else results, path.name)
