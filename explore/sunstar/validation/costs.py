# SPDX-License-Identifier: MIT
"""sunstar validate costs: the calibrated cost of each of the firmware's primitives beside the firmware itself. It is
built for a RISC-V and run in QEMU, whose plugin counts how often it carried out each primitive, and the instructions
that this took."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked
from rich.console import Console

from sunstar.console import in_parallel_with_progress, listed_in, percent, print_table
from sunstar.errors import FileError, MissingExecutableError, RunError
from sunstar.files import write_json, write_table
from sunstar.places import project
from sunstar.places import sources as source_folder
from sunstar.programs import run_program
from sunstar.study.command import Call, command

PACKAGES = {"riscv64-linux-gnu-g++": "g++-riscv64-linux-gnu", "qemu-riscv64": "qemu-user", "g++": "g++"}
"""The Debian package of each tool."""
OPTIONS = ("-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overread")
"""GCC 12 mistakes the inlined move of a short vector for an overrun."""
BOOST = Path("/usr/include/boost")


@dataclass(frozen=True)
class Built:
    firmware: Path
    plugin: Path


def missing_tools() -> list[str]:
    return [tool for tool in PACKAGES if shutil.which(tool) is None]


def check_tools() -> None:
    missing = missing_tools()
    if missing:
        packages = " ".join(PACKAGES[tool] for tool in missing)
        raise MissingExecutableError(
            f"counting needs {' and '.join(missing)}; install the Debian packages with: apt-get install {packages}"
        )


def sources() -> list[Path]:
    """The firmware's sources: all but what needs compiled libraries: traces, lists and their makers, and RAID 6's
    arithmetic, of which tests/counting has its own."""
    top = project()
    work = top / "sw" / "workload"
    registry = top / "sw" / "registry"
    traces = {
        registry / "workloads.cpp",
        registry / "jobs_workload.cpp",
        *(work / "trace").iterdir(),
        *(work / "subset").iterdir(),
        top / "sw" / "io" / "store" / "redundant" / "galois.cpp",
    }
    own = [top / "tests" / "counting" / name for name in ("firmware.cpp", "galois.cpp", "heap.cpp", "machine.cpp")]
    return [path for path in sorted((top / "sw").rglob("*.cpp")) if path not in traces] + [
        *(top / "models" / "core" / name for name in ("durations.cpp", "message_text.cpp")),
        *sorted((top / "models" / "core" / "content").glob("*.cpp")),
        *own,
    ]


def build(out: Console, jobs: int) -> Built:
    """Builds both in build/counting, unless they are newer than all sources."""
    source_folder("validate costs")
    check_tools()
    folder = made(project() / "build" / "counting")
    built = Built(folder / "firmware", folder / "plugin.so")
    folders = ("sw", "models/core", "models/node", "tests/counting", "tests/support")  # of all that both may include
    changed = (path for each in folders for path in (project() / each).rglob("*") if path.is_file())
    newest = max(path.stat().st_mtime for path in changed)
    if all(path.exists() and path.stat().st_mtime > newest for path in (built.firmware, built.plugin)):
        return built
    # Only Boost from the host's include folder: its C library's headers are not the RISC-V's.
    include = made(folder / "include")
    boost = include / "boost"
    if not boost.is_symlink():
        boost.symlink_to(BOOST)
    plugin = project() / "tests" / "counting" / "plugin.cpp"
    compile_ = ("g++", *OPTIONS, "-fPIC", "-shared", "-fvisibility=hidden", str(plugin), "-o", str(built.plugin))
    objects = made(folder / "objects")
    paths = sources()
    of = {path: objects / "-".join(path.relative_to(project()).with_suffix(".o").parts) for path in paths}
    # The compiler cache sees paths from the project's folder on, and so serves every clone.
    cache = ("env", f"CCACHE_BASEDIR={project()}", "ccache") if shutil.which("ccache") else ()
    cross = (*cache, "riscv64-linux-gnu-g++", *OPTIONS, "-DNDEBUG", "-DSUNSTAR_COUNTING")
    where = ("-I", str(project()), "-isystem", str(include))
    commands = [compile_, *((*cross, *where, "-c", str(path), "-o", str(of[path])) for path in paths)]
    names = [plugin.name, *(path.name for path in paths)]
    compile_here = partial(call, cwd=project())
    in_parallel_with_progress(out, "building build/counting", compile_here, commands, names, jobs)
    call(("riscv64-linux-gnu-g++", "-static", *map(str, of.values()), "-o", str(built.firmware)))
    return built


def made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror}") from error
    return folder


def call(command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Calls a program and returns what it prints; a RunError with its own words if it fails."""
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

    def arguments(self) -> list[str]:
        words = [self.file_system, self.pattern, str(self.record_bytes), str(self.file_bytes)]
        return [*words, self.option] if self.option else words


LISTED = json.loads((Path(__file__).parent / "data" / "scenarios.json").read_text())["scenarios"]
SCENARIOS = [Scenario(**{**each, "only": tuple(each.get("only", ()))}) for each in LISTED]


