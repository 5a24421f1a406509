# SPDX-License-Identifier: MIT
import json
from pathlib import Path

import polars as pl
import pytest
from conftest import Sunstar

from sunstar.drives.fitting import judged, read_grid
from sunstar.places import shared
from sunstar.validation.nvme import distances, halves, knees

HEADER = "w_idx,r_idx,offered_read_iops,offered_write_MBps,read_block_bytes,read_p50_us,read_p95_us,likely_saturated\n"


def grid(folder: Path) -> Path:
    path = folder / "known-im4gn.4xlarge.csv"
    rows = ["0,1,12648,0,512,112,133,0", "0,2,25296,0,512,113,134,0", "1,1,12648,50.6,512,111,133,0"]
    path.write_text(HEADER + "\n".join([*rows, "1,2,25296,50.6,512,,,1"]) + "\n")
    return path


def test_validate_nvme_prints_a_row_for_each_system_and_draws_it(sunstar: Sunstar, tmp_path: Path) -> None:
    grid(tmp_path)
    out = tmp_path / "out"
    done = sunstar("validate", "nvme", "--grids", str(tmp_path), "--results", str(out))
    assert done.exit_code == 0, done.output
    (row,) = json.loads((out / "nvme.json").read_text())["rows"]
    assert row["system"] == "im4gn.4xlarge"
    assert row["points"] == 3
    assert 0 <= row["p50_median"] <= row["p50_nine_of_ten"] < 0.5
    assert (out / "nvme" / "im4gn.4xlarge.png").read_bytes().startswith(b"\x89PNG")


def test_validate_nvme_fits_to_half_of_the_points(sunstar: Sunstar, tmp_path: Path) -> None:
    rows = [f"0,{i},{12648 * i},0,512,{112 + i},{133 + i},0\n" for i in range(1, 9)]
    grid(tmp_path).write_text(HEADER + "".join(rows))
    first, second = halves(read_grid(tmp_path / "known-im4gn.4xlarge.csv"))
    assert first.height == second.height == 4
    done = sunstar("validate", "nvme", "--grids", str(tmp_path), "--results", str(tmp_path), "--fit-half", "3")
    assert done.exit_code == 0, done.output


def test_validate_nvme_names_the_folder_without_grids(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("validate", "nvme", "--grids", str(tmp_path))
    assert done.exit_code == 3
    assert "there is no known-SYSTEM*.csv in" in done.output


def points(simulated: list[float]) -> pl.DataFrame:
    measured = [100.0, 120.0, 260.0, None]
    return pl.DataFrame(
        {
            "w_idx": [0] * 4,
            "r_idx": [1, 2, 3, 4],
            "read_iops": [100.0] * 4,
            "iops": [100.0, 100.0, 100.0, 90.0],
            "saturated": [0, 0, 1, 1],
            "measured_p50_us": measured,
            "measured_p95_us": measured,
            "p50_us": simulated,
        }
    )


def test_knees_and_errors_are_those_of_the_definition() -> None:
    table = points([110.0, 120.0, 130.0, 140.0])
    assert knees(table, "measured_p50_us") == {0: 3}
    assert knees(table, "p50_us") == {0: 4}  # it does not reach its rate
    assert judged(table).height == 2
    found = distances(judged(table), "p50")
    assert found == pytest.approx({"p50_median": 0.05, "p50_nine_of_ten": 0.09})


def test_the_drives_of_the_catalogue_are_as_near_as_their_page_says(sunstar: Sunstar, tmp_path: Path) -> None:
    if not (shared() / "reference" / "modern").exists():
        pytest.skip("the measured grids are not beside the repository")
    done = sunstar("validate", "nvme", "--only", "i3en.3xlarge", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    (row,) = json.loads((tmp_path / "nvme.json").read_text())["rows"]
    assert row["p50_median"] < 0.05
    assert row["p50_nine_of_ten"] < 0.12
    assert row["p95_nine_of_ten"] < 0.25
    assert row["knee_within_two"] >= 20
