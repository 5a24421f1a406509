# SPDX-License-Identifier: MIT
"""sunstar campaign: configurations are drawn again from their numbers, runs are kept, what fails is made simpler."""

import re
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from sunstar.campaign import command
from sunstar.campaign.draw import Config, configuration, simpler, without_what
from sunstar.cli import single

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
    assert endings["every byte right or reported"] > RUNS / 3
    monkeypatch.setattr(command, "outcome", lambda *_: pytest.fail("a run is made again"))
    assert call(str(tmp_path), "--runs", str(RUNS))[0] == 0


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


def test_what_a_simulator_refuses_is_left_out_but_for_the_workload() -> None:
    config = {"machine": {"bus": {"data_rate": "1B/s"}}, "workload": {"bytes": "1B"}, "faults": [{"place": "nowhere"}]}
    assert without_what("c.json: machine.bus.data_rate is low.", config) == {**config, "machine": {"bus": {}}}
    assert without_what("c.json: faults.0.place is no part.", config) == {**config, "faults": []}
    assert without_what("c.json: workload.bytes is 1B.", config) is None


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
    shares = {"a.utilisation": {"value": 1.5, "unit": "fraction"}, "b.reads": {"value": 7, "unit": "1"}}
    assert list(command.contradictions(shares)) == ["a.utilisation is 1.5"]


def test_a_line_cut_short_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").write_bytes(b'{"number":0,"ended":0,"said":""}\n{"number":1,"en')
    assert [run.number for run in command.read(tmp_path / "runs.jsonl")] == [0]


def test_another_file_system_is_refused(tmp_path: Path) -> None:
    code, _ = call(str(tmp_path), "--file-system", "galey")
    assert code != 0
