# SPDX-License-Identifier: MIT
"""The figures of runs as samples: each trial gives one value of each figure."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sunstar.errors import MissingExecutableError, RunError
from sunstar.reports.sources import Result
from sunstar.sweeps.columns import figures, units

Value = float | str | bool | None
Samples = dict[str, list[Value]]
"""The values of each figure, by its path, as in result.throughput.mib_per_s."""


def samples_of(results: Iterable[Result]) -> Samples:
    """The values of all trials of these runs of one configuration; None where a trial did not know a figure."""
    trials = [figures({"result": figures_of_trial(trial)}) for result in results for trial in result.trials]
    paths = dict.fromkeys(path for trial in trials for path in trial)
    return {path: [trial.get(path) for trial in trials] for path in paths}


def figures_of_trial(trial: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in trial.items() if name != "seed"}


def numbers(values: Iterable[Value]) -> list[float] | None:
    """The values as numbers, without those that are not known; None if they are not numbers."""
    known = [value for value in values if value is not None]
    if not known or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return None
    return [float(value) for value in known]


def units_of(platform: str) -> Mapping[str, str]:
    """The units of a platform's figures, by path; none if its simulator is not here to be asked."""
    try:
        return units(platform)
    except (MissingExecutableError, RunError):
        return {}


def as_text(value: object, width: int = 44) -> str:
    """A value as in a configuration, shortened."""
    text = value if isinstance(value, str) else json.dumps(value)
    if isinstance(value, list) and len(text) > width:
        return f"a list of {len(value)}"
    return text if len(text) <= width else text[: width - 3] + "..."
