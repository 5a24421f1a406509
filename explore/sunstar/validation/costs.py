# SPDX-License-Identifier: MIT
"""sunstar validate costs: the calibrated cost of each of the firmware's primitives beside the firmware itself. It is
built for a RISC-V and run in QEMU, whose plugin counts the uses of each primitive, and their instructions."""

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import polars as pl
from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked
from rich.console import Console

from sunstar.console import in_parallel_with_progress, percent, print_table
from sunstar.errors import FileError, MissingExecutableError, RunError
from sunstar.files import write_json, write_table
from sunstar.places import project
from sunstar.places import sources as source_folder
from sunstar.programs import run_program
from sunstar.study.command import Call, command
from sunstar.validation.comparing import Row, table

PACKAGES = {"riscv64-linux-gnu-g++": "g++-riscv64-linux-gnu", "qemu-riscv64": "qemu-user", "g++": "g++"}
"""The Debian package of each tool."""
OPTIONS = ("-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overread")
"""GCC 12 mistakes the inlined move of a short vector for an overrun."""
LEFT_OUT = ("registry/*workload*.cpp", "workload/trace/*", "workload/subset/*", "io/store/redundant/galois.cpp")
"""Code that needs compiled libraries: traces, lists and their makers, and RAID 6's arithmetic (see tests/counting)."""
MORE = ("models/core/durations.cpp", "models/core/error.cpp", "models/core/content/*.cpp")
COUNTING = tuple(f"tests/counting/{name}.cpp" for name in ("firmware", "galois", "heap", "machine"))
LISTED = json.loads((Path(__file__).parent / "data" / "scenarios.json").read_text())["scenarios"]
Count = Literal["instructions", "cycles", "instruction_misses", "data_misses"]
Counts = np.ndarray[tuple[int], np.dtype[np.float64]]
"""The plugin's counts in one region of the firmware, in this order."""
UNMARKED = "unmarked"
FACTOR = 2.0
"""A calibrated value should lie within this factor of the counted instructions: the machine of TR94-226 takes a cycle
for each, and caches that miss are no part of it. A division counts as 35 instructions."""
WORDS = 2  # The RISC-V moves 8 bytes with an instruction, the machine's 32-bit processor 4
PER_BYTE = ("copy_per_byte", "clear_per_byte", "parity_per_byte")
WHOLE_BLOCK = 8192


def missing_tools() -> list[str]:
    return [tool for tool in PACKAGES if shutil.which(tool) is None]


def sources() -> list[Path]:
    """The firmware's sources, sw/ without LEFT_OUT, MORE of the models', and those of the counting machine."""
    left_out = {path for each in LEFT_OUT for path in matching(f"sw/{each}")}
    own = [path for path in matching("sw/**/*.cpp") if path not in left_out]
    return own + [path for each in (*MORE, *COUNTING) for path in matching(each)]


def matching(pattern: str) -> list[Path]:
    """The project's files of this pattern; a FileError if there is none, so that no missing source is passed over."""
    found = sorted(project().glob(pattern))
    if not found:
        raise FileError(f"there is no file {project() / pattern}, which validate costs needs")
    return found


def build(out: Console, jobs: int) -> Path:
    """Builds firmware and plugin.so in build/counting unless they are newer than all sources; returns the folder."""
    source_folder("validate costs")
    if missing := missing_tools():
        packages = " ".join(PACKAGES[tool] for tool in missing)
        raise MissingExecutableError(
            f"counting needs {' and '.join(missing)}; install the Debian packages with: apt-get install {packages}"
        )
    folder = project() / "build" / "counting"
    firmware, library = folder / "firmware", folder / "plugin.so"
    folders = ("sw", "models/core", "models/node", "tests/counting", "tests/support")  # of all includes
    changed = (path for each in folders for path in (project() / each).rglob("*") if path.is_file())
    newest = max(path.stat().st_mtime for path in changed)
    if all(path.exists() and path.stat().st_mtime > newest for path in (firmware, library)):
        return folder
    # Only Boost from the host's include folder: its C library's headers are not the RISC-V's.
    include, objects = folder / "include", folder / "objects"
    for made in (include, objects):
        try:
            made.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot make the folder {made}: {error.strerror}") from error
    if not (include / "boost").is_symlink():
        (include / "boost").symlink_to("/usr/include/boost")
    plugin = project() / "tests" / "counting" / "plugin.cpp"
    compile_ = ("g++", *OPTIONS, "-fPIC", "-shared", "-fvisibility=hidden", str(plugin), "-o", str(library))
    of = {path: objects / "-".join(path.relative_to(project()).with_suffix(".o").parts) for path in sources()}
    # The compiler cache sees paths from the project's folder on, and so serves every clone.
    cache = ("env", f"CCACHE_BASEDIR={project()}", "ccache") if shutil.which("ccache") else ()
    cross = (*cache, "riscv64-linux-gnu-g++", *OPTIONS, "-DNDEBUG", "-DSUNSTAR_COUNTING")
    where = ("-I", str(project()), "-isystem", str(include))
    commands = [compile_, *((*cross, *where, "-c", str(path), "-o", str(made)) for path, made in of.items())]
    names = [path.name for path in (plugin, *of)]
    in_parallel_with_progress(out, "building build/counting", partial(call, cwd=project()), commands, names, jobs)
    call(("riscv64-linux-gnu-g++", "-static", *map(str, of.values()), "-o", str(firmware)))
    return folder


