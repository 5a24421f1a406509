# SPDX-License-Identifier: MIT
"""The experiments of D. Kotz, Disk-directed I/O for MIMD Multiprocessors, Dartmouth PCS-TR94-226, 1994: the rows of
its Tables 3 and 4 beside the published values, the lines of its figures 6 to 12, its random tracks, and what it says
about all. It gives the figures only as drawings, so we set their bounds. The report's MB are MiB here. Statements that
repeat figures from which a parameter was derived or calibrated (docs/calibration.md) are not counted."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, permutations, product
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl
import typer
from rich.console import Console

from sunstar.console import Printed, percent, print_table, throughput
from sunstar.errors import FileError, UnmeasuredError, UsageError
from sunstar.files import Column, read_rows, write_json, write_table
from sunstar.runs.simulator import Point, write_waveforms
from sunstar.study.cases import Cases, Curve, Found, Key, curves_of, methods_of, points_of, variation
from sunstar.study.command import Call, command
from sunstar.study.experiments import conduct, judge, measure, study_of, tell, with_progress
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, each, shortfalls_of

PUBLISHED = Path(__file__).with_suffix(".csv")  # The throughput in the report's tables, in MiB/s
LAYOUTS = ("contiguous", "random-blocks")
METHODS = methods_of("tr94-226")
PATTERNS = (
    *("ra", "rn", "rb", "rc", "rnb", "rbb", "rcb", "rbc", "rcc", "rcn"),
    *("wn", "wb", "wc", "wnb", "wbb", "wcb", "wbc", "wcc", "wcn"),
)
points = partial(points_of, "tr94-226")
"""Patterns that do not depend on the record size have 8192 bytes there; a contiguous file is already sorted."""
CPS = 16
RECORDS = {"8192": (8192,), "8": (8,), "all": (8, 8192)}  # Bytes, as --records takes them
SLOW_MIB_PER_S = 12.0
"""Rows of contiguous traditional caching that are published below this throughput discriminate between models."""
PRESORT_TRIALS = 20
"""The gain by presorting has a standard deviation of 3 to 4 points in one trial, and of 0.8 in the mean of 20."""
Row = dict[str, Any]
say = Sentences("tr94-226")
BUS_MIB_PER_S = 10e6 / (1 << 20)  # Peak of a SCSI bus, 10 MB/s
Rows = Mapping[Key, float]  # Throughput in MiB/s; for `ra`, that of each copy, as in the report's text and drawings
ROUNDED = 0.05  # MiB/s: the rounding of a printed figure with one decimal
PEAK = 37.5  # MiB/s that the report's 16 disks transfer at most
Curves = Sequence[Curve]
SHORT_RUN = {"file_system.kind": "disk-directed", "workload.pattern": "rb", "workload.file_size": "1MiB"}


def all_rows(record_sizes: Collection[int]) -> Cases:
    """Every row of the tables with these record sizes, in their order; published or not."""
    return {key: sets for key, sets in points("tables").items() if key.record_bytes in record_sizes}


def select(rows: Cases, only: Collection[str]) -> Cases:
    """The rows that match `only`: for each kind of name in it (layout, pattern, method), one of its names."""
    kinds = {"layout": set(LAYOUTS), "pattern": set(PATTERNS), "method": set(METHODS)}
    for name in only:
        if not any(name in names for names in kinds.values()):
            allowed = "; ".join(f"{kind}: {', '.join(sorted(names))}" for kind, names in kinds.items())
            raise UsageError(f"--only {name}: it must be a {allowed}")
    asked = [(kind, names & set(only)) for kind, names in kinds.items()]
    return {row: sets for row, sets in rows.items() if all(not of or getattr(row, kind) in of for kind, of in asked)}


def discriminates(row: Key, reference: float | None) -> bool:
    """Whether a row depends on the software's mechanisms more than on the disks: contiguous traditional caching below
    12 MiB/s, and all 8-byte rows whose last letter is c."""
    if reference is None:
        return False
    slow = row.layout == "contiguous" and row.method == "tc" and reference < SLOW_MIB_PER_S
    return slow or (row.record_bytes == 8 and row.pattern.endswith("c"))


def published(path: Path, known: Collection[Key]) -> dict[Key, float]:
    """Published throughput in MiB/s from a CSV file; `known` are the rows that a paper's tables have."""
    columns: dict[str, Column] = {"layout": str, "record_bytes": int, "pattern": str, "method": str, "mib_per_s": float}
    found: dict[Key, float] = {}
    for row in read_rows(path, columns):
        value = row.pop("mib_per_s")
        key = Key(**row)
        if key not in known:
            raise FileError(f"{path}, {key}: the tables have no such row")
        if key in found:
            raise FileError(f"{path}, {key}: this row is there twice")
        if not 0 < value < float("inf"):
            raise FileError(f"{path}, {key}: a throughput must be positive")
        found[key] = value
    return found


