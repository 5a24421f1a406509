# SPDX-License-Identifier: MIT
"""Put what a command prints into a Markdown document.

A block stands between the lines `<!-- printed: NAME -->` and `<!-- end of printed -->`.
"""

import io
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from rich.console import Console

from sunstar.errors import FileError
from sunstar.files import Outputs, write_text
from sunstar.study.tables import WIDTH

BLOCK = re.compile(r"(<!-- printed: (.+?) -->\n).*?(<!-- end of printed -->)", re.DOTALL)


def as_text(print_on: Callable[[Console], None]) -> str:
    """The text printed without a terminal, with no blanks at the ends of lines."""
    text = io.StringIO()
    print_on(Console(file=text, width=WIDTH, highlight=False))
    return "\n".join(line.rstrip() for line in text.getvalue().strip("\n").split("\n"))


def check(files: Outputs, document: Path, names: Collection[str]) -> None:
    """Raises FileError if the document has no place for any block of these names, or cannot be read or written."""
    try:
        text = document.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"--document {document}: cannot be read: {error}") from error
    if not {found[2] for found in BLOCK.finditer(text)} & set(names):
        raise FileError(
            f"--document {document}: it has no lines <!-- printed: NAME --> and <!-- end of printed --> with a NAME "
            f"of {', '.join(names)}"
        )
    files.temporary(document)


def put(files: Outputs, document: Path, blocks: Mapping[str, str]) -> None:
    """Writes the blocks for which the document has a place."""
    new = BLOCK.sub(
        lambda found: f"{found[1]}```text\n{blocks[found[2]]}\n```\n{found[3]}" if found[2] in blocks else found[0],
        document.read_text(),
    )
    write_text(files, document, new)
