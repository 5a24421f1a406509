# SPDX-License-Identifier: MIT
"""tests/planted: each error can still be planted."""

import tomllib
from pathlib import Path

TOP = Path(__file__).parents[3]


def test_each_planted_error_replaces_a_text_that_occurs_once() -> None:
    errors = tomllib.loads((TOP / "tests" / "planted" / "errors.toml").read_text())
    found = {name: (TOP / error["file"]).read_text().count(error["before"]) for name, error in errors.items()}
    assert {name: times for name, times in found.items() if times != 1} == {}
