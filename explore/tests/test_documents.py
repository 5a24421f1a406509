# SPDX-License-Identifier: MIT
"""Commands that the documents show are run: those in a fenced block that follows a line `<!-- tested -->`."""

import re
import subprocess
from pathlib import Path

import pytest

from sunstar.places import project

BLOCK = re.compile(r"^<!-- tested -->\n+```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    top = project()
    return [top / "README.md", *sorted(top.glob("docs/**/*.md")), top / "tests" / "README.md"]


def commands() -> list[tuple[str, str]]:
    """Each marked block, with a name for the test."""
    return [
        (f"{document.relative_to(project())} {number}", block)
        for document in documents()
        if document.exists()
        for number, block in enumerate(BLOCK.findall(document.read_text()), start=1)
    ]


@pytest.mark.parametrize("block", [pytest.param(block, id=name) for name, block in commands()])
def test_a_documents_commands_run(block: str) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block], cwd=project(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_shows_commands_that_are_run() -> None:
    assert any(name.startswith("README.md") for name, _ in commands())


def test_links_between_documents_lead_somewhere() -> None:
    for document in documents():
        if not document.exists():
            continue
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
