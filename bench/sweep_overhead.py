#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a sweep costs beside its runs: the same tiny runs made by a sweep, and made by a bare loop that keeps nothing.

usage: python bench/sweep_overhead.py [RUNS [network|torus]]     10,000 runs of sunstar-network if left out
"""

import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sunstar import sweep
from sunstar.places import executable
from sunstar.programs import processors

TINY: dict[str, dict[str, Any]] = {
    "network": {"workload.warm_up": 0, "workload.measured": 100, "machine.network.shape": [2, 2]},
    "torus": {"workload.file_size": "128KiB"},
}


def bare(platform: str, runs: int) -> float:
    """Seconds for the command lines alone, as many at a time as there are processors; what they print is read and
    thrown away."""
    settings = [word for path, value in TINY[platform].items() for word in ("--set", f"{path}={value}")]
    command = [str(executable(platform)), *settings, "--quiet", "--output", "-"]

    def run(seed: int) -> None:
        subprocess.run([*command, "--set", f"run.seed={seed}"], capture_output=True, check=True)

    start = time.perf_counter()
    with ThreadPoolExecutor(processors()) as pool:
        list(pool.map(run, range(runs)))
    return time.perf_counter() - start


def swept(platform: str, runs: int, results: Path) -> float:
    """Seconds for the same runs in a sweep, its table included."""
    spec: dict[str, Any] = {
        "name": "overhead",
        "platform": platform,
        "parameters": {"list": [TINY[platform]]},
        "repetitions": {"seeds": list(range(runs))},
    }
    start = time.perf_counter()
    frame = sweep(spec, results=results).frame()
    assert frame.height == runs
    assert frame["exit_code"].sum() == 0
    return time.perf_counter() - start


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    platform = sys.argv[2] if len(sys.argv) > 2 else "network"
    with tempfile.TemporaryDirectory() as folder:
        alone = bare(platform, runs // 2)
        start = time.process_time()
        first, own = swept(platform, runs, Path(folder)), time.process_time() - start
        again = swept(platform, runs, Path(folder))
        alone += bare(platform, runs - runs // 2)  # half before and half after, in case the computer has other work
        size = (Path(folder) / "runs.sqlite").stat().st_size
    print(f"{runs} runs of sunstar-{platform}, {processors()} at a time")
    for title, seconds in (("a bare loop", alone), ("a sweep", first), ("the sweep again, nothing to run", again)):
        print(f"{title:<34}{seconds:8.1f} s {1e3 * seconds / runs:8.2f} ms a run")
    print(f"{'overhead':<34}{first - alone:8.1f} s {1e3 * (first - alone) / runs:8.2f} ms a run")
    print(f"{'processor time of the sweep itself':<34}{own:8.1f} s {1e3 * own / runs:8.2f} ms a run")
    print(f"store: {size / runs / 1024:.1f} KiB a run")


if __name__ == "__main__":
    main()
