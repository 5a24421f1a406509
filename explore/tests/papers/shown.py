# SPDX-License-Identifier: MIT
"""Checks that every experiment of a study must pass with any figures."""

import json
from collections.abc import Sequence
from io import StringIO
from typing import TypeVar

import polars as pl
from matplotlib.figure import Figure
from rich.console import Console

from sunstar.console import WIDTH
from sunstar.places import project, results
from sunstar.results import MachineResult
from sunstar.runs.runner import Runner, Store, documents_of
from sunstar.runs.simulator import Point, plan
from sunstar.study.cases import Found
from sunstar.study.experiments import Study, kept, print_tables, shortfalls
from sunstar.study.statements import Standing, Verdict, knowing

Choice = TypeVar("Choice")


def run_all(points: Sequence[Point], _: Sequence[str]) -> list[MachineResult]:
    """Runs points without a word, or gets them from the store."""
    with Store(results()) as store:
        return documents_of(MachineResult, Runner(store).all(plan(points), lambda _, __: None), store)


def show(study: Study[Choice], name: str, found: Found) -> tuple[list[Verdict], Figure, pl.DataFrame]:
    """Judges, prints, draws and keeps an experiment."""
    experiment = study[name]
    verdicts = judged(study, name, found)
    assert all(v.sentence and v.detail for v in verdicts)
    assert_quoted(study.name, [(name, verdict) for verdict in verdicts])
    for printed in experiment.tables(found):
        assert printed.rows
        assert {len(row) for row in printed.rows} == {len(printed.headings)}
    text = StringIO()
    print_tables(experiment, found, Console(file=text, width=WIDTH))
    assert "…" not in text.getvalue()
    canvas = Figure(layout="constrained")
    experiment.draw(found, canvas)
    assert canvas.axes
    points = kept(study, {name: found})
    assert points.height == len(found.results)
    return verdicts, canvas, points


def judged(study: Study[Choice], name: str, found: Found) -> list[Verdict]:
    """The verdicts by the margins alone."""
    with knowing(study.known(name)):
        return list(study[name].statements(found))


def assert_quoted(study: str, verdicts: list[tuple[str, Verdict]]) -> None:
    """The known shortfalls that the study's page quotes are the code's."""
    known = {row[0]: row[1] for row in shortfalls(verdicts).rows}
    file = project() / "docs" / "results" / f"{study}.json"
    for figure in json.loads(file.read_text()).values() if file.exists() else ():
        if figure["table"] == "known shortfalls" and figure["row"] in known:
            assert figure["value"] == known[figure["row"]], figure["row"]


def must_stand(study: Study[Choice], name: str, found: Found, *mended: str) -> None:
    """No statement is NEW, and none that holds still has a shortfall, except for these sentences."""
    verdicts = judged(study, name, found)
    new = [str(v) for v in verdicts if v.standing is Standing.NEW]
    assert not new, "; ".join(new)
    over = [str(v) for v in verdicts if v.standing is Standing.MENDED and v.sentence not in mended]
    assert not over, "; ".join(over)
