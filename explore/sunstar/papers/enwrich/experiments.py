# SPDX-License-Identifier: MIT
"""The experiments, the paper's figures 4 to 11 by their numbers and others by name, and their command."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sunstar.console import milliseconds, percent
from sunstar.errors import FileError, UsageError
from sunstar.papers.enwrich import statements
from sunstar.papers.enwrich.cases import READ_OF_SYSTEM, Choice, fetched_blocks, flushes
from sunstar.study.cases import Found, Key
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.described import study_of
from sunstar.study.experiments import Cell, Experiment, carry_out, figures_of
from sunstar.study.views import Quantity

PERCENTILES = ("p50", "p90", "p99", "max")


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    """The columns kept for each point; those that only ENWRICH counts are null under other systems."""
    counts = {
        "flushes": "flushes",
        "data_flush_requests": "data_flushes",
        "directory_flush_requests": "directory_flushes",
        "fetched_blocks": "fetched_blocks",
    }
    latency, counted = found[key].latency, key.method == "enwrich"
    return {
        **{name: found.statistic(key, f"enwrich.{of}") if counted else None for name, of in counts.items()},
        **{f"latency_{name}_s": getattr(latency, f"{name}_s") for name in PERCENTILES},
    }


Tell = Callable[[Found, Mapping[str, Key]], str]
"""What a column of a table says of a row, whose points come by their methods or sizes."""


def over(method: str) -> Tell:
    return lambda found, of: f"{found.ratio(of['enwrich'], method):.2f}"


def flushed(reason: str | None = None) -> Tell:
    return lambda found, of: f"{flushes(found, of['enwrich'], reason):.0f}"


def read_first(found: Found, of: Mapping[str, Key]) -> str:
    return f"{fetched_blocks(found, of['enwrich']):.0f}"


def step(number: int) -> Tell:
    return lambda found, of: percent(statements.gains(found, of["tc"].pattern)[number], sign=True)


def cache_size(key: Key) -> str:
    return f"{key.x} MiB" if key.x else key.method


def latency(name: str, called: str = "") -> Quantity:
    def value(found: Found, key: Key) -> float:
        return 1000 * float(getattr(found[key].latency, f"{name}_s"))

    return Quantity(called or name, value, "{:.4g}".format)


def count(called: str, reason: str | None = None) -> Quantity:
    def value(found: Found, key: Key) -> float | None:
        return flushes(found, key, reason) if key.method == "enwrich" else None

    return Quantity(called, value, "{:.0f}".format)


TRACED = [
    Quantity("MiB/s", lambda found, key: found[key].mib_per_s, "{:.2f}".format),
    Quantity("elapsed (s)", lambda found, key: found[key].elapsed_s, "{:.1f}".format),
    count("flushes"),
    count("directory full", "directory"),
    *(latency(name, f"{name} (ms)") for name in ("p50", "p99", "max")),
]
LATENCIES = [latency(name) for name in PERCENTILES]


def gained(found: Found, key: Key) -> float:
    return 100 * (found.mib(key) / found.mib(key._replace(x="none")) - 1)


def gain_or_plain(found: Found, key: Key) -> str:
    return f"{found.mib(key):.2f}" if key.x == "none" else f"{gained(found, key):+.1f} %"


def wait(found: Found, key: Key) -> str:
    of = found[key].latency
    times = ", ".join(milliseconds(time) for time in (of.p50_s, of.p99_s, of.max_s))
    return f"{times}; {flushes(found, key):.0f}"


GAIN_OR_PLAIN = Quantity("MiB/s, and what each option gains", gain_or_plain)
WAIT = Quantity("what a write takes, p50, p99 and max (ms), and flushes", wait)
GAINED = Quantity("throughput over ENWRICH without options (%)", gained)
STUDY = study_of("enwrich", globals(), columns=columns)


class RecordSizes(StrEnum):
    LARGE = "8192"
    MIDDLE = "512"
    SMALL = "8"
    BOTH = "8192,512"
    ALL = "all"

    def sizes(self) -> tuple[int, ...]:
        if self is RecordSizes.ALL:
            return (8192, 512, 8)
        return tuple(int(size) for size in self.value.split(","))


FigureOption = Annotated[list[str] | None, figures_of(STUDY)]


@command(trials=5)
def reproduce_enwrich(
    call: Call,
    figure: FigureOption = None,
    records: Annotated[
        RecordSizes, typer.Option(help="Record sizes in bytes in figures 4 and 5; all: 8192, 512 and 8.")
    ] = RecordSizes.BOTH,
    trace: Annotated[Path | None, typer.Option(metavar="FILE", help="Trace for figure 11 and for the options.")] = None,
    exclude: Annotated[
        str, typer.Option(metavar="REGEX", help="Files of the trace to leave out; empty: none.")
    ] = READ_OF_SYSTEM,
    document: DocumentOption = None,
) -> bool:
    wanted = which(figure or [], trace)
    if trace is not None and not trace.is_file():
        raise FileError(f"--trace {trace}: there is no such file")
    with TemporaryDirectory(prefix="sunstar-") as made:
        choice = Choice(records.sizes(), trace, exclude, Path(made))
        return carry_out(STUDY, wanted, choice, call, document, bool(figure))


def which(names: list[str], trace: Path | None) -> list[Experiment[Choice]]:
    """The experiments of these names; without names, all that are possible."""
    if "11" in names and trace is None:
        raise UsageError("--figure 11 replays a trace; name it with --trace")
    return [each for each in STUDY.choose(names) if each.name != "11" or trace is not None]
