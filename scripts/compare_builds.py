#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares two builds of Sunstar figure by figure, over some 90 configurations: all file systems, machines and network
models, mixed machines, drives, traces and synthetic traffic; and every kind of recording of some 20 small ones.

usage: scripts/compare_builds.py OLD_BIN NEW_BIN [--set PATH=VALUE...] [--both PATH=VALUE...] [--work FOLDER]
       [--only NAME...] [--figures]

OLD_BIN and NEW_BIN hold the executables, as build/release/bin does. Every result, trial and statistic of the old
build must be in the new one with the same value, and the explanations, too, where a run is explained. It does not
compare what the host spent or the echo of the configuration. With --set, machines of the new build have these settings
beside their own: `scripts/compare_builds.py BIN BIN --set run.data=bytes` compares a build with itself. With --both,
machines of both builds have these settings. Wave files, timelines and logs must be the same, byte for byte, but for the
settings that a wave file names in its beginning; with --figures, nothing is recorded.
Exit code 0 if all agree, 1 if not.

It takes traces from $SUNSTAR_SHARED or ../shared. If there are none, it says so and leaves them out.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

TOP = Path(__file__).resolve().parents[1]

NOT_COMPARED = {"host", "config", "version", "platform", "description", "span", "verification"}
"""What the host spent, the echo of the configuration, explanations in words, and how bytes were checked."""


Figures = dict[str, Any]
LISTED: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text())


def figures(value: Any, path: str = "") -> Figures:  # noqa: ANN401  whatever JSON holds
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    else:
        return {path: value}
    found: Figures = {}
    for key, inner in pairs:
        if key not in NOT_COMPARED:
            found.update(figures(inner, f"{path}/{key}" if path else str(key)))
    return found


class Case(NamedTuple):
    name: str
    program: str
    arguments: list[str]
    records: list[str]  # Options that record the run; RECORDING.x stands for a file


def sets(settings: Sequence[str]) -> list[str]:
    return [word for each in settings for word in ("--set", each)]


def case(name: str, line: str, records: str = "") -> Case:
    program, *words = shlex.split(line)
    arguments = [part for word in words for part in (["--set", word] if re.match(r"[a-z_.]+=", word) else [word])]
    return Case(name, program, arguments, shlex.split(records))


def cases() -> Iterator[Case]:
    yield from (case(name, line) for name, line in LISTED["configurations"].items())
    shared = Path(os.environ.get("SUNSTAR_SHARED") or TOP.parent / "shared") / "traces"
    traces = sorted(shared.glob("*mpi-io*.csv*"))
    if not traces:
        print(f"no traces in {shared}: left out", file=sys.stderr)
    for trace in traces:
        for short, line in LISTED["traces"].items():
            yield case(f"trace-{trace.name}-{short}", line.replace("TRACE", shlex.quote(str(trace))))
    for name, line in LISTED["recorded"].items():
        for kind, records in LISTED["recordings"].items():
            alone = kind == "window" and line.startswith(("network", "disk"))  # these have no such scope
            if not alone and (kind != "fst" or shutil.which("vcd2fst")):
                yield case(f"recorded-{name}-{kind}", line, records)


def result(folder: Path, output: Path, case: Case, more: Sequence[str] = ()) -> Figures | str:
    """The figures of a run or, if it failed, its message. Its recordings get the output's name."""
    words = [word.replace("RECORDING", str(output.with_suffix(""))) for word in case.records]
    command = [folder / f"sunstar-{case.program}", "--quiet", "--output", output, *case.arguments, *more, *words]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    return figures(json.loads(output.read_text())) if done.returncode == 0 else done.stderr.strip()


def recorded(file: Path) -> bytes:
    """What a file holds, less the date in an FST file's header and the settings in that of a VCD file."""
    held = bytearray(file.read_bytes())
    if file.suffix == ".fst":
        del held[202:321]
    elif file.suffix == ".vcd":
        return re.sub(rb"^set: .*\n", b"", bytes(held), flags=re.MULTILINE)
    return bytes(held)


def recordings_that_differ(work: Path, case: Case) -> list[str]:
    """Sentences about recordings of the case that are not the same in both builds."""
    said = []
    for word in case.records:
        if word.startswith("RECORDING"):
            old, new = (work / f"{case.name}.{build}{Path(word).suffix}" for build in ("old", "new"))
            if not (old.exists() and new.exists() and recorded(old) == recorded(new)):
                said.append(f"{old.name} and {new.name} differ")
            else:
                old.unlink()
                new.unlink()
    return said


def differences(old: Figures | str, new: Figures | str) -> list[str]:
    """Sentences about figures of the old build that are missing or different in the new one."""
    if isinstance(old, str) or isinstance(new, str):
        return (
            []
            if old == new
            else [f"old: {old if isinstance(old, str) else 'runs'}; new: {new if isinstance(new, str) else 'runs'}"]
        )
    said = []
    for path, value in old.items():
        if path not in new:
            said.append(f"{path} is not there any more")
        elif new[path] != value:
            said.append(f"{path}: {value} was, {new[path]} is")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--set", action="append", default=[], help="a setting of the new build's machines")
    parser.add_argument("--both", action="append", default=[], help="a setting of both builds' machines")
    parser.add_argument("--work", type=Path, help="folder for the results; a temporary one without")
    parser.add_argument("--figures", action="store_true", help="record nothing")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of configurations")
    options = parser.parse_args()
    listed = [c for c in cases() if not (options.figures and c.records)]
    chosen = [c for c in listed if not options.only or any(part in c.name for part in options.only)]
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count()) as pool:
        work = (options.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)

        def both(case: Case) -> tuple[Figures | str, list[str]]:
            machine = case.program not in ("network", "disk")
            every, more = (sets(options.both), sets(options.set)) if machine else ([], [])
            old = result(options.old.resolve(), work / f"{case.name}.old.result", case, every)
            new = result(options.new.resolve(), work / f"{case.name}.new.result", case, [*every, *more])
            return old, differences(old, new) + ([] if isinstance(old, str) else recordings_that_differ(work, case))

        compared = wrong = 0
        for case, (old, said) in zip(chosen, pool.map(both, chosen), strict=True):
            compared += 0 if isinstance(old, str) else len(old)
            wrong += bool(said)
            if said:
                print(f"{case.name}: {len(said)} differ: " + "; ".join(said[:3]))
    print(f"{len(chosen)} configurations, {compared} figures compared, {wrong} configurations differ")
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
