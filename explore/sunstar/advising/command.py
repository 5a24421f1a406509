# SPDX-License-Identifier: MIT
"""sunstar advise: it tries changes, all with one seed, the best with more, the very best in pairs, and says in words,
as a table and as JSON what each gains, by the runs of several seeds, what it costs, and whether it is worth that.
Finished runs come from the store."""

import json
import math
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console

from sunstar.advising.candidates import Candidates, Change, Machine, candidates, machine_in, once_more
from sunstar.commands import JobsOption, JsonOption, ResultsOption, results_folder, written
from sunstar.configurations import shortened
from sunstar.console import Printed, console, meter, percent, print_table
from sunstar.errors import FileError, UsageError
from sunstar.explaining import Explanation, explained
from sunstar.files import Outputs, as_json, write_text
from sunstar.machine.command import ConfigArgument, PlatformOption, SetOption, find
from sunstar.quantities import duration
from sunstar.reports.samples import half_width
from sunstar.runs.runner import Local, Runner, Store
from sunstar.runs.simulator import Outcome, Point, Run, plan
from sunstar.searches.spec import Prices, costs_of
from sunstar.sweeps.spec import read_strictly

UNPRICED = 0.5
"""The assumed cost of doubling parts without a price, as a share of the machine's: half of what it could gain."""
ROUND = 2  # Seeds that are added together
CONTENDERS = 12  # Changes that get more seeds
NEARLY = 0.5  # The worth by one seed above which a change may turn out to be worth it
BEST = 4  # Changes that are tried in pairs, and further
STEPS = 4  # How often a doubling is repeated
FIRST_PART, SEEDS_PART = 0.6, 0.9  # Parts of the time after which the first seeds, and all seeds, are done with
WRITE_BEHIND = 1.25  # How much longer the medium may take, for a run to count until its last byte is on the medium
LONG = 100  # Characters of a setting on one line
NEXT = 5  # Changes that are shown when none is proposed
COLUMNS = "rank: the place by gain alone; for it: the gain above 1, divided by the share of the price and the work."


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


@dataclass
class Laboratory:
    """Runs of a machine with changes, as long as there is time."""

    machine: Machine
    store: Store
    jobs: int
    seconds: float
    out: Console  # Shows how far the runs are
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
        shown = meter(self.out, what, len(missing)) if missing else nullcontext(lambda _: None)
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
    elapsed_s: float  # The file system's own time with the first seed, as its result says
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
    seconds = {seed: medium if until_medium else end}
    return Base(explanation, until_medium, medium / end, end, lab.cost(outcome), seconds)


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


def advised(lab: Laboratory, base: Base, found: Candidates, seeds: Sequence[int], ranking: Ranking) -> Advice:
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


def tell(out: Console, advice: Advice, rows: int) -> None:
    pair = best_pair(advice)
    for line in (summary(advice), advice.base.explanation.sentences[0], counts(advice), verdict(advice)):
        out.print(line, soft_wrap=True)
    if advice.ranked:
        print_table(out, table(advice, rows))
        out.print(COLUMNS, soft_wrap=True)
    most = sorted(advice.proposals, key=lambda each: -each.gain)[:1]
    shown = [("First", each) for each in advice.proposals[:1]]
    shown += [("Most", each) for each in most if each is not advice.proposals[0]]
    shown += [("Together", pair)] if pair else []
    for title, each in shown:
        out.print(f"\n{title}: {each.change.path}, {gained(each)}", soft_wrap=True)
        for line in pasted(each):
            out.print(f"  {line}", soft_wrap=True)
    for i, each in enumerate(advice.further):
        out.print(f"{'' if i else chr(10)}Further: {in_full(each)}", soft_wrap=True)


def summary(advice: Advice) -> str:
    """How long the machine takes, as its result says, and the measure of gains if it is another time."""
    base = advice.base
    measure = f"; the medium takes {base.behind:.3g} times as long" if base.behind > 1.0005 else ""
    measure += ", and gains are of that time" if measure and base.until_medium else ""
    return f"sunstar-{advice.machine.program} takes {base.elapsed_s:.5g} s (result.elapsed_s){measure}."


def counts(advice: Advice) -> str:
    failed = sum(bool(each.why) for each in advice.tried)
    numbers = {
        "changes tried alone": sum(bool(each.after) for each in advice.tried),
        "in pairs": len(advice.pairs),
        "left out because their bounds gain too little": len(advice.left_out),
        "that the machine cannot have": len(advice.refused) + failed,
        "for which the time was too short": untried(advice),
    }
    return ", ".join(f"{number} {what}" for what, number in numbers.items() if number) + "."


def untried(advice: Advice) -> int:
    return sum(not (each.after or each.why) for each in advice.tried)


def verdict(advice: Advice) -> str:
    for first in advice.proposals[:1]:
        path = first.change.path
        what = "Replace drive" if ".disk" in path and not path.startswith("machine.") else "Change"
        return f"{what} {in_full(first)}."
    if untried(advice):
        return "Nothing is proposed yet, as the time was too short; the same command goes on where it was."
    least = f"{100 * advice.ranking.least:g} %"
    return f"Nothing to change: no setting gains {least}, and no hardware {least} more than its share of the price."


