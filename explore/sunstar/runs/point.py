# SPDX-License-Identifier: MIT
"""One configuration of a simulator."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sunstar.errors import UsageError

Setting = str | int | float | bool
Value = Setting | list[Any] | dict[str, Any]
"""A value as in JSON. Text is also read as JSON if it can be, as with --set."""


@dataclass(frozen=True)
class Point:
    """A platform's defaults, overridden by a file, overridden by single settings."""

    settings: Mapping[str, Value] = field(default_factory=dict)
    """Values by path, as in {"workload.pattern": "rb"}; quantities carry their unit, as in "8KiB"."""
    config: Path | None = None
    platform: str = "torus"
    seed: int | None = None
    """Of the first trial; the configuration's own if None."""
    trials: int | None = None
    """Number of trials, with seeds seed, seed + 1, ...; the configuration's own if None."""
    folder: Path | None = None
    """What paths in the settings are relative to; the working directory if None."""
    records: bool = False
    """Whether the run also writes its records, a line for each request, which its outcome then holds."""

    def __post_init__(self) -> None:
        for name, value in (("seed", self.seed), ("trials", self.trials)):
            if value is not None and f"run.{name}" in self.settings:
                raise UsageError(f"{name}={value} and the setting run.{name} set the same parameter; leave one out")

    def texts(self) -> list[str]:
        """The settings as --set takes them."""
        run = {"run.seed": self.seed, "run.trials": self.trials}
        settings = {**self.settings, **{path: value for path, value in run.items() if value is not None}}
        return [f"{path}={as_text(value)}" for path, value in settings.items()]

    def arguments(self) -> list[str]:
        """The command line of the simulator, without its name and outputs."""
        config = [] if self.config is None else ["--config", str(self.config)]
        return config + [word for text in self.texts() for word in ("--set", text)]

    def __str__(self) -> str:
        return " ".join([f"sunstar-{self.platform}", *self.arguments()])


def as_text(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def settings_of(texts: Iterable[str]) -> dict[str, Value]:
    """Settings as --set takes them, taken apart; the simulator reads their values."""
    pairs = [(text, *text.partition("=")) for text in texts]
    for text, path, equals, _ in pairs:
        if not (path and equals):
            raise UsageError(f"--set {text}: it must be PATH=VALUE")
    return {path: value for _, path, _, value in pairs}
