# SPDX-License-Identifier: MIT
"""What TR94-226 expects of two-phase I/O, on the machine as it is built: one trial with seed 1."""

import pytest

from sunstar.papers.two_phase.cases import Choice
from sunstar.papers.two_phase.experiments import EXPERIMENTS, LONG
from sunstar.study.cases import Found
from sunstar.study.experiments import verified
from sunstar.study.measuring import Conditions, measure
from sunstar.study.statements import Standing

MEASURED = [name for name in EXPERIMENTS if name not in LONG]


@pytest.fixture(scope="session")
def measured() -> dict[str, Found]:
    return measure({name: EXPERIMENTS[name].cases(Choice(quick=True)) for name in MEASURED}, Conditions())


@pytest.mark.parametrize("name", MEASURED)
def test_an_experiment_shows_what_is_expected_except_for_its_known_shortfalls(
    measured: dict[str, Found], name: str
) -> None:
    verdicts = [*EXPERIMENTS[name].statements(measured[name]), verified(measured[name])]
    assert [str(v) for v in verdicts if v.standing in (Standing.NEW, Standing.MENDED)] == []
