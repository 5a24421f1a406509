#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares two builds of Sunstar figure by figure, over some 90 configurations: all file systems, machines and network
models, mixed machines, drives, traces and synthetic traffic; and every kind of recording of some 20 small ones.

usage: scripts/compare_builds.py OLD_BIN NEW_BIN [--set PATH=VALUE...] [--work FOLDER] [--only NAME...]

OLD_BIN and NEW_BIN hold the executables, as build/release/bin does. Every result, trial and statistic of the old
build must be in the new one with the same value, and the explanations, too, where a run is explained. It does not
compare what the host spent or the echo of the configuration. With --set, machines of the new build have these settings
beside their own: `scripts/compare_builds.py BIN BIN --set run.data=bytes` compares a build with itself. Wave files,
timelines and logs must be the same, byte for byte, but for the settings that a wave file names in its beginning.
MOVED_FIGURES lists keys that moved, with their new places. Exit code 0 if all agree, 1 if not.

It takes traces from $SUNSTAR_SHARED or ../shared. If there are none, it says so and leaves them out.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[1]

MOVED_FIGURES = [
    (r"^trials/(\d+)/throughput_mib_per_s$", r"trials/\1/throughput/mib_per_s"),
    (r"^trials/(\d+)/medium_mib_per_s$", r"trials/\1/throughput/medium_mib_per_s"),
    (r"/trace/read/", "/trace/lines_read/"),
]
"""The old path of a key, as a regular expression, and its new place."""

NOT_COMPARED = {"host", "config", "version", "platform", "description", "span", "verification"}
"""What the host spent, the echo of the configuration, explanations in words, and how bytes were checked."""


Figures = dict[str, Any]
Run = tuple[str, list[str]]
"""A program and its arguments."""


def figures(value: Any, path: str = "") -> Figures:  # noqa: ANN401  whatever JSON holds
    """All single figures of a result document, by path."""
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


class Case:
    """A configuration as both builds spell it: the program and its arguments."""

    def __init__(self, name: str, old: Run, new: Run, records: Sequence[str] = ()) -> None:
        self.name, self.old, self.new = name, old, new
        self.records = list(records)
        """Options that record the run; RECORDING.x stands for a file."""


def sets(*settings: str) -> list[str]:
    return [word for s in settings for word in ("--set", s)]


def same(name: str, program: str, *settings: str, trials: int = 1) -> Case:
    """A configuration that both builds spell alike."""
    arguments = sets(*settings) + (["--trials", str(trials)] if trials > 1 else [])
    return Case(name, (program, arguments), (program, arguments))


def torus(name: str, *settings: str, trials: int = 1) -> Case:
    return same(name, "torus", *settings, trials=trials)


def other_machines() -> list[Case]:
    """Every file system on the SP-2 and on the cluster, and networks alone."""
    w, f, n = "workload.", "file_system.", "machine.network."
    small = [w + "kind=pattern", w + "file_size=256KiB"]
    few = ["machine.compute_processors=4", "machine.io_processors=4", "machine.disks=4"]
    made = []
    for program in ("sp2", "cluster"):
        machine = [*few, "machine.combined=0"]
        for kind in ("traditional-caching", "disk-directed", "enwrich", "two-phase", "hybrid", "galley", "pvfs"):
            pattern = w + ("pattern=wcc" if kind == "enwrich" else "pattern=rcc")
            settings = [*machine, f"{f}kind={kind}", *small, pattern, w + "record_size=2KiB"]
            made.append(same(f"{program}-{kind}", program, *settings))
        streams = [w + "kind=streams", w + "message_size=8KiB", w + "bytes=64KiB"]
        made.append(same(f"{program}-streams", program, *machine, *streams))
    forks = [*few, w + "fork_size=64KiB", w + "record_size=1KiB"]
    made += [
        same("sp2-forks", "sp2", *forks),
        same("sp2-forks-strided", "sp2", *forks, w + "pattern=interleaved", w + "interface=strided"),
        same("cluster-sharing", "cluster", w + "file_size=1MiB", w + "bytes=1MiB", trials=2),
        same("cluster-switch", "cluster", n + "medium=switch", w + "bytes=1MiB", w + "instances=2"),
        same("network-uniform", "network", w + "load=0.2", w + "measured=5000"),
        same("network-flit", "network", n + "model=flit", w + "pattern=tornado", n + "shape=4x4", w + "measured=5000"),
        same("network-mesh", "network", n + "topology=mesh", w + "pattern=hotspot", w + "hotspot=7"),
        same("network-long", "network", n + "shape=[3,4,2]", w + "packet_flits=64", w + "load=0.7"),
    ]
    return made


