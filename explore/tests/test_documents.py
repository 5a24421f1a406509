# SPDX-License-Identifier: MIT
"""What the documents show is true: commands in a fenced block after a line `<!-- tested -->` are run, and a fenced
block of text after a line `<!-- prints -->`, which follows them, is in what they print; its lines `...` stand for
anything. What a paragraph, item or table with `<!-- figures: NAME, ... -->` quotes is in the file of docs/results that
its page links to; NAME* is every figure whose name begins so."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REAL

from sunstar.papers.all_command import commands_of
from sunstar.places import project
from sunstar.study.command import work_of

BLOCK = re.compile(r"^<!-- tested -->\n+```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINTS = re.compile(r"^<!-- prints -->\n+```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    top = project()
    return [top / "README.md", *sorted(top.glob("docs/**/*.md")), top / "tests" / "README.md"]


def commands() -> list[tuple[str, str, str]]:
    """Each marked block, with a name for the test and what is shown of its output."""
    found = []
    for document in documents():
        text = document.read_text() if document.exists() else ""
        blocks = list(BLOCK.finditer(text))
        for number, block in enumerate(blocks, start=1):
            end = blocks[number].start() if number < len(blocks) else len(text)
            prints = PRINTS.search(text, block.end(), end)
            found.append((f"{document.relative_to(project())} {number}", block[1], prints[1] if prints else ""))
    return found


def single_spaces(text: str) -> str:
    """How wide a column is depends on its longest name, which a document may leave out."""
    return re.sub(" +", " ", text)


@pytest.mark.parametrize(("block", "prints"), [pytest.param(*rest, id=name) for name, *rest in commands()])
def test_a_documents_commands_run_and_print_what_it_shows(
    block: str, prints: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUNSTAR_RESULTS")  # documents show the project's own folder
    # The shell that `./run shell` opens.
    monkeypatch.setenv("PATH", os.pathsep.join([str(REAL), str(Path(sys.executable).parent), os.environ["PATH"]]))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=project(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    at, printed = 0, single_spaces(done.stdout)
    for part in re.split(r"^\.\.\.\n", single_spaces(prints), flags=re.MULTILINE):
        at = printed.find(part, at)
        assert at >= 0, f"the document shows\n{part}\nbut printed is\n{done.stdout}"
        at += len(part)


FIGURES = re.compile(r"<!-- figures: (.+?) -->")


def shows(block: str, value: str) -> bool:
    """Whether a block shows a figure: the text as it stands, or its number rounded to two digits or more, a share to
    whole percent."""
    number = re.search(r"\d+\.?\d*", value)
    if number is None or value in block:
        return value in block
    exact = float(number[0])
    shown = [each.replace(",", "").rstrip(".") for each in re.findall(r"\d[\d,]*\.?\d*", block)]
    digits = {each: len(each.partition(".")[2]) for each in shown if "." in each or exact >= 10 or "%" in value}
    return any(abs(float(each) - exact) <= 0.5001 * 10.0**-after for each, after in digits.items())


@pytest.mark.parametrize("file", sorted(project().glob("docs/results/*.json")), ids=lambda path: path.stem)
def test_a_page_quotes_the_figures_of_its_file(file: Path) -> None:
    figures = json.loads(file.read_text())
    (page,) = (path for path in project().glob("docs/*.md") if f"](results/{file.name})" in path.read_text())
    quoted = set()
    for block in re.split(r"\n\n|\n(?=- )", page.read_text()):
        names = [name for mark in FIGURES.findall(block) for name in mark.split(", ")]
        for name in names:
            named = [each for each in figures if each == name or (name[-1] == "*" and each.startswith(name[:-1]))]
            assert named, f"{page.name} names {name}, which {file.name} does not have"
            for each in named:
                value = figures[each]["value"]
                text = FIGURES.sub("", block)
                assert shows(text, value), f"{each} is {value} in {file.name}, but {page.name} says\n{text}"
            quoted.update(named)
    assert quoted == set(figures)


def test_the_readme_shows_commands_that_are_run() -> None:
    assert any(name.startswith("README.md") for name, *_ in commands())


def test_the_readme_is_short() -> None:
    assert len((project() / "README.md").read_text().split()) <= 1000


def anchors(text: str) -> set[str]:
    """The headings of a document as links name them."""
    titles = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_between_documents_lead_somewhere() -> None:
    for document in documents():
        if not document.exists():
            continue
        text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
        for path, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
            target = document.parent / path if path else document
            assert target.exists(), f"{document.name} links to {path}"
            if anchor and target.suffix == ".md":
                assert anchor in anchors(target.read_text()), f"{document.name} links to {path}#{anchor}"


def test_the_table_of_what_to_add_names_files_that_exist() -> None:
    table = (project() / "docs" / "extending.md").read_text().split("\n\n")[1]
    named = re.findall(r"`((?:sw|models|platforms|explore)/[\w./-]+)`", table)
    assert len(named) > 12
    assert [path for path in named if not (project() / path).exists()] == []


NUMBERS = {3: "three", 5: "five", 7: "seven", 9: "nine", 10: "ten", 15: "fifteen"}
COUNTS = [  # what a document says there is, and the files that are one each
    ("README.md", "There are {} programs", "platforms/*/main.cpp"),
    ("README.md", "{} file systems", "sw/file_systems/*/params.h"),
    ("README.md", "{} types of drive", "models/disk/drives/*.json"),
    ("docs/README.md", "the {} programs", "platforms/*/main.cpp"),
    ("docs/models/disk.md", "{} drives", "models/disk/drives/*.json"),
]


@pytest.mark.parametrize(("document", "claim", "files"), COUNTS)
def test_a_document_says_how_many_there_are(document: str, claim: str, files: str) -> None:
    count = len(list(project().glob(files)))
    claim = claim.format(NUMBERS.get(count, count))
    assert claim in " ".join((project() / document).read_text().split()), f"{document} does not say: {claim}"


TRIALS = [  # a page's words, and the paper whose command makes that number
    ("docs/enwrich-results.md", "means of {} trials", "enwrich"),
    ("docs/expanding-results.md", "means of {} trials", "expanding"),
    ("docs/galley-results.md", "1,126 runs of {} trials each", "galley"),
    ("docs/pvfs-results.md", "makes {} trials of six or three request sizes", "pvfs"),
    ("README.md", "The main job runs {} trials of each pattern", "tr94-226"),
]


@pytest.mark.parametrize(("page", "claim", "paper"), TRIALS)
def test_a_page_says_how_many_trials_there_are(page: str, claim: str, paper: str) -> None:
    claim = claim.format(NUMBERS[work_of(commands_of(paper)[0]).trials])
    assert claim in " ".join((project() / page).read_text().split()), f"{page} does not say: {claim}"


def test_the_parameter_tables_of_the_documents_are_those_of_the_program() -> None:
    done = subprocess.run(
        [sys.executable, project() / "scripts" / "parameter_tables.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
