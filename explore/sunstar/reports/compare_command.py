# SPDX-License-Identifier: MIT
"""sunstar compare"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from sunstar.commands import JsonOption, ResultsOption, results_folder
from sunstar.configurations import shortened
from sunstar.console import Printed, console, print_table
from sunstar.errors import UsageError
from sunstar.files import as_json
from sunstar.reports.comparison import Comparison, Difference, Moved, compare
from sunstar.reports.samples import ASSUMPTIONS, Value
from sunstar.reports.sources import find, pair_up
from sunstar.structure import GROUPS

ROWS = 12
WIDEST = 200
"""Columns of tables that are not printed on a terminal: of points and figures, they are wide."""
DIFFERENT = 1
"""The exit code of what is not equal within noise."""

OneArgument = Annotated[
    str, typer.Argument(metavar="A", help="A result file, the name or folder of a sweep, or its runs.parquet.")
]
OtherArgument = Annotated[str, typer.Argument(metavar="B", help="The same: a file if A is a file, a sweep if a sweep.")]
AlphaOption = Annotated[
    float, typer.Option("--alpha", help="A figure differs if p, corrected for the number of figures, is below this.")
]
FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", metavar="PATH", help="Compare only this figure, as in result.elapsed_s; repeatable."),
]
RowsOption = Annotated[int, typer.Option("--rows", min=1, help="The most rows of a table.")]


def compare_runs(
    a: OneArgument,
    b: OtherArgument,
    figure: FigureOption = None,
    alpha: AlphaOption = 0.05,
    rows: RowsOption = ROWS,
    results: ResultsOption = None,
    as_json_: JsonOption = False,
) -> None:
    """Compare two runs, or two sweeps point by point.

    Shows which figures differ and whether more than trials do (Welch's t-test, corrected by Holm for the number of
    figures), which parameters differ, and which resources moved, the largest effect first. Runs that only differ in
    run.seed are samples of one point. Exit code 0 if A and B are equal within noise, 1 if they are different. Without
    two trials on each side there is no test: then any difference counts.

    Example: sunstar compare mine-result.json other-result.json
    """
    if not 0 < alpha < 1:
        raise UsageError(f"--alpha {alpha:g}: it must be greater than 0 and less than 1")
    folder = results_folder(results)
    found = compare(pair_up(find(a, folder), find(b, folder), (a, b)), alpha, figure or ())
    if as_json_:
        typer.echo(as_json(as_object(found, alpha)), nl=False)
    else:
        tell(console(), found, alpha, rows)
    if found.different:
        raise typer.Exit(DIFFERENT)


def tell(out: Console, found: Comparison, alpha: float, rows: int) -> None:
    if not out.is_terminal:
        out.width = WIDEST
    points = f", {found.points} points in common" if found.points > 1 else ""
    out.print(f"A: {found.a}\nB: {found.b}{points}", soft_wrap=True)
    for side, names in (("A", found.only_a), ("B", found.only_b)):
        for name in names[:rows]:
            out.print(f"only in {side}: {name}", soft_wrap=True)
        if len(names) > rows:
            out.print(f"and {len(names) - rows} more only in {side}")
    of_points = f" of each point ({', '.join(found.names)})" if found.points > 1 else ""
    tables = [
        (f"figures: means of the trials{of_points}", figures_table(found)),
        ("parameters", parameters_table(found)),
    ]
    for group in GROUPS:
        title = f"{group}: mean over the resources of a kind, first trial (no test)"
        tables.append((title, resources_table([each for each in found.resources if each.group == group])))
    for title, table in tables:
        if table.rows:
            print_table(out, Printed(title, table.headings, table.rows[:rows], table.names))
        if len(table.rows) > rows:
            out.print(f"and {len(table.rows) - rows} more (--rows, --json)")
    out.print()
    out.print(verdict(found, alpha), soft_wrap=True)


def figures_table(found: Comparison) -> Printed:
    """The figures that are not equal."""
    points = found.points > 1
    headings = [*(["point"] if points else []), "figure", "A", "B", "B to A", "95 % interval", "p", ""]
    rows = [
        [
            *([short(each.point, found.names)] if points else []),
            each.figure.removeprefix("result."),
            shown(each.a),
            shown(each.b),
            "-" if each.relative is None else f"{100 * each.relative:+.1f} %",
            interval(each),
            "-" if each.p is None else f"{each.p:.1g}" if each.p < 0.1 else f"{each.p:.2f}",
            each.verdict,
        ]
        for each in found.figures
        if each.verdict != "equal"
    ]
    return Printed("", headings, rows, names=2 if points else 1)


def short(point: str, names: list[str]) -> str:
    """A point without the names of its parameters."""
    for name in names:
        point = point.replace(f"{name}=", "", 1)
    return shortened(point, 40)


def interval(each: Difference) -> str:
    """The confidence interval of the difference, as shares of A."""
    if each.interval is None or not isinstance(each.a, int | float) or not each.a:
        return "-"
    low, high = sorted(100 * bound / each.a for bound in each.interval)
    return f"{low:+.3g} to {high:+.3g} %"


def shown(value: Value) -> str:
    if value is None:
        return "-"
    return f"{value:.5g}" if isinstance(value, float) else shortened(value, 24)


def parameters_table(found: Comparison) -> Printed:
    many = found.points > 1
    rows = [
        [each.path, shortened(each.a, 30), shortened(each.b, 30), *([str(points)] if many else [])]
        for each, points in found.parameters
    ]
    return Printed("", ["parameter", "A", "B", *(["points"] if many else [])], rows, names=3)


def resources_table(kinds: list[Moved]) -> Printed:
    rows = []
    for each in kinds:
        one, other = each.resources
        number = str(one) if one == other else f"{one}, {other}"
        rows.append([each.kind.removeprefix("machine."), number, *values(each)])
    return Printed("", ["resource", "number", "A", "B", "B - A"], rows)


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
    """The outcome, and what the test assumes."""
    tested = [each for each in found.figures if each.p is not None]
    untested = [each for each in found.figures if each.verdict == "differs (no test)"]
    lines = []
    if tested:
        lines.append(f"{ASSUMPTIONS} p is corrected for {len(tested)} figures (Holm), the intervals are not.")
    if min(found.trials) < 2:
        more = "give both sweeps repetitions" if found.names else "run both with --trials 5"
        lines.append(
            f"Trials: {found.trials[0]} and {found.trials[1]}. A single trial has no spread, so nothing says which "
            f"differences are more than noise; {more}."
        )
    counts = f"{found.differing} of {len(found.figures)} figures differ"
    if found.different:
        how = f" at p < {alpha:g}" if len(untested) < found.differing else ""
        alone = len(found.only_a) + len(found.only_b)
        more = f", {alone} figures or points are only on one side" if alone else ""
        lines.append(f"different: {counts}{how}{more}")
    else:
        how = f"; none of those tested differs at p < {alpha:g}" if tested else ""
        lines.append(f"equal within noise: {counts}{how}")
    return "\n".join(lines)


def as_object(found: Comparison, alpha: float) -> dict[str, Any]:
    return {
        "a": found.a,
        "b": found.b,
        "different": found.different,
        "alpha": alpha,
        "test": f"{ASSUMPTIONS} p is corrected by Holm's method.",
        "points": found.points,
        "trials": found.trials,
        "figures": [{**asdict(each), "relative": each.relative, "effect": each.effect} for each in found.figures],
        "parameters": [{**asdict(each), "points": points} for each, points in found.parameters],
        "resources": [{**asdict(each), "effect": each.effect} for each in found.resources],
        "only_a": found.only_a,
        "only_b": found.only_b,
    }
