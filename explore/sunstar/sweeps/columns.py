# SPDX-License-Identifier: MIT
"""The columns of the table of runs. A column's name ends in its unit, as in "workload.record_size [B]", unless its own
last word is the unit, as in result.elapsed_s."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import polars as pl

from sunstar.errors import RunError
from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.quantities import quantity
from sunstar.runs.simulator import SECTIONS

SPELT = {"B": ("bytes",), "s": ("s", "seconds"), "%": ("percent",), "MiB/s": ("mib_per_s",)}
"""Units and the last words of keys that name them; other units are their own word, as in p50_cycles."""


def with_unit(name: str, unit: str | None) -> str:
    if not unit or unit == "1":
        return name
    last = name.rpartition(".")[2]
    named = any(last == word or last.endswith(f"_{word}") for word in SPELT.get(unit, (unit,)))
    return name if named else f"{name} [{unit}]"


def parameter(path: str, values: Sequence[Any]) -> pl.Series:
    """A column of what a sweep sets. Quantities become numbers in their base unit; lists and objects become JSON."""
    quantities = [None if value is None else quantity(value) for value in values]
    bases = {found.base for found in quantities if found}
    known = all(found is not None or value is None for found, value in zip(quantities, values, strict=True))
    if known and len(bases) == 1:
        unit = bases.pop()
        numbers = [None if found is None else found.value for found in quantities]
        whole = unit == "B" and all(number is None or number == int(number) for number in numbers)
        cells = [None if number is None else int(number) if whole else number for number in numbers]
        return pl.Series(with_unit(path, unit), cells, pl.Int64 if whole else pl.Float64)
    return column(path, values)


def column(name: str, values: Sequence[Any]) -> pl.Series:
    """Values as they are: numbers as numbers, if all are; JSON if they are of several kinds."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return pl.Series(name, values, pl.Float64 if float in kinds else pl.Int64, strict=False)
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    text = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pl.Series(name, text, pl.String)


def figures(sections: Mapping[str, Any]) -> dict[str, Any]:
    """The figures in these sections of a result file by their paths; lists, such as that of warnings, are left out."""
    return {
        path: value
        for section, inside in sections.items()
        for path, value in leaves(inside, section)
        if not isinstance(value, list)
    }


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any JSON
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, f"{path}.{name}")
    else:
        yield path, value


@cache
def units(platform: str) -> Mapping[str, str]:
    """The unit of each figure of a platform that has one, by path, as its own description of results says."""
    done = run_program([str(executable(platform)), "--result-schema"])
    if done.returncode != 0:
        raise RunError(f"{done.stderr}\n(sunstar-{platform} --result-schema ended badly)", done.returncode)
    schema = json.loads(done.stdout)
    return {path: unit for section in SECTIONS for path, unit in described(schema["properties"][section], section)}


def described(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    if "unit" in schema:
        yield path, schema["unit"]
    for name, inner in schema.get("properties", {}).items():
        yield from described(inner, f"{path}.{name}")


def columns_of(rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """The keys of all rows, in the order in which they first come."""
    return dict.fromkeys(name for row in rows for name in row)