def comparison(found: Found, references: Mapping[Key, float]) -> list[Row]:
    """A row for each point; published_mib_per_s and error are None where nothing is published."""
    return [
        {
            **{name: getattr(key, name) for name in ("layout", "record_bytes", "pattern", "method")},
            "mib_per_s": found.mib(key),
            "coefficient_of_variation": result.coefficient_of_variation,
            "trials": list(result.trials_mib_per_s),
            "published_mib_per_s": references.get(key),
            "error": found.mib(key) / references[key] - 1 if key in references else None,
            "discriminates": discriminates(key, references.get(key)),
            **{name: getattr(result, name) for name in ("medium_mib_per_s", "messages", "verified", "host_s")},
        }
        for key, result in found.results.items()
    ]


def summarise(rows: Sequence[Row]) -> Row:
    """Errors as fractions of the published values; None where there are no rows."""
    compared = [row for row in rows if row["error"] is not None]
    hard = [row for row in compared if row["discriminates"]]
    worst = max(compared, key=lambda row: abs(row["error"]), default=None)
    key = worst and Key(worst["method"], worst["pattern"], worst["layout"], worst["record_bytes"])
    return {
        "rows": len(rows),
        "published_rows": len(compared),
        "mean_absolute_error": mean_error(compared),
        "worst_row": key and str(key),
        "worst_error": worst and worst["error"],
        "discriminating_rows": len(hard),
        "discriminating_mean_absolute_error": mean_error(hard),
    }


def mean_error(rows: Sequence[Row]) -> float | None:
    return sum(abs(row["error"]) for row in rows) / len(rows) if rows else None


