# SPDX-License-Identifier: MIT
"""The statements of a paper: each a sentence, a check on the measured figures, and the known shortfall where it does
not hold.

papers/statements has a file for each study: a paraphrase of each sentence by a short name, where the paper has it
(`at`: section and figure), its bound under the kind of check (KINDS), and the points `of` it, where that is simple
(listed_statement); elsewhere the paper's code calls Sentences with the name and the figures. Only sentences of the
paper count. Other statements say their `kind` (Kind). One that the paper's own figures rule out has the arithmetic
under `contradicted`, and never holds; one that holds only under a condition has it under `fragile`.

The margin of a statement is the figure's distance from its bound, positive on the right side. The statement holds if
the margin exceeds the spread of its trials (judge() finds it), and is undecided if the spread is larger. Where the
model is known to fall short, papers/shortfalls has a Shortfall for the sentence: the figure that was measured and the
reason. A statement that fails without one, or by more than that, is NEW.

What is printed says whose judgement a bound is: "(published)" if the paper gives the number, "(ours)" if we set it from
the paper's words; 0 and 1 are the meanings of "no more" and "faster", and no judgement.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from sunstar.errors import UnmeasuredError

Item = TypeVar("Item")
ROUNDING = 1e-9  # The allowed difference of equal counts, since they are means
PAPERS = Path(__file__).parents[1] / "papers"


@dataclass(frozen=True)
class Measure:
    """A figure and where it was taken."""

    value: float
    where: str


@dataclass(frozen=True)
class Shortfall:
    """By how much a statement is known to fall short, and why."""

    measured: float  # The judged figure, at its worst with the trials of the documents and tests
    reason: str
    only: tuple[str, ...] = ()
    """Names of the cases that may fall short; if another one does, it is NEW. If this is empty, any case may."""
    slack: float = 0.05  # A figure that is worse than `measured` by more than this share of `measured` is NEW

    def names(self, case: str) -> bool:
        """Whether this case may fall short."""
        return not self.only or any(part in case for part in self.only)


Shortfalls = Mapping[str, Shortfall]  # By the sentences of their statements
_known: ContextVar[Shortfalls] = ContextVar("known", default=MappingProxyType({}))


@contextmanager
def knowing(shortfalls: Shortfalls) -> Iterator[None]:
    """Statements that are checked in this block have these shortfalls."""
    token = _known.set(shortfalls)
    try:
        yield
    finally:
        _known.reset(token)


@cache
def data_of(name: str) -> Mapping[str, Any]:
    """The contents of papers/NAME.json, such as statements/galley; nothing without such a file."""
    file = PAPERS / f"{name}.json"
    return dict(json.loads(file.read_text())) if file.exists() else {}


def shortfalls_of(study: str, experiment: str) -> Shortfalls:
    known = data_of(f"shortfalls/{study}").get(experiment, {})
    return {name: Shortfall(**{**each, "only": tuple(each.get("only", ()))}) for name, each in known.items()}


class Kind(StrEnum):
    PAPER = "paper"  # A sentence of the paper
    OURS = "beyond the paper"  # Counted apart
    CALIBRATED = "calibrated"  # A constant was set from the figure, which the sentence then repeats: not counted


class Standing(StrEnum):
    HOLDS = "holds"
    UNDECIDED = "undecided"  # The margin is within the spread of the trials, or 0
    KNOWN = "known shortfall"
    NEW = "NEW"
    MENDED = "holds now"  # The statement has a shortfall that it no longer needs
    CONTRADICTED = "contradicted"  # The paper's own figures rule the statement out, whatever is measured


@dataclass(frozen=True)
class Verdict:
    sentence: str
    standing: Standing
    detail: str  # The figure that comes closest to breaking the statement, or breaks it most
    margin: float  # The figure's distance from its bound; negative on the wrong side
    shortfall: Shortfall | None = None
    spread: float | None = None
    """Half the width of the margin's 95 % interval; None of one trial, or before the trials were looked at."""
    kind: Kind = Kind.PAPER
    at: str = ""  # Section and figure of the paper
    contradicted: str = ""  # The arithmetic that rules the statement out
    fragile: str = ""  # The condition without which it would not hold

    @property
    def holds(self) -> bool:
        return self.standing in (Standing.HOLDS, Standing.MENDED)

    def decided(self, spread: float | None) -> "Verdict":
        """The verdict with this spread of its margin. By one trial, statements that seem to hold are undecided."""
        if self.standing is Standing.CONTRADICTED:
            return replace(self, spread=spread)
        unsure = self.margin >= 0 if spread is None else abs(self.margin) <= spread
        return replace(self, standing=Standing.UNDECIDED if unsure else self.standing, spread=spread)

    def __str__(self) -> str:
        interval = "" if self.spread is None else f", margin {self.margin:.2g} ± {self.spread:.2g}"
        whose = ", ".join(part for part in (self.at, self.kind if self.kind is not Kind.PAPER else "") if part)
        text = f"{self.sentence}{f' [{whose}]' if whose else ''}; {self.detail}{interval}"
        if self.standing is Standing.CONTRADICTED:
            return f"{text}; {self.contradicted}"
        if self.fragile and self.holds:
            text += f"; fragile: {self.fragile}"
        if self.shortfall is None:
            return text
        known = f"{self.shortfall.measured:.4g} known: {self.shortfall.reason}"
        return f"{text}; remove its shortfall ({known})" if self.holds else f"{text} ({known})"


