# SPDX-License-Identifier: MIT
"""Put what a command prints into a document.

A Markdown document gets whole tables, between the lines `<!-- printed: NAME -->` and `<!-- end of printed -->`. A JSON
document holds single figures that pages quote, by names of their own: each says in which cell of which table it stands.
"""

import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from sunstar.console import WIDTH, Printed
from sunstar.errors import FileError
from sunstar.files import Outputs, write_text

BLOCK = re.compile(r"(<!-- printed: (.+?) -->\n).*?(<!-- end of printed -->)", re.DOTALL)


def as_text(print_on: Callable[[Console], None]) -> str:
    """The text printed without a terminal, with no blanks at the ends of lines."""
    text = io.StringIO()
    print_on(Console(file=text, width=WIDTH, highlight=False))
    return "\n".join(line.rstrip() for line in text.getvalue().strip("\n").split("\n"))


Tables = Mapping[str, Sequence[Printed]]
"""By the names of experiments."""


def check(files: Outputs, document: Path, names: Collection[str]) -> None:
    """Raises FileError if the document has no place for any block of these names, or cannot be read or written."""
    try:
        text = document.read_text()
        quoted = json.loads(text) if document.suffix == ".json" else {}
    except (OSError, ValueError) as error:
        raise FileError(f"--document {document}: cannot be read: {error}") from error
    wanted = {figure["experiment"] for figure in quoted.values()} | {found[2] for found in BLOCK.finditer(text)}
    if not wanted & set(names):
        raise FileError(
            f"--document {document}: it has no lines <!-- printed: NAME --> and <!-- end of printed --> with a NAME "
            f"of {', '.join(names)}, and is no .json file that names a figure of these"
        )
    files.temporary(document)


def quote(files: Outputs, document: Path, tables: Tables) -> str:
    """Writes the figures that a JSON document names, as these tables print them; those that they do not have stay as
    they are. Returns how many were renewed, in words."""
    quoted = json.loads(document.read_text())
    renewed = 0
    for figure in quoted.values():
        value = cell(tables.get(figure["experiment"], ()), figure["table"], figure["row"], figure["column"])
        if value is not None:
            figure["value"] = value.strip()
            renewed += 1
    lines = (f" {as_line(name)}: {as_line(figure)}" for name, figure in quoted.items())
    write_text(files, document, "{\n" + ",\n".join(lines) + "\n}\n")
    return f"{renewed} of {len(quoted)} figures renewed"


def as_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def cell(tables: Iterable[Printed], title: str, row: str, column: str) -> str | None:
    """The cell in this column and row, whose names are joined by blanks."""
    for printed in tables:
        if printed.title == title and column in printed.headings:
            for cells in printed.rows:
                if " ".join(cells[: printed.names]) == row:
                    return cells[list(printed.headings).index(column)]
    return None


def put(files: Outputs, document: Path, blocks: Mapping[str, str]) -> None:
    """Writes the blocks for which the document has a place."""
    new = BLOCK.sub(
        lambda found: f"{found[1]}```text\n{blocks[found[2]]}\n```\n{found[3]}" if found[2] in blocks else found[0],
        document.read_text(),
    )
    write_text(files, document, new)
