# SPDX-License-Identifier: MIT
"""docs/extending.md as its reader follows it: a code block after a comment that says what to do with it."""

import re
from dataclasses import dataclass

from sunstar.new.command import Change, Part
from sunstar.places import project

BLOCK = re.compile(r"^<!-- (?!SPDX)([^\n]*) -->\n+```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Page:
    part: Part
    """The page's files, and the lines that it adds to others."""
    commands: list[str]


def extending_page() -> Page:
    text = (project() / "docs" / "extending.md").read_text()
    blocks = BLOCK.findall(text)
    assert len(blocks) == text.count("\n<!-- ")
    page = Page(Part({}, []), [])
    for mark, block in blocks:
        if new := re.fullmatch("new file: (.*)", mark):
            page.part.files[new[1]] = block
        elif change := re.fullmatch("in (.*?) after (.*)", mark):
            page.part.changes.append(Change(change[1], change[2], block.removesuffix("\n")))
        else:
            assert mark == "run"
            page.commands.extend(block.splitlines())
    return page
