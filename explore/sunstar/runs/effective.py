# SPDX-License-Identifier: MIT
"""The effective configurations of points, with every default spelt out: only the simulators know them. One call of a
simulator answers for many points."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from sunstar.errors import RunError
from sunstar.places import executable
from sunstar.programs import run_for_bytes
from sunstar.runs.point import Point

AT_ONCE = 500
"""Points of one call: so many that the start of a process does not matter, so few that all processors take part."""


@dataclass(frozen=True)
class Refused:
    """A point that is no configuration."""

    sentence: str


Answer = dict[str, Any] | Refused


def effective_config(point: Point) -> dict[str, Any]:
    """What a point stands for; a RunError if it is no configuration."""
    [answer] = ask([point])
    if isinstance(answer, Refused):
        raise RunError(f"{answer.sentence}\n({point} ended with exit code 3)", 3)
    return answer


def batches(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Neighbours that one call can answer for."""

    def shared(point: Point) -> tuple[str, Path | None, Path | None]:
        return point.platform, point.config, point.folder

    for _, group in groupby(points, shared):
        together = list(group)
        for start in range(0, len(together), AT_ONCE):
            yield together[start : start + AT_ONCE]


def ask(points: Sequence[Point]) -> list[Answer]:
    """What these points stand for, which share a simulator, a file and a folder."""
    first = points[0]
    program = f"sunstar-{first.platform}"
    config = [] if first.config is None else ["--config", str(first.config)]
    lines = "".join(json.dumps(point.texts()) + "\n" for point in points)
    done = run_for_bytes(
        [str(executable(first.platform)), *config, "--print-points", "-"], cwd=first.folder, given=lines.encode()
    )
    if done.returncode != 0:
        raise RunError(f"{done.stderr.decode()}\n({program} --print-points ended badly)", done.returncode)
    answers = [orjson.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(points):
        raise RunError(f"{program} --print-points answered for {len(answers)} of {len(points)} points", 0)
    return [answer["config"] if "config" in answer else Refused(answer["error"]) for answer in answers]
