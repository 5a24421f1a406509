# SPDX-License-Identifier: MIT
"""The report's statements about its Tables 3 and 4 and, in section 6.1, about its figures 6 to 12: each a sentence and
a check.

The report gives the figures only as drawings, so we set their bounds. The report's MB are MiB here.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations, product

from sunstar.errors import UnmeasuredError
from sunstar.papers.tr94_226.cases import CPS, LAYOUTS
from sunstar.study.cases import Curve, Found, Key, curves_of, variation
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, each

say = Sentences("tr94-226")
BUS_MIB_PER_S = 10e6 / (1 << 20)  # Peak of a SCSI bus, 10 MB/s

Rows = Mapping[Key, float]  # Throughput in MiB/s; for `ra`, that of each copy, as in the report's text and drawings
ROUNDED = 0.05  # MiB/s: the rounding of a printed figure with one decimal
PEAK = 37.5  # MiB/s that the report's 16 disks transfer at most


def tables(found: Found, published: Mapping[Key, float]) -> Iterator[Verdict]:
    """The statements of the tables and of the text about them, for the measured record sizes. An extreme of a table in
    the text needs both sizes."""
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
    yield say("presort", {f"{p} ({100 * (gain - 1):+.1f} %)": 0.055 - abs(gain - 1.455) for p, gain in gains.items()})


def copies(key: Key, processors: int = CPS) -> int:
    """The copies of the file that arrive: the report divides the throughput of `ra` by the number of CPs."""
    return processors if key.pattern == "ra" else 1


def a_copy(figure: int) -> Callable[[Found, Key], float]:
    """Throughput in MiB/s; the report divides that of `ra` by the number of CPs."""
    return lambda found, key: found.mib(key) / copies(key, int(key.x) if figure == 6 else CPS)


Curves = Sequence[Curve]


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
    """Figures 8 and 9."""
    directed, most = of_method(found, "ddio-presort"), found[0].last
    yield say("disks-grow", fall(directed))
    yield say("disks-bus", each(directed, lambda curve: 1 - curve[most] / BUS_MIB_PER_S, "lacking"), most=most)


def file_size(found: Curves) -> Iterator[Verdict]:
    """Figures 10 and 11.

    The bound for rb depends on the layout. A sixth of the disks' reads of 10 MiB are mistaken prefetches, a fiftieth of
    those of 100 MiB. A contiguous file of 10 MiB pays part of that back: it lies within two cylinders of each disk, the
    larger one within ten.
    """
    rb = of(found, "tc", "rb")

    def of_larger(curve: Curve) -> float:
        return curve[10] / max(value for n, value in curve.items() if n > 10)

    yield say("file-highest", each(found, of_larger, "10 MiB over larger"))
    yield say(f"file-rb-{rb.line.layout}", {"10 MiB over 100 MiB": rb[10] / rb[100]})
    yield say("file-order", overtaking([curve for curve in found if curve is not rb]))


def overtaking(found: Curves) -> Measures:
    """For each pair of lines: the factor by which one leads on 10 MiB, or the other on larger files if that is
    smaller."""
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
