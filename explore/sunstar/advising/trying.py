# SPDX-License-Identifier: MIT
"""Tries changes: all with one seed, the best with more, the very best in pairs; finished runs come from the store."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from itertools import combinations

import orjson

from sunstar.advising.candidates import Candidates, Machine
from sunstar.advising.changes import Change
from sunstar.advising.judging import Ranking, Tried
from sunstar.errors import FileError
from sunstar.explaining import Explanation, explained
from sunstar.results import figures
from sunstar.runs.runner import Local, Runner
from sunstar.runs.simulator import Outcome, Run, plan
from sunstar.runs.store import Store
from sunstar.searches.spec import Prices, costs

ROUND = 2  # Seeds that are added together
CONTENDERS = 12  # Changes that get more seeds
NEARLY = 0.5  # The worth by one seed from which on a change may turn out to be worth it
BEST = 4  # Changes that are tried in pairs
FIRST_PART, SEEDS_PART = 0.6, 0.9  # Parts of the time after which the first seeds, and all seeds, are done with
WRITE_BEHIND = 1.25
"""How much longer the medium may take than the run, for a run to count until its last byte is on the medium."""
Progress = Callable[[str, int], AbstractContextManager[Callable[[bool], None]]]


@dataclass
class Base:
    """The machine as it is."""

    explanation: Explanation
    until_medium: bool  # What counts: until its last byte is on the medium, or until the file system's own end
    price: float | None
    seconds: dict[int, float]  # By seed


@dataclass
class Advice:
    machine: Machine
    ranking: Ranking
    base: Base
    tried: list[Tried]
    ranked: list[Tried]
    pairs: list[Tried]
    left_out: list[Change]  # By their bounds
    refused: Mapping[Change, str]
    untried: int = 0  # For want of time

    @property
    def proposals(self) -> list[Tried]:
        return [each for each in self.ranked if self.ranking.proposed(each)]


@dataclass
class Laboratory:
    """Runs of a machine with changes, as long as there is time."""

    machine: Machine
    store: Store
    jobs: int
    seconds: float
    progress: Progress
    prices: Prices | None = None
    began: float = field(default_factory=time.monotonic)

    def run(self, what: str, wanted: Sequence[tuple[Change | None, int]], part: float = 1.0) -> list[Run | None]:
        """The runs of changes with seeds, made until this part of the time is over; None for the others. None as a
        change is the machine as it is, explained."""
        points = [
            replace(
                self.machine.point({} if change is None else change.settings), seed=seed, trials=1, explained=not change
            )
            for change, seed in wanted
        ]
        planned = plan(points, self.jobs)
        runner = Runner(self.store, Local(self.jobs, self.began + part * self.seconds))
        missing = len(planned.distinct()) - len(
            {run.identity for run in runner.known(planned).values() if run.identity}
        )
        with suppress(TimeoutError), self.progress(what, missing) as ended:
            runner.all(planned, lambda _, run: ended(run.done))
        known = runner.known(planned)
        return [known.get(index) for index in range(len(points))]

    def outcome(self, run: Run) -> Outcome:
        found = self.store.outcome(run.identity)
        assert found is not None  # the run is known
        return found

    def cost(self, outcome: Outcome) -> float | None:
        if self.prices is None:
            return None
        config = orjson.loads(outcome.document)["config"]
        return costs(self.prices, config, figures(orjson.loads(outcome.figures)), "the price list")["cost"]


def seconds_of(outcome: Outcome) -> tuple[float, float]:
    """How long a run took until the file system's own end, and until its last byte was on the medium."""
    result = orjson.loads(outcome.figures)["result"]
    elapsed, throughput = result["elapsed_s"], result.get("throughput", {})
    rate, medium = throughput.get("mib_per_s"), throughput.get("medium_mib_per_s")
    return elapsed, elapsed * rate / medium if rate and medium else elapsed


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
    return Base(explanation, until_medium, lab.cost(outcome), {seed: medium if until_medium else end})


