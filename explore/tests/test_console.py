# SPDX-License-Identifier: MIT
"""Tables for people."""

import pytest

from sunstar.console import WIDTH, Printed, console, print_table


def test_a_table_without_a_terminal_is_as_wide_as_its_cells(capsys: pytest.CaptureFixture[str]) -> None:
    cells = ["a" * WIDTH, "65536"]
    print_table(console(), Printed("", ["name", "at bytes"], [cells]))
    out = capsys.readouterr().out
    assert all(cell in out for cell in cells)
