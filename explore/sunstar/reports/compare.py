# SPDX-License-Identifier: MIT
"""sunstar compare: which of two runs or sweeps does better, how the machines differ, and the figures' significance."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from itertools import chain
from math import isclose
from statistics import fmean
from typing import Annotated, Any, Literal, NamedTuple

import typer
from rich.console import Console

from sunstar.commands import JsonOption, ResultsOption, results_folder
from sunstar.configurations import Changed, changes, key, shortened
from sunstar.console import Printed, console, listed_in, print_table
from sunstar.errors import UsageError
from sunstar.files import as_json
from sunstar.quantities import engineering, significant
from sunstar.reports.parts import Apart, apart, rank, used
from sunstar.reports.samples import ASSUMPTIONS, Samples, Value, holm, is_number, numbers, samples_of, welch
from sunstar.reports.sources import Pairs, find, pair_up
from sunstar.results import units, with_unit
from sunstar.structure import GROUPS, group_of, kind_of

Verdict = Literal["equal", "within noise", "differs", "differs (no test)"]  # no test: of single trials and texts
SUMMED = ".response_time"


@dataclass(frozen=True)
class Difference:
    """A figure on both sides."""

    point: str
    figure: str
    a: Value  # The mean of the trials
    b: Value
    trials: tuple[int, int]
    interval: tuple[float, float] | None  # The confidence interval of B - A; None without a test
    p: float | None  # Corrected for the number of figures; None without a test
    verdict: Verdict

    @property
    def relative(self) -> float | None:
        """The difference as a share of A."""
        return self.b / self.a - 1 if is_number(self.a) and is_number(self.b) and self.a else None

    @property
    def effect(self) -> float:
        """The difference as a share of the greater value; 1 for values that are no numbers."""
        return share_of_greater(self.a, self.b) if is_number(self.a) and is_number(self.b) else 1.0

    @property
    def differs(self) -> bool:
        return self.verdict.startswith("differs")


def share_of_greater(a: float, b: float) -> float:
    return abs(b - a) / max(abs(a), abs(b)) if a or b else 0.0


class Kind(NamedTuple):
    """One statistic of all resources of a kind."""

    resources: int
    mean: float
    unit: str


@dataclass(frozen=True)
class Moved:
    """How a kind of resource differs between two runs, or two lots of them."""

    group: str
    kind: str
    resources: tuple[int, int]
    a: float | None  # The mean over the resources of the kind; None if there is no such resource
    b: float | None
    unit: str

    @property
    def equal(self) -> bool:
        """Means of the same values differ in their last digits if they were summed in another order."""
        return self.a == self.b or (self.a is not None and self.b is not None and isclose(self.a, self.b))

    @property
    def effect(self) -> float:
        """The difference; except for utilisations, as a share of the greater value."""
        a, b = self.a or 0.0, self.b or 0.0
        return abs(b - a) if self.unit == "fraction" else share_of_greater(a, b)


@dataclass
class Comparison:
    a: str
    b: str
    points: int
    names: list[str]  # The parameters that tell the points apart
    only_a: list[str]  # Points, and figures with their values, missing on the other side
    only_b: list[str]
    trials: tuple[int, int]  # The fewest trials of a point on each side
    figures: list[Difference]  # Differing figures first, then by effect
    parts: list[tuple[Apart, int]]  # How the machines differ; each with the number of points with this difference
    parameters: list[tuple[Changed, int]]  # The same by parameter
    resources: list[Moved]

    @property
    def differing(self) -> int:
        return sum(each.differs for each in self.figures)

    @property
    def different(self) -> bool:
        return bool(self.differing or self.only_a or self.only_b)


def compare(pairs: Pairs, alpha: float, only: Collection[str] = ()) -> Comparison:
    """Compares all figures, or only those of these paths."""
    alone: tuple[list[str], list[str]] = (list(pairs.only_a), list(pairs.only_b))
    figures: list[Difference] = []
    parts: Counter[Apart] = Counter()
    changed: dict[str, list[Changed]] = defaultdict(list)
    statistics: tuple[list[Mapping[str, Kind]], list[Mapping[str, Kind]]] = ([], [])
    trials: tuple[list[int], list[int]] = ([], [])
    known: dict[str, None] = {}
    for pair in pairs.pairs:
        all_samples = [samples_of(each) for each in (pair.a, pair.b)]
        known.update(dict.fromkeys(path for of in all_samples for path in of))
        a, b = ({path: each for path, each in of.items() if not only or path in only} for of in all_samples)
        first, second = pair.a[0].program, pair.b[0].program
        figures += differences(pair.point, a, b, {**units(first), **units(second)})
        parts.update([Apart("program", first, second, 1)] * (first != second))
        configs = used(pair.a[0].config), used(pair.b[0].config)
        by_parameter = list(changes(*configs))
        parts.update(apart(*configs, by_parameter))
        for each in by_parameter:
            changed[key([each.path, each.a, each.b])].append(each)
        for i, (results, its, other) in enumerate(((pair.a, a, b), (pair.b, b, a))):
            alone[i].extend(
                f"{pair.point}: {path}" if pair.point else f"{path}, {shown(average(its[path]))}"
                for path in its
                if path not in other and not all(is_number(value) and not value for value in its[path])
            )
            statistics[i].append(kinds(results[0].statistics, results[0].statistics_s))
            trials[i].append(len({trial["seed"] for result in results for trial in result.trials}))
    for path in only:
        if path not in known:
            alike = [each for each in known if each.endswith(f".{path}")][:1] or get_close_matches(path, known, 1, 0.8)
            guess = f"; did you mean {alike[0]}?" if alike else f"; there are {', '.join(known)}"
            raise UsageError(f"--figure {path}: there is no such figure{guess}")
    return Comparison(
        pairs.a,
        pairs.b,
        pairs.points,
        list(pairs.parameters),
        *alone,
        (min(trials[0], default=0), min(trials[1], default=0)),
        sorted(judged(figures, alpha), key=lambda each: (not each.differs, -each.effect)),
        list(parts.items()),
        sorted(((same[0], len(same)) for same in changed.values()), key=lambda each: rank(each[0].path)),
        moved(*statistics),
    )


def differences(point: str, a: Samples, b: Samples, unit_of: Mapping[str, str]) -> Iterator[Difference]:
    """Each figure that both sides have, before it is judged. Values that are no numbers count as one text."""
    for path in (path for path in a if path in b):
        one, other = numbers(a[path]), numbers(b[path])
        means: tuple[Value, Value]
        if one is None or other is None:
            test, equal = None, set(a[path]) == set(b[path])
            means = (said(a[path]), said(b[path]))
        else:
            test, equal = welch(one, other), sorted(one) == sorted(other)
            means = (fmean(one), fmean(other))
        trials = (len(a[path] if one is None else one), len(b[path] if other is None else other))
        interval, p = ((test.low, test.high), test.p) if test else (None, None)
        verdict: Verdict = "equal" if equal else "within noise" if test else "differs (no test)"
        yield Difference(point, with_unit(path, unit_of.get(path)), *means, trials, interval, p, verdict)


def average(values: Sequence[Value]) -> Value:
    """The mean of numbers; of others, all there are."""
    known = numbers(values)
    return said(values) if known is None else fmean(known)


def said(values: Sequence[Value]) -> Value:
    """The only value, or all values."""
    different = list(dict.fromkeys(values))
    return different[0] if len(different) == 1 else ", ".join(map(str, different))


def judged(figures: Sequence[Difference], alpha: float) -> Iterator[Difference]:
    """The figures with p corrected for their number, and a verdict on each."""
    corrected = iter(holm([each.p for each in figures if each.p is not None]))
    for each in figures:
        p = None if each.p is None else next(corrected)
        differs = p is not None and p < alpha and each.verdict != "equal"
        yield replace(each, p=p, verdict="differs" if differs else each.verdict)


def kinds(statistics: Mapping[str, Any], elapsed_s: float | None = None) -> dict[str, Kind]:
    """The kinds of statistics that are compared. Of response times, which are summed over commands, the elapsed time
    makes the mean number of commands that are waiting or under way (Little's law)."""
    values: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(list)
    for name, each in statistics.items():
        kind, value, unit = kind_of(name), each["value"], each["unit"]
        if value is None or not group_of(kind):
            continue
        if elapsed_s and kind.endswith(SUMMED):
            kind, value, unit = kind.removesuffix(SUMMED) + ".queue_length", value / elapsed_s, "1"
        values[kind, unit].append((value, each.get("parts", 1)))
    return {
        kind: Kind(sum(parts for _, parts in found), fmean([v for v, _ in found], [n for _, n in found]), unit)
        for (kind, unit), found in values.items()
    }


def moved(a: Sequence[Mapping[str, Kind]], b: Sequence[Mapping[str, Kind]]) -> list[Moved]:
    """The kinds that differ, from the largest effect to the smallest."""
    found = []
    for kind in dict.fromkeys(chain(*a, *b)):
        both = [[run[kind] for run in runs if kind in run] for runs in (a, b)]
        one, other = (fmean(each.mean for each in of) if of else None for of in both)
        count, another = (max((each.resources for each in of), default=0) for of in both)
        found.append(Moved(group_of(kind) or "", kind, (count, another), one, other, [*both[0], *both[1]][0].unit))
    return sorted((each for each in found if not each.equal), key=lambda each: (None in (each.a, each.b), -each.effect))


WIDEST = 200  # Columns of tables that are not printed on a terminal: of points and figures, they are wide


def compare_runs(
    a: Annotated[str, typer.Argument(metavar="A")],
    b: Annotated[str, typer.Argument(metavar="B")],
    figure: Annotated[list[str] | None, typer.Option(metavar="PATH")] = None,
    alpha: float = 0.05,
    rows: Annotated[int, typer.Option(min=1)] = 12,
    verbose: Annotated[bool, typer.Option("--verbose")] = False,
    results: ResultsOption = None,
    as_json_: JsonOption = False,
) -> None:
    if not 0 < alpha < 1:
        raise UsageError(f"--alpha {alpha:g}: it must be greater than 0 and less than 1")
    folder = results_folder(results)
    found = compare(pair_up(find(a, folder), find(b, folder), (a, b)), alpha, figure or ())
    if as_json_:
        typer.echo(as_json(as_object(found, alpha)), nl=False)
    else:
        tell(console(), found, alpha, rows, verbose)
    if found.different:
        raise typer.Exit(1)


def tell(out: Console, found: Comparison, alpha: float, rows: int, verbose: bool) -> None:
    if not out.is_terminal:
        out.width = WIDEST
    points = f", {found.points} points in common" if found.points > 1 else ""
    out.print(f"A: {found.a}\nB: {found.b}{points}", soft_wrap=True)
    for (part, one, other, _), _ in found.parts:
        if part == "workload" or (part == "file system" and len(found.parts) > 1):
            out.print(f"The {part}s differ, not only the machines: A {one}; B {other}", soft_wrap=True)
    if told := better(found):
        out.print(f"\n{told}", soft_wrap=True)
    for table in tables(found, verbose):
        if table.rows:
            print_table(out, replace(table, rows=table.rows[:rows]))
        if len(table.rows) > rows:
            out.print(f"and {len(table.rows) - rows} more (--rows, --json)")
    out.print()
    for side, names in (("A", found.only_a), ("B", found.only_b)):
        for name in names[: rows if verbose else FEW]:
            out.print(f"only in {side}: {name}", soft_wrap=True)
        if len(names) > (most := rows if verbose else FEW):
            out.print(f"and {len(names) - most} more only in {side} (--verbose, --json)")
    out.print(verdict(found, alpha), soft_wrap=True)


FEW = 3  # The most points and figures of one side that are named without --verbose
RATES = {
    "result.throughput.mib_per_s": "moves {}as much a second as",
    "result.accepted": "accepts {}as much traffic as",
}
MAIN = (*RATES, "result.throughput.requests_per_s", "result.elapsed_s", "result.latency.mean_cycles")
MAIN += ("result.response.mean_ms", "result.verified", "result.bytes_lost")
"""The figures that answer which machine does better."""


def path_of(each: Difference) -> str:
    return each.figure.partition(" [")[0]


def better(found: Comparison) -> str:
    """Which side does better, in a sentence; none if no rate is on both sides."""
    of = {path: [each for each in found.figures if path_of(each) == path] for path in MAIN}
    rate = next((path for path in RATES if of[path]), "")
    ratios = [1 + each.relative for each in of.get(rate, ()) if each.relative is not None]
    if not ratios:
        return ""
    one, other = ("A", "B") if min(ratios) > 0 and max(ratios) < 1 else ("B", "A")
    ratios = [1 / each for each in ratios] if one == "A" else ratios
    times = " to ".join(dict.fromkeys((significant(min(ratios)), significant(max(ratios)))))
    told = [f"{one} {RATES[rate].format('' if times == '1.00' else f'{times} times ')} {other}"]
    told[0] += " (within noise)" * all(each.verdict == "within noise" for each in of[rate])
    for i, side in enumerate("AB"):
        lost = max(filter(is_number, ((each.a, each.b)[i] for each in of["result.bytes_lost"])), default=0)
        told += [f"{side} loses {engineering(lost, 'B')}"] * bool(lost)
        told += [f"{side} is not verified"] * any((each.a, each.b)[i] is False for each in of["result.verified"])
    return "; ".join(told)


def tables(found: Comparison, verbose: bool) -> Iterator[Printed]:
    """Of the main figures, the parts, with `verbose` the parameters, other figures that are not equal, and each group
    of statistics."""
    many = found.points > 1
    of_points = f" of each point ({', '.join(found.names)})" if many else ""
    columns: dict[str, Callable[[Difference], str]] = {
        **({"point": lambda each: short(each.point, found.names)} if many else {}),
        "figure": lambda each: each.figure.removeprefix("result."),
        "A": lambda each: shown(each.a),
        "B": lambda each: shown(each.b),
        "B to A": lambda each: change(each.relative),
        "95 % interval": interval,
        "p": lambda each: "-" if each.p is None else f"{each.p:.1g}" if each.p < 0.1 else f"{each.p:.2f}",
        "": lambda each: each.verdict,
    }
    if all(each.p is None for each in found.figures):
        del columns["95 % interval"], columns["p"]
    main = sorted((each for each in found.figures if path_of(each) in MAIN), key=lambda each: MAIN.index(path_of(each)))
    unequal = [each for each in found.figures if each.verdict != "equal" and path_of(each) not in MAIN]
    yield listed_in(f"in common: means of the trials{of_points}", main, columns, names=2 if many else 1)
    rows = [[of.part, of.a, of.b, str(of.parameters), *[str(n)] * many] for of, n in found.parts]
    yield Printed("machines, by part", ["part", "A", "B", "parameters", *["points"] * many], rows, names=3)
    rows = [[of.path, shortened(of.a, 30), shortened(of.b, 30), *[str(n)] * many] for of, n in found.parameters]
    yield Printed("parameters", ["parameter", "A", "B", *["points"] * many], rows * verbose, names=3)
    yield listed_in(f"other figures{of_points}", unequal, columns, names=2 if many else 1)
    for group in GROUPS:
        title = f"{group}: mean over the resources of a kind, first trial (no test)"
        rows = [
            [each.kind.removeprefix("machine."), ", ".join(map(str, dict.fromkeys(each.resources))), *values(each)]
            for each in found.resources
            if each.group == group
        ]
        yield Printed(title, ["resource", "number", "A", "B", "B - A"], rows)


def change(relative: float | None) -> str:
    """Of a ratio of 10 or more, the ratio."""
    if relative is None:
        return "-"
    return f"{100 * relative:+.1f} %" if relative < 9 else f"x {significant(1 + relative)}"


def short(point: str, names: list[str]) -> str:
    """A point without the names of its parameters."""
    for name in names:
        point = point.replace(f"{name}=", "", 1)
    return shortened(point, 40)


def interval(each: Difference) -> str:
    """The confidence interval of the difference, as shares of A. A positive figure loses at most all of itself."""
    if each.interval is None or not is_number(each.a) or not each.a:
        return "-"
    low, high = sorted(100 * bound / each.a for bound in each.interval)
    if is_number(each.b) and each.a > 0 and each.b >= 0:
        low = max(low, -100.0)
    return f"{significant(low, sign='+')} to {significant(high, sign='+')} %"


def shown(value: Value) -> str:
    if value is None:
        return "-"
    if is_number(value) and abs(value) >= 1e5:
        return f"{value:,.0f}"
    return f"{value:.5g}" if isinstance(value, float) else shortened(value, 24)


def values(each: Moved) -> Iterator[str]:
    difference = None if each.a is None or each.b is None else each.b - each.a
    for value, sign in ((each.a, ""), (each.b, ""), (difference, "+")):
        if value is None:
            yield "-"
        elif each.unit == "fraction":
            yield f"{100 * value:{sign}.1f}" + (" points" if sign else " %")
        else:
            yield f"{value:{sign}.5g}" + ("" if each.unit == "1" else f" {each.unit}")


def verdict(found: Comparison, alpha: float) -> str:
    """The outcome, and the assumptions of the test."""
    tested = [each for each in found.figures if each.p is not None]
    lines = []
    if tested:
        lines.append(f"{ASSUMPTIONS} p is corrected for {len(tested)} figures (Holm), the intervals are not.")
    if min(found.trials) < 2:
        more = "give both sweeps repetitions" if found.names else "run both with --trials 5"
        lines.append(
            f"Trials: {found.trials[0]} and {found.trials[1]}. With one trial, any difference may be noise; {more}."
        )
    counts = f"{found.differing} of {len(found.figures)} figures differ"
    if found.different:
        how = f" at p < {alpha:g}" if any(each.verdict == "differs" for each in tested) else ""
        alone = len(found.only_a) + len(found.only_b)
        more = f", {alone} figures or points are only on one side" if alone else ""
        lines.append(f"different: {counts}{how}{more}")
    else:
        how = f"; no tested figure differs at p < {alpha:g}" if tested else ""
        lines.append(f"equal within noise: {counts}{how}")
    return "\n".join(lines)


def as_object(found: Comparison, alpha: float) -> dict[str, Any]:
    return {
        **{name: value for name, value in asdict(found).items() if name != "names"},
        "different": found.different,
        "alpha": alpha,
        "test": f"{ASSUMPTIONS} p is corrected by Holm's method.",
        "figures": [{**asdict(each), "relative": each.relative, "effect": each.effect} for each in found.figures],
        "parts": [{**each._asdict(), "points": points} for each, points in found.parts],
        "parameters": [{**asdict(each), "points": points} for each, points in found.parameters],
        "resources": [{**asdict(each), "effect": each.effect} for each in found.resources],
    }
