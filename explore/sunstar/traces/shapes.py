# SPDX-License-Identifier: MIT
"""What the requests of a trace are like: their sizes, how they follow one another, and what each rank moves."""

from dataclasses import dataclass

import numpy as np
import polars as pl

BOUNDS = (
    (100, "0-100"),
    (1 << 10, "100-1K"),
    (10 << 10, "1K-10K"),
    (100 << 10, "10K-100K"),
    (1 << 20, "100K-1M"),
    (4 << 20, "1M-4M"),
    (10 << 20, "4M-10M"),
    (100 << 20, "10M-100M"),
    (1 << 30, "100M-1G"),
)
"""Greatest length and name of each class of sizes; those of Darshan, so that its reports compare."""
LARGEST = "1G+"


@dataclass(frozen=True)
class Size:
    """A class of sizes."""

    name: str
    reads: int
    writes: int
    bytes: int


def sizes(table: pl.DataFrame) -> list[Size]:
    """All classes from the smallest to the largest one with a request."""
    names = [name for _, name in BOUNDS] + [LARGEST]
    places = np.searchsorted([bound for bound, _ in BOUNDS], table["length"].to_numpy())
    counted = table.group_by(pl.Series("size", np.array(names)[places], pl.String)).agg(
        (pl.col("op") == "read").sum().alias("reads"),
        (pl.col("op") == "write").sum().alias("writes"),
        pl.col("length").sum().alias("bytes"),
    )
    found = {row[0]: Size(*row) for row in counted.iter_rows()}
    all_sizes = [found.get(name, Size(name, 0, 0, 0)) for name in names]
    while all_sizes and not all_sizes[-1].reads + all_sizes[-1].writes:
        all_sizes.pop()
    return all_sizes


@dataclass(frozen=True)
class Regularity:
    """How the requests to a file with one operation follow one another, rank by rank, in order of start time."""

    file: str
    op: str
    requests: int
    bytes: int
    ranks: int
    consecutive: float | None
    """Share of the requests that begin where the one before ends, of all but each rank's first; None if there is no
    other."""
    strided: float | None
    """Share of those that have the same length, and the same distance, as the one before, but are not consecutive."""


def regularities(table: pl.DataFrame) -> list[Regularity]:
    """Of each file and operation, most bytes first."""
    return regularities_by(["file", "op"], marked(table))


def overall(table: pl.DataFrame) -> list[Regularity]:
    """The same of all files together, by operation."""
    together = pl.lit(f"all {table['file'].n_unique()} files").alias("file")
    return regularities_by(["file", "op"], marked(table).with_columns(together))


def marked(table: pl.DataFrame) -> pl.DataFrame:
    """The requests with what each is to the one before of its rank, to the same file with the same operation."""
    stream = ["file", "op", "rank"]
    step = pl.col("offset") - pl.col("offset").shift().over(stream)
    consecutive = pl.col("offset") == (pl.col("offset") + pl.col("length")).shift().over(stream)
    same = (pl.col("length") == pl.col("length").shift().over(stream)) & (step == step.shift().over(stream))
    strided = (same & ~consecutive).fill_null(False)
    return table.with_columns(consecutive.alias("consecutive"), strided.alias("strided"))


def regularities_by(keys: list[str], requests: pl.DataFrame) -> list[Regularity]:
    counted = requests.group_by(keys, maintain_order=True).agg(
        pl.len().alias("requests"),
        pl.col("length").sum().alias("bytes"),
        pl.col("rank").n_unique().alias("ranks"),
        pl.col("consecutive").mean(),
        pl.when(pl.col("consecutive").count() > 0)
        .then(pl.col("strided").sum() / pl.col("consecutive").count())
        .alias("strided"),
    )
    ordered = counted.sort("bytes", descending=True, maintain_order=True)
    return [Regularity(**row) for row in ordered.iter_rows(named=True)]


@dataclass(frozen=True)
class Spread:
    """How evenly something is spread over the ranks."""

    what: str
    least: int
    median: float
    most: int
    most_rank: int


def spreads(table: pl.DataFrame) -> list[Spread]:
    """Of the ranks with requests."""
    by_rank = (
        table.group_by("rank")
        .agg(
            *((pl.col("op") == op).sum().alias(f"{op}s") for op in ("read", "write")),
            pl.col("length").filter(pl.col("op") == "read").sum().alias("bytes read"),
            pl.col("length").filter(pl.col("op") == "write").sum().alias("bytes written"),
        )
        .sort("rank")
    )
    found = []
    for what in by_rank.columns[1:]:
        counts = by_rank[what].to_numpy()
        most = int(counts.argmax())
        found.append(
            Spread(what, int(counts.min()), float(np.median(counts)), int(counts[most]), int(by_rank["rank"][most]))
        )
    return found