def recordings() -> list[Case]:
    """Every kind of recording, of every program and every file system."""
    w, m = "workload.", "machine."
    few = [m + "compute_processors=4", m + "io_processors=2", m + "disks=4"]
    small = [*few, w + "kind=pattern", w + "file_size=256KiB", w + "record_size=2KiB"]
    pvfs = "file_system.kind=pvfs"
    runs = {
        f"{short}-{pattern}": (
            "torus",
            [*small, m + "network.shape=[3,2]", f"file_system.kind={kind}", f"{w}pattern={pattern}"],
        )
        for short, kind, pattern in (
            ("tc", "traditional-caching", "rcc"),
            ("tc", "traditional-caching", "wcc"),
            ("dd", "disk-directed", "wbc"),
            ("ew", "enwrich", "wcc"),
            ("2p", "two-phase", "rcc"),
            ("hybrid", "hybrid", "rbc"),
            ("galley", "galley", "wcc"),
            ("pvfs", "pvfs", "rcc"),
        )
    }
    runs["flit"] = ("torus", [*small, m + "network.shape=[3,2]", m + "network.model=flit", w + "pattern=rbb"])
    runs["drive"] = ("torus", [*small, m + "network.shape=[3,2]", m + "disk=atlas10k", w + "pattern=wb"])
    runs["sp2"] = ("sp2", [*few, m + "combined=0", *small[3:], w + "pattern=rcc"])
    runs["sp2-galley"] = ("sp2", [*few, w + "fork_size=64KiB", w + "record_size=1KiB"])
    runs["cluster"] = ("cluster", [*few, m + "combined=0", *small[3:], pvfs, w + "pattern=wcc"])
    runs["cluster-hub"] = ("cluster", [w + "file_size=256KiB", w + "bytes=256KiB"])
    runs["network"] = ("network", [w + "load=0.2", w + "measured=2000"])
    runs["network-flit"] = ("network", [m + "network.model=flit", m + "network.shape=4x4", w + "measured=2000"])
    runs["disk"] = ("disk", [w + "size=8KiB", w + "requests=500"])
    runs["disk-atlas10k"] = ("disk", [m + "disk=atlas10k", w + "size=64KiB", w + "requests=500"])
    log = ["--log", "RECORDING.log", "--log-level"]
    kinds = {
        "info": [*log, "info"],
        "debug": [*log, "debug"],
        "trace": [*log, "trace"],
        "vcd": ["--vcd", "RECORDING.vcd"],
        "timeline": ["--timeline", "RECORDING.json"],
        "explain": ["--explain"],
        "all": [*log, "trace", "--vcd", "RECORDING.vcd", "--timeline", "RECORDING.json", "--explain"],
        "window": [
            *log,
            "debug",
            "--log-window",
            "5ms,20ms",
            "--timeline",
            "RECORDING.json",
            "--timeline-scope",
            "iop*",
        ],
    }
    if shutil.which("vcd2fst"):
        kinds["fst"] = ["--vcd", "RECORDING.fst"]
    made = []
    for name, (program, settings) in runs.items():
        for kind, records in kinds.items():
            if kind == "window" and program in ("network", "disk"):
                continue
            run = (program, sets(*settings))
            made.append(Case(f"recorded-{name}-{kind}", run, run, records))
    return made


def traffic(name: str, *settings: str, trials: int = 1) -> Case:
    return same(name, "network", *settings, trials=trials)


