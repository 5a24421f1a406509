# SPDX-License-Identifier: MIT
"""A change of a configuration, and the changes of single parameters that their owners declare: the simulator's schema
says what a parameter is to a designer (`tuning`), which values it may have, and which stages of a run it speeds up."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sunstar.configurations import joined, leaves
from sunstar.explaining import Stage
from sunstar.quantities import BASES, Quantity, quantity
from sunstar.runs.simulator import Value

Json = Mapping[str, Any]
Kind = Literal["setting", "part"]  # A setting costs nothing, a part is other or more hardware
BACK = 0.5  # Putting back the values of the preset, or of the other drives
OTHER_KIND = 5.0  # Another file system, another store: other software, files written anew


@dataclass(frozen=True, eq=False)
class Change:
    path: str  # The changed parameter, or part of the machine
    was: str
    to: str
    settings: Mapping[str, Value]  # As --set takes them
    kind: Kind
    added: float = 0.0  # How much hardware a part adds, as a share of all parts of its kind; 1 if it doubles them
    stages: Sequence[str] = ()  # The stages of the critical path that it shortens `factor` times; none if not known
    factor: float = 2.0
    work: float = 1.0  # As many times that of another value: BACK or OTHER_KIND
    values: int = 1  # How many values of the configuration it changes

    def __str__(self) -> str:
        return f"{self.path}: {self.was} -> {self.to}"

    def at_most(self, path: Sequence[Stage]) -> float | None:
        """The bound of its gain by this critical path, if it also saved all waiting; None if unknown."""
        if not self.stages:
            return None
        left = (each.share * (1 / self.factor if each.stage in self.stages else not each.waits) for each in path)
        rest = sum(left)
        return 1 / rest if rest > 0 else None


@dataclass(frozen=True)
class Parameter:
    path: str
    value: Any  # Any JSON
    schema: Json
    tuning: str

    @property
    def is_rate(self) -> bool:
        found = quantity(self.value)
        return found is not None and found.base in ("B/s", "Hz")

    @property
    def is_kind(self) -> bool:
        return self.path.endswith(".kind")

    def alternatives(self) -> list[Value]:
        """Its other values, as far as they have names, or half and twice its number."""
        if "enum" in self.schema or isinstance(self.value, bool):
            return [each for each in self.schema.get("enum", (True, False)) if each != self.value]
        number = isinstance(self.value, int | float) or quantity(self.value)
        return [times(self.value, factor) for factor in (2, 0.5)] if number else []


def times(value: Any, factor: float) -> Value:  # noqa: ANN401  a number or a quantity
    """A number or a quantity times `factor`, in the unit that people would use."""
    found = quantity(value)
    if found is None:
        return int(value * factor) if isinstance(value, int) else float(value * factor)
    large, own = found.value * factor, BASES[found.base][value.lstrip("0123456789. ")]
    units = [(size, unit) for unit, size in BASES[found.base].items() if ("i" in unit) == ("i" in value)]
    for size, unit in sorted(units, reverse=True):
        text = f"{large / size:.6g}{unit}"
        same = quantity(text) == Quantity(large, found.base)
        if same and large >= size and (size <= own or large % size == 0):
            return text
    return str(Quantity(large, found.base))


def parameters(schema: Json, config: Json, path: str = "", tuning: str = "") -> Iterator[Parameter]:
    """The parameters of a configuration that a designer may change, with sections of the catalogue."""
    section = next((each for each in choices(schema) if "properties" in each), schema)
    known = dict(section.get("properties", {}))
    for case in section.get("allOf", ()):
        [(tag, wanted)] = case["if"]["properties"].items()
        if config.get(tag, known[tag].get("default")) == wanted["const"]:
            known |= case["then"]["properties"]
    for name, value in config.items():
        inner, here = known.get(name, {}), joined(path, name)
        how = inner.get("tuning", tuning)
        if not inner or how == "fixed":
            continue
        if not isinstance(value, Mapping):
            yield Parameter(here, value, inner, how)
            continue
        if names_of_catalogue(inner):
            yield Parameter(here, value, inner, "catalogue")
        yield from parameters(inner, value, here, how)


def choices(schema: Json) -> list[Json]:
    """The allowed forms of a value: an object or the name of one, or nothing."""
    return [each for part in schema["anyOf"] for each in choices(part)] if "anyOf" in schema else [schema]


def names_of_catalogue(schema: Json) -> list[str]:
    return [name for each in choices(schema) for name in each.get("examples", ())]


def in_words(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else value if isinstance(value, str) else json.dumps(value)


def changes_of(found: Sequence[Parameter], references: Sequence[Json]) -> Iterator[Change]:
    """The changes of single parameters: to a reference's values, to other values, and rates of hardware doubled."""
    before = [dict(leaves(each)) for each in references]
    replaced_whole = tuple(f"{each.path}." for each in found if each.tuning == "catalogue")
    for each in found:
        usual = [known[each.path] for known in before if each.path in known]
        for i, value in enumerate(usual):
            new = each.tuning != "catalogue" and value not in (each.value, *usual[:i])
            if new and not worsens(each, value):
                yield change(each, value, 0.0, work=BACK)
        others = [value for value in each.alternatives() if value not in (each.value, *usual)]
        if each.tuning in ("setting", "part"):
            for value in others:
                yield change(each, value, 1.0, work=OTHER_KIND if each.is_kind else 1.0)
        elif each.is_rate and "speeds_up" in each.schema and not each.path.startswith(replaced_whole):
            yield change(each, times(each.value, 2), 1.0, each.schema["speeds_up"])


def change(each: Parameter, value: Value, added: float, stages: Sequence[str] = (), work: float = 1.0) -> Change:
    kind: Kind = "setting" if each.tuning == "setting" else "part"
    more = 0.0 if kind == "setting" else added
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return Change(each.path, in_words(each.value), in_words(value), {each.path: value}, kind, more, stages, work=work)


def worsens(each: Parameter, usual: Any) -> bool:  # noqa: ANN401  any JSON
    """Whether the reference has slower hardware."""
    was, back = quantity(each.value), quantity(usual)
    if "speeds_up" not in each.schema or not was or not back:
        return False
    return back.value < was.value if each.is_rate else back.value > was.value
