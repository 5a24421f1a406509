# SPDX-License-Identifier: MIT
import pytest
from recorded import of_trials

from sunstar.study.cases import Found, Key, without_extremes


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([9.0, 1.0, 3.0, 4.0, 2.0], 3.0),  # of 2, 3 and 4
        ([1.0, 1.0, 4.0, 7.0, 7.0], 4.0),  # one of each of two equal ones
        ([1.0, 2.0, 9.0], 2.0),
        ([1.0, 9.0], 5.0),  # too few to leave one out
        ([4.0], 4.0),
    ],
)
def test_the_lowest_and_the_highest_trial_do_not_count(trials: list[float], expected: float) -> None:
    assert without_extremes(trials) == pytest.approx(expected)


def test_what_was_found_averages_trials_as_the_paper_does() -> None:
    slow, fast = Key("tc", "rb", "contiguous", x="8"), Key("ddio", "rb", "contiguous", x="8")
    results = {slow: of_trials(1.0, 2.0, 6.0), fast: of_trials(4.0, 8.0, 18.0)}
    assert Found(results).mib(fast) == 10
    found = Found(results, without_extremes)
    assert (found.mib(fast), found.ratio(fast, "tc")) == (8, 4)
    assert found.curve("tc", "rb") == {8: 2.0}
