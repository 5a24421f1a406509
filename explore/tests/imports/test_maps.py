# SPDX-License-Identifier: MIT
"""sunstar import maps: made-up maps, and the real ones where they are."""

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner, Result

from sunstar.cli import app
from sunstar.places import shared

HEAD = "processor,offset,length\n"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["import", "maps", *map(str, arguments)])


def text_map(folder: Path, text: str, name: str = "map.dat") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def netcdf_map(folder: Path, decompositions: dict[str, dict[str, Any]], name: str = "map.nc") -> Path:
    """A file in the variant CDF-5, as E3SM-IO writes it."""
    path = folder / name
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        for variable, parts in decompositions.items():
            for part, values in parts.items():
                if part == "dims":
                    file.setncattr(f"{variable}.dims", np.array(values, np.int32))
                    continue
                dimension = f"{variable}.{part}.n"
                file.createDimension(dimension, len(values))
                file.createVariable(f"{variable}.{part}", "i4", (dimension,))[:] = np.array(values, np.int32)
    return path


def decomposition(**other: list[int]) -> dict[str, Any]:
    """12 elements: process 0 holds 0, 1, 2 and 6, process 1 3, 4 and 7; 8 and 9 are only to be filled."""
    return {
        "dims": [3, 4],
        "nreqs": [3, 3],
        "fill_starts": [3, 2],
        "offsets": [0, 6, 1, 3, 7, 8],
        "lengths": [1, 1, 2, 2, 1, 2],
        **other,
    }


def test_neighbours_become_one_piece_in_whatever_order_a_text_names_them(tmp_path: Path) -> None:
    # Elements are counted from 1, and 0 is one that is in no file. What stands behind the last process is not read.
    path = text_map(
        tmp_path, "version 2001 npes 3 ndims 2 \n3 4 \n0 6\n3 0 1 2 7 0 \n1 2\n9 12 \n2 0\n\n./e3sm() [0x4ceb29]\n"
    )
    done = call(path, "--output", tmp_path / "list.csv")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "list.csv").read_text() == HEAD + "0,0,24\n0,48,8\n1,64,8\n1,88,8\n"
    assert f"written: {tmp_path}/list.csv, 4 pieces of 2 processors in a file of 96 bytes" in done.stdout


def test_a_netcdf_file_holds_decompositions_and_what_is_only_filled_is_left_out(tmp_path: Path) -> None:
    path = netcdf_map(tmp_path, {"D1": decomposition()})
    assert call(path, "--output", tmp_path / "list.csv", "--element-size", 4).exit_code == 0
    assert (tmp_path / "list.csv").read_text() == HEAD + "0,0,12\n0,24,4\n1,12,8\n1,28,4\n"


def test_decompositions_lie_one_behind_the_other_unless_some_are_chosen(tmp_path: Path) -> None:
    last = {"dims": [2], "nreqs": [1, 0], "fill_starts": [1, 0], "offsets": [0], "lengths": [2]}
    path = netcdf_map(tmp_path, {"D10": last, "D2": decomposition(offsets=[0, 6, 1, 3, 7, 10], fill_starts=[3, 3])})
    out = tmp_path / "list.csv"
    assert call(path, "--output", out, "--element-size", 1).exit_code == 0
    # D10 comes behind the 12 elements of D2.
    assert out.read_text() == HEAD + "0,0,3\n0,6,1\n0,12,2\n1,3,2\n1,7,1\n1,10,2\n"
    assert call(path, "--variable", "D10", "--output", out, "--element-size", 1).exit_code == 0
    assert out.read_text() == HEAD + "0,0,2\n"
    # Several files too, whose maps may have different numbers of processes: 12 + 2 elements come before the text's.
    text = text_map(tmp_path, "version 2001 npes 1 ndims 1 \n4 \n0 2\n1 2\n")
    assert call(path, text, "--output", out, "--element-size", 1).exit_code == 0
    assert out.read_text() == HEAD + "0,0,3\n0,6,1\n0,12,4\n1,3,2\n1,7,1\n1,10,2\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "rank,op,file\n",
            "is no decomposition map; it must be a NetCDF file or a text that begins with the word version",
        ),
        ("version 1999 npes 1 ndims 1\n", "it must begin with version 2001 npes P ndims D"),
        (
            "version 2001 npes 1 ndims 1\n4\n0 2\n1",
            "an element of process 0 is missing; it must be a whole number from 0 to 4",
        ),
        (
            "version 2001 npes 1 ndims 1\n4\n0 2\n1 5",
            "an element of process 0 is '5'; it must be a whole number from 0 to 4",
        ),
        ("version 2001 npes 1 ndims 1\n4\n0 2\n1 -1", "an element of process 0 is '-1'"),
        (
            "version 2001 npes 2 ndims 1\n4\n0 1\n1\n7 1\n1",
            "the number of process 1 is '7'; it must be a whole number from 1 to 1",
        ),
        ("version 2001 npes 1 ndims 1\n0\n0 0", "a size of the array is '0'"),
        (
            "version 2001 npes 1 ndims 2\n1099511627776 2\n0 0",
            "the array has 2199023255552 elements; it may have at most",
        ),
        ("version 2001 npes 1 ndims 1\n4\n0 2\n0 0\n", "no process holds an element; at least one must"),
    ],
)
def test_a_text_that_is_no_map_is_refused_in_a_sentence_and_nothing_is_written(
    text: str, sentence: str, tmp_path: Path
) -> None:
    path = text_map(tmp_path, text)
    done = call(path, "--output", tmp_path / "list.csv")
    assert done.exit_code == 3, done.output
    assert sentence in done.stderr
    assert str(path) in done.stderr
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"fill_starts": [4, 0]}, "D1.fill_starts must have a value from 0 to D1.nreqs for each process"),
        ({"fill_starts": [3]}, "D1.fill_starts must have a value"),
        ({"nreqs": [3, 4]}, "D1.offsets has 6 values and D1.lengths 6; both must have 7, the sum of D1.nreqs"),
        ({"lengths": [1, 1, 2, 2, 1, 5]}, "run 5 of D1 has 5 elements from 8 on; it must have at least one, and lie"),
        ({"offsets": [0, -6, 1, 3, 7, 8]}, "run 1 of D1 has 1 elements from -6 on"),
    ],
)
def test_a_netcdf_file_that_contradicts_itself_is_refused(
    wrong: dict[str, list[int]], sentence: str, tmp_path: Path
) -> None:
    path = netcdf_map(tmp_path, {"D1": decomposition(**wrong)})
    done = call(path, "--output", tmp_path / "list.csv")
    assert done.exit_code == 3, done.output
    assert sentence in done.stderr


