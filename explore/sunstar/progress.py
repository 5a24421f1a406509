# SPDX-License-Identifier: MIT
"""Shows how far many runs are: a bar on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sunstar.programs import in_parallel

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

LINES = 4
"""How many lines it prints where there is no terminal."""


@contextmanager
def shown(console: Console, what: str, total: int) -> Iterator[Callable[[str, str], None]]:
    """Gives a function to call each time one of `total` things is done, with a text beside the bar and one for the end
    of a line."""
    done = 0

    def line(_: str, text: str) -> None:
        nonlocal done
        done += 1
        if done * LINES // total != (done - 1) * LINES // total:
            console.print(f"{what}: {done} of {total}{text}")

    if not console.is_terminal:
        yield line
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), TextColumn("{task.fields[text]}"), console=console) as bar:
        task = bar.add_task(what, total=total, text="")
        yield lambda text, _: bar.update(task, advance=1, text=text)


@contextmanager
def progress(console: Console, what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Gives a function to call with a short text each time one of `total` runs is done."""
    if not console.is_terminal:
        console.print(f"{what}: {total} runs")
    with shown(console, what, total) as advance:
        yield lambda last: advance(last, "")


@contextmanager
def meter(console: Console, what: str, total: int) -> Iterator[Callable[[bool], None]]:
    """Gives a function to call each time one of `total` runs has ended, with whether it is done. Shows how many have
    failed, how many end in a second, and the time left."""
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
    console: Console,
    what: str,
    work: Callable[[Task], Outcome],
    tasks: Sequence[Task],
    names: Sequence[str],
    jobs: int,
) -> list[Outcome]:
    """Runs all tasks and shows how far they are."""
    with progress(console, what, len(tasks)) as advance:
        return in_parallel(work, tasks, jobs=jobs, on_result=lambda i, _: advance(names[i]))
