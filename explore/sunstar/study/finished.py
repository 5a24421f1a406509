# SPDX-License-Identifier: MIT
"""Finished runs on disk, so that a study that is called again, after an interruption or not, need not repeat them."""

import gzip
import hashlib
import json
import os
import threading
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sunstar.files import writing
from sunstar.places import executable
from sunstar.results import MachineResult
from sunstar.run import Point, effective_config, run


class FinishedRuns:
    """A folder with a file for each finished run.

    A file's name is a hash of the configuration that runs, seeds and trials included, of the contents of the files that
    it names, and of the simulator itself: a file is never out of date, and may be deleted at any time.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found: list[Path] = []
        """The files that stood for runs so far."""

    def run(self, point: Point) -> MachineResult:
        """The point's result: from its file if there is one that can be read, otherwise from a run, one trial at a
        time, which then has a file."""
        path = self.folder / f"{key(point)}.json.gz"
        result = read(path)
        if result is None:
            result = run(point, jobs=1)
            write(path, result)
        else:
            self.found.append(path)
        return result


def read(path: Path) -> MachineResult | None:
    """The result in a file; None if there is no such file, or none that is complete and of today's form."""
    try:
        return MachineResult.model_validate_json(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, zlib.error, ValidationError):
        return None


def write(path: Path, result: MachineResult) -> None:
    """Writes a file that is there as a whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.partial")
    with writing(path):
        try:
            temporary.write_bytes(gzip.compress(result.model_dump_json().encode(), mtime=0))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def key(point: Point) -> str:
    parts = {
        "simulator": digest_of_program(executable(point.platform)),
        "config": with_contents(effective_config(point)),
        "seed": point.seed,
        "trials": point.trials,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def with_contents(value: Any) -> Any:  # noqa: ANN401  any JSON
    """A configuration in which a digest stands for the name of each file."""
    if isinstance(value, dict):
        return {name: with_contents(each) for name, each in value.items()}
    if isinstance(value, list):
        return [with_contents(each) for each in value]
    return digest(Path(value)) if isinstance(value, str) and is_file(value) else value


def is_file(text: str) -> bool:
    try:
        return "/" in text and Path(text).is_file()
    except OSError:  # too long a text for a name
        return False


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_of_program(path: Path) -> str:
    status = path.stat()
    return _digest_of_version(path, status.st_mtime_ns, status.st_size)


@cache
def _digest_of_version(path: Path, _: int, __: int) -> str:
    """Reads a program once, unless it has changed meanwhile."""
    return digest(path)
