#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rewrites the tables of docs/reference/parameters.md from what the programs print with `--parameters`.

A table holds a section of the configuration, such as machine.bus, or what a kind of a section adds (or several kinds),
such as the parameters of file_system for enwrich. A parameter that several programs have stands once, with its
defaults; inside a drive, with that of the first program only. Of two tables with the same rows the second refers to the
first. Parameters of a list's elements are left out if they repeat what stands beside the list, as those of
workload.jobs do; so are those of a section that may be null if another of its type comes first.

usage: scripts/parameter_tables.py [--check]     --check: change nothing; exit with 1 if the tables are out of date
"""

import json
import os
import re
import subprocess
import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parents[1]
DOCUMENT = TOP / "docs" / "reference" / "parameters.md"
TABLES = re.compile(r"(<!-- parameters -->\n).*(<!-- end of parameters -->)", re.DOTALL)
KINDS = re.compile(r"if kind is ((?:(?:[\w-]+, )+[\w-]+ or )?[\w-]+)(?:: | and (?=[^:]*: ))")  # one, or three or more
SECTIONS = re.compile(r"`\[ \{.*\]`")
PAGES = {"faults.<n>.effect": "../faults.md#a-fault"}  # what explains the values of a parameter
MACHINES = {"torus", "cluster", "sp2"}
RANGE_SAYS_IT = ("whole number", "name", "size", "duration", "bandwidth", "frequency")
HEAD = "|parameter|default; allowed|meaning|\n|---|---|---|\n"


class Parameter(NamedTuple):
    path: str
    type: str
    allowed: str
    meaning: str

    @property
    def parent(self) -> str:
        return self.path.rpartition(".")[0].removesuffix(".<n>")

    @property
    def is_section(self) -> bool:
        return self.type in ("section", "section, drive", "list: section")


class Place(NamedTuple):
    """Where a parameter stands: in the table of a section, or of what one kind of the section adds. A parameter that is
    in no section has an empty one."""

    section: str
    kind: str

    @property
    def title(self) -> str:
        return (self.section or "beside the sections") + (f" of kind {self.kind}" if self.kind else "")

    @property
    def anchor(self) -> str:
        return re.sub(r"[^\w\- ]", "", self.title).replace(" ", "-")


Defaults = dict[str, str]  # of a parameter, by program


def programs() -> list[str]:
    names = [main.parent.name for main in TOP.glob("platforms/*/main.cpp")]
    return sorted(names, key=lambda name: (name != "torus", name))


def printed(program: str) -> list[tuple[Parameter, str]]:
    folder = Path(os.environ.get("SUNSTAR_BIN") or TOP / "build" / "release" / "bin")
    done = subprocess.run([folder / f"sunstar-{program}", "--parameters"], capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.strip("|\n").split(" | ")] for line in done.stdout.splitlines()[2:]]
    return [(Parameter(path.strip("`"), type_, *rest), default) for path, type_, default, *rest in rows]


def without_repetitions(rows: list[tuple[Parameter, str]]) -> list[tuple[Parameter, str]]:
    """Leaves out parameters of a list's elements that are also beside the list, and says so in the list's own row; and
    those of a section that may be null after the first of its type, whose own row says where they are."""
    first: dict[str, str] = {}  # path, by type
    null = [row for row, _ in rows if row.type.endswith(", null")]
    again = tuple(f"{row.path}." for row in null if first.setdefault(row.type, row.path) != row.path)
    rows = [(row, default) for row, default in rows if not row.path.startswith(again)]
    known: dict[tuple[str, str, str], list[str]] = defaultdict(list)  # the defaults; kinds may share a path
    for row, default in rows:
        known[row.path, row.type, row.allowed].append(default)
    for each in [row for row, _ in rows if row.type == "list: section"]:
        kept, names = [], set()
        for row, default in rows:
            path = row.path.replace(f"{each.path}.<n>.", f"{each.parent}.", 1)
            twins = known.get((path, row.type, row.allowed), []) if path != row.path else []
            if twins:
                names.add(path)
                row = row._replace(meaning=f"see {path}")
            if default not in twins:
                kept.append((row, default))
        others = sorted({row.path for row, _ in rows if row.parent == each.parent} - names)
        repeats = f"; each also has the parameters of {each.parent}, except {', '.join(others)}" if names else ""
        rows = [(row._replace(meaning=row.meaning + repeats) if row == each else row, it) for row, it in kept]
    return rows


def placed(rows: list[tuple[Parameter, str]]) -> Iterator[tuple[Place, Parameter, str]]:
    """The rows inside a section follow its own row. Only the first two levels of sections have tables of their own."""
    upper = [row for row, _ in rows if row.is_section and row.path.count(".") < 2]
    sections = {row.path for row in upper if not row.meaning.startswith("if kind")}
    kinds: dict[str, str] = {}  # by path of a section: the kind to which the one that came last belongs
    for row, default in rows:
        section = row.path if row.path in sections else next((at for at in parents(row.path) if at in sections), "")
        condition = KINDS.match(row.meaning) if row.parent == section else None
        kinds[row.path] = kind = condition[1] if condition else kinds.get(row.parent, "")
        if condition:
            rest = row.meaning[condition.end() :]
            row = row._replace(meaning=rest if condition[0].endswith(": ") else "if " + rest)
        yield Place(section, kind), row, default


def parents(path: str) -> Iterator[str]:
    while "." in path:
        path = path.rpartition(".")[0]
        yield path


def length_of(sections: re.Match[str]) -> str:
    return f"a list of {len(json.loads(sections[0].strip('`')))}"


def cells(row: Parameter, defaults: Defaults) -> str:
    """A line of a table. A range says by itself that it is one of sizes, or of whole numbers."""
    programs_with: dict[str, list[str]] = defaultdict(list)
    for program, default in defaults.items():
        programs_with[default].append(program)
    differ = len(programs_with) > 1
    values = [default + f" ({', '.join(names)})" * differ for default, names in programs_with.items() if default]
    values = [SECTIONS.sub(length_of, value) for value in values]
    allowed = re.sub(r"between ([^-]\S*) and ", "\\1\N{EN DASH}", row.allowed)
    said = row.type == "true, false" or (allowed and row.type in RANGE_SAYS_IT)
    type_ = "" if said else row.type + " " * bool(allowed)
    meaning = row.meaning.split(" (")[0] + f" ([which]({PAGES[row.path]}))" if row.path in PAGES else row.meaning
    return f"|`{row.path}`|{'; '.join(filter(None, [*values, type_ + allowed]))}|{meaning}|\n"


def tables() -> str:
    places: dict[Place, dict[Parameter, Defaults]] = defaultdict(lambda: defaultdict(dict))
    about: dict[str, Defaults] = defaultdict(dict)  # what a section is, by program
    for program in programs():
        drive = "no drive"
        for place, row, default in placed(without_repetitions(printed(program))):
            drive = row.path if row.type == "section, drive" else drive
            if row.path == place.section:
                about[place.section][program] = row.meaning
                continue
            if row.path.startswith(drive + ".") and row.path != drive + ".name":
                default = next(iter(places[place][row].values()), default)
            places[place][row][program] = default
    order = {section: (list(about).index(section.split(".")[0]), at) for at, section in enumerate(about)}
    order[""] = (-1, 0)
    text, said = "", ""
    written: dict[str, Place] = {}  # the rows of a table, without its section, and where they stand
    for place in sorted(places, key=lambda place: order[place.section]):
        text += f"\n## {place.title}\n"
        shared: dict[tuple[str, ...], str] = defaultdict(str)
        for row, defaults in places[place].items():
            shared[tuple(defaults)] += cells(row, defaults)
        for names, lines in shared.items():
            [(meaning, count)] = Counter(about[place.section].get(name, said) for name in names).most_common(1)
            told = meaning if 2 * count > len(names) and not place.kind and meaning != said else ""
            said = told or said
            named = "" if set(names) == MACHINES else f"**{', '.join(names)}**"
            first = written.setdefault(lines.replace(f"`{place.section}.", "`"), place)
            same = f"the parameters of [{first.title}](#{first.anchor})" if first != place else ""
            head = ": ".join(filter(None, [named, "; ".join(filter(None, [told, same]))]))
            text += f"\n{textwrap.fill(head[0].upper() + head[1:], 120)}\n" if head else ""
            text += "" if same else f"\n{HEAD}{lines}"
    return text


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    text = DOCUMENT.read_text()
    new = TABLES.sub(lambda found: found[1] + tables() + "\n" + found[2], text)
    if new == text:
        return 0
    if not check:
        DOCUMENT.write_text(new)
    print(("out of date; run scripts/parameter_tables.py: " if check else "written: ") + str(DOCUMENT.relative_to(TOP)))
    return 1 if check else 0


if __name__ == "__main__":
    sys.exit(main())
