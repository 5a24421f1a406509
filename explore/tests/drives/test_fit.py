# SPDX-License-Identifier: MIT
"""sunstar fit: grids, distances, and drives that are found."""

import gzip
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Sunstar

from sunstar.drives import Drive, fitting, known
from sunstar.drives.fitting import Tool, distance, fitted, read_grid, require, simulated
from sunstar.errors import FileError
from sunstar.runs.simulator import Outcome, Point

HEAD = "r_idx,w_idx,offered_read_iops,offered_write_MBps,read_block_bytes,read_p50_us,read_p95_us,likely_saturated\n"
POINTS = [f"{i},0,{1000 * i},0,512,80,90,0\n" for i in range(1, 5)]


def grid(folder: Path, *lines: str) -> Path:
    path = folder / "mine.csv"
    path.write_text(HEAD + "".join(lines))
    return path


def test_a_grid_is_read_packed_or_not_without_its_first_column(tmp_path: Path) -> None:
    path = grid(tmp_path, "1,2,1000,40,512,80.5,,1\n", "0,2,50,40,512,80,90,0\n", POINTS[0])
    row = read_grid(path).row(0, named=True)
    assert row == {"w_idx": 2, "r_idx": 1, "read_iops": 1000, "write_MBps": 40, "read_bytes": 512, "saturated": 1} | {
        "measured_p50_us": 80.5,
        "measured_p95_us": None,
    }
    packed = tmp_path / "mine.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_grid(packed).equals(read_grid(path))


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["1,2,0,40,512,80,90,0\n"], "w_idx 2, r_idx 1: offered_read_iops is 0; it must be from 0.001 to 1e+09"),
        (["1,2,5,40,512,-8,90,0\n"], "w_idx 2, r_idx 1: read_p50_us is -8; it must be from 1e-06 to 1e+12"),
        (["1,2,x,40,512,80,90,0\n"], "line 2: offered_read_iops is 'x'; it must be a number"),
        (["0,0,1000,0,512,80,90,0\n"], "0 points have r_idx of at least 1, read_p50_us, read_p95_us, and likely_sat"),
        (POINTS[:3], "3 points have r_idx of at least 1, "),
    ],
)
def test_what_is_wrong_with_a_grid_is_named(tmp_path: Path, lines: list[str], sentence: str) -> None:
    path = grid(tmp_path, *lines)
    with pytest.raises(FileError) as caught:
        require(4, read_grid(path), path)
    assert str(path) in str(caught.value)
    assert sentence in str(caught.value)


def points(**columns: list[Any]) -> pl.DataFrame:
    rows = len(columns["p50_us"])
    same = {"w_idx": [0] * rows, "read_iops": [100.0] * rows, "iops": [100.0] * rows, "measured_p95_us": [200.0] * rows}
    same |= {"r_idx": list(range(1, rows + 1)), "measured_p50_us": [100.0] * rows, "p95_us": [200.0] * rows}
    return pl.DataFrame(same | columns)


def test_a_distance_is_that_of_the_logarithms_and_at_most_one() -> None:
    assert distance(points(saturated=[0, 0], p50_us=[100.0, 100.0])) == 0
    # ln 2 of p50 in one point of two; half of ln 1.5 of p95 in the other.
    apart = points(saturated=[0, 0], p50_us=[200.0, 100.0], p95_us=[200.0, 300.0])
    assert distance(apart) == pytest.approx((math.log(2) + math.log(1.5) / 2) / 2)
    assert distance(points(saturated=[0], p50_us=[1e6])) == 1


def test_the_first_saturated_point_of_a_row_should_be_beyond_the_knee() -> None:
    # 2.5 times the least median is 250 us; what lies behind the first saturated point does not count.
    early = points(saturated=[0, 1, 1], p50_us=[100.0, 200.0, 1.0])
    assert distance(early) == pytest.approx(math.log(250 / 200) / 2)
    assert distance(early.reverse()) == distance(early)
    assert distance(points(saturated=[0, 1], p50_us=[100.0, 300.0])) == 0
    assert distance(points(saturated=[0, 1], p50_us=[100.0, 200.0], iops=[100.0, 96.0])) == 0


def test_a_writer_takes_the_place_of_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readers: dict[float, int] = {}

    def carry_out(point: Point) -> Outcome:
        jobs = point.settings["workload.jobs"]
        assert isinstance(jobs, list)
        [first, *others] = jobs
        readers[others[0]["rate"] if others else 0] = first["number"]
        reads = {"count": 1000, "p50_ms": 0.1, "p95_ms": 0.2, "p99_ms": 0.3, "p999_ms": 0.4}
        return Outcome(0, "", figures=json.dumps({"result": {"reads": reads}}).encode())

    monkeypatch.setattr(fitting, "carry_out", carry_out)
    measured = read_grid(grid(tmp_path, POINTS[0], "2,1,2000,40.5,512,80,90,0\n"))
    row = simulated({}, measured, Tool(processors=8)).row(1, named=True)
    assert readers == {0: 8, 40.5e6 / 131072: 7}
    assert (row["p50_us"], row["p999_us"]) == (100, 400)
    assert row["iops"] == 5000  # in 200 ms