def call(command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Calls a program and returns its output; a RunError with its own words if it fails."""
    done = run_program(command, cwd=cwd, env=env)
    if done.returncode != 0:
        shown = " ".join(command)
        raise RunError(f"{done.stderr.strip()}\n({shown} ended with exit code {done.returncode})", done.returncode)
    return done.stdout


@dataclass(frozen=True)
class Scenario:
    file_system: str
    pattern: str
    record_bytes: int
    file_bytes: int
    option: str = ""  # `gather`, or a redundant store
    only: tuple[str, ...] = ()
    """The primitives that it counts for, where the other code carries no marks; every primitive if empty."""

    def __str__(self) -> str:
        return f"{self.file_system} {self.pattern} {self.record_bytes} {self.option}".strip()


SCENARIOS = [Scenario(**{**each, "only": tuple(each.get("only", ()))}) for each in LISTED]


@checked(frozen=True)
class Primitive:
    name: str
    calibrated: float
    times: float


@dataclass(frozen=True)
class Counted:
    """One scenario's counts by primitive; those of UNMARKED belong to none."""

    times: Mapping[str, float]
    counts: Mapping[str, Counts]
    calibrated: Mapping[str, float]

    def only(self, primitives: Sequence[str]) -> "Counted":
        times = {name: each * (name in primitives) for name, each in self.times.items()}
        counts = {name: each * (name in primitives) for name, each in self.counts.items()}
        return Counted(times, counts, self.calibrated)


def parse(printed: str, counts: str) -> Counted:
    """Joins the output of the program and its plugin, which numbers primitives from 1, in order; 0 stands for none."""
    try:
        primitives = TypeAdapter(list[Primitive]).validate_json(printed)
        regions = TypeAdapter(dict[int, dict[Count, float]]).validate_json(counts)
    except ValidationError as error:
        raise RunError(f"the counting program left no counts that can be read: {error}", 0) from error
    unknown = [number for number in regions if number > len(primitives)]
    if unknown:
        raise RunError(f"the plugin counted for primitive {unknown[0]}, but there are {len(primitives)}", 0)
    numbers = {each.name: number for number, each in enumerate(primitives, start=1)} | {UNMARKED: 0}
    return Counted(
        {each.name: each.times for each in primitives},
        {name: np.array([regions.get(i, {}).get(of, 0.0) for of in get_args(Count)]) for name, i in numbers.items()},
        {each.name: each.calibrated for each in primitives},
    )


def count(built: Path, scenario: Scenario) -> Counted:
    """Runs a scenario; the program itself checks that every byte arrives where it belongs."""
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        output = Path(folder) / "counts.json"
        plugin = ("-plugin", f"{built / 'plugin.so'},output={output}")
        # The program finds its name and the environment on its stack: always the same, so that the caches see the same
        # addresses in every run.
        qemu = shutil.which("qemu-riscv64") or "qemu-riscv64"
        what = (scenario.file_system, scenario.pattern, str(scenario.record_bytes), str(scenario.file_bytes))
        command = (qemu, *plugin, "./firmware", *what, *filter(None, [scenario.option]))
        printed = call(command, cwd=built, env={})
        try:
            counted = parse(printed, output.read_text())
        except OSError as error:
            raise RunError(f"the plugin left no counts: {error}", 0) from error
    return counted.only(scenario.only) if scenario.only else counted


Found = Mapping[Scenario, Counted]


def merge(found: Found) -> list[Row]:
    return [row(name, found, value) for name, value in next(iter(found.values())).calibrated.items()]


def row(name: str, found: Found, calibrated: float) -> Row:
    """A primitive, each time it is carried out; nothing is known of one that no scenario carries out. `outside` says
    whether the calibrated value is further from the counted one than it should be."""
    times, each = each_time(name, found)
    each = each * WORDS if name in PER_BYTE else each
    instructions, cycles = map(float, each[:2]) if times else (None, None)
    ratio = calibrated / instructions if instructions else None
    return {
        "primitive": name,
        "times": times or 0,
        "calibrated": calibrated,
        "instructions": instructions,
        "cycles": cycles,
        "ratio": ratio,
        "outside": instructions is not None and (ratio is None or not 1 / FACTOR <= ratio <= FACTOR),
    }


def each_time(name: str, found: Found) -> tuple[float, Counts]:
    """How often a primitive was carried out, and the cost of each time; some follow from some scenarios only."""
    # A run without it has no times to share out its marked costs.
    runs = [run for run in found.values() if run.times.get(name, 0) > 0]
    match name:
        case "copy":  # in the copies of a few bytes that caches of I/O processors make
            return without_bytes(name, copying(found, whole_blocks=False), found)
        case "copy_per_byte":  # in copies of whole blocks, where starting to copy does not count
            return mean([name], name, copying(found, whole_blocks=True))
        case "piece_copy":  # in messages of several pieces of a few bytes
            return without_bytes(name, runs, found)
        case "piece":  # of a vector, without its one dimension
            times, vector = pieces(found, 1)
            return times, vector - each_time("piece_dimension", found)[1]
        case "piece_dimension":  # the extra cost of a piece of a matrix over one of a vector
            (_, vector), (times, matrix) = pieces(found, 1), pieces(found, 2)
            return times, np.maximum(matrix - vector, 0)
    return mean([name], name, runs)


def mean(primitives: Iterable[str], per: str, runs: Sequence[Counted]) -> tuple[float, Counts]:
    """The cost of all these primitives together for each time that `per` is carried out."""
    times = sum(run.times[per] for run in runs)
    total = sum((run.counts[name] for run in runs for name in primitives), np.zeros(len(get_args(Count))))
    return times, total / times if times else total


def copying(found: Found, whole_blocks: bool) -> list[Counted]:
    """The runs in which caches of I/O processors copy: whole blocks, or a few bytes."""
    runs = [(scenario.record_bytes >= WHOLE_BLOCK, run) for scenario, run in found.items() if run.times["copy"] > 0]
    return [run for whole, run in runs if whole == whole_blocks]


def without_bytes(name: str, runs: Sequence[Counted], found: Found) -> tuple[float, Counts]:
    """The cost of a primitive that moves a few bytes, without the price of the bytes."""
    times, all_together = mean([name, "copy_per_byte"], name, runs)
    _, per_byte = each_time("copy_per_byte", found)
    bytes_each = sum(run.times["copy_per_byte"] for run in runs) / times if times else 0
    return times, np.maximum(all_together - per_byte * bytes_each, 0)


def pieces(found: Found, dimensions: int) -> tuple[float, Counts]:
    """A piece of an array with that many distributed dimensions."""
    # Where pieces travel together, finding them includes sorting them by processor.
    apart = [run for run in found.values() if run.times.get("piece_copy", 0) == 0]
    runs = [run for run in apart if run.times["piece_dimension"] == dimensions * run.times["piece"] > 0]
    return mean(["piece", "piece_dimension"], "piece", runs)


def unmarked_share(runs: Iterable[Counted]) -> float:
    """The share of all cycles that belong to no primitive."""
    cycles = [{name: float(counts[1]) for name, counts in run.counts.items()} for run in runs]
    return sum(each[UNMARKED] for each in cycles) / sum(sum(each.values()) for each in cycles)


@command(trials=1, machine=False)
def validate_costs(call: Call) -> bool:
    folder = call.folder("validation/costs")
    built = build(call.out, call.jobs)
    names = [str(scenario) for scenario in SCENARIOS]
    outcome = in_parallel_with_progress(call.out, "counting", partial(count, built), SCENARIOS, names, call.jobs)
    found = dict(zip(SCENARIOS, outcome, strict=True))
    rows = merge(found)
    print_table(call.out, table("costs", [{**row, "mark": "*" if row["outside"] else ""} for row in rows]))
    shares = {str(scenario): unmarked_share([run]) for scenario, run in found.items()}
    worst = max(shares, key=lambda name: shares[name])
    unmarked = f"{percent(unmarked_share(found.values()))} of all cycles; at most {percent(shares[worst])} ({worst})"
    call.out.print(f"in no primitive: {unmarked}", soft_wrap=True)
    call.out.print(f"{sum(not row['outside'] for row in rows)} of {len(rows)} within a factor of {FACTOR:g}")
    points = pl.DataFrame(rows)
    write_json(call.files, folder / "costs.json", points.to_dicts())
    write_table(call.files, folder / "costs.csv", points)
    # The counts of each scenario, not divided by anything.
    counts = [
        (str(scenario), name, run.times.get(name), *counts)
        for scenario, run in found.items()
        for name, counts in run.counts.items()
    ]
    headings = ["scenario", "primitive", "times", *get_args(Count)]
    write_table(call.files, folder / "scenarios.csv", pl.DataFrame(counts, headings, orient="row"))
    counted = {row["primitive"]: round(row["instructions"], 3) for row in rows if row["instructions"] is not None}
    write_json(call.files, folder / "config.json", {"schema": "sunstar/1", "machine": {"costs": counted}})
    return any(row["outside"] for row in rows)
