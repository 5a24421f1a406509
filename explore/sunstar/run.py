# SPDX-License-Identifier: MIT
"""Run one configuration of a simulator and read its result."""

import json
import signal
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from sunstar.errors import RunError
from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.results import Document, MachineResult

Setting = str | int | float | bool
Form = TypeVar("Form", bound=Document)


@dataclass(frozen=True)
class Point:
    """One configuration: a platform's defaults, overridden by a file, overridden by single settings."""

    settings: Mapping[str, Setting] = field(default_factory=dict)
    """Values by path, as in {"workload.pattern": "rb"}; quantities carry their unit, as in "8KiB"."""
    config: Path | None = None
    platform: str = "torus"
    seed: int | None = None
    """Of the first trial; the configuration's own if None."""
    trials: int | None = None
    """Number of trials, with seeds seed, seed + 1, ...; the configuration's own if None."""

    def arguments(self) -> list[str]:
        """The command line of the simulator, without its name and outputs."""
        arguments = [] if self.config is None else ["--config", str(self.config)]
        for path, value in self.settings.items():
            arguments += ["--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}"]
        if self.seed is not None:
            arguments += ["--seed", str(self.seed)]
        if self.trials is not None:
            arguments += ["--trials", str(self.trials)]
        return arguments


def run(point: Point, *, jobs: int = 0, vcd: Path | None = None) -> MachineResult:
    """Runs a machine, `jobs` trials at a time (0: as many as there are processors)."""
    return run_as(MachineResult, point, jobs=jobs, vcd=vcd)


def run_as(form: type[Form], point: Point, *, jobs: int = 0, vcd: Path | None = None) -> Form:
    """The same for a platform whose result file has another form."""
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        output = Path(folder) / "result.json"
        arguments = [*point.arguments(), "--set", f"run.jobs={jobs}", "--quiet", "--output", str(output)]
        if vcd is not None:
            arguments += ["--vcd", str(vcd)]
        call(point, arguments)
        try:
            return form.model_validate_json(output.read_bytes())
        except ValidationError as error:
            raise unreadable(point, in_words(error)) from error
        except OSError as error:
            raise unreadable(point, str(error)) from error


def unreadable(point: Point, reason: str) -> RunError:
    return RunError(f"sunstar-{point.platform} left no result that can be read: {reason}", 0)


def in_words(error: ValidationError) -> str:
    """Says which keys of a result file are not as expected."""
    return "; ".join(
        ": ".join(part for part in (".".join(map(str, each["loc"])), each["msg"]) if part) for each in error.errors()
    )


def effective_config(point: Point) -> dict[str, Any]:
    """The whole configuration that a point stands for, with every default spelt out."""
    text = call(point, [*point.arguments(), "--print-config"])
    config = json.loads(text)
    if not isinstance(config, dict):
        raise unreadable(point, "--print-config did not print an object")
    return config


def call(point: Point, arguments: list[str]) -> str:
    """Calls the point's simulator and returns what it prints; a RunError with its own sentence if it fails."""
    done = run_program([str(executable(point.platform)), *arguments])
    if done.returncode != 0:
        said = done.stderr.strip() or "it printed no message"
        shown = " ".join([f"sunstar-{point.platform}", *point.arguments()])
        ended = (
            f"ended with exit code {done.returncode}"
            if done.returncode > 0
            else f"was ended by {signal.Signals(-done.returncode).name}"
        )
        raise RunError(f"{said}\n({shown} {ended})", done.returncode)
    return done.stdout
