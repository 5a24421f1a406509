# SPDX-License-Identifier: MIT
"""The findings of a curve's runs: where it stops, and the cause by the explained runs."""

import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import orjson

from sunstar.explaining import explained
from sunstar.reports.samples import numbers, samples_of
from sunstar.runs.simulator import Outcome, Run
from sunstar.scaling.design import Curve


@dataclass(frozen=True)
class Sample:
    io: int  # I/O processors
    throughputs: Sequence[float]  # Of the trials, in MiB/s
    messages: Sequence[float]
    host_s: float  # Processor time of a trial on the host
    host_mib: float  # The most memory that a process of the simulator took on the host
    path: Mapping[str, float]  # Seconds of each stage of the critical path of the first trial
    busiest: str  # The resource that was busy for the greatest part of the first trial, and its share
    advice: str  # The explanation's first sentence

    @property
    def mib_per_s(self) -> float:
        return fmean(self.throughputs)

    @property
    def elapsed_s(self) -> float:
        """Of the first trial."""
        return sum(self.path.values())

    def stages(self, most: int = 2) -> str:
        """The largest shares of the critical path."""
        largest = sorted(self.path.items(), key=lambda item: -item[1])[:most]
        return ", ".join(f"{stage} {share(spent / self.elapsed_s)}" for stage, spent in largest if spent)


def share(value: float) -> str:
    return f"{100 * value:.0f} %"


def sample_of(outcome: Outcome, io: int, where: str) -> Sample:
    result, why = explained(outcome.document, where)
    trials = {path: numbers(values) or [] for path, values in samples_of([result]).items()}
    host: dict[str, Any] = orjson.loads(outcome.figures)["host"]
    busiest = max(why.resources, key=lambda resource: resource.busy)
    return Sample(
        io,
        trials["result.throughput.mib_per_s"],
        trials["result.messages"],
        host["cpu_seconds"],
        host["peak_memory_bytes"] / (1 << 20),
        {stage.stage: stage.time_s for stage in why.critical_path},
        f"{busiest.name.removeprefix('machine.')} {share(busiest.busy)}",
        why.sentences[0] if why.sentences else "",
    )


IDLE = "the others have nothing to do"  # How the simulators' warning of processors without data ends


def reason_of(run: Run) -> str:
    """Why a run is on no curve; empty if it is on one: it has no result, or processors without data."""
    if run.exit_code < 0:
        return f"not run: {signal.Signals(-run.exit_code).name} ended the simulator"
    lines = [line.removeprefix("Warning: ") for line in run.message.splitlines() if line.startswith("Warning: ")]
    idle = next((line for line in lines if IDLE in line), "")
    if run.done or idle:
        return f"left out: {idle.removesuffix('.')}" if idle else ""
    return f"not run: {' '.join(run.message.split())}"


@dataclass(frozen=True)
class Scaled:
    """A curve with its runs by their numbers of compute processors."""

    curve: Curve
    samples: Mapping[int, Sample]
    missing: Mapping[int, str]  # By size that is on no curve: why it was not run, or is left out
    least_gain: float  # A doubling with a smaller part of the possible gain does not count as scaling

    def gain(self, size: int) -> float | None:
        """The throughput over that of half the compute processors; None if one of both was not measured."""
        now, before = self.samples.get(size), self.samples.get(size // 2)
        return now.mib_per_s / before.mib_per_s if now and before else None

    @property
    def stop(self) -> int | None:
        """The size above which no doubling gains enough. A single bad doubling is no end: curves are not smooth."""
        found = None
        for size in sorted(self.samples, reverse=True):
            gain = self.gain(size)
            if gain is not None and gain - 1 >= self.least_gain:
                break
            found = found if gain is None else size // 2
        return found

    @property
    def judged(self) -> int | None:
        """The end of the first doubling that gains too little for good, or else the last: the reason is about it."""
        measured = (size for size in self.samples if self.gain(size) is not None)
        return 2 * self.stop if self.stop is not None else max(measured, default=None)

    def grown(self, size: int) -> list[tuple[str, float]]:
        """The seconds by which each stage of the critical path exceeds a perfect doubling, the largest first."""
        now, before = self.samples[size].path, self.samples[size // 2].path
        ideal = {stage: self.curve.ideal_time * seconds for stage, seconds in before.items()}
        excess = {stage: now.get(stage, 0.0) - ideal.get(stage, 0.0) for stage in {**now, **before}}
        return sorted(excess.items(), key=lambda item: -item[1])

    def why(self) -> str:
        told = [f"{size} compute processors were {reason}." for size, reason in list(self.missing.items())[:1]]
        size = self.judged
        if size is None:
            return " ".join(["No doubling was measured.", *told])
        sample, beyond = self.samples[size], self.grown(size)
        lost = sum(seconds for _, seconds in beyond)
        stage, seconds = beyond[0]
        found = f"Scaling does not stop up to {size} compute processors: the last doubling gives"
        if self.stop is not None:
            found = f"Scaling stops at {self.stop} compute processors: {size} give"
        cause = "It takes no longer than a perfect doubling would."
        if lost > 0:
            most = f"on the critical path, {stage} exceeds that most, by {1000 * seconds:.3g} ms"
            cause = f"It takes {1000 * lost:.3g} ms longer than a perfect doubling would; {most}."
        path = f"On the critical path: {sample.stages()}. Busiest: {sample.busiest}."
        gain = f"{self.gain(size):.2f} times the throughput."
        return " ".join([found, gain, cause, path, f'The run with {size} says: "{sample.advice}"', *told])

    @property
    def stops(self) -> str:
        """Where it stops, in a cell of a table."""
        return str(self.stop) if self.stop is not None else f"above {self.judged}" if self.judged else "-"


def rows(found: Iterable[Scaled]) -> list[dict[str, Any]]:
    return [
        {
            **each.curve._asdict(),
            "compute_processors": size,
            "io_processors": sample.io,
            "mib_per_s": sample.mib_per_s,
            "gain": each.gain(size),
            "messages": fmean(sample.messages),
            "elapsed_s": sample.elapsed_s,
            "host_cpu_s": sample.host_s,
            "host_mib": sample.host_mib,
            "critical_path": sample.stages(len(sample.path)),
            "busiest": sample.busiest,
            "stops": each.stop == size,
        }
        for each in found
        for size, sample in sorted(each.samples.items())
    ]
