# SPDX-License-Identifier: MIT
import json
import random
from pathlib import Path

import polars as pl
import pytest
from conftest import Sunstar

from sunstar import FileError
from sunstar.places import shared
from sunstar.validation.disks import GOALS, find_traces


def trace(folder: Path, name: str, requests: int = 200) -> Path:
    numbers = random.Random(1)
    lines = [
        f"{numbers.choice('RW')} x {numbers.randrange(1_000_000)} 8 {numbers.uniform(1000, 20000):.1f} 20000.0"
        for _ in range(requests)
    ]
    path = folder / f"{name}.trace"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_validate_prints_a_row_for_each_drive_and_draws_it(sunstar: Sunstar, tmp_path: Path) -> None:
    out = tmp_path / "out [bold]*"  # a name that is neither markup nor a pattern
    trace(tmp_path, "hp_c2247a")
    trace(tmp_path, "hp97560")
    options = ["--traces", str(tmp_path), "--trials", "2", "--results", str(out)]
    done = sunstar("validate", "drives", *options)
    assert done.exit_code == 0, done.output
    assert f"{out}/drives.csv" in done.output
    assert done.output.index("hp_c2247a") < done.output.index("hp97560")
    rows = json.loads((out / "drives.json").read_text())["rows"]
    assert [row["goal_percent"] for row in rows] == [GOALS["hp_c2247a"][0], None]
    assert pl.read_csv(out / "drives.csv", glob=False).height == 2
    for name in ("hp_c2247a", "hp97560"):
        assert (out / "drives" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    # The demerit is that of the requests on record, worked out here once more.
    one = sunstar("validate", "drives", *options, "--trials", "1", "--only", "hp97560")
    assert one.exit_code == 0, one.output
    records = pl.read_csv(out / "drives" / "hp97560.csv", glob=False)
    measured, simulated = records["measured_ns"].sort(), records["response_ns"].sort()
    distances = (simulated - measured).to_numpy()
    demerit = (distances**2).mean() ** 0.5 / measured.to_numpy().mean() * 100
    row = json.loads((out / "drives.json").read_text())["rows"][0]
    assert row["percent"] == pytest.approx(demerit, abs=1e-3)


def test_a_folder_without_traces_or_without_the_one_asked_for_is_a_mistake(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("validate", "drives", "--traces", str(tmp_path))
    assert done.exit_code == 3
    assert "there are no measured traces" in done.output
    trace(tmp_path, "barracuda")
    with pytest.raises(FileError, match=r"there is no trace atlas10k\.trace\.gz in .*; there are: barracuda"):
        find_traces(tmp_path, ["atlas10k"])


def test_the_measured_drives_are_within_their_goals(sunstar: Sunstar, tmp_path: Path) -> None:
    if not (shared() / "disks" / "traces").is_dir():
        pytest.skip("the measured traces are not there")
    done = sunstar("validate", "drives", "--trials", "1", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    for row in json.loads((tmp_path / "drives.json").read_text())["rows"]:
        assert row["percent"] <= row["goal_percent"] + 0.01, row["drive"]
