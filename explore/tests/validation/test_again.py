# SPDX-License-Identifier: MIT
"""Validation that is called again goes on where it ended: it makes no run twice."""

import re
from pathlib import Path

import polars as pl
from conftest import Sunstar

CURVE = ("validate", "network", "--only", "curves", "--curve", "static, tornado, L=1, B=8")


def finished_before(printed: str) -> list[tuple[int, int]]:
    return [(int(n), int(of)) for n, of in re.findall(r"(\d+) of (\d+) runs were finished before", printed)]


def test_a_second_validation_of_the_network_makes_no_run(sunstar: Sunstar, results: Path) -> None:
    first, second = sunstar(*CURVE), sunstar(*CURVE)
    assert first.exit_code == second.exit_code == 0, first.output
    assert finished_before(first.output) == []
    ((before, of),) = finished_before(second.output)
    assert before == of > 0
    assert pl.read_csv(results / "validation" / "network" / "curves.csv").height == of


def test_a_second_validation_of_a_drive_makes_no_run_and_has_its_records(
    sunstar: Sunstar, tmp_path: Path, results: Path
) -> None:
    (tmp_path / "barracuda.trace").write_text("R x 100 8 12000.0 20000.0\nW x 9000 8 9000.0 20000.0\n")
    command = ("validate", "drives", "--traces", str(tmp_path), "--trials", "1")
    records = results / "drives" / "barracuda.csv"
    first = sunstar(*command)
    assert first.exit_code == 0, first.output
    written = records.read_bytes()
    records.unlink()
    second = sunstar(*command)
    assert finished_before(second.output) == [(1, 1)]
    assert records.read_bytes() == written
