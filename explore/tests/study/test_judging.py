# SPDX-License-Identifier: MIT
"""What trials say of a statement: whether its margin is larger than their spread."""

from collections.abc import Iterator

import pytest
from recorded import of_trials

from sunstar.study.cases import Found, Key
from sunstar.study.experiments import judge
from sunstar.study.statements import Measures, Shortfall, Standing, Verdict, each, share

RB, WB = Key("tc", "rb", "contiguous"), Key("tc", "wb", "contiguous")


def judged(limit: float, *trials: float, known: Shortfall | None = None) -> Verdict:
    """The verdict on "at least `limit`" of a run with these throughputs."""

    def faster(found: Found) -> Iterator[Verdict]:
        yield each(found.select(), found.mib).at_least(limit, "it is fast")

    (verdict,) = judge(faster, Found({RB: of_trials(*trials)}), {"it is fast": known} if known else {})
    return verdict


def test_the_spread_of_a_mean_is_students_interval() -> None:
    # A standard deviation of 1, three trials: 4.303 / sqrt(3) = 2.484.
    verdict = judged(2.0, 9.0, 10.0, 11.0)
    assert verdict.margin == 8.0
    assert verdict.spread == pytest.approx(2.484, abs=1e-3)
    assert str(verdict) == "it is fast; contiguous rb tc: 10, at least 2 (ours), margin 8 ± 2.5"


@pytest.mark.parametrize(
    ("limit", "known", "standing"),
    [
        (7.4, None, Standing.HOLDS),  # a margin of 2.6
        (7.6, None, Standing.UNDECIDED),
        (10.0, None, Standing.UNDECIDED),
        (12.4, None, Standing.UNDECIDED),
        (12.6, None, Standing.NEW),
        (12.6, Shortfall(10.0, "why"), Standing.KNOWN),
        (12.6, Shortfall(11.0, "why"), Standing.NEW),  # by more than 5 % of what is known
        (7.4, Shortfall(7.0, "why"), Standing.MENDED),
        (7.6, Shortfall(7.0, "why"), Standing.UNDECIDED),
    ],
)
def test_a_margin_within_the_spread_decides_nothing(limit: float, known: Shortfall | None, standing: Standing) -> None:
    assert judged(limit, 9.0, 10.0, 11.0, known=known).standing is standing


def test_one_trial_shows_no_spread_so_that_nothing_holds() -> None:
    verdict = judged(1.0, 10.0)
    assert (verdict.standing, verdict.spread) == (Standing.UNDECIDED, None)
    assert judged(11.0, 10.0).standing is Standing.NEW


def test_counts_that_are_the_same_in_every_trial_hold_exactly_and_do_not_exceed_themselves() -> None:
    def statements(found: Found) -> Iterator[Verdict]:
        figures = each(found.select(), found.mib)
        yield figures.exactly(3.0, "it is three")
        yield figures.at_most(3.0, "it is less")
        yield figures.exactly(2.0, "it is two")

    found = Found({RB: of_trials(3.0, 3.0)})
    assert [v.standing for v in judge(statements, found)] == [Standing.HOLDS, Standing.UNDECIDED, Standing.NEW]


def test_of_points_with_more_trials_than_others_equal_parts_are_left_out() -> None:
    # Means of parts, 1 and 3, as of two trials: 12.71 * sqrt(2) / sqrt(2).
    def second(found: Found) -> Iterator[Verdict]:
        yield Measures(each([WB], found.mib)).at_least(0.0, "it is fast")

    found = Found({RB: of_trials(5.0, 5.0), WB: of_trials(0.0, 2.0, 2.0, 4.0)})
    (verdict,) = judge(second, found)
    assert verdict.spread == pytest.approx(12.706, abs=1e-3)


def test_figures_that_are_no_throughput_spread_as_well() -> None:
    def soon(found: Found) -> Iterator[Verdict]:
        yield each(found.select(), lambda key: found[key].elapsed_s).at_most(20.0, "it is soon")

    (verdict,) = judge(soon, Found({RB: of_trials(9.0, 10.0, 11.0)}))
    assert verdict.spread == pytest.approx(2.484, abs=1e-3)


def test_a_share_is_decided_by_the_last_case_that_it_needs() -> None:
    def most(found: Found) -> Iterator[Verdict]:
        yield share("most are fast", 0.5, {key.pattern: found.mib(key) - 10 for key in found.select()})

    steady, slow = (20.0, 20.0, 20.0), (1.0, 1.0, 1.0)
    for trials, standing in ((steady, Standing.HOLDS), ((9.0, 10.0, 12.0), Standing.UNDECIDED), (slow, Standing.NEW)):
        found = Found({RB: of_trials(*trials), WB: of_trials(*slow)})
        (verdict,) = judge(most, found)
        assert verdict.standing is standing
