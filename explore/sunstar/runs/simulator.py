# SPDX-License-Identifier: MIT
"""Run a simulator once. This is also what a worker of a cluster does, which knows nothing but the command."""

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from sunstar.places import executable
from sunstar.programs import run_for_bytes
from sunstar.runs.outcome import Outcome
from sunstar.runs.point import Point

SECTIONS = ("result", "host")
"""What an outcome's figures hold of a result file."""
RECORDS = "run.records"
"""The parameter that names a file for a line of each request."""
UNREADABLE = 4
"""As the exit code of a simulation that failed."""
RESULT_TO_STDOUT = ("--quiet", "--output", "-")
TUNABLES = "GLIBC_TUNABLES"
HUGE_PAGES = "glibc.malloc.hugetlb=1"
"""The heap asks for huge pages, since a short run spends much of its time on the first touches of its memory."""


@dataclass(frozen=True)
class Command:
    """A call of a simulator, less what belongs to the computer that carries it out."""

    platform: str
    arguments: tuple[str, ...]
    folder: str | None
    records: bool


def command(point: Point, trials_at_once: int = 1) -> Command:
    jobs = ("--set", f"run.jobs={trials_at_once}", *RESULT_TO_STDOUT)
    folder = None if point.folder is None else str(point.folder)
    return Command(point.platform, (*point.arguments(), *jobs), folder, point.records)


def carry_out(command: Command) -> Outcome:
    if not command.records:
        return call(command, ())
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        file = Path(folder) / "records.csv"
        outcome = call(command, ("--set", f"{RECORDS}={file}"))
        if not outcome.done:
            return outcome
        return replace(outcome, records=file.read_bytes())


def call(command: Command, more: tuple[str, ...]) -> Outcome:
    words = [str(executable(command.platform)), *command.arguments, *more]
    done = run_for_bytes(words, cwd=command.folder, env={TUNABLES: HUGE_PAGES, **os.environ})
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode != 0:
        return Outcome(done.returncode, said or "it printed no message")
    try:
        found = orjson.loads(done.stdout)
    except orjson.JSONDecodeError as error:
        return Outcome(UNREADABLE, f"the simulator left no result that can be read: {error}")
    if not isinstance(found, dict) or "result" not in found:
        return Outcome(UNREADABLE, "the simulator left a file that is no result")
    figures = {section: found[section] for section in SECTIONS if section in found}
    return Outcome(0, said, done.stdout, orjson.dumps(figures))
