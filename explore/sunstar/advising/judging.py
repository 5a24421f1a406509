# SPDX-License-Identifier: MIT
"""What a change gains by the runs of several seeds, what it costs, and whether it is worth that."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean

from sunstar.advising.changes import Change
from sunstar.reports.samples import half_width

UNPRICED = 0.5
"""What hardware that nobody prices counts as, as a share of the machine's price, if it doubles the parts of a kind: a
doubling must gain half of what it could."""


@dataclass
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
        if half is None:
            return 0.0, math.inf
        mean = fmean(self.logs)
        return math.exp(mean - half), math.exp(mean + half)

    @property
    def cost(self) -> float:
        if self.price is not None:
            return self.price
        return UNPRICED * self.change.added if self.change.kind == "part" else 0.0

    def worth(self, gain: float, least: float) -> float:
        """Its gain for the price. Nothing is quite free: the work that any change takes counts as `least` of the
        machine's price, and half of that if it only puts something back."""
        return (gain - 1) / (self.cost + (least / 2 if self.change.back else least))


@dataclass(frozen=True)
class Ranking:
    least: float  # The least gain of what costs nothing

    def worth(self, tried: Tried) -> float:
        return tried.worth(tried.gain, self.least)

    def ends(self, tried: Tried) -> tuple[float, float]:
        """Of the interval of its worth."""
        low, high = tried.interval
        return tried.worth(low, self.least), tried.worth(high, self.least)

    def proposed(self, tried: Tried) -> bool:
        """Whether it gains at least its share of the price and `least`, and surely something."""
        return tried.gain - 1 >= self.least + tried.cost and tried.interval[0] > 1

    def order(self, all_tried: list[Tried]) -> list[Tried]:
        """Those with a run, by gain for the price, the best value of each parameter only."""
        ranked = sorted((each for each in all_tried if each.after), key=lambda each: -self.worth(each))
        best: dict[str, Tried] = {}
        for each in ranked:
            best.setdefault(each.change.path, each)
        return list(best.values())

    def open(self, ranked: list[Tried]) -> list[Tried]:
        """Those about which more seeds may still decide: whether they are proposed, or whether they are better than the
        first."""
        if not ranked:
            return []
        first, *others = ranked
        low = self.ends(first)[0]
        contested = [each for each in others if self.ends(each)[1] >= max(low, 1.0)]
        unsure = [each for each in ranked if self.ends(each)[0] < 1 <= self.ends(each)[1]]
        found = [each for each in ranked if each in contested or each in unsure]
        return [first, *found] if contested and first not in found else found
