# SPDX-License-Identifier: MIT
"""Pages in HTML that need no network: the style that they share, the drawing of a machine, and templates."""

import json
from html import escape
from pathlib import Path

HERE = Path(__file__).parent


def page(command: str, name: str, title: str, summary: str, body: str, data: object, script: Path, library: str) -> str:
    """A page that `sunstar COMMAND` writes. Its script finds the data in the element NAME-data, and drawMachine()."""
    parts = {
        "command": command,
        "name": name,
        "title": escape(title),
        "summary": escape(summary),
        "style": (HERE / "page.css").read_text().strip(),
        "body": body,
        "library": f"<script>\n{library}\n</script>\n" if library else "",
        # JSON that may stand within a script.
        "data": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("</", "<\\/"),
        "script": "\n".join(each.read_text().strip() for each in (HERE / "machine.js", script)),
    }
    # What is put in is not looked at again.
    pieces = (HERE / "page.html").read_text().split("{{")
    return pieces[0] + "".join(parts[part] + rest for part, _, rest in (piece.partition("}}") for piece in pieces[1:]))
