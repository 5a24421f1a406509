# SPDX-License-Identifier: MIT
"""One configuration of a simulator, one run of it, and the known facts of points before they run: the effective
configuration, and the identity of the run. One call of a simulator answers for many points."""

import hashlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import orjson

from sunstar.errors import RunError, UsageError
from sunstar.places import executable
from sunstar.programs import in_parallel, run_for_bytes
from sunstar.results import SECTIONS, schema_of

Setting = str | int | float | bool
Value = Setting | list[Any] | dict[str, Any]
"""A value as in JSON. Text is also read as JSON if it can be, as with --set."""
RECORDS = "run.records"  # The parameter that names a file for a line of each request
FAILED = 4  # The simulators' exit code for a simulation that failed
RESULT_TO_STDOUT = ("--quiet", "--output", "-")
MEASURED = str(Path(__file__).with_name("measured.py"))  # Measures the memory of the program that it starts
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""The heap asks for huge pages, since a short run spends much of its time on the first touches of its memory."""
CONFIGURATION = 3  # The simulators' exit code for a faulty configuration
AT_ONCE = 500  # Points of one call: enough to hide the start of a process, few enough for all processors to take part
RECORDS_KEY = "records"  # The same in its section: the file's present contents make no difference
JOBS = "jobs"  # Of the section `run`: trials at the same time, which makes no difference either


@dataclass(frozen=True)
class Point:
    """A platform's defaults, overridden by a file, overridden by single settings."""

    settings: Mapping[str, Value] = field(default_factory=dict)
    """Values by path, as in {"workload.pattern": "rb"}; quantities carry their unit, as in "8KiB"."""
    config: Path | None = None
    platform: str = "torus"
    seed: int | None = None  # Of the first trial; the configuration's own if None
    trials: int | None = None  # Number of trials, with seeds seed, seed + 1, ...; the configuration's own if None
    folder: Path | None = None  # The folder that paths in the settings are relative to; the working directory if None
    records: bool = False  # Whether its outcome also has its records, a line for each request
    explained: bool = False
    """Whether the result also says why the run took so long (--explain), and the outcome's figures the run's peak
    memory on the host (host.peak_memory_bytes). The point without it is another run."""

    def __post_init__(self) -> None:
        for name, value in (("seed", self.seed), ("trials", self.trials)):
            if value is not None and f"run.{name}" in self.settings:
                raise UsageError(f"{name}={value} and the setting run.{name} set the same parameter; leave one out")

    def texts(self) -> list[str]:
        """The settings as --set takes them."""
        run = {"run.seed": self.seed, "run.trials": self.trials}
        settings = {**self.settings, **{path: value for path, value in run.items() if value is not None}}
        return [f"{path}={each if isinstance(each, str) else json.dumps(each)}" for path, each in settings.items()]

    def arguments(self) -> list[str]:
        """The command line of the simulator, without its name and outputs."""
        config = [] if self.config is None else ["--config", str(self.config)]
        return config + [word for text in self.texts() for word in ("--set", text)]

    def __str__(self) -> str:
        return " ".join([f"sunstar-{self.platform}", *self.arguments()])


def settings_of(texts: Iterable[str]) -> dict[str, Value]:
    """Settings as --set takes them, taken apart; the simulator reads their values."""
    pairs = [(text, *text.partition("=")) for text in texts]
    for text, path, equals, _ in pairs:
        if not (path and equals):
            raise UsageError(f"--set {text}: it must be PATH=VALUE, as in --set machine.network.model=worm")
    return {path: value for _, path, _, value in pairs}


@dataclass(frozen=True)
class Outcome:
    exit_code: int  # As the simulators give it; -N if signal N ended the run
    message: str  # The simulator's message: warnings, or why it failed
    document: bytes = b""  # The result file; empty if the run failed
    figures: bytes = b"{}"  # Its SECTIONS, JSON again: a small part, and enough for most questions
    records: bytes | None = None  # The file of records, if the point asked for one

    @property
    def done(self) -> bool:
        return self.exit_code == 0


@dataclass(frozen=True)
class Run:
    """How the run of a point ended, now or earlier. The store has its result."""

    point: Point
    identity: str  # Its name in the store; empty if the point is no configuration
    exit_code: int
    message: str

    @property
    def done(self) -> bool:
        return self.exit_code == 0

    def error(self) -> RunError:
        code = self.exit_code
        ended = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return RunError(f"{self.message}\n({self.point} {ended})", code)


