# SPDX-License-Identifier: MIT
"""Run many configurations at the same time, each in processes of its own."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import TypeVar

from sunstar.run import Point, Result, run

T = TypeVar("T")


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def sweep(
    points: Sequence[Point], *, jobs: int = 0, on_result: Callable[[int, Result], None] | None = None
) -> list[Result]:
    """Runs all points, `jobs` at a time (0: as many as there are processors), and returns their results in order.

    on_result is called in this thread with the index of each point as it ends. The first point that fails ends the
    sweep: those not started are left out, and its error is raised.
    """
    return sweep_with(lambda point: run(point, jobs=1), points, jobs=jobs, on_result=on_result)


def sweep_with(
    run_one: Callable[[Point], T],
    points: Sequence[Point],
    *,
    jobs: int = 0,
    on_result: Callable[[int, T], None] | None = None,
) -> list[T]:
    """The same with another way to run a point."""
    results: dict[int, T] = {}
    with ThreadPoolExecutor(max_workers=jobs or processors()) as pool:
        index: dict[Future[T], int] = {pool.submit(run_one, point): i for i, point in enumerate(points)}
        try:
            for future in as_completed(index):
                i = index[future]
                results[i] = future.result()
                if on_result is not None:
                    on_result(i, results[i])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [results[i] for i in range(len(points))]
