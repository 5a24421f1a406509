# SPDX-License-Identifier: MIT
"""sunstar reproduce all: its summary, its exit codes, and that it goes on after an interruption or an error."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import Sunstar

from sunstar.errors import FileError
from sunstar.papers import all_command, enwrich, expanding, five_ways, galley, pvfs, two_phase
from sunstar.papers.all_command import PAPERS
from sunstar.study.command import Call, command
from sunstar.study.experiments import Study
from sunstar.study.statements import PAPERS as STUDIES
from sunstar.study.statements import Measure, Measures, Shortfall, Verdict, data_of, knowing

Made = Callable[..., None]


def verdict(value: float, known: Shortfall | None = None) -> Verdict:
    with knowing({"it is small": known} if known else {}):
        return Measures([Measure(value, "here")]).at_most(1.0, "it is small")


def paper(*verdicts: Verdict, error: str = "") -> Made:
    """A command that has these verdicts."""

    @command(trials=2)
    def reproduce(call: Call, quick: bool = False) -> bool:
        assert call.conditions.trials == 2
        if error:
            raise FileError(error)
        call.out.print("quick" if quick else "whole")
        call.verdicts.extend(verdicts)
        return False

    return reproduce


@pytest.fixture
def papers(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def put(**found: list[Made]) -> None:
        monkeypatch.setattr(all_command, "PAPERS", found)
        monkeypatch.setattr(all_command, "commands_of", found.__getitem__)

    return put


GOOD, KNOWN, NEW = verdict(0.5), verdict(2.0, Shortfall(2.0, "because")), verdict(3.0)
UNDECIDED = GOOD.decided(None)


def test_a_table_sums_up_all_papers(papers: Callable[..., None], sunstar: Sunstar, results: Path) -> None:
    papers(one=[paper(GOOD, KNOWN), paper(GOOD)], two=[paper(GOOD, UNDECIDED)])
    done = sunstar("reproduce", "all")
    assert done.exit_code == 0, done.output
    lines = [
        [cell.strip() for cell in line.split("│")[1:6]] for line in done.stdout.splitlines() if line.startswith("│")
    ]
    assert lines == [["one", "2", "0", "0", "1"], ["two", "1", "1", "0", "0"], ["all", "3", "1", "0", "1"]]
    kept = json.loads((results / "reproduce-all.json").read_text())
    assert [each["paper"] for each in kept] == ["one", "two"]


def test_a_new_statement_is_named_and_is_exit_code_1(papers: Callable[..., None], sunstar: Sunstar) -> None:
    papers(one=[paper(GOOD, NEW)], two=[paper(GOOD)])
    done = sunstar("reproduce", "all")
    assert done.exit_code == 1
    assert "NEW  one: it is small; here: 3, at most 1" in done.stdout
    told = json.loads(sunstar("reproduce", "all", "--json").stdout)
    assert [(each["held"], len(each["new"])) for each in told] == [(1, 1), (1, 0)]


def test_a_paper_that_fails_does_not_stop_the_others(papers: Callable[..., None], sunstar: Sunstar) -> None:
    papers(one=[paper(error="no such file")], two=[paper(NEW)])
    done = sunstar("reproduce", "all")
    assert done.exit_code == 3
    assert "sunstar: no such file" in done.stderr
    assert "failed" in done.stdout
    assert "NEW  two: " in done.stdout


def test_quick_is_passed_to_the_papers_that_have_it(papers: Callable[..., None], sunstar: Sunstar) -> None:
    papers(one=[paper(GOOD)])
    assert "\nquick\n" in sunstar("reproduce", "all", "--quick").stdout
    assert "\nwhole\n" in sunstar("reproduce", "all").stdout


def test_only_the_papers_named_are_reproduced(papers: Callable[..., None], sunstar: Sunstar) -> None:
    papers(one=[paper(GOOD)], two=[paper(NEW)])
    assert sunstar("reproduce", "all", "--paper", "one").exit_code == 0
    done = sunstar("reproduce", "all", "--paper", "three")
    assert done.exit_code == 2
    assert "--paper three: it must be one or two" in done.stderr


def test_a_real_paper_that_is_called_again_makes_no_run(sunstar: Sunstar) -> None:
    first, second = (sunstar("reproduce", "expanding", "--quick", "--figure", "2", "--trials", "1") for _ in range(2))
    assert first.exit_code == second.exit_code, second.output
    assert "runs were finished before" in second.stdout


@pytest.mark.parametrize(
    "paper", [enwrich, expanding, two_phase, five_ways, galley, pvfs], ids=lambda paper: paper.STUDY.name
)
def test_known_shortfalls_are_those_of_experiments_that_exist(paper: ModuleType) -> None:
    study: Study[Any] = paper.STUDY
    known = data_of(f"shortfalls/{study.name}")
    assert known
    assert set(known) <= {experiment.name for experiment in study.experiments}


def test_each_file_of_shortfalls_is_that_of_a_paper() -> None:
    assert {file.stem for file in (STUDIES / "shortfalls").iterdir()} <= set(PAPERS)
