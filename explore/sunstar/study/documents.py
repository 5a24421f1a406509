# SPDX-License-Identifier: MIT
"""Put the figures that a command prints into a document: a JSON file of single figures that pages quote, by names of
their own; each names its table and its cell there."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from sunstar.console import Printed
from sunstar.errors import FileError
from sunstar.files import Outputs, reading, taking_apart, write_text

Tables = Mapping[str, Sequence[Printed]]  # By the names of experiments


def check(files: Outputs, document: Path, names: Collection[str]) -> None:
    """Raises FileError if the document has no figure of these experiments, or cannot be read or written."""
    with reading(document), taking_apart(f"--document {document}: it is no file of quoted figures"):
        figures = json.loads(document.read_text()).values()
        wanted = {figure["experiment"] for figure in figures if figure["table"] + figure["row"] + figure["column"]}
    if not wanted & set(names):
        raise FileError(f"--document {document}: it names no figure of {', '.join(names)}")
    files.temporary(document)


def quote(files: Outputs, document: Path, tables: Tables) -> str:
    """Writes the figures that a document names, as these tables print them: by table, column, and row, whose names are
    joined by blanks. Figures of other tables stay as they are. Returns the number of renewed ones, in words."""
    quoted = json.loads(document.read_text())
    cells = {
        (name, printed.title, " ".join(row[: printed.names]), heading): cell
        for name, several in tables.items()
        for printed in several
        for row in printed.rows
        for heading, cell in zip(printed.headings, row, strict=True)
    }
    renewed = 0
    for figure in quoted.values():
        value = cells.get((figure["experiment"], figure["table"], figure["row"], figure["column"]))
        if value is not None:
            figure["value"] = value.strip()
            renewed += 1
    lines = (f" {as_line(name)}: {as_line(figure)}" for name, figure in quoted.items())
    write_text(files, document, "{\n" + ",\n".join(lines) + "\n}\n")
    return f"{renewed} of {len(quoted)} figures renewed"


def as_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
