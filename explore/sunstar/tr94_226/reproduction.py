# SPDX-License-Identifier: MIT
"""Throughput beside what was published, and how far apart they are."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import polars as pl

from sunstar.run import Result
from sunstar.tr94_226.rows import Row

SLOW_MIB_PER_S = 12.0
"""Contiguous traditional caching that is published as slower than this discriminates between models."""


def comparison(rows: Sequence[Row], results: Sequence[Result], published: Mapping[Row, float]) -> pl.DataFrame:
    """A line for each row; published_mib_per_s and error are null where nothing is published."""
    lines = []
    for row, result in zip(rows, results, strict=True):
        reference = published.get(row)
        lines.append(
            {
                **asdict(row),
                "mib_per_s": result.mib_per_s,
                "coefficient_of_variation": result.coefficient_of_variation,
                "trials": list(result.trials),
                "published_mib_per_s": reference,
                "error": None if reference is None else result.mib_per_s / reference - 1,
                "discriminates": discriminates(row, reference),
                "medium_mib_per_s": result.medium_mib_per_s,
                "messages": result.messages,
                "verified": result.verified,
                "host_s": result.host_s,
            }
        )
    return pl.DataFrame(lines, schema_overrides={"published_mib_per_s": pl.Float64, "error": pl.Float64})


def discriminates(row: Row, reference: float | None) -> bool:
    """Whether a row depends on the software's mechanisms more than on the disks: contiguous traditional caching below
    12 MiB/s, and all 8-byte rows whose last letter is c."""
    if reference is None:
        return False
    slow = row.layout == "contiguous" and row.method == "tc" and reference < SLOW_MIB_PER_S
    return slow or (row.record_bytes == 8 and row.pattern.endswith("c"))


@dataclass(frozen=True)
class Summary:
    """Errors as fractions of the published values; None where there are no rows."""

    rows: int
    published_rows: int
    mean_absolute_error: float | None
    worst_row: str | None
    worst_error: float | None
    discriminating_rows: int
    discriminating_mean_absolute_error: float | None


def summarise(table: pl.DataFrame) -> Summary:
    compared = table.filter(pl.col("error").is_not_null())
    hard = compared.filter(pl.col("discriminates"))
    worst = compared.sort(pl.col("error").abs(), descending=True).head(1).to_dicts()
    row = Row(*(worst[0][name] for name in ("layout", "record_bytes", "pattern", "method"))) if worst else None
    return Summary(
        rows=table.height,
        published_rows=compared.height,
        mean_absolute_error=compared["error"].abs().mean() if worst else None,
        worst_row=str(row) if row else None,
        worst_error=worst[0]["error"] if worst else None,
        discriminating_rows=hard.height,
        discriminating_mean_absolute_error=hard["error"].abs().mean() if hard.height else None,
    )