class Measures(list[Measure]):
    """Figures that a statement is about. Without any, each method is an UnmeasuredError."""

    def at_most(self, limit: float, sentence: str, *, published: bool = False) -> Verdict:
        """The statement that each is below the limit, maybe published by the paper. Quotes the largest."""
        return _bounded(sentence, limit, self, 1, published)

    def at_least(self, limit: float, sentence: str, *, published: bool = False) -> Verdict:
        """The statement that each is above the limit. Quotes the smallest."""
        return _bounded(sentence, limit, self, -1, published)

    def exactly(self, value: float, sentence: str) -> Verdict:
        """The statement that each is this number, as counts are. Quotes the furthest one."""
        off = Measures(Measure(abs(measure.value - value), measure.where) for measure in self)
        if not off:
            raise unmeasured(sentence)
        worst = off.largest()
        return _verdict(sentence, f"{worst.where}: off by {worst.value:.4g}", ROUNDING - worst.value, None)

    def largest(self) -> Measure:
        if not self:
            raise UnmeasuredError("the largest of several figures is needed, but none of them was measured")
        return max(self, key=lambda measure: measure.value)

    def mean(self, where: str = "") -> Measure:
        return Measure(average(measure.value for measure in self), where)


def each(items: Iterable[Item], value: Callable[[Item], float], what: str = "") -> Measures:
    """A figure of each of these points or names, and what it is, if its point does not say it."""
    return Measures(Measure(value(item), f"{item}, {what}" if what else str(item)) for item in items)


def share(sentence: str, least: float, kept: Mapping[str, float]) -> Verdict:
    """The statement that at least this share of the named cases keeps to something, each by its own margin; a shortfall
    counts the keeping ones. The margin is that of the last needed case."""
    if not kept:
        raise unmeasured(sentence)
    needed = max(1, math.ceil(least * len(kept) - ROUNDING))
    known = _of_these(sentence, kept, lambda counted: counted < needed)
    missing = [name for name, margin in kept.items() if margin < 0]
    got = len(kept) - len(missing)
    as_known = known is not None and got >= (1 - known.slack) * known.measured and all(map(known.names, missing))
    bound = "" if least == 1 else f", at least {needed} (ours)"
    detail = f"{got} of {len(kept)}{bound}" + (f", not {', '.join(missing)}" if missing else "")
    return _verdict(sentence, detail, sorted(kept.values(), reverse=True)[needed - 1], known, as_known)


def about(sentence: str, value: float, measure: Measure, unit: str = "MiB/s", within: float = 0.05) -> Verdict:
    """The statement that a figure of the paper is met within 5 %; a shortfall is how far off it is, as a fraction.
    `within` is more only where the paper gives a single digit."""
    off = abs(measure.value / value - 1)
    known = _of_these(sentence, [measure.where], lambda measured: measured > within)
    as_known = known is not None and off <= (1 + known.slack) * known.measured
    detail = f"{measure.where}: {measure.value:.4g} {unit}, within {100 * within:.2g} % (ours)"
    return _verdict(sentence, detail, within - off, known, as_known)


KINDS: Mapping[str, Callable[..., Verdict]] = {
    "at_most": Measures.at_most,
    "at_least": Measures.at_least,
    "exactly": Measures.exactly,
    "share": lambda kept, least, sentence: share(sentence, least, kept),
    "about": lambda measure, value, sentence, **how: about(sentence, value, measure, **how),
}
"""The kinds of statements about figures; a share takes cases with their margins, `about` one measure."""


