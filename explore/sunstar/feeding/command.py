# SPDX-License-Identifier: MIT
"""sunstar feed: the largest number of accelerators a node that a machine keeps busy, by doubling and bisection, and
what limits the next one."""

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, NamedTuple

import typer

from sunstar.api import run_all
from sunstar.commands import relative
from sunstar.console import Printed, console, percent, print_table
from sunstar.errors import FileError, RunError, UnmeasuredError, UsageError, check_choice, in_words, meant
from sunstar.explaining import explanation_of
from sunstar.feeding.answers import write_points
from sunstar.feeding.import_dlio import LOADS, read_dlio
from sunstar.files import OTHER_FORM, read_bytes, write_json
from sunstar.machine.command import PLATFORMS, ConfigArgument, PlatformOption, SetOption, find
from sunstar.quantities import engineering, size_in_bytes
from sunstar.reports.curves import Curves, Line, Mark, Spot, draw_curves
from sunstar.reports.samples import half_width
from sunstar.results import Document
from sunstar.runs.simulator import RECORDS_KEY, Point, Value, effective_config, settings_of
from sunstar.study.command import Call, command

OWN = ("kind", "accelerators", "files", "steps", "warm_up", "epochs")  # Parameters that the command sets itself
CACHES = ("pages", "page_cache", "module")  # Of clients: sections of file_system with a size
WIDTH = 3  # Numbers that are run together between two others
KNOWN: Mapping[str, Mapping[str, Any]] = LOADS["loads"]
HEADINGS = ("a node", "in all", "utilisation", "± (95 %)", "GB/s", "samples/s", "meets?")


class Load(NamedTuple):
    name: str
    workload: Mapping[str, Any]
    threshold: float  # The required utilisation
    window: tuple[int, int]  # Steps that count, and those before them


class Sample(NamedTuple):
    accelerators_a_node: int
    accelerators: int  # In all
    utilisation: float
    half: float | None  # Half the 95 % interval of the utilisation
    bytes_per_s: float
    samples_per_s: float
    meets: bool


def load_of(name: str, accelerator: str | None, threshold: float | None) -> Load:
    path = Path(name)
    if of := KNOWN.get(name):
        if accelerator is None:
            raise UsageError(f"--accelerator is missing; with --load {name} it must be {in_words(of['compute'])}")
        check_choice("--accelerator", accelerator, of["compute"])
        own = {"compute": of["compute"][accelerator], **LOADS["readers"][of["format"]]}
        return Load(f"{name}-{accelerator}", of["workload"] | own, threshold or of["threshold"], of["window"])
    if accelerator:
        raise UsageError(f"--accelerator {accelerator}: it is for {in_words(KNOWN)}; --load {name} has its own compute")
    if path.suffix not in (".yaml", ".yml", ".json"):
        raise UsageError(f"--load {name}: it must be {in_words(KNOWN)}, or a file .json or .yaml{meant(name, KNOWN)}")
    if path.suffix != ".json":
        found = read_dlio(path)
        return Load(path.stem, found.workload, threshold or found.threshold or LOADS["threshold"], LOADS["window"])
    content = read_bytes(path)
    with suppress(*OTHER_FORM):
        of = json.loads(content)["workload"]
        of["files"] * of["batch_size"] * {"training": size_in_bytes(of["sample_size"])}[of["kind"]]
        return Load(path.stem, of, threshold or LOADS["threshold"], LOADS["window"])
    needed = "workload.kind training, workload.files, workload.batch_size and workload.sample_size"
    raise FileError(f"{path} is no configuration of a training; it must be JSON with {needed}")


def check_size(load: Load, file_system: Mapping[str, Any]) -> None:
    """Small data would come from the caches of clients."""
    size, samples = size_in_bytes(load.workload["sample_size"]), load.workload.get("samples_per_file", 1)
    caches = [size_in_bytes(file_system[name]["size"]) for name in CACHES if file_system.get(name)]
    if (data := load.workload["files"] * samples * size) < (cache := max(caches, default=0)):
        sizes = f"its data, {engineering(data, 'B')}, fit into the cache of a node, {engineering(cache, 'B')}"
        raise UsageError(f"--load {load.name}: {sizes}; there must be more files, or a smaller cache")


