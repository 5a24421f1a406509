# SPDX-License-Identifier: MIT
"""Who leads at a point, where several methods are options of one family, and the better option counts."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sunstar.errors import UnmeasuredError


class Leader(NamedTuple):
    first: str
    """The fastest method."""
    second: str
    """The fastest one of another family."""
    lead: float
    """The speed of the first over that of the second."""


def leader(speeds: Mapping[str, float], family: Callable[[str], str]) -> Leader:
    """The leader among methods with these speeds; of equal ones the first that is named."""
    first = max(speeds, key=lambda method: speeds[method])
    others = [method for method in speeds if family(method) != family(first)]
    if not others:
        raise UnmeasuredError(f"only {family(first)} was measured; a lead needs another one")
    second = max(others, key=lambda method: speeds[method])
    return Leader(first, second, speeds[first] / speeds[second])


def best_of_families(speeds: Mapping[str, float], family: Callable[[str], str]) -> dict[str, str]:
    """The fastest method of each family, in the order in which families are first named."""
    best: dict[str, str] = {}
    for method, speed in speeds.items():
        if family(method) not in best or speed > speeds[best[family(method)]]:
            best[family(method)] = method
    return best
