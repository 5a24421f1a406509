# SPDX-License-Identifier: MIT
"""What the map says in words, on the machine as it is built: some of its points, one trial with seed 1."""

import pytest
from shown import must_stand, run_all

from sunstar.papers.five_ways import REPORTED, STUDY, x_of
from sunstar.study.cases import Found
from sunstar.study.command import Conditions
from sunstar.study.experiments import measure

MEASURED = ("collective", "independent", "mixed")


@pytest.fixture(scope="session")
def measured() -> dict[str, Found]:
    """The quick points, of collectives those on the report's network with records of 8192 bytes."""
    cases = {name: STUDY[name].cases(True) for name in MEASURED}
    few = {
        key: sets for key, sets in cases["collective"].items() if key.x == x_of(REPORTED) and key.record_bytes == 8192
    }
    return measure({**cases, "collective": few}, Conditions(), run_all)


@pytest.mark.parametrize("name", MEASURED)
def test_an_experiment_shows_what_is_stated_except_for_its_known_shortfalls(
    measured: dict[str, Found], name: str
) -> None:
    must_stand(STUDY, name, measured[name])
