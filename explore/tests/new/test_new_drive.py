# SPDX-License-Identifier: MIT
"""sunstar new drive: the new drive does what its data sheet says."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sunstar.cli import app
from sunstar.places import executable, project
from sunstar.programs import run_program

SHEET = {
    "capacity": "18.2GB",
    "rpm": "7200",
    "heads": "5",
    "outer-rate": "24MB/s",
    "inner-rate": "15MB/s",
    "shortest-seek": "1ms",
    "average-seek": "7ms",
    "longest-seek": "14ms",
    "buffer": "2MiB",
    "interface-rate": "80MB/s",
}


def call(**changed: str | None) -> Result:
    sheet = {key: text for key, text in (SHEET | changed).items() if text is not None}
    words = [word for key, text in sheet.items() for word in (f"--{key}", text)]
    return CliRunner().invoke(app, ["new", "drive", "mine", *words])


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    done = call()
    assert done.exit_code == 0, done.output
    assert "written  mine.json\n" in done.stdout
    return tmp_path / "mine.json"


def disk(drive: Path, *settings: str) -> Any:  # noqa: ANN401  a result
    words = [word for setting in (f"machine.disk={drive}", *settings) for word in ("--set", setting)]
    done = run_program([str(executable("disk")), *words, "--output", "-"])
    assert "Warning" not in done.stderr
    return json.loads(done.stdout)


def test_nothing_is_left_to_a_default(drive: Path) -> None:
    given = json.loads(drive.read_text())
    whole = json.loads((project() / "models/disk/drives/hp97560.json").read_text())
    assert list(given) == list(whole)
    for key in ("seek", "overheads", "interface", "rig"):
        assert set(given[key]) == set(whole[key])
    assert "assumed" in given["source"]


def test_it_has_the_rates_of_the_sheet(drive: Path) -> None:
    stream = ("workload.sequential_share=1", "workload.read_share=1", "workload.size=64KiB", "workload.requests=2000")
    given = json.loads(drive.read_text())
    for zone, rate in ((given["zones"][0], 24e6), (given["zones"][-1], 15e6)):
        drive.write_text(json.dumps(given | {"zones": [zone], "sectors": 0}))
        found = disk(drive, *stream, "machine.bus_rate=80MB/s")
        assert found["result"]["throughput"]["mib_per_s"] * 2**20 == pytest.approx(rate, rel=0.03)


def test_random_reads_take_seek_rotation_and_overhead(drive: Path) -> None:
    found = disk(drive, "workload.read_share=1", "workload.size=512B", "workload.requests=20000")
    a_revolution = 60e3 / 7200
    assert found["result"]["response"]["mean_ms"] == pytest.approx(7 + a_revolution / 2 + 0.2, rel=0.02)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rpm": None, "heads": None}, "a drive also needs --rpm, --heads; sunstar new drive --help"),
        ({"capacity": "big"}, "--capacity is 'big'; it must be a size with its unit, such as 300GB or 16MiB"),
        ({"outer-rate": "24MB"}, "--outer-rate is '24MB'; it must be a bandwidth with its unit, such as"),
        ({"heads": "2.5"}, "--heads is '2.5'; it must be a whole number from 1 to 64"),
        ({"rpm": "1"}, "--rpm is '1'; it must be a whole number from 1000 to 30000"),
        ({"interface-rate": "10MB/s"}, "--outer-rate 24MB/s is more than --interface-rate 10MB/s"),
        ({"inner-rate": "30MB/s"}, "--inner-rate 30MB/s is more than --outer-rate 24MB/s"),
        ({"average-seek": "13.9ms"}, "an average seek of 13.9 ms does not go with"),
        ({"capacity": "100TB", "heads": "1"}, "a drive has at most 1,000,000: check --heads"),
        ({"buffer": "512B"}, "--buffer is '512B'"),
    ],
)
def test_a_sheet_that_cannot_be_is_refused(
    changed: dict[str, str | None], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(**changed)
    assert done.exit_code == 2, done.output
    assert sentence in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_question_is_asked_until_its_answer_can_be_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sunstar.new.drive.may_ask", lambda: True)
    given = [word for key, text in SHEET.items() if key != "outer-rate" for word in (f"--{key}", text)]
    done = CliRunner().invoke(app, ["new", "drive", "cheetah-15k", *given], input="24\n24MB/s\n\n\n")
    assert done.exit_code == 0, done.output
    assert "--outer-rate is '24'; it must be a bandwidth with its unit, such as 125MB/s" in done.output
    assert "written  cheetah-15k.json" in done.stdout


def test_a_drive_is_not_overwritten(drive: Path) -> None:
    before = drive.read_text()
    done = call()
    assert done.exit_code == 3
    assert "mine.json exists already" in done.stderr
    assert drive.read_text() == before
