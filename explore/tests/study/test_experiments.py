# SPDX-License-Identifier: MIT
"""A paper of its own: two experiments on a pretended machine."""

import json
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from conftest import Pretend
from recorded import machine
from rich.console import Console

from sunstar import FileError, RunError, UsageError
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.command import Call, Conditions
from sunstar.study.experiments import Experiment, Study, conduct, measure
from sunstar.study.statements import Measure, Measures, Shortfall, Shortfalls, Verdict
from sunstar.study.views import View

PROCESSORS = (1, 2)


def cases(pattern: str) -> Cases:
    return {
        Key(method, pattern, "contiguous", x=str(n)): {"method": method, "processors": n}
        for method in ("slow", "fast")
        for n in PROCESSORS
    }


def statements(found: Found) -> Iterator[Verdict]:
    fast, slow = found.curve("fast", "rb"), found.curve("slow", "rb")
    yield Measures(Measure(fast[n] / slow[n], f"processors: {n}") for n in PROCESSORS).at_least(
        3.0, "fast is three times as fast"
    )


VIEW = View({"processors": "x"}, "method", drawn="lines")
EXPERIMENTS = [Experiment(name, "number of processors", cases, [VIEW], statements) for name in ("1", "more")]


class Own(Study[str]):
    def known(self, _: str) -> Shortfalls:
        return {"fast is three times as fast": Shortfall(2.0, "it is pretended")}


PAPER = Own("own", "a paper", EXPERIMENTS, lambda found, key: {"twice": 2 * found.mib(key)})
MACHINE = 'result(int(settings["processors"]) * ({factor} if settings["method"] == "fast" else 1))'


def carry_out(folder: Path, document: Path | None = None, paper: Study[str] = PAPER) -> tuple[str, bool]:
    """What is printed, and whether something is NEW."""
    with (folder / "printed").open("w") as file:
        out = Console(file=file, width=120, highlight=False)
        call = Call(Conditions(), 2, folder, out)
        with call.files:
            new = conduct(paper, EXPERIMENTS, "rb", call, folder, document)
    return (folder / "printed").read_text(), new


def test_a_paper_is_its_cases_tables_drawing_and_statements(pretend: Pretend, tmp_path: Path) -> None:
    pretend(MACHINE.format(factor=2))
    printed, new = carry_out(tmp_path)
    assert not new
    assert "a paper, 1 trial each: 4 runs" in printed  # both experiments need the same
    assert "figure 1: number of processors: MiB/s" in printed
    assert "known shortfall  figure 1: fast is three times as fast; processors: 1: 2, at least 3" in printed
    assert "0 of 2 statements hold, 0 undecided, 2 known shortfalls, 0 NEW\nevery byte of 4 runs is verified" in printed
    assert (tmp_path / "more.png").read_bytes().startswith(b"\x89PNG")
    points = pl.read_parquet(tmp_path / "points.parquet")
    assert points["twice"].to_list() == [2, 4, 4, 8] * 2
    assert points["experiment"].to_list() == ["1"] * 4 + ["more"] * 4
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())
    assert [(each["experiment"], each["standing"], each["margin"]) for each in verdicts] == [
        ("1", "known shortfall", -1),
        ("more", "known shortfall", -1),
    ]
    assert verdicts[0]["shortfall"]["measured"] == 2


def test_a_second_call_prints_the_same_without_a_run(pretend: Pretend, tmp_path: Path) -> None:
    pretend(MACHINE.format(factor=2))
    first, _ = carry_out(tmp_path)
    second, _ = carry_out(tmp_path)
    note = "4 of 4 runs were finished before: "
    assert note not in first
    assert [line for line in second.splitlines() if not line.startswith(note)] == first.splitlines()


