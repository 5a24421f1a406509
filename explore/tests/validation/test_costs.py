# SPDX-License-Identifier: MIT
import json
from pathlib import Path

import pytest
from conftest import Sunstar

from sunstar import Point, RunError
from sunstar.runs.simulator import effective_config
from sunstar.validation import costs as counting
from sunstar.validation.comparing import Row
from sunstar.validation.costs import Counted, Scenario, merge, parse, unmarked_share

NAMES = ("interrupt", "copy", "copy_per_byte", "piece", "piece_dimension", "log_append")


def counted(times: dict[str, float], cycles: dict[str, float]) -> Counted:
    """One run in which instructions take two cycles each."""
    printed = [{"name": name, "calibrated": 50, "times": times.get(name, 0)} for name in NAMES]
    regions: dict[str, dict[str, float]] = {
        "0": {"instructions": 5, "cycles": 10, "instruction_misses": 0, "data_misses": 0}
    }
    for number, name in enumerate(NAMES, start=1):
        if name in cycles:
            all_of_it = cycles[name]
            regions[str(number)] = {
                "instructions": all_of_it / 2,
                "cycles": all_of_it,
                "instruction_misses": 0,
                "data_misses": 0,
            }
    return parse(json.dumps(printed), json.dumps(regions))


def rows_of(runs: dict[Scenario, Counted]) -> dict[str, Row]:
    return {row["primitive"]: row for row in merge(runs)}


def test_the_plugin_numbers_primitives_from_1_in_the_order_of_the_program() -> None:
    run = counted({"interrupt": 3}, {"interrupt": 240, "piece": 8})
    assert list(run.counts["interrupt"]) == [120, 240, 0, 0]
    assert list(run.counts["piece"]) == [4, 8, 0, 0]
    assert list(run.counts["copy"]) == [0, 0, 0, 0]
    assert list(run.counts["unmarked"]) == [5, 10, 0, 0]
    assert unmarked_share([run]) == pytest.approx(10 / 258)


def test_a_primitive_takes_the_mean_of_all_runs_that_carry_it_out() -> None:
    rows = rows_of(
        {
            Scenario("a", "rc", 8, 1): counted({"interrupt": 1}, {"interrupt": 100}),
            Scenario("b", "rc", 8, 1): counted({"interrupt": 3}, {"interrupt": 60}),
            Scenario("c", "rc", 8, 1): counted({}, {"interrupt": 1000}),  # marked, but not carried out
        }
    )
    assert list(rows["interrupt"].values())[:5] == ["interrupt", 4, 50, 20, 40]
    assert rows["interrupt"]["ratio"] == pytest.approx(2.5)
    assert rows["interrupt"]["outside"]
    assert list(rows["log_append"].values())[:5] == ["log_append", 0, 50, None, None]
    assert not rows["log_append"]["outside"]


def test_bytes_are_priced_where_whole_blocks_are_copied_and_the_rest_is_setting_up() -> None:
    rows = rows_of(
        {
            # 8192 bytes take 4096 cycles: half a cycle each.
            Scenario("a", "wc", 8192, 1): counted(
                {"copy": 1, "copy_per_byte": 8192}, {"copy": 900, "copy_per_byte": 4096}
            ),
            # 10 copies of 8 bytes take 30 + 14 cycles each; 4 of them are the price of the bytes.
            Scenario("a", "wc", 8, 1): counted({"copy": 10, "copy_per_byte": 80}, {"copy": 300, "copy_per_byte": 140}),
        }
    )
    assert rows["copy_per_byte"]["cycles"] == pytest.approx(2 * 0.5)  # a 32-bit processor moves half as much at once
    assert rows["copy"]["cycles"] == pytest.approx(40)
    assert rows["copy_per_byte"]["outside"]  # 50 against 0.5


def test_a_dimension_is_what_matrices_take_more_than_vectors() -> None:
    vector = counted({"piece": 10, "piece_dimension": 10}, {"piece": 500})
    matrix = counted({"piece": 10, "piece_dimension": 20}, {"piece": 700})
    rows = rows_of({Scenario("a", "rc", 8, 1): vector, Scenario("a", "rcc", 8, 1): matrix})
    assert rows["piece"]["cycles"] == pytest.approx(30)
    assert rows["piece_dimension"]["cycles"] == pytest.approx(20)
    quicker = counted({"piece": 10, "piece_dimension": 20}, {"piece": 400})
    rows = rows_of({Scenario("a", "rc", 8, 1): vector, Scenario("a", "rcc", 8, 1): quicker})
    assert rows["piece"]["cycles"] == pytest.approx(50)
    assert rows["piece_dimension"]["cycles"] == 0
    assert rows["piece_dimension"]["outside"]
    assert rows["piece_dimension"]["ratio"] is None


def test_counts_that_do_not_fit_the_program_are_an_error() -> None:
    printed = '[{"name": "interrupt", "calibrated": 60, "times": 1}]'
    with pytest.raises(RunError, match="for primitive 2, but there are 1"):
        parse(printed, '{"2": {"instructions": 1, "cycles": 1, "instruction_misses": 0, "data_misses": 0}}')
    with pytest.raises(RunError, match="no counts that can be read"):
        parse(printed, "no JSON")


def test_the_simulator_takes_counted_costs_as_its_configuration(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"schema": "sunstar/1", "machine": {"costs": {"interrupt": 178.7}}}))
    assert effective_config(Point(config=config))["machine"]["costs"]["interrupt"] == 178.7


def test_without_the_tools_the_command_names_the_debian_packages(
    sunstar: Sunstar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = sunstar("validate", "costs")
    assert done.exit_code == 3
    assert "apt-get install g++-riscv64-linux-gnu qemu-user" in done.stderr


def test_every_primitive_is_counted_and_little_belongs_to_none(sunstar: Sunstar, tmp_path: Path) -> None:
    if counting.missing_tools():
        pytest.skip(f"{', '.join(counting.missing_tools())} missing; this test needs {counting.PACKAGES}")
    done = sunstar("validate", "costs", "--results", str(tmp_path))
    folder = tmp_path / "validation" / "costs"
    rows = json.loads((folder / "costs.json").read_text())
    assert not any(row["outside"] for row in rows), done.output
    assert done.exit_code == 0
    assert all(row["instructions"] and row["instructions"] > 0 for row in rows)
    # A difference of two counts, which other misses may make smaller.
    assert all(row["cycles"] >= row["instructions"] for row in rows if row["primitive"] != "piece_dimension")
    # The trap alone saves and restores 16 registers.
    assert next(row for row in rows if row["primitive"] == "interrupt")["instructions"] > 32
    # A division, one for quotient and remainder together, is most of what a dimension takes.
    assert 35 < next(row for row in rows if row["primitive"] == "piece_dimension")["instructions"] < 70
    config = json.loads((folder / "config.json").read_text())
    assert config["machine"]["costs"].keys() == {row["primitive"] for row in rows}
    share = float(done.output.split("in no primitive: ")[1].split(" %")[0])
    assert share < 10
