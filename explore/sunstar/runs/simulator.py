# SPDX-License-Identifier: MIT
"""One configuration of a simulator, and one run of it."""

import json
import os
import signal
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from sunstar.errors import RunError, UsageError
from sunstar.places import executable
from sunstar.programs import run_for_bytes
from sunstar.results import SECTIONS

Setting = str | int | float | bool
Value = Setting | list[Any] | dict[str, Any]
"""A value as in JSON. Text is also read as JSON if it can be, as with --set."""


@dataclass(frozen=True)
class Point:
    """A platform's defaults, overridden by a file, overridden by single settings."""

    settings: Mapping[str, Value] = field(default_factory=dict)
    """Values by path, as in {"workload.pattern": "rb"}; quantities carry their unit, as in "8KiB"."""
    config: Path | None = None
    platform: str = "torus"
    seed: int | None = None
    """Of the first trial; the configuration's own if None."""
    trials: int | None = None
    """Number of trials, with seeds seed, seed + 1, ...; the configuration's own if None."""
    folder: Path | None = None
    """The folder that paths in the settings are relative to; the working directory if None."""
    records: bool = False
    """Whether the run also writes its records, a line for each request, which its outcome then holds."""

    def __post_init__(self) -> None:
        for name, value in (("seed", self.seed), ("trials", self.trials)):
            if value is not None and f"run.{name}" in self.settings:
                raise UsageError(f"{name}={value} and the setting run.{name} set the same parameter; leave one out")

    def texts(self) -> list[str]:
        """The settings as --set takes them."""
        run = {"run.seed": self.seed, "run.trials": self.trials}
        settings = {**self.settings, **{path: value for path, value in run.items() if value is not None}}
        return [f"{path}={as_text(value)}" for path, value in settings.items()]

    def arguments(self) -> list[str]:
        """The command line of the simulator, without its name and outputs."""
        config = [] if self.config is None else ["--config", str(self.config)]
        return config + [word for text in self.texts() for word in ("--set", text)]

    def __str__(self) -> str:
        return " ".join([f"sunstar-{self.platform}", *self.arguments()])


def as_text(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def settings_of(texts: Iterable[str]) -> dict[str, Value]:
    """Settings as --set takes them, taken apart; the simulator reads their values."""
    pairs = [(text, *text.partition("=")) for text in texts]
    for text, path, equals, _ in pairs:
        if not (path and equals):
            raise UsageError(f"--set {text}: it must be PATH=VALUE, as in --set machine.network.model=worm")
    return {path: value for _, path, _, value in pairs}


# One run; a worker of a cluster makes it, too, which knows nothing but the command ------------------------------------


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
    """How the run of a point ended, now or earlier. The store has its result."""

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
    """A call of a simulator, without what depends on the computer that carries it out."""

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
