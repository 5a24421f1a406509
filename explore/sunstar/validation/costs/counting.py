# SPDX-License-Identifier: MIT
"""Build the firmware for a RISC-V and QEMU's plugin; run it, and count how often it carried out each primitive and the
instructions that this took."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked
from rich.console import Console

from sunstar.console import in_parallel_with_progress
from sunstar.errors import FileError, MissingExecutableError, RunError
from sunstar.places import project
from sunstar.programs import run_program

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
    """The firmware's sources: all but traces, lists and their makers, which need compiled libraries."""
    top = project()
    work = top / "sw" / "workload"
    registry = top / "sw" / "registry"
    traces = {
        registry / "workloads.cpp",
        registry / "jobs_workload.cpp",
        *(work / "trace").iterdir(),
        *(work / "subset").iterdir(),
    }
    own = [top / "tests" / "counting" / name for name in ("firmware.cpp", "heap.cpp", "machine.cpp")]
    return [path for path in sorted((top / "sw").rglob("*.cpp")) if path not in traces] + [
        top / "models" / "core" / "message_text.cpp",
        *own,
    ]


def newest_change() -> float:
    """When any file was last changed that the firmware or the plugin may include."""
    folders = ("sw", "models/core", "models/node", "tests/counting", "tests/support")
    files = [path for folder in folders for path in (project() / folder).rglob("*") if path.is_file()]
    return max(path.stat().st_mtime for path in files)


def build(out: Console, jobs: int) -> Built:
    """Builds both in build/counting, unless they are newer than all sources."""
    check_tools()
    folder = made(project() / "build" / "counting")
    built = Built(folder / "firmware", folder / "plugin.so")
    if all(path.exists() and path.stat().st_mtime > newest_change() for path in (built.firmware, built.plugin)):
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
    cross = (*launcher(), "riscv64-linux-gnu-g++", *OPTIONS, "-DNDEBUG", "-DSUNSTAR_COUNTING")
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


def launcher() -> tuple[str, ...]:
    """The compiler cache, if there is one. It sees paths from the project's folder on, and so serves every clone."""
    return ("env", f"CCACHE_BASEDIR={project()}", "ccache") if shutil.which("ccache") else ()


def call(command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Calls a program and returns what it prints; a RunError with its own words if it fails."""
    done = run_program(command, cwd=cwd, env=env)
    if done.returncode != 0:
        shown = " ".join(command)
        raise RunError(f"{done.stderr.strip()}\n({shown} ended with exit code {done.returncode})", done.returncode)
    return done.stdout


# Counting -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scenario:
    """One run of the counting program."""

    file_system: str
    pattern: str
    record_bytes: int
    file_bytes: int
    gather: bool = False
    only: str = ""
    """The one primitive that it counts for, where the other code carries no marks; every primitive if empty."""

    def __str__(self) -> str:
        return f"{self.file_system} {self.pattern} {self.record_bytes}{' gather' if self.gather else ''}"

    def arguments(self) -> list[str]:
        words = [self.file_system, self.pattern, str(self.record_bytes), str(self.file_bytes)]
        return [*words, "gather"] if self.gather else words


SMALL, LARGE = 256 << 10, 2 << 20
SCENARIOS = (
    *(Scenario("traditional-caching", pattern, 8, SMALL) for pattern in ("rc", "wc", "rcc")),
    # Of these files, the caches hold half.
    *(Scenario("traditional-caching", pattern, 8192, LARGE) for pattern in ("rc", "wc")),
    *(Scenario("disk-directed", pattern, 8, SMALL) for pattern in ("rc", "wc", "rcc", "wcc")),
    Scenario("enwrich", "wc", 8, SMALL),
    *(Scenario("disk-directed", pattern, 8, SMALL, gather=True) for pattern in ("rcc", "wcc")),
    Scenario("two-phase", "rcc", 8, SMALL),
    *(Scenario("disk-directed", pattern, 8, SMALL) for pattern in ("by-cyclic", "by-hash", "by-range")),
    *(Scenario("galley", pattern, 64, LARGE, only="chunk") for pattern in ("strided-read", "strided-write")),
)


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
    """A primitive as the counting program prints it."""

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

    def only(self, primitive: str) -> "Counted":
        """What was counted for one primitive."""
        times = {name: each if name == primitive else 0 for name, each in self.times.items()}
        counts = {name: each if name == primitive else Counts() for name, each in self.counts.items()}
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
    """A configuration that gives a machine these costs."""
    return {"schema": "sunstar/1", "machine": {"costs": dict(cycles)}}
