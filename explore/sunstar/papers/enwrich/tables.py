# SPDX-License-Identifier: MIT
"""The tables of each experiment."""

from collections.abc import Callable, Iterator

from sunstar.papers.enwrich.cases import LAYOUTS, fetched_blocks, flushes
from sunstar.papers.enwrich.statements import gains
from sunstar.study.cases import Found
from sunstar.study.tables import Printed, milliseconds, percent, throughput, throughput_of


def base(found: Found) -> Iterator[Printed]:
    for size in found.record_sizes:
        rows = []
        for pattern in found.patterns:
            of = {m: found.one(m, pattern=pattern, record_bytes=size) for m in ("tc", "enwrich", "ddio")}
            own = of["enwrich"]
            counts = (flushes(found, own), flushes(found, own, "directory"), fetched_blocks(found, own))
            rows.append(
                [pattern]
                + [throughput(found.mib(key)) for key in of.values()]
                + [f"{found.ratio(own, 'tc'):.2f}", f"{found.ratio(own, 'ddio'):.2f}"]
                + [f"{count:.0f}" for count in counts]
            )
        headings = ("tc", "enwrich", "ddio", "over tc", "over ddio", "flushes", "directory full", "read first")
        yield Printed(f"{size}-byte records: MiB/s", ("pattern", *headings), rows)


def cache_size(found: Found) -> Iterator[Printed]:
    rows = []
    for pattern in found.patterns:
        keys = [found.one("tc", pattern=pattern), *found.select("enwrich", pattern=pattern)]
        steps = [percent(gain, sign=True) for gain in gains(found, pattern)]
        rows.append([pattern, *(throughput(found.mib(key)) for key in keys), *steps])
    yield Printed("MiB/s", ("pattern", "tc", "0.5 MiB", "1 MiB", "2 MiB", "0.5 to 1", "1 to 2"), rows)


def curves(label: str) -> Callable[[Found], Iterator[Printed]]:
    def make(found: Found) -> Iterator[Printed]:
        lines = [(m, p) for p in found.patterns for m in ("tc", "enwrich")]
        rows = [[x, *(throughput_of(found, found.select(m, pattern=p, x=x)) for m, p in lines)] for x in found.xs]
        yield Printed("MiB/s", (label, *(f"{p} {m}" for m, p in lines)), rows)

    return make


def traced(found: Found) -> Iterator[Printed]:
    rows = []
    for key in found.select():
        result = found[key]
        counts = [flushes(found, key), flushes(found, key, "directory")] if key.method == "enwrich" else []
        times = (result.latency.p50_s, result.latency.p99_s, result.latency.max_s)
        rows.append(
            [f"{key.method}, {key.x}", f"{result.mib_per_s:.2f}", f"{result.elapsed_s:.1f}"]
            + ([f"{count:.0f}" for count in counts] or ["-", "-"])
            + [milliseconds(time) for time in times]
        )
    headings = ("MiB/s", "elapsed (s)", "flushes", "directory full", "p50 (ms)", "p99 (ms)", "max (ms)")
    yield Printed("", ("system, pacing", *headings), rows)


def scheduler(found: Found) -> Iterator[Printed]:
    for layout in LAYOUTS:
        rows = [
            [p, *(throughput_of(found, found.select(m, pattern=p, layout=layout)) for m in found.methods)]
            for p in found.patterns
        ]
        yield Printed(f"{layout}: MiB/s", ("pattern", *found.methods), rows)


def options(found: Found) -> Iterator[Printed]:
    patterns = found.patterns

    def cell(pattern: str, option: str) -> str:
        value, plain = (found.mib(found.one(pattern=pattern, x=x)) for x in (option, "none"))
        return percent(value / plain - 1, sign=True) if option != "none" else f"{value:.2f}"

    def wait(pattern: str, option: str) -> str:
        key = found.one(pattern=pattern, x=option)
        of = found[key].latency
        times = ", ".join(milliseconds(time) for time in (of.p50_s, of.p99_s, of.max_s))
        return f"{times}; {flushes(found, key):.0f}"

    yield Printed(
        "MiB/s, and what each option gains",
        ("option", *patterns),
        [[option, *(cell(p, option) for p in patterns)] for option in found.xs],
    )
    waiting = [p for p in patterns if p in ("computing", "trace")]
    yield Printed(
        "what a write takes, p50, p99 and max (ms), and flushes",
        ("option", *waiting),
        [[option, *(wait(p, option) for p in waiting)] for option in found.xs],
    )


def latency(found: Found) -> Iterator[Printed]:
    for layout in LAYOUTS:
        rows = []
        for own in found.select("enwrich", layout=layout):
            of = [found[own._replace(method=m)].latency for m in ("tc", "enwrich")]
            times = [time for each in of for time in (each.p50_s, each.p90_s, each.p99_s, each.max_s)]
            rows.append([f"{own.pattern} {own.record_bytes} B", *(milliseconds(time) for time in times)])
        headings = [f"{m} {p}" for m in ("tc", "enwrich") for p in ("p50", "p90", "p99", "max")]
        yield Printed(f"{layout}: ms", ("workload", *headings), rows)
