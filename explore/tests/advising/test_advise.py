# SPDX-License-Identifier: MIT
"""sunstar advise on small real machines: bottlenecks that are named, and machines that need no change."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar

from sunstar.runs.simulator import Point, effective_config

SMALL: dict[str, Any] = {
    "machine.compute_processors": 2,
    "machine.io_processors": 2,
    "machine.disks": 4,
    "workload.file_size": "256KiB",
    "file_system.kind": "disk-directed",
}


def words(settings: dict[str, Any]) -> list[str]:
    return [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]


def runs_in(results: Path) -> int:
    with closing(sqlite3.connect(results / "runs.sqlite")) as database:
        return int(database.execute("SELECT count(*) FROM runs").fetchone()[0])


def test_a_slow_bus_is_named_first_and_the_same_call_makes_no_run_again(
    sunstar: Sunstar, results: Path, tmp_path: Path
) -> None:
    call = ["advise", "torus", *words({**SMALL, "machine.bus.data_rate": "300kB/s"}), "--seeds", "3"]
    page = tmp_path / "advice.html"
    done = sunstar(*call, "--page", str(page))
    assert done.exit_code == 0, done.output
    assert "Change machine.bus.data_rate, 300kB/s -> 10MB/s: " in done.stdout
    assert "Proposed, the most gain for the price first" in done.stdout
    assert "  --set 'machine.bus.data_rate=10MB/s'" in done.stdout
    assert "left out because their bounds gain too little" in done.stdout
    html = page.read_text()
    assert "What each change gains alone" in html and "<pre>--set 'machine.bus.data_rate=10MB/s'</pre>" not in html
    assert "--set &#x27;machine.bus.data_rate=10MB/s&#x27;" in html
    before = runs_in(results)
    told = json.loads(sunstar(*call, "--json").stdout)
    assert runs_in(results) == before
    first = told["proposals"][0]
    assert (first["path"], first["settings"]) == ("machine.bus.data_rate", ["machine.bus.data_rate=10MB/s"])
    assert first["interval"][0] > 2
    assert len(first["seconds"]) == 3


def test_one_slow_drive_of_a_result_is_named_first(sunstar: Sunstar, tmp_path: Path) -> None:
    config = effective_config(Point(SMALL))
    slow = {**config["machine"]["disk"], "name": "an old one", "rpm": 900}
    [bus] = config["machine"]["nodes"][-1]["buses"]
    bus["drives"] = [{"count": 1, "disk": None}, {"count": 1, "disk": slow}]
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(config))
    done = sunstar("advise", str(file), "--seeds", "3")
    assert done.exit_code == 0, done.output
    assert "Change iop1_scsi0.disk1, an old one -> HP 97560...: " in done.stdout


def test_a_balanced_machine_needs_no_change(sunstar: Sunstar) -> None:
    """The controllers of its drives and its buses share the critical path of its writes."""
    size = {"machine.compute_processors": 4, "machine.io_processors": 4, "machine.disks": 8}
    settings = {**SMALL, **size, "workload.pattern": "wb", "workload.file_size": "2MiB"}
    done = sunstar("advise", "torus", *words(settings), "--seeds", "3")
    assert done.exit_code == 0, done.output
    assert "Nothing to change: no setting gains 5 %" in done.stdout
    assert "The nearest" in done.stdout


@pytest.mark.parametrize(
    ("call", "code", "sentence"),
    [
        (["none.json"], 3, "there is no file none.json"),
        (["disk"], 3, "sunstar-disk has no machine of nodes and drives, so there is nothing to advise"),
        (["torus", "--time", "soon"], 2, "--time soon: it must be a number with one of s, m, min, h, as in 5m"),
        (["torus", "--page", "a.txt"], 2, "--page a.txt: its name must end in .html or .htm"),
        (["torus", "--set", "machine.disks=0"], 3, "machine.disks is 0; it must be between 1 and 65536"),
        (["torus", "--keep", "machine.diks"], 2, 'did you mean "machine.disks"?'),
        (["torus", "--prices", "none.json"], 3, "none.json"),
        (["torus", "--time", "0.001s"], 3, "--time: the machine as it is takes longer than 0.001 s"),
    ],
)
def test_mistakes_are_said_in_a_sentence(call: list[str], code: int, sentence: str, sunstar: Sunstar) -> None:
    done = sunstar("advise", *call)
    assert done.exit_code == code, done.output
    assert sentence in done.stderr


def test_a_price_list_prices_hardware(sunstar: Sunstar, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"disks": {"other": 100}, "processors": {"compute": 1000, "io": 1000}}))
    call = ["advise", "torus", *words(SMALL), "--seeds", "2", "--keep", "file_system", "--prices", str(prices)]
    told = json.loads(sunstar(*call, "--json").stdout)
    of = {each["path"]: each["price"] for each in told["ranked"]}
    assert of["machine.disks"] == pytest.approx(4 * 100 / (4 * 100 + 4 * 1000))
    assert of["machine.io_processors"] == pytest.approx(2 * 1000 / (4 * 100 + 4 * 1000))
