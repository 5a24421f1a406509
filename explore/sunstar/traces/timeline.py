# SPDX-License-Identifier: MIT
"""When each rank reads and writes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

MARKS = {(False, False): ".", (True, False): "r", (False, True): "w", (True, True): "b"}


@dataclass(frozen=True)
class Row:
    """Neighbouring ranks, and for equal parts of the trace's time whether any of them reads or writes then."""

    first: int
    last: int
    marks: str
    """A mark for each part: r, w, b for both, and a point for neither."""


def timeline(table: pl.DataFrame, rows: int, columns: int) -> list[Row]:
    """Rows of as many ranks each as it takes not to have more than `rows`."""
    ranks: Sequence[int] = table["rank"].unique().sort().to_list()
    together = -(-len(ranks) // rows)
    groups = [ranks[i : i + together] for i in range(0, len(ranks), together)]
    begin, end = spans(table, columns)
    drawn = []
    for group in groups:
        mine = table["rank"].is_between(group[0], group[-1]).to_numpy()
        busy = []
        for op in ("read", "write"):
            chosen = mine & (table["op"] == op).to_numpy()
            change = np.zeros(columns + 1, np.int64)
            np.add.at(change, begin[chosen], 1)
            np.add.at(change, end[chosen] + 1, -1)
            busy.append(change.cumsum()[:columns] > 0)
        marks = "".join(MARKS[bool(read), bool(write)] for read, write in zip(*busy, strict=True))
        drawn.append(Row(group[0], group[-1], marks))
    return drawn


def spans(table: pl.DataFrame, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last part of the trace's time in which each request is under way."""
    start, end = table["start_s"].to_numpy(), table["end_s"].to_numpy()
    origin = start.min()
    width = (end.max() - origin) / columns or 1.0
    parts = [np.minimum(((times - origin) / width).astype(np.int64), columns - 1) for times in (start, end)]
    return parts[0], parts[1]
