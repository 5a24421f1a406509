# SPDX-License-Identifier: MIT
"""The points of a sweep."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from sunstar.errors import FileError
from sunstar.runs.point import Point, Value
from sunstar.sweeps.spec import Parameters, Sample, Spec, Steps


@dataclass(frozen=True)
class Row:
    """A point of a sweep, and what varies at it."""

    values: dict[str, Value]
    point: Point


def rows_of(spec: Spec, folder: Path, requests: bool = False) -> list[Row]:
    """The points in the order of the specification: the last parameter varies first. Paths of files are relative to
    `folder`. With `requests`, each run keeps its own."""
    config, shared = base(spec.config, folder)
    seeds: list[int] | list[None] = spec.repetitions.seeds or [None]
    rows = []
    for values in combinations(spec.parameters):
        for seed in seeds:
            point = Point({**shared, **values}, config, spec.platform, seed, spec.repetitions.trials, folder, requests)
            rows.append(Row(values if seed is None else {**values, "run.seed": seed}, point))
    return rows


def combinations(parameters: Parameters) -> Iterator[dict[str, Value]]:
    axes = [
        [(path, value) for value in (axis.values() if isinstance(axis, Steps) else axis)]
        for path, axis in parameters.grid.items()
    ]
    spread = list(samples(parameters.sample)) if parameters.sample else [{}]
    for row, grid, sample in product(parameters.rows or [{}], list(product(*axes)), spread):
        yield {**row, **dict(grid), **sample}


def samples(sample: Sample) -> Iterator[dict[str, Value]]:
    """Points spread over a space of parameters."""
    from scipy.stats import qmc  # here, because it takes most of a second and only samples need it

    dimensions = len(sample.parameters)
    engine = {"latin-hypercube": qmc.LatinHypercube, "sobol": qmc.Sobol}[sample.method](dimensions, rng=sample.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a power of two of points would be better balanced
        shares = engine.random(sample.points)
    for row in shares.tolist():
        yield {path: of.at(share) for (path, of), share in zip(sample.parameters.items(), row, strict=True)}


def base(config: str | dict[str, Any], folder: Path) -> tuple[Path | None, dict[str, Value]]:
    """What all points share: the file, if there is one, and the sections of a configuration in the specification."""
    if isinstance(config, str):
        file = folder / config
        if not file.is_file():
            raise FileError(f"config is {config}, but there is no file {file}")
        return file.resolve(), {}
    return None, {key: value for key, value in config.items() if key not in ("schema", "$schema")}