@checked(frozen=True)
class Counts:
    """What the plugin has counted in one region of the firmware."""

    instructions: float = 0
    cycles: float = 0
    instruction_misses: float = 0
    data_misses: float = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def __mul__(self, factor: float) -> "Counts":
        return Counts(*(value * factor for value in astuple(self)))

    def __sub__(self, other: "Counts") -> "Counts":
        return self + other * -1

    def at_least_nothing(self) -> "Counts":
        return Counts(*(max(value, 0) for value in astuple(self)))


@checked(frozen=True)
class Primitive:
    name: str
    calibrated: float
    times: float


@dataclass(frozen=True)
class Counted:
    """One scenario's counts by primitive; `unmarked` belongs to none."""

    times: Mapping[str, float]
    counts: Mapping[str, Counts]
    calibrated: Mapping[str, float]
    unmarked: Counts

    def total(self) -> Counts:
        return sum(self.counts.values(), self.unmarked)

    def only(self, primitives: Sequence[str]) -> "Counted":
        """What was counted for these primitives."""
        times = {name: each if name in primitives else 0 for name, each in self.times.items()}
        counts = {name: each if name in primitives else Counts() for name, each in self.counts.items()}
        return Counted(times, counts, self.calibrated, Counts())


def parse(printed: str, counts: str) -> Counted:
    """Puts together what the counting program has printed and what the plugin has written. The plugin numbers the
    primitives from 1, in the program's order; 0 is what belongs to none."""
    try:
        primitives = TypeAdapter(list[Primitive]).validate_json(printed)
        regions = TypeAdapter(dict[int, Counts]).validate_json(counts)
    except ValidationError as error:
        raise RunError(f"the counting program left no counts that can be read: {error}", 0) from error
    unknown = [number for number in regions if number > len(primitives)]
    if unknown:
        raise RunError(f"the plugin counted for primitive {unknown[0]}, but there are {len(primitives)}", 0)
    return Counted(
        {primitive.name: primitive.times for primitive in primitives},
        {primitive.name: regions.get(number, Counts()) for number, primitive in enumerate(primitives, start=1)},
        {primitive.name: primitive.calibrated for primitive in primitives},
        regions.get(0, Counts()),
    )


def count(built: Built, scenario: Scenario) -> Counted:
    """Runs a scenario; the program itself checks that every byte arrives where it belongs."""
    with tempfile.TemporaryDirectory(prefix="sunstar-") as folder:
        output = Path(folder) / "counts.json"
        plugin = ("-plugin", f"{built.plugin},output={output}")
        # The program finds its name and the environment on its stack: always the same, so that the caches see the same
        # addresses in every run.
        qemu = shutil.which("qemu-riscv64") or "qemu-riscv64"
        command = (qemu, *plugin, f"./{built.firmware.name}", *scenario.arguments())
        printed = call(command, cwd=built.firmware.parent, env={})
        try:
            counts = output.read_text()
        except OSError as error:
            raise RunError(f"the plugin left no counts: {error}", 0) from error
    counted = parse(printed, counts)
    return counted.only(scenario.only) if scenario.only else counted


def as_config(cycles: Mapping[str, float]) -> dict[str, object]:
    return {"schema": "sunstar/1", "machine": {"costs": dict(cycles)}}


FACTOR = 2.0
"""A calibrated value should lie within this factor of the counted instructions: the machine of TR94-226 takes a cycle
for each, and caches that miss are no part of it. A division counts as 35 instructions."""
WORDS = 2  # The RISC-V moves 8 bytes with an instruction, the machine's 32-bit processor 4
PER_BYTE = ("copy_per_byte", "clear_per_byte", "parity_per_byte")
WHOLE_BLOCK = 8192
Found = Mapping[Scenario, Counted]
Row = dict[str, Any]


def merge(found: Found) -> list[Row]:
    """A row for each primitive, in the order of the cost table."""
    calibrated = next(iter(found.values())).calibrated
    return [row(name, found, value) for name, value in calibrated.items()]


def row(name: str, found: Found, calibrated: float) -> Row:
    """A primitive, each time it is carried out; nothing is known of one that no scenario carries out. `outside` says
    whether the calibrated value is further from the counted one than it should be."""
    if name in SPECIAL:
        times, each = SPECIAL[name](found)
    else:  # a run that carries out none of it has no times to share out what was marked for it
        times, each = mean([name], name, (run for run in found.values() if run.times[name] > 0))
    each = each * WORDS if name in PER_BYTE else each
    instructions, cycles = (each.instructions, each.cycles) if times else (None, None)
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


Finder = Callable[[Found], tuple[float, Counts]]
"""Returns how often a primitive was carried out, and what it took each time."""


def mean(primitives: Iterable[str], per: str, runs: Iterable[Counted]) -> tuple[float, Counts]:
    """What all these primitives together take each time that `per` is carried out."""
    total, times = Counts(), 0.0
    for run in runs:
        times += run.times[per]
        for name in primitives:
            total += run.counts[name]
    return times, total * (1 / times) if times else Counts()


def copying(found: Found, whole_blocks: bool) -> list[Counted]:
    """The runs in which caches of I/O processors copy: whole blocks, or a few bytes."""
    return [
        run
        for scenario, run in found.items()
        if run.times["copy"] > 0 and (scenario.record_bytes >= WHOLE_BLOCK) == whole_blocks
    ]