class Sentences:
    def __init__(self, study: str) -> None:
        self.listed = data_of(f"statements/{study}")

    def __call__(self, name: str, figures: Measures | Measure | Mapping[str, float], /, **words: object) -> Verdict:
        """The verdict on a statement, in whose sentence these words stand."""
        how = {what: value for what, value in self.listed[name].items() if what != "of"}
        told = {what: how.pop(what) for what in ("at", "contradicted", "fragile") if what in how}
        kind_of = Kind(how.pop("kind", Kind.PAPER))
        sentence, kind = how.pop("sentence").format(**words), next(kind for kind in KINDS if kind in how)
        dividend, _, divisor = str(how.pop(kind)).partition("/")
        if kind == "share" and isinstance(figures, Measures):
            figures = {measure.where: measure.value for measure in figures}
        elif kind != "share" and isinstance(figures, Mapping):
            figures = Measures(Measure(value, where) for where, value in figures.items())
        elif kind != "about" and isinstance(figures, Measure):
            figures = Measures([figures])
        verdict = KINDS[kind](figures, float(dividend) / float(divisor or 1), sentence, **how)
        standing = Standing.CONTRADICTED if "contradicted" in told else verdict.standing
        return replace(verdict, standing=standing, kind=kind_of, **told)


def average(values: Iterable[float]) -> float:
    """The mean; an UnmeasuredError without values."""
    found = list(values)
    if not found:
        raise UnmeasuredError("a mean is needed, but none of its figures was measured")
    return sum(found) / len(found)


def unmeasured(sentence: str) -> UnmeasuredError:
    return UnmeasuredError(f"nothing was measured that could show whether {sentence}")


def _bounded(sentence: str, limit: float, measures: Measures, sign: int, published: bool) -> Verdict:
    """The verdict on the measure nearest to the limit or furthest beyond it; sign is -1 for a lower limit."""
    if not measures:
        raise unmeasured(sentence)
    names = [measure.where for measure in measures]
    known = _of_these(sentence, names, lambda measured: sign * (measured - limit) > 0)
    worst = max(measures, key=lambda measure: sign * measure.value)
    broken = [measure.where for measure in measures if sign * (measure.value - limit) > 0]
    as_known = (
        known is not None
        and sign * (worst.value - known.measured) <= known.slack * abs(known.measured)
        and all(map(known.names, broken))
    )
    whose = "" if limit in (0, 1) else " (published)" if published else " (ours)"
    detail = f"{worst.where}: {worst.value:.4g}, at {'most' if sign > 0 else 'least'} {limit:.4g}{whose}"
    return _verdict(sentence, detail, sign * (limit - worst.value), known, as_known)


def _of_these(sentence: str, names: Iterable[str], short: Callable[[float], bool]) -> Shortfall | None:
    """The shortfall of a statement, if a case that it names was measured."""
    known = _known.get().get(sentence)
    if known is None or not any(map(known.names, names)):
        return None
    if not short(known.measured):
        raise ValueError(f"{known.measured} is no shortfall of: {sentence}")
    return known


def _verdict(sentence: str, detail: str, margin: float, known: Shortfall | None, as_known: bool = False) -> Verdict:
    """The verdict by the margin alone; `as_known`: it does not fall short by more than is known, or elsewhere."""
    if not math.isfinite(margin):
        raise UnmeasuredError(f"{detail}: this cannot show whether {sentence}")
    if margin == 0:
        standing = Standing.UNDECIDED
    elif margin > 0:
        standing = Standing.MENDED if known else Standing.HOLDS
    else:
        standing = Standing.KNOWN if as_known else Standing.NEW
    return Verdict(sentence, standing, detail, margin, known)


def of_kind(kind: Kind, verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.kind is kind]


def tally(verdicts: Sequence[Verdict]) -> str:
    counted, ours, calibrated = (of_kind(kind, verdicts) for kind in Kind)
    count = Counter(verdict.standing for verdict in counted)
    parts = [
        f"{holding(counted)} of {len(counted)} statements hold",
        f"{count[Standing.UNDECIDED]} undecided",
        *([f"{count[Standing.CONTRADICTED]} contradicted"] if count[Standing.CONTRADICTED] else []),
        f"{count[Standing.KNOWN]} known shortfalls",
        f"{sum(verdict.standing is Standing.NEW for verdict in verdicts)} NEW",
    ]
    mended = sum(verdict.standing is Standing.MENDED for verdict in verdicts)
    return (
        ", ".join(parts)
        + (f"; beyond the paper {holding(ours)} of {len(ours)}" if ours else "")
        + (f"; {len(calibrated)} calibrated, not counted" if calibrated else "")
        + (f"; {mended} hold now: remove their shortfalls" if mended else "")
    )


def holding(verdicts: Iterable[Verdict]) -> int:
    return sum(verdict.holds for verdict in verdicts)


def listed(verdicts: Iterable[tuple[str, Verdict]]) -> Iterator[str]:
    """A line for each verdict, with the name of its experiment."""
    width = max(len(standing) for standing in Standing)
    for name, verdict in verdicts:
        yield f"{verdict.standing:<{width}}  {name}: {verdict}"
