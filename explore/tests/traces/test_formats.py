# SPDX-License-Identifier: MIT
"""sunstar trace import: a log is known by its contents, and each format's varieties give the same trace."""

import gzip
import json
import shutil
import struct
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from sunstar.cli import app
from sunstar.places import shared

HEAD = "rank,op,file,offset,length,start_s,end_s"


def call(folder: Path, *arguments: object) -> Result:
    return CliRunner().invoke(app, ["trace", "import", *map(str, arguments), "--output", str(folder / "out.csv")])


def imported(folder: Path, *arguments: object) -> dict[str, Any]:
    done = call(folder, *arguments, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def requests(folder: Path) -> list[tuple[Any, ...]]:
    table = pl.read_csv(folder / "out.csv", comment_prefix="#", infer_schema_length=None)
    return table.select("rank", "op", "file", "offset", "length").rows()


def file(folder: Path, content: str | bytes, name: str = "in.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def real(name: str) -> Path:
    path = shared() / name
    if not path.exists():
        pytest.skip(f"there is no {path}")
    return path


def dftracer(meta: object, complete: object, more: str = "") -> str:
    """Rank 1 writes 4 KiB and rank 0 writes 8 KiB, each to a file of its own."""
    lines = []
    for pid, rank, name, length in ((400, 1, "/scratch/checkpoint", 4096), (500, 0, "/scratch/log", 8192)):
        where = {"hhash": "a1", "fhash": f"f{pid}"}
        named = {"hhash": "a1", "name": name, "value": f"f{pid}"}
        ranked = {"hhash": "a1", "name": "rank", "value": str(rank)}
        lines += [{"name": "FH", "cat": "dftracer", "pid": pid, "ph": meta, "args": named}]
        lines += [{"name": "PR", "cat": "dftracer", "pid": pid, "ph": meta, "args": ranked}]
        both = {"cat": "POSIX", "pid": pid, "dur": 5, "ph": complete}
        lines += [{"name": "open", "ts": 1000, **both, "args": {**where, "ret": 5, "flags": 65}}]
        lines += [{"name": "write", "ts": 1010 + pid, **both, "args": {**where, "fd": 5, "ret": length}}]
    return "\n".join(map(json.dumps, lines)) + "\n" + more


@pytest.mark.parametrize("text", [dftracer(4, 1), dftracer("M", "X"), "\ufeff[\r\n" + dftracer("M", 1) + "]"])
def test_dftracers_numbers_and_letters_give_the_same_trace(text: str, tmp_path: Path) -> None:
    imported(tmp_path, file(tmp_path, text, "a.pfw"))
    assert requests(tmp_path) == [
        (1, "write", "/scratch/checkpoint", 0, 4096),
        (0, "write", "/scratch/log", 0, 8192),
    ]


@pytest.mark.parametrize("kind", [3, "A", "C", 2])
def test_dftracers_aggregated_events_are_counted_and_left_out(kind: object, tmp_path: Path) -> None:
    both = {"cat": "POSIX", "pid": 400, "ts": 2000, "ph": kind}
    more = json.dumps({"name": "write", **both, "args": {"hhash": "a1", "dft_cnt": 9, "dur_sum": 80}})
    other = json.dumps({"name": "write", **both, "ph": 99, "args": {}})
    said = imported(tmp_path, file(tmp_path, dftracer(4, 1, f"{more}\n{more}\n{other}\n"), "a.txt"))
    assert said["requests"] == 2
    (dropped,) = said["dropped"]
    assert (dropped["rows"], dropped["first"]) == (2, 9)
    assert "it sums up calls; the application must run without aggregation" in dropped["reason"]


DXT = """# darshan log version: 3.41
# DXT, file_id: 7, file_name: /scratch/a file
# DXT, rank: 0, hostname: n1
# DXT, write_count: 1, read_count: 1
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
 X_MPIIO       0  write        0              -1             400      0.1000      0.2000
# DXT, file_id: 7, file_name: /scratch/a file
# DXT, rank: 1, hostname: n1
 X_POSIX       1  write        0               0             400      0.1000      0.2000  [  3]  [  4]
 X_POSIX       1   read        0             400             600      0.3000      0.4000
"""


def test_darshan_dxt_parsers_text_is_a_trace_and_the_layer_with_offsets_is_taken(tmp_path: Path) -> None:
    path = file(tmp_path, DXT)
    said = imported(tmp_path, path)
    assert requests(tmp_path) == [(1, "write", "/scratch/a file", 0, 400), (1, "read", "/scratch/a file", 400, 600)]
    assert said["note"] == "its 1 requests of mpi-io have no offsets; these are those of posix"
    assert (said["layer"], said["other_layers"], said["partial"]) == ("posix", [], None)
    first, *_ = call(tmp_path, path).stdout.splitlines()
    assert first == "note      its 1 requests of mpi-io have no offsets; these are those of posix"
    done = call(tmp_path, path, "--layer", "mpi-io")
    assert done.exit_code == 3
    assert "its 1 requests of mpi-io have no offsets; --layer posix has them" in done.stderr
    broken = call(tmp_path, file(tmp_path, DXT.replace("0.4000", "soon")))
    assert broken.exit_code == 3
    assert "is no request as darshan-dxt-parser prints them" in broken.stderr


def test_a_darshan_log_of_3_1_3_gives_the_requests_of_posix_under_any_name(tmp_path: Path) -> None:
    log = real("findings/field/03-darshan-3.1-mpiio/mpi-io-test-x86_64-3.1.3.darshan")
    for name in ("a.darshan", "A.DARSHAN", "a.darshan.txt", "a"):
        shutil.copy(log, tmp_path / name)
        said = imported(tmp_path, tmp_path / name)
        assert (said["layer"], said["requests"], said["other_layers"]) == ("posix", 8, [])
        assert said["note"] == "its 8 requests of mpi-io have no offsets; these are those of posix"


def test_a_log_is_known_by_its_magic_in_either_order_of_bytes(tmp_path: Path) -> None:
    for order in "<>":
        path = file(tmp_path, b"3.41\0\0\0\0" + struct.pack(f"{order}q", 6567223) + bytes(900), "a.txt")
        assert "it must be a whole log of Darshan 3" in call(tmp_path, path).stderr
    packed = file(tmp_path, gzip.compress(dftracer(4, 1).encode()), "a.json")
    assert imported(tmp_path, packed)["requests"] == 2


RECORDER = (
    "0.000010 0.000015 open 0 0 ( /a 66 438 )\n"
    "0.000020 0.000030 MPI_File_write_at 0 2 ( /a 0 %p 1 MPI_BYTE [0,0] )\n"
    "0.000040 0.000050 write 1 0 ( /a %p 4096 )\n"
    "0.000060 0.000070 lseek64 1 0 ( /a 100 0 )\n"
    "0.000080 0.000090 read 1 0 ( /a %p 50 )\n"
    "0.000100 0.000110 pwrite64 1 0 ( /a %p 8 1000 )\n"
    "0.000120 0.000130 fopen 1 0 ( /b w )\n"
    "0.000140 0.000150 fwrite 1 0 ( %p 8 4 /b )\n"
    "0.000160 0.000170 MPI_Barrier 0 1 ( MPI_COMM_WORLD )\n"
)


@pytest.mark.parametrize("text", [RECORDER, RECORDER.replace(" 1 0 (", " (").replace(" 0 0 (", " (")])
def test_recorders_texts_are_a_trace_with_the_rank_in_their_names(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    (folder / "_text").mkdir(parents=True)
    file(folder / "_text", text, "3.txt")
    file(folder / "_text", "0.000001 0.000002 fopen 0 0 ( /b r )\n", "12.txt")
    said = imported(tmp_path, folder)
    assert requests(tmp_path) == [
        (3, "write", "/a", 0, 4096),
        (3, "read", "/a", 100, 50),
        (3, "write", "/a", 1000, 8),
        (3, "write", "/b", 0, 32),
    ]
    assert said["source"] == "3.txt and 1 more"
    done = call(tmp_path, file(tmp_path, text, "calls.txt"))
    assert "calls.txt: the name gives no rank; recorder2text calls the file of rank 0 0.txt" in done.stderr
    done = call(tmp_path, file(tmp_path, text + "half a li", "4.txt"))
    assert "4.txt, line 10: 'half a li' is no call" in done.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"{HEAD},offset\n0,w,f,0,4096,1,2,77\n", "the columns offset and offset mean the same"),
        (f"{HEAD}, offset\n0,w,f,0,4096,1,2,77\n", "the columns offset and offset mean the same"),
        (
            f"{HEAD}\n0,w,f,0,4096,1,5,2\n".replace(",1,5", ";1,5").replace(",", ";").replace(";1;5", ";1,5"),
            "start_s is '1,5'; it must be a number with a decimal point, not a comma",
        ),
        (f"{HEAD}\n0,r,f,0,4096,1\n", "in.csv, line 2: the line has 6 fields; it must have the 7 of the header"),
        (f"{HEAD}\n0,r,f,0,9,1,2\n0,r,f,0,9,1,2,3\n", "in.csv, line 3: the line has 8 fields; it must have the 7"),
    ],
)
def test_tables_are_refused_in_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    for command in (
        call(tmp_path, file(tmp_path, text)),
        CliRunner().invoke(app, ["trace", "show", str(tmp_path / "in.csv")]),
    ):
        assert command.exit_code == 3, command.output
        assert sentence in command.stderr


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_may_be_divided_by_semicolons_or_tabs_and_whole_numbers_have_a_point(
    separator: str, tmp_path: Path
) -> None:
    text = f"\ufeff{HEAD}\r\n0,w,f,65536.0,4096.,1.5,2.25\r\n\r\n".replace(",", separator)
    assert imported(tmp_path, file(tmp_path, text))["dropped"] == []
    assert requests(tmp_path) == [(0, "write", "f", 65536, 4096)]
