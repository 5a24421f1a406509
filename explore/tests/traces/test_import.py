# SPDX-License-Identifier: MIT
"""sunstar trace import: made-up files, and the real logs where they are."""

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from sunstar.cli import app
from sunstar.places import executable, shared
from sunstar.traces.trace import SCHEMA

HEAD = "rank,op,file,offset,length,start_s,end_s\n"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["trace", "import", *map(str, arguments)])


def imported(folder: Path, *arguments: object) -> dict[str, Any]:
    """Calls the command; returns its JSON."""
    done = call(*arguments, "--output", folder / "out.csv", "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def written(folder: Path) -> str:
    return (folder / "out.csv").read_text()


def file(folder: Path, text: str, name: str = "in.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def real(name: str) -> Path:
    path = shared() / "traces" / name
    if not path.exists():
        pytest.skip(f"there is no {path}")
    return path


def test_a_table_without_a_unit_needs_one_and_the_trace_is_in_seconds(tmp_path: Path) -> None:
    path = file(
        tmp_path, "host,rank,op,file,offset,length,start,end\nx, 3 ,W,f,10,20,2500,3000\nx,1,read,g,0,5,500,600\n"
    )
    done = call(path, "--output", tmp_path / "out.csv")
    assert done.exit_code == 2
    assert f"{path} does not give the unit of its column start; say --time-unit s, ms, us, ns" in done.stderr
    said = imported(tmp_path, path, "--time-unit", "ms")
    assert written(tmp_path) == "# source: in.csv\n" + HEAD + "1,read,g,0,5,0.5,0.6\n3,write,f,10,20,2.5,3.0\n"
    assert said["requests"] == 2
    assert said["reads"] == {"requests": 1, "bytes": 5}
    assert said["writes"] == {"requests": 1, "bytes": 20}
    assert (said["files"], said["ranks"], said["span_s"], said["partial"]) == (2, 2, 2.5, None)


def test_columns_may_have_other_names_and_the_unit_in_their_names(tmp_path: Path) -> None:
    path = file(tmp_path, "who,call,path,at,n,begin_us,end_us\n0,pwrite64,f,1,2,3,4\n")
    mapped = ["rank=who", "op=call", "file=path", "offset=at", "length=n", "start=begin_us"]
    said = imported(tmp_path, path, *(text for one in mapped for text in ("--column", one)))
    assert said["writes"]["bytes"] == 2
    assert written(tmp_path).endswith("0,write,f,1,2,3e-6,4e-6\n")


def test_rows_that_are_no_requests_are_dropped_with_the_reason(tmp_path: Path) -> None:
    rows = ["0,r,f,0,1,0,1", "0,open,f,,,0,1", "0,readlink,f,0,1,0,1", "0,w,,0,1,0,1", "0,w,f,x,1,0,1"]
    rows += [
        "0,w,f,0,-1,0,1",
        "0,w,f,0,1,zero,1",
        "0,w,f,0,1,nan,1",
        "0,w,f,0,1,2,1",
        "0,w,f,9223372036854775808,1,0,1",
    ]
    said = imported(tmp_path, file(tmp_path, HEAD + "\n".join(rows) + "\n"))
    assert said["requests"] == 1
    assert {drop["reason"]: (drop["rows"], drop["first"]) for drop in said["dropped"]} == {
        "op is neither a read nor a write": (2, 2),
        "file is empty": (1, 4),
        "offset is no whole number": (2, 5),
        "length is below 0": (1, 6),
        "start is no time": (2, 7),
        "end is before start": (1, 9),
    }
    text = call(tmp_path / "in.csv", "--output", tmp_path / "out.csv").stdout
    assert "dropped   2 rows, the first is row 2: op is neither a read nor a write" in text


@pytest.mark.parametrize(
    ("text", "code", "sentence"),
    [
        ("", 3, "is no CSV file with a line of column names"),
        ("a,b\n1,2,3\n", 3, ", line 2: the line has 3 fields; it must have the 2 of the header"),
        ("rank,op,file,offset,size,start_s,end_s\n", 3, "has no column length, but rank, op, file, offset, size"),
        ("rank,op,file,offset,length,end_s\n", 3, "has no column start_s or start_ms or start_us or start_ns or start"),
        (HEAD, 3, "holds no request (it has no row); it must hold at least one"),
        (HEAD + "0,seek,f,0,1,0,1\n", 3, "holds no request (in 1 rows op is neither a read nor a write)"),
        ("\x1f\x8bno gzip", 3, "it must be a whole file, plain or packed by gzip"),
        ("PAR1 no Parquet", 3, "it must be a whole Parquet file"),
    ],
)
def test_a_table_that_is_no_trace_is_refused_and_nothing_is_written(
    text: str, code: int, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(text.encode("latin-1"))
    done = call(path, "--output", tmp_path / "out.csv")
    assert done.exit_code == code, done.output
    assert sentence in done.stderr
    assert str(path) in done.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_mistakes_in_the_call_are_reported_in_a_sentence(tmp_path: Path) -> None:
    good = file(tmp_path, HEAD + "0,r,f,0,1,0,1\n")
    folder = tmp_path / "recorder"
    folder.mkdir()
    events = file(tmp_path, "[\n", "a.pfw")
    out = tmp_path / "out.csv"
    for arguments, code, sentence in [
        ((good, "--output", good), 3, f"cannot write {good}: it is also an input; name another file"),
        ((good, "--output", "out.txt"), 2, "--output out.txt: its name must end in .csv or .parquet"),
        ((good, "--output", out, "--layer", "posix"), 2, "--layer posix: only Darshan logs have layers"),
        ((good, "--output", out, "--layer", "hdf5"), 2, "--layer hdf5: it must be mpi-io, posix or stdio"),
        ((good, "--output", out, "--time-unit", "h"), 2, "--time-unit h: it must be s, ms, us or ns"),
        ((good, "--output", out, "--time-unit", "ms"), 2, f"the columns start_s and end_s of {good} give the unit"),
        ((good, "--output", out, "--column", "size=n"), 2, "--column size=n: it must be NAME=COLUMN"),
        ((good, "--output", out, "--column", "length=n"), 3, f"{good} has no column n, but rank"),
        ((good, good, "--output", out), 2, "several files make one trace only if all are DFTracer's"),
        ((events, "--output", out, "--time-unit", "s"), 2, "--time-unit and --column are for CSV and Parquet files"),
        ((events, "--output", out), 3, f"{events}: there is no request (no read, no write)"),
        ((tmp_path / "none.csv", "--output", out), 3, "none.csv: No such file or directory"),
        ((folder, "--output", out), 3, "convert it by Recorder's recorder2text, and give the folder _text"),
        ((good, "--output", tmp_path / "none" / "out.csv"), 3, "cannot write"),
    ]:
        done = call(*arguments)
        assert done.exit_code == code, done.output
        assert sentence in done.stderr
        assert not out.exists()


def test_what_recorder2csv_writes_is_read(tmp_path: Path) -> None:
    path = file(tmp_path, "file_id,rank,function,offset,size,start,end\n/a,0,MPI_File_write_at_all,0,8,1.5,2\n")
    assert imported(tmp_path, path)["writes"] == {"requests": 1, "bytes": 8}


def test_a_trace_as_parquet_and_as_csv_is_the_same_and_keeps_what_is_said_about_it(tmp_path: Path) -> None:
    path = file(
        tmp_path, "# source: a.darshan\n# layer: posix\n# partial: half is missing\n" + HEAD + "0,r,f,0,1,0,0.1\n"
    )
    parquet = tmp_path / "out.parquet"
    assert call(path, "--output", parquet).exit_code == 0
    assert pl.read_parquet(parquet).schema == SCHEMA
    said = imported(tmp_path, parquet)
    assert written(tmp_path) == path.read_text().replace(",r,", ",read,").replace("0,0.1", "0.0,0.1")
    assert (said["source"], said["layer"], said["partial"]) == ("a.darshan", "posix", "half is missing")


def test_the_executables_name_the_command_that_converts_a_parquet_file_and_read_what_it_writes(tmp_path: Path) -> None:
    parquet = tmp_path / "out.parquet"
    path = file(tmp_path, HEAD + "0,w,f,0,8192,0,0.1\n1,w,f,8192,8192,0,0.1\n")
    assert call(path, "--output", parquet).exit_code == 0

    def run(trace: Path) -> subprocess.CompletedProcess[str]:
        settings = ("--set", "workload.kind=trace", "--set", f"workload.trace={trace}")
        return subprocess.run([executable("torus"), *settings], capture_output=True, text=True, check=False)

    refused = run(parquet)
    assert refused.returncode == 3
    command = refused.stderr.split("`")[1].split()
    assert command[:3] == ["sunstar", "trace", "import"]
    assert CliRunner().invoke(app, command[1:]).exit_code == 0
    done = run(tmp_path / "out.csv")
    assert done.returncode == 0, done.stderr
    assert "result.bytes_verified                       16384" in done.stdout


def event(name: str, /, ts: int, pid: int = 7, category: str = "POSIX", **arguments: object) -> str:
    return json.dumps(
        {"id": ts, "name": name, "cat": category, "pid": pid, "tid": pid, "ts": ts, "dur": 10, "ph": "X",
         "args": {"hhash": 1, "fhash": 99, **arguments}}
    )  # fmt: skip


def meta(kind: str, /, pid: int = 7, **arguments: object) -> str:
    return json.dumps({"id": 0, "name": kind, "cat": "dftracer", "pid": pid, "tid": pid, "ph": "M", "args": arguments})


DFTRACER = "\n".join(
    [
        "[",
        meta("FH", name="/data/x", value=99),
        # 100 bytes from 0 on, 50 from 100 on; then from 10 on; at its own offset, which moves nothing; then from 30 on.
        event("open", 1000, ret=3, flags=0),
        event("write", 1010, fd=3, count=100, ret=100),
        event("write", 1020, fd=3, count=50, ret=50),
        event("lseek", 1030, fd=3, offset=10, whence=0, ret=10),
        event("read", 1040, fd=3, count=20, ret=20),
        event("pread64", 1050, fd=3, count=5, offset=70, ret=5),
        event("read", 1060, fd=3, count=20, ret=20),
        # A stream of its own: items of 8 bytes, from the end of the file on.
        event("fopen", 1070, category="STDIO", mode="a"),
        event("fwrite", 1080, category="STDIO", size=8, count=2, ret=2),
        event("pwrite", 1090, fd=3, count=5, offset=0, ret=-1),
        event("read", 1100, fd=4, count=5, ret=5),
        event("write", 1110, fd=3),
        event("step", 1120, category="PYTORCH"),
        "]",
    ]
)


@pytest.mark.parametrize("packed", [False, True])
def test_dftracer_gives_each_call_the_position_of_its_file(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("a.pfw.gz" if packed else "a.pfw")
    path.write_bytes(gzip.compress(DFTRACER.encode()) if packed else DFTRACER.encode())
    said = imported(tmp_path, path)
    table = pl.read_csv(tmp_path / "out.csv", comment_prefix="#")
    assert table.select("op", "offset", "length").rows() == [
        ("write", 0, 100),
        ("write", 100, 50),
        ("read", 10, 20),
        ("read", 70, 5),
        ("read", 30, 20),
        ("write", 150, 16),
    ]
    assert set(table["file"]) == {"/data/x"}
    assert table.row(0)[-2:] == (1e-5, 2e-5)
    assert [(drop["reason"], drop["rows"]) for drop in said["dropped"]] == [
        ("it failed", 1),
        ("its offset is not recorded, nor where its file was opened", 1),
        ("its size is not recorded; the application must run with DFTRACER_INC_METADATA=1", 1),
    ]


def test_dftracers_processes_are_ranks_by_what_they_say_or_else_in_order(tmp_path: Path) -> None:
    one = file(tmp_path, event("pwrite", 5, pid=20, offset=0, ret=1) + "\n", "one.pfw")
    two = file(tmp_path, event("pwrite", 6, pid=10, offset=1, ret=1) + "\n", "two.pfw")

    def ranks() -> list[tuple[int, int]]:
        said = imported(tmp_path, one, two)
        assert said["source"] == "one.pfw and 1 more"
        return pl.read_csv(tmp_path / "out.csv", comment_prefix="#").select("rank", "offset").rows()

    assert ranks() == [(1, 0), (0, 1)]
    for path, pid, rank in ((one, 20, 4), (two, 10, 6)):
        with path.open("a") as more:
            more.write(meta("PR", pid=pid, name="rank", value=str(rank), hhash=1) + "\n")
    assert ranks() == [(4, 0), (6, 1)]


def test_a_dftracer_file_that_breaks_off_is_partial(tmp_path: Path) -> None:
    said = imported(tmp_path, file(tmp_path, DFTRACER[: DFTRACER.index('"whence"')], "a.pfw"))
    assert said["partial"] == "a.pfw ends in the middle of line 6"
    assert said["requests"] == 2
    packed = tmp_path / "b.pfw.gz"
    packed.write_bytes(gzip.compress((DFTRACER + "\n" * 5000).encode())[:-6])
    assert imported(tmp_path, packed)["partial"] == "the gzip data of b.pfw.gz ends early"
    done = call(file(tmp_path, "[\nno JSON\n" + DFTRACER, "c.pfw"), "--output", tmp_path / "c.csv")
    assert done.exit_code == 3
    assert "c.pfw, line 2: 'no JSON' is no event of DFTracer" in done.stderr
    done = call(file(tmp_path, event("read", 5, ret="many") + "\n", "d.pfw"), "--output", tmp_path / "d.csv")
    assert done.exit_code == 3
    assert "d.pfw: call 1, 'read', has arguments of another form than DFTracer's" in done.stderr


def test_a_damaged_darshan_log_is_refused_and_stays_where_it_is(tmp_path: Path) -> None:
    whole = real("ior-hdf5-4ranks.darshan").read_bytes()
    # The library aborts over the second one, having removed what it was given.
    for size in (0, 500, 3000):
        path = tmp_path / "cut.darshan"
        path.write_bytes(whole[:size])
        done = call(path, "--output", tmp_path / "out.csv")
        assert done.exit_code == 3, (size, done.output)
        assert f"cannot read {path}: " in done.stderr
        assert "it must be a whole log of Darshan 3" in done.stderr
        assert path.read_bytes() == whole[:size]
        assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("layer", "name"), [("mpi-io", "mpiio"), ("posix", "posix")])
def test_both_layers_of_a_darshan_log_hold_what_its_csv_says(layer: str, name: str, tmp_path: Path) -> None:
    said = imported(tmp_path, real("vpic-hdf5-summit-192ranks.darshan"), "--layer", layer)
    assert said["layer"] == layer
    assert said["partial"] is None
    keys = ["rank", "offset", "length"]
    known = pl.read_csv(real(f"vpic-hdf5-summit-192ranks.{name}.csv.gz"))
    table = pl.read_csv(tmp_path / "out.csv", comment_prefix="#")
    assert table.select(keys).sort(keys).equals(known.select(keys).sort(keys))
    assert table["start_s"].sort().to_list() == pytest.approx(known["start"].sort().to_list(), abs=1e-6)
    (other,) = said["other_layers"]
    assert other["name"] != layer
    assert other["requests"] in (13184, 77696)


def test_without_a_choice_a_darshan_log_gives_the_calls_of_mpi_io(tmp_path: Path) -> None:
    said = imported(tmp_path, real("ior-hdf5-4ranks.darshan"))
    assert (said["layer"], said["requests"], said["reads"]["bytes"], said["writes"]["bytes"]) == (
        "mpi-io",
        59,
        4202504,
        4195800,
    )


def test_a_darshan_log_whose_requests_are_truncated_is_partial(tmp_path: Path) -> None:
    path = real("partial-data.darshan")
    assert imported(tmp_path, path)["partial"] == "the log holds 65529 of 1000000 reads"
    assert "# partial: the log holds 65529 of 1000000 reads\n" in written(tmp_path)
    shutil.copy(tmp_path / "out.csv", tmp_path / "again.csv")
    assert imported(tmp_path, tmp_path / "again.csv")["partial"] == "the log holds 65529 of 1000000 reads"
