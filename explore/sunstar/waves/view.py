# SPDX-License-Identifier: MIT
"""A saved view of GTKWave: which signals, in which form, in which window of time, and the commands whose runs the
project's own views show."""

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sunstar.errors import FileError
from sunstar.files import reading, taking_apart

TRANSLATED, ANALOG, BLANK, OPENS, CLOSES = 0x2000, 0x8000, 0x200, 0x800000, 0x1000000
"""Flags of a row, as GTKWave writes them: @ and their sum."""
FRAMES = 5  # How many of GTKWave's units of zoom, 200 pixels, a view is wide


@dataclass(frozen=True)
class Row:
    label: str
    signal: str  # Its whole name, with dots
    analog: bool = False
    words: Path | None = None  # GTKWave's table of the words that its values stand for

    @property
    def height(self) -> float:
        return 2.2 if self.analog else 1.0


@dataclass
class Group:
    title: str
    note: str = ""
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True)
class View:
    path: Path
    title: str  # The question that it answers
    commands: Sequence[str]  # Each makes a wave file for it
    groups: Sequence[Group]
    start_ps: int
    width_ps: float
    marker_ps: int  # Where GTKWave has its marker: at the answer, or at the start of the window

    @property
    def rows(self) -> list[Row]:
        return [row for group in self.groups for row in group.rows]


def read_view(path: Path) -> View:
    """Reads the settings of sunstar's own views; further settings of GTKWave are passed over."""
    with reading(path):
        lines = path.read_text().splitlines()
    settings = {match[1]: match[2] for line in lines if (match := re.match(r"\[(\w+)\] (.*)", line))}
    comments = [line[4:] for line in lines if line.startswith("[*] ")]
    commands = [text.removeprefix("run: ") for text in comments if text.startswith("run: ")]
    title = next((text for text in comments if not text.startswith(("run: ", "SPDX"))), path.stem)
    zoom = next((match for line in lines if (match := re.match(r"\*(-?\d+(?:\.\d*)?)\s+(\d*)", line))), None)
    if zoom is None:
        raise FileError(f"{path} is no view of GTKWave: it has no line with the zoom, as in *-20.0 0")
    with taking_apart(f"{path} is no view of GTKWave"):
        groups = list(groups_of(lines, path, settings.get("savefile", "").strip('"')))
        start = int(settings.get("timestart", 0))
        width, marker = FRAMES * math.pow(2.0, -float(zoom[1])), int(zoom[2] or start)
    if not any(group.rows for group in groups):
        raise FileError(f"{path} has no signal")
    return View(path, title, commands, groups, start, width, marker)


def groups_of(lines: Sequence[str], view: Path, saved: str) -> Iterator[Group]:
    """Tables lie where GTKWave finds them: as far from the view as they were from where it was saved."""
    flags, words, group = 0, None, Group("")
    for line in lines:
        if line.startswith("@"):
            flags = int(line[1:], 16)
        elif match := re.match(r"\^\d+ (.+)", line):
            words = Path(match[1])
            if saved and words.is_absolute():
                words = view.parent / os.path.relpath(words, Path(saved).parent)
        elif line.startswith("-"):
            if flags & OPENS:
                group = Group(line[1:])
            elif flags & CLOSES:
                yield group
                group = Group("")
            elif flags & BLANK and line[1:]:
                group.note = line[1:]
        elif match := re.match(r"(?:\+\{(.+)\} )?([A-Za-z]\S*)$", line):
            table = words if flags & TRANSLATED else None
            group.rows.append(Row(match[1] or match[2], match[2], bool(flags & ANALOG), table))
            words = None
    if group.rows:
        yield group