def test_a_netcdf_file_that_is_cut_short_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    whole = netcdf_map(tmp_path, {"D1": decomposition()}).read_bytes()
    path = tmp_path / "cut.nc"
    for size in range(4, len(whole), 8):
        path.write_bytes(whole[:size])
        done = call(path, "--output", tmp_path / "list.csv")
        assert done.exit_code == 3, (size, len(whole), done.output)
        assert str(path) in done.stderr


@pytest.mark.parametrize("missing", ["fill_starts", "offsets", "lengths", "dims"])
def test_a_part_that_a_netcdf_file_lacks_is_named(missing: str, tmp_path: Path) -> None:
    parts = decomposition()
    del parts[missing]
    done = call(netcdf_map(tmp_path, {"D1": parts}), "--output", tmp_path / "list.csv")
    assert done.exit_code == 3
    assert f"D1.{missing}" in done.stderr


def test_mistakes_in_the_call_are_reported_in_a_sentence(tmp_path: Path) -> None:
    netcdf = netcdf_map(tmp_path, {"D1": decomposition(), "D2": decomposition()})
    text = text_map(tmp_path, "version 2001 npes 1 ndims 1 \n4 \n0 2\n1 2\n")
    empty = netcdf_map(tmp_path, {}, "empty.nc")
    out = tmp_path / "list.csv"
    for arguments, code, sentence in [
        ((netcdf, "--variable", "D3", "--output", out), 2, f"--variable D3: {netcdf} has D1, D2"),
        ((text, "--variable", "D1", "--output", out), 2, "is a text with one map, which has no name"),
        ((text, "--output", tmp_path / "list.parquet"), 2, "its name must end in .csv"),
        ((text, "--output", tmp_path / "none" / "list.csv"), 3, "cannot write"),
        ((tmp_path / "none.nc", "--output", out), 3, "none.nc: No such file or directory"),
        ((empty, "--output", out), 3, "holds no decomposition: it must have variables such as D1.nreqs"),
    ]:
        done = call(*arguments)
        assert done.exit_code == code, done.output
        assert sentence in done.stderr
        assert not out.exists()


def test_the_real_maps_say_the_same_as_text_and_as_netcdf(tmp_path: Path) -> None:
    folder = shared() / "traces"
    texts = {"514": "D1", "516": "D2", "548": "D3"}
    netcdf = folder / "map_f_case_16p.nc"
    if not netcdf.exists():
        pytest.skip(f"there are no E3SM maps in {folder}")
    for number, variable in texts.items():
        (text,) = folder.glob(f"piodecomp*_ioid_{number}.dat")
        lists = []
        for name, arguments in (("a", (text,)), ("b", (netcdf, "--variable", variable))):
            assert call(*arguments, "--output", tmp_path / f"{name}.csv").exit_code == 0
            lists.append(pl.read_csv(tmp_path / f"{name}.csv"))
        assert lists[0].equals(lists[1])
        # Each element of the array belongs to one of the 16 processes.
        assert lists[0]["processor"].n_unique() == 16
        assert lists[0]["length"].sum() == (866 if variable != "D3" else 72 * 866) * 8
