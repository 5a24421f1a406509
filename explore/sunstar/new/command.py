# SPDX-License-Identifier: MIT
"""sunstar new: the files of a new part, and lines in the files that list the parts of its kind.

The folder `templates` has a folder for each kind, laid out as the project. In paths, NAME stands for the part's name
and ID for its name in C++; in texts, ${name}, ${id}, ${Class} and ${words}. With the names of docs/extending.md they
give that page's code. A list of parts that has code as well, such as queue_orders.cpp, has a template with that code.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from sunstar.commands import JsonOption
from sunstar.errors import FileError, UsageError
from sunstar.files import Outputs, as_json, reading, write_text, writing
from sunstar.places import sources

TEMPLATES = Path(__file__).parent / "templates"
CPP_WORDS = frozenset(Path(__file__).with_name("cpp_words.txt").read_text().split())


class Name:
    """A part's name as users write it, and as code does."""

    def __init__(self, name: str) -> None:
        self.name, self.id = name, name.replace("-", "_")
        self.class_name = "".join(word.capitalize() for word in name.split("-"))

    def into(self, text: str) -> str:
        values = {"name": self.name, "id": self.id, "Class": self.class_name, "words": self.name.replace("-", " ")}
        return Template(text).substitute(values)


@dataclass(frozen=True)
class Change:
    """A line, or several, to put behind the only one of a file that holds a text."""

    file: str
    after: str
    line: str


@dataclass(frozen=True)
class Part:
    """All texts of a new part, by the path in the project."""

    files: dict[str, str]
    changes: list[Change]


def part(kind: str, name: Name) -> Part:
    files = {
        path.replace("NAME", name.name).replace("ID", name.id): name.into(text)
        for path, text in templates(kind).items()
    }
    changes = []
    for one in json.loads((TEMPLATES / kind / "lines.json").read_text()):
        line = name.into(one["line"]) if "line" in one else files.pop(one["file"]).removesuffix("\n")
        if line.endswith("\\"):  # the indentation of a line before another is that of the list's other lines
            line = line.removesuffix("\\").rstrip().ljust(118) + "\\"
        changes.append(Change(one["file"], one["after"], line))
    return Part(files, changes)


def templates(kind: str) -> dict[str, str]:
    """The texts of a kind's files, by their paths in the project."""
    folder = TEMPLATES / kind
    return {str(path.relative_to(folder).with_suffix("")): path.read_text() for path in sorted(folder.rglob("*.in"))}


def check_name(kind: str, name: Name) -> None:
    """Raises UsageError unless the code of a new part may have this name."""
    form = r"[a-z][a-z0-9]*(-[a-z0-9]+)*" if kind == "drive" else r"[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*"
    if not re.fullmatch(form, name.name) or len(name.name) > 40:
        begins = "the first begins" if kind == "drive" else "each begins"
        raise UsageError(
            f"{name.name!r} cannot name a {kind}; it must be words of small letters and digits joined by hyphens, "
            f"{begins} with a letter, at most 40 characters"
        )
    if kind == "drive":
        return
    if name.id in CPP_WORDS:
        raise UsageError(f"{name.name!r} cannot name a {kind}; it is a word of C++")
    names = {name.id, name.class_name}
    for path, text in templates(kind).items():
        if not path.startswith("tests/") and words_of(text) & names:
            raise UsageError(f"{name.name!r} cannot name a {kind}; its code has other uses for the word")


def words_of(code: str) -> set[str]:
    """The words of C++ without its comments, strings and includes, and without a template's placeholders."""
    return set(re.findall(r"\w+", re.sub(r'//.*|"[^"\n]*"|^#.*|\$\{\w+\}', " ", code, flags=re.MULTILINE)))


def check_unused(kind: str, name: Name, made: Part, top: Path) -> None:
    """Raises UsageError if code of the tree `top` uses the name for something else."""
    for file in {change.file for change in made.changes if change.file.endswith(".cpp")}:
        with reading(top / file):
            if name.id in words_of((top / file).read_text()):
                other = f"{file} has it, or uses the word for something else"
                raise UsageError(f"{name.name!r} cannot name a {kind}; {other}")
    known = re.compile(rf"\b(?:class|struct|using|namespace [\w:]*)\b\s*(?:{name.id}|{name.class_name})\b(?!;)")
    for folder in ("models", "sw", "platforms"):
        for path in sorted((top / folder).rglob("*.h")):
            if known.search(path.read_text(errors="replace")):
                where = path.relative_to(top)
                raise UsageError(f"{name.name!r} cannot name a {kind}; {where} has a class or namespace of that name")


