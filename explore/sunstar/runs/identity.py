# SPDX-License-Identifier: MIT
"""What makes two runs the same: a hash of the simulator, of the effective configuration, and of the files it names."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from sunstar.places import executable

RECORDS = "records"
"""The parameter by which a platform names a file that the run writes. What is in it now makes no difference."""
JOBS = "jobs"
"""Of the section `run`: trials at the same time, which makes no difference either."""


class Identities:
    """Works out identities. It looks at each file once, so it is made anew for each lot of points."""

    def __init__(self) -> None:
        self._digests: dict[tuple[Path | None, str], str | None] = {}

    def of(self, platform: str, config: Mapping[str, Any], folder: Path | None = None) -> str:
        """The identity of a run with this effective configuration, whose paths are relative to `folder`."""
        run = {name: value for name, value in config.get("run", {}).items() if name != JOBS}
        parts = {
            "simulator": digest_of_program(executable(platform)),
            "config": self._with_contents({**config, "run": run}, folder),
        }
        return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def _with_contents(self, value: Any, folder: Path | None) -> Any:  # noqa: ANN401  any JSON
        """A configuration in which a digest stands for the name of each file."""
        if isinstance(value, dict):
            return {
                name: each if name == RECORDS else self._with_contents(each, folder) for name, each in value.items()
            }
        if isinstance(value, list):
            return [self._with_contents(each, folder) for each in value]
        return self._contents(value, folder) or value if isinstance(value, str) and value else value

    def _contents(self, name: str, folder: Path | None) -> str | None:
        """The digest of a file; None if there is none of that name."""
        if (folder, name) not in self._digests:
            self._digests[folder, name] = digest((folder or Path()) / name)
        return self._digests[folder, name]


def digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    except (OSError, ValueError):  # too long a text for a name
        return None


def digest_of_program(path: Path) -> str:
    status = path.stat()
    return _digest_of_version(path, status.st_mtime_ns, status.st_size)


@cache
def _digest_of_version(path: Path, _: int, __: int) -> str:
    """Reads a program once, unless it has changed meanwhile."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
