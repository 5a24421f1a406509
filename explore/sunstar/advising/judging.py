# SPDX-License-Identifier: MIT
"""The gain of a change by the runs of several seeds, its cost, and whether it is worth that."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from sunstar.advising.changes import Change
from sunstar.reports.samples import half_width

UNPRICED = 0.5
"""The assumed cost of doubling the parts of a kind without a price, as a share of the machine's: it must gain half of
what it could."""


@dataclass(eq=False)
class Tried:
    change: Change
    before: Mapping[int, float]  # Seconds that the machine took as it is, by seed
    after: dict[int, float] = field(default_factory=dict)  # With the change
    price: float | None = None  # As a share of the machine's; None: no price list says it
    why: str = ""  # Why there is no run

    @property
    def logs(self) -> list[float]:
        return [math.log(self.before[seed] / seconds) for seed, seconds in self.after.items()]

    @property
    def gain(self) -> float:
        """How many times as fast the machine is: the geometric mean over the seeds."""
        return math.exp(fmean(self.logs))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the gain, by Student's t of its logarithms; of one seed, everything."""
        half = half_width(self.logs)
        return (0.0, math.inf) if half is None else (self.gain * math.exp(-half), self.gain * math.exp(half))

    @property
    def cost(self) -> float:
        return UNPRICED * self.change.added if self.price is None else self.price


@dataclass(frozen=True)
class Ranking:
    least: float  # The least gain of a change that costs nothing, and the cost of the work of a change

    def worth(self, tried: Tried, gain: float | None = None) -> float:
        """The gain for the price, both as shares of the machine's; the price includes the work."""
        return ((tried.gain if gain is None else gain) - 1) / (tried.cost + self.least * tried.change.work)

    def proposed(self, tried: Tried) -> bool:
        """Whether it gains at least its share of the price and `least`, and surely something."""
        return tried.gain - 1 >= self.least + tried.cost and tried.interval[0] > 1

    def order(self, tried: Sequence[Tried]) -> list[Tried]:
        """The changes with a run by gain for the price, the best of each parameter only; more seeds come first."""
        best: dict[str, Tried] = {}
        ran = [each for each in tried if each.after]
        for each in sorted(ran, key=lambda each: (-len(each.after), -self.worth(each))):
            best.setdefault(each.change.path, each)
        rest, found = sorted(best.values(), key=lambda each: -self.worth(each)), []
        while rest:
            even = [each for each in rest if self.even(each, rest[0])]
            found.append(min(even, key=lambda each: each.change.values, default=rest[0]))
            rest.remove(found[-1])
        return found

    def even(self, tried: Tried, best: Tried) -> bool:
        """Whether it costs no more than the best, and the runs do not tell which of the two gains more."""
        if min(len(tried.after), len(best.after)) < 2:
            return tried is best
        (low, high), price = best.interval, best.cost + self.least * best.change.work
        overlaps = low <= tried.gain <= high or tried.interval[0] <= best.gain <= tried.interval[1]
        return overlaps and tried.cost + self.least * tried.change.work <= price

    def undecided(self, tried: Sequence[Tried]) -> list[Tried]:
        """The changes that more seeds may still decide about: whether they are proposed, and which is the first."""
        ranked = self.order(tried)
        low = max((self.worth(each, each.interval[0]) for each in ranked[:1]), default=0.0)
        rivals = [each for each in ranked[1:] if self.worth(each, each.interval[1]) >= low]
        unsure = [each for each in ranked if each.interval[0] < 1 + self.least + each.cost <= each.interval[1]]
        return list(dict.fromkeys([*(ranked[:1] if rivals else ()), *rivals, *unsure]))
