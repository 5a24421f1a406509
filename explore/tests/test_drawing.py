# SPDX-License-Identifier: MIT
from pathlib import Path

import polars as pl
import pytest

from sunstar import UsageError, draw
from sunstar.drawing import label, logarithmic

FRAME = pl.DataFrame(
    {
        "kind": ["a", "a", "a", "b", "b"],
        "disks": [1, 8, 8, 1, 8],
        "mib_per_s": [1.0, 4.0, 6.0, 2.0, None],
    }
)


@pytest.mark.parametrize(("suffix", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_a_drawing_is_written_in_the_form_its_name_says(tmp_path: Path, suffix: str, begins: bytes) -> None:
    path = tmp_path / f"drawing{suffix}"
    draw(FRAME, x="disks", y="mib_per_s", by=["kind"], path=path)
    assert path.read_bytes().startswith(begins)
    draw(FRAME, x="disks", y="mib_per_s", path=path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the table has no column load; it has kind, disks, mib_per_s"):
        draw(FRAME, x="load", y="mib_per_s", path=tmp_path / "drawing.png")


def test_lines_are_called_by_what_they_have_and_axes_follow_their_values() -> None:
    assert label(["kind", "disks"], ["a", 8]) == "a, disks 8"
    assert logarithmic(FRAME["disks"])
    assert not logarithmic(FRAME["kind"])
    assert not logarithmic(pl.Series([0, 100]))
    assert not logarithmic(pl.Series([], dtype=pl.Int64))