def cases() -> list[Case]:
    kinds = {"tc": "traditional-caching", "dd": "disk-directed", "ew": "enwrich"}
    fs = {short: f"file_system.kind={kind}" for short, kind in kinds.items()}
    w, f, m = "workload.", "file_system.", "machine."
    small = w + "file_size=1MiB"
    all_cases = []
    for short in ("tc", "dd"):
        for pattern, record in (("rb", "8KiB"), ("rcc", "512B"), ("ra", "8KiB"), ("wn", "8KiB"), ("wcc", "1KiB")):
            settings = (fs[short], f"{w}pattern={pattern}", f"{w}record_size={record}", f"{w}file_size=2MiB")
            all_cases.append(torus(f"{short}-{pattern}-{record}", *settings))
        for pattern in ("rc", "wc"):
            all_cases.append(
                torus(f"{short}-{pattern}-8", fs[short], f"{w}pattern={pattern}", f"{w}record_size=8B", small)
            )
    random_blocks, record_2k = f + "layout=random-blocks", w + "record_size=2KiB"
    all_cases += [
        torus("dd-unsorted", fs["dd"], f + "presort=false", random_blocks, w + "pattern=wc", small),
        torus("tc-random", fs["tc"], random_blocks, w + "pattern=rbc", trials=3),
        torus("dd-random-tracks", fs["dd"], f + "layout=random-tracks", w + "pattern=wbn", trials=3),
        torus("tc-no-prefetch", fs["tc"], f + "cache.prefetch=false", w + "pattern=rnb", small),
        torus(
            "tc-one-buffer",
            fs["tc"],
            f + "cache.buffers_per_cp_per_disk=1",
            f + "queue_order=shortest-seek-first",
            random_blocks,
            w + "pattern=wcb",
            small,
        ),
        torus("tc-cscan", fs["tc"], f + "queue_order=cyclical-scan", random_blocks, w + "pattern=rcn", small),
        torus("dd-4-buffers", fs["dd"], f + "buffers_per_disk=4", w + "pattern=rcb", small),
        torus("dd-blocks-4k", fs["dd"], f + "block_size=4KiB", w + "pattern=wcb", small),
    ]
    for pattern, record, size in (
        ("wnb", "8KiB", "32MiB"),
        ("wbn", "512B", "32MiB"),
        ("wss", "512B", "32MiB"),
        ("wrnncc", "512B", "32MiB"),
        ("wpnbbn", "8KiB", "32MiB"),
        ("wcc", "8B", "1MiB"),
    ):
        settings = (fs["ew"], f"{w}pattern={pattern}", f"{w}record_size={record}", f"{w}file_size={size}")
        all_cases.append(torus(f"ew-{pattern}-{record}", *settings))
    e = f + "enwrich."
    wbb32 = (w + "pattern=wbb", w + "file_size=32MiB")
    all_cases += [
        torus(
            "ew-gather-shared",
            fs["ew"],
            e + "gather=true",
            e + "division=shared",
            w + "pattern=wcc",
            w + "record_size=512B",
            w + "file_size=16MiB",
        ),
        torus("ew-background", fs["ew"], e + "background=true", e + "flush_threshold=0.5", *wbb32),
        torus("ew-timeout", fs["ew"], e + "flush_timeout=50ms", *wbb32),
        torus(
            "ew-early-fetched",
            fs["ew"],
            e + "early_directories=true",
            e + "done_when=fetched",
            f + "buffers_per_disk=16",
            *wbb32,
            trials=2,
        ),
        torus("ew-random", fs["ew"], random_blocks, w + "pattern=wrbccb", w + "file_size=32MiB"),
        torus("ew-read", fs["ew"], w + "pattern=rb", small),
        torus("ew-stop", fs["ew"], 'faults=[{"compute_processor":3,"at":"100ms"}]', *wbb32),
    ]
    flit = m + "network.model=flit"
    for short, pattern in (("tc", "rcc"), ("dd", "rcc"), ("ew", "wcc")):
        all_cases.append(torus(f"flit-{short}", fs[short], flit, f"{w}pattern={pattern}", record_2k, small))
    all_cases += [
        torus(
            "flit-small",
            fs["tc"],
            flit,
            m + "compute_processors=4",
            m + "io_processors=2",
            m + "disks=4",
            m + "network.shape=[3,2]",
            w + "pattern=rc",
            w + "record_size=64B",
            w + "file_size=64KiB",
        ),
        torus("mesh", fs["dd"], m + "network.topology=mesh", m + "network.shape=[4,3,3]", w + "pattern=rbb"),
        torus("few-iops", fs["tc"], m + "io_processors=4", m + "disks=12", w + "pattern=rb", small),
        torus("one-bus", fs["dd"], m + "io_processors=1", m + "disks=32", w + "pattern=rb", small),
        torus("alternating", fs["tc"], m + "placement=alternating", w + "pattern=wbc", small),
        torus("random-placement", fs["tc"], m + "placement=random", w + "pattern=rbc", small, trials=2),
        torus(
            "synchronised",
            fs["dd"],
            m + "spindles=synchronised",
            m + "first_cylinder=random",
            w + "pattern=rb",
            trials=2,
        ),
        torus(
            "no-variation",
            fs["tc"],
            m + "network.timing_variation=0ns",
            m + "node.clock_variation=0",
            w + "start_spread=20us",
            w + "pattern=rc",
            small,
        ),
    ]
    for drive in ("hp_c2247a", "barracuda", "cheetah4LP", "atlas10k", "dec_rz26"):
        all_cases.append(torus("drive-" + drive, fs["tc"], f"{m}disk={drive}", w + "pattern=wb"))
    for example in ("mixed", "checkpoint"):
        for short in fs:
            arguments = ["--config", str(TOP / f"platforms/torus/examples/{example}.json"), *sets(fs[short])]
            all_cases.append(Case(f"{example}-{short}", ("torus", arguments), ("torus", arguments)))
    shared = Path(os.environ.get("SUNSTAR_SHARED") or TOP.parent / "shared") / "traces"
    traces = sorted(shared.glob("*mpi-io*.csv*"))
    if not traces:
        print(f"no traces in {shared}: left out", file=sys.stderr)
    for trace in traces:
        for short in ("tc", "dd"):
            settings = (fs[short], w + "kind=trace", f"{w}trace={trace}", w + "scale=0.2", w + "pacing=think-times")
            all_cases.append(torus(f"trace-{trace.name}-{short}", *settings))
    for model in ("worm", "flit"):
        all_cases += [
            traffic(f"traffic-{model}", f"{m}network.model={model}", w + "load=0.2", w + "measured=20000"),
            traffic(
                f"hotspot-{model}",
                f"{m}network.model={model}",
                w + "pattern=hotspot",
                w + "hotspot=5",
                w + "load=0.1",
                w + "measured=20000",
                trials=2,
            ),
        ]
    all_cases += [
        traffic(
            "traffic-mesh",
            flit,
            m + "network.topology=mesh",
            w + "pattern=transpose",
            w + "load=0.3",
            w + "measured=10000",
        ),
        traffic("traffic-saturated", flit, w + "load=0.9", w + "measured=10000"),
    ]
    all_cases += other_machines()
    for drive in ("hp_c2247a", "atlas10k"):
        arguments = sets(f"{m}disk={drive}", w + "size=8KiB", w + "requests=3000")
        all_cases.append(Case("disk-" + drive, ("disk", arguments), ("disk", arguments)))
    return all_cases + recordings()


