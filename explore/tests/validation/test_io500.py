# SPDX-License-Identifier: MIT
"""sunstar validate io500."""

import json
from pathlib import Path

import pytest
from conftest import Sunstar

from sunstar import FileError
from sunstar.validation.published import IO500, measurements_of_io500

HEAD = "preset,submission,system,phase,write_gib_per_s,read_gib_per_s\n"


def test_each_system_has_both_phases() -> None:
    rows = measurements_of_io500(IO500, [])
    assert {(row["preset"], row["phase"]) for row in rows} == {
        (row["preset"], phase) for row in rows for phase in ("easy", "hard")
    }
    with pytest.raises(FileError, match="has no measurement of token-ring"):
        measurements_of_io500(IO500, ["token-ring"])


def test_an_unknown_phase_is_named(tmp_path: Path) -> None:
    reference = tmp_path / "io500.csv"
    reference.write_text(HEAD + "io500-fx700,664,here,mdtest,1,1\n")
    with pytest.raises(FileError, match="the phase mdtest is none of easy, hard"):
        measurements_of_io500(reference, [])


def test_a_small_system_is_near_what_it_submitted(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("validate", "io500", "--only", "io500-fx700", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    rows = json.loads((tmp_path / "io500.json").read_text())["rows"]
    assert [(row["phase"], row["way"]) for row in rows] == [
        ("easy", "write"),
        ("easy", "read"),
        ("hard", "write"),
        ("hard", "read"),
    ]
    assert all(abs(row["error_percent"]) < 15 for row in rows)
    assert all(1 / 1.5 < row["factor"] < 1.5 for row in rows if row["phase"] == "hard")
