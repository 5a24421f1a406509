# SPDX-License-Identifier: MIT
"""Runs over time: what is drawn of them, and that each report and drawing of a machine shows it."""

import json
import re
from pathlib import Path

import pytest
from conftest import Sunstar

from sunstar.drawing import HEIGHT, as_svg, rates
from sunstar.places import executable
from sunstar.programs import run_program

OVER_TIME = {
    "interval_s": 0.5,
    "moved_bytes": [2**20, 0, 2**19],
    "lost_bytes": [0, 0, 0],
    "written_bytes": [0, 2**21, 0],
    "queued": [1.0, 2.5, 0.0],
}


def test_rates_are_of_what_there_was_any_of() -> None:
    assert rates(OVER_TIME) == {"moved": [2.0, 0.0, 1.0], "written": [0.0, 4.0, 0.0]}


def test_the_drawing_is_the_same_each_time() -> None:
    drawn = as_svg(OVER_TIME)
    assert drawn.startswith("<svg") and "written by drives" in drawn and "reported lost" not in drawn
    assert drawn == as_svg(OVER_TIME)


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """That of a run with intervals."""
    file = tmp_path / "run.json"
    sets = ("--set", "workload.file_size=256KiB", "--set", "run.interval=10ms", "--trials", "1")
    assert run_program([str(executable("torus")), "--quiet", *sets, "--output", str(file)]).returncode == 0
    return file


def test_every_page_of_a_run_shows_it_over_time(result: Path, sunstar: Sunstar, tmp_path: Path) -> None:
    page, figures = tmp_path / "page.html", tmp_path / "figures"
    for command in (("report", str(result), "--figures", str(figures)), ("show", str(result))):
        assert sunstar(*command, "--output", str(page)).exit_code == 0
        assert "<h2>Over time</h2>" in page.read_text() and "requests waiting" in page.read_text()
    assert (figures / "over-time-run.png").exists()
    document = json.loads(result.read_text())
    del document["over_time"]
    result.write_text(json.dumps(document))
    for name in ("report", "show"):
        assert sunstar(name, str(result), "--output", str(page)).exit_code == 0
        assert "Over time" not in page.read_text()


def test_a_still_drawing_has_it_below_the_machine(result: Path, sunstar: Sunstar, tmp_path: Path) -> None:
    heights = []
    for config in (str(result), "torus"):
        still = tmp_path / "still.svg"
        assert sunstar("show", config, "--output", str(still)).exit_code == 0
        match = re.search(r'height="([\d.]+)pt"', still.read_text())
        assert match
        heights.append(float(match[1]))
    assert heights[0] == pytest.approx(heights[1] + 72 * HEIGHT, abs=1)
