# SPDX-License-Identifier: MIT
"""sunstar new drive: the new drive does what its data sheet says."""

import json
import re
import shlex
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
    done = CliRunner().invoke(app, ["new", "drive", "cheetah-15k", *given], input="24\n24MB/s\n\n\n\n")
    assert done.exit_code == 0, done.output
    assert "--outer-rate is '24'; it must be a bandwidth with its unit, such as 125MB/s" in done.output
    assert "written  cheetah-15k.json" in done.stdout


def test_the_command_ends_with_runs_that_meet_the_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    modern = {"capacity": "4TB", "heads": "10", "outer-rate": "250MB/s", "inner-rate": "120MB/s", "buffer": "128MiB"}
    for changed in ({}, modern | {"interface-rate": "600MB/s", "sector-size": "4KiB"}):
        done = call(**changed, output="d.json")
        errors = [float(found) for found in re.findall(r"^met .* ([+-]\d+\.\d)%$", done.stdout, re.MULTILINE)]
        assert len(errors) == 3
        assert all(abs(error) < 2 for error in errors), done.stdout
    assert json.loads(Path("d.json").read_text())["sector_size"] == "4096B"


NVME = {
    "capacity": "3840GB",
    "generation": "4",
    "read-rate": "6.5GB/s",
    "write-rate": "3.4GB/s",
    "read-iops": "700000",
    "write-iops": "170000",
    "read-latency": "82us",
    "write-latency": "15us",
}


def new_nvme(**changed: str) -> Result:
    words = [word for key, text in (NVME | changed).items() for word in (f"--{key}", text)]
    return CliRunner().invoke(app, ["new", "nvme-drive", "mine", "--output", "mine.json", *words])


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"generation": "6", "read-rate": "26GB/s", "write-rate": "12GB/s", "read-iops": "5000000"}
        | {"write-iops": "900000", "read-latency": "50us", "write-latency": "7us", "sector-size": "4KiB"},
        {"generation": "3", "read-rate": "560MB/s", "write-rate": "500MB/s", "read-iops": "90000"}
        | {"write-iops": "20000", "read-latency": "150us", "write-latency": "40us"},
    ],
)
def test_an_nvme_drive_meets_its_sheet(
    changed: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = new_nvme(**changed)
    assert done.exit_code == 0, done.output
    errors = re.findall(r"^met .* ([+-]\d+\.\d)%$", done.stdout, re.MULTILINE)
    assert len(errors) == 6
    assert all(abs(float(error)) < 2 for error in errors), done.stdout
    assert "assumed  pages of 16 KiB" in done.stdout
    assert "pages of 16 KiB" in json.loads(Path("mine.json").read_text())["source"]


def test_figures_beyond_the_link_are_missed_because_of_it_and_the_next_command_reaches_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = new_nvme(**{"read-iops": "0.7M", "write-iops": "170k"}, generation="1")
    assert done.exit_code == 0, done.output
    said = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in said if line.startswith("missed")] == [
        "missed   read rate",
        "missed   write rate",
        "missed   read iops",
    ]
    assert all(line.endswith("; the link caps it, PCI Express 1 with 4 lanes") for line in said if "missed" in line)
    assert json.loads(Path("mine.json").read_text())["read_iops"] == 700_000
    done = new_nvme()
    command = shlex.split(next(line for line in done.stdout.splitlines() if line.startswith("next")))[1:]
    ran = run_program([str(executable("disk")), *command[1:], "--output", "-"])
    assert json.loads(ran.stdout)["result"]["throughput"]["requests_per_s"] == pytest.approx(700_000, rel=0.02)
    Path("mine.json").unlink()
    words = [word for key, text in NVME.items() for word in (f"--{key}", text)]
    done = CliRunner().invoke(app, ["new", "nvme-drive", "mine", "--dry-run", *words])
    assert "to write mine.json\n" in done.stdout
    assert not list(tmp_path.iterdir())


def test_an_nvme_drive_that_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for changed, sentence in (
        ({"generation": "7"}, "--generation is '7'; it must be a whole number from 1 to 6"),
        ({"write-latency": "3us"}, "--write-latency must be more than 3.29 us, the controller's part"),
        ({"read-latency": "15us"}, "and --read-latency more than that, by the time of the flash"),
    ):
        done = new_nvme(**changed)
        assert done.exit_code == 2, done.output
        assert sentence in done.stderr
        assert not list(tmp_path.iterdir())


def test_a_drive_is_not_overwritten(drive: Path) -> None:
    before = drive.read_text()
    done = call()
    assert done.exit_code == 3
    assert "mine.json exists already" in done.stderr
    assert drive.read_text() == before
