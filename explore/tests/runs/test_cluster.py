# SPDX-License-Identifier: MIT
"""Sweeps on a Dask cluster: a real scheduler and workers, each a process of its own on this computer."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest
from conftest import Sunstar, within_seconds

from sunstar.runs import cluster as cluster_module

RUNS = 200
PATIENCE_S = 60


@dataclass
class Cluster:
    """Processes of Dask, by the order of their start."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            command = [sys.executable, "-m", "dask", *arguments]
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        self.processes.append(process)
        return process

    def scheduler(self) -> tuple[subprocess.Popen[bytes], str]:
        """A scheduler and its address."""
        place = self.folder / f"scheduler{len(self.processes)}.json"
        process = self.start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(place)
        )
        assert within_seconds(PATIENCE_S, lambda: place.exists() and place.stat().st_size > 0)
        address = json.loads(place.read_text())["address"]
        assert isinstance(address, str)
        return process, address

    def worker(self, address: str) -> subprocess.Popen[bytes]:
        return self.start("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "dask").mkdir()
    made = Cluster(tmp_path / "dask")
    yield made
    for process in made.processes:
        process.kill()
        process.wait()


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    tiny = {"workload.warm_up": 0, "workload.measured": 2000}
    path = tmp_path / "tiny.json"
    seeds = list(range(RUNS))
    path.write_text(
        json.dumps({"platform": "network", "parameters": {"list": [tiny]}, "repetitions": {"seeds": seeds}})
    )
    return path


def finished(results: Path) -> int:
    """How many runs the store has, asked for from outside."""
    try:
        with closing(sqlite3.connect(f"file:{results / 'runs.sqlite'}?mode=ro", uri=True)) as database:
            (number,) = database.execute("SELECT count(*) FROM runs").fetchone()
    except sqlite3.OperationalError:  # it is not there yet
        return 0
    return int(number)


def start(spec: Path, address: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from sunstar.cli import app; app()", "sweep", str(spec), "--scheduler", address]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)


def when(holds: Callable[[], bool]) -> None:
    assert within_seconds(PATIENCE_S, holds)


@pytest.mark.slow
def test_a_sweep_survives_the_death_of_a_worker_and_of_the_scheduler(
    cluster: Cluster, spec: Path, results: Path, sunstar: Sunstar
) -> None:
    scheduler, address = cluster.scheduler()
    first = cluster.worker(address)
    cluster.worker(address)
    sweep = start(spec, address)
    when(lambda: finished(results) >= RUNS // 10)
    first.send_signal(signal.SIGKILL)
    before = finished(results)
    when(lambda: finished(results) >= before + RUNS // 10)  # the other worker goes on
    scheduler.send_signal(signal.SIGKILL)
    _, said = sweep.communicate(timeout=PATIENCE_S)
    assert sweep.returncode == 3
    assert "has gone; nothing that was finished is lost" in said
    kept = finished(results)
    assert before + RUNS // 10 <= kept < RUNS

    _, address = cluster.scheduler()
    cluster.worker(address)
    sweep = start(spec, address)
    printed, said = sweep.communicate(timeout=2 * PATIENCE_S)
    assert sweep.returncode == 0, said
    assert f"tiny: {kept} of {RUNS} runs were finished before" in printed
    table = pl.read_parquet(results / "sweeps" / "tiny" / "runs.parquet")
    assert table["result.verified"].to_list() == [True] * RUNS
    # The same sweep on this computer has nothing left to do.
    assert f"{RUNS} of {RUNS} runs were finished before" in sunstar("sweep", str(spec)).stdout


def test_without_a_scheduler_the_sweep_says_so(spec: Path, sunstar: Sunstar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE_S", 1)
    done = sunstar("sweep", str(spec), "--scheduler", "tcp://127.0.0.1:1")
    assert done.exit_code == 3
    assert "there is no Dask scheduler at tcp://127.0.0.1:1" in done.stderr