def carry_out(point: Point, trials_at_once: int = 1) -> Outcome:
    """Runs a point, with `trials_at_once` of its trials at the same time."""
    jobs = ("--set", f"run.jobs={trials_at_once}")
    if not (point.records or point.explained):
        return call(point, jobs)
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        records, peak = Path(folder) / "records.csv", Path(folder) / "peak"
        more = (*(("--set", f"{RECORDS}={records}") if point.records else ()), *["--explain"] * point.explained)
        before = (sys.executable, "-I", "-S", MEASURED, str(peak)) if point.explained else ()
        outcome = call(point, (*jobs, *more), before)
        if outcome.done and point.records:
            outcome = replace(outcome, records=records.read_bytes())
        if outcome.done and point.explained:
            figures = orjson.loads(outcome.figures)
            figures["host"]["peak_memory_bytes"] = int(peak.read_text())
            outcome = replace(outcome, figures=orjson.dumps(figures))
        return outcome


def call(point: Point, more: tuple[str, ...], before: tuple[str, ...] = ()) -> Outcome:
    """`before` is a program that starts the simulator, with its arguments."""
    words = [*before, str(executable(point.platform)), *point.arguments(), *RESULT_TO_STDOUT, *more]
    done = run_for_bytes(words, cwd=point.folder, env={**HUGE_PAGES, **os.environ})
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
    outcome = call(point, ("--set", "run.jobs=1", "--vcd", str(path.absolute())))
    if not outcome.done:
        raise Run(point, "", outcome.exit_code, outcome.message).error()


@dataclass(frozen=True)
class Plan:
    points: Sequence[Point]
    identities: Sequence[str]  # Empty for a point that is no configuration
    refused: dict[int, Run]  # These, by their index

    def distinct(self) -> list[int]:
        """The first point of each run."""
        return [same[0] for same in indices_of(self.identities).values()]


def indices_of(identities: Iterable[str | None]) -> dict[str, list[int]]:
    """The indices of each identity that is not empty; several points may be the same run."""
    found: dict[str, list[int]] = {}
    for index, identity in enumerate(identities):
        if identity:
            found.setdefault(identity, []).append(index)
    return found


@dataclass
class Identities:
    """Identities of runs: a hash of the simulator, of the effective configuration, and of the files it names. It reads
    each file once, so make a new one for each set of points."""

    digests: dict[tuple[Path | None, str], str | None] = field(default_factory=dict)
    paths: dict[str, set[str]] = field(default_factory=dict)  # Names of the parameters that are paths, by platform
    last: dict[str, tuple[Any, Path | None, Any]] = field(default_factory=dict)  # Neighbours have mostly equal sections

    def of(
        self, platform: str, config: Mapping[str, Any], folder: Path | None = None, *, explained: bool = False
    ) -> str:
        """The identity of a run with this effective configuration, whose paths are relative to `folder`."""
        run = {name: value for name, value in config.get("run", {}).items() if name != JOBS}
        if platform not in self.paths:
            self.paths[platform] = paths_in(schema_of(platform, "--schema"))
        paths = self.paths[platform]
        parts = {
            "simulator": digest_of_program(executable(platform)),
            "config": {name: self._section(name, of, paths, folder) for name, of in {**config, "run": run}.items()},
            **({"explained": True} if explained else {}),
        }
        return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def _section(self, name: str, section: Any, paths: set[str], folder: Path | None) -> Any:  # noqa: ANN401  any JSON
        before, place, found = self.last.get(name, (None, None, None))
        if before != section or place != folder:
            found = self._with_contents({name: section}, paths, folder)[name]
            self.last[name] = section, folder, found
        return found

    def _with_contents(self, value: Any, paths: set[str], folder: Path | None) -> Any:  # noqa: ANN401  any JSON
        """A configuration in which a digest stands for the name of each file, which a parameter in `paths` gives."""
        if isinstance(value, list):
            return [self._with_contents(each, paths, folder) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            name: self._digest(each, folder) if name in paths else self._with_contents(each, paths, folder)
            for name, each in value.items()
        }

    def _digest(self, file: Any, folder: Path | None) -> Any:  # noqa: ANN401  any JSON
        if not isinstance(file, str) or not file:
            return file
        if (folder, file) not in self.digests:
            self.digests[folder, file] = digest((folder or Path()) / file)
        return self.digests[folder, file] or file