def changed(text: str, change: Change, path: Path) -> str:
    lines = text.splitlines()
    places = [number for number, line in enumerate(lines) if change.after in line]
    if len(places) != 1:
        raise FileError(
            f"{path} has {len(places)} lines with {change.after!r}, behind which a line must go; it must have one"
        )
    lines.insert(places[0] + 1, change.line)
    return "\n".join(lines) + "\n"


KINDS = {
    "layout": ("a disk layout, register it, and write a test that fails.", "my-layout"),
    "file-system": ("a file system with a parameter and a cost, register it, and write a test that fails.", "my-files"),
    "fabric": ("a fabric, register it, and write a preset of a machine on it and a test that fails.", "ring"),
    "replacement": ("a cache's replacement policy, register it, and write a test that fails.", "most-recent"),
    "queue-order": ("an order of a disk's queue, register it, and write a test that fails.", "elevator"),
}
"""What the commands write, and the name in their examples."""


DryRunOption = Annotated[bool, typer.Option("--dry-run")]


def command_of(kind: str) -> Callable[..., None]:
    what, example = KINDS[kind]

    def write_new(
        name: Annotated[str, typer.Argument(metavar="NAME")],
        folder: Annotated[Path | None, typer.Option("--folder", metavar="DIR")] = None,
        dry_run: DryRunOption = False,
        json: JsonOption = False,
    ) -> None:
        new(kind, name, folder, dry_run, json)

    write_new.__doc__ = f"Write {what}\n\nExample: sunstar new {kind} {example}\n"
    return write_new


new_layout, new_file_system, new_fabric, new_replacement, new_queue_order = map(command_of, KINDS)


def new(kind: str, text: str, folder: Path | None, dry_run: bool, json: bool) -> None:
    top, name = folder or sources("sunstar new"), Name(text)
    check_name(kind, name)
    made = part(kind, name)
    check_new(made, top)
    check_unused(kind, name, made, top)
    lists = lists_with(made.changes, top)
    lines = [f"{each.file}: {' '.join(line.split())}" for each in made.changes for line in each.line.splitlines()]
    if not dry_run:
        write(made, top)
    told = {"written": list(made.files), "changed": lines if dry_run else list(lists)}
    tell(json, told | {"next": next_commands([*made.files, *lists], made)}, dry_run)


def tell(json: bool, told: Mapping[str, Sequence[str]], dry_run: bool) -> None:
    names = {"written": "to write", "changed": "change"} if dry_run else {}
    told = {names.get(name, name): lines for name, lines in told.items()}
    if json:
        typer.echo(as_json({name: list(lines) for name, lines in told.items() if name != "assumed"}), nl=False)
    else:
        typer.echo("\n".join(f"{name:8} {line}" for name, lines in told.items() for line in lines))


def next_commands(paths: Sequence[str], made: Part) -> list[str]:
    """Format lines that the name made longer, build, see the test fail, update the reference of parameters."""
    (test,) = (text for path, text in made.files.items() if path.startswith("tests/"))
    (title,) = re.findall(r'TEST_CASE\("(.*?)"', test)
    return [
        f"clang-format-14 -i {' '.join(path for path in paths if path.endswith(('.h', '.cpp')))}",
        "cmake --build --preset release",
        f"ctest --preset release -R '{title}'",
        ".venv/bin/python scripts/parameter_tables.py",
    ]


def check_new(made: Part, top: Path) -> None:
    if not (top / "CMakeLists.txt").is_file() or not (top / "models").is_dir():
        raise FileError(f"{top} is no tree of Sunstar, which has CMakeLists.txt and models; name its top with --folder")
    for path in made.files:
        if (top / path).exists():
            raise FileError(f"{top / path} exists already; choose another name, or remove it first")


def lists_with(changes: Sequence[Change], top: Path) -> dict[str, str]:
    """The files of the tree `top` with these lines."""
    lists: dict[str, str] = {}
    for change in changes:
        path = top / change.file
        with reading(path):
            lists[change.file] = changed(lists.get(change.file) or path.read_text(), change, path)
    return lists


def write(made: Part, top: Path) -> None:
    """Writes all files of a part and its lines in the lists of parts, or nothing."""
    lists = lists_with(made.changes, top)
    with folders_of([top / name for name in made.files]), Outputs() as outputs:
        for name, text in {**made.files, **lists}.items():
            write_text(outputs, top / name, text)


@contextmanager
def folders_of(paths: list[Path]) -> Iterator[None]:
    """Makes the folders that the paths need; removes them again if this block fails."""
    made: list[Path] = []
    try:
        for folder in (folder for path in paths for folder in reversed(path.parents)):
            if not folder.exists():
                with writing(folder):
                    folder.mkdir()
                made.append(folder)
        yield
    except BaseException:
        for folder in reversed(made):
            folder.rmdir()
        raise
