# SPDX-License-Identifier: MIT
"""Sweeps that are killed at random moments (kill -9). Nothing that was finished is lost or made again, and nothing is
half written. A few kills here; `pytest --kills 200 explore/tests/runs/test_kill.py` makes more."""

import json
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import zlib
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest

from sunstar.places import executable

RUNS = 400
JOBS = 2
SWEEP = "import sys; from sunstar.cli import app; app()"


@dataclass
class Book:
    """What is known of the runs, from outside."""

    log: Path
    """A line for each start of a simulator: its seed."""
    store: Path
    read: int = 0
    finished: set[int] = field(default_factory=set)
    """The seeds that were in the store after the last kill."""
    repeated: int = 0

    def check(self) -> None:
        """After a kill: everything that was there is there, is whole, and has not been made again."""
        lines = self.log.read_text().split()
        started = [int(line) for line in lines[self.read :]]
        self.read = len(lines)
        assert not self.finished & set(started), "a finished run was made again"
        assert len(started) == len(set(started)), "a run was made twice"
        found = self.stored()
        assert self.finished <= found, "a finished run was lost"
        # A run that has started and is not in the store was under way, or on its way to the disk.
        self.repeated += len(set(started) - found)
        self.finished = found

    def stored(self) -> set[int]:
        if not self.store.exists():
            return set()
        with closing(sqlite3.connect(self.store, timeout=60)) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            tables = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'runs'").fetchone()
            rows = database.execute("SELECT exit_code, document FROM runs").fetchall() if tables[0] else []
        documents = [json.loads(zlib.decompress(document)) for exit_code, document in rows if exit_code == 0]
        assert len(documents) == len(rows)
        assert all(document["result"]["verified"] for document in documents)
        return {document["seed"] for document in documents}


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """sunstar-network, which also writes its seed into a file when it starts to run."""
    log, real = tmp_path / "log", executable("network")
    log.touch()
    program = tmp_path / "bin" / "sunstar-network"
    program.parent.mkdir()
    program.write_text(f"""#!/bin/sh
for word; do
  case $word in
    --print-points | --result-schema) exec {real} "$@" ;;
    run.seed=*) seed=${{word#run.seed=}} ;;
  esac
done
echo "$seed" >>{log}
exec {real} "$@"
""")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("SUNSTAR_BIN", str(program.parent))
    return log


def spec(folder: Path, first_seed: int) -> Path:
    path = folder / "killed.json"
    seeds = list(range(first_seed, first_seed + RUNS))
    tiny = {"workload.warm_up": 0, "workload.measured": 100}
    path.write_text(
        json.dumps({"platform": "network", "parameters": {"list": [tiny]}, "repetitions": {"seeds": seeds}})
    )
    return path


def start(spec: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", SWEEP, "sweep", str(spec), "--jobs", str(JOBS)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ)


@pytest.mark.slow
def test_a_sweep_that_is_killed_loses_nothing_and_repeats_nothing(
    counted: Path, tmp_path: Path, results: Path, kills: int
) -> None:
    chance = random.Random(kills)
    book = Book(counted, results / "runs.sqlite")
    killed = sweeps = 0
    while killed < kills or sweeps == 0:
        path = spec(tmp_path, sweeps * RUNS)
        process = start(path)
        begun = len(counted.read_text().split())
        if killed < kills:
            at_once = chance.random() < 0.1  # otherwise while simulators run
            while not at_once and process.poll() is None and len(counted.read_text().split()) == begun:
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 1.5))
            process.send_signal(signal.SIGKILL)
        code = process.wait(timeout=300)
        said = process.stderr.read().decode() if process.stderr else ""
        time.sleep(0.1)  # what it has started ends by itself
        book.check()
        if code == -signal.SIGKILL:
            killed += 1
            continue
        assert code == 0, said
        sweeps += 1
        table = pl.read_parquet(results / "sweeps" / "killed" / "runs.parquet")
        assert table.height == RUNS
        assert table["result.verified"].all()
    print(
        f"{killed} kills, {sweeps} sweeps of {RUNS} runs ended, {len(book.finished)} runs in the store, "
        f"{book.repeated} runs were under way when killed and were made again"
    )
    assert book.repeated <= 2 * JOBS * (killed + 1)
