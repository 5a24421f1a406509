# SPDX-License-Identifier: MIT
"""sunstar advise on small real machines: bottlenecks that are named, and machines that need no change."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar

from sunstar import console, run
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
    alone = run("torus", {**SMALL, "machine.bus.data_rate": "300kB/s"}, results=results)
    assert done.stdout.startswith(f"sunstar-torus takes {alone.elapsed_s:.5g} s (result.elapsed_s).\n")
    assert "\nrank: the place by gain alone; for it: " in done.stdout
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
    assert "Replace drive iop1_scsi0.disk1, an old one -> HP 97560, as the others: " in done.stdout
    # The nodes to paste have a line each
    assert '      {"count": 2, "role": "compute"},\n      {"count": 2, "role": "io", "buses": ' in done.stdout


def test_a_doubling_that_gains_again_is_told(sunstar: Sunstar) -> None:
    settings = {**SMALL, "machine.io_processors": 1, "machine.bus.data_rate": "1MB/s"}
    call = ["advise", "torus", *words(settings), "--seeds", "2", "--keep", "machine.bus", "--keep", "file_system"]
    further = json.loads(sunstar(*call, "--json").stdout)["further"]
    steps = {each["path"]: (each["was"], each["to"], each["gain"]) for each in further}
    assert steps["machine.io_processors"][0] == "1" and int(steps["machine.io_processors"][1]) > 2
    assert steps["machine.io_processors"][2] > 2.5


def test_a_drive_that_has_to_try_again_is_named_first(sunstar: Sunstar, tmp_path: Path) -> None:
    fault = {"place": "iop0_scsi0.disk1", "effect": "recovered-error", "trigger": {"kind": "rate", "probability": 0.5}}
    file = tmp_path / "machine.json"
    file.write_text(json.dumps({"schema": "sunstar/1", "base": "torus", "faults": [fault]}))
    done = sunstar("advise", str(file), *words(SMALL), "--seeds", "3")
    assert done.exit_code == 0, done.output
    assert "Replace drive iop0_scsi0.disk1, recovered-error -> another drive of its type: " in done.stdout


def test_a_machine_is_advised_by_the_program_that_its_preset_is_for(sunstar: Sunstar, tmp_path: Path) -> None:
    """It is a cluster of NVMe drives, each on a lane of the second generation."""
    mine = tmp_path / "mine.json"
    machine = {"compute_processors": 2, "io_processors": 1, "disks": 2, "nvme": "samsung-pm9a3"}
    mine.write_text(json.dumps({"schema": "sunstar/1", "base": "nvme-cluster", "machine": machine}))
    narrow = tmp_path / "narrow.json"
    drive = {**effective_config(Point(config=mine))["machine"]["nvme"], "link": {"generation": 2, "lanes": 1}}
    narrow.write_text(json.dumps({"schema": "sunstar/1", "base": "mine.json", "machine": {"nvme": drive}}))
    done = sunstar("advise", str(narrow), "--set", "workload.file_size=1MiB", "--seeds", "3")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("sunstar-cluster takes ")
    assert (
        "Change machine.nvme, link.generation 2, link.lanes 1 -> as sold, link.generation 4, link.lanes 4: "
        in done.stdout
    )


def test_a_balanced_machine_needs_no_change(sunstar: Sunstar, monkeypatch: pytest.MonkeyPatch) -> None:
    """The controllers of its drives and its buses share the critical path of its writes."""
    size = {"machine.compute_processors": 4, "machine.io_processors": 4, "machine.disks": 8}
    settings = {**SMALL, **size, "workload.pattern": "wb", "workload.file_size": "2MiB"}
    monkeypatch.setattr(console, "EVERY_S", 0.2)
    done = sunstar("advise", "torus", *words(settings), "--seeds", "3")
    assert done.exit_code == 0, done.output
    assert re.search(r"^each change alone: \d+ of \d+, 0 failed, ", done.stderr, re.MULTILINE)
    assert "Nothing to change: no setting gains 5 %" in done.stdout
    assert "The nearest" in done.stdout


@pytest.mark.parametrize(
    ("call", "code", "sentence"),
    [
        (["none.json"], 3, "there is no file none.json"),
        (["disk"], 3, "sunstar-disk has no machine of nodes and drives, so there is nothing to advise"),
        (
            ["torus", "--time", "soon"],
            2,
            "--time soon: it must be a number with one of ms, s, m, min, h, d, y, as in 5m",
        ),
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
    listed = {"source": "a shop's list of 1994", "disks": {"other": 100}, "processors": {"compute": 1000, "io": 1000}}
    prices.write_text(json.dumps(listed))
    call = ["advise", "torus", *words(SMALL), "--seeds", "2", "--keep", "file_system", "--prices", str(prices)]
    told = json.loads(sunstar(*call, "--json").stdout)
    of = {each["path"]: each["price"] for each in told["ranked"]}
    assert of["machine.disks"] == pytest.approx(4 * 100 / (4 * 100 + 4 * 1000))
    assert of["machine.io_processors"] == pytest.approx(2 * 1000 / (4 * 100 + 4 * 1000))
    assert "Prices: a shop's list of 1994" in sunstar(*call).stdout
