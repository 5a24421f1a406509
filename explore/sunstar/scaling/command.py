# SPDX-License-Identifier: MIT
"""sunstar scaling: how machine and data grow from point to point; the findings of the runs of a curve, where it stops
and the cause; the page of curves, and the table that is printed."""

import signal
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Literal, NamedTuple

import orjson
import polars as pl
import typer

from sunstar import pages
from sunstar.commands import relative
from sunstar.console import Printed, listed_in, meter, print_table
from sunstar.errors import FileError, UsageError, check_suffix
from sunstar.explaining import explained
from sunstar.files import make_folder, write_table, write_text
from sunstar.quantities import size_in_bytes
from sunstar.reports.curves import Curves, Line, Mark, Spot, draw_curves, plotly_curves
from sunstar.reports.page import caption, plotted
from sunstar.reports.samples import half_width, numbers, samples_of
from sunstar.runs.simulator import Outcome, Run, indices_of, plan
from sunstar.study.cases import Settings
from sunstar.study.command import Call, command
from sunstar.study.experiments import in_words

SMALLEST = 16  # Compute processors of the first machine, as in TR94-226
FILE_SYSTEMS = ("traditional-caching", "disk-directed", "two-phase", "hybrid")  # Of collectives
WRITING = "enwrich"  # Its caches only help writes
LAYOUTS = ("contiguous", "random-blocks")
Growth = Literal["weak", "strong"]
IDLE = "the others have nothing to do"  # How the simulators' warning of processors without data ends
X = "compute processors"
NAMES = 3  # Columns of text at the left of SUMMARY
MOST, QUICK_MOST = 16384, 256
FILE, QUICK_FILE = "128MiB", "16MiB"  # With 128 MiB, each of 16,384 processors has a block of 8 KiB


class Curve(NamedTuple):
    """A curve's fixed parameters; the number of compute processors varies along it."""

    growth: Growth
    layout: str
    file_system: str

    def __str__(self) -> str:
        return f"{self.growth} scaling, {self.layout}, {self.file_system}"

    @property
    def ideal_time(self) -> float:
        """How much longer a perfect doubling of the compute processors takes."""
        return 1.0 if self.growth == "weak" else 0.5


