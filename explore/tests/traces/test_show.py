# SPDX-License-Identifier: MIT
"""sunstar trace show, and what it counts."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.traces.command import regularities, sizes, spreads, timeline
from sunstar.traces.trace import SCHEMA

Row = tuple[int, str, str, int, int, float, float]


def table(*rows: Row) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def run_of(rank: int, offsets: list[int], length: int = 10, op: str = "write", file: str = "f") -> list[Row]:
    return [(rank, op, file, offset, length, float(i), i + 0.5) for i, offset in enumerate(offsets)]


def test_sizes_are_counted_in_darshans_classes() -> None:
    lengths = [0, 100, 101, 1024, 1025, 2 << 20]
    rows = [(0, "read" if n % 2 else "write", "f", 0, length, 0.0, 1.0) for n, length in enumerate(lengths)]
    found = {name: tuple(counts) for name, *counts in sizes(table(*rows)).rows()}
    assert found == {
        "0-100": (1, 1, 100),
        "100-1K": (1, 1, 1125),
        "1K-10K": (0, 1, 1025),
        "10K-100K": (0, 0, 0),
        "100K-1M": (0, 0, 0),
        "1M-4M": (1, 0, 2 << 20),
    }


def test_a_request_follows_the_one_before_of_its_rank_to_the_same_file() -> None:
    # Rank 0: 0-10 10-20 20-30 is consecutive twice. Rank 1: steps of 40; the last two repeat one.
    (both,) = regularities(table(*run_of(0, [0, 10, 20]), *run_of(1, [100, 140, 180, 220]))).to_dicts()
    assert (both["requests"], both["bytes"], both["ranks"]) == (7, 70, 2)
    assert both["consecutive"] == pytest.approx(2 / 5)
    assert both["strided"] == pytest.approx(2 / 5)
    # Another length or another file breaks a stride, and other operations are apart.
    rows = [*run_of(0, [0, 40, 80]), *run_of(0, [0], file="g"), *run_of(1, [5], op="read")]
    rows[2] = (*rows[2][:4], 9, *rows[2][5:])
    columns = ["file", "op", "consecutive", "strided"]
    first, *single = regularities(table(*rows)).select(columns).rows()
    assert first == ("f", "write", 0, 0)
    assert single == [
        ("g", "write", None, None),
        ("f", "read", None, None),
    ]
    assert regularities(table(*rows), together=True).select("file", "op", "requests").rows() == [
        ("all 2 files", "write", 4),
        ("all 2 files", "read", 1),
    ]


def test_the_spread_over_ranks_names_the_one_with_most() -> None:
    rows = spreads(table(*run_of(2, [0]), *run_of(5, [0, 1, 2]), *run_of(7, [0, 1], op="read"))).rows()
    found = {what: amounts for what, *amounts in rows}
    assert found["writes"] == [0, 1, 3, 5]
    assert found["bytes read"][2:] == [20, 7]


def test_a_timeline_marks_the_parts_in_which_a_rank_reads_or_writes() -> None:
    # Ten parts of a second.
    rows: list[Row] = [
        (0, "read", "f", 0, 1, 100.0, 101.5),
        (0, "write", "f", 0, 1, 101.2, 103.1),
        (3, "write", "f", 0, 1, 109.5, 110.0),
    ]
    assert timeline(table(*rows), 2, 10).rows() == [
        (0, 0, "rbww......"),
        (3, 3, ".........w"),
    ]
    assert timeline(table(*rows), 1, 10).rows() == [(0, 3, "rbww.....w")]
    assert timeline(table((0, "read", "f", 0, 1, 5.0, 5.0)), 4, 3)["marks"][0] == "r.."


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    rows = [*run_of(0, [0, 10, 20]), *run_of(1, [0, 40, 80], op="read")]
    path.write_text(table(*rows).write_csv())
    return path


def test_show_prints_all_of_it_for_people_and_as_json(trace: Path) -> None:
    done = CliRunner().invoke(app, ["trace", "show", str(trace)])
    assert done.exit_code == 0, done.output
    shares = ("100.0 % │   0.0 %", "0.0 % │  50.0 %")
    for part in ("requests  6", "│ 0-100 │     3 │      3 │    60 │", *shares, "wwww"):
        assert part in done.stdout
    done = CliRunner().invoke(app, ["trace", "show", str(trace), "--json"])
    found = json.loads(done.stdout)
    assert found["sizes"] == [{"name": "0-100", "reads": 3, "writes": 3, "bytes": 60}]
    assert [(of["op"], of["consecutive"], of["strided"]) for of in found["regularity"]] == [
        ("write", 1, 0),
        ("read", 0, 0.5),
    ]
    assert [row["first"] for row in found["timeline"]] == [0, 1]


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.html", b"<!DOCTYPE html>")])
def test_show_draws_the_timeline(name: str, begins: bytes, trace: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["trace", "show", str(trace), "--output", str(tmp_path / name)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert f"written: {tmp_path / name}" in done.stdout


def test_show_refuses_other_pictures(trace: Path) -> None:
    done = CliRunner().invoke(app, ["trace", "show", str(trace), "--output", "a.pdf"])
    assert done.exit_code == 2
    assert "--output a.pdf: its name must end in .png or .html" in done.stderr
