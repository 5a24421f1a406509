# SPDX-License-Identifier: MIT
"""Run one configuration of a simulator and read its result."""

import json
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sunstar.errors import RunError
from sunstar.places import executable

Setting = str | int | float | bool


@dataclass(frozen=True)
class Point:
    """One configuration: a platform's defaults, a file over them, single settings over that."""

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


@dataclass(frozen=True)
class Result:
    """The figures of one run; throughputs in MiB/s, times in seconds, means over the trials unless said otherwise."""

    mib_per_s: float
    coefficient_of_variation: float
    trials: tuple[float, ...]
    """Throughput of each trial."""
    medium_mib_per_s: float
    """Throughput until the last byte is on the medium."""
    elapsed_s: float
    verified: bool
    messages: float
    """0 on a platform without a network."""
    host_s: float
    """Time that the run took here."""
    document: dict[str, Any] = field(repr=False)
    """The whole result file."""


def read_result(document: dict[str, Any]) -> Result:
    """Picks the figures out of a result file. The only place that knows its form."""
    result = document["result"]
    throughput = result["throughput"]
    return Result(
        mib_per_s=float(throughput["mib_per_s"]),
        coefficient_of_variation=float(throughput["coefficient_of_variation"]),
        trials=tuple(float(trial["throughput_mib_per_s"]) for trial in document["trials"]),
        medium_mib_per_s=float(throughput["medium_mib_per_s"]),
        elapsed_s=float(result["elapsed_s"]),
        verified=bool(result["verified"]),
        messages=float(result.get("messages", 0)),
        host_s=float(document["host"]["seconds"]),
        document=document,
    )


def run(point: Point, *, jobs: int = 0, vcd: Path | None = None) -> Result:
    """Runs a configuration, `jobs` trials at a time (0: as many as there are processors)."""
    document = run_document(point, jobs=jobs, vcd=vcd)
    try:
        return read_result(document)
    except (ValueError, KeyError, TypeError) as error:
        raise unreadable(point, error) from error


def run_document(point: Point, *, jobs: int = 0, vcd: Path | None = None) -> dict[str, Any]:
    """The same for any workload: the whole result file."""
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        output = Path(folder) / "result.json"
        arguments = [*point.arguments(), "--set", f"run.jobs={jobs}", "--quiet", "--output", str(output)]
        if vcd is not None:
            arguments += ["--vcd", str(vcd)]
        call(point, arguments)
        try:
            return json.loads(output.read_text())
        except (OSError, ValueError) as error:
            raise unreadable(point, error) from error


def unreadable(point: Point, error: Exception) -> RunError:
    return RunError(f"sunstar-{point.platform} left no result that can be read ({error!r})", 0)


def effective_config(point: Point) -> dict[str, Any]:
    """The whole configuration that a point stands for, with every default spelt out."""
    return json.loads(call(point, [*point.arguments(), "--print-config"]))


def call(point: Point, arguments: list[str]) -> str:
    """Calls the point's simulator and returns what it prints; a RunError with its own sentence if it fails."""
    command = [str(executable(point.platform)), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        said = done.stderr.strip() or "it said nothing"
        shown = " ".join([f"sunstar-{point.platform}", *point.arguments()])
        ended = (
            f"ended with exit code {done.returncode}"
            if done.returncode > 0
            else f"was ended by {signal.Signals(-done.returncode).name}"
        )
        raise RunError(f"{said}\n({shown} {ended})", done.returncode)
    return done.stdout
