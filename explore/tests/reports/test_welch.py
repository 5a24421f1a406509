# SPDX-License-Identifier: MIT
import pytest

from sunstar.reports.samples import half_width, holm, welch


def test_two_samples_are_tested_as_welch_says() -> None:
    # Means 2 and 4, variances 1 and 4, three values each: t = 2 / sqrt(5/3) = 1.549 with
    # (5/3)^2 / (1/18 + 16/18) = 2.941 degrees of freedom.
    test = welch([1, 2, 3], [2, 4, 6])
    assert test is not None
    assert test.p == pytest.approx(0.2210, abs=5e-4)
    assert (test.low + test.high) / 2 == pytest.approx(2)


def test_a_single_trial_has_no_test() -> None:
    assert welch([1.0], [1.0, 2.0]) is None
    assert half_width([1.0]) is None


def test_trials_that_do_not_vary_are_equal_or_certainly_not() -> None:
    same, other = welch([348, 348], [348, 348]), welch([348, 348], [347, 347])
    assert same is not None and same.p == 1
    assert other is not None and (other.p, other.low, other.high) == (0, -1, -1)


def test_many_questions_need_smaller_values_of_p() -> None:
    # The least times 3, the next times 2, the last as it is; never falling.
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == []


def test_the_interval_of_a_mean_follows_student() -> None:
    # t(2, 0.975) = 4.3027, deviation 1, three values.
    assert half_width([1, 2, 3]) == pytest.approx(4.3027 / 3**0.5, abs=1e-4)
    assert half_width([5, 5, 5]) == 0