def brief(tried: Tried, width: int = 14) -> str:
    was, to = tried.change.was, tried.change.to
    if isinstance(was, str) and isinstance(to, str):
        while " " in was and " " in to and was.split()[0] == to.split()[0]:  # as the maker's name of two drives
            was, to = was.partition(" ")[2], to.partition(" ")[2]
    return f"{shortened(was, width)} -> {shortened(to, width)}"


def in_full(tried: Tried) -> str:
    return f"{tried.change.path}, {brief(tried, 60)}: {gained(tried)}"


def gained(tried: Tried) -> str:
    low, high = tried.interval
    return f"{tried.gain:.2f}x" + (f" ({low:.2f} to {high:.2f})" if low else "")


def price_of(tried: Tried) -> str:
    if tried.price is None and tried.change.kind == "part":
        return "unpriced"
    return percent(tried.price, sign=True) if tried.price else "free"


def table(advice: Advice, rows: int) -> Printed:
    """The proposed changes or, if there are none, the nearest ones."""
    found = advice.proposals[:rows]
    title = "Proposed, the most gain for the price first" if found else "The nearest"
    return table_of(advice, found or advice.ranked[:NEXT], title)


def table_of(advice: Advice, found: Sequence[Tried], title: str = "") -> Printed:
    by_gain = sorted(found, key=lambda each: -each.gain)
    lines = [
        (
            each.change.path,
            brief(each),
            f"{each.gain:.2f}x",
            f"{percent(each.interval[1] / each.gain - 1)}" if len(each.after) > 1 else "one seed",
            str(1 + by_gain.index(each)),
            price_of(each),
            f"{worth:.0f}" if (worth := advice.ranking.worth(each)) >= 10 else f"{worth:.1f}",
        )
        for each in found
    ]
    return Printed(title, ("change", "from -> to", "gain", "± (95 %)", "rank", "price", "for it"), lines, 2)


def best_pair(advice: Advice) -> Tried | None:
    """The best pair, if it gains more than any change alone."""
    alone = max((each.gain for each in advice.proposals), default=1.0)
    return next((each for each in advice.pairs if each.gain >= alone * (1 + advice.ranking.least)), None)


def pasted(tried: Tried) -> list[str]:
    """Its settings for a shell; a long list has a line for each item, which a shell takes, too."""
    lines = []
    for path, value in tried.change.settings.items():
        [text] = Point({path: value}).texts()
        if isinstance(value, list) and len(text) > LONG:
            items = ",\n".join(f"    {json.dumps(item)}" for item in value)
            text = f"{path}=[\n{items}]"
        lines += f"--set '{text}'".splitlines()
    return lines


def told(advice: Advice) -> dict[str, Any]:
    def one(tried: Tried) -> dict[str, Any]:
        found = {"gain": tried.gain, "interval": tried.interval if len(tried.after) > 1 else None}
        more = {"seconds": tried.after, "price": tried.price, "for_the_price": advice.ranking.worth(tried)}
        return {**asdict(tried.change), "settings": Point(tried.change.settings).texts(), **found, **more}

    return {
        "seconds": advice.base.seconds,
        "until": "medium" if advice.base.until_medium else "end",
        **{name: list(map(one, getattr(advice, name))) for name in ("proposals", "pairs", "further", "ranked")},
        "left_out": [str(each.change) for each in advice.left_out],
        "not_possible": {str(each): why for each, why in advice.refused.items()},
    }


def advise(
    config: ConfigArgument,
    platform: PlatformOption = None,
    settings: SetOption = None,
    keep: Annotated[list[str] | None, typer.Option(metavar="PATH")] = None,
    prices: Annotated[Path | None, typer.Option(metavar="FILE.json")] = None,
    time: Annotated[str, typer.Option(metavar="TIME")] = "5m",
    seeds: Annotated[int, typer.Option(min=2, max=100)] = 7,
    least_gain: Annotated[float, typer.Option(min=0.001, max=10)] = 0.05,
    rows: Annotated[int, typer.Option(min=1)] = 10,
    page_: Annotated[Path | None, typer.Option("--page", metavar="FILE.html")] = None,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
    as_json_: JsonOption = False,
) -> None:
    if page_ and page_.suffix not in (".html", ".htm"):
        raise UsageError(f"--page {page_}: its name must end in .html or .htm")
    seconds = duration("--time", time)
    asked = find(config, platform, settings or [], None)
    price_list = read_strictly(Prices, prices) if prices else None
    out = console()
    first = int(asked.config["run"]["seed"])
    with tempfile.TemporaryDirectory() as folder, Outputs() as files, Store(results_folder(results)) as store:
        if page_:
            files.temporary(page_)  # fails before any run if it cannot be written
        machine = machine_in(asked.program, asked.config, Path(folder))
        lab = Laboratory(machine, store, jobs, seconds, console(stderr=True), price_list)
        found = candidates(machine, keep or ())
        advice = advised(lab, base_of(lab, first), found, range(first, first + seeds), Ranking(least_gain))
        if page_:
            from sunstar.advising.page import page  # here, because it takes a second

            write_text(files, page_, page(advice, config, rows))
    if as_json_:
        typer.echo(as_json(told(advice)), nl=False)
    else:
        tell(out, advice, rows)
        if price_list and price_list.source:
            out.print(f"Prices: {price_list.source}", soft_wrap=True)
        if page_:
            out.print(written([page_]), soft_wrap=True)
