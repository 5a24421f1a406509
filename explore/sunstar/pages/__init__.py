# SPDX-License-Identifier: MIT
"""Pages in HTML that need no network: the style that they share, the drawing of a machine, and templates."""

import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent


@cache
def environment() -> "Environment":
    from jinja2 import Environment  # here, so that other commands start without it

    found = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    # A heading may be broken after its dots and underscores.
    found.globals["table"] = table
    found.filters |= {"e": escape, "breakable": lambda text: re.sub(r"(?<=[._])", "<wbr>", escape(text))}
    return found


def filled(template: Path, **values: object) -> str:
    return environment().from_string(template.read_text()).render(values)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]], names: int = 0) -> str:
    """A table in HTML; the first `names` columns are text. Templates call it, too."""
    return filled(HERE / "table.html", headings=headings, rows=rows, names=names).rstrip("\n")


def page(command: str, name: str, title: str, summary: str, body: str, data: object, script: Path, library: str) -> str:
    """A page that `sunstar COMMAND` writes. Its script finds the data in the element NAME-data, and drawMachine()."""
    return filled(
        HERE / "page.html",
        command=command,
        name=name,
        title=title,
        summary=summary,
        style=(HERE / "page.css").read_text().strip(),
        body=body.rstrip("\n"),
        library=f"<script>\n{library}\n</script>\n" if library else "",
        # JSON that may stand within a script.
        data=json.dumps(data, separators=(",", ":"), allow_nan=False).replace("</", "<\\/"),
        script="\n".join(each.read_text().strip() for each in (HERE / "machine.js", script)),
    )
