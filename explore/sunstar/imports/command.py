# SPDX-License-Identifier: MIT
"""sunstar import maps"""

from pathlib import Path
from typing import Annotated

import typer

from sunstar.commands import told_in_sentences
from sunstar.errors import FileError, UsageError
from sunstar.files import Outputs, write_table
from sunstar.imports.maps import pieces, read_maps
from sunstar.study.tables import console

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Maps: NetCDF files, or texts that PIO writes.")]
OutputOption = Annotated[Path, typer.Option("--output", metavar="LIST.csv", help="The list of pieces to write.")]
ElementOption = Annotated[int, typer.Option("--element-size", min=1, max=1 << 20, help="Bytes of an element.")]
VariableOption = Annotated[
    list[str] | None,
    typer.Option("--variable", metavar="NAME", help="Only this decomposition of a NetCDF file, as D2; repeatable."),
]


def import_maps(
    files: Files, output: OutputOption, element_size: ElementOption = 8, variable: VariableOption = None
) -> None:
    """Make a list of pieces for the workload `subset` from decomposition maps.

    A map says which elements of an array each process of an application holds. Several maps are arrays that lie one
    behind the other in one file. Elements of a process that are neighbours in the file become one piece.

    Example: sunstar import maps map_f_case_16p.nc --variable D3 --output list.csv
    """
    with told_in_sentences():
        if output.suffix != ".csv":
            raise UsageError(f"--output {output}: its name must end in .csv")
        maps = [of for path in files for of in read_maps(path, variable or [])]
        table = pieces(maps, element_size)
        if not len(table):
            raise FileError(f"{', '.join(map(str, files))}: no process holds an element; at least one must")
        with Outputs() as outputs:
            write_table(outputs, output, table)
            outputs.commit()
    console().print(
        f"written: {output}, {len(table)} pieces of {table['processor'].n_unique()} processors in a file of "
        f"{sum(of.elements for of in maps) * element_size} bytes",
        soft_wrap=True,
    )
