# SPDX-License-Identifier: MIT
"""Searches with real simulators: what they find, that they find it again, and that nothing stops them."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Sunstar

from sunstar import optimise
from sunstar.places import project

EXAMPLE = project() / "explore" / "examples" / "cheap_disks.json"
SPEC: dict[str, Any] = {
    "platform": "network",
    "config": {"schema": "sunstar/1", "workload": {"warm_up": 0, "measured": 100}},
    "parameters": {
        "workload.load": {"from": 0.05, "to": 0.6},
        "machine.network.router_delay": {"from": "10ns", "to": "100ns", "scale": "log"},
        "machine.network.topology": {"choices": ["torus", "mesh"]},
    },
    "derived": {"slowness": '"machine.network.router_delay [s]" * 1e9'},
    "objectives": {"accepted": {"maximise": "result.accepted"}, "slow": {"minimise": "-slowness"}},
    "search": {"configurations": 24, "batch": 8, "seed": 3},
}


def written(folder: Path, **changes: Any) -> str:  # noqa: ANN401  any JSON
    path = folder / "tiny.json"
    path.write_text(json.dumps({**SPEC, **changes}))
    return str(path)


def search(method: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {**SPEC["search"], "method": method, **more}


def found(results: Path, name: str = "tiny") -> pl.DataFrame:
    return pl.read_parquet(results / "optimise" / name / "runs.parquet")


def without_host(table: pl.DataFrame) -> pl.DataFrame:
    return table.drop([name for name in table.columns if name.startswith("host.")])


def test_the_example_finds_cheap_and_fast_machines(sunstar: Sunstar, results: Path) -> None:
    done = sunstar("optimise", str(EXAMPLE))
    assert done.exit_code == 0, done.output
    assert "cheap_disks: 0 of 48 configurations were tried before" in done.stdout
    assert "Pareto front: " in done.stdout
    table = found(results, "cheap_disks")
    assert table.height == 48
    best = pl.read_parquet(results / "optimise" / "cheap_disks" / "front.parquet")
    assert best["objective.MiB/s"].is_sorted(descending=True)
    assert best["cost"].is_sorted(descending=True)
    assert best["feasible"].all()
    assert (best["result.latency.p99_s"] <= 0.07).all()
    parts = ["cost.disks", "cost.buses", "cost.processors", "cost.memory", "cost.links"]
    assert best["cost"].to_list() == pytest.approx(best.select(pl.sum_horizontal(parts)).to_series().to_list())
    failed = table.filter(pl.col("exit_code") != 0)
    assert not failed["feasible"].any()
    for name in ("front.csv", "front.png", "journal.jsonl"):
        assert (results / "optimise" / "cheap_disks" / name).stat().st_size > 0
    asked = sunstar("query", "SELECT count(*) AS n FROM runs", "cheap_disks", "--json")
    assert json.loads(asked.stdout) == [{"n": 48}]


@pytest.mark.parametrize("method", ["nsga-ii", "tpe", "random"])
def test_the_same_seed_finds_the_same_with_any_number_of_workers(method: str, sunstar: Sunstar, tmp_path: Path) -> None:
    spec = written(tmp_path, search=search(method))
    tables = []
    for folder, jobs in (("one", "1"), ("again", "1"), ("four", "4")):
        done = sunstar("optimise", spec, "--jobs", jobs, "--results", str(tmp_path / folder))
        assert done.exit_code == 0, done.output
        tables.append(without_host(found(tmp_path / folder)))
    assert tables[0].equals(tables[1], null_equal=True)
    assert tables[0].equals(tables[2], null_equal=True)
    other = written(tmp_path, search=search(method, seed=4))
    sunstar("optimise", other, "--results", str(tmp_path / "other"))
    assert not tables[0].equals(without_host(found(tmp_path / "other")), null_equal=True)


def test_a_finished_search_runs_nothing_and_a_longer_one_goes_on(
    sunstar: Sunstar, tmp_path: Path, results: Path
) -> None:
    first = sunstar("optimise", written(tmp_path))
    before = found(results)
    with closing(sqlite3.connect(results / "runs.sqlite")) as database:
        made = database.execute("SELECT count(*) FROM runs").fetchone()
    again = sunstar("optimise", written(tmp_path))
    assert (first.exit_code, again.exit_code) == (0, 0), again.output
    assert "tiny: 24 of 24 configurations were tried before" in again.stdout
    assert before.equals(found(results), null_equal=True)
    with closing(sqlite3.connect(results / "runs.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM runs").fetchone() == made
    longer = sunstar("optimise", written(tmp_path, search=search("nsga-ii", configurations=40)))
    assert "tiny: 24 of 40 configurations were tried before" in longer.stdout
    assert found(results).height == 40
    other = sunstar("optimise", written(tmp_path, objectives={"accepted": {"maximise": "result.accepted"}}))
    assert ": 0 of 24 configurations were tried before" in other.stdout


def test_a_search_begins_anew_if_a_file_behind_its_configuration_has_changed(sunstar: Sunstar, tmp_path: Path) -> None:
    for name, of in (("a", {"base": "b.json"}), ("b", {"base": "c.json"}), ("c", SPEC["config"])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"schema": "sunstar/1", **of}))
    path = written(tmp_path, config="a.json", search=search("random", configurations=2, batch=2))
    assert ": 0 of 2 configurations were tried before" in sunstar("optimise", path).stdout
    assert ": 2 of 2 configurations were tried before" in sunstar("optimise", path).stdout
    (tmp_path / "c.json").write_text(json.dumps({"schema": "sunstar/1", "workload": {"measured": 120, "warm_up": 0}}))
    assert ": 0 of 2 configurations were tried before" in sunstar("optimise", path).stdout


def test_a_search_that_is_killed_goes_on_where_it_was(sunstar: Sunstar, tmp_path: Path) -> None:
    spec = written(tmp_path, search=search("nsga-ii", configurations=64))
    whole = tmp_path / "whole"
    assert sunstar("optimise", spec, "--jobs", "1", "--results", str(whole)).exit_code == 0
    killed = tmp_path / "killed"
    code = "import sys; from sunstar.cli import app; app()"
    command = [sys.executable, "-c", code, "optimise", spec, "--jobs", "1", "--results", str(killed)]
    journal, kills = killed / "optimise" / "tiny" / "journal.jsonl", 0
    while True:
        size = journal.stat().st_size if journal.exists() else 0
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ)
        while kills < 3 and process.poll() is None and (not journal.exists() or journal.stat().st_size == size):
            time.sleep(0.005)
        if kills < 3:
            time.sleep(0.03)  # while runs are made
            process.send_signal(signal.SIGKILL)
        said = process.communicate()[1].decode()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, said
        kills += 1
    assert kills == 3
    assert without_host(found(killed)).equals(without_host(found(whole)), null_equal=True)


def test_constraints_hold_on_the_front_and_the_sampler_learns_them(
    sunstar: Sunstar, tmp_path: Path, results: Path
) -> None:
    constraints = {
        "little load": {"value": "workload.load", "at_most": 0.2},
        "mesh": "\"machine.network.topology\" = 'mesh'",
    }
    done = sunstar("optimise", written(tmp_path, constraints=constraints, search=search("nsga-ii", configurations=48)))
    assert done.exit_code == 0, done.output
    table = found(results)
    best = table.filter(pl.col("front").is_not_null())
    assert best.height > 0
    assert (best["workload.load"] <= 0.2).all()
    assert (best["machine.network.topology"] == "mesh").all()
    first = table.row(0, named=True)
    assert first["constraint.little load"] == pytest.approx(max(0.0, (first["workload.load"] - 0.2) / 0.2))
    assert table["feasible"][-16:].sum() > table["feasible"][:16].sum()


def test_what_a_constraint_excludes_is_not_run_and_the_title_names_all_aims(
    sunstar: Sunstar, tmp_path: Path, results: Path
) -> None:
    constraints = {
        "mesh": "\"machine.network.topology\" = 'mesh'",
        "quick": {"value": "slowness", "at_most": 60},
        "accepted enough": {"value": "result.accepted", "at_least": 0.01},
    }
    done = sunstar("optimise", written(tmp_path, constraints=constraints))
    assert done.exit_code == 0, done.output
    table = found(results)
    excluded = (table["machine.network.topology"] != "mesh") | (table["slowness"] > 60)
    assert 0 < excluded.sum() < table.height
    assert (table["exit_code"] == 5).to_list() == excluded.to_list()
    assert table.filter(excluded)["result.accepted"].null_count() == excluded.sum()
    assert set(table.filter(excluded)["message"]) == {
        "not run, since it breaks the constraint mesh",
        "not run, since it breaks the constraint quick",
    }
    front = table["front"].count()
    assert f"Pareto front: {front} of 24 configurations tried, by most accepted and least slow; all keep mesh, " in (
        " ".join(done.stdout.split())
    )
    assert f"{excluded.sum()} not made, as their parameters break a constraint" in done.stdout
    last = max(table.filter(table["front"].is_not_null())["run"].to_list())
    says = "a longer search may find better" if last + 1 > 18 else "a longer search would hardly help"
    assert says in done.stdout


def test_when_nothing_is_feasible_the_nearest_is_named(sunstar: Sunstar, tmp_path: Path) -> None:
    constraints = {"impossible": {"value": "workload.load", "at_least": 2}}
    done = sunstar("optimise", written(tmp_path, constraints=constraints))
    assert done.exit_code == 0
    assert "no configuration keeps all constraints; configuration " in done.stdout
    assert "is nearest and misses impossible by " in done.stdout
    told = json.loads(sunstar("optimise", written(tmp_path, constraints=constraints), "--json").stdout)
    assert (told["front"], told["feasible"], told["configurations"]) == ([], 0, 24)


def test_runs_that_fail_do_not_stop_the_search(sunstar: Sunstar, tmp_path: Path, results: Path) -> None:
    parameters = {**SPEC["parameters"], "workload.load": {"choices": [0.1, 7, 0.2]}}
    done = sunstar("optimise", written(tmp_path, parameters=parameters), "--json")
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert 0 < told["failed"] < 24
    table = found(results)
    assert table.filter(pl.col("workload.load") == 7)["message"].str.contains("workload.load is 7").all()
    assert all(each["parameters"]["workload.load"] != 7 for each in told["front"])
    assert set(told["front"][0]["objectives"]) == {"accepted", "slow"}


def test_a_search_without_any_good_run_ends_as_its_runs_do(sunstar: Sunstar, tmp_path: Path) -> None:
    parameters = {"workload.load": {"choices": [7, 8]}}
    changes = {"parameters": parameters, "derived": {}, "objectives": {"a": {"maximise": "result.accepted"}}}
    done = sunstar("optimise", written(tmp_path, **changes))
    assert done.exit_code == 3
    assert "workload.load is " in done.stderr


def test_mistakes_are_said_before_any_run(sunstar: Sunstar, tmp_path: Path, results: Path) -> None:
    wrong = {
        "accepted": {"maximise": "result.acepted"},
        "no": {"minimise": "nothing + 1"},
        "cost": {"minimise": "cost"},
    }
    done = sunstar("optimise", written(tmp_path, objectives=wrong, constraints={"x": "1 +"}))
    assert done.exit_code == 3
    for place in ("objectives.no.minimise is nothing + 1", "objectives.cost.minimise is cost", "constraints.x is 1 +"):
        assert f"{place}; DuckDB says: " in done.stderr
    assert not results.exists()
    assert sunstar("optimise").exit_code == 2
    assert sunstar("optimise", written(tmp_path, platform="none")).exit_code == 3
    missing = sunstar("optimise", written(tmp_path, prices="none.json"))
    assert missing.exit_code == 3
    assert "prices is none.json, but there is no file" in missing.stderr


def test_a_figure_that_no_run_has_is_named(sunstar: Sunstar, tmp_path: Path) -> None:
    wrong = {"accepted": {"maximise": '"result.acepted" + 0'}}
    done = sunstar("optimise", written(tmp_path, objectives=wrong))
    assert done.exit_code == 3
    assert 'no run has the figure result.acepted; did you mean "result.accepted"?' in done.stderr


def test_the_schemas_describe_specifications_and_price_lists(sunstar: Sunstar) -> None:
    schema = json.loads(sunstar("optimise", "--schema").stdout)
    assert set(json.loads(EXAMPLE.read_text())) <= set(schema["properties"])
    prices = json.loads(sunstar("optimise", "--prices-schema").stdout)
    assert set(json.loads((EXAMPLE.parent / "prices.json").read_text())) <= set(prices["properties"])


def test_a_search_in_python_gives_the_table_of_configurations(results: Path) -> None:
    tables = [optimise({**SPEC, "name": "mine", "search": search("random", configurations=8)}) for _ in range(2)]
    assert tables[0].equals(tables[1], null_equal=True)
    assert tables[0]["front"].drop_nulls().sort().to_list()[0] == 0
    assert found(results, "mine").equals(tables[0], null_equal=True)


def test_the_cm1_example_skips_with_a_message_without_its_trace(tmp_path: Path) -> None:
    program = project() / "explore" / "examples" / "cm1.py"
    environment = {**os.environ, "SUNSTAR_SHARED": str(tmp_path)}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("skipped: there is no trace ")
