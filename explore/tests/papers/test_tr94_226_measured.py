# SPDX-License-Identifier: MIT
"""What TR94-226 says, on the machine as it is built."""

import pytest
from shown import judged, run_all

from sunstar.papers import tr94_226 as statements
from sunstar.papers.tr94_226 import LAYOUTS, PRESORT_TRIALS, PUBLISHED, STUDY, all_rows, points, published
from sunstar.study.cases import Found, Key
from sunstar.study.command import Conditions
from sunstar.study.experiments import judge, measure
from sunstar.study.statements import Standing, Verdict, shortfalls_of

ONE_TRIAL = ("10", "11")
"""Figures whose runs are long; the others make two trials."""


def must_stand(verdicts: list[Verdict]) -> None:
    assert verdicts
    assert [str(v) for v in verdicts if v.standing in (Standing.NEW, Standing.MENDED)] == []


def test_tables_3_and_4_show_what_the_report_says_with_8192_byte_records() -> None:
    """Every row, five trials each as in the report."""
    cases = {"tables": all_rows((8192,)), "presort": points("presort")}
    found = measure(cases, Conditions(trials=5), run_all, least_trials={"presort": lambda _: PRESORT_TRIALS})
    figures = published(PUBLISHED, all_rows((8192, 8)))
    must_stand(judge(lambda of: statements.tables(of, figures), found["tables"], shortfalls_of("tr94-226", "tables")))
    must_stand(list(statements.presort(found["presort"])))


def test_8_byte_records_never_make_disk_directed_io_slower_than_caching() -> None:
    keys = [
        Key(method, pattern, layout, 8)
        for layout in LAYOUTS
        for pattern in ("rb", "rc", "rbb", "wb", "wc")
        for method in ("tc", "ddio-presort")
    ]
    small = Conditions(settings={"workload.file_size": "1MiB"})
    rows = all_rows((8,))
    found = measure({"tables": {key: rows[key] for key in keys}}, small, run_all)["tables"]
    must_stand(list(statements.tables(found, {})))


@pytest.fixture(scope="session", params=STUDY.names)
def figure(request: pytest.FixtureRequest) -> tuple[str, Found]:
    """A figure and what was found. Runs that another has, too, are in the session's store."""
    name: str = request.param
    trials = 1 if name in ONE_TRIAL else 2
    cases, least = {name: STUDY[name].cases(None)}, {name: STUDY[name].least_trials}
    return name, measure(cases, Conditions(trials=trials), run_all, least_trials=least)[name]


def test_a_figure_shows_what_the_report_says_about_it(figure: tuple[str, Found]) -> None:
    name, found = figure
    must_stand(judged(STUDY, name, found))
