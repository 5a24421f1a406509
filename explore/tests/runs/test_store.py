# SPDX-License-Identifier: MIT
"""The store of finished runs: nothing in it is lost, half there, or out of date."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Pretend

from sunstar import FileError, MachineResult, Point, RunError, run
from sunstar.runs.runner import FILE, Runner, Store
from sunstar.runs.simulator import Identities, Outcome, Run, effective_config, plan

COUNTING = """
    open({calls!r}, "a").write(".")
    if settings.get("fails") == "yes":
        sys.exit("it fails")
    result(len(open({calls!r}).read()))
    """


@pytest.fixture
def calls(tmp_path: Path, pretend: Pretend) -> Path:
    """A file with a dot for each run of a simulator whose throughput is the number of runs so far."""
    path = tmp_path / "calls"
    path.touch()
    pretend(COUNTING.format(calls=str(path)))
    return path


def made(calls: Path) -> int:
    return len(calls.read_text())


def get_all(points: list[Point], folder: Path, retry_failed: bool = False) -> list[Run]:
    with Store(folder) as store:
        return Runner(store, retry_failed=retry_failed).all(plan(points), lambda _, __: None)


def test_a_finished_run_is_not_made_again(calls: Path) -> None:
    first = run("torus", {"a": 1}, seed=1, trials=2)
    again = run("torus", {"a": 1}, seed=1, trials=2)
    assert again == first
    assert (again.mib_per_s, made(calls)) == (1, 1)


def test_other_settings_seeds_trials_or_programs_are_other_runs(calls: Path, pretend: Pretend) -> None:
    run("torus", {"a": 1}, seed=1, trials=2)
    run("torus", {"a": 2}, seed=1, trials=2)
    run("torus", {"a": 1}, seed=2, trials=2)
    run("torus", {"a": 1}, seed=1)
    assert made(calls) == 4
    pretend("result(9)")
    assert run("torus", {"a": 1}, seed=1, trials=2).mib_per_s == 9


def test_the_same_run_in_other_words_is_the_same_run(tmp_path: Path) -> None:
    small = {"workload.pattern": "rb", "workload.file_size": "64KiB"}
    points = [Point(small), Point({**small, "workload.file_size": "65536B", "run.seed": 1, "run.jobs": 2})]
    first, second = get_all(points, tmp_path)
    assert first.identity == second.identity
    assert first.done


def identity(point: Point) -> str:
    return Identities().of(point.platform, effective_config(point), point.folder)


def test_a_file_that_is_named_counts_by_its_contents_and_not_by_its_name(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("rank\n")
    two.write_text("rank\n")
    assert identity(Point({"trace": str(one)})) == identity(Point({"trace": str(two)}))
    assert identity(Point({"trace": str(one)})) == identity(Point({"trace": "one.csv"}, folder=tmp_path))
    monkeypatch.chdir(tmp_path)
    assert identity(Point({"trace": str(one)})) == identity(Point({"trace": "two.csv"}))
    two.write_text("rank,op\n")
    assert identity(Point({"trace": str(one)})) != identity(Point({"trace": str(two)}))
    assert made(calls) == 0


def test_a_section_that_names_a_file_is_another_one_in_another_folder(tmp_path: Path) -> None:
    identities = Identities()
    config = effective_config(Point({}))
    config["workload"]["trace"] = "one.csv"
    both = []
    for folder, text in ((tmp_path / "a", "rank\n"), (tmp_path / "b", "rank,op\n")):
        folder.mkdir()
        (folder / "one.csv").write_text(text)
        both.append(identities.of("torus", config, folder))
    assert both[0] != both[1]


def test_a_word_is_no_file_even_if_a_file_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    layouts = [Point({"file_system.layout": layout}, folder=tmp_path) for layout in ("contiguous", "random-blocks")]
    before = [identity(point) for point in layouts]
    for name in ("contiguous", "random-blocks"):
        (tmp_path / name).touch()
    assert [identity(point) for point in layouts] == before
    assert before[0] != before[1]


def test_a_file_of_records_is_kept_with_the_run(tmp_path: Path) -> None:
    settings = {"workload.measured": 100, "workload.warm_up": 0}
    point = Point(settings, platform="network", records=True)
    with Store(tmp_path) as store:
        runner = Runner(store)
        first = runner.records(runner.one(point))
        assert first.startswith(b"created_ns,")
        (again,) = get_all([point], tmp_path)
        assert runner.records(again) == first


def test_a_run_without_records_is_made_again_when_they_are_wanted(tmp_path: Path) -> None:
    point = Point({"workload.measured": 100, "workload.warm_up": 0}, platform="network")
    with Store(tmp_path) as store:
        runner = Runner(store)
        run = runner.one(point)
        with pytest.raises(RunError, match="left no records"):
            runner.records(run)
        assert runner.records(runner.one(replace(point, records=True))).startswith(b"created_ns,")
        assert runner.known(plan([point])) == {0: run}


def test_a_run_that_fails_is_kept_with_its_message_and_made_again_on_demand(calls: Path, tmp_path: Path) -> None:
    points = [Point({"fails": "yes"}), Point({"a": 1})]
    for _ in range(2):
        failed, good = get_all(points, tmp_path)
        assert (failed.exit_code, failed.message, good.done, made(calls)) == (1, "it fails", True, 2)
    get_all(points, tmp_path, retry_failed=True)
    assert made(calls) == 3


def test_points_that_are_the_same_run_are_made_once(calls: Path, tmp_path: Path) -> None:
    one, two, three = get_all([Point({"a": 1}), Point({"a": 2}), Point({"a": 1})], tmp_path)
    assert one.identity == three.identity != two.identity
    assert made(calls) == 2


def test_what_is_no_configuration_fails_without_a_run_and_keeps_nothing(tmp_path: Path) -> None:
    bad, good = get_all([Point({"workload.pattern": "rq"}), Point({"workload.file_size": "64KiB"})], tmp_path)
    assert (bad.exit_code, bad.identity, good.done) == (3, "", True)
    assert 'workload.pattern is "rq"' in bad.message
    with Store(tmp_path) as store:
        assert set(store.endings([bad.identity, good.identity])) == {good.identity}


def test_many_runs_are_written_together_and_none_is_lost(tmp_path: Path) -> None:
    names = [f"{n:04}" for n in range(1500)]
    with Store(tmp_path) as store:
        for name in names:
            store.add(name, "torus", Outcome(0, "", name.encode()))
    with Store(tmp_path) as store:
        assert {name: outcome.document for name, outcome in store.outcomes(names)} == {n: n.encode() for n in names}


def test_two_commands_may_use_the_store_at_once(tmp_path: Path) -> None:
    with Store(tmp_path) as one, Store(tmp_path) as two:
        one.add("a", "torus", Outcome(0, "", b"1"))
        two.add("b", "torus", Outcome(4, "failed"))
        one.flush()
        two.flush()
        assert one.endings(["a", "b"]) == two.endings(["a", "b"]) == {"a": (0, "", False), "b": (4, "failed", False)}


def test_a_store_that_is_none_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("something else, and long enough to be a header of a database " * 20)
    with pytest.raises(FileError, match=r"the store of finished runs .*runs\.sqlite cannot be used: file is not a dat"):
        Store(tmp_path)


def test_a_store_of_another_form_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as other:
        other.execute("CREATE TABLE runs (identity TEXT)")
    with pytest.raises(FileError, match=r"has another form than this version's; remove it"):
        Store(tmp_path)


def test_a_write_that_fails_ends_those_who_add(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such table"), Store(tmp_path) as store:
        with sqlite3.connect(tmp_path / FILE) as other:
            other.execute("DROP TABLE runs")
        store.add("a", "torus", Outcome(0, ""))


def test_a_result_of_the_store_has_the_form_of_its_platform() -> None:
    first = run("torus", {"workload.file_size": "64KiB"})
    assert isinstance(first, MachineResult)


def test_an_explained_run_is_another_run_and_tells_the_simulators_memory_and_not_this_programs(tmp_path: Path) -> None:
    small = {"workload.pattern": "rb", "workload.file_size": "64KiB"}
    ballast = bytearray(200 << 20)
    ballast[::4096] = b"x" * (len(ballast) // 4096)
    plain, explained = get_all([Point(small), Point(small, explained=True)], tmp_path)
    assert plain.identity != explained.identity
    with Store(tmp_path) as store:
        outcome, without = store.outcome(explained.identity), store.outcome(plain.identity)
    assert outcome and without
    assert json.loads(outcome.document)["explain"]["sentences"]
    assert 5 << 20 < json.loads(outcome.figures)["host"]["peak_memory_bytes"] < len(ballast)
    assert "peak_memory_bytes" not in json.loads(without.figures)["host"]


def test_an_explained_run_that_a_signal_ends_says_which(pretend: Pretend, tmp_path: Path) -> None:
    pretend("os.kill(os.getpid(), 9)")
    [run] = get_all([Point(explained=True)], tmp_path)
    assert (run.exit_code, str(run.error()).endswith("was ended by SIGKILL)")) == (-9, True)
