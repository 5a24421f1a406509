# SPDX-License-Identifier: MIT
"""What every experiment of a study must be good for, whatever its runs have found."""

from functools import partial
from typing import TypeVar

import polars as pl
from matplotlib.figure import Figure

from sunstar.study.cases import Found
from sunstar.study.documents import as_text
from sunstar.study.experiments import Study, kept, print_tables
from sunstar.study.statements import Standing, Verdict

Choice = TypeVar("Choice")


def show(study: Study[Choice], name: str, found: Found) -> tuple[list[Verdict], Figure, pl.DataFrame]:
    """Judges, prints, draws and keeps an experiment."""
    experiment = study[name]
    verdicts = list(experiment.statements(found))
    assert all(v.sentence and v.detail for v in verdicts)
    for printed in experiment.tables(found):
        assert printed.rows
        assert {len(row) for row in printed.rows} == {len(printed.headings)}
    assert "…" not in as_text(partial(print_tables, experiment, found))
    canvas = Figure(layout="constrained")
    experiment.draw(found, canvas)
    assert canvas.axes
    points = kept(study, {name: found})
    assert points.height == len(found.results)
    return verdicts, canvas, points


def must_stand(study: Study[Choice], name: str, found: Found, *mended: str) -> None:
    """Nothing is NEW, and what holds carries no shortfall any more, except for these sentences."""
    verdicts = list(study[name].statements(found))
    assert [str(v) for v in verdicts if v.standing is Standing.NEW] == []
    assert [str(v) for v in verdicts if v.standing is Standing.MENDED and v.sentence not in mended] == []
