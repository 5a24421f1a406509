# SPDX-License-Identifier: MIT
"""The statements of a paper: each a sentence, a check on what was measured, and the known shortfall where it does not
hold.

A statement stands among a paper's statements as one call of Measures.at_most, Measures.at_least, share or about. Where
the model is known to fall short of it, the same call names the Shortfall: the figure that was measured and the reason.
A statement that fails without one, or by more than the one it carries, is NEW.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from sunstar.errors import UnmeasuredError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Measure:
    """A figure and where it was taken."""

    value: float
    where: str


@dataclass(frozen=True)
class Shortfall:
    """By how much a statement is known to fall short, and why."""

    measured: float
    """The figure that is judged, at its worst with the trials that the documents and tests make."""
    reason: str
    only: tuple[str, ...] = ()
    """Names of the cases that may fall short; if another one does, it is NEW. If this is empty, any case may."""
    slack: float = 0.05
    """A figure that is worse than `measured` by more than this share of `measured` is NEW."""

    def names(self, case: str) -> bool:
        """Whether this case may fall short."""
        return not self.only or any(part in case for part in self.only)


class Standing(StrEnum):
    HOLDS = "holds"
    KNOWN = "known shortfall"
    NEW = "NEW"
    MENDED = "holds now"
    """The statement has a shortfall that it no longer needs."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of checking a statement."""

    sentence: str
    standing: Standing
    detail: str
    """The figure that comes closest to breaking the statement, or breaks it most."""
    shortfall: Shortfall | None = None

    @property
    def holds(self) -> bool:
        return self.standing in (Standing.HOLDS, Standing.MENDED)

    def __str__(self) -> str:
        text = f"{self.sentence}; {self.detail}"
        if self.shortfall is None:
            return text
        known = f"{self.shortfall.measured:.4g} known: {self.shortfall.reason}"
        return f"{text}; remove its shortfall ({known})" if self.holds else f"{text} ({known})"


class Measures(list[Measure]):
    """Figures that a statement is about. Without any, each method is an UnmeasuredError."""

    def at_most(self, limit: float, sentence: str, known: Shortfall | None = None) -> Verdict:
        """The statement that none exceeds the limit. Quotes the largest."""
        return _bounded(sentence, limit, self, known, 1)

    def at_least(self, limit: float, sentence: str, known: Shortfall | None = None) -> Verdict:
        """The statement that each reaches the limit. Quotes the smallest."""
        return _bounded(sentence, limit, self, known, -1)

    def largest(self) -> Measure:
        if not self:
            raise UnmeasuredError("the largest of several figures is needed, but none of them was measured")
        return max(self, key=lambda measure: measure.value)

    def mean(self, where: str = "") -> Measure:
        return Measure(average(measure.value for measure in self), where)


def each(items: Iterable[Item], value: Callable[[Item], float], what: str = "") -> Measures:
    """A figure of each of these points or names, and what it is, if its point does not say it."""
    return Measures(Measure(value(item), f"{item}, {what}" if what else str(item)) for item in items)


def single(value: float, where: str) -> Measures:
    return Measures([Measure(value, where)])


def share(sentence: str, least: float, kept: Mapping[str, bool], known: Shortfall | None = None) -> Verdict:
    """The statement that at least this share of the named cases keeps to something; `known` counts those that do."""
    if not kept:
        raise unmeasured(sentence)
    known = _of_these(known, kept)
    got = sum(kept.values())
    standing = _judge(sentence, least * len(kept), Measure(got, f"{got} of {len(kept)}"), known, -1)
    missing = [name for name, keeps in kept.items() if not keeps]
    if standing is Standing.KNOWN and known and not all(known.names(name) for name in missing):
        standing = Standing.NEW
    detail = f"{got} of {len(kept)}" + (f", not {', '.join(missing)}" if missing else "")
    return Verdict(sentence, standing, detail, known)


def about(
    sentence: str, value: float, measure: Measure, known: Shortfall | None = None, unit: str = "MiB/s"
) -> Verdict:
    """The statement that a figure of the paper is met within 5 %; `known` is how far off it is, as a fraction."""
    off = Measure(abs(measure.value / value - 1), measure.where)
    whole = f"{sentence} (within 5 %)"
    standing = _judge(whole, 0.05, off, known, 1)
    return Verdict(whole, standing, f"{measure.where}: {measure.value:.1f} {unit}", known)


def average(values: Iterable[float]) -> float:
    """The mean; an UnmeasuredError without values."""
    found = list(values)
    if not found:
        raise UnmeasuredError("a mean is needed, but none of its figures was measured")
    return sum(found) / len(found)


def unmeasured(sentence: str) -> UnmeasuredError:
    return UnmeasuredError(f"nothing was measured that could show whether {sentence}")


def _bounded(sentence: str, limit: float, measures: Sequence[Measure], known: Shortfall | None, sign: int) -> Verdict:
    """The verdict on the measure nearest to the limit or furthest beyond it; sign is -1 for a lower limit."""
    if not measures:
        raise unmeasured(sentence)
    known = _of_these(known, [measure.where for measure in measures])
    standings = {measure: _judge(sentence, limit, measure, known, sign) for measure in measures}
    worst = max(measures, key=lambda measure: sign * measure.value)
    broken = [measure.where for measure in measures if sign * measure.value > sign * limit]
    strange = known and not all(known.names(where) for where in broken)
    standing = Standing.NEW if strange else standings[worst]
    bound = "at most" if sign > 0 else "at least"
    return Verdict(sentence, standing, f"{worst.where}: {worst.value:.4g}, {bound} {limit:.4g}", known)


def _of_these(known: Shortfall | None, names: Iterable[str]) -> Shortfall | None:
    """The shortfall, if a case that it names was measured."""
    return known if known and any(known.names(name) for name in names) else None


def _judge(sentence: str, limit: float, measure: Measure, known: Shortfall | None, sign: int) -> Standing:
    """The standing of a statement by this measure."""
    if not math.isfinite(measure.value):
        raise UnmeasuredError(f"{measure.where} gives {measure.value}, which cannot show whether {sentence}")
    if known is not None and sign * known.measured <= sign * limit:
        raise ValueError(f"{known.measured} is no shortfall of: {sentence}")
    if sign * measure.value <= sign * limit:
        return Standing.MENDED if known else Standing.HOLDS
    if known is None:
        return Standing.NEW
    worse = sign * (measure.value - known.measured)
    return Standing.NEW if worse > known.slack * abs(known.measured) else Standing.KNOWN


def tally(verdicts: Sequence[Verdict], what: str = "statements") -> str:
    """Says how many statements hold."""

    def count(*standings: Standing) -> int:
        return sum(verdict.standing in standings for verdict in verdicts)

    mended = count(Standing.MENDED)
    return (
        f"{count(Standing.HOLDS, Standing.MENDED)} of {len(verdicts)} {what} hold, {count(Standing.KNOWN)} known "
        f"shortfalls, {count(Standing.NEW)} NEW" + (f"; {mended} hold now: remove their shortfalls" if mended else "")
    )


def listed(verdicts: Iterable[tuple[str, Verdict]]) -> Iterator[str]:
    """A line for each verdict, with the name of its experiment."""
    width = max(len(standing) for standing in Standing)
    for name, verdict in verdicts:
        yield f"{verdict.standing:<{width}}  {name}: {verdict}"
