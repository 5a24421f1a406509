# SPDX-License-Identifier: MIT
"""Sweeps of real simulators: what the command prints, what the tables hold, and what questions are answered."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Pretend, Sunstar

from sunstar import FileError, NetworkResult, RunError, UsageError, console, sweep
from sunstar.places import project
from sunstar.sweeps.sweep import begin, planned

EXAMPLE = project() / "explore" / "examples" / "disks.json"
TINY = {"workload.warm_up": 0, "workload.measured": 100}


def written(folder: Path, spec: dict[str, Any]) -> str:
    path = folder / "tiny.json"
    path.write_text(json.dumps(spec))
    return str(path)


def network(parameters: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"platform": "network", "parameters": {"list": [TINY], **parameters}, **more}


def test_the_example_is_run_and_a_second_call_runs_nothing(sunstar: Sunstar, results: Path) -> None:
    first, second = (sunstar("sweep", str(EXAMPLE)) for _ in range(2))
    assert first.exit_code == second.exit_code == 0, first.output
    assert "disks: 0 of 12 runs were finished before\n" in first.stdout
    assert "disks: 12 of 12 runs were finished before\n12 runs done, 0 failed\n" in second.stdout
    table = pl.read_parquet(results / "sweeps" / "disks" / "runs.parquet")
    assert table.height == 12
    assert table["workload.record_size [B]"].to_list()[:3] == [512, 2048, 8192]
    assert table["result.verified"].all()
    derived = table["result.throughput.mib_per_s"] / table["machine.disks"]
    assert table["MiB/s a disk"].to_list() == pytest.approx(derived.to_list())


def test_every_machine_runs_every_file_system_on_every_fabric(sunstar: Sunstar, results: Path) -> None:
    done = sunstar("sweep", str(EXAMPLE.with_name("fabrics.json")))
    assert "135 runs done, 0 failed\n" in done.stdout, done.output
    table = pl.read_parquet(results / "sweeps" / "fabrics" / "runs.parquet")
    assert table["result.verified"].all()
    assert table.select("base", "machine.network.kind", "file_system.kind").n_unique() == 3 * 5 * 9
    assert table["result.throughput.mib_per_s"].n_unique() > 3 * 5


def test_a_sweep_says_how_many_runs_lost_bytes(sunstar: Sunstar, tmp_path: Path) -> None:
    dead = {"place": "iop0_scsi0.disk0", "effect": "dead", "trigger": {"kind": "operation", "number": 4}}
    config = {"schema": "sunstar/1", "workload": {"file_size": "1MiB"}}
    spec = {"platform": "torus", "config": config, "parameters": {"grid": {"faults": [[], [dead]]}}}
    done = sunstar("sweep", written(tmp_path, spec))
    assert "2 runs done, 0 failed, 1 lost bytes (column result.bytes_lost [B])\n" in done.stdout, done.output


def test_a_sweep_that_was_interrupted_is_read_as_far_as_it_is_kept_and_never_as_yesterdays(
    sunstar: Sunstar, tmp_path: Path, results: Path
) -> None:
    count = "SELECT count(*), min(run), max(run) FROM runs"
    shared = tmp_path / "shared.json"
    shared.write_text('{"schema": "sunstar/1"}')
    double = {"double": '2 * "workload.load"'}
    first = network({"grid": {"workload.load": [0.3, 0.4, 0.5]}}, config="shared.json", derived=double)
    spec = written(tmp_path, first)
    assert sunstar("sweep", spec).exit_code == 0
    assert sunstar("query", count, "tiny", "--csv").output.splitlines()[1:] == ["3,0,2"]
    other = {**first, "parameters": {"list": [TINY], "grid": {"workload.load": [0.1, 0.4, 7, 0.2]}}}
    written(tmp_path, other)
    changed = sunstar("query", count, "tiny", "--csv")
    assert "Warning: tiny has 3 runs as specified at 20" in changed.stderr
    assert f"{spec} changed after that, so call the sweep again" in changed.stderr
    begin(results / "sweeps" / "tiny", planned(spec))  # as of a call that was killed before its first run
    done = sunstar("query", 'SELECT run, "workload.load", double, exit_code FROM runs', "tiny", "--csv")
    assert "Warning: tiny has not ended: 2 of 4 runs are kept, in " in done.stderr
    assert done.stdout.splitlines()[1:] == ["1,0.4,0.8,0", "2,7.0,14.0,3"]
    assert "2 of 4 runs are kept" in sunstar("report", "tiny", "--output", str(tmp_path / "r.html")).stderr
    assert "2 of 4 runs are kept" in sunstar("compare", "tiny", str(results / "sweeps" / "tiny")).stderr
    assert "there is no run 3: tiny has the 2 runs so far" in sunstar("compare", "tiny:1", "tiny:3").stderr
    assert sunstar("sweep", spec).exit_code == 4
    whole = sunstar("query", count, "tiny", "--csv")
    assert (whole.stdout.splitlines()[1], whole.stderr) == ("4,0,3", "")
    shared.write_text('{"schema": "sunstar/1", "run": {"seed": 2}}')
    assert f"{shared} changed after that" in sunstar("query", count, "tiny").stderr


def test_another_sweep_makes_only_runs_that_no_other_has_made(sunstar: Sunstar, tmp_path: Path) -> None:
    sunstar("sweep", written(tmp_path, network({"grid": {"workload.load": [0.1, 0.2]}})))
    other = network({"grid": {"workload.load": [0.2, 0.3]}}, name="other")
    done = sunstar("sweep", written(tmp_path, other))
    assert "other: 1 of 2 runs were finished before" in done.stdout


def test_a_bad_point_does_not_stop_the_others(sunstar: Sunstar, tmp_path: Path) -> None:
    spec = written(tmp_path, network({"grid": {"workload.load": [0.1, 7, 0.2]}}))
    done = sunstar("sweep", spec, "--json")
    assert done.exit_code == 4
    told = json.loads(done.stdout)
    assert (told["runs"], told["done"], [each["run"] for each in told["failed"]]) == (3, 2, [1])
    assert told["failed"][0]["exit_code"] == 3
    assert "workload.load is 7" in told["failed"][0]["message"]
    table = pl.read_parquet(told["table"])
    assert table["exit_code"].to_list() == [0, 3, 0]
    assert table["result.accepted"].is_null().to_list() == [False, True, False]


def test_a_sweep_without_any_good_point_is_a_faulty_configuration(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("sweep", written(tmp_path, network({"grid": {"workload.laod": [0.1, 0.2]}})))
    assert done.exit_code == 3
    assert 'did you mean "load"?' in done.stderr


def test_check_names_all_points_that_are_wrong_and_runs_none(sunstar: Sunstar, tmp_path: Path, results: Path) -> None:
    # The first does not read, and the second has no room for its nodes, which only a machine that is built shows.
    spec = {
        "platform": "torus",
        "parameters": {"grid": {"machine.network.shape": [[0, 6], [2, 2], [6, 6]]}},
    }
    done = sunstar("sweep", written(tmp_path, spec), "--check")
    assert done.exit_code == 3
    assert "run 0 (machine.network.shape=[0, 6]): " in done.stderr
    assert "run 1 (machine.network.shape=[2, 2]): " in done.stderr
    assert "has 4 routers; the machine has 32 nodes" in done.stderr
    assert "1 of 3 points are in order" in done.stdout
    assert not results.exists()
    assert sunstar("sweep", str(EXAMPLE), "--check", "--json").exit_code == 0


def test_check_names_points_that_are_one_run_each_by_itself(sunstar: Sunstar, tmp_path: Path) -> None:
    spec = {
        "platform": "torus",
        "parameters": {"list": [{"machine.network.shape": [2, 2], "run.jobs": n} for n in (1, 2)]},
    }
    told = json.loads(sunstar("sweep", written(tmp_path, spec), "--check", "--json").stdout)
    assert [each["run"] for each in told["bad"]] == [0, 1]


def test_mistakes_of_a_specification_have_the_exit_code_of_a_configuration(sunstar: Sunstar, tmp_path: Path) -> None:
    assert sunstar("sweep", written(tmp_path, {"platform": "torus", "grid": {}})).exit_code == 3
    assert sunstar("sweep", written(tmp_path, {"platform": "none"})).exit_code == 3
    assert sunstar("sweep").exit_code == 2
    bad = network({}, derived={"x": "no_such_column + 1"})
    done = sunstar("sweep", written(tmp_path, bad))
    assert done.exit_code == 3
    assert "derived.x is no_such_column + 1; DuckDB says: " in done.stderr


def test_the_schema_of_specifications_accepts_the_example(sunstar: Sunstar) -> None:
    schema = json.loads(sunstar("sweep", "--schema").stdout)
    assert schema["additionalProperties"] is False
    assert set(json.loads(EXAMPLE.read_text())) <= set(schema["properties"])


def test_questions_are_answered_as_a_table_as_json_and_as_csv(sunstar: Sunstar, tmp_path: Path) -> None:
    spec = network({"grid": {"workload.load": [0.1, 0.2]}}, repetitions={"seeds": [1, 2]})
    assert sunstar("sweep", written(tmp_path, spec), "--resources").exit_code == 0
    question = 'SELECT "workload.load", count(*) AS n FROM runs GROUP BY 1 ORDER BY 1'
    assert json.loads(sunstar("query", question, "--json").stdout) == [
        {"workload.load": 0.1, "n": 2},
        {"workload.load": 0.2, "n": 2},
    ]
    rows = list(csv.reader(io.StringIO(sunstar("query", question, "tiny", "--csv").stdout)))
    assert rows == [["workload.load", "n"], ["0.1", "2"], ["0.2", "2"]]
    assert "│           0.1 │ 2 │" in sunstar("query", question).stdout
    busy = "SELECT DISTINCT unit FROM resources WHERE resource = 'machine.network' AND statistic = 'busiest_channel'"
    assert json.loads(sunstar("query", busy, "--json").stdout) == [{"unit": "fraction"}]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["SELECT 1"], 3, "there is no sweep in "),
        (["SELECT 1", "--json", "--csv"], 2, "leave one out"),
    ],
)
def test_questions_that_cannot_be_answered_are_told_in_a_sentence(
    arguments: list[str], code: int, said: str, sunstar: Sunstar
) -> None:
    done = sunstar("query", *arguments)
    assert done.exit_code == code
    assert said in done.stderr


def test_a_name_without_quotes_gets_a_hint(sunstar: Sunstar, tmp_path: Path) -> None:
    assert sunstar("sweep", written(tmp_path, network({"grid": {"workload.load": [0.1]}}))).exit_code == 0
    hint = "Names with dots or units need double quotes, and in a shell the whole question single ones: "
    assert hint + '"workload.load"' in sunstar("query", "SELECT workload.load FROM runs").stderr
    assert hint not in sunstar("query", 'SELECT "workload.load" FROM runs WHERE').stderr
    assert hint not in sunstar("query", "SELECT none FROM runs WHERE message = 'workload.load'").stderr


def test_columns_of_one_name_and_numbers_that_json_lacks_are_answered(sunstar: Sunstar, tmp_path: Path) -> None:
    sunstar("sweep", written(tmp_path, network({"grid": {"workload.load": [0.1]}})))
    told = json.loads(sunstar("query", "SELECT 1 AS a, 2 AS a, 'nan'::DOUBLE AS b, 0.5 AS c", "--json").stdout)
    assert told == [{"a": 1, "a_2": 2, "b": None, "c": "0.5"}]
    assert "the question is empty" in sunstar("query", "").stderr


def test_a_damaged_table_is_told_in_a_sentence(sunstar: Sunstar, tmp_path: Path, results: Path) -> None:
    sunstar("sweep", written(tmp_path, network({})))
    (results / "sweeps" / "tiny" / "runs.parquet").write_text("hello")
    done = sunstar("query", "SELECT 1 FROM runs")
    assert done.exit_code == 3
    assert "runs.parquet as a Parquet table; call its sweep again" in done.stderr


def test_a_wrong_question_is_answered_by_what_duckdb_says(sunstar: Sunstar, tmp_path: Path) -> None:
    sunstar("sweep", written(tmp_path, network({})))
    done = sunstar("query", "SELECT laod FROM runs")
    assert done.exit_code == 2
    assert 'Referenced column "laod" not found' in done.stderr
    assert "there is no sweep none in" in sunstar("query", "SELECT 1", "none").stderr


def test_the_table_of_resources_says_the_unit_and_what_each_value_is(sunstar: Sunstar, tmp_path: Path) -> None:
    sunstar("sweep", written(tmp_path, network({})))
    question = "SELECT * FROM resources WHERE statistic = 'busiest_channel'"
    [row] = json.loads(sunstar("query", question, "--json").stdout)
    assert row["unit"] == "fraction" and "channel" in row["description"]
    # Every column has room where there is no terminal.
    assert row["description"] in sunstar("query", question).stdout
    assert "result.accepted" in sunstar("query", "SELECT * FROM runs").stdout


@pytest.mark.parametrize(
    "question",
    [
        "SELECT * FROM read_csv('{0}/secret.csv')",
        "COPY runs TO '{0}/out.csv'",
        "COPY (SELECT 1) TO '{0}/results/sweeps/tiny/runs.parquet' (FORMAT parquet, USE_TMP_FILE false)",
        "ATTACH '{0}/other.db'",
        "SET enable_external_access = true",
    ],
)
def test_a_question_reads_and_writes_no_other_file_unless_it_may(
    question: str, sunstar: Sunstar, tmp_path: Path, results: Path
) -> None:
    sunstar("sweep", written(tmp_path, network({})))
    (tmp_path / "secret.csv").write_text("a\n1\n")
    table = results / "sweeps" / "tiny" / "runs.parquet"
    before = table.read_bytes()
    question = question.format(tmp_path)
    done = sunstar("query", question)
    assert done.exit_code == 2, done.output
    assert "the question cannot be answered: " in done.stderr
    assert table.read_bytes() == before and not (tmp_path / "out.csv").exists()
    if "results" not in question and "SET" not in question:
        assert sunstar("query", question, "--files").exit_code == 0


def test_a_derived_column_reads_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(FileError, match="file system operations are disabled"):
        sweep(network({}, name="spy", derived={"x": f"SELECT max(a) FROM read_csv('{tmp_path}/secret.csv')"}))


def test_a_question_that_never_ends_is_given_up(sunstar: Sunstar, tmp_path: Path) -> None:
    sunstar("sweep", written(tmp_path, network({})))
    done = sunstar("query", "SELECT count(*) FROM range(10000000) a, range(10000000) b", "--seconds", "0.2")
    assert done.exit_code == 2
    assert "the question was not answered within 0.2 s" in done.stderr
    assert sunstar("query", "SELECT 1", "--seconds", "60").exit_code == 0


def test_a_sweep_in_python_gives_a_frame_results_and_resources() -> None:
    found = sweep(network({"grid": {"workload.load": [0.1, 7]}}, name="mine"))
    frame = found.frame()
    assert frame["workload.load"].to_list() == [0.1, 7]
    result = found.result(0)
    assert isinstance(result, NetworkResult)
    assert result.result.accepted == frame["result.accepted"][0]
    assert set(found.resources()["run"]) == {0}
    assert found.query("SELECT max(run) AS last FROM runs")["last"].to_list() == [1]
    with pytest.raises(RunError, match=r"workload\.load is 7"):
        found.result(1)
    with pytest.raises(UsageError, match="there is no run 99: mine has the runs 0 to 1"):
        found.result(99)
    in_pandas = frame.to_pandas()
    assert list(in_pandas.columns) == frame.columns and in_pandas["result.accepted"].isna().tolist() == [False, True]


def test_a_sweep_in_python_says_what_was_finished_before_and_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    sweep(network({"grid": {"workload.load": [0.1]}}, name="mine"))
    more = network({"grid": {"workload.load": [0.1, 7, 0.2]}}, name="mine")
    capsys.readouterr()
    sweep(more)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "mine: 1 of 3 runs were finished before"
    assert second.startswith("mine: 1 of 3 runs failed; the first: --set workload.load=7: workload.load is 7")
    sweep(more, quiet=True)
    assert capsys.readouterr() == ("", "")


def test_a_long_sweep_says_how_far_it_is_every_ten_seconds_where_there_is_no_terminal(
    pretend: Pretend, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert console.EVERY_S == 10
    monkeypatch.setattr(console, "EVERY_S", 0.2)
    pretend("import time\ntime.sleep(0.7)\nresult(1)\n")
    sweep({"name": "long", "platform": "torus", "parameters": {"grid": {"run.seed": [1, 2, 3, 4]}}}, jobs=1)
    lines = capsys.readouterr().err.splitlines()
    assert "long: 0 of 4" in lines  # before any has ended
    assert any(line.startswith("long: 3 of 4, 0 failed, ") for line in lines)


FORKS = {"workload.record_size": "64KiB", "workload.fork_size": "1MiB"}
FEW = {"machine.io_processors": 2, "machine.disks": 2}


@pytest.mark.parametrize(
    ("platform", "settings", "figure", "column"),
    [
        ("torus", {"workload.file_size": "256KiB"}, "result.calls", "rank"),
        ("torus", {"workload.file_size": "256KiB", "file_system.kind": "disk-directed"}, "result.calls", "rank"),
        ("sp2", {**FORKS, **FEW}, "result.calls", "length"),
        ("cluster", {"workload.bytes": "3MiB"}, "result.calls", "op"),
        ("network", TINY, None, "hops"),
        ("disk", {"workload.requests": 50}, "result.requests", "lbn"),
    ],
)
def test_a_sweep_of_every_platform_can_keep_its_requests(
    platform: str, settings: dict[str, Any], figure: str | None, column: str
) -> None:
    spec = {"name": "kept", "platform": platform, "parameters": {"list": [settings]}, "repetitions": {"seeds": [1, 2]}}
    found = sweep(spec, requests=True)
    requests = found.requests()
    assert column in requests.columns
    several = pl.col("calls").sum() if "calls" in requests.columns else pl.len()  # a line may stand for several
    counts = dict(requests.group_by("run").agg(several).iter_rows())
    assert set(counts) == {0, 1} and min(counts.values()) >= 1
    if figure:
        assert counts == dict(found.frame().select("run", figure).iter_rows())
    for tables in ("requests JOIN runs USING (run)", "runs, requests WHERE runs.run = requests.run"):
        asked = found.query(f"SELECT count(*) AS n FROM {tables}")
        assert asked["n"].to_list() == [requests.height]
    assert column in found.query("DESCRIBE requests")["column_name"]


def test_a_sweep_without_requests_says_how_to_keep_them_and_then_makes_its_runs_again(
    sunstar: Sunstar, tmp_path: Path, results: Path
) -> None:
    spec = written(tmp_path, network({}))
    sunstar("sweep", spec)
    question = "SELECT count(*) AS n FROM requests"
    refused = sunstar("query", question)
    assert refused.exit_code == 3
    assert "the runs of tiny have kept no requests; call the sweep again with --requests" in refused.stderr
    again = sunstar("sweep", spec, "--requests")
    assert "tiny: 0 of 1 runs were finished before" in again.stdout
    assert (results / "sweeps" / "tiny" / "requests.parquet").exists()
    assert json.loads(sunstar("query", question, "--json").stdout)[0]["n"] > 100


def test_columns_of_several_kinds_and_of_missing_values_are_kept(results: Path) -> None:
    rows = [
        {"workload.pattern": "rb", "workload.record_size": "8KiB"},
        {"workload.kind": "streams"},
        {"machine.network.shape": [6, 7]},
    ]
    base = {"schema": "sunstar/1", "workload": {"file_size": "64KiB"}}
    frame = sweep({"name": "mixed", "platform": "torus", "config": base, "parameters": {"list": rows}}).frame()
    assert frame["workload.record_size [B]"].to_list() == [8192, None, None]
    assert frame["machine.network.shape"].to_list() == [None, None, "[6, 7]"]
    assert results.exists()


def test_a_specification_without_a_name_in_python_is_called_unnamed() -> None:
    assert sweep(network({})).folder.name == "unnamed"
    with pytest.raises(FileError, match="the specification: platform is missing"):
        sweep({})
