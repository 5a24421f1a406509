# SPDX-License-Identifier: MIT
"""sunstar import maps: lists of pieces from decomposition maps, which give the elements of an array in a file that each
process of an application holds.

PIO, the I/O library of the climate model E3SM, writes them as text (piodecomp*.dat); E3SM-IO, its I/O benchmark,
gathers several in a NetCDF file (map_*.nc).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import polars as pl
import typer

from sunstar.console import console
from sunstar.errors import FileError, UsageError, check_suffix
from sunstar.files import Outputs, read_text, reading, write_table

Numbers = np.ndarray[tuple[int], np.dtype[np.int64]]
RUNS = dict.fromkeys(("processor", "begin", "length"), pl.Int64)


def import_maps(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...")],
    output: Annotated[Path, typer.Option(metavar="LIST.csv")],
    element_size: Annotated[int, typer.Option(min=1, max=1 << 20)] = 8,
    variable: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None,
) -> None:
    check_suffix(output, [".csv"])
    maps = [of for path in files for of in read_maps(path, variable or [])]
    table = pieces(maps, element_size)
    if not len(table):
        raise FileError(f"{', '.join(map(str, files))}: no process holds an element; at least one must")
    with Outputs(files) as outputs:
        write_table(outputs, output, table)
    console().print(
        f"written: {output}, {len(table)} pieces of {table['processor'].n_unique()} processors in a file of "
        f"{sum(of.elements for of in maps) * element_size} bytes",
        soft_wrap=True,
    )


@dataclass(frozen=True)
class Decomposition:
    """The elements of one array, counted from 0, that each process holds."""

    elements: int  # Of the whole array
    runs: pl.DataFrame  # Of neighbours, in any order: their processor, where each begins, and its length


def read_maps(path: Path, variables: Sequence[str] = ()) -> list[Decomposition]:
    """The decompositions of a file: all, or those of a NetCDF file with these names."""
    with reading(path), path.open("rb") as file:
        head = file.read(8)
    if head.startswith((b"CDF", b"\x89HDF")):
        return read_netcdf(path, variables)
    if not head.startswith(b"version "):
        wanted = "a NetCDF file or a text that begins with the word version"
        raise FileError(f"{path} is no decomposition map; it must be {wanted}")
    if variables:
        raise UsageError(f"{path} is a text with one map, which has no name; --variable is for NetCDF files only")
    return [read_pio(path)]


def read_pio(path: Path) -> Decomposition:
    """PIO's text: `version 2001 npes P ndims D`, the D sizes of the array, and for each process its number, the number
    of its elements in memory and, for each, its number in the file counted from 1, or 0 if it is in no file. The rest
    is ignored: PIO adds the stack of its caller."""
    text = read_text(path)
    head = re.match(r"version 2001 npes (\d{1,9}) ndims (\d{1,9})\s", text)
    if not head:
        raise FileError(f"{path} begins with {text[:40]!r}; it must begin with version 2001 npes P ndims D")
    words = iter(text[head.end() :].split())

    def number(what: str, least: int, most: int) -> int:
        word = next(words, "")
        if not (word.isdecimal() and len(word) < 20 and least <= int(word) <= most):
            found = repr(word) if word else "missing"
            raise FileError(f"{path}: {what} is {found}; it must be a whole number from {least} to {most}")
        return int(word)

    many = 1 << 40
    elements = prod(number("a size of the array", 1, many) for _ in range(int(head[2])))
    if elements > many:
        raise FileError(f"{path}: the array has {elements} elements; it may have at most {many}")
    runs: list[tuple[int, int, int]] = []
    for process in range(int(head[1])):
        number(f"the number of process {process}", process, process)
        count = number(f"the count of process {process}", 0, many)
        held = (number(f"an element of process {process}", 0, elements) for _ in range(count))
        runs += [(process, element - 1, 1) for element in held if element > 0]
    return Decomposition(elements, pl.DataFrame(runs, RUNS, orient="row"))


def read_netcdf(path: Path, variables: Sequence[str] = ()) -> list[Decomposition]:
    """Decompositions D1, D2, ...: D1.nreqs and D1.fill_starts have a value for each process, D1.offsets and D1.lengths
    one for each run of elements, process by process; the attribute D1.dims holds the sizes of the array. Runs of a
    process from its fill_starts on are elements that no process holds: they are left out."""
    import netCDF4  # here, so that other commands start without it

    try:
        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            names = (name.removesuffix(".nreqs") for name in file.variables if name.endswith(".nreqs"))
            found = sorted(names, key=lambda name: (len(name), name))
            if not found:
                raise FileError(f"{path} holds no decomposition: it must have variables such as D1.nreqs")
            for name in variables:
                if name not in found:
                    raise UsageError(f"--variable {name}: {path} has {', '.join(found)}")
            return [decomposition(path, file, name) for name in variables or found]
    except (OSError, RuntimeError) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def decomposition(path: Path, file: Any, name: str) -> Decomposition:  # noqa: ANN401  the library names no type
    def values(part: str) -> Numbers:
        if f"{name}.{part}" not in file.variables:
            raise FileError(f"{path} has no variable {name}.{part}, which goes with {name}.nreqs")
        read: Numbers = np.asarray(file.variables[f"{name}.{part}"][:])
        if read.ndim != 1 or read.dtype.kind not in "iu":
            raise FileError(f"{path}: {name}.{part} is no list of whole numbers")
        return read.astype(np.int64)

    if f"{name}.dims" not in file.ncattrs():
        raise FileError(f"{path} has no attribute {name}.dims, the sizes of the array")
    elements = prod(int(size) for size in np.atleast_1d(file.getncattr(f"{name}.dims")))
    counts, held, offsets, lengths = (values(part) for part in ("nreqs", "fill_starts", "offsets", "lengths"))
    if len(held) != len(counts) or (counts < 0).any() or (held < 0).any() or (held > counts).any():
        raise FileError(f"{path}: {name}.fill_starts must have a value from 0 to {name}.nreqs for each process")
    if not int(counts.sum()) == len(offsets) == len(lengths):
        raise FileError(
            f"{path}: {name}.offsets has {len(offsets)} values and {name}.lengths {len(lengths)}; both must have "
            f"{int(counts.sum())}, the sum of {name}.nreqs"
        )
    wrong = np.flatnonzero((offsets < 0) | (lengths < 1) | (lengths > elements - offsets))
    if len(wrong):
        at = wrong[0]
        raise FileError(
            f"{path}: run {at} of {name} has {lengths[at]} elements from {offsets[at]} on; it must have at least one, "
            f"and lie within the {elements} of the array"
        )
    processor = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(offsets)) - (counts.cumsum() - counts)[processor]  # among the runs of its process
    runs = pl.DataFrame([processor, offsets, lengths], RUNS)
    return Decomposition(elements, runs.filter(place < held[processor]))


def pieces(maps: Sequence[Decomposition], element_bytes: int) -> pl.DataFrame:
    """The list of pieces that the workload `subset` reads. The arrays lie one behind the other in one file; runs of a
    process that touch or overlap there are one piece."""
    bases = accumulate((of.elements for of in maps), initial=0)
    runs = pl.concat(of.runs.with_columns(pl.col("begin") + base) for base, of in zip(bases, maps, strict=False))
    end = pl.col("begin") + pl.col("length")
    apart = pl.col("begin") > end.cum_max().shift().over("processor")
    begin, length = pl.col("begin").min(), end.max() - pl.col("begin").min()
    return (
        runs.sort("processor", "begin")
        .group_by("processor", apart.fill_null(True).cum_sum().alias("piece"), maintain_order=True)
        .agg((begin * element_bytes).alias("offset"), (length * element_bytes).alias("length"))
        .drop("piece")
    )
