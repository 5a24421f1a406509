# SPDX-License-Identifier: MIT
"""sunstar trace responses: figures of both distributions, and the picture."""

import json
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from typer.testing import CliRunner

from sunstar.cli import app

RECORDS = "kind,lbn,sectors,issued_ns,response_ns,measured_ns\n"


def test_figures_of_reads_and_writes_and_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    titles = []
    monkeypatch.setattr(Axes, "set_title", lambda _, title: titles.append(title))
    lines = [f"{'RW'[i % 2]},0,8,0,{1e6 * (i + 1)},{2e6 * (i + 1) if i % 2 == 0 else ''}" for i in range(10)]
    (tmp_path / "records.csv").write_text(RECORDS + "\n".join(lines) + "\n")
    words = ["trace", "responses", str(tmp_path / "records.csv"), "--output", str(tmp_path / "both.png"), "--json"]
    done = CliRunner().invoke(app, words)
    found = json.loads(done.stdout)
    assert list(found) == [f"{n} {side}" for n in ("all", "reads", "writes") for side in ("simulated", "measured")]
    assert found["all simulated"] | {"mean": 5.5, "p50": 5, "p90": 9, "p99.9": 10, "max": 10} == found["all simulated"]
    assert found["reads measured"]["mean"] == 10  # of 2, 6, 10, 14, 18
    assert found["writes measured"] == {}
    assert (tmp_path / "both.png").stat().st_size > 1000
    assert titles == [f"Response times: {tmp_path / 'records.csv'}"]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    done = CliRunner().invoke(app, ["trace", "responses", str(tmp_path / "other.csv")])
    assert done.exit_code == 3
    assert "has no column kind, response_ns, measured_ns; it must be a run.records of sunstar-disk" in done.stderr
