# SPDX-License-Identifier: MIT
"""Build what counts: the firmware for a RISC-V, and the plugin of QEMU that counts its instructions."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from sunstar.errors import FileError, MissingExecutableError, RunError
from sunstar.places import project
from sunstar.programs import run_program
from sunstar.progress import in_parallel_with_progress

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
    """What the firmware is made of: all of it but traces, lists and what makes them, which need compiled libraries."""
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
        top / "models" / "core" / "words.cpp",
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
