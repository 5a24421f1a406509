# SPDX-License-Identifier: MIT
import re
import resource
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from sunstar import FileError, UsageError
from sunstar.files import Column, Outputs, read_rows, write_json, write_table

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
        ("name,load,count\n\na,1\n", "line 3: the line has 2 fields; it must have the 3 of the header"),
        ("name;load;count\na;0,5;1\n", "line 2: load is '0,5'; it must be a number, with a decimal point"),
        ("name,load, name\n", "the columns name and name mean the same; there must be one of them"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(text)
    with pytest.raises(FileError, match=re.escape(sentence)):
        read_rows(file, COLUMNS)


@pytest.mark.parametrize("text", ["name;load;count\na;0.5;3.0\n", "\ufeffname\tload\tcount\r\na\t0.5\t3.\r\n"])
def test_semicolons_or_tabs_may_divide_columns_and_whole_numbers_may_have_a_point(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(text)
    assert read_rows(file, COLUMNS) == [{"name": "a", "load": 0.5, "count": 3}]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("name,load\n".encode("utf-16"), "rows.csv is UTF-16; it must be UTF-8"),
        ("name,load\n".encode("utf-16-le"), "rows.csv is UTF-16; it must be UTF-8"),
        (
            "näme,load\nMüll,1".encode("latin-1"),
            "rows.csv, line 1, column 2: the byte 0xe4 is no UTF-8, but may be Latin",
        ),
        ("näme,load\na,1".encode() + b"\xfc", "rows.csv, line 2, column 4: the byte 0xfc is no UTF-8"),
        (b"CDF\x05\0\0", "rows.csv is no text file"),
    ],
)
def test_text_in_another_encoding_is_refused_by_its_name_and_place(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(content)
    with pytest.raises(FileError, match=re.escape(sentence)):
        read_rows(file, COLUMNS)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*none.csv: No such file"):
        read_rows(tmp_path / "none.csv", COLUMNS)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_files_of_a_command_appear_together(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("old")
    with Outputs() as files:
        write_json(files, tmp_path / "old.json", 1)
        write_json(files, tmp_path / "new.json", 2)
        assert not (tmp_path / "new.json").exists()
        assert (tmp_path / "old.json").read_text() == "old"
    assert files.paths() == [tmp_path / "old.json", tmp_path / "new.json"]
    assert names(tmp_path) == {"old.json", "new.json"}
    assert (tmp_path / "old.json").read_text() == "1\n"


def test_a_command_that_fails_half_way_leaves_the_old_files(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("old")
    with pytest.raises(RuntimeError), Outputs() as files:
        write_json(files, tmp_path / "old.json", 1)
        with files.file(tmp_path / "half.csv") as temporary:
            temporary.write_text("half")
            raise RuntimeError
    assert names(tmp_path) == {"old.json"}
    assert (tmp_path / "old.json").read_text() == "old"


def test_an_input_is_not_replaced(tmp_path: Path) -> None:
    source, link = tmp_path / "source.csv", tmp_path / "link.csv"
    source.write_text("rank\n")
    link.symlink_to(source)
    for name in (source, link, tmp_path / "." / "source.csv"):
        with pytest.raises(FileError, match="it is also an input"), Outputs([source]) as files:
            write_json(files, name, 1)
    assert source.read_text() == "rank\n"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to("folder/real.json")
    with Outputs() as files:
        write_json(files, link, 1)
    assert link.is_symlink()
    assert names(tmp_path / "folder") == {"real.json"}


def test_a_place_where_no_file_can_be_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(FileError, match=r"cannot write .*/a\.json: it is a folder"), Outputs() as files:
        files.temporary(tmp_path / "a.json")
    with pytest.raises(FileError, match=r"cannot write .*/none/b\.json: No such file"), Outputs() as files:
        files.temporary(tmp_path / "none" / "b.json")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_a_table_that_does_not_fit_is_an_error_and_leaves_nothing(tmp_path: Path, suffix: str) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    table = pl.DataFrame({"x": range(10000)})
    with pytest.raises(FileError, match=rf"cannot write .*/t\{suffix}: .*File too large"), Outputs() as files:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            write_table(files, tmp_path / f"t{suffix}", table)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not names(tmp_path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_a_table_is_written_in_the_form_its_name_says(tmp_path: Path, suffix: str) -> None:
    table = pl.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    path = tmp_path / f"t{suffix}"
    with Outputs() as files:
        write_table(files, path, table)
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".csv": pl.read_csv,
        ".parquet": pl.read_parquet,
        ".json": pl.read_json,
    }
    assert readers[suffix](path).equals(table)


def test_a_table_of_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"its name must end in \.csv, \.parquet, \.json"):
        write_table(Outputs(), tmp_path / "t.xlsx", pl.DataFrame({"x": [1]}))
