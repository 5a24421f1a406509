# SPDX-License-Identifier: MIT
"""Shows how far a sweep is: a bar on a terminal, a line now and then elsewhere."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from sunstar.programs import in_parallel

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


@contextmanager
def progress(console: Console, what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Gives a function to call with a short text each time one of `total` things is done."""
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, TimeRemainingColumn(), TextColumn("{task.fields[last]}"), console=console) as bar:
            task = bar.add_task(what, total=total, last="")
            yield lambda last: bar.update(task, advance=1, last=last)
        return
    done = 0
    console.print(f"{what}: {total} runs")

    def advance(_: str) -> None:
        nonlocal done
        done += 1
        if done * 4 // total != (done - 1) * 4 // total:  # each quarter
            console.print(f"{what}: {done} of {total}")

    yield advance


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
