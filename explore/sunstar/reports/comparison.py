# SPDX-License-Identifier: MIT
"""The differences between two runs or two sweeps: figures with their significance, parameters, resources."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal, TypeGuard

from sunstar.configurations import Changed, changes, key
from sunstar.errors import UsageError
from sunstar.reports.pairs import Pairs
from sunstar.reports.resources import Kind, Moved, kinds, moved
from sunstar.reports.samples import Samples, Value, holm, numbers, samples_of, welch
from sunstar.results import units, with_unit

Verdict = Literal["equal", "within noise", "differs", "differs (no test)"]
"""no test: one side has a single trial, or the figure is no number."""


@dataclass(frozen=True)
class Difference:
    """A figure on both sides."""

    point: str
    figure: str
    a: Value
    """The mean of the trials."""
    b: Value
    trials: tuple[int, int]
    interval: tuple[float, float] | None
    """The confidence interval of B - A; None without a test."""
    p: float | None
    """Corrected for the number of figures; None without a test."""
    verdict: Verdict

    @property
    def relative(self) -> float | None:
        """The difference as a share of A."""
        return self.b / self.a - 1 if is_number(self.a) and is_number(self.b) and self.a else None

    @property
    def effect(self) -> float:
        """The difference as a share of the greater value; 1 for what is no number."""
        if not (is_number(self.a) and is_number(self.b)):
            return 1.0
        greater = max(abs(self.a), abs(self.b))
        return abs(self.b - self.a) / greater if greater else 0.0

    @property
    def differs(self) -> bool:
        return self.verdict.startswith("differs")


def is_number(value: Value) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass
class Comparison:
    a: str
    b: str
    points: int
    names: list[str] = field(default_factory=list)
    """The parameters that tell the points apart."""
    trials: tuple[int, int] = (0, 0)
    """The fewest trials of a point on each side."""
    figures: list[Difference] = field(default_factory=list)
    """Those that differ first, then by effect."""
    parameters: list[tuple[Changed, int]] = field(default_factory=list)
    """Each with the number of points at which it differs so."""
    resources: list[Moved] = field(default_factory=list)
    only_a: list[str] = field(default_factory=list)
    """Points and figures that the other side does not have."""
    only_b: list[str] = field(default_factory=list)

    @property
    def differing(self) -> int:
        return sum(each.differs for each in self.figures)

    @property
    def different(self) -> bool:
        return bool(self.differing or self.only_a or self.only_b)


def compare(pairs: Pairs, alpha: float, only: Collection[str] = ()) -> Comparison:
    """Compares all figures, or only those of these paths."""
    found = Comparison(
        pairs.a, pairs.b, pairs.points, pairs.parameters, only_a=list(pairs.only_a), only_b=list(pairs.only_b)
    )
    counted: Counter[tuple[str, str, str]] = Counter()
    changed: dict[tuple[str, str, str], Changed] = {}
    statistics: tuple[list[Mapping[str, Kind]], list[Mapping[str, Kind]]] = ([], [])
    trials: tuple[list[int], list[int]] = ([], [])
    known: dict[str, None] = {}
    for pair in pairs.pairs:
        a, b = samples_of(pair.a), samples_of(pair.b)
        known.update(dict.fromkeys([*a, *b]))
        unit_of = units(pair.a[0].program)
        found.figures += differences(pair.point, wanted(a, only), wanted(b, only), unit_of)
        for mine, its, other in ((found.only_a, a, b), (found.only_b, b, a)):
            mine += [f"{pair.point}: {path}" if pair.point else path for path in wanted(its, only) if path not in other]
        for each in changes(pair.a[0].config, pair.b[0].config):
            name = (each.path, key(each.a), key(each.b))
            counted[name] += 1
            changed[name] = each
        for i, results in enumerate((pair.a, pair.b)):
            statistics[i].append(kinds(results[0].statistics, results[0].statistics_s))
            trials[i].append(sum(len(result.trials) for result in results))
    unknown = [path for path in only if path not in known]
    if unknown:
        raise UsageError(f"--figure {unknown[0]}: there is no such figure; there are {', '.join(known)}")
    found.trials = (min(trials[0], default=0), min(trials[1], default=0))
    found.figures = sorted(judged(found.figures, alpha), key=lambda each: (not each.differs, -each.effect))
    found.parameters = [(each, counted[name]) for name, each in changed.items()]
    found.resources = moved(*statistics)
    return found


def wanted(samples: Samples, only: Collection[str]) -> Samples:
    return {path: values for path, values in samples.items() if not only or path in only}


def differences(point: str, a: Samples, b: Samples, unit_of: Mapping[str, str]) -> Iterator[Difference]:
    """Each figure that both sides have, before it is judged."""
    for path in a:
        if path not in b:
            continue
        one, other = numbers(a[path]), numbers(b[path])
        test = None
        if one is None or other is None:
            means, equal, trials = (
                (said(a[path]), said(b[path])),
                set(a[path]) == set(b[path]),
                (len(a[path]), len(b[path])),
            )
        else:
            means, equal, trials = (fmean(one), fmean(other)), sorted(one) == sorted(other), (len(one), len(other))
            test = welch(one, other)
        interval, p = ((test.low, test.high), test.p) if test else (None, None)
        verdict: Verdict = "equal" if equal else "within noise" if test else "differs (no test)"
        yield Difference(point, with_unit(path, unit_of.get(path)), *means, trials, interval, p, verdict)


def said(values: Sequence[Value]) -> Value:
    """What stands for values that are no numbers: the only one, or all."""
    different = list(dict.fromkeys(values))
    return different[0] if len(different) == 1 else ", ".join(map(str, different))


def judged(figures: Sequence[Difference], alpha: float) -> list[Difference]:
    """The same with p corrected for their number, and a verdict on each."""
    tested = [i for i, each in enumerate(figures) if each.p is not None]
    corrected = dict(zip(tested, holm([figures[i].p or 0.0 for i in tested]), strict=True))
    found = []
    for i, each in enumerate(figures):
        if i not in corrected:
            found.append(each)
        elif corrected[i] < alpha and each.verdict != "equal":
            found.append(replace(each, p=corrected[i], verdict="differs"))
        else:
            found.append(replace(each, p=corrected[i]))
    return found
