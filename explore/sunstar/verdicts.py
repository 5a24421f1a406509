# SPDX-License-Identifier: MIT
"""What a paper says, as a sentence and a check on what was measured."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """Whether the model shows what the paper says."""

    figure: int | str
    sentence: str
    holds: bool
    detail: str
    """The figures that come closest to breaking it."""


@dataclass(frozen=True)
class Measure:
    """A figure that must not exceed its limit, and where it was taken."""

    value: float
    where: str


def judge(figure: int | str, sentence: str, limit: float, measures: Iterable[Measure]) -> Verdict:
    """A verdict on the measure that is largest: it holds if that does not exceed the limit, or if there is none."""
    worst = max(measures, key=lambda m: m.value, default=None)
    if worst is None:
        return Verdict(figure, sentence, True, "nothing to compare")
    return Verdict(figure, sentence, worst.value <= limit, f"{worst.where}: {worst.value:.3g}, at most {limit:.3g}")


def judge_at_least(figure: int | str, sentence: str, limit: float, measures: Iterable[Measure]) -> Verdict:
    """The same for measures that must reach a limit."""
    worst = min(measures, key=lambda m: m.value, default=None)
    if worst is None:
        return Verdict(figure, sentence, True, "nothing to compare")
    return Verdict(figure, sentence, worst.value >= limit, f"{worst.where}: {worst.value:.3g}, at least {limit:.3g}")