def result(folder: Path, output: Path, run: Run, records: Sequence[str]) -> Figures | str:
    """The figures of a run or, if it failed, its message. Its recordings get the output's name."""
    program, arguments = run
    words = [word.replace("RECORDING", str(output.with_suffix(""))) for word in records]
    done = subprocess.run(
        [folder / f"sunstar-{program}", "--quiet", "--output", output, *arguments, *words],
        capture_output=True,
        text=True,
        check=False,
    )
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
        place = path
        for pattern, replacement in MOVED_FIGURES:
            place = re.sub(pattern, replacement, place)
        if place not in new:
            said.append(f"{place} is not there any more")
        elif new[place] != value:
            said.append(f"{place}: {value} was, {new[place]} is")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--set", action="append", default=[], help="a setting of the new build's machines")
    parser.add_argument("--work", type=Path, help="folder for the results; a temporary one without")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of configurations")
    options = parser.parse_args()
    chosen = [c for c in cases() if not options.only or any(part in c.name for part in options.only)]
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count()) as pool:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)

        def both(case: Case) -> tuple[Figures | str, list[str]]:
            old = result(options.old, work / f"{case.name}.old.result", case.old, case.records)
            program, arguments = case.new
            if program not in ("network", "disk"):
                arguments = [*arguments, *sets(*options.set)]
            new = result(options.new, work / f"{case.name}.new.result", (program, arguments), case.records)
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
