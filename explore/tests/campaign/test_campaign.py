# SPDX-License-Identifier: MIT
"""sunstar campaign: configurations are drawn again from their numbers, runs are kept, what fails is made simpler."""

import re
from math import inf, nan
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from sunstar.campaign import command
from sunstar.campaign.command import Config, configuration, mended, other_kinds, simpler
from sunstar.cli import single
from sunstar.configurations import leaves

RUNS = 48


def call(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(single("campaign", {"at": "campaign.command:campaign"}), list(arguments))
    return done.exit_code, done.output


def test_a_campaign_finds_nothing_and_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, said = call(str(tmp_path), "--runs", str(RUNS))
    assert code == 0, said
    endings = {ending: int(count) for count, ending in re.findall(r"^ +(\d+) (.+)$", said, re.MULTILINE)}
    assert endings.keys() == {"every byte right or reported", "refused in a sentence"}
    assert sum(endings.values()) == RUNS
    assert endings["every byte right or reported"] > 0.8 * RUNS
    monkeypatch.setattr(command, "outcome", lambda *_: pytest.fail("a run is made again"))
    assert call(str(tmp_path), "--runs", str(RUNS))[0] == 0


def test_random_machines_whose_nodes_exchange_messages_end_well() -> None:
    runs = [command.carried_out(number, {"workload": ["exchange"]}) for number in range(24)]
    assert {config["workload"]["kind"] for _, config in runs} == {"exchange"}
    assert not [run for run, _ in runs if run.failed]
    assert sum(run.ended == 0 for run, _ in runs) > 0.8 * len(runs)


def test_runs_of_another_file_system_or_another_build_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "outcome", lambda *_: (0, ""))
    assert call(str(tmp_path), "--runs", "3", "--file-system", "galley")[0] == 0
    monkeypatch.setattr(command, "outcome", lambda *_: (4, "new"))
    assert call(str(tmp_path), "--runs", "3", "--file-system", "pvfs")[0] == 4
    assert call(str(tmp_path), "--runs", "3", "--file-system", "galley")[0] == 0
    monkeypatch.setattr(command, "digest_of_program", lambda _: "of another build")
    assert call(str(tmp_path), "--runs", "3", "--file-system", "galley")[0] == 4


def test_the_same_number_is_the_same_configuration() -> None:
    assert configuration(7) == configuration(7)
    assert configuration(7) != configuration(8)
    only = {"file_system": ["galley"]}
    assert {configuration(n, only=only)["file_system"]["kind"] for n in range(20)} == {"galley"}


def test_what_a_simulator_refuses_is_left_out_but_for_sizes_of_the_workload() -> None:
    config = {"machine": {"bus": {"data_rate": "1B/s"}}, "workload": {"bytes": "1B"}, "faults": [{"place": "nowhere"}]}
    assert mended("c.json: machine.bus.data_rate is low.", config) == {**config, "machine": {"bus": {}}}
    assert mended("c.json: faults.0.place is no part.", config) == {**config, "faults": []}
    assert mended("c.json: workload.bytes is 1B.", config) is None


@pytest.mark.parametrize(
    ("refusal", "path", "value"),
    [
        ('machine.bus.data_rate is "1B/s"; it must be between 1kB/s and 10GB/s.', "machine.bus.data_rate", "1kB/s"),
        ('machine.bus.data_rate is "1TB/s"; it must be between 1kB/s and 10GB/s.', "machine.bus.data_rate", "10GB/s"),
        ("machine.node.cores is 300; it must be between 1 and 256.", "machine.node.cores", 256),
        ("workload.bytes is 100; it must be a multiple of request_size, 64 bytes.", "workload.bytes", "128B"),
        ("workload.bytes is 9 bytes; it must be whole blocks for 3 nodes, a multiple of 5.", "workload.bytes", "10B"),
        ("machine.array.disks is 3; it must be a multiple of the copies, 2.", "machine.array.disks", 4),
        (
            "faults.0.effect is stop, but machine.peers.kind is trusted: so; set it to watched.",
            "machine.peers.kind",
            "watched",
        ),
        (
            "workload.nodes is 7, for which 7 nodes are needed in all; the machine has 2 processors.",
            "workload.nodes",
            2,
        ),
    ],
)
def test_a_value_that_a_refusal_allows_replaces_the_refused_one(refusal: str, path: str, value: object) -> None:
    config = {"machine": {"array": {"disks": 3}}, "workload": {"bytes": "100B", "nodes": 7}}
    assert dict(leaves(mended(refusal, config))) == {**dict(leaves(config)), path: value}


def test_kinds_that_a_refusal_allows_are_drawn_from() -> None:
    refusal = "workload.kind is forks; set file_system.kind to galley, pvfs or locking, or calls to true."
    assert other_kinds(refusal, {"file_system": ["pvfs", "hybrid"]}) == {"file_system": ["pvfs"]}
    assert other_kinds(refusal, {"file_system": ["hybrid"]}) == {}
    assert "arrivals" in other_kinds("workload.kind must be arrivals for an array.", {})["workload"]


def test_what_fails_is_made_simpler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_with_a_hang(_: int, __: str, config: Config) -> tuple[int, str]:
        hangs = any(fault["effect"] == "hang" for fault in config.get("faults", ()))
        return (4, "it hangs") if hangs else (0, "")

    monkeypatch.setattr(command, "outcome", fails_with_a_hang)
    code, said = call(str(tmp_path), "--runs", "60")
    assert code == 4
    assert "it hangs\n  sunstar-torus --config " in said
    kept = [orjson.loads(file.read_bytes()) for file in tmp_path.glob("failing-*/config.json")]
    assert kept
    for config in kept:
        (fault,) = config["faults"]
        assert set(fault) == {"place", "effect"}
        assert set(config["file_system"]) == {"kind"}
        assert not any(fails_with_a_hang(0, "torus", each)[0] for each in simpler(config))


def test_a_result_that_contradicts_itself_is_found() -> None:
    statistics = {
        "a.utilisation": {"value": 1.5, "unit": "fraction"},
        "b.rate": {"value": inf, "unit": "1/s"},
        "c.mean": {"value": nan, "unit": "s"},
        "d.reads": {"value": 7, "unit": "1"},
    }
    document: dict[str, Any] = {"statistics": statistics, "result": {"bytes_moved": 0, "elapsed_s": 0}}
    without_bytes = "no bytes moved, and no warning says why"
    wrong = ["a.utilisation is 1.5", "b.rate is inf", "c.mean is nan", without_bytes]
    assert list(command.contradictions(document)) == wrong
    document["result"]["warnings"] = ["a drive is too slow"]
    assert without_bytes not in command.contradictions(document)
    document["result"]["bytes_moved"] = 8
    assert "bytes moved in no time" in command.contradictions(document)


def test_a_line_cut_short_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_bytes(b'{"number":0,"ended":0,"said":""}\n{"number":1,"en')
    assert [run.number for run in command.read(tmp_path / "runs.jsonl")] == [0]


def test_another_file_system_is_refused(tmp_path: Path) -> None:
    code, _ = call(str(tmp_path), "--file-system", "galey")
    assert code != 0
