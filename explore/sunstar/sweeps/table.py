# SPDX-License-Identifier: MIT
"""The tables of a sweep: a row for each run, for each statistic of each resource, and for each request."""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import polars as pl

from sunstar.runs.run import Run
from sunstar.runs.store import Store
from sunstar.sweeps.columns import column, columns_of, figures, parameter, units, with_unit
from sunstar.sweeps.points import Row


def runs_table(rows: Sequence[Row], runs: Sequence[Run], store: Store) -> pl.DataFrame:
    """The run's number, its parameters, how it ended, and all figures of its result; those of a run that failed are
    null."""
    known = store.figures(run.identity for run in runs if run.done)
    found = {identity: figures(orjson.loads(text)) for identity, text in known}
    measured: list[dict[str, Any]] = [found.get(run.identity, {}) for run in runs]
    unit_of = units(rows[0].point.platform) if rows else {}
    values = [row.values for row in rows]
    return pl.DataFrame(
        [
            column("run", range(len(rows))),
            *(parameter(path, [each.get(path) for each in values]) for path in columns_of(values)),
            column("exit_code", [run.exit_code for run in runs]),
            column("message", [run.message for run in runs]),
            column("identity", [run.identity for run in runs]),
            *(
                column(with_unit(path, unit_of.get(path)), [each.get(path) for each in measured])
                for path in columns_of(measured)
            ),
        ]
    )


BATCH = 200
"""Runs whose statistics are in memory at a time."""
RESOURCES = {
    "run": pl.Int64,
    "resource": pl.Categorical,
    "statistic": pl.Categorical,
    "value": pl.Float64,
    "unit": pl.Categorical,
}


def resources_table(identities: Sequence[str], store: Store) -> pl.DataFrame:
    """Every statistic of every run: machine.iop0_scsi0.disk0 is the resource, heads_utilisation the statistic."""
    numbers = numbers_of(identities)
    parts = [pl.DataFrame(schema=RESOURCES)]
    for some in batches(list(numbers)):
        rows = [
            (number, *name.rpartition(".")[::2], each["value"], each["unit"])
            for identity, outcome in store.outcomes(some)
            if outcome.done
            for name, each in orjson.loads(outcome.document)["statistics"].items()
            for number in numbers[identity]
        ]
        parts.append(pl.DataFrame(rows, schema=RESOURCES, orient="row"))
    return pl.concat(parts).sort("run", maintain_order=True)


def requests_table(identities: Sequence[str], store: Store) -> pl.DataFrame:
    """Every request of every run that has kept them: the columns of the platform's records, after the run."""
    numbers = numbers_of(identities)
    parts = [pl.DataFrame(schema={"run": pl.Int64})]
    for some in batches(list(numbers)):
        for identity, outcome in store.outcomes(some):
            if outcome.records is not None:
                kept = pl.read_csv(outcome.records, infer_schema_length=None)
                parts += [kept.select(pl.lit(number, pl.Int64).alias("run"), pl.all()) for number in numbers[identity]]
    return pl.concat(parts, how="diagonal_relaxed").sort("run", maintain_order=True)


def numbers_of(identities: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the runs with this identity; several points may be the same run."""
    numbers: dict[str, list[int]] = {}
    for number, identity in enumerate(identities):
        if identity:
            numbers.setdefault(identity, []).append(number)
    return numbers


def batches(identities: Sequence[str]) -> Iterator[Sequence[str]]:
    return (identities[start : start + BATCH] for start in range(0, len(identities), BATCH))
