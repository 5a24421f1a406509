# SPDX-License-Identifier: MIT
"""The figures of runs as samples, each trial giving one value of each figure, and how sure their means are: confidence
intervals, Welch's t-test, and Holm's correction when there are many questions."""

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from sunstar.results import Document, figures

Value = float | str | bool | None
Samples = dict[str, list[Value]]  # The values of each figure, by its path, as in result.throughput.mib_per_s
NO_FIGURES = {"seed", "verification"}  # What a trial says that is no figure of its machine
ASSUMPTIONS = (
    "Welch's t-test takes trials as independent samples whose means are nearly normal; it does not take their "
    "variances as equal. With few trials it finds only large differences."
)
CONFIDENCE = 0.95


def samples_of(results: Iterable[Document]) -> Samples:
    """The values of all trials of these runs of one configuration; None where a trial did not know a figure."""
    all_trials = [each for of in results for each in of.trials]
    own = [{name: value for name, value in each.items() if name not in NO_FIGURES} for each in all_trials]
    trials = [figures({"result": each}) for each in own]
    paths = dict.fromkeys(path for trial in trials for path in trial)
    return {path: [trial.get(path) for trial in trials] for path in paths}


def numbers(values: Iterable[Value]) -> list[float] | None:
    """The values as numbers, without those that are not known; None if they are not numbers."""
    known = [value for value in values if value is not None]
    if not known or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return None
    return [float(value) for value in known]


@dataclass(frozen=True)
class Test:
    p: float  # The probability of so large a difference if the means were equal
    low: float
    """The confidence interval of the difference of the means, the second less the first, from here ..."""
    high: float  # ... to here


def welch(a: Sequence[float], b: Sequence[float]) -> Test | None:
    """The test of two samples; None if one has fewer than two values."""
    if min(len(a), len(b)) < 2:
        return None
    if len(set(a)) == len(set(b)) == 1:  # a test would divide by the variance
        return Test(1.0 if a[0] == b[0] else 0.0, b[0] - a[0], b[0] - a[0])
    from scipy import stats  # here, because it takes most of a second

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # that nearly equal values leave few digits
        found = stats.ttest_ind(b, a, equal_var=False)
        interval = found.confidence_interval(CONFIDENCE)
    return Test(float(found.pvalue), float(interval.low), float(interval.high))


def holm(ps: Sequence[float]) -> list[float]:
    """The values of p corrected for their number: with those below 5 %, one false alarm in 20 calls, however many
    questions a call asks."""
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    corrected = [0.0] * len(ps)
    greatest = 0.0
    for rank, i in enumerate(order):
        greatest = max(greatest, min(1.0, (len(ps) - rank) * ps[i]))
        corrected[i] = greatest
    return corrected


def half_width(values: Sequence[float]) -> float | None:
    """Half the width of the confidence interval of the mean, by Student's t; None of fewer than two values."""
    if len(values) < 2:
        return None
    from scipy.special import stdtrit

    deviation = 0.0 if len(set(values)) == 1 else stdev(values, fmean(values))
    return float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * deviation / math.sqrt(len(values))