def paths_in(schema: Any) -> set[str]:  # noqa: ANN401  any JSON
    """The names of the parameters that a JSON Schema calls paths of files, but for the file of records."""
    if isinstance(schema, list):
        return {name for each in schema for name in paths_in(each)}
    if not isinstance(schema, dict):
        return set()
    own = {
        name
        for name, each in schema.get("properties", {}).items()
        if isinstance(each, dict) and each.get("format") == "path" and name != RECORDS_KEY
    }
    return own | {name for each in schema.values() for name in paths_in(each)}


def digest(path: Path) -> str | None:
    """The digest of a file; None if there is none of that name."""
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


def effective_config(point: Point) -> dict[str, Any]:
    """The effective configuration of a point; a RunError if it is no configuration."""
    [answer] = ask([point])
    if "error" in answer:
        raise Run(point, "", CONFIGURATION, answer["error"]).error()
    config: dict[str, Any] = answer["config"]
    return config


def plan(points: Sequence[Point], jobs: int = 0) -> Plan:
    """Asks the simulators about all points, in `jobs` processes (0: one for each processor)."""
    identities = Identities()
    answers = in_parallel(lambda batch: list(identified(batch, identities)), list(batches(points)), jobs=jobs)
    return planned(points, chain.from_iterable(answers))


def batches(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Neighbours that one call can answer for."""
    for _, group in groupby(points, lambda point: (point.platform, point.config, point.folder)):
        together = list(group)
        for start in range(0, len(together), AT_ONCE):
            yield together[start : start + AT_ONCE]


def identified(batch: Sequence[Point], identities: Identities) -> Iterator[tuple[str, str]]:
    """The identity of each point, or why it has none. No configuration is kept: thousands would take much memory."""
    for point, answer in zip(batch, ask(batch), strict=True):
        if "error" in answer:
            yield "", answer["error"]
        else:
            yield identities.of(point.platform, answer["config"], point.folder, explained=point.explained), ""


def ask(points: Sequence[Point]) -> list[dict[str, Any]]:
    """The simulator's answer for each of these points, which share it, a file and a folder: the effective `config` and
    the `warnings` about it, or an `error`."""
    first = points[0]
    program = f"sunstar-{first.platform}"
    config = [] if first.config is None else ["--config", str(first.config)]
    lines = "".join(json.dumps(point.texts()) + "\n" for point in points)
    done = run_for_bytes(
        [str(executable(first.platform)), *config, "--print-points", "-"], cwd=first.folder, given=lines.encode()
    )
    if done.returncode != 0:
        raise RunError(f"{done.stderr.decode()}\n({program} --print-points ended badly)", done.returncode)
    found = [orjson.loads(line) for line in done.stdout.splitlines()]
    if len(found) != len(points):
        raise RunError(f"{program} --print-points answered for {len(found)} of {len(points)} points", 0)
    return found


def planned(points: Sequence[Point], answers: Iterable[tuple[str, str]]) -> Plan:
    identities, errors = zip(*answers, strict=True) if points else ((), ())
    wrong = ((index, error) for index, error in enumerate(errors) if error)
    return Plan(points, identities, {index: Run(points[index], "", CONFIGURATION, error) for index, error in wrong})


def check_all(plan: Plan, jobs: int, ended: Callable[[bool], None]) -> dict[int, Run]:
    """Lets the simulators build the machine of each point that is a configuration, without running it; returns the
    refused ones by their index. `ended` is called for each different point with whether it is accepted."""
    wanted = plan.distinct()

    def check(index: int) -> Run:
        point = plan.points[index]
        program = str(executable(point.platform))
        done = run_for_bytes([program, *point.arguments(), "--check", "--quiet"], cwd=point.folder)
        said = done.stderr.decode(errors="replace").strip()
        return Run(point, plan.identities[index], done.returncode, said)

    runs = in_parallel(check, wanted, jobs=jobs, on_result=lambda _, run: ended(run.done))
    refused = {plan.identities[index]: run for index, run in zip(wanted, runs, strict=True) if not run.done}
    return {index: refused[each] for index, each in enumerate(plan.identities) if each in refused}
