#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds lines of more than 120 characters in files that people write and read line by line.

It skips data files (drives, tables of figures, notebooks, saved waveform views) and, in Markdown, what cannot be
broken: rows of tables, program output (blocks marked ```text), and lines of one or two words, such as a link in a list.

usage: scripts/columns.py FILE...     exit code 1 if a line is too long
"""

import sys
from collections.abc import Iterator
from pathlib import Path

WIDTH = 120
DATA = {".csv", ".gtkw", ".gz", ".ipynb", ".json", ".lock", ".parv", ".png", ".svg", ".xml"}


def counted(lines: list[str], markdown: bool) -> Iterator[tuple[int, str]]:
    printed = False
    for number, line in enumerate(lines, start=1):
        if markdown:
            if line.startswith("```"):
                printed = line.strip() == "```text"
            if printed or line.startswith("|") or len(line.split()) <= 2:
                continue
        yield number, line


def main() -> int:
    if not sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    found = 0
    for file in map(Path, sys.argv[1:]):
        if file.suffix in DATA:
            continue
        for number, line in counted(file.read_text().splitlines(), file.suffix == ".md"):
            if len(line) > WIDTH:
                print(f"{file}:{number}: {len(line)} characters")
                found += 1
    if found:
        print(f"{found} lines are longer than {WIDTH} characters")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