@dataclass
class Bench:
    """The runs of a load on a machine."""

    call: Call
    program: str
    config: Path
    named: str  # The options that stand for it in a sentence
    load: Load
    settings: Mapping[str, Value]
    nodes: int
    found: dict[int, Sample] = field(default_factory=dict)

    def point(self, count: int, trial: int = 0, explained: bool = False) -> Point:
        """Each accelerator has as many files as it reads: no sample is read twice, so no memory is large enough."""
        of, steps = self.load.workload, sum(self.load.window)
        samples = (steps + of.get("readers", 4) * of.get("prefetch", 2)) * of["batch_size"]
        files = self.nodes * count * -(-samples // of.get("samples_per_file", 1))
        own = {"accelerators": count, "files": files, "steps": steps, "warm_up": self.load.window[1]}
        settings = {f"workload.{name}": value for name, value in own.items()} | dict(self.settings)
        return Point(settings, self.config, self.program, self.call.conditions.seed + trial, 1, explained=explained)

    def run(self, points: list[Point]) -> list[Document]:
        made = run_all(points, jobs=self.call.jobs, results=self.call.results, retry_failed=self.call.retry_failed)
        if error := next((each for each in made if isinstance(each, RunError)), None):
            raise RunError(str(error).replace(f"--config {self.config}", self.named), error.exit_code)
        return [each for each in made if isinstance(each, Document)]

    def meet(self, counts: list[int]) -> Mapping[int, bool]:
        """Whether each of these numbers of accelerators a node meets the threshold."""
        trials = self.call.conditions.trials
        self.call.out.print(f"{self.load.name}: {', '.join(map(str, counts))} a node", soft_wrap=True)
        made = self.run([self.point(count, trial) for count in counts for trial in range(trials)])
        for i, count in enumerate(counts):
            of = [each.result.training for each in made[i * trials : (i + 1) * trials]]
            shares = [each.utilisation for each in of]
            rates = (fmean(each.bytes_per_s for each in of), fmean(each.samples_per_s for each in of))
            mean, meets = fmean(shares), fmean(shares) >= self.load.threshold
            self.found[count] = Sample(count, int(of[0].accelerators), mean, half_width(shares), *rates, meets)
        return {count: self.found[count].meets for count in counts}

    def limit(self, count: int) -> str:
        [made] = self.run([self.point(count, explained=True)])
        return f"What limits {count} a node: {' '.join(explanation_of(made, self.load.name).sentences[:2])}"

    def verdict(self, best: int, most: int) -> str:
        of, threshold = self.found[max(best, 1)], percent(self.load.threshold)
        if not best:
            alone = f"one a node is {percent(of.utilisation)}. {self.limit(1)}"
            raise UnmeasuredError(f"no accelerator is busy {threshold}; {alone}")
        noise = ", within noise" if of.half and of.utilisation - of.half < self.load.threshold else ""
        counted = f"{'at least ' * (best == most)}{best} accelerators a node, {of.accelerators} in all"
        busy = f"are busy {percent(of.utilisation)} ({threshold} required{noise})"
        return f"With {self.load.name}, {counted}, {busy}: {of.bytes_per_s / 1e9:.3g} GB/s."


def search(meet: Callable[[list[int]], Mapping[int, bool]], most: int) -> int:
    """The largest number up to `most` that meets the threshold, below the least number that misses it; or 0."""
    low, high = 0, most + 1
    while high - low > 1:
        counts = {min(most, max(1, 2 * low)), min(most, max(2, 4 * low))}
        if high <= most:
            counts = {low + round(i * (high - low) / (WIDTH + 1)) for i in range(1, WIDTH + 1)} - {low, high}
        found = meet(sorted(counts))
        high = min([count for count in counts if not found[count]], default=high)
        low = max([count for count in counts if found[count] and count < high], default=low)
    return low


def curves(found: list[Sample], load: Load, best: int) -> Curves:
    spots = [Spot(of.accelerators_a_node, 100 * of.utilisation, 100 * (of.half or 0)) for of in found]
    ends = [Spot(spot.x, 100 * load.threshold) for spot in (spots[0], spots[-1])]
    marks = [Mark(spot.x, spot.y, "the most that are fed") for spot in spots if spot.x == best]
    lines = [Line(load.name, spots), Line("required", ends, symbol="x")]
    return Curves("lines", "accelerators a node", "utilisation of accelerators (%)", lines, log=False, marks=marks)


def row(of: Sample) -> list[str]:
    shares = [percent(of.utilisation), percent(of.half)]
    rates = [f"{of.bytes_per_s / 1e9:.3g}", f"{of.samples_per_s:.5g}"]
    return [str(of.accelerators_a_node), str(of.accelerators), *shares, *rates, "yes" if of.meets else "no"]


@command(trials=3, machine=False, stderr=True)
def feed(
    call: Call,
    config: ConfigArgument,
    load: Annotated[str, typer.Option(metavar="LOAD", help=f"{in_words(KNOWN)}, or a file .json or .yaml.")],
    accelerator: Annotated[str | None, typer.Option(metavar="a100|h100", help="Of the benchmark's loads.")] = None,
    platform: PlatformOption = None,
    settings: SetOption = None,
    threshold: Annotated[float | None, typer.Option(min=0.01, max=1, help="Of utilisation; or the load's.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps of a run that count; or the load's.")] = None,
    warm_up: Annotated[int | None, typer.Option(min=1, help="Steps before them; or the load's.")] = None,
    most: Annotated[int, typer.Option(min=1, help="The most accelerators a node that are tried.")] = 1024,
) -> bool:
    own = {path: of for path, of in settings_of(settings or []).items() if path.startswith("workload.")}
    if taken := next((path for path in own if path.removeprefix("workload.") in OWN), None):
        raise UsageError(f"--set {taken}: the command sets that itself; see its options with --help")
    wanted = load_of(load, accelerator, threshold)
    wanted = wanted._replace(window=(steps or wanted.window[0], warm_up or wanted.window[1]))
    texts = [text for text in settings or [] if text.partition("=")[0] not in own]
    asked = find(config, platform, texts, None)
    named = [*([] if config in PLATFORMS else ["--config", config]), *(f"--set {text}" for text in texts)]
    if load not in KNOWN:
        check_size(wanted, asked.config["file_system"])
    folder = call.folder(f"feed/{Path(config).stem}-{wanted.name}")
    with tempfile.TemporaryDirectory() as place:
        run = {name: value for name, value in asked.config["run"].items() if name != RECORDS_KEY}
        sections = {**asked.config, "run": run, "workload": {**wanted.workload, "kind": "training"}}
        file = Path(place) / "config.json"
        file.write_text(json.dumps(sections))
        nodes = int(asked.config["machine"]["compute_processors"])
        bench = Bench(call, asked.program, file, " ".join([*named, "--load", load]), wanted, own, nodes)
        out, best = console(), 0
        try:
            best = search(bench.meet, most)
        finally:  # an interruption leaves the points so far
            if found := [bench.found[count] for count in sorted(bench.found)]:
                print_table(out, Printed("", HEADINGS, list(map(row, found)), 0))
        out.print(bench.verdict(best, most), soft_wrap=True)
        if best < most:
            out.print(bench.limit(best + 1), soft_wrap=True)
            out.print(f"What to change: sunstar advise {relative(folder / 'next.json')}", soft_wrap=True)
            write_json(call.files, folder / "next.json", effective_config(bench.point(best + 1)))
    write_points(call.files, folder, found, Sample._fields)
    draw_curves(call.files, folder / "curve.png", curves(found, wanted, best))
    return False
