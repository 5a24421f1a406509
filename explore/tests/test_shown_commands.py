# SPDX-License-Identifier: MIT
"""Commands that documents and notebooks show, but that no test runs, exist with their options: in blocks of shell
commands, and in the text between backticks. Parameters that a notebook's text tells its reader to set exist, too."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from conftest import REAL
from test_documents import documents
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.places import project

NOTEBOOKS = sorted((project() / "explore" / "examples").glob("**/*.ipynb"))
OTHERS = {"sunstar-tests", "sunstar-bench", "sunstar-fuzz"}
"""Programs for the project's developers, which are not built for everybody."""


def text_of(path: Path) -> str:
    if path.suffix != ".ipynb":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def shown(text: str) -> Iterator[str]:
    """The commands of the project that a text shows and no test runs."""
    lines = [
        line
        for run, block in re.findall(r"^(<!-- (?:tested|run) -->\n+)?```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        if not run
        for line in block.replace("\\\n", " ").splitlines()
    ]
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for command in lines + [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)]:
        if re.match(r"(\./run|\./test|sunstar(-\w+)?)( |$)", command):
            yield command


@cache
def help_of(*command: str) -> str:
    """What --help prints, empty if there is no such command."""
    if command[0] == "sunstar":
        done = CliRunner().invoke(app, [*command[1:], "--help"])
        return done.output if done.exit_code == 0 else ""
    path = REAL / command[0] if command[0].startswith("sunstar-") else project() / command[0]
    printed = subprocess.run([path, "--help"], capture_output=True, text=True, check=False) if path.exists() else None
    return printed.stdout if printed and printed.returncode == 0 else ""


def mistakes(words: list[str]) -> Iterator[str]:
    """What is wrong with a command. A word with capitals stands for something."""
    name, rest = words[0], words[1:]
    if name in OTHERS or name == "sunstar-PLATFORM":
        return
    if name == "./run" and rest and not rest[0].startswith("-"):
        if rest[0].startswith("sunstar"):
            yield from mistakes(rest)
        elif not re.search(rf"^\W*(usage: )?\./run {re.escape(rest[0])}\b", help_of("./run"), re.MULTILINE):
            yield f"./run has no command {rest[0]}"
        return
    path = [name]
    while name == "sunstar" and "\nCommands:" in help_of(*path) and rest and rest[0].islower():
        path.append(rest.pop(0))
    known = help_of(*path)
    if not known:
        yield f"there is no command {' '.join(path)}"
    for word in rest:
        option = word.partition("=")[0]
        runner = name == "./test" and not word.startswith("-")
        if (word.startswith("--") or runner) and not re.search(rf"(^|\s){re.escape(option)}\b", known):
            yield f"{' '.join(path)} has no {option}"


@pytest.mark.parametrize("path", [*documents(), *NOTEBOOKS], ids=lambda path: str(path.relative_to(project())))
def test_shown_commands_exist(path: Path) -> None:
    for command in shown(text_of(path)):
        before_pipe = re.split(r" [|>&;]|\|\|", re.sub(r"'[^']*'", "''", command))[0]
        assert list(mistakes(shlex.split(before_pipe, comments=True))) == [], command


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_parameters_that_a_notebook_names_exist(path: Path) -> None:
    known = (project() / "docs" / "reference" / "parameters.md").read_text()
    named = re.findall(r'"((?:machine|file_system|workload|run)\.[\w.]+)"', text_of(path))
    assert [name for name in named if f"|`{name}`|" not in known and f"|`{name}." not in known] == []


@pytest.mark.parametrize(
    "wrong",
    [
        "./run explore --help",
        "sunstar advice x.json",
        "sunstar advise --prise x",
        "./test fromat",
        "sunstar-torus --vdc x",
    ],
)
def test_a_wrong_command_is_noticed(wrong: str) -> None:
    assert len(list(mistakes(shlex.split(wrong)))) == 1
