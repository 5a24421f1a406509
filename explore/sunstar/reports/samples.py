# SPDX-License-Identifier: MIT
"""The figures of runs as samples of their trials, and how sure their means and differences are."""

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from statistics import fmean, stdev
from typing import TypeGuard

from sunstar.results import Document, figures

Value = float | str | bool | None
Samples = dict[str, list[Value]]  # The values of each figure, by its path, as in result.throughput.mib_per_s
NO_FIGURES = {"seed", "verification"}  # The keys of a trial that are no figures of its machine
ASSUMPTIONS = (
    "Welch's t-test takes trials as independent samples whose means are nearly normal; it does not take their "
    "variances as equal. With few trials it finds only large differences."
)
CONFIDENCE = 0.95


def samples_of(results: Iterable[Document]) -> Samples:
    """The values of the trials of these runs, None where a trial knew no figure. A seed tried twice counts once."""
    by_seed = {trial["seed"]: trial for of in results for trial in of.trials}.values()
    own = [{name: trial[name] for name in trial if name not in NO_FIGURES} for trial in by_seed]
    trials = [figures({"result": each}) for each in own]
    paths = dict.fromkeys(chain.from_iterable(trials))
    return {path: [trial.get(path) for trial in trials] for path in paths}


def is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def numbers(values: Iterable[Value]) -> list[float] | None:
    """The known values as numbers; None if they are not numbers."""
    known = [value for value in values if value is not None]
    found = [float(value) for value in known if is_number(value)]
    return found if known and len(found) == len(known) else None


@dataclass(frozen=True)
class Test:
    p: float  # The probability of a difference this large if the means were equal
    low: float  # The confidence interval of the difference of the means, the second less the first, from here ...
    high: float  # ... to here


def welch(a: Sequence[float], b: Sequence[float]) -> Test | None:
    """The test of two samples; None if one has fewer than two values."""
    if min(len(a), len(b)) < 2:
        return None
    if len(set(a)) == len(set(b)) == 1:  # a test would divide by the variance
        return Test(1.0 if a[0] == b[0] else 0.0, b[0] - a[0], b[0] - a[0])
    from scipy import stats  # here, because it takes most of a second

    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # nearly equal values leave few digits
        found = stats.ttest_ind(b, a, equal_var=False)
        interval = found.confidence_interval(CONFIDENCE)
    return Test(float(found.pvalue), float(interval.low), float(interval.high))


def holm(ps: Sequence[float]) -> list[float]:
    """The values of p corrected for their number: below 5 %, there is one false alarm in 20 calls of the command."""
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    corrected = accumulate((min(1.0, (len(ps) - rank) * ps[i]) for rank, i in enumerate(order)), max)
    return [p for _, p in sorted(zip(order, corrected, strict=True))]


def half_width(values: Sequence[float]) -> float | None:
    """Half the width of the confidence interval of the mean, by Student's t; None of fewer than two values."""
    if len(values) < 2:
        return None
    from scipy.special import stdtrit

    deviation = 0.0 if len(set(values)) == 1 else stdev(values, fmean(values))
    return float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)) * deviation / math.sqrt(len(values))
