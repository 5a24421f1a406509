# SPDX-License-Identifier: MIT
"""Tries changes: all with one seed, the best with more, the very best in pairs; finished runs come from the store."""

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from itertools import combinations

import orjson
from rich.console import Console

from sunstar.advising.candidates import Candidates, Machine, once_more
from sunstar.advising.changes import Change
from sunstar.advising.judging import Ranking, Tried
from sunstar.console import meter
from sunstar.errors import FileError
from sunstar.explaining import Explanation, explained
from sunstar.runs.runner import Local, Runner
from sunstar.runs.simulator import Outcome, Point, Run, plan
from sunstar.runs.store import Store
from sunstar.searches.spec import Prices, costs_of

ROUND = 2  # Seeds that are added together
CONTENDERS = 12  # Changes that get more seeds
NEARLY = 0.5  # The worth by one seed above which a change may turn out to be worth it
BEST = 4  # Changes that are tried in pairs, and further
STEPS = 4  # How often a doubling is repeated
FIRST_PART, SEEDS_PART = 0.6, 0.9  # Parts of the time after which the first seeds, and all seeds, are done with
WRITE_BEHIND = 1.25  # How much longer the medium may take, for a run to count until its last byte is on the medium


@dataclass
class Laboratory:
    """Runs of a machine with changes, as long as there is time."""

    machine: Machine
    store: Store
    jobs: int
    seconds: float
    out: Console  # Shows how far the runs are, if it is a terminal
    prices: Prices | None = None
    began: float = field(default_factory=time.monotonic)

    def run(self, what: str, wanted: Sequence[tuple[Change | None, int]], part: float = 1.0) -> list[Run | None]:
        """The runs of changes with seeds, made until this part of the time is over; None for the others. Without a
        change, it is the machine as it is, explained."""
        file, program = self.machine.file, self.machine.program
        planned = plan(
            [Point(c.settings if c else {}, file, program, seed, 1, explained=not c) for c, seed in wanted], self.jobs
        )
        runner = Runner(self.store, Local(self.jobs, self.began + part * self.seconds))
        missing = set(planned.identities) - {run.identity for run in runner.known(planned).values()}
        shown = meter(self.out, what, len(missing)) if self.out.is_terminal and missing else nullcontext(lambda _: None)
        with suppress(TimeoutError), shown as ended:
            runner.all(planned, lambda _, run: ended(run.done))
        known = runner.known(planned)
        return [known.get(index) for index in range(len(wanted))]

    def outcome(self, run: Run) -> Outcome:
        found = self.store.outcome(run.identity)
        assert found is not None  # the run is known
        return found

    def cost(self, outcome: Outcome) -> float | None:
        return costs_of(self.prices, outcome, "the price list")["cost"] if self.prices else None


@dataclass
class Base:
    """The machine as it is."""

    explanation: Explanation
    until_medium: bool  # The measured time: until its last byte is on the medium, or until the file system's own end
    behind: float  # How many times as long the medium takes
    price: float | None
    seconds: dict[int, float]  # By seed


@dataclass
class Advice:
    machine: Machine
    ranking: Ranking
    base: Base
    tried: Sequence[Tried]
    ranked: Sequence[Tried]
    pairs: Sequence[Tried]
    further: Sequence[Tried]  # Doublings that were repeated as long as they gained
    left_out: Sequence[Tried]  # By their bounds
    refused: Mapping[Change, str]

    @property
    def proposals(self) -> list[Tried]:
        return [each for each in self.ranked if self.ranking.proposed(each)]


def seconds_of(outcome: Outcome) -> tuple[float, float]:
    """How long a run took until the file system's own end, and until its last byte was on the medium."""
    result = orjson.loads(outcome.figures)["result"]
    rate, medium = result["throughput"]["mib_per_s"], result["throughput"]["medium_mib_per_s"]
    return result["elapsed_s"], result["elapsed_s"] * (rate / medium if rate and medium else 1.0)


def base_of(lab: Laboratory, seed: int) -> Base:
    [run] = lab.run("the machine as it is", [(None, seed)])
    if run is None:
        raise FileError(f"--time: the machine as it is takes longer than {lab.seconds:g} s")
    if not run.done:
        raise run.error()
    outcome = lab.outcome(run)
    _, explanation = explained(outcome.document, "the run of the machine as it is")
    end, medium = seconds_of(outcome)
    until_medium = medium <= WRITE_BEHIND * end
    return Base(explanation, until_medium, medium / end, lab.cost(outcome), {seed: medium if until_medium else end})