def copy_per_byte(found: Found) -> tuple[float, Counts]:
    """In copies of whole blocks, where starting to copy does not count."""
    return mean(["copy_per_byte"], "copy_per_byte", copying(found, whole_blocks=True))


def without_bytes(name: str, runs: Sequence[Counted], found: Found) -> tuple[float, Counts]:
    """What a primitive that moves a few bytes takes: all but the price of the bytes."""
    times, all_together = mean([name, "copy_per_byte"], name, runs)
    _, per_byte = copy_per_byte(found)
    bytes_each = sum(run.times["copy_per_byte"] for run in runs) / times if times else 0
    return times, (all_together - per_byte * bytes_each).at_least_nothing()


def pieces(found: Found, dimensions: int) -> tuple[float, Counts]:
    """A piece of an array of which that many dimensions are distributed."""
    # Where pieces travel together, finding them includes sorting them by processor.
    runs = [run for run in found.values() if run.times["piece_dimension"] > 0 and run.times.get("piece_copy", 0) == 0]
    return mean(
        ["piece", "piece_dimension"],
        "piece",
        (run for run in runs if run.times["piece_dimension"] == dimensions * run.times["piece"]),
    )


def piece_dimension(found: Found) -> tuple[float, Counts]:
    """The extra cost of a piece of a matrix over one of a vector."""
    (_, one), (times, two) = pieces(found, 1), pieces(found, 2)
    return times, (two - one).at_least_nothing()


def piece(found: Found) -> tuple[float, Counts]:
    """A piece of a vector, without its one dimension."""
    times, one = pieces(found, 1)
    return times, one - piece_dimension(found)[1]


SPECIAL: Mapping[str, Finder] = {
    # In copies, and in messages of several pieces, of a few bytes.
    "copy": lambda found: without_bytes("copy", copying(found, whole_blocks=False), found),
    "copy_per_byte": copy_per_byte,
    "piece": piece,
    "piece_copy": lambda found: without_bytes(
        "piece_copy", [run for run in found.values() if run.times["piece_copy"] > 0], found
    ),
    "piece_dimension": piece_dimension,
}
"""Primitives that are worked out from some of the scenarios."""


def unmarked_share(runs: Iterable[Counted]) -> float:
    """The share of all cycles that belong to no primitive."""
    totals = [(run.unmarked.cycles, run.total().cycles) for run in runs]
    return sum(unmarked for unmarked, _ in totals) / sum(total for _, total in totals)


@command(trials=1, machine=False)
def validate_costs(call: Call) -> bool:
    folder = call.folder("validation/costs")
    built = build(call.out, call.jobs)
    names = [str(scenario) for scenario in SCENARIOS]
    outcome = in_parallel_with_progress(call.out, "counting", partial(count, built), SCENARIOS, names, call.jobs)
    found = dict(zip(SCENARIOS, outcome, strict=True))
    rows = merge(found)
    print_table(call.out, listed_in(TITLE, rows, COLUMNS))
    shares = {str(scenario): unmarked_share([run]) for scenario, run in found.items()}
    worst = max(shares, key=lambda name: shares[name])
    unmarked = f"{percent(unmarked_share(found.values()))} of all cycles; at most {percent(shares[worst])} ({worst})"
    call.out.print(f"in no primitive: {unmarked}", soft_wrap=True)
    call.out.print(f"{sum(not row['outside'] for row in rows)} of {len(rows)} within a factor of {FACTOR:g}")
    table = pl.DataFrame(rows)
    write_json(call.files, folder / "costs.json", table.to_dicts())
    write_table(call.files, folder / "costs.csv", table)
    write_table(call.files, folder / "scenarios.csv", by_scenario(found))
    counted = {row["primitive"]: round(row["instructions"], 3) for row in rows if row["instructions"] is not None}
    write_json(call.files, folder / "config.json", as_config(counted))
    return any(row["outside"] for row in rows)


COLUMNS: Mapping[str, Callable[[Row], str]] = {
    "primitive": lambda row: row["primitive"],
    "times": lambda row: f"{row['times']:.0f}",
    "instructions": lambda row: figure(row["instructions"]),
    "cycles": lambda row: figure(row["cycles"]),
    "calibrated": lambda row: f"{row['calibrated']:g}",
    "calibrated/instructions": lambda row: "-" if row["ratio"] is None else f"{row['ratio']:.2f}",
    "": lambda row: "*" if row["outside"] else "",
}
TITLE = "each time: instructions, and cycles of a simple pipeline with its caches; * not within a factor of two"


def figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def by_scenario(found: Found) -> pl.DataFrame:
    """The counts of each scenario, not divided by anything; `unmarked` belongs to no primitive."""
    rows = [
        {"scenario": str(scenario), "primitive": name, "times": run.times.get(name), **vars(counts)}
        for scenario, run in found.items()
        for name, counts in {**run.counts, "unmarked": run.unmarked}.items()
    ]
    return pl.DataFrame(rows, schema_overrides={"times": pl.Float64})
