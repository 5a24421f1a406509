# SPDX-License-Identifier: MIT
"""Shows how far many runs are: how many are done and have failed, how many end in a second, and the time left."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

QUARTERS = 4
"""So often it prints a line where there is no terminal."""


@contextmanager
def meter(console: Console, what: str, total: int) -> Iterator[Callable[[bool], None]]:
    """Gives a function to call each time a run has ended, with whether it is done."""
    start = time.monotonic()
    failed = ended = 0

    def rate() -> float:
        return ended / max(time.monotonic() - start, 1e-9)

    if console.is_terminal:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[say]}"),
        )
        with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
            task = bar.add_task(what, total=total, say="")

            def show(done: bool) -> None:
                nonlocal failed, ended
                ended += 1
                failed += not done
                bar.update(task, advance=1, say=f"{failed} failed, {rate():.1f} runs/s")

            yield show
        return

    def count(done: bool) -> None:
        nonlocal failed, ended
        ended += 1
        failed += not done
        if ended * QUARTERS // total != (ended - 1) * QUARTERS // total:
            left = (total - ended) / rate()
            console.print(f"{what}: {ended} of {total}, {failed} failed, {rate():.1f} runs/s, {left:.0f} s left")

    yield count
