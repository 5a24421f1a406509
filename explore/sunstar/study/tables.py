# SPDX-License-Identifier: MIT
"""Tables for people, with at most five significant digits, and the form of figures in them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.console import Console
from rich.table import Table

WIDTH = 120
"""The width of tables that are not printed on a terminal."""


@dataclass(frozen=True)
class Printed:
    """A table whose first columns hold names and whose other columns hold figures."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1
    """How many columns hold names."""


def console(stderr: bool = False) -> Console:
    """A console for tables and progress. Without a terminal, it is wide enough for every table. Brackets are text: a
    path may have them."""
    terminal = Console(highlight=False, markup=False, stderr=stderr)
    return terminal if terminal.is_terminal else Console(highlight=False, markup=False, width=WIDTH, stderr=stderr)


Item = TypeVar("Item")


def listed_in(
    title: str, items: Iterable[Item], columns: Mapping[str, Callable[[Item], object]], names: int = 1
) -> Printed:
    """A line for each item, with what each column says of it."""
    return Printed(title, list(columns), [[str(tell(item)) for tell in columns.values()] for item in items], names)


def print_table(out: Console, printed: Printed) -> None:
    if printed.title:
        out.print(f"\n{printed.title}", style="italic", soft_wrap=True)
    table = Table()
    for i, heading in enumerate(printed.headings):
        table.add_column(heading, justify="left" if i < printed.names else "right", no_wrap=True)
    for row in printed.rows:
        table.add_row(*row)
    out.print(table)


def throughput(value: float | None) -> str:
    """Throughput in MiB/s, as the papers print it."""
    return "-" if value is None else f"{value:.1f}"


def percent(value: float | None, sign: bool = False) -> str:
    return "-" if value is None else f"{100 * value:{'+' if sign else ''}.1f} %"


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.4g}"


def kibibytes(size: float) -> str:
    return f"{size / 1024:.0f}"


def called(experiment: str) -> str:
    """The name of an experiment in print: "figure 7" for a number, otherwise its own name."""
    return f"figure {experiment}" if experiment.isdecimal() else experiment
