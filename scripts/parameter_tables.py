#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the parameter tables of the documents anew, from what `sunstar-torus --parameters` and its like print.

A table stands between the lines `<!-- parameters: SECTION -->` and `<!-- end of parameters -->` in any file of docs/.
SECTION is a path such as machine.network, or `all`. A program other than sunstar-torus is named before it: disk:run.

usage: scripts/parameter_tables.py [--check]     --check: change nothing; end with 1 if a table is out of date
"""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
TABLE = re.compile(r"(<!-- parameters: (\S+) -->\n).*?(<!-- end of parameters -->)", re.DOTALL)


@functools.cache
def rows(platform: str) -> tuple[list[str], list[str]]:
    """The two lines of the table's head, and its rows."""
    folder = Path(os.environ.get("SUNSTAR_BIN") or TOP / "build" / "release" / "bin")
    done = subprocess.run([folder / f"sunstar-{platform}", "--parameters"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines(keepends=True)
    return lines[:2], lines[2:]


def table(section: str) -> str:
    platform, colon, path = section.partition(":")
    head, body = rows(platform if colon else "torus")
    section = path if colon else section
    chosen = (
        body if section == "all" else [line for line in body if line.startswith((f"| `{section}`", f"| `{section}."))]
    )
    if not chosen:
        sys.exit(f"there is no parameter {section}; `--parameters` lists them")
    return "".join(head + chosen)


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    outdated = []
    for document in sorted((TOP / "docs").rglob("*.md")):
        text = document.read_text()
        new = TABLE.sub(lambda found: found[1] + "\n" + table(found[2]) + "\n" + found[3], text)
        if new == text:
            continue
        outdated.append(str(document.relative_to(TOP)))
        if not check:
            document.write_text(new)
    if outdated:
        print(("out of date; call scripts/parameter_tables.py: " if check else "written: ") + ", ".join(outdated))
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
