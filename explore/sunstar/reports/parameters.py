# SPDX-License-Identifier: MIT
"""What differs between effective configurations."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

ABSENT = "-"
"""Stands for a parameter that a configuration does not have."""
IDLE = ("run.jobs",)
"""Parameters without any influence on a result."""


@dataclass(frozen=True)
class Changed:
    path: str
    a: Any
    b: Any


def changes(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Changed]:
    return [each for each in _changes(a, b, "") if each.path not in IDLE]


def _changes(a: Any, b: Any, path: str) -> Iterator[Changed]:  # noqa: ANN401  any JSON
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in dict.fromkeys([*a, *b]):
            yield from _changes(a.get(name, ABSENT), b.get(name, ABSENT), f"{path}.{name}" if path else name)
    elif objects(a) and objects(b) and len(a) == len(b):
        for i, (first, second) in enumerate(zip(a, b, strict=True)):
            yield from _changes(first, second, f"{path}.{i}")
    elif a != b:
        yield Changed(path, a, b)


def objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


def leaves(config: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters by path; a list is one value."""
    return dict(_leaves(config, "", lists=False))


def all_leaves(config: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters by path, those of objects in lists as well, as in machine.nodes.3.role."""
    return dict(_leaves(config, "", lists=True))


def _leaves(value: Any, path: str, lists: bool) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any JSON
    below: Iterable[tuple[object, Any]] = ()
    if isinstance(value, Mapping):
        below = value.items()
    elif lists and objects(value):
        below = enumerate(value)
    if not below:
        yield path, value
    for name, each in below:
        yield from _leaves(each, f"{path}.{name}" if path else str(name), lists)


def key(value: object) -> str:
    """A text that two values share if they are equal."""
    return json.dumps(value, sort_keys=True)