@dataclass
class Trials:
    lab: Laboratory
    base: Base
    ranking: Ranking
    seeds: Sequence[int]

    def measure(self, what: str, these: Sequence[Tried], seeds: Sequence[int], part: float) -> None:
        """Runs these changes with these seeds, and the machine as it is with its missing seeds."""
        new = [seed for seed in seeds if seed not in self.base.seconds]
        pairs = [(each, seed) for each in these for seed in seeds]
        runs = self.lab.run(what, [*((None, seed) for seed in new), *((e.change, seed) for e, seed in pairs)], part)
        for seed, run in zip(new, runs, strict=False):
            if run and run.done:
                self.base.seconds[seed] = seconds_of(self.lab.outcome(run))[self.base.until_medium]
        for (each, seed), run in zip(pairs, runs[len(new) :], strict=True):
            if run and not run.done:
                each.why = run.message
            elif run and seed in self.base.seconds:
                self.note(each, seed, self.lab.outcome(run))

    def note(self, tried: Tried, seed: int, outcome: Outcome) -> None:
        tried.after[seed] = seconds_of(outcome)[self.base.until_medium]
        cost, before = self.lab.cost(outcome), self.base.price
        if cost and before and tried.price is None and (cost > before or tried.change.kind == "setting"):
            tried.price = max(0.0, cost / before - 1)

    def hopeless(self, tried: Tried) -> bool:
        """Whether the critical path rules out enough gain; the cost of a priced part follows from its run."""
        bound = tried.change.at_most(self.base.explanation.critical_path)
        return bound is not None and bound - 1 < self.ranking.least + (0.0 if self.base.price else tried.cost)

    def contest(self, contenders: Sequence[Tried]) -> None:
        """Adds seeds until the proposals and the first of them are certain, or there are no more seeds."""
        for start in range(1, len(self.seeds), ROUND):
            if contenders:
                self.measure("the best with more seeds", contenders, self.seeds[start : start + ROUND], SEEDS_PART)
            contenders = self.ranking.undecided(contenders)

    def pairs(self, best: Sequence[Tried]) -> list[Tried]:
        apart = [
            (a.change, b.change) for a, b in combinations(best, 2) if not {*a.change.settings} & {*b.change.settings}
        ]
        found = [Tried(both(a, b), self.base.seconds) for a, b in apart]
        self.measure("the best in pairs", found, self.few_seeds, 1.0)
        return sorted((each for each in found if each.after), key=lambda each: -each.gain)

    def further(self, best: Sequence[Tried]) -> list[Tried]:
        """The best that are doublings, doubled again as long as each step gains the least."""
        found: dict[str, Tried] = {}
        for _ in range(STEPS):
            steps = [(each, once_more(self.lab.machine, each.change)) for each in best]
            more = {Tried(change, self.base.seconds): each for each, change in steps if change}
            self.measure("the best doubled again", list(more), self.few_seeds, 1.0)
            best = [each for each in more if each.after and each.gain >= more[each].gain * (1 + self.ranking.least)]
            found |= {each.change.path: each for each in best}
        return list(found.values())

    @property
    def few_seeds(self) -> list[int]:
        return [seed for seed in self.seeds[: 1 + ROUND] if seed in self.base.seconds]


def both(a: Change, b: Change) -> Change:
    kind, settings = a.kind if a.kind == "part" else b.kind, {**a.settings, **b.settings}
    return Change(f"{a.path} and {b.path}", f"{a.was}, {b.was}", f"{a.to}, {b.to}", settings, kind, a.added + b.added)


def advise(lab: Laboratory, base: Base, found: Candidates, seeds: Sequence[int], ranking: Ranking) -> Advice:
    """`base` has been run with the first seed."""
    trials = Trials(lab, base, ranking, seeds)
    every = [Tried(change, base.seconds) for change in found.changes]
    left_out = [each for each in every if trials.hopeless(each)]
    tried = [each for each in every if each not in left_out]
    trials.measure("each change alone", tried, seeds[:1], FIRST_PART)
    trials.contest([each for each in ranking.order(tried) if ranking.worth(each) >= NEARLY][:CONTENDERS])
    ranked = ranking.order(tried)
    best = [each for each in ranked if ranking.proposed(each)][:BEST]
    pairs, further = trials.pairs(best), trials.further(best)
    return Advice(lab.machine, ranking, base, tried, ranked, pairs, further, left_out, found.refused)