def tables(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    """The statements of the tables and their text, for the measured record sizes. An extreme of a table needs both."""
    yield from as_printed(found, published)
    whole = set(found.record_sizes) == {8, 8192}
    for layout in LAYOUTS:
        keys = [key for key in found.select(layout=layout) if whole or key.record_bytes == 8192]
        if keys:
            rows = {key: found.mib(key) / copies(key) for key in keys}
            yield from (on_random_blocks if layout == "random-blocks" else on_contiguous)(rows, whole)
            yield say(f"variation-{layout}", each(keys, lambda key: variation(found[key].trials_mib_per_s)))
    if 8192 in found.record_sizes:
        yield from large_records(found, published)
    if 8 in found.record_sizes:
        yield say("never-slower-8", found.over(found.select("ddio", "ddio-presort", record_bytes=8), "tc"))


def as_printed(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    """The rows themselves, which the report prints with one decimal."""
    for layout, record_bytes in product(found.layouts, found.record_sizes):
        rows = [key for key in found.select(layout=layout, record_bytes=record_bytes) if key in published]
        margins = {}
        for key in rows:
            off = found.mib(key) / published[key] - 1
            margins[f"{key.pattern} {key.method} ({100 * off:+.0f} %)"] = 0.05 + ROUNDED / published[key] - abs(off)
        if rows:
            yield say("printed-rows", margins, layout=layout, record_bytes=record_bytes)


def ratios(rows: Rows, method: str, over: str) -> Measures:
    keys = [key for key in rows if key.method == method]
    return Measures(Measure(rows[key] / rows[key._replace(method=over)], str(key)) for key in keys)


def near(rows: Rows, operation: str, value: float) -> dict[str, float]:
    """The margins by which disk-directed reads or writes with presort are within 5 % of a value."""
    of = {key: mib for key, mib in rows.items() if key.method == "ddio-presort" and key.pattern[0] == operation}
    return {f"{key.pattern} {key.record_bytes} B ({mib:.1f})": 0.05 - abs(mib / value - 1) for key, mib in of.items()}


def on_random_blocks(rows: Rows, whole: bool) -> Iterator[Verdict]:
    """The text about Table 3."""
    yield say("random-reads", near(rows, "r", 6.2))
    yield say("random-writes", near(rows, "w", 7.45))
    caching = {key: mib for key, mib in rows.items() if key.method == "tc"}
    yield say("random-caching", each(caching, caching.__getitem__))
    if whole:
        small = [key for key in caching if key.record_bytes == 8 and key.pattern.endswith("c")]
        slowest = min(small, key=caching.__getitem__)
        others = min(mib for key, mib in caching.items() if key not in small)
        yield say("slowest", {f"the slowest other, over {slowest}": others / caching[slowest]})
        yield say("as-slow", Measure(caching[slowest], str(slowest)))
        for method in ("ddio-presort", "ddio"):
            yield say(f"up-to-{method}", ratios(rows, method, "tc").largest())
    yield say("random-unsorted", {measure.where: measure.value - 1 for measure in ratios(rows, "ddio", "tc")})


def on_contiguous(rows: Rows, whole: bool) -> Iterator[Verdict]:
    """The text about Table 4."""
    yield say("contiguous-reads", near(rows, "r", 32.8))
    yield say("contiguous-writes", near(rows, "w", 34.8))
    best = max((key for key in rows if key.method == "ddio-presort"), key=rows.__getitem__)
    yield say("peak", Measure(100 * rows[best] / PEAK, str(best)))
    slow = [key for key in rows if key.method == "ddio-presort" and (key.record_bytes, key.pattern[-1]) != (8, "c")]
    yield say("individual-records", each(slow, lambda key: rows[key] / PEAK))
    behind = ratios({key: mib for key, mib in rows.items() if key.pattern != "wn"}, "ddio-presort", "tc")
    yield say("unmatched", behind)
    if whole:
        yield say("as-much-as", ratios(rows, "ddio-presort", "tc").largest())


def large_records(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    for layout, (operation, name) in product(LAYOUTS, (("r", "reads"), ("w", "writes"))):
        directed = found.select("ddio-presort", layout=layout, record_bytes=8192)
        # ra delivers a copy to each CP.
        values = {key: found.mib(key) for key in directed if key.pattern[0] == operation and key.pattern != "ra"}
        behind = {f"the most over {key}": max(values.values()) / value for key, value in values.items()}
        yield say("any-pattern", behind, name=name, layout=layout)
    # Where disk-directed I/O is behind in the report's own tables, it may be behind here.
    keys = found.select("ddio", "ddio-presort", record_bytes=8192)
    behind_there = {
        key for key in keys if published.get(key, math.inf) < 0.989 * published.get(key._replace(method="tc"), 0)
    }
    yield say("never-slower-8192", found.over([key for key in keys if key not in behind_there], "tc"))
    times = {}
    for key in found.select("ddio-presort", layout="contiguous", record_bytes=8192):
        ratio = found.mib(key) / found.mib(key._replace(layout="random-blocks"))
        times[f"{key.pattern} ({ratio:.2f})"] = 0.5 - abs(ratio - 5)
    yield say("five-times", times)


def presort(found: Found) -> Iterator[Verdict]:
    """The statements about the gain by presorting, of 20 trials."""
    gains = {key.pattern: found.ratio(key, "ddio") for key in found.select("ddio-presort")}
    yield say("presort", {f"{p} ({100 * (gain - 1):+.1f} %)": 0.05 - abs(gain - 1.455) for p, gain in gains.items()})


def tracks(found: Found) -> Iterator[Verdict]:
    margins = {}
    for key in found.select(layout="random-tracks"):
        low, high = (found.mib(key._replace(layout=layout)) for layout in ("random-blocks", "contiguous"))
        ours = found.mib(key)
        margins[f"{key.pattern} {key.method} ({low:.1f}, {ours:.1f}, {high:.1f})"] = min(ours - low, high - ours)
    yield say("tracks", margins)


def copies(key: Key, processors: int = CPS) -> int:
    """The copies of the file that arrive: the report divides the throughput of `ra` by the number of CPs."""
    return processors if key.pattern == "ra" else 1


def a_copy(figure: int) -> Callable[[Found, Key], float]:
    return lambda found, key: found.mib(key) / copies(key, int(key.x) if figure == 6 else CPS)


def curves(figure: int, found: Found) -> Curves:
    """The lines of a figure: throughput in MiB/s by x; for `ra`, that of each copy."""
    form = "{pattern} {method} {layout}" if len(found.layouts) > 1 else "{pattern} {method}"
    return curves_of(found.results, lambda key: a_copy(figure)(found, key), "x", lambda line: line.into(form))


def of(found: Curves, method: str, pattern: str) -> Curve:
    those = [curve for curve in of_method(found, method) if curve.line.pattern == pattern]
    if not those:
        raise UnmeasuredError(f"{pattern} {method} was not measured")
    return those[0]


def of_method(found: Curves, method: str) -> Curves:
    return [curve for curve in found if curve.line.method == method]


def fall(found: Curves) -> Measures:
    """The factor by which throughput falls from one x to the next."""
    return Measures(
        Measure(curve[low] / curve[high], f"{curve.name}, {low} over {high}")
        for curve in found
        for low, high in pairwise(sorted(curve))
    )


def figure_6(found: Curves) -> Iterator[Verdict]:
    rc, rb, directed_rb = of(found, "tc", "rc"), of(found, "tc", "rb"), of(found, "ddio-presort", "rb")
    directed = of_method(found, "ddio-presort")
    yield say("cps", each(directed, lambda curve: curve.peak / min(curve.values()), "most over least"))
    # One CP alone is left out: CYCLIC gives it the whole file as one chunk.
    yield say("cps-few", {f"{n} CPs over {CPS}": rc[n] / rc[CPS] for n in (2, 4)})
    yield say("cps-localities", {"rb, tc over ddio-presort": rb[CPS] / directed_rb[CPS]})
    over: dict[str, float] = {}
    for caching in of_method(found, "tc"):
        other = of(found, "ddio-presort", caching.line.pattern)
        over |= {f"{caching.line.pattern}, CPs: {n}": value / other[n] for n, value in caching.items()}
    yield say("cps-caching", over)


def figure_7(found: Curves) -> Iterator[Verdict]:
    rb, directed_rb = of(found, "tc", "rb"), of(found, "ddio-presort", "rb")
    yield say("iops-fall", fall([curve for curve in found if curve is not rb]))

    def first_loss(curve: Curve) -> float:
        return (curve[16] / curve[8]) / math.pow(curve[8] / curve[1], 1 / 3)

    yield say("iops-loss", each(of_method(found, "ddio-presort"), first_loss, "first loss over mean of the later"))
    yield say("iops-rb", {f"IOPs: {n}, tc over ddio-presort": value / directed_rb[n] for n, value in rb.items()})


def disks_on_one_iop(found: Curves) -> Iterator[Verdict]:
    directed, most = of_method(found, "ddio-presort"), found[0].last
    yield say("disks-grow", fall(directed))
    yield say("disks-bus", each(directed, lambda curve: 1 - curve[most] / BUS_MIB_PER_S, "lacking"), most=most)


def file_size(found: Curves) -> Iterator[Verdict]:
    """Figures 10 and 11.

    A sixth of the disks' reads of 10 MiB are mistaken prefetches, a fiftieth of those of 100 MiB: by themselves they
    make rb 15 % slower. A contiguous file of 10 MiB pays part of that back: it lies within two cylinders of each disk,
    the larger one within ten.
    """
    rb = of(found, "tc", "rb")

    def of_larger(curve: Curve) -> float:
        return curve[10] / max(value for n, value in curve.items() if n > 10)

    yield say("file-highest", each(found, of_larger, "10 MiB over larger"))
    yield say("file-rb", {"10 MiB over 100 MiB": rb[10] / rb[100]})
    yield say("file-order", overtaking([curve for curve in found if curve is not rb]))


def overtaking(found: Curves) -> Measures:
    """For each pair of lines: the lesser of the factors by which one leads on 10 MiB and the other on larger files."""
    return Measures(
        Measure(
            min(leading[10] / following[10], following[n] / value),
            f"{leading.name} ahead on 10 MiB and behind {following.name} on {n} MiB",
        )
        for leading, following in permutations(found, 2)
        for n, value in leading.items()
        if n > 10 and n in following
    )


def figure_12(found: Curves) -> Iterator[Verdict]:
    contiguous, scattered = (next(curve for curve in found if curve.line.layout == layout) for layout in LAYOUTS)
    yield say("records-larger", fall(found))
    yield say("records-overhead", each(found, lambda curve: curve[8] / curve[8192]))
    yield say("records-disks", {"random-blocks over contiguous": scattered[8192] / contiguous[8192]})


FIGURES = dict(enumerate([figure_6, figure_7, *[disks_on_one_iop] * 2, *[file_size] * 2, figure_12], start=6))


def of_figure(number: int) -> Callable[[Found], Iterator[Verdict]]:
    return lambda found: FIGURES[number](curves(number, found))


def lines(figure: str) -> Callable[[None], Cases]:
    """A figure's points, one line after the other."""
    found = points(figure)
    return lambda _: {key: found[key] for method in METHODS for key in found if key.method == method}


def trials_of_figure_10(key: Key) -> int:
    """Under traditional caching, single trials of rb vary by 3 %, and the statement is about 5 %."""
    return 40 if (key.method, key.pattern) == ("tc", "rb") else 1


STUDY = study_of("tr94-226", globals())


@command(trials=5)
def figures_tr94_226(
    call: Call,
    figure: Annotated[str, typer.Option(metavar="6..12|tracks|all")] = "all",
) -> bool:
    named = figure != "all"
    wanted = STUDY.choose([figure] if named else [])
    return conduct(STUDY, wanted, None, call, call.folder("figures"), named=named, prefix="tr94-226-")


@command(trials=5)
def reproduce_tr94_226(
    call: Call,
    reference: Annotated[Path | None, typer.Option(metavar="FILE.csv")] = None,
    records: Literal["8192", "8", "all"] = "8192",
    only: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None,
    vcd: Annotated[bool, typer.Option("--vcd/--no-vcd")] = True,
) -> bool:
    known = all_rows((8, 8192))
    references = published(reference or PUBLISHED, known)
    rows = select(all_rows(RECORDS[records]), only or [])
    if not rows:
        raise UsageError("no row of the tables is left with these options; see --only and --records")
    folder = call.folder()
    wanted: dict[str, Cases] = {"tables": rows}
    if not only and 8192 in RECORDS[records]:
        wanted["presort"] = points("presort")
    least_trials = {"presort": lambda _: PRESORT_TRIALS}
    found = measure(wanted, call.conditions, with_progress(call, "TR94-226"), least_trials)
    compared = comparison(found["tables"], references)
    summary = summarise(compared)
    for printed in rows_beside_published(compared):
        print_table(call.out, printed)
    print_summary(call.out, summary)
    of = call.conditions
    kept = {"trials": of.trials, "seed": of.seed, "settings": of.settings, "summary": summary}
    write_json(call.files, folder / "tr94-226.json", {**kept, "rows": compared})
    floats = {"published_mib_per_s": pl.Float64, "error": pl.Float64}
    write_table(call.files, folder / "tr94-226.csv", pl.DataFrame(compared, schema_overrides=floats).drop("trials"))
    new = False
    if not only:
        printed_rows = published(PUBLISHED, known)
        known_ = shortfalls_of("tr94-226", "tables")
        judged = {"tables": judge(lambda of: tables(of, printed_rows), found["tables"], known_)}
        if "presort" in found:
            judged["presort"] = judge(presort, found["presort"])
        verdicts = [(name, verdict) for name, several in judged.items() for verdict in several]
        new = tell(call, verdicts, folder / "tr94-226-verdicts.json", sum(len(each.results) for each in found.values()))
    if vcd:
        waveforms = call.files.temporary(folder / "tr94-226.vcd")
        short = Point({**SHORT_RUN, **of.settings}, config=of.config, seed=of.seed, trials=1)
        write_waveforms(short, waveforms)
    return new


def rows_beside_published(rows: Sequence[Row]) -> Iterator[Printed]:
    """A table for each layout and record size, with a line for each pattern and three columns for each method."""
    for layout in LAYOUTS:
        for record_bytes in (8192, 8):
            part = [row for row in rows if (row["layout"], row["record_bytes"]) == (layout, record_bytes)]
            methods = [method for method in METHODS if any(row["method"] == method for row in part)]
            found = {(row["pattern"], row["method"]): row for row in part}
            lines = []
            for pattern in dict.fromkeys(row["pattern"] for row in part):
                cells = [pattern]
                for method in methods:
                    row = found.get((pattern, method), {})
                    cells += [throughput(row.get("mib_per_s")), throughput(row.get("published_mib_per_s"))]
                    cells += [percent(row.get("error"), sign=True)]
                lines.append(cells)
            headings = [heading for method in methods for heading in (method, "published", "error")]
            if lines:
                yield Printed(f"{layout}, {record_bytes}-byte records: MiB/s", ("pattern", *headings), lines)


def print_summary(out: Console, summary: Row) -> None:
    out.print(f"rows: {summary['rows']}, published: {summary['published_rows']}")
    if summary["published_rows"]:
        out.print(f"mean absolute error: {percent(summary['mean_absolute_error'])}")
        out.print(f"worst row: {summary['worst_row']}, {percent(summary['worst_error'], sign=True)}")
    if summary["discriminating_rows"]:
        mean = percent(summary["discriminating_mean_absolute_error"])
        out.print(f"mean absolute error of the {summary['discriminating_rows']} rows that discriminate: {mean}")
