# SPDX-License-Identifier: MIT
"""The section `explain` of a result, read and put to the test: each change that it proposes is made, and run again."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sunstar.errors import FileError, RunError
from sunstar.files import read_bytes
from sunstar.results import Document, read_from
from sunstar.runs.plan import plan
from sunstar.runs.point import Point, settings_of
from sunstar.runs.runner import Local, Runner
from sunstar.runs.store import Store
from sunstar.sweeps.reading import strictly

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


class Part(BaseModel):
    """Strict: text never passes for a number."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Stage(Part):
    """A stage of the critical path."""

    stage: str
    time_s: Amount
    time_ps: Count
    share: Amount


class Times(Part):
    mean_s: Amount
    p99_s: Amount


class Requests(Part):
    """All requests of one kind."""

    kind: str
    count: Count
    total: Times
    stages: dict[str, Times]


class Resource(BaseModel):
    """Utilisations under their own names, and the queue if anything waited in it."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")
    __pydantic_extra__: dict[str, Amount | None]

    name: str
    mean_queue: Amount | None = None
    waits: Count | None = None
    mean_wait_s: Amount | None = None

    @property
    def utilisation(self) -> float | None:
        """The largest, if there are several."""
        found = [v for k, v in self.__pydantic_extra__.items() if k.endswith("utilisation") and v is not None]
        return max(found, default=None)


class Processor(Part):
    """Seconds of a node's processor by primitive."""

    node: str
    seconds: dict[str, Amount]


class Change(Part):
    """A change of the configuration and what it can gain at most."""

    change: str
    stages: list[str]
    share: Amount
    at_most: Amount
    """With an unchanged order of events."""
    waits_gone: Amount | None
    """If all waiting for sectors and messages vanished, too; None: no bound."""
    settings: list[str]
    """PATH=VALUE each."""


class Explanation(Part):
    elapsed_ps: Count
    critical_path: list[Stage] = Field(min_length=1)
    resources: list[Resource]
    requests: list[Requests]
    processors: list[Processor]
    changes: list[Change]
    sentences: list[str]

    @model_validator(mode="after")
    def _check(self) -> Self:
        total = sum(stage.time_ps for stage in self.critical_path)
        if total != self.elapsed_ps:
            raise ValueError(f"the stages of the critical path sum to {total} ps, the run took {self.elapsed_ps} ps")
        return self


def read_explained(path: Path) -> tuple[Document, Explanation]:
    """A result with its explanation; a FileError if it has none."""
    content = read_bytes(path)
    result = read_from(content, str(path))
    section: Any = orjson.loads(content).get("explain")
    if section is None:
        raise FileError(f"{path} says nothing about its causes; run {result.platform} again with --explain")
    return result, strictly(Explanation, section, f"{path}: explain")


@dataclass(frozen=True)
class Tried:
    """A change, and how many times as fast the run was with it; the error if it cannot run."""

    change: Change
    gain: float | None
    error: RunError | None = None


def time_of(result: Document, where: str) -> float:
    """How long the first trial took or, in a network, its mean message."""
    try:
        first = result.trials[0]
        return float(first["latency"]["mean_s"] if result.program == "network" else first["elapsed_s"])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise FileError(f"{where}: the first trial does not say how long it took: {error!r}") from error


def try_changes(result: Document, explanation: Explanation, results: Path) -> Iterator[Tried]:
    """The measured gain of each change, in the explanation's order."""
    before = time_of(result, "the result")
    with tempfile.TemporaryDirectory() as folder, Store(results) as store:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps(result.config))
        points = [  # the explanation is that of the first trial
            Point(settings_of(change.settings), config, result.program, result.seed, 1)
            for change in explanation.changes
        ]
        runs = Runner(store, Local()).all(plan(points), lambda _, __: None)
        for change, run in zip(explanation.changes, runs, strict=True):
            if not run.done:
                yield Tried(change, None, run.error())
                continue
            outcome = store.outcome(run.identity)
            assert outcome is not None  # it has just been there
            changed = f"the run with {', '.join(change.settings)}"
            yield Tried(change, before / time_of(read_from(outcome.document, changed), changed))
