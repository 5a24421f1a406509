# SPDX-License-Identifier: MIT
"""--explain and sunstar explain, on real runs of every file system: the critical path sums to the elapsed time, and
no proposed change gains more than its bound says."""

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar

from sunstar import MachineResult, Point, places, run_all
from sunstar.explaining import explained
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
    ("torus", {"workload.kind": "exchange", "workload.pattern": "allreduce"}),
    ("sp2", {"file_system.kind": "disk-directed", "workload.kind": "pattern", "workload.record_size": "4KiB"}),
    ("cluster", {"workload.locality": 0.5, "workload.file_size": "12MiB"}),
    ("cluster", {"workload.locality": 1, "workload.operation": "write", "workload.file_size": "12MiB"}),
]
SIZE = {"workload.file_size": "512KiB"}
CASES = [("torus", SIZE | case) for case in TORUS] + [
    (platform, case if case.get("workload.kind") in ("streams", "exchange") else SIZE | case)
    for platform, case in OTHERS
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
    why = run(platform, settings, file, "--explain")
    result, explanation = explained(file.read_bytes(), "the result")
    assert sum(stage.time_ps for stage in explanation.critical_path) == explanation.elapsed_ps
    assert explanation.elapsed_ps == pytest.approx(why["result"]["elapsed_s"] * 1e12, abs=1)
    for section in ("result", "statistics", "trials", "config"):
        assert why[section] == plain[section], section
    waits = sum(s.share for s in explanation.critical_path if s.waits)
    assert any("unchanged order of events" in sentence for sentence in explanation.sentences)
    changes = why["explain"]["changes"]
    assert changes
    config = tmp_path / "config.json"
    config.write_text(json.dumps(result.config))
    changed = [Point(settings_of(change["settings"]), config, platform) for change in changes]
    for change, faster in zip(changes, run_all(changed), strict=True):
        assert isinstance(faster, MachineResult), faster
        gain = plain["result"]["elapsed_s"] / faster.elapsed_s
        if waits < 0.005:
            assert gain <= 1.02 * change["at_most"], change
        elif change["waits_gone"] is not None:
            assert gain <= 1.02 * change["waits_gone"], change


# Four nodes read a file from the drives of eight, four exchange messages; one part of the machine is slow.
JOBS = [
    {"processors": 4, "pattern": "rb", "file_size": "512KiB"},
    {"processors": 4, "kind": "exchange", "pattern": "all-to-all", "message_size": "8KiB", "rounds": 100},
]
MEETING = {
    "file_system.kind": "disk-directed",
    "workload.jobs": json.dumps(JOBS),
    **{f"machine.{part}": 8 for part in ("compute_processors", "io_processors", "disks", "combined")},
}


@pytest.mark.parametrize(
    ("kind", "path", "slow", "fast"),
    [
        ("link", "machine.network.link_bandwidth", "4MB/s", "400MB/s"),
        ("node's bus", "machine.node.memory_bandwidth", "8MB/s", "800MB/s"),
        ("processor", "machine.node.clock", "2MHz", "200MHz"),
    ],
)
def test_the_part_at_which_jobs_meet_is_named_and_they_meet_less_where_it_is_faster(
    kind: str, path: str, slow: str, fast: str, tmp_path: Path
) -> None:
    before = run("torus", MEETING | {path: slow}, tmp_path / "slow.json", "--explain")
    meeting = before["explain"]["interference"]
    assert meeting["parts"][0]["kind"] == kind
    assert f"They meet most on a {kind}: alone, {meeting['parts'][0]['part']} is busy for" in before["explain"]["text"]
    worst = before["result"]["sharing"]["worst_slowdown"]
    assert worst > 1.05
    after = run("torus", MEETING | {path: fast}, tmp_path / "fast.json")
    assert after["result"]["sharing"]["worst_slowdown"] - 1 < (worst - 1) / 2


def test_terminal_page_and_result_say_the_same(sunstar: Sunstar, tmp_path: Path) -> None:
    file, page = tmp_path / "result.json", tmp_path / "page.html"
    call = ["--set", "file_system.kind=disk-directed", "--set", "workload.file_size=512KiB", "--explain"]
    run = subprocess.run(
        [places.executable("torus"), *call, "--output", file], check=True, capture_output=True, text=True
    )
    why = json.loads(file.read_text())["explain"]
    assert run.stdout.endswith(why["text"])
    assert re.sub("Tried: .*\n", "", sunstar("explain", str(file)).stdout) == re.sub("Most .*\n", "", why["text"])
    assert sunstar("show", str(file), "--output", str(page)).exit_code == 0
    sentences, _, tables = html.escape(why["text"]).partition("\n\n")
    assert f">{tables}</pre>" in page.read_text()
    assert f"<p>{sentences.replace(chr(10), '<br>')}</p>" in page.read_text()
    assert json.loads(sunstar("explain", str(file), "--json").stdout) == why
    # The text says what the facts say: each sentence, each stage, each change with its settings.
    for sentence in why["sentences"]:
        assert f"\n{sentence}\n" in why["text"]
    for stage in why["critical_path"]:
        row = rf"\n{stage['stage']} +{1000 * stage['time_s']:.3f} +{100 * stage['share']:.1f}\n"
        assert re.search(row, why["text"]), stage
    for change in why["changes"]:
        gone = f", or {change['waits_gone']:.2f}x if it also saved all waiting" if change["waits_gone"] else ""
        assert f"\nTry {change['change']}, at most {change['at_most']:.2f}x{gone}:\n" in why["text"]
        assert all(f"  --set '{setting}'\n" in why["text"] for setting in change["settings"])
    for table in ("busiest resources", "busiest processors", "requests"):
        assert f"\n\n{table} " in why["text"]


def test_changes_of_a_cheap_run_are_tried_and_those_of_another_are_left_to_advise(
    sunstar: Sunstar, tmp_path: Path
) -> None:
    """With faster buses, the requests of this run come in another order, which costs more than the buses save."""
    settings = {"machine.disk": "barracuda", "workload.pattern": "rcc", "workload.record_size": "8KiB"}
    settings |= {"machine.compute_processors": "8", "machine.io_processors": "4", "machine.disks": "8"}
    settings |= {"machine.network.shape": "[4, 3]", "workload.file_size": "8MiB"}
    file, records = tmp_path / "result.json", tmp_path / "records.csv"
    before = run("torus", settings, file, "--explain")
    change = before["explain"]["changes"][0]
    after = run("torus", settings | settings_of(change["settings"]), tmp_path / "after.json")
    rates = [document["result"]["throughput"]["mib_per_s"] for document in (before, after)]
    said = sunstar("explain", str(file)).stdout
    assert f"\nTried: {change['change']}: {rates[0]:.4g} -> {rates[1]:.4g} MiB/s, 0." in said
    assert "Most promising" not in said
    assert said.count("\nTried: ") == len(before["explain"]["changes"])
    table = next(each for change in before["explain"]["changes"] for each in change["settings"] if "table=" in each)
    assert "machine.disk.seek.table: 87 entries, cylinders 1 to 4986, " in said
    assert f"\n  --set '{table}'\n" in sunstar("explain", str(file), "--verbose").stdout
    before["host"]["cpu_seconds"] = 10
    file.write_text(json.dumps(before))
    said = sunstar("explain", str(file)).stdout
    assert f"No change was tried, since a run takes 10 s of the host: sunstar advise {file} tries them." in said
    before["host"]["cpu_seconds"] = 0.1
    before["config"]["workload"] |= {"kind": "trace", "trace": str(records)}
    file.write_text(json.dumps(before))
    assert f"Not possible: {change['change']}: " in sunstar("explain", str(file)).stdout


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
        (["explain", "resources", 0, "busy"], "high", 'resources.0.busy is "high"'),
        (["explain"], [1], "it must be"),
        (["explain", "text"], 1, "text is 1"),
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
    calls = run("torus", settings, file, "--explain")["explain"]["requests"][-1]
    assert calls["stages"]["compute_processor"]["mean_s"] < 0
    assert sum(stage["mean_s"] for stage in calls["stages"].values()) == pytest.approx(calls["total"]["mean_s"])
    assert explained(file.read_bytes(), "the result")


def test_a_run_that_handling_messages_bounds_says_so(sunstar: Sunstar, tmp_path: Path) -> None:
    """The same records of an SP-2 one by one, each in messages of its own, and by strided requests."""
    file = tmp_path / "result.json"
    settings = {"workload.record_size": "1KiB", "workload.fork_size": "256KiB"}
    one_by_one = run("sp2", settings | {"workload.interface": "traditional"}, file, "--explain")
    number = one_by_one["result"]["messages"]
    said = sunstar("explain", str(file)).stdout
    assert f"The processors handle messages: {number:.0f} in all, " in said
    assert "Fewer and larger messages may gain more than faster processors." in said
    assert one_by_one["explain"]["messages"]["share_of_work"] > 0.9
    threads = next(r for r in one_by_one["explain"]["resources"] if r["name"].endswith("ready_threads"))
    assert 0 < threads["busy"] <= 1
    strided = run("sp2", settings | {"workload.interface": "strided"}, file, "--explain")
    assert 5 * strided["result"]["messages"] < number
    assert "The processors handle messages" not in sunstar("explain", str(file)).stdout
