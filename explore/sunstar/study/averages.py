# SPDX-License-Identifier: MIT
"""How a paper makes one figure of those of several trials."""

from collections.abc import Callable, Sequence
from statistics import fmean

Average = Callable[[Sequence[float]], float]
"""Makes one figure of those of the trials; fmean is the plain one."""


def without_extremes(values: Sequence[float]) -> float:
    """The mean without the lowest and the highest value; of fewer than three values, the mean of all."""
    return fmean(sorted(values)[1:-1] if len(values) > 2 else values)
