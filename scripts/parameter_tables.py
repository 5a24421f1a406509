#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rewrites the parameter tables in docs/ from what `sunstar-torus --parameters` and the other programs print.

A table stands between the lines `<!-- parameters: SECTION -->` and `<!-- end of parameters -->` of any file below
docs/. SECTION is a path such as machine.network, or `all`. SECTION@KIND takes only the parameters that belong to one
kind, as in file_system@enwrich. For a program other than sunstar-torus, its name comes first, as in disk:run.

usage: scripts/parameter_tables.py [--check]     --check: change nothing; exit with 1 if a table is out of date
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
    """The two header lines of a program's table, and its rows."""
    folder = Path(os.environ.get("SUNSTAR_BIN") or TOP / "build" / "release" / "bin")
    done = subprocess.run([folder / f"sunstar-{platform}", "--parameters"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines(keepends=True)
    return lines[:2], lines[2:]


def within(body: list[str], section: str) -> list[str]:
    return [line for line in body if line.startswith((f"| `{section}`", f"| `{section}."))]


def of_kind(body: list[str], section: str, kind: str) -> list[str]:
    """The rows of one kind, whose help begins with "if kind is ...", and the rows inside them.

    Two kinds may have sections of the same path; the rows inside a section follow its own row.
    """
    chosen: list[str] = []
    inside: dict[str, bool] = {}  # by path of a section: whether the one that comes last in the table is chosen
    for line in within(body, section):
        path, help_text = line.split("`")[1], line.rsplit(" | ", 1)[1]
        condition = re.match(r"if \w+ is ([^:]*?)(?: and [\w.]+ is[^:]*)?: ", help_text)
        own = condition is not None and kind in re.split(r", | or ", condition[1])
        take = own or any(open_ and path.startswith(parent + ".") for parent, open_ in inside.items())
        inside[path] = take
        if take:
            chosen.append(line)
    return chosen


def table(name: str) -> str:
    platform, colon, path = name.partition(":")
    head, body = rows(platform if colon else "torus")
    section, _, kind = (path if colon else name).partition("@")
    everything = body if section == "all" else within(body, section)
    chosen = of_kind(body, section, kind) if kind else everything
    if not chosen:
        sys.exit(f"there is no parameter {name}; `--parameters` lists them")
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
        print(("out of date; run scripts/parameter_tables.py: " if check else "written: ") + ", ".join(outdated))
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
