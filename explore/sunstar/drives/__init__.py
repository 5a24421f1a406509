# SPDX-License-Identifier: MIT
"""Drives from other programs' descriptions, and from measurements."""

import re
from pathlib import Path
from typing import Any

import typer

from sunstar.errors import FileError
from sunstar.files import Outputs, as_json, write_text
from sunstar.runs.simulator import Point, Value, ask

Drive = dict[str, Any]


def known(kind: str, drive: Value, called: str) -> Drive:
    """The drive as sunstar-disk has it, with all parameters of machine.KIND. The error for an unknown drive or a wrong
    parameter names it as `called`."""
    load = {"workload.kind": "queues"} if kind == "nvme" else {}
    point = Point({f"machine.{kind}": drive, **load}, platform="disk")
    [answer] = ask([point])
    if "error" in answer:
        raise FileError(answer["error"].replace(f"--set {point.texts()[0]}", called))
    found: Drive = answer["config"]["machine"][kind]
    return found


def write(outputs: Outputs, path: Path | None, drive: Drive) -> None:
    """Writes a drive as a file of the catalogue, or prints it if there is no path, or it is -. Lists and sections that
    hold single values have a line each."""
    text = re.sub(r"[\[{]\n[^\[\]{}]*[\]}]", lambda short: re.sub(r"\n\s*", " ", short[0]), as_json(drive))
    if path in (None, Path("-")):
        typer.echo(text, nl=False)
    else:
        write_text(outputs, path, text)
