# SPDX-License-Identifier: MIT
"""What the map says in words, on the machine as it is built: some of its points, one trial with seed 1."""

import pytest

from sunstar.papers.five_ways.cases import REPORTED, Choice, x_of
from sunstar.papers.five_ways.experiments import EXPERIMENTS
from sunstar.study.cases import Found
from sunstar.study.experiments import verified
from sunstar.study.measuring import Conditions, measure
from sunstar.study.statements import Standing

MEASURED = ("collective", "independent", "mixed")


@pytest.fixture(scope="session")
def measured() -> dict[str, Found]:
    """The quick points, of collectives those on the report's network with records of 8192 bytes."""
    cases = {name: EXPERIMENTS[name].cases(Choice(quick=True)) for name in MEASURED}
    few = {
        key: sets for key, sets in cases["collective"].items() if key.x == x_of(REPORTED) and key.record_bytes == 8192
    }
    return measure({**cases, "collective": few}, Conditions())


@pytest.mark.parametrize("name", MEASURED)
def test_an_experiment_shows_what_is_stated_except_for_its_known_shortfalls(
    measured: dict[str, Found], name: str
) -> None:
    verdicts = [*EXPERIMENTS[name].statements(measured[name]), verified(measured[name])]
    assert len(verdicts) > 2
    assert [str(v) for v in verdicts if v.standing in (Standing.NEW, Standing.MENDED)] == []
