# SPDX-License-Identifier: MIT
"""Run many configurations at the same time, each in its own processes."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import TypeVar

from sunstar.results import MachineResult
from sunstar.run import Point, run

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def sweep(
    points: Sequence[Point], *, jobs: int = 0, on_result: Callable[[int, MachineResult], None] | None = None
) -> list[MachineResult]:
    """Runs all points, `jobs` at a time (0: as many as there are processors), and returns their results in order.

    on_result is called in this thread with the index of each point as it ends. The first point that fails ends the
    sweep: points not yet started are not run, and its error is raised.
    """
    return in_parallel(lambda point: run(point, jobs=1), points, jobs=jobs, on_result=on_result)


def in_parallel(
    work: Callable[[Task], Outcome],
    tasks: Sequence[Task],
    *,
    jobs: int = 0,
    on_result: Callable[[int, Outcome], None] | None = None,
) -> list[Outcome]:
    """The same for any tasks that run simulators."""
    results: dict[int, Outcome] = {}
    with ThreadPoolExecutor(max_workers=jobs or processors()) as pool:
        index: dict[Future[Outcome], int] = {pool.submit(work, task): i for i, task in enumerate(tasks)}
        try:
            for future in as_completed(index):
                i = index[future]
                results[i] = future.result()
                if on_result is not None:
                    on_result(i, results[i])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [results[i] for i in range(len(tasks))]
