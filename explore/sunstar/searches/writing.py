# SPDX-License-Identifier: MIT
"""The files of a search."""

from pathlib import Path

from sunstar.files import Outputs, write_table
from sunstar.searches.pictures import draw_front
from sunstar.searches.search import Judged, Wanted
from sunstar.sweeps.sweep import RUNS


def write(files: Outputs, folder: Path, wanted: Wanted, found: Judged) -> None:
    write_table(files, folder / RUNS, found.table)
    for suffix in (".csv", ".parquet"):
        write_table(files, folder / f"front{suffix}", found.best)
    draw_front(files, folder / "front.png", wanted.name, wanted.spec, found.table)
