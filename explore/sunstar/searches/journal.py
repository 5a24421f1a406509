# SPDX-License-Identifier: MIT
"""The journal of a search, in the form of Optuna's own: a file of JSON lines.

Lines that are written together are on the disk together, and a line that a crash has cut off is removed, so that a
search goes on where it was. One command at a time has the file; the lock ends with the program.
"""

import fcntl
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from optuna.storages.journal import BaseJournalBackend

from sunstar.errors import FileError
from sunstar.files import writing

Entry = dict[str, Any]


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
