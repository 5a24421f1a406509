# SPDX-License-Identifier: MIT
"""The curves of a figure, as the report draws them."""

from collections.abc import Mapping

from sunstar.errors import UnmeasuredError
from sunstar.papers.tr94_226.cases import SWEEPS, copies
from sunstar.study.cases import Curve, Found, Key

Curves = Mapping[Key, Curve]
"""Throughput in MiB/s by line and x; for `ra`, that of each copy."""


def a_copy(figure: int, found: Found, key: Key) -> float:
    """Throughput in MiB/s; the report divides that of `ra` by the number of CPs."""
    return found.mib(key) / copies(SWEEPS[figure].set_x(int(key.x)), key)


def curves(figure: int, found: Found) -> Curves:
    values: dict[Key, dict[int, float]] = {}
    for key in found.results:
        values.setdefault(key._replace(x=""), {})[int(key.x)] = a_copy(figure, found, key)
    return {line: Curve(str(line), points) for line, points in values.items()}


def of_method(curves: Curves, method: str) -> dict[Key, Curve]:
    return {line: curve for line, curve in curves.items() if line.method == method}


def of(curves: Curves, method: str, pattern: str) -> Curve:
    """The curve of a method and pattern."""
    for line, curve in curves.items():
        if (line.method, line.pattern) == (method, pattern):
            return curve
    raise UnmeasuredError(f"{pattern} {method} was not measured")
