# SPDX-License-Identifier: MIT
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from sunstar import FileError, UsageError
from sunstar.files import Column, read_rows, whole, write_table

COLUMNS: dict[str, Column] = {"name": str, "load": float, "count": int}


def test_rows_are_read_as_their_columns_types_and_comments_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("# of a run\nname,other,load,count\na,x,0.5,3\n")
    assert read_rows(file, COLUMNS) == [{"name": "a", "load": 0.5, "count": 3}]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,count\na,1\n", "has no column load"),
        ("# comment\n", "has no column name, load, count"),
        ("name,load,count\n", "has no row below its line of column names"),
        ("# comment\nname,load,count\na,much,1\n", "line 3: load is 'much'; it must be a number"),
        ("name,load,count\na,1,1.5\n", "line 2: count is '1.5'; it must be a whole number"),
        ("name,load,count\na,1\n", "line 2: count is missing"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(text)
    with pytest.raises(FileError, match=re.escape(sentence)):
        read_rows(file, COLUMNS)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*none.csv: No such file"):
        read_rows(tmp_path / "none.csv", COLUMNS)


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError), whole(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_a_table_is_written_in_the_form_its_name_says(tmp_path: Path, suffix: str) -> None:
    table = pl.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    path = write_table(tmp_path / f"t{suffix}", table)
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".csv": pl.read_csv,
        ".parquet": pl.read_parquet,
        ".json": pl.read_json,
    }
    assert readers[suffix](path).equals(table)


def test_a_table_of_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"its name must end in \.csv, \.parquet, \.json"):
        write_table(tmp_path / "t.xlsx", pl.DataFrame({"x": [1]}))
