# SPDX-License-Identifier: MIT
"""Build the machines of points without running them."""

from rich.console import Console

from sunstar.meter import meter
from sunstar.places import executable
from sunstar.programs import in_parallel, run_for_bytes
from sunstar.runs.plan import Plan
from sunstar.runs.point import Point
from sunstar.runs.run import Run


def check_all(out: Console, plan: Plan, jobs: int) -> dict[int, Run]:
    """Lets the simulator check each point that is a configuration, and returns those that it does not accept, by their
    index. Points that are the same run are checked once."""
    first: dict[str, int] = {}
    for index, identity in enumerate(plan.identities):
        if identity:
            first.setdefault(identity, index)
    wanted = list(first.values())
    bad: dict[int, Run] = {}
    with meter(out, "checking", len(wanted)) as ended:

        def judge(i: int, run: Run) -> None:
            ended(run.done)
            if not run.done:
                bad[wanted[i]] = run

        in_parallel(lambda index: check(plan.points[index], plan.identities[index]), wanted, jobs=jobs, on_result=judge)
    return bad


def check(point: Point, identity: str) -> Run:
    program = str(executable(point.platform))
    done = run_for_bytes([program, *point.arguments(), "--check", "--quiet"], cwd=point.folder)
    return Run(point, identity, done.returncode, done.stderr.decode(errors="replace").strip())
