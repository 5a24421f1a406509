# SPDX-License-Identifier: MIT
"""Throughput against record size, drawn from a sweep. Call it with: python explore/examples/disks.py"""

import sys
from pathlib import Path

import polars as pl

from sunstar import draw, sweep

SIZE, THROUGHPUT = "workload.record_size [B]", "result.throughput.mib_per_s"


def main() -> None:
    found = sweep(Path(__file__).parent / "disks.json")
    frame = found.frame()
    best = frame.group_by("file_system.kind").agg(pl.col(THROUGHPUT).max()).sort("file_system.kind")
    for kind, mib_per_s in best.iter_rows():
        print(f"{kind}: at most {mib_per_s:.2f} MiB/s")
    picture = Path(sys.argv[1] if len(sys.argv) > 1 else found.folder / "disks.png")
    draw(frame, x=SIZE, y=THROUGHPUT, by=["file_system.kind", "machine.disks"], path=picture)


if __name__ == "__main__":
    main()
