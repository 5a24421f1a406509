# SPDX-License-Identifier: MIT
"""Runs that are finished are not made again; whatever could make a difference makes another run."""

from pathlib import Path

import pytest
from conftest import Pretend

from sunstar import Point, RunError
from sunstar.study.finished import FinishedRuns, key

COUNTING = """
    open({calls!r}, "a").write(".")
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


def test_a_finished_run_is_read_by_a_later_call(calls: Path, tmp_path: Path) -> None:
    first, point = FinishedRuns(tmp_path), Point({"a": 1}, seed=1, trials=2)
    assert first.run(point).mib_per_s == 1
    assert first.found == []
    later = FinishedRuns(tmp_path)
    again = later.run(point)
    assert again == first.run(point)
    assert (again.mib_per_s, made(calls), len(later.found)) == (1, 1, 1)


def test_other_settings_seeds_trials_or_programs_are_other_runs(calls: Path, tmp_path: Path, pretend: Pretend) -> None:
    runs, point = FinishedRuns(tmp_path), Point({"a": 1}, seed=1, trials=2)
    for each in (point, Point({"a": 2}, seed=1, trials=2), Point({"a": 1}, seed=2, trials=2), Point({"a": 1}, seed=1)):
        runs.run(each)
    assert made(calls) == 4
    pretend("result(9)")
    assert runs.run(point).mib_per_s == 9


def test_a_file_that_is_named_counts_by_its_contents_and_not_by_its_name(calls: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("rank\n")
    two.write_text("rank\n")
    assert key(Point({"trace": str(one)})) == key(Point({"trace": str(two)}))
    two.write_text("rank,op\n")
    assert key(Point({"trace": str(one)})) != key(Point({"trace": str(two)}))
    assert made(calls) == 0


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_truncated_file_is_ignored_and_written_anew(calls: Path, tmp_path: Path, share: float) -> None:
    runs, point = FinishedRuns(tmp_path / "runs"), Point({"a": 1})
    runs.folder.mkdir()
    runs.run(point)
    (path,) = runs.folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    assert runs.run(point).mib_per_s == 2
    assert runs.run(point).mib_per_s == 2
    assert made(calls) == 2
    assert list(runs.folder.iterdir()) == [path]


def test_a_run_that_fails_leaves_no_file(tmp_path: Path, pretend: Pretend) -> None:
    pretend("sys.exit(4)")
    runs = FinishedRuns(tmp_path / "runs")
    runs.folder.mkdir()
    with pytest.raises(RunError):
        runs.run(Point({"a": 1}))
    assert list(runs.folder.iterdir()) == []
