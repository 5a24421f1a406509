# SPDX-License-Identifier: MIT
"""The section `explain` of a result."""

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sunstar.errors import FileError


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Stage(Part):
    """A stage of the critical path."""

    stage: str
    time_s: float
    time_ps: int
    share: float


class Times(Part):
    mean_s: float
    p99_s: float


class Requests(Part):
    """All requests of one kind."""

    kind: str
    count: int
    total: Times
    stages: dict[str, Times]


class Resource(BaseModel):
    """Utilisations under their own names, and the queue if anything waited in it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    name: str
    mean_queue: float | None = None
    waits: int | None = None
    mean_wait_s: float | None = None

    @property
    def utilisation(self) -> float | None:
        """The largest, if there are several."""
        found = [v for k, v in (self.model_extra or {}).items() if k.endswith("utilisation") and v is not None]
        return max(found, default=None)


class Processor(Part):
    """Seconds of a node's processor by primitive."""

    node: str
    seconds: dict[str, float]


class Change(Part):
    """A change of the configuration and what it can gain at most."""

    change: str
    stages: list[str]
    share: float
    at_most: float
    """With an unchanged order of events."""
    waits_gone: float | None
    """If all waiting for sectors and messages vanished, too; None: no bound."""
    settings: list[str]
    """PATH=VALUE each."""


class Explanation(Part):
    elapsed_ps: int
    critical_path: list[Stage]
    resources: list[Resource]
    requests: list[Requests]
    processors: list[Processor]
    changes: list[Change]
    sentences: list[str]


def read_result(path: Path) -> tuple[dict[str, Any], Explanation]:
    """A result with its explanation; a FileError if it has none."""
    try:
        document = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(document, dict) or "platform" not in document:
        raise FileError(f"{path} is not the result of a run")
    if "explain" not in document:
        raise FileError(f"{path} says nothing about its causes; run {document['platform']} again with --explain")
    try:
        return document, Explanation.model_validate(document["explain"])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(["explain", *(str(part) for part in first["loc"])])
        raise FileError(f"{path}: {where} is not what {document['platform']} writes: {first['msg']}") from error
