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
from sunstar.papers.enwrich import cases, statements
from sunstar.papers.enwrich.cases import COMPUTING, READ_OF_SYSTEM, Choice, fetched_blocks, flushes, listed
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Cell, Experiment, Statements, Study, carry_out, figures_of
from sunstar.study.views import QUANTITY, Quantity, View, size_of

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


def of_enwrich(tell: Callable[[Found, Key], str]) -> Callable[[Found, Mapping[str, Key]], str]:
    return lambda found, of: tell(found, of["enwrich"])


BASE = View(
    {"pattern": "pattern"},
    "method",
    lambda key: f"{key.record_bytes}-byte records",
    more={
        "over tc": of_enwrich(lambda found, key: f"{found.ratio(key, 'tc'):.2f}"),
        "over ddio": of_enwrich(lambda found, key: f"{found.ratio(key, 'ddio'):.2f}"),
        "flushes": of_enwrich(lambda found, key: f"{flushes(found, key):.0f}"),
        "directory full": of_enwrich(lambda found, key: f"{flushes(found, key, 'directory'):.0f}"),
        "read first": of_enwrich(lambda found, key: f"{fetched_blocks(found, key):.0f}"),
    },
    drawn="bars",
)


def step(number: int) -> Callable[[Found, Mapping[str, Key]], str]:
    return lambda found, of: percent(statements.gains(found, of["tc"].pattern)[number], sign=True)


CACHE_SIZE = View(
    {"pattern": "pattern"},
    lambda key: f"{key.x} MiB" if key.x else key.method,
    more={"0.5 to 1": step(0), "1 to 2": step(1)},
    drawn="bars",
)


def latency(name: str, called: str = "") -> Quantity:
    def value(found: Found, key: Key) -> float:
        return 1000 * float(getattr(found[key].latency, f"{name}_s"))

    return Quantity(called or name, value, "{:.4g}".format)


def count(called: str, reason: str | None = None) -> Quantity:
    def value(found: Found, key: Key) -> float | None:
        return flushes(found, key, reason) if key.method == "enwrich" else None

    return Quantity(called, value, "{:.0f}".format)


TRACED = View(
    {"system": "method", "pacing": "x"},
    quantities=[
        Quantity("MiB/s", lambda found, key: found[key].mib_per_s, "{:.2f}".format),
        Quantity("elapsed (s)", lambda found, key: found[key].elapsed_s, "{:.1f}".format),
        count("flushes"),
        count("directory full", "directory"),
        *(latency(name, f"{name} (ms)") for name in ("p50", "p99", "max")),
    ],
    title="what was measured",
)
PACINGS = View({"pacing": "x"}, "method", printed=False, drawn="bars")
SCHEDULER = View({"pattern": "pattern"}, "method", "layout", drawn="bars")


def gained(found: Found, key: Key) -> float:
    return 100 * (found.mib(key) / found.mib(key._replace(x="none")) - 1)


def gain_or_plain(found: Found, key: Key) -> str:
    return f"{found.mib(key):.2f}" if key.x == "none" else f"{gained(found, key):+.1f} %"


def wait(found: Found, key: Key) -> str:
    of = found[key].latency
    times = ", ".join(milliseconds(time) for time in (of.p50_s, of.p99_s, of.max_s))
    return f"{times}; {flushes(found, key):.0f}"


OPTIONS = (
    View({"option": "x"}, "pattern", quantities=[Quantity("MiB/s, and what each option gains", gain_or_plain)]),
    View(
        {"option": "x"},
        "pattern",
        quantities=[Quantity("what a write takes, p50, p99 and max (ms), and flushes", wait)],
        points=lambda _, key: key.pattern in (COMPUTING, "trace"),
    ),
    View(
        {"option": "x"},
        "pattern",
        quantities=[Quantity("throughput over ENWRICH without options (%)", gained)],
        points=lambda _, key: key.x != "none",
        printed=False,
        drawn="bars",
    ),
)
LATENCY = View(
    {"workload": ("pattern", size_of)},
    ("method", QUANTITY),
    "layout",
    [latency(name) for name in PERCENTILES],
    "ms",
    drawn="bars",
    logarithmic=True,
)


def swept(name: str, title: str, made: Callable[[Choice], Cases], check: Statements, x: str) -> Experiment[Choice]:
    """A figure of throughput against x."""
    return Experiment(name, title, made, [View({x: "x"}, ("pattern", "method"), drawn="lines")], check)


STUDY = Study(
    "enwrich",
    "ENWRICH",
    (
        Experiment("4", "random-blocks layout", cases.base("random-blocks"), [BASE], statements.figure_4),
        Experiment("5", "contiguous layout", cases.base("contiguous"), [BASE], statements.figure_5),
        Experiment("6", "size of the write caches, contiguous layout", listed("6"), [CACHE_SIZE], statements.figure_6),
        swept("7", "number of CPs, contiguous layout", listed("7"), statements.figure_7, "CPs"),
        swept("8", "number of IOPs with 16 disks, contiguous layout", listed("8"), statements.figure_8, "IOPs"),
        *(
            swept(
                name,
                f"number of disks on 8 IOPs, {layout} layout",
                listed("disks", layouts=(layout,)),
                statements.scaling_with_disks,
                "disks",
            )
            for name, layout in (("9", "contiguous"), ("10", "random-blocks"))
        ),
        Experiment(
            "11", "a trace on 32 CPs, 16 IOPs and a 7x7 torus", cases.traced, (TRACED, PACINGS), statements.figure_11
        ),
        Experiment(
            "scheduler",
            "traditional caching with a smart disk scheduler",
            listed("scheduler"),
            [SCHEDULER],
            statements.scheduler,
        ),
        Experiment("options", "options beyond the paper", cases.options, OPTIONS, statements.options),
        Experiment("latency", "what a write takes at the CP", cases.latency, [LATENCY], statements.latency),
    ),
    columns,
)


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
RecordSizesOption = Annotated[
    RecordSizes, typer.Option(help="Record sizes in bytes in figures 4 and 5; all: 8192, 512 and 8.")
]
TraceOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Trace for figure 11 and for the options.")]
ExcludeOption = Annotated[str, typer.Option(metavar="REGEX", help="Files of the trace to leave out; empty: none.")]


@command(trials=5)
def reproduce_enwrich(
    call: Call,
    figure: FigureOption = None,
    records: RecordSizesOption = RecordSizes.BOTH,
    trace: TraceOption = None,
    exclude: ExcludeOption = READ_OF_SYSTEM,
    document: DocumentOption = None,
) -> bool:
    """Compare ENWRICH with traditional caching and disk-directed I/O: figures 4 to 11 of Duke CS-1995-22, a smart disk
    scheduler, the options beyond the paper, and the latency of writes.

    Prints each as a table, draws it, and checks what the paper says about it: a statement holds, is a known shortfall,
    or is NEW. Writes to results/enwrich/ a .png for each, all points as .csv, .json and .parquet, and the verdicts as
    .json; with --figure, their names say which figures they hold. Exit code 1 if a statement is NEW. Figure 11 needs
    --trace.

    Example: sunstar reproduce enwrich --figure 4 --figure 5 --records all
    """
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
