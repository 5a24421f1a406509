# SPDX-License-Identifier: MIT
"""Other configurations made of one: what a simulator's refusal says is allowed, and what is simpler."""

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import orjson

from sunstar.campaign.draw import Config, Kinds
from sunstar.configurations import joined
from sunstar.quantities import quantity

NAME = r"(?:machine|file_system|workload|faults)(?:\.\w+)+"
BEYOND = re.compile(rf'({NAME}) is "?([\w./]+)"?; it must be between (\S+) and (\S+)\.')
NO_MULTIPLE = re.compile(rf"({NAME})\D* is (\d+)( ?B| bytes)?[^;]*; it must [^;]*?(\d+)( ?B| bytes)?(?:[.,]| that)")
TOO_MANY = re.compile(rf"({NAME}) is \d+, for which .* the machine has (\d+)")
OTHER_CHOICE = re.compile(rf"({NAME}) is [\w-]+: .*; set it to ([\w-]+)")
OTHER_KINDS = re.compile(r"(?:set (file_system)|(workload))\.kind (?:to|must be) ([\w, -]+)")
LEFT_OUT = re.compile(
    r"(?:machine|file_system(?!\.kind))(?:\.\w+)+|faults(?:\.\w+)*"
    r"|workload(?:\.jobs\.\d+)?(?!\.kind|\.nodes|\.bytes|\.file|\.fork|\.block)(?:\.\w+)+"
)
KEPT = re.compile(
    r"schema|workload|run|(?:machine|file_system|faults)$|.*\.(?:kind|place|effect|shape\.\d+)$"
    r"|machine\.(?:\w+_processors|disks|combined)$"
)


def mended(refusal: str, config: Config) -> Config | None:
    """The configuration with a value that the simulator's refusal allows, or else without the first parameter of which
    it speaks; None if it has none of them. What says how much a run has to do is not left out."""
    if found := BEYOND.search(refusal):
        path, value, least, most = found.groups()
        return having(config, path, least if amount(value) < amount(least) else most)
    if found := NO_MULTIPLE.search(refusal):
        path, value, unit_of_value, step, unit = found.groups()
        return having(config, path, f"{-(-int(value) // int(step)) * int(step)}{unit_of_value or unit or ''}")
    if found := OTHER_CHOICE.search(refusal):
        return having(config, *found.groups())
    paths = (re.sub(r"\.(place|kind)$", "", path) for path in LEFT_OUT.findall(refusal))
    if less := next((less for path in paths if (less := without(path, config)) is not None), None):
        return less
    return having(config, *found.groups()) if (found := TOO_MANY.search(refusal)) else None


def other_kinds(refusal: str, only: Kinds) -> Kinds:
    """By section: the words, of those in `only`, with the kinds that the refusal allows."""
    if (found := OTHER_KINDS.search(refusal)) is None:
        return {}
    section, words = found[1] or found[2], re.findall(r"[\w-]+", found[3])
    kinds = [word for word in words if word in only.get(section, words)]
    return {section: kinds} if kinds else {}


def amount(text: str) -> float:
    return found.value if (found := quantity(text)) else float(text)


def having(config: Config, path: str, text: str) -> Config:
    """With the value that is written so. A number without a unit is bytes if the parameter was a text."""
    *above, name = path.split(".")
    more = inside = deepcopy(config)
    for each in above:
        inside = inside[int(each)] if isinstance(inside, list) else inside.setdefault(each, {})
    size = text.replace(" bytes", "B").replace(" ", "")
    number = re.fullmatch(r"[\d.]+(?:e[+-]?\d+)?", size)
    inside[name] = size if not number else f"{size}B" if isinstance(inside.get(name), str) else orjson.loads(size)
    return more


def simpler(config: Config) -> Iterator[Config]:
    """Configurations that leave out one thing of this one, the greatest first."""
    found = [(path, each) for path, each in inner(config) if not KEPT.match(path)]
    for path, _ in sorted(found, key=lambda one: -len(str(one[1]))):
        if less := without(path, config):
            yield less


def inner(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any JSON
    """All sections, elements of lists and parameters, by path."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in below:
        here = joined(path, name)
        yield here, each
        yield from inner(each, here)


def without(path: str, config: Config) -> Config | None:
    """None if the configuration does not have it."""
    *above, name = path.split(".")
    less = inside = deepcopy(config)
    for each in above:
        inside = inside[int(each)] if isinstance(inside, list) else inside.get(each, {})
        if not isinstance(inside, dict | list):
            return None
    if isinstance(inside, list):
        del inside[int(name)]
        return less
    return less if inside.pop(name, None) is not None else None
