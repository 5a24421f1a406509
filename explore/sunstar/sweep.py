# SPDX-License-Identifier: MIT
"""Run many configurations at the same time, each in its own processes."""

from collections.abc import Callable, Sequence

from sunstar.programs import in_parallel
from sunstar.results import MachineResult
from sunstar.run import Point, run


def sweep(
    points: Sequence[Point], *, jobs: int = 0, on_result: Callable[[int, MachineResult], None] | None = None
) -> list[MachineResult]:
    """Runs all points, `jobs` at a time (0: as many as there are processors), and returns their results in order.

    on_result is called in this thread with the index of each point as it ends. The first point that fails ends the
    sweep: points under way are ended, points not yet started are not run, and its error is raised.
    """
    return in_parallel(lambda point: run(point, jobs=1), points, jobs=jobs, on_result=on_result)
