# SPDX-License-Identifier: MIT
"""Puts an explanation to the test: makes each change that it proposes, and runs again."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sunstar.errors import FileError, RunError
from sunstar.explaining.explanation import Change, Explanation
from sunstar.results import Document, read_from
from sunstar.runs.plan import plan
from sunstar.runs.point import Point, Value
from sunstar.runs.runner import Local, Runner
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


def time_of(result: Document, where: str) -> float:
    """How long the first trial took or, in a network, its mean message."""
    try:
        first = result.trials[0]
        return float(first["latency"]["mean_s"] if result.program == "network" else first["elapsed_s"])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise FileError(f"{where}: the first trial does not say how long it took: {error!r}") from error


def points(result: Document, explanation: Explanation, config: Path) -> list[Point]:
    """One for each change. The explanation is that of the first trial."""
    return [
        Point(dict(setting(text) for text in change.settings), config, result.program, result.seed, 1)
        for change in explanation.changes
    ]


def try_changes(result: Document, explanation: Explanation, results: Path) -> Iterator[Tried]:
    """The measured gain of each change, in the explanation's order."""
    before = time_of(result, "the result")
    with tempfile.TemporaryDirectory() as folder, Store(results) as store:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps(result.config))
        runner = Runner(store, Local(0))
        runs = runner.all(plan(points(result, explanation, config), 0), lambda _, __: None)
        for change, run in zip(explanation.changes, runs, strict=True):
            if not run.done:
                yield Tried(change, None, run.error())
                continue
            outcome = store.outcome(run.identity)
            assert outcome is not None  # it has just been there
            changed = f"the run with {', '.join(change.settings)}"
            yield Tried(change, before / time_of(read_from(outcome.document, changed), changed))
