# SPDX-License-Identifier: MIT
"""What was measured, as tables to print and as one to keep."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sunstar.enwrich.cases import LAYOUTS, Found, Key
from sunstar.enwrich.statements import gains


@dataclass(frozen=True)
class Printed:
    """A table: its first column names, the others are figures."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]


def mib(found: Found, keys: Sequence[Key]) -> str:
    return f"{found.mib(keys[0]):.1f}" if keys else "-"


def base(found: Found) -> Iterator[Printed]:
    for size in found.values("record_bytes"):
        rows = []
        for pattern in found.values("pattern"):
            of = {m: found.select(m, pattern=pattern, record_bytes=size)[0] for m in ("tc", "enwrich", "ddio")}
            own = of["enwrich"]
            counts = (found.flushes(own), found.flushes(own, "directory"))
            rows.append(
                [pattern]
                + [f"{found.mib(key):.1f}" for key in of.values()]
                + [f"{found.ratio(own, 'tc'):.2f}", f"{found.ratio(own, 'ddio'):.2f}"]
                + [f"{count:.0f}" for count in counts]
                + [f"{found.statistic(own, 'enwrich.fetched_blocks'):.0f}"]
            )
        headings = ("tc", "enwrich", "ddio", "over tc", "over ddio", "flushes", "directory full", "read first")
        yield Printed(f"{size}-byte records: MiB/s", ("pattern", *headings), rows)


def cache_size(found: Found) -> Iterator[Printed]:
    rows = []
    for pattern in found.values("pattern"):
        keys = found.select("enwrich", pattern=pattern)
        steps = [f"{100 * gain:+.1f} %" for gain in gains(found, pattern)]
        caching = f"{found.mib(found.select('tc', pattern=pattern)[0]):.1f}"
        rows.append([pattern, caching, *(f"{found.mib(key):.1f}" for key in keys), *steps])
    yield Printed("MiB/s", ("pattern", "tc", "0.5 MB", "1 MB", "2 MB", "0.5 to 1", "1 to 2"), rows)


def curves(label: str) -> Callable[[Found], Iterator[Printed]]:
    def make(found: Found) -> Iterator[Printed]:
        lines = [(m, p) for p in found.values("pattern") for m in ("tc", "enwrich")]
        rows = [[x, *(mib(found, found.select(m, pattern=p, x=x)) for m, p in lines)] for x in found.values("x")]
        yield Printed("MiB/s", (label, *(f"{p} {m}" for m, p in lines)), rows)

    return make


def traced(found: Found) -> Iterator[Printed]:
    rows = []
    for key in found.select():
        times = [f"{1000 * found.latency(key, p):.4g}" for p in ("p50", "p99", "max")]
        result = found.results[key]
        counts = [f"{found.flushes(key):.0f}", f"{found.flushes(key, 'directory'):.0f}"]
        rows.append([f"{key.method}, {key.x}", f"{result.mib_per_s:.2f}", f"{result.elapsed_s:.1f}", *counts, *times])
    headings = ("MiB/s", "elapsed (s)", "flushes", "directory full", "p50 (ms)", "p99 (ms)", "max (ms)")
    yield Printed("", ("system, pacing", *headings), rows)


def scheduler(found: Found) -> Iterator[Printed]:
    methods = found.values("method")
    for layout in LAYOUTS:
        rows = [
            [p, *(mib(found, found.select(m, pattern=p, layout=layout)) for m in methods)]
            for p in found.values("pattern")
        ]
        yield Printed(f"{layout}: MiB/s", ("pattern", *methods), rows)


def options(found: Found) -> Iterator[Printed]:
    patterns = found.values("pattern")

    def cell(pattern: str, option: str) -> str:
        value, plain = (found.mib(found.select(pattern=pattern, x=x)[0]) for x in (option, "none"))
        return f"{100 * (value / plain - 1):+.1f} %" if option != "none" else f"{value:.2f}"

    yield Printed(
        "MiB/s, and what each option gains",
        ("option", *patterns),
        [[option, *(cell(p, option) for p in patterns)] for option in found.values("x")],
    )
    waits = [p for p in patterns if p in ("computing", "trace")]
    yield Printed(
        "what a write takes, p50, p99 and max (ms), and flushes",
        ("option", *waits),
        [
            [option]
            + [
                ", ".join(f"{1000 * found.latency(key, each):.4g}" for each in ("p50", "p99", "max"))
                + f"; {found.flushes(key):.0f}"
                for p in waits
                for key in found.select(pattern=p, x=option)
            ]
            for option in found.values("x")
        ],
    )


def latency(found: Found) -> Iterator[Printed]:
    percentiles = ("p50", "p90", "p99", "max")
    headings = [f"{m} {p}" for m in ("tc", "enwrich") for p in percentiles]
    for layout in LAYOUTS:
        rows = [
            [f"{own.pattern} {own.record_bytes} B"]
            + [f"{1000 * found.latency(own._replace(method=m), p):.4g}" for m in ("tc", "enwrich") for p in percentiles]
            for own in found.select("enwrich", layout=layout)
        ]
        yield Printed(f"{layout}: ms", ("workload", *headings), rows)


TABLES: Mapping[str, Callable[[Found], Iterator[Printed]]] = {
    "4": base,
    "5": base,
    "6": cache_size,
    "7": curves("CPs"),
    "8": curves("IOPs"),
    "9": curves("disks"),
    "10": curves("disks"),
    "11": traced,
    "scheduler": scheduler,
    "options": options,
    "latency": latency,
}


def kept(everything: Mapping[str, Found]) -> pl.DataFrame:
    """A line for each point of each experiment."""
    return pl.DataFrame(
        [
            {
                "experiment": name,
                **key._asdict(),
                "mib_per_s": result.mib_per_s,
                "coefficient_of_variation": result.coefficient_of_variation,
                "elapsed_s": result.elapsed_s,
                "flushes": found.flushes(key),
                "data_flush_requests": found.flushes(key, "data"),
                "directory_flush_requests": found.flushes(key, "directory"),
                "fetched_blocks": found.statistic(key, "enwrich.fetched_blocks"),
                **{f"latency_{p}_s": found.latency(key, p) for p in ("p50", "p90", "p99", "max")},
                "messages": result.messages,
                "verified": result.verified,
                "host_s": result.host_s,
            }
            for name, found in everything.items()
            for key, result in found.results.items()
        ]
    )
