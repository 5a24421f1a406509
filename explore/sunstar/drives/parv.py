# SPDX-License-Identifier: MIT
"""Read the parameter files (.parv, .diskspecs, .model) that describe drives for disk simulations; parv.lark has their
grammar."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, v_args

from sunstar.errors import FileError, in_words, meant
from sunstar.files import read_bytes

GRAMMAR = Path(__file__).with_suffix(".lark").read_text()
DEEPEST = 32  # Files that source one another
SOURCE = re.compile(r"(?<![^=,{}\[\]])\s*source[ \t]+([^=,{}\[\]]+)")
NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
Part = tuple[str, str, tuple["Part", ...]]
"""A part of the topology: its type, its name, the parts below it."""


@dataclass(frozen=True)
class Place:
    file: Path
    line: int

    def error(self, sentence: str) -> FileError:
        return FileError(f"{self.file}:{self.line}: {sentence}")


@dataclass(frozen=True)
class Value:
    """The value of a key, or an item of it: a text, a block or a list."""

    key: str
    place: Place
    held: Any

    def refused(self, must_be: str) -> FileError:
        kind = "a list" if isinstance(self.held, list) else "a block"
        shown = f'"{self.held}"' if isinstance(self.held, str) else kind
        return self.place.error(f"{self.key} is {shown}; it must be {must_be}")

    def number(self, least: float, most: float) -> float:
        if not (isinstance(self.held, str) and NUMBER.fullmatch(self.held)):
            raise self.refused("a number")
        if not least <= float(self.held) <= most:
            raise self.refused(f"a number between {least:.15g} and {most:.15g}")
        return float(self.held)

    def whole(self, most: float = 1e15) -> int:
        number = self.number(0, most)
        if number != round(number):
            raise self.refused("a whole number")
        return round(number)

    def time(self, least: float = 0) -> int:
        """Picoseconds; files have milliseconds."""
        return round(self.number(least, 1000) * 1e9)

    def block(self) -> "Block":
        if not isinstance(self.held, Block):
            raise self.refused("a block")
        return self.held

    def items(self, count: int | None = None) -> list["Value"]:
        if not isinstance(self.held, list) or count not in (None, len(self.held)):
            raise self.refused(f"a list of {count} numbers" if count else "a list in brackets")
        return [Value(self.key, self.place, each) for each in self.held]


@dataclass(frozen=True)
class Block:
    """TYPE NAME { KEY = VALUE ... }; a block that is a value needs no name."""

    type: str
    name: str
    place: Place
    members: dict[str, Value]

    def at(self, key: str) -> Value:
        if key not in self.members:
            of = f"{self.type} {self.name}".strip()
            raise self.place.error(f'the block {of} has no "{key}"{meant(key, self.members)}')
        return self.members[key]


@v_args(inline=True)
class Description(Transformer[Token, None]):
    """The contents of a file and of the files that it sources. These must lie in its folder or below it, with links
    resolved, unless they may lie `anywhere`."""

    def __init__(self, file: Path, *, anywhere: bool = False) -> None:
        super().__init__()
        self.blocks: list[Block] = []  # Blocks that are no values
        self.made: list[tuple[tuple[str, ...], str]] = []
        """Names of instances as written (`disk0 .. disk3` is three), and the name of their block."""
        self.roots: list[Part] = []
        self.files = [file]  # All files read
        self._folder = None if anywhere else file.resolve().parent
        self._lines = list(self._included(file))
        parser = Lark(GRAMMAR, parser="lalr", start="file", transformer=self)
        try:
            parser.parse("\n".join(text for _, text in self._lines))
        except UnexpectedInput as error:
            raise self._place(error.line).error(sentence(error)) from error

    def _included(self, file: Path, depth: int = 0) -> Iterator[tuple[Place, str]]:
        """The lines of a file and of its sourced files, without comments."""
        if depth > DEEPEST:
            raise FileError(f"{file}: files source one another without end")
        for number, line in enumerate(read_bytes(file).decode("utf-8-sig", "replace").split("\n"), 1):
            place = Place(file, number)
            before, *rest = SOURCE.split(line.partition("#")[0])
            yield place, before
            for name, after in zip(rest[::2], rest[1::2], strict=True):
                yield from self._included(self.beside(name.strip(), place), depth + 1)
                yield place, after

    def beside(self, name: str, place: Place) -> Path:
        """The file of that name in the folder of the file that names it."""
        path = place.file.parent / name
        if not path.is_file():
            raise place.error(f'it sources "{name}", and there is no file {path}')
        if self._folder and not path.resolve().is_relative_to(self._folder):
            outside = f"which is not in the folder {self._folder}; --source-anywhere allows that"
            raise place.error(f'it sources "{name}", {outside}')
        self.files.append(path)
        return path

    def _place(self, line: int | None) -> Place:
        return self._lines[max(1, line or 0) - 1][0]

    def instances(self, _: Token, *words: Token) -> None:
        self.made.append((words[:-2], words[-1]))

    def topology(self, _: Token, root: Part) -> None:
        self.roots.append(root)

    def part(self, of_type: Token, name: Token, *below: Part) -> Part:
        return of_type, name, below

    def named(self, of_type: Token, name: Token | None, *members: Value) -> None:
        self.blocks.append(self.block(of_type.update(value=f"{of_type} {name or ''}"), *members))

    def block(self, words: Token, *members: Value) -> Block:
        found = {member.key: member for member in members}
        if twice := next((member for member in members if found[member.key] is not member), None):
            raise twice.place.error(f'"{twice.key}" is given twice')
        of_type, _, name = words.partition(" ")
        return Block(of_type, name, self._place(words.line), found)

    def member(self, key: Token, held: object) -> Value:
        return Value(key, self._place(key.line), held)

    def items(self, *held: object) -> list[object]:
        return [*held]


def sentence(error: UnexpectedInput) -> str:
    """What is expected in place of a token; `error` has its first letters."""
    names = getattr(error, "allowed", None) or getattr(error, "expected", None) or ()
    wanted = in_words(sorted(name.strip("_").replace("_", " ").lower() for name in names))
    found = str(getattr(error, "token", None) or getattr(error, "char", ""))[:20]
    return f"{wanted} is expected here" + (f", not {found!r}" if found else "; the file ends")