def test_a_fit_finds_the_bottom_of_a_valley(monkeypatch: pytest.MonkeyPatch) -> None:
    start = known("nvme", {"read_time": "70us", "program_time": "600us", "read_tail": "7us"}, "")

    def valley(drive: Drive, wanted: pl.DataFrame, *_: object) -> pl.DataFrame:
        """Each point measures another parameter."""
        times = [fitting.of(drive, name) * 1e6 for name in ("read_time", "program_time", "latency", "queue_time")]
        return wanted.with_columns(pl.Series("p50_us", times), p95_us="measured_p95_us")

    monkeypatch.setattr(fitting, "simulated", valley)
    wanted = points(saturated=[0] * 4, p50_us=[0.0] * 4, measured_p50_us=[50.0, 400.0, 20.0, 2.0])
    found = fitted(start, wanted, Tool(), 600)
    assert distance(valley(found, wanted)) < 0.02
    assert fitting.of(found, "read_tail") == pytest.approx(fitting.of(found, "read_time") / 10)  # it keeps its share
    assert found["dies"] == start["dies"]


def test_a_fit_comes_nearer_to_the_times_of_another_drive(tmp_path: Path) -> None:
    drive, tool = known("nvme", {"dies": 32}, ""), Tool(duration_ms=2)
    lines = [f"{i},0,{60000 * i},0,512,1,1,0\n" for i in (1, 2)] + ["2,1,120000,200,512,1,1,0\n"]
    measured = simulated(drive, read_grid(grid(tmp_path, *lines)), tool)
    again = {f"measured_{of}_us": pl.col(f"{of}_us") for of in ("p50", "p95")}
    wanted = measured.with_columns(**again).select(read_grid(tmp_path / "mine.csv").columns)
    assert distance(simulated(drive, wanted, tool)) == 0
    other = drive | {"read_time": "70us", "program_time": "600us"}
    before = distance(simulated(other, wanted, tool))
    assert before > 0.15
    assert distance(simulated(fitted(other, wanted, tool, 100), wanted, tool)) < before / 2


QUICK = ("--drive", "aws-i3", "--duration", "1")


def test_a_fit_writes_the_drive_and_says_where_it_is_from(tmp_path: Path, sunstar: Sunstar) -> None:
    output, table = tmp_path / "drive.json", tmp_path / "points.csv"
    words = ["fit", str(grid(tmp_path, *POINTS)), *QUICK, "--evaluations", "9"]
    done = sunstar(*words, "--output", str(output), "--points", str(table))
    assert done.exit_code == 0, done.output
    assert done.stderr.startswith("mean distance of the logarithms, p50 + p95/2: 0.")
    found = json.loads(output.read_text())
    assert found["source"].startswith("fitted by sunstar fit to mine, from AWS i3")
    assert found["name"] == "mine"
    assert known("nvme", str(output), "the file") == found
    assert pl.read_csv(table).height == 4


def test_a_fit_without_evaluations_compares_the_drive_as_it_is(tmp_path: Path, sunstar: Sunstar) -> None:
    words = ["fit", str(grid(tmp_path, POINTS[0])), *QUICK, "--evaluations", "0"]
    assert json.loads(sunstar(*words).stdout) == known("nvme", "aws-i3", "")


def test_a_fit_refuses_what_it_cannot_use_or_write(tmp_path: Path, sunstar: Sunstar) -> None:
    path = str(grid(tmp_path, *POINTS))
    words = ["fit", path, *QUICK, "--evaluations", "0"]

    def refused(sentence: str, *more: str, code: int = 3) -> None:
        done = sunstar(*words, *more)
        assert done.exit_code == code, done.output
        assert sentence in done.stderr

    refused("is also an input", "--output", path)
    refused("name the same file", "--output", f"{path}.csv", "--points", f"{path}.csv", code=2)
    refused("its name must end in .csv", "--points", f"{path}.x", code=2)
    refused('--drive none: machine.nvme is "none"; there is no such NVMe drive', "--drive", "none")
    grid(tmp_path, *POINTS, "2,0,2000,0,700,80,90,0\n")
    refused("workload.jobs.0.sizes.0.size is 700B; it must be a multiple of")
