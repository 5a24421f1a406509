# SPDX-License-Identifier: MIT
"""Puts an explanation to the test: makes each change that it proposes, and runs again."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from sunstar.errors import RunError
from sunstar.explaining.explanation import Change, Explanation
from sunstar.runs.plan import plan
from sunstar.runs.point import Point, Value
from sunstar.runs.runner import Runner
from sunstar.runs.scheduler import Local
from sunstar.runs.store import Store


@dataclass(frozen=True)
class Tried:
    """A change, and how many times as fast the run was with it; the error if it cannot run."""

    change: Change
    gain: float | None
    error: RunError | None = None


def setting(text: str) -> tuple[str, Value]:
    path, _, value = text.partition("=")
    try:
        return path, json.loads(value)
    except ValueError:
        return path, value


def gain(before: dict[str, Any], after: dict[str, Any]) -> float:
    """How many times as fast the first trial became: the run or, for a network, its mean message."""
    if before["platform"] == "sunstar-network":
        ratio: float = before["trials"][0]["latency"]["mean_s"] / after["trials"][0]["latency"]["mean_s"]
    else:
        ratio = before["trials"][0]["elapsed_s"] / after["trials"][0]["elapsed_s"]
    return ratio


def points(document: dict[str, Any], explanation: Explanation, config: Path) -> list[Point]:
    """One for each change. The explanation is that of the first trial."""
    platform = str(document["platform"]).removeprefix("sunstar-")
    return [
        Point(dict(setting(text) for text in change.settings), config, platform, document["seed"], 1)
        for change in explanation.changes
    ]


def try_changes(document: dict[str, Any], explanation: Explanation, results: Path) -> Iterator[Tried]:
    """The measured gain of each change, in the explanation's order."""
    with tempfile.TemporaryDirectory() as folder, Store(results) as store:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps(document["config"]))
        runner = Runner(store, Local(0))
        runs = runner.all(plan(points(document, explanation, config), 0), lambda _, __: None)
        for change, run in zip(explanation.changes, runs, strict=True):
            if not run.done:
                yield Tried(change, None, run.error())
                continue
            outcome = store.outcome(run.identity)
            assert outcome is not None  # it has just been there
            yield Tried(change, gain(document, orjson.loads(outcome.document)))
