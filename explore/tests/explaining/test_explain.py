# SPDX-License-Identifier: MIT
"""--explain and sunstar explain, on real runs of every file system: the critical path sums to the elapsed time, and
no proposed change gains more than its bound says."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar

from sunstar import MachineResult, Point, places, run_all
from sunstar.explaining import folded, read_explained
from sunstar.runs.simulator import settings_of

TORUS = [
    {
        "file_system.kind": kind,
        "workload.pattern": pattern,
        "workload.record_size": record,
        "file_system.layout": layout,
    }
    for kind in ("traditional-caching", "disk-directed", "two-phase", "enwrich")
    for pattern, record, layout in (
        ("rb", "8KiB", "contiguous"),
        ("wb", "8KiB", "contiguous"),
        ("rc", "8KiB", "random-blocks"),
        ("wc", "64B", "contiguous"),
    )
]
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("torus", {"file_system.kind": "hybrid"}),
    ("torus", {"file_system.kind": "disk-directed", "machine.network.model": "flit"}),
    ("torus", {"file_system.kind": "disk-directed", "machine.io_processors": 1}),
    ("torus", {"file_system.kind": "disk-directed", "machine.network.link_bandwidth": "2MB/s"}),
    ("sp2", {"file_system.kind": "galley", "workload.kind": "pattern", "workload.record_size": "4KiB"}),
    ("sp2", {"workload.kind": "streams"}),
    ("sp2", {"file_system.kind": "disk-directed", "workload.kind": "pattern", "workload.record_size": "4KiB"}),
    ("cluster", {"workload.locality": 0.5, "workload.file_size": "12MiB"}),
    ("cluster", {"workload.locality": 1, "workload.operation": "write", "workload.file_size": "12MiB"}),
]
SIZE = {"workload.file_size": "512KiB"}
CASES = [("torus", SIZE | case) for case in TORUS] + [
    (platform, case if case.get("workload.kind") == "streams" else SIZE | case) for platform, case in OTHERS
]


def run(platform: str, settings: dict[str, Any], output: Path, *more: str) -> dict[str, Any]:
    given = [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]
    executable = places.executable(platform)
    subprocess.run([executable, *given, *more, "--quiet", "--output", output], check=True)
    document: dict[str, Any] = json.loads(output.read_text())
    return document


@pytest.mark.parametrize(
    ("platform", "settings"),
    CASES,
    ids=lambda value: "-".join(str(v) for v in value.values()) if isinstance(value, dict) else value,
)
def test_no_change_gains_more_than_its_bound(platform: str, settings: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    plain = run(platform, settings, tmp_path / "plain.json")
    explained = run(platform, settings, file, "--explain")
    result, explanation = read_explained(file)
    assert sum(stage.time_ps for stage in explanation.critical_path) == explanation.elapsed_ps
    assert explanation.elapsed_ps == pytest.approx(explained["result"]["elapsed_s"] * 1e12, abs=1)
    for section in ("result", "statistics", "trials", "config"):
        assert explained[section] == plain[section], section
    waits = sum(s.share for s in explanation.critical_path if s.stage in ("disk_rotation", "network_wait"))
    assert any("unchanged order of events" in sentence for sentence in explanation.sentences)
    assert explanation.changes
    config = tmp_path / "config.json"
    config.write_text(json.dumps(result.config))
    changed = [Point(settings_of(change.settings), config, platform) for change in explanation.changes]
    for change, faster in zip(explanation.changes, run_all(changed), strict=True):
        assert isinstance(faster, MachineResult), faster
        gain = plain["result"]["elapsed_s"] / faster.elapsed_s
        if waits < 0.005:
            assert gain <= 1.02 * change.at_most, change
        elif change.waits_gone is not None:
            assert gain <= 1.02 * change.waits_gone, change


def test_the_command_shows_the_path_and_what_to_paste(sunstar: Sunstar, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    run("torus", SIZE | {"file_system.kind": "disk-directed", "workload.pattern": "wb"}, file, "--explain")
    done = sunstar("explain", str(file))
    assert done.exit_code == 0, done.output
    assert "The critical path" in done.stdout
    assert "--set 'machine.disk.overheads." in done.stdout
    told = json.loads(sunstar("explain", str(file), "--json").stdout)
    assert told["critical_path"]


def test_a_result_without_an_explanation_is_told_what_to_do(sunstar: Sunstar, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    run("torus", SIZE, file)
    done = sunstar("explain", str(file))
    assert done.exit_code == 3
    assert "run sunstar-torus again with --explain" in done.output
    missing = sunstar("explain", str(tmp_path / "none.json"))
    assert missing.exit_code == 3
    assert "none.json" in missing.output


def test_an_explanation_that_no_run_has_written_is_refused(sunstar: Sunstar, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    run("torus", SIZE, file, "--explain")
    whole = file.read_text()
    faults: list[tuple[list[str | int], Any, str]] = [
        (["explain", "critical_path"], [], "critical_path is []; it must have at least 1 item"),
        (["explain", "critical_path"], {}, "critical_path is {}; it must be a valid list"),
        (["explain", "critical_path", 0, "time_s"], "x", 'critical_path.0.time_s is "x"; it must be a valid number'),
        (["explain", "critical_path", 0, "time_ps"], 1, "the stages of the critical path sum to"),
        (["explain", "critical_path", 0, "share"], -4, "critical_path.0.share is -4"),
        (["explain", "resources", 0, "utilisation"], "high", 'resources.0.utilisation is "high"'),
        (["explain"], [1], "it must be"),
        (["explain", "messages"], {"count": -1}, "messages.count is -1"),
        (["config"], 3, "is not a result"),
    ]
    for path, value, sentence in faults:
        document = json.loads(whole)
        place = document
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = value
        file.write_text(json.dumps(document))
        done = sunstar("explain", str(file))
        assert done.exit_code == 3, done.output
        assert sentence in done.stderr


def test_a_stage_of_calls_whose_mean_is_negative_can_be_read(tmp_path: Path) -> None:
    """The paths to the ends of these calls avoid work of compute processors that those to their beginnings contain."""
    settings = {
        "machine.compute_processors": 128,
        "machine.network.shape": "[12, 12]",
        "workload.file_size": "8MiB",
        "file_system.layout": "random-blocks",
    }
    file = tmp_path / "result.json"
    run("torus", settings, file, "--explain")
    _, explanation = read_explained(file)
    calls = explanation.requests[-1]
    assert calls.stages["compute_processor"].mean_s < 0
    assert sum(stage.mean_s for stage in calls.stages.values()) == pytest.approx(calls.total.mean_s)


def test_a_run_that_handling_messages_bounds_says_so(sunstar: Sunstar, tmp_path: Path) -> None:
    """The same records of an SP-2 one by one, each in messages of its own, and by strided requests."""
    file = tmp_path / "result.json"
    settings = {"workload.record_size": "1KiB", "workload.fork_size": "256KiB"}
    one_by_one = run("sp2", settings | {"workload.interface": "traditional"}, file, "--explain")
    number = one_by_one["result"]["messages"]
    said = sunstar("explain", str(file), "--rows", "3").stdout
    assert f"The processors handle messages: {number:.0f} in all, " in said
    assert "Fewer and larger messages may gain more than faster processors." in said
    assert one_by_one["explain"]["messages"]["share_of_work"] > 0.9
    threads = next(r for r in read_explained(file)[1].resources if r.name.endswith("ready_threads"))
    assert threads.utilisation is not None and 0 < threads.utilisation <= 1
    strided = run("sp2", settings | {"workload.interface": "strided"}, file, "--explain")
    assert 5 * strided["result"]["messages"] < number
    assert "The processors handle messages" not in sunstar("explain", str(file)).stdout


def test_equal_rows_of_a_table_become_one() -> None:
    rows = [("cp0", "1"), ("cp1", "2"), ("cp2", "2"), ("cp3", "2"), ("cp4", "1")]
    assert folded(rows) == [("cp0", "1"), ("cp1 and 2 alike", "2"), ("cp4", "1")]
