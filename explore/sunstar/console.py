# SPDX-License-Identifier: MIT
"""Output of commands: tables for people, the form of figures in them, and the progress of many runs."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import wrap
from threading import Event, Thread
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from sunstar.programs import Outcome, Task, in_parallel

WIDTH = 120  # The width of tables that are not printed on a terminal
Item = TypeVar("Item")
LINES = 4  # Lines printed where there is no terminal
EVERY_S = 10.0  # Between two lines where there is no terminal


@dataclass(frozen=True)
class Printed:
    """A table whose first columns hold names and whose other columns hold figures."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1  # How many columns hold names


def console(stderr: bool = False) -> Console:
    """A console for tables and progress. Without a terminal, it is wide enough for every table, and a notebook shows
    what it prints as text. Brackets are text: a path may have them."""
    terminal = Console(highlight=False, markup=False, stderr=stderr)
    if terminal.is_terminal:
        return terminal
    return Console(highlight=False, markup=False, width=WIDTH, stderr=stderr, force_jupyter=False, force_terminal=False)


def listed_in(
    title: str, items: Iterable[Item], columns: Mapping[str, Callable[[Item], object]], names: int = 1
) -> Printed:
    """A line for each item, with a cell by each column's function."""
    return Printed(title, list(columns), [[str(tell(item)) for tell in columns.values()] for item in items], names)


def print_table(out: Console, printed: Printed) -> None:
    if printed.title:
        out.print(f"\n{printed.title}", style="italic", soft_wrap=True)
    table = Table()
    cells = [max((len(row[i]) for row in printed.rows), default=0) for i in range(len(printed.headings))]
    wide = sum(max(len(heading), cell) + 3 for heading, cell in zip(printed.headings, cells, strict=True)) >= out.width
    needed = 1
    for i, (heading, cell) in enumerate(zip(printed.headings, cells, strict=True)):
        lines = [heading]
        if i < printed.names:
            table.add_column(heading, no_wrap=True)
        else:  # Where there is too little room, headings are broken, not figures
            lines = wrap(heading, max(cell, 5), break_long_words=False) if wide else lines
            table.add_column("\n".join(lines), justify="right", overflow="fold", min_width=cell)
        needed += max(cell, *map(len, lines)) + 3
    if not out.is_terminal:
        out.width = max(out.width, needed)
    for row in printed.rows:
        table.add_row(*row)
    out.print(table)


def throughput(value: float | None) -> str:
    """Throughput in MiB/s, as the papers print it."""
    return "-" if value is None else f"{value:.1f}"


def percent(value: float | None, sign: bool = False) -> str:
    return "-" if value is None else f"{100 * value:{'+' if sign else ''}.1f} %"


def milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.4g}"


def kibibytes(size: float) -> str:
    return f"{size / 1024:.0f}"


def called(experiment: str) -> str:
    """The name of an experiment in print: "figure 7" for a number, otherwise its own name."""
    return f"figure {experiment}" if experiment.isdecimal() else experiment


@contextmanager
def lines(console: Console, what: str, total: int) -> Iterator[Callable[[str, str], None]]:
    """Prints a line now and then, also if nothing has ended since the last one."""
    texts, over = [""], Event()

    def tell() -> None:
        while not over.wait(EVERY_S):
            console.print(f"{what}: {len(texts) - 1} of {total}{texts[-1]}", soft_wrap=True)

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield lambda _, text: texts.append(text)
    finally:
        over.set()
        teller.join()


@contextmanager
def shown(console: Console, what: str, total: int) -> Iterator[Callable[[str, str], None]]:
    """Yields a function to call after each of `total` things, with a text beside the bar and one for the end of a
    line."""
    if not console.is_terminal:
        with lines(console, what, total) as line:
            yield line
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), TextColumn("{task.fields[text]}"), console=console) as bar:
        task = bar.add_task(what, total=total, text="")
        yield lambda text, _: bar.update(task, advance=1, text=text)


@contextmanager
def progress(console: Console, what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Yields a function to call, with a short text, after each of `total` runs."""
    if not console.is_terminal:
        console.print(f"{what}: {total} runs")
    with shown(console, what, total) as advance:
        yield lambda last: advance(last, "")


@contextmanager
def meter(console: Console, what: str, total: int) -> Iterator[Callable[[bool], None]]:
    """Yields a function to call after each of `total` runs, with whether it succeeded. Shows the number of failures,
    the runs a second, and the time left."""
    start = time.monotonic()
    failed = ended = 0
    with shown(console, what, total) as advance:

        def count(done: bool) -> None:
            nonlocal failed, ended
            ended += 1
            failed += not done
            rate = ended / max(time.monotonic() - start, 1e-9)
            text = f"{failed} failed, {rate:.1f} runs/s"
            advance(text, f", {text}, {(total - ended) / rate:.0f} s left")

        yield count


def in_parallel_with_progress(
    console: Console, what: str, work: Callable[[Task], Outcome], tasks: Sequence[Task], names: Sequence[str], jobs: int
) -> list[Outcome]:
    with progress(console, what, len(tasks)) as advance:
        return in_parallel(work, tasks, jobs=jobs, on_result=lambda i, _: advance(names[i]))
