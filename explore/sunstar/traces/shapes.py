# SPDX-License-Identifier: MIT
"""What the requests of a trace are like: their sizes, how they follow one another, what each rank moves and when. Each
answer is a table."""

from collections.abc import Sequence

import numpy as np
import polars as pl

BOUNDS = {
    "0-100": 100,
    "100-1K": 1 << 10,
    "1K-10K": 10 << 10,
    "10K-100K": 100 << 10,
    "100K-1M": 1 << 20,
    "1M-4M": 4 << 20,
    "4M-10M": 10 << 20,
    "10M-100M": 100 << 20,
    "100M-1G": 1 << 30,
}
"""Name and greatest length of each class of sizes but the last; those of Darshan, so that its reports compare."""
LARGEST = "1G+"
MARKS = np.array([".", "r", "w", "b"])


def sizes(table: pl.DataFrame) -> pl.DataFrame:
    """Reads, writes and bytes of all classes from the smallest to the largest one with a request."""
    lengths, read = table["length"].to_numpy(), (table["op"] == "read").to_numpy()
    places = np.searchsorted(list(BOUNDS.values()), lengths)
    moved = np.zeros(len(BOUNDS) + 1, np.int64)
    np.add.at(moved, places, lengths)
    reads, writes = (np.bincount(places[chosen], minlength=len(moved)) for chosen in (read, ~read))
    found = pl.DataFrame({"name": [*BOUNDS, LARGEST], "reads": reads, "writes": writes, "bytes": moved})
    return found.head(int(places.max()) + 1 if len(places) else 0)


def regularities(table: pl.DataFrame) -> pl.DataFrame:
    """How the requests to each file with each operation follow one another, rank by rank, in order of start time; most
    bytes first. `consecutive` is the share of the requests that begin where the one before ends, of all but each rank's
    first, null if there is no other; `strided` that of those that have the same length, and the same distance, as the
    one before, but are not consecutive."""
    return by_file(marked(table))


def overall(table: pl.DataFrame) -> pl.DataFrame:
    """The same of all files together, by operation."""
    return by_file(marked(table).with_columns(pl.lit(f"all {table['file'].n_unique()} files").alias("file")))


def marked(table: pl.DataFrame) -> pl.DataFrame:
    """The requests, each compared with the one before of its rank to the same file with the same operation."""
    stream = ["file", "op", "rank"]
    step = pl.col("offset") - pl.col("offset").shift().over(stream)
    consecutive = pl.col("offset") == (pl.col("offset") + pl.col("length")).shift().over(stream)
    same = (pl.col("length") == pl.col("length").shift().over(stream)) & (step == step.shift().over(stream))
    strided = (same & ~consecutive).fill_null(False)
    return table.with_columns(consecutive.alias("consecutive"), strided.alias("strided"))


def by_file(requests: pl.DataFrame) -> pl.DataFrame:
    followers = pl.col("consecutive").count()
    counted = requests.group_by(["file", "op"], maintain_order=True).agg(
        pl.len().alias("requests"),
        pl.col("length").sum().alias("bytes"),
        pl.col("rank").n_unique().alias("ranks"),
        pl.col("consecutive").mean(),
        pl.when(followers > 0).then(pl.col("strided").sum() / followers).alias("strided"),
    )
    return counted.sort("bytes", descending=True, maintain_order=True)


def spreads(table: pl.DataFrame) -> pl.DataFrame:
    """How evenly requests and bytes are spread over the ranks with requests, and which rank has most."""
    read, write = pl.col("op") == "read", pl.col("op") == "write"
    moved = {"bytes read": pl.col("length").filter(read), "bytes written": pl.col("length").filter(write)}
    amounts = {"reads": read, "writes": write, **moved}
    by_rank = table.group_by("rank").agg(of.sum().cast(pl.Int64).alias(what) for what, of in amounts.items())
    return (
        by_rank.sort("rank")
        .unpivot(index="rank", variable_name="what", value_name="amount")
        .group_by("what", maintain_order=True)
        .agg(
            pl.col("amount").min().alias("least"),
            pl.col("amount").median().alias("median"),
            pl.col("amount").max().alias("most"),
            pl.col("rank").get(pl.col("amount").arg_max()).alias("most_rank"),
        )
    )


def timeline(table: pl.DataFrame, rows: int, columns: int) -> pl.DataFrame:
    """When ranks read and write: neighbouring ranks, from `first` to `last`, as many together as it takes not to have
    more than `rows`, and a mark for each of `columns` equal parts of the trace's time: r, w, b for both, and a point
    for neither."""
    ranks: Sequence[int] = table["rank"].unique().sort().to_list()
    together = -(-len(ranks) // rows)
    start, end = table["start_s"].to_numpy(), table["end_s"].to_numpy()
    width = (end.max() - start.min()) / columns or 1.0
    first, last = (np.minimum(((of - start.min()) / width).astype(np.int64), columns - 1) for of in (start, end))
    drawn = []
    for group in (ranks[i : i + together] for i in range(0, len(ranks), together)):
        mine = table["rank"].is_between(group[0], group[-1]).to_numpy()
        marks = np.zeros(columns, np.int64)
        for op, bit in (("read", 1), ("write", 2)):
            chosen = mine & (table["op"] == op).to_numpy()
            change = np.zeros(columns + 1, np.int64)
            np.add.at(change, first[chosen], 1)
            np.add.at(change, last[chosen] + 1, -1)
            marks += bit * (change.cumsum()[:columns] > 0)
        drawn.append((group[0], group[-1], "".join(MARKS[marks])))
    return pl.DataFrame(drawn, schema=["first", "last", "marks"], orient="row")
