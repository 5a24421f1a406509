# SPDX-License-Identifier: MIT
"""sunstar goodput: simulated failures beside the closed forms, and what a result says about checkpoints."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Sunstar
from recorded import machine_document

from sunstar.feeding.goodput import Losses

CHEAP = Losses(stall=10, restart=60, behind=0, between=100_000)
"""A stall is a ten-thousandth of the time between failures, as the closed forms assume."""
OPTIONS = ("--stall", "30s", "--restart", "5min", "--nodes", "512", "--mtbf", "5y")


def test_the_simulation_is_within_5_percent_of_the_closed_form_where_its_assumptions_hold() -> None:
    rows = CHEAP.rows(seed=1)
    for row in rows:
        assert 1 - row.goodput == pytest.approx(1 - row.formula, rel=0.05), row
    named = {row.name: row for row in rows if row.name}
    assert named["best"].interval_s == pytest.approx(named["Daly"].interval_s, rel=0.05)
    # sqrt(2 x 10 s x 100,000 s) = 1414 s; Daly's further terms add 3.3 s, and 10 s are the stall's own
    assert named["Young"].interval_s == pytest.approx(1414.2, abs=0.1)
    assert named["Daly"].interval_s == pytest.approx(1414.2 * (1 + 50e-6**0.5 / 3) - 10, abs=0.1)


def test_a_checkpoint_that_is_safe_late_loses_the_interval_before_it_more_often() -> None:
    late = Losses(CHEAP.stall, CHEAP.restart, 500, CHEAP.between).row(1400, 1)
    # A failure finds one of 100,000 / 1410 periods within the 500 s in which only the checkpoint before it is safe.
    assert CHEAP.row(1400, 1).goodput - late.goodput == pytest.approx(500 / 100_000, rel=0.1)


def test_a_restart_as_long_as_the_time_between_failures_leaves_a_part_by_the_exponential_law() -> None:
    row = Losses(stall=1, restart=1000, behind=0, between=1000).row(10, 1)
    assert row.goodput == pytest.approx(0.368 * 10 / 11, rel=0.05)  # e^-1 of the time, without stalls
    assert row.goodput == pytest.approx(row.formula, rel=0.02)


def test_the_command_prints_the_best_interval_and_keeps_all_points(sunstar: Sunstar, results: Path) -> None:
    done = sunstar("goodput", *OPTIONS)
    assert done.exit_code == 0, done.output
    assert "A node fails every 3.57 d; a checkpoint every 71" in done.stdout
    assert all(name in done.stdout for name in ("Young", "Daly", "best"))
    table = pl.read_parquet(results / "goodput" / "points.parquet")
    assert table.columns == ["interval_s", "goodput", "half", "formula", "name"]
    assert (results / "goodput" / "goodput.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((results / "goodput" / "points.json").read_text()) == table.to_dicts()
    assert "Warning" not in done.stderr + sunstar("goodput", *OPTIONS).stderr
    assert "goodput/points.json and the files beside it were" in sunstar("goodput", *OPTIONS, "--seed", "2").stderr


def result(folder: Path, training: dict[str, Any]) -> str:
    path = folder / "result.json"
    config = {"machine": {"compute_processors": 512}, "workload": {"kind": "training"}}
    path.write_text(json.dumps(machine_document(1.0, config=config, training=training)))
    return str(path)


def test_a_result_says_what_its_checkpoints_cost(sunstar: Sunstar, tmp_path: Path) -> None:
    measured = {"checkpoint": {"count": 3, "stall_s": 30.0, "write_s": 20.0, "restart_s": 300.0}}
    told = sunstar("goodput", result(tmp_path, measured))
    assert told.exit_code == 0, told.output
    assert told.stdout == sunstar("goodput", *OPTIONS).stdout


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--restart", "5min"], 2, "no result is given, so --stall must be there"),
        (["--stall", "30", "--restart", "5s"], 2, "--stall 30: it must be a number with one of ms, s"),
        (["--stall", "30s", "--restart", "5 parsecs"], 2, "--restart 5 parsecs: it must be a number with one of ms, s"),
        (["--stall", "0s", "--restart", "5s"], 2, "--stall 0s: it must be"),
        (["--stall", "2h", "--restart", "5s", "--mtbf", "1h"], 2, "a stall of 2 h and a restart of 5 s must together"),
        (["none.json"], 3, "cannot read none.json"),
    ],
)
def test_mistakes_are_told_in_a_sentence(words: list[str], code: int, sentence: str, sunstar: Sunstar) -> None:
    done = sunstar("goodput", *words)
    assert (done.exit_code, sentence in done.stderr) == (code, True), done.output


def test_a_result_without_checkpoints_needs_options(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("goodput", result(tmp_path, {"steps": 4}))
    assert (done.exit_code, "so --stall and --restart must be there" in done.stderr) == (2, True), done.output
