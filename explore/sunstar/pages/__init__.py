# SPDX-License-Identifier: MIT
"""Pages in HTML that need no network: the style that they share, the drawing of a machine, and templates."""

import json
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent


def style() -> str:
    return (HERE / "page.css").read_text().strip()


def machine_script() -> str:
    """The function drawMachine of the browser."""
    return (HERE / "machine.js").read_text().strip()


def as_data(data: object) -> str:
    """JSON that may stand within a page's script."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")


def filled(template: Path, parts: Mapping[str, str]) -> str:
    """The template with each {{name}} replaced, once; what is put in is not looked at again."""
    pieces = template.read_text().split("{{")
    return pieces[0] + "".join(parts[name] + rest for name, _, rest in (piece.partition("}}") for piece in pieces[1:]))
