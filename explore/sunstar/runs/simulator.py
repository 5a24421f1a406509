# SPDX-License-Identifier: MIT
"""Run a simulator once. A worker of a cluster does this, too, which knows nothing but the command."""

import os
import signal
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from sunstar.errors import RunError
from sunstar.places import executable
from sunstar.programs import run_for_bytes
from sunstar.results import SECTIONS
from sunstar.runs.point import Point

RECORDS = "run.records"
"""The parameter that names a file for a line of each request."""
FAILED = 4
"""The simulators' exit code for a simulation that failed."""
RESULT_TO_STDOUT = ("--quiet", "--output", "-")
TUNABLES = "GLIBC_TUNABLES"
HUGE_PAGES = "glibc.malloc.hugetlb=1"
"""The heap asks for huge pages, since a short run spends much of its time on the first touches of its memory."""


@dataclass(frozen=True)
class Outcome:
    """How a run has ended."""

    exit_code: int
    """As the simulators give it; -N if signal N ended the run."""
    message: str
    """What the simulator said: warnings, or why it failed."""
    document: bytes = b""
    """The result file; empty if the run failed."""
    figures: bytes = b"{}"
    """Its SECTIONS, JSON again: all that most questions need, and a small part of it."""
    records: bytes | None = None
    """The file of records, if the point asked for one."""

    @property
    def done(self) -> bool:
        return self.exit_code == 0


@dataclass(frozen=True)
class Run:
    """What became of a point, now or before. The store has its result."""

    point: Point
    identity: str
    """Its name in the store; empty if the point is no configuration."""
    exit_code: int
    message: str

    @property
    def done(self) -> bool:
        return self.exit_code == 0

    def error(self) -> RunError:
        """Of a run that failed."""
        code = self.exit_code
        ended = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return RunError(f"{self.message}\n({self.point} {ended})", code)


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
        return replace(outcome, records=file.read_bytes()) if outcome.done else outcome


def call(command: Command, more: tuple[str, ...]) -> Outcome:
    words = [str(executable(command.platform)), *command.arguments, *more]
    done = run_for_bytes(words, cwd=command.folder, env={TUNABLES: HUGE_PAGES, **os.environ})
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode != 0:
        return Outcome(done.returncode, said or "it printed no message")
    try:
        found = orjson.loads(done.stdout)
    except orjson.JSONDecodeError as error:
        return Outcome(FAILED, f"the simulator left no result that can be read: {error}")
    if not isinstance(found, dict) or "result" not in found:
        return Outcome(FAILED, "the simulator left a file that is no result")
    figures = {section: found[section] for section in SECTIONS if section in found}
    return Outcome(0, said, done.stdout, orjson.dumps(figures))


def write_waveforms(point: Point, path: Path) -> None:
    """Runs a point for its waveforms alone; a RunError if it fails."""
    outcome = call(command(point), ("--vcd", str(path.absolute())))
    if not outcome.done:
        raise Run(point, "", outcome.exit_code, outcome.message).error()