@dataclass(frozen=True)
class Design:
    most: int  # The most compute processors
    per_processor: int  # Weak scaling: bytes of the file for each compute processor
    ratio: int  # Weak scaling: compute processors for each I/O processor
    file_size: str  # Strong scaling: the file
    io_processors: int  # Strong scaling: I/O processors
    dimensions: int  # Of the torus
    pattern: str
    file_systems: tuple[str, ...]

    def sizes(self) -> list[int]:
        """Numbers of compute processors, each twice the one before."""
        return [SMALLEST << i for i in range((self.most // SMALLEST).bit_length())]

    def curves(self) -> list[Curve]:
        growths: tuple[Growth, ...] = ("weak", "strong")
        return [Curve(g, layout, kind) for g in growths for layout in LAYOUTS for kind in self.file_systems]

    def points(self) -> Iterator[tuple[Curve, int, Settings]]:
        """Small machines first, so that a call that is ended early has whole beginnings of all curves."""
        for size in self.sizes():
            for curve in self.curves():
                yield curve, size, self.settings(curve, size)

    def io_part(self, curve: Curve, size: int) -> int:
        """I/O processors, each with one bus and one drive."""
        return max(1, size // self.ratio) if curve.growth == "weak" else self.io_processors

    def settings(self, curve: Curve, size: int) -> Settings:
        io = self.io_part(curve, size)
        return {
            "machine.compute_processors": size,
            "machine.io_processors": io,
            "machine.disks": io,
            "machine.network.shape": str(box(size + io, self.dimensions)),
            "file_system.kind": curve.file_system,
            "file_system.layout": curve.layout,
            "workload.kind": "pattern",
            "workload.pattern": self.pattern,
            "workload.file_size": f"{self.per_processor * size}B" if curve.growth == "weak" else self.file_size,
        }

    def words(self, growth: Growth) -> str:
        if growth == "weak":
            drives = f"{self.ratio} compute processors share an I/O processor with one drive"
            return f"The file has {self.per_processor / 1024:g} KiB for each compute processor, and {drives}."
        io = "1 I/O processor" if self.io_processors == 1 else f"{self.io_processors} I/O processors"
        return f"The file always has {self.file_size}, and the machine {io} with one drive each."


def box(nodes: int, dimensions: int) -> list[int]:
    """The sides of a torus with room for `nodes`, as equal as possible."""
    side = next(side for side in range(1, nodes + 1) if side**dimensions >= nodes)
    return [side] if dimensions == 1 else [side, *box(-(-nodes // side), dimensions - 1)]


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


FIGURES: Mapping[str, Callable[[Sample], Sequence[float]]] = {
    "throughput (MiB/s)": lambda sample: sample.throughputs,
    "messages": lambda sample: sample.messages,
    "host time (s)": lambda sample: [sample.host_s],
    "host memory (MiB)": lambda sample: [sample.host_mib],
}
SUMMARY: Mapping[str, Callable[[Scaled], object]] = {
    "growth": lambda each: each.curve.growth,
    "layout": lambda each: each.curve.layout,
    "file system": lambda each: each.curve.file_system,
    "stops at": lambda each: each.stops,
    "gain": lambda each: gained(each, each.judged or 0),
    "critical path": lambda each: each.samples[each.judged].stages(1) if each.judged else "-",
    "busiest": lambda each: each.samples[each.judged].busiest if each.judged else "-",
}
RUNS: Mapping[str, Callable[[Sample], str]] = {
    "I/O processors": lambda sample: str(sample.io),
    "MiB/s": lambda sample: f"{sample.mib_per_s:.1f}",
    "messages": lambda sample: f"{fmean(sample.messages):.0f}",
    "simulated s": lambda sample: f"{sample.elapsed_s:.3f}",
    "host s": lambda sample: f"{sample.host_s:.2f}",
    "host MiB": lambda sample: f"{sample.host_mib:.0f}",
    "critical path": Sample.stages,
    "busiest": lambda sample: sample.busiest,
}


def gained(each: Scaled, size: int) -> str:
    gain = each.gain(size)
    return "-" if gain is None else f"{gain:.2f}"


def summary(found: Sequence[Scaled], least_gain: float) -> Printed:
    title = "A curve stops at the number of compute processors from which on every doubling gives less than "
    title += f"{1 + least_gain:.3g} times the throughput ({share(least_gain)} of the gain that 2 would be)"
    return listed_in(title, found, SUMMARY, NAMES)


def drawings(found: Sequence[Scaled]) -> dict[tuple[str, str], list[Curves]]:
    """A drawing of each figure, for each growth and layout."""
    panels: dict[tuple[str, str], list[Scaled]] = defaultdict(list)
    for each in found:
        panels[each.curve.growth, each.curve.layout].append(each)
    return {panel: [drawing(of, *figure) for figure in FIGURES.items()] for panel, of in panels.items()}


def drawing(found: Iterable[Scaled], name: str, values: Callable[[Sample], Sequence[float]]) -> Curves:
    lines, marks = [], []
    for each in found:
        measured = {size: values(sample) for size, sample in sorted(each.samples.items())}
        spots = [Spot(size, fmean(of), half_width(of), len(of)) for size, of in measured.items()]
        lines.append(Line(each.curve.file_system, spots))
        if each.stop is not None and values is FIGURES["throughput (MiB/s)"]:
            marks.append(Mark(each.stop, fmean(measured[each.stop]), f"{each.curve.file_system} stops scaling here"))
    return Curves("lines", X, name, lines, log=True, log_y=True, marks=marks)


def page(design: Design, found: Sequence[Scaled], least_gain: float, conditions: str) -> str:
    """The whole page; `conditions` describes all runs."""
    numbers = count()
    panels = drawings(found)
    body = pages.filled(
        Path(__file__).with_name("page.html"),
        summary=summary(found, least_gain),
        names=NAMES,
        headings=[X, *RUNS, "gain"],
        panels=[
            (
                growth,
                layout,
                design.words("weak" if growth == "weak" else "strong"),
                [(each.title, next(numbers), caption(each)) for each in curves],
                [
                    (each.curve.file_system, each.why(), runs_of(each))
                    for each in found
                    if each.curve[:2] == (growth, layout)
                ],
            )
            for (growth, layout), curves in panels.items()
        ],
    )
    plots = [plotly_curves(each) for curves in panels.values() for each in curves]
    return plotted("scaling", "Where does it stop scaling?", conditions, body, plots)


def runs_of(each: Scaled) -> list[list[str]]:
    """A row for each run; for one that is missing, its size and the reason."""
    rows = [
        [str(size), *([tell(each.samples[size]) for tell in RUNS.values()]), gained(each, size)]
        for size in sorted(each.samples)
    ]
    return rows + [[str(size), reason] for size, reason in sorted(each.missing.items())]


@command(trials=1)
def scaling(
    call: Call,
    most: Annotated[
        int | None,
        typer.Option(
            min=2 * SMALLEST,
            show_default=f"{MOST}; with --quick {QUICK_MOST}",
            help=f"The most compute processors; the sizes are {SMALLEST}, {2 * SMALLEST}, ... up to this.",
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick")] = False,
    output: Annotated[Path, typer.Option(metavar="PAGE.html")] = Path("scaling.html"),
    file_system: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", show_default=f"{', '.join(FILE_SYSTEMS)}; {WRITING}, too, if the pattern writes"),
    ] = None,
    pattern: str = "rb",
    per_processor: Annotated[str, typer.Option(metavar="SIZE")] = "64KiB",
    ratio: Annotated[int, typer.Option(min=1, max=SMALLEST)] = 16,
    file: Annotated[str | None, typer.Option(metavar="SIZE", show_default=f"{FILE}; with --quick {QUICK_FILE}")] = None,
    io_processors: Annotated[int, typer.Option(min=1)] = 64,
    dimensions: Annotated[int, typer.Option(min=1, max=3)] = 2,
    least_gain: Annotated[float, typer.Option(min=0, max=1)] = 0.5,
    figures: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
) -> bool:
    check_suffix(output, (".html", ".htm"))
    possible = [*FILE_SYSTEMS, *([WRITING] if pattern.startswith("w") else [])]
    kinds = file_system or possible
    for kind in kinds:
        if kind not in possible:
            raise UsageError(f"--file-system {kind}: with pattern {pattern} it must be one of {', '.join(possible)}")
    weak = (most or (QUICK_MOST if quick else MOST), size_of("--per-processor", per_processor), ratio)
    strong = (file or (QUICK_FILE if quick else FILE), io_processors)
    design = Design(*weak, *strong, dimensions, pattern, tuple(dict.fromkeys(kinds)))
    size_of("--file", design.file_size)
    call.files.temporary(output)  # fails before any run if it cannot be written
    points = list(design.points())
    for path in call.conditions.settings:
        if any(f"{each}.".startswith(f"{path}.") for each in points[0][2]):
            raise UsageError(f"--set {path}: the command sets that itself; see its options with --help")
    found = measured(call, design, points, least_gain)
    print_table(call.out, summary(found, least_gain))
    if left := sum(len(each.missing) for each in found):
        call.out.print(f"{left} of {len(points)} runs are on no curve; the page says why", soft_wrap=True)
    conditions = (
        f"sunstar-torus, pattern {pattern}, a torus of {dimensions} dimension{'s' * (dimensions > 1)}, "
        f"{in_words(call.conditions.trials)} each. Host time is processor time of a trial, host memory the most that a "
        "process of the simulator took, both of runs with --explain."
    )
    write_text(call.files, output, page(design, found, least_gain, conditions))
    for suffix in (".csv", ".parquet"):
        write_table(call.files, call.folder("scaling") / f"points{suffix}", pl.DataFrame(rows(found)))
    if figures:
        for (growth, layout), curves in drawings(found).items():
            for each in curves:
                name = f"{growth}-{layout}-{each.y.partition(' (')[0].replace(' ', '-')}.png"
                draw_curves(call.files, make_folder(figures, "") / name, each)
    return False


def size_of(option: str, text: str) -> int:
    try:
        found = size_in_bytes(text)
    except FileError as error:
        raise UsageError(f"{option} {text}: {error}") from error
    if found == 0:
        raise UsageError(f"{option} {text}: it must be more than 0 bytes")
    return found


def measured(
    call: Call, design: Design, points: Sequence[tuple[Curve, int, Settings]], least_gain: float
) -> list[Scaled]:
    """The curves of these points. A mistake that concerns the smallest machines, too, is an error at once."""
    wanted = plan([replace(call.conditions.point(sets), explained=True) for _, _, sets in points], call.jobs)
    for index, run in wanted.refused.items():
        if points[index][1] == SMALLEST:
            raise run.error()
    samples: dict[Curve, dict[int, Sample]] = {each: {} for each in design.curves()}
    missing: dict[Curve, dict[int, str]] = {each: {} for each in design.curves()}
    with call.runner() as runner:
        before = len(runner.known(wanted)) - len(wanted.refused)
        total = len(points) - before - len(wanted.refused)
        again = f", {before} finished before: {relative(runner.store.path)}" if before else ""
        call.out.print(f"scaling: {len(points)} runs{again}", soft_wrap=True)
        with meter(call.out, "scaling", total) as ended:
            runs = runner.all(wanted, lambda _, run: ended(run.done))
        for run, (curve, size, _) in zip(runs, points, strict=True):
            if reason := reason_of(run):
                missing[curve][size] = reason
        indices = indices_of("" if reason_of(run) else run.identity for run in runs)
        for identity, outcome in runner.store.outcomes(indices):  # one at a time: those of large machines are large
            for index in indices[identity]:
                curve, size, _ = points[index]
                samples[curve][size] = sample_of(outcome, design.io_part(curve, size), str(runs[index].point))
    if not indices:
        raise runs[0].error() if not runs[0].done else UsageError(f"every size is {reason_of(runs[0])}")
    return [Scaled(each, samples[each], missing[each], least_gain) for each in design.curves()]
