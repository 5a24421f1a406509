# SPDX-License-Identifier: MIT
"""The space that a search looks through: parameters as the sampler sees them, and as configurations take them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sunstar.runs.point import Value
from sunstar.sweeps.values import Choices, Range, quantity_of

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Proposal = Mapping[str, Any]
"""What the sampler proposes for each parameter."""


def distribution(of: Range | Choices) -> BaseDistribution:
    """A parameter as the sampler sees it. Multiples are counted, and choices are the texts of their JSON."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(of, Choices):
        return CategoricalDistribution(list(dict.fromkeys(json.dumps(choice) for choice in of.choices)))
    least, most, log = quantity_of(of.least), quantity_of(of.most).value, of.scale == "log"
    if of.multiple_of is not None:
        step = quantity_of(of.multiple_of).value
        return IntDistribution(math.ceil(least.value / step), math.floor(most / step), log=log)
    if of.integer or least.base == "B":
        return IntDistribution(math.ceil(least.value), math.floor(most), log=log)
    return FloatDistribution(least.value, most, log=log)


def value(of: Range | Choices, proposed: Any) -> Value:  # noqa: ANN401  as the distribution says
    """What the configuration gets."""
    if isinstance(of, Choices):
        chosen: Value = json.loads(proposed)
        return chosen
    return of.value_of(proposed if of.multiple_of is None else proposed * quantity_of(of.multiple_of).value)