def test_a_paper_may_keep_more_tables(pretend: Pretend, tmp_path: Path) -> None:
    pretend(MACHINE.format(factor=2))
    paper = replace(PAPER, more_tables=lambda everything: {"map": pl.DataFrame({"experiment": list(everything)})})
    call = Call(Conditions(), 2, tmp_path, Console(quiet=True))
    with call.files:
        conduct(paper, EXPERIMENTS, "rb", call, tmp_path, named=True)
    assert pl.read_csv(tmp_path / "map-1-more.csv")["experiment"].to_list() == ["1", "more"]


@pytest.mark.parametrize(("factor", "standing", "expected"), [(1.5, "NEW", True), (4, "undecided", False)])
def test_of_one_trial_a_shortfall_that_grows_is_new_and_what_seems_to_hold_is_undecided(
    pretend: Pretend, tmp_path: Path, factor: float, standing: str, expected: bool
) -> None:
    pretend(MACHINE.format(factor=factor))
    printed, new = carry_out(tmp_path)
    assert new is expected
    assert f"\n{standing:<15}  figure 1: fast is three times as fast" in printed


def test_figures_that_a_file_names_are_renewed_and_others_stay(pretend: Pretend, tmp_path: Path) -> None:
    pretend(MACHINE.format(factor=2))
    file = tmp_path / "results.json"
    cell = {"experiment": "1", "table": "MiB/s", "row": "2", "column": "fast", "value": "0"}
    hold = {"experiment": "statements", "table": "", "row": "hold", "column": "statements", "value": "1"}
    row = {"table": "known shortfalls", "row": "1: fast is three times as fast", "column": "known"}
    known = {"experiment": "statements", **row, "value": "1"}
    file.write_text(json.dumps({"two": cell, "hold": hold, "known": known, "other": {**cell, "experiment": "9"}}))
    printed, _ = carry_out(tmp_path, file)
    assert "3 of 4 figures renewed: " in printed
    assert [each["value"] for each in json.loads(file.read_text()).values()] == ["4.0", "0", "2", "0"]


@pytest.mark.parametrize("text", ["{}", "[]", "# A page", '{"two": {"experiment": "2"}}'])
def test_a_document_that_quotes_nothing_of_the_experiments_is_refused(
    text: str, pretend: Pretend, tmp_path: Path
) -> None:
    pretend(MACHINE.format(factor=2))
    document = tmp_path / "results.json"
    document.write_text(text)
    with pytest.raises(FileError, match="--document"):
        carry_out(tmp_path, document)
    assert document.read_text() == text


def test_experiments_are_chosen_by_name_in_the_papers_order() -> None:
    assert [each.name for each in PAPER.choose(["more", "1"])] == ["1", "more"]
    assert len(PAPER.choose([])) == 2
    with pytest.raises(UsageError, match="--figure 3: it must be 1 or more"):
        PAPER.choose(["3"])


def test_a_run_that_is_not_verified_ends_the_measurement() -> None:
    good, bad = Key("tc", "rb", "contiguous"), Key("tc", "wb", "contiguous")
    cases: dict[str, Cases] = {"1": {good: {"a": 1}, bad: {"a": 2}}}
    with pytest.raises(RunError, match="not every byte is where it belongs: figure 1, contiguous wb tc"):
        measure(cases, Conditions(), lambda *_: [machine(1.0), machine(1.0, verified=False)])


@pytest.mark.parametrize("wanted", [True, False])
def test_results_hold_statistics_if_the_paper_looks_at_them(pretend: Pretend, tmp_path: Path, wanted: bool) -> None:
    counted = """
    plain = write
    def write(document):
        document["statistics"]["disk.reads"] = {"value": 3.0, "unit": "1", "description": "reads"}
        plain(document)
    """
    pretend(textwrap.dedent(counted) + MACHINE.format(factor=2))
    paper = replace(PAPER, columns=lambda found, key: {"known": len(found[key].statistics)}, statistics=wanted)
    for _ in range(2):  # the second time, from finished runs
        carry_out(tmp_path, paper=paper)
        assert set(pl.read_csv(tmp_path / "points.csv")["known"]) == {int(wanted)}