@dataclass
class Trials:
    lab: Laboratory
    base: Base
    ranking: Ranking
    seeds: Sequence[int]

    def measure(self, what: str, these: Sequence[Tried], seeds: Sequence[int], part: float) -> None:
        """Runs these changes with these seeds, and the machine as it is with those that it has not had."""
        unknown = [seed for seed in seeds if seed not in self.base.seconds]
        runs = self.lab.run(
            what,
            [*((None, seed) for seed in unknown), *((each.change, seed) for each in these for seed in seeds)],
            part,
        )
        for seed, run in zip(unknown, runs, strict=False):
            if run and run.done:
                self.base.seconds[seed] = self.seconds(self.lab.outcome(run))
        pairs = ((each, seed) for each in these for seed in seeds)
        for (each, seed), run in zip(pairs, runs[len(unknown) :], strict=True):
            if run and seed in self.base.seconds:
                self.note(each, seed, run)

    def seconds(self, outcome: Outcome) -> float:
        return seconds_of(outcome)[self.base.until_medium]

    def note(self, tried: Tried, seed: int, run: Run) -> None:
        if not run.done:
            tried.why = run.message
            return
        outcome = self.lab.outcome(run)
        tried.after[seed] = self.seconds(outcome)
        if self.base.price and tried.price is None:
            more = ((self.lab.cost(outcome) or 0.0) - self.base.price) / self.base.price
            if more > 0 or tried.change.kind == "setting":
                tried.price = max(more, 0.0)

    def hopeless(self, tried: Tried) -> bool:
        """Whether the critical path says that it cannot gain enough. What a priced part costs is known after its
        run."""
        shares = {stage.stage: stage.share for stage in self.base.explanation.critical_path}
        bound = tried.change.at_most(shares)
        cost = 0.0 if self.base.price else tried.cost
        return bound is not None and bound - 1 < self.ranking.least + cost

    def contest(self, contenders: list[Tried]) -> None:
        """Adds seeds until the order at the top, and what is proposed, is certain, or there are no more."""
        for start in range(1, len(self.seeds), ROUND):
            if contenders:
                more = self.seeds[start : start + ROUND]
                self.measure("the best with more seeds", contenders, more, SEEDS_PART)
            contenders = self.ranking.open(self.ranking.order(contenders))

    def pairs(self, best: Sequence[Tried]) -> list[Tried]:
        before = self.base.seconds
        found = [Tried(both(a.change, b.change), before) for a, b in combinations(best, 2) if apart(a, b)]
        known = [seed for seed in self.seeds[: 1 + ROUND] if seed in before]
        self.measure("the best in pairs", found, known, 1.0)
        return sorted((each for each in found if each.after), key=lambda each: -each.gain)


def advise(lab: Laboratory, found: Candidates, seeds: Sequence[int], ranking: Ranking) -> Advice:
    base = base_of(lab, seeds[0])
    trials = Trials(lab, base, ranking, seeds)
    every = [Tried(change, base.seconds) for change in found.changes]
    left_out = [each for each in every if trials.hopeless(each)]
    tried = [each for each in every if each not in left_out]
    trials.measure("each change alone", tried, seeds[:1], FIRST_PART)
    untried = sum(not each.after and not each.why for each in tried)
    trials.contest([each for each in ranking.order(tried) if ranking.worth(each) >= NEARLY][:CONTENDERS])
    ranked = ranking.order(tried)
    pairs = trials.pairs([each for each in ranked if ranking.proposed(each)][:BEST])
    return Advice(
        lab.machine, ranking, base, tried, ranked, pairs, [each.change for each in left_out], found.refused, untried
    )


def apart(a: Tried, b: Tried) -> bool:
    return not set(a.change.settings) & set(b.change.settings)


def both(a: Change, b: Change) -> Change:
    settings = {**a.settings, **b.settings}
    return Change(f"{a.path} and {b.path}", f"{a.was}, {b.was}", f"{a.to}, {b.to}", settings, a.kind, a.added + b.added)
