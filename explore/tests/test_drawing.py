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
    path.unlink()
    draw(FRAME, x="disks", y="mib_per_s", path=str(path))
    assert path.exists()
    with pytest.raises(UsageError, match=r"path='drawing.xyz': its name must end in .png, .svg or .pdf"):
        draw(FRAME, x="disks", y="mib_per_s", path="drawing.xyz")


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the table has no column load; it has kind, disks, mib_per_s"):
        draw(FRAME, x="load", y="mib_per_s", path=tmp_path / "drawing.png")


def many(lines: int) -> pl.DataFrame:
    """A line for each number, all of them in the whole width and height."""
    numbers = [number for number in range(lines) for _ in range(2)]
    return pl.DataFrame({"number": numbers, "x": [1, 64] * lines, "y": [1.0, 100.0] * lines})


def test_no_two_lines_have_both_colour_and_marker_in_common() -> None:
    [axes] = draw(many(80), x="x", y="y", by=["number"]).canvas.axes
    assert len({(line.get_color(), line.get_marker()) for line in axes.lines}) == 80
    with pytest.raises(UsageError, match="these are 81 lines, and only 80 can be told apart"):
        draw(many(81), x="x", y="y", by=["number"])


@pytest.mark.parametrize("lines", [1, 8, 24])
def test_the_legend_is_off_the_data_and_inside_the_picture(lines: int) -> None:
    canvas = draw(many(lines), x="x", y="y", by=["number"]).canvas
    canvas.draw_without_rendering()
    [legend], [axes] = canvas.legends, canvas.axes
    place = legend.get_window_extent()
    assert not place.overlaps(axes.get_window_extent())
    assert canvas.bbox.containsx(place.x0) and canvas.bbox.containsx(place.x1) and canvas.bbox.containsy(place.y0)
    assert axes.get_window_extent().height > canvas.bbox.height / 2


def test_a_notebook_shows_a_drawing_with_its_labels() -> None:
    drawing = draw(FRAME, x="disks", y="mib_per_s", title="More disks", y_label="throughput (MiB/s)")
    assert drawing._repr_png_().startswith(b"\x89PNG")
    [axes] = drawing.canvas.axes
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("More disks", "disks", "throughput (MiB/s)")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "8"]


def test_lines_are_called_by_what_they_have_and_axes_follow_their_values() -> None:
    assert label(["kind", "disks"], ["a", 8]) == "a, disks 8"
    assert logarithmic(FRAME["disks"])
    assert not logarithmic(FRAME["kind"])
    assert not logarithmic(pl.Series([0, 100]))
    assert not logarithmic(pl.Series([], dtype=pl.Int64))
