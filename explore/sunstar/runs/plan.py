# SPDX-License-Identifier: MIT
"""What is known of points before they run: the effective configuration of each, with the defaults that only its
simulator knows, and the identity of its run. One call of a simulator answers for many points."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from sunstar.errors import RunError
from sunstar.places import executable
from sunstar.programs import in_parallel, run_for_bytes
from sunstar.runs.simulator import Point, Run

CONFIGURATION = 3
"""The simulators' exit code for a faulty configuration."""
AT_ONCE = 500
"""Points of one call: enough to hide the start of a process, few enough for all processors to take part."""
RECORDS = "records"
"""The parameter that names a file which the run writes; the file's present contents make no difference."""
JOBS = "jobs"
"""Of the section `run`: trials at the same time, which makes no difference either."""


@dataclass(frozen=True)
class Refused:
    """A point that is no configuration."""

    sentence: str


@dataclass(frozen=True)
class Plan:
    points: Sequence[Point]
    identities: Sequence[str]
    """Empty for a point that is no configuration."""
    refused: dict[int, Run]
    """These, by their index."""

    def distinct(self) -> dict[str, int]:
        """The first point of each run, by the run's identity."""
        found: dict[str, int] = {}
        for index, identity in enumerate(self.identities):
            if identity:
                found.setdefault(identity, index)
        return found


@dataclass
class Identities:
    """Identities of runs: a hash of the simulator, of the effective configuration, and of the files it names. It reads
    each file once, so make a new one for each set of points."""

    digests: dict[tuple[Path | None, str], str | None] = field(default_factory=dict)

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
        if not isinstance(value, str) or not value:
            return value
        if (folder, value) not in self.digests:
            self.digests[folder, value] = digest((folder or Path()) / value)
        return self.digests[folder, value] or value


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
    if isinstance(answer, Refused):
        raise Run(point, "", CONFIGURATION, answer.sentence).error()
    return answer


def plan(points: Sequence[Point], jobs: int = 0) -> Plan:
    """Asks the simulators about all points, in so many processes (0: as many as there are processors)."""
    identities = Identities()
    answers = in_parallel(lambda batch: identified(batch, identities), list(batches(points)), jobs=jobs)
    return planned(points, [answer for batch in answers for answer in batch])


def plan_here(point: Point) -> Plan:
    """The same for one point, in this thread."""
    return planned([point], identified([point], Identities()))


def batches(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Neighbours that one call can answer for."""
    for _, group in groupby(points, lambda point: (point.platform, point.config, point.folder)):
        together = list(group)
        for start in range(0, len(together), AT_ONCE):
            yield together[start : start + AT_ONCE]


def identified(batch: Sequence[Point], identities: Identities) -> list[str | Refused]:
    """The identity of each point. Thousands of configurations would take much memory, so none is kept."""
    return [
        answer if isinstance(answer, Refused) else identities.of(point.platform, answer, point.folder)
        for point, answer in zip(batch, ask(batch), strict=True)
    ]


def ask(points: Sequence[Point]) -> list[dict[str, Any] | Refused]:
    """The effective configurations of points that share a simulator, a file and a folder."""
    first = points[0]
    program = f"sunstar-{first.platform}"
    config = [] if first.config is None else ["--config", str(first.config)]
    lines = "".join(json.dumps(point.texts()) + "\n" for point in points)
    done = run_for_bytes(
        [str(executable(first.platform)), *config, "--print-points", "-"], cwd=first.folder, given=lines.encode()
    )
    if done.returncode != 0:
        raise RunError(f"{done.stderr.decode()}\n({program} --print-points ended badly)", done.returncode)
    answers = [orjson.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(points):
        raise RunError(f"{program} --print-points answered for {len(answers)} of {len(points)} points", 0)
    return [answer["config"] if "config" in answer else Refused(answer["error"]) for answer in answers]


def planned(points: Sequence[Point], answers: Sequence[str | Refused]) -> Plan:
    refused = {
        index: Run(points[index], "", CONFIGURATION, answer.sentence)
        for index, answer in enumerate(answers)
        if isinstance(answer, Refused)
    }
    return Plan(points, ["" if isinstance(answer, Refused) else answer for answer in answers], refused)


def check_all(plan: Plan, jobs: int, ended: Callable[[bool], None]) -> dict[int, Run]:
    """Lets the simulators build the machine of each point that is a configuration, without running it, and returns
    those that they do not accept, by their index. Points that are the same run are checked once; `ended` is called for
    each with whether it is accepted."""
    wanted = list(plan.distinct().values())
    bad: dict[int, Run] = {}

    def check(index: int) -> Run:
        point = plan.points[index]
        program = str(executable(point.platform))
        done = run_for_bytes([program, *point.arguments(), "--check", "--quiet"], cwd=point.folder)
        said = done.stderr.decode(errors="replace").strip()
        return Run(point, plan.identities[index], done.returncode, said)

    def judge(i: int, run: Run) -> None:
        ended(run.done)
        if not run.done:
            bad[wanted[i]] = run

    in_parallel(check, wanted, jobs=jobs, on_result=judge)
    return bad
