# SPDX-License-Identifier: MIT
"""Effective configurations and other JSON: the values by path, and the differences between two."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA = "sunstar/1"  # Of configurations and results that this version reads
ABSENT = "-"  # Stands for a parameter that is missing
IDLE = ("run.jobs",)  # Parameters without any influence on a result


def leaves(value: Any, path: str = "", lists: bool = False) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any JSON
    """All values by path. A list is one value; with `lists`, its objects come apart, as in machine.nodes.3.role."""
    below: Iterable[tuple[object, Any]] = enumerate(value) if lists and of_objects(value) else ()
    if isinstance(value, Mapping):
        below = value.items()
    if not below:
        yield path, value
    for name, each in below:
        yield from leaves(each, joined(path, name), lists)


def joined(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


@dataclass(frozen=True)
class Changed:
    path: str
    a: Any
    b: Any


def changes(a: Any, b: Any, path: str = "") -> Iterator[Changed]:  # noqa: ANN401  any JSON
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in dict.fromkeys([*a, *b]):
            yield from changes(a.get(name, ABSENT), b.get(name, ABSENT), joined(path, name))
    elif of_objects(a) and of_objects(b) and len(a) == len(b):
        for i, (first, second) in enumerate(zip(a, b, strict=True)):
            yield from changes(first, second, joined(path, i))
    elif a != b and path not in IDLE:
        yield Changed(path, a, b)


def bases_of(base: str) -> Iterator[str]:
    """The base of an effective configuration and, if that is a file, those behind it; the last one is a preset."""
    yield base
    path = Path(base)
    if path.is_absolute() and (behind := json.loads(path.read_text()).get("base")):
        file = path.parent / behind
        yield from bases_of(str(file) if file.is_file() else behind)


def key(value: object) -> str:
    """A text that is the same for equal values."""
    return json.dumps(value, sort_keys=True)


def shortened(value: object, width: int) -> str:
    """A value as a configuration writes it, shortened."""
    text = value if isinstance(value, str) else json.dumps(value)
    if isinstance(value, list) and len(text) > width:
        return f"a list of {len(value)}"
    return text if len(text) <= width else text[: width - 3] + "..."
