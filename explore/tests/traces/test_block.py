# SPDX-License-Identifier: MIT
"""sunstar trace import and sunstar trace show of block traces: made-up files of each format, and their variations."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from sunstar.cli import app
from sunstar.traces import block
from sunstar.traces.block import kind_of

MSR = """\
131000000000061629,web,1,Read,5014609920,24576,41286
131000000013382155,web,1,Read,5014633984,8192,1163
131000000023382245,web,1,Write,1517139456,4096,18446
131000000063450143,web,1,Write,1517140480,512,1163
131000000073450143,web,1,Read,1048577,3000,1163
128166372086450143,web,1,Write,1517140480,0,1163
"""
BLKPARSE = """\
  8,16   1        1     0.000000000  5529  Q  WS 274432 + 8 [dd]
  8,16   1        2     0.000004390  5529  G  WS 274432 + 8 [dd]
  8,16   1        3     0.000009001  5529  D  WS 274432 + 8 [dd]
  8,16   1        4     0.004209001     0  C  WS 274432 + 8 [0]
  8,16   0        5     0.010000000  5529  Q   R 95839968 + 80 [kswapd0]
  8,16   0        6     0.010010000  5529  D   R 95839968 + 80 [kswapd0]
  8,16   0        7     0.018010000     0  C   R 95839968 + 80 [0]
  8,16   0        8     0.020010000  5529  D  FN [kworker/0:1H]
  8,16   0        9     0.020110000     0  C  FN 0 [0]
  8,16   0       10     0.030000000  5529  D   D 4096 + 64 [fstrim]
  8,16   0       11     0.030090000     0  C   D 4096 + 64 [0]
  8,16   0       11     0.030100000  5529  P   N [dd]
  8,16   0       12     0.030100000  5529  m   N cfq5529S / alloced
  8,16   0       13     0.040000000  5529  D  RM 64 + 1 [ls]
CPU0 (8,16):
 Reads Queued:           1,       40KiB\t Writes Queued:           1,        4KiB
 Read depth:            32        \t Write depth:            32

Total (8,16):
Throughput (R/W): 4000KiB/s / 400KiB/s
Events (8,16): 13 entries
Skips: 0 forward (0 -   0.0%)
"""
IOLOG_2 = """\
fio version 2 iolog
/dev/sdz add
/dev/sdz open
/dev/sdz read 944128 4096
/dev/sdz wait 1000 0
/dev/sdz wait 500 0
/dev/sdz write 1048576 4096
/dev/sdz trim 0 4096
/dev/sdz sync 0 0
/dev/sdz close
"""
IOLOG_3 = """\
fio version 3 iolog
2 /dev/nvme 0 add
872 /dev/nvme 0 open
1000 /dev/nvme 0 read 8192 4096
1250 /dev/nvme 0 write 1024 512
1251 /dev/nvme 0 datasync 0 0
9000 /dev/nvme 0 close
"""
OWN = "t_ms,device,op,lbn,sectors,response_ms\n"
# A request at 5 ms whose latency is 1.5 ms began at 3.5 ms.
LAT = "5, 1500000, 0, 4096, 8192, 0\n6, 250000, 1, 512, 1024, 0\n7, 1000, 2, 4096, 0, 0\n"

Rows = list[tuple[Any, ...]]
FORMS: dict[str, tuple[str, Rows, dict[str, int]]] = {
    "msr": (
        MSR,
        [
            (0.0, "web_1", "R", 9794160, 48, 4.1286),
            (1332.0526, "web_1", "R", 9794207, 16, 0.1163),
            (2332.0616, "web_1", "W", 2963163, 8, 1.8446),
            (6338.8514, "web_1", "W", 2963165, 1, 0.1163),
            (7338.8514, "web_1", "R", 2048, 6, 0.1163),
        ],
        {"its length is 0": 1},
    ),
    "blkparse": (
        BLKPARSE,
        [
            (0.0, "8,16", "W", 274432, 8, 4.2),
            (10.000999, "8,16", "R", 95839968, 80, 8.0),
            (39.990999, "8,16", "R", 64, 1, None),
        ],
        {"it is a flush": 1, "it is a discard": 1, "it is no event D (issue)": 5},
    ),
    "fio-iolog-2": (
        IOLOG_2,
        [(0.0, "/dev/sdz", "R", 1844, 8), (1.5, "/dev/sdz", "W", 2048, 8)],
        {"it is a file action": 3, "it is a discard": 1, "it is a flush": 1},
    ),
    "fio-iolog-3": (
        IOLOG_3,
        [(0.0, "/dev/nvme 0", "R", 16, 8), (0.25, "/dev/nvme 0", "W", 2, 1)],
        {"it is a file action": 3, "it is a flush": 1},
    ),
    "fio-lat": (LAT, [(0.0, "0", "R", 16, 8, 1.5), (2.25, "0", "W", 2, 1, 0.25)], {"it is a discard": 1}),
    "spc": (
        "0,20941264,8192,W,0.551706\n1,7,512,r,0.554041\n",
        [(0.0, "0", "W", 20941264, 16), (2.335, "1", "R", 7, 1)],
        {},
    ),
    "disksim": (
        "0.000000 0 0 8 1\n13.191135 2 2000 8 103\n17.829285 0 576560 6 0\n",
        [(0.0, "0", "R", 0, 8), (13.191135, "2", "R", 2000, 8), (17.829285, "0", "W", 576560, 6)],
        {},
    ),
    "mqsim": (
        "4851300 1 524288 16 0\n4864300 1 524304 16 1\n",
        [(0.0, "1", "W", 524288, 16), (0.013, "1", "R", 524304, 16)],
        {},
    ),
    "alibaba": (
        "3,R,1048576,4096,1577808000000046\n3,W,2097152,8192,1577808000000100\n",
        [(0.0, "3", "R", 2048, 8), (0.054, "3", "W", 4096, 16)],
        {},
    ),
    "tencent": (
        "1538323200,12910952,128,0,1063\n1538323202,6338688,8,1,1627\n",
        [(0.0, "1063", "R", 12910952, 128), (2000.0, "1627", "W", 6338688, 8)],
        {},
    ),
    # The second request begins after the first one's 2 ms of response and 3 ms of thinking.
    "hp": (
        "R Hit 100 8 2000 3000\nw Miss 208 8 500 0\n",
        [(0.0, "0", "R", 100, 8, 2.0, 3.0), (5.0, "0", "W", 208, 8, 0.5, 0.0)],
        {},
    ),
    "block-table": (
        OWN + '0,"8,16",R,100,8,1.5\n5.5,sda,W,200,8,\n',
        [(0.0, "8,16", "R", 100, 8, 1.5), (5.5, "sda", "W", 200, 8, None)],
        {},
    ),
}


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["trace", *map(str, arguments)])


def imported(folder: Path, *arguments: object) -> tuple[Rows, dict[str, Any]]:
    """The rows that the command writes, and its JSON."""
    output = folder / "out.parquet"
    done = call("import", *arguments, "--output", output, "--json")
    assert done.exit_code == 0, done.output
    return pl.read_parquet(output).rows(), json.loads(done.stdout)


def refused(path: Path, *arguments: object, code: int = 3) -> str:
    output = path.with_name("never.csv")
    done = call("import", path, *arguments, "--output", output)
    assert done.exit_code == code, done.output
    assert not output.exists()
    return done.stderr


def file(folder: Path, text: str | bytes, name: str = "in") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


OPERATIONS = {
    "R": "R RS RM RAM FR READ Read read r 0 RSM readahead",
    "W": "W WS WFS FWFS WSM WB write WRITE w 1",
    "it is a flush": "F FN FFS flush fdatasync sync_file_range FLUSH_CACHE",
    "it is a discard": "D DS DE 2 trim discard UNMAP WZ write_zeroes ZR",
    "it moves no data": "N NS",
    "it is a file action": "open add close unlink",
    "op is neither a read nor a write": "rename x 3 rw",
}


@pytest.mark.parametrize("kind", OPERATIONS)
def test_operations_are_told_apart(kind: str) -> None:
    assert {op: kind_of(op, "") for op in OPERATIONS[kind].split()} == dict.fromkeys(OPERATIONS[kind].split(), kind)


@pytest.mark.parametrize("form", FORMS)
def test_a_format_is_recognised_and_its_requests_are_right(form: str, tmp_path: Path) -> None:
    text, rows, dropped = FORMS[form]
    found, said = imported(tmp_path, file(tmp_path, text))
    assert found == rows
    assert said["format"] == form
    assert said["because"]
    assert {each["reason"]: each["rows"] for each in said["dropped"]} == dropped


@pytest.mark.parametrize("form", FORMS)
def test_a_file_read_in_small_pieces_is_the_same(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, rows, dropped = FORMS[form]
    path = file(tmp_path, text)
    first = {each["reason"]: each["first"] for each in imported(tmp_path, path)[1]["dropped"]}
    monkeypatch.setattr(block, "PIECE", 50)
    found, said = imported(tmp_path, path)
    assert found == rows
    assert {each["reason"]: each["rows"] for each in said["dropped"]} == dropped
    assert {each["reason"]: each["first"] for each in said["dropped"]} == first


def test_a_time_with_a_digit_too_many_is_refused_by_its_row(tmp_path: Path) -> None:
    text = MSR.replace("131000000013382155", "1310000000133821550")
    # 1,310,000,000,133,821,550 - 131,000,000,000,061,629 units of 100 ns
    assert "in, row 2: its time is 1.179e+11 s from the first one's; at most 9000000 s" in refused(file(tmp_path, text))


HEADERS = {
    "msr": "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime",
    "spc": "ASU,LBA,Size,Opcode,Timestamp",
    "alibaba": "device_id,opcode,offset,length,timestamp",
    "tencent": "Timestamp,Offset,Size,IOType,VolumeID",
}


def spaced(text: str) -> str:
    return text.replace(",", " , ") if "Q  WS" not in text else text


VARIATIONS: dict[str, Callable[[str], bytes]] = {
    "with CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "with a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "packed": lambda text: gzip.compress(text.encode()),
    "with comments and blank lines": lambda text: b"# a comment\n\n" + text.replace("\n", "\n\n  \n# again\n").encode(),
    "without the last line's end": lambda text: text.rstrip("\n").encode(),
    "with spaces": lambda text: b"  " + spaced(text).replace("\n", " \n").encode(),
}


@pytest.mark.parametrize("variation", VARIATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_variations_of_a_format_hold_the_same(form: str, variation: str, tmp_path: Path) -> None:
    text, rows, dropped = FORMS[form]
    if form == "block-table" and variation == "with spaces":
        text = text.replace('"8,16"', "8:16")
        rows = [(row[0], row[1].replace("8,16", "8:16"), *row[2:]) for row in rows]
    found, said = imported(tmp_path, file(tmp_path, VARIATIONS[variation](text)))
    assert found == rows
    assert said["format"] == form
    assert {each["reason"]: each["rows"] for each in said["dropped"]} == dropped


@pytest.mark.parametrize("form", HEADERS)
def test_a_header_and_extra_columns_change_nothing(form: str, tmp_path: Path) -> None:
    text, rows, dropped = FORMS[form]
    extra = f"{HEADERS[form]},x\n" + text.replace("\n", ",9,x\n")
    for each in (f"{HEADERS[form]}\n{text}", text.replace("\n", "\n", 1) if form == "msr" else extra):
        found, said = imported(tmp_path, file(tmp_path, each))
        assert found == rows
        assert {each["reason"]: each["rows"] for each in said["dropped"]} == dropped


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("form", HEADERS)
def test_other_separators_change_nothing(form: str, separator: str, tmp_path: Path) -> None:
    text, rows, _ = FORMS[form]
    path = file(tmp_path, text.replace(",", separator))
    if (form, separator) == ("tencent", "\t"):  # divided like DiskSim's lines, but these have small device numbers
        assert "--columns" in refused(path)
    else:
        assert imported(tmp_path, path)[0] == rows


def test_disksims_lines_may_be_divided_by_tabs(tmp_path: Path) -> None:
    rows, said = imported(tmp_path, file(tmp_path, "0\t0\t8\t1\t1\n10.5\t1\t8\t1\t0\n"))
    assert (said["format"], rows) == ("disksim", [(0.0, "0", "R", 8, 1), (10.5, "1", "W", 8, 1)])


def test_small_and_quoted_words_of_msr_are_understood(tmp_path: Path) -> None:
    quoted = "\n".join(",".join(f'"{field}"' for field in line.split(",")) for line in MSR.lower().splitlines())
    found, said = imported(tmp_path, file(tmp_path, quoted))
    assert (found, said["format"]) == (FORMS["msr"][1], "msr")


def test_a_negative_size_or_offset_is_told_as_such(tmp_path: Path) -> None:
    lines = "128166372003061629,hm,1,Read,0,-512,413\n128166372003061629,hm,1,Read,-512,512,413\n"
    found, said = imported(tmp_path, file(tmp_path, MSR + lines))
    assert found == FORMS["msr"][1]
    told = {"its length is 0": 6, "its length is below 0 or too large": 7, "its offset is below 0 or too large": 8}
    assert {each["reason"]: each["first"] for each in said["dropped"]} == told


def test_a_cut_last_line_is_dropped_with_its_number(tmp_path: Path) -> None:
    found, said = imported(tmp_path, file(tmp_path, MSR + "131000000083450143,web,1,Wri"))
    assert found == FORMS["msr"][1]
    reasons = {each["reason"].split(",")[0]: (each["rows"], each["first"]) for each in said["dropped"]}
    assert reasons == {"it is not TIME": (1, 7), "its length is 0": (1, 6)}


def test_events_of_blkparse_are_chosen(tmp_path: Path) -> None:
    path = file(tmp_path, BLKPARSE)
    queued, _ = imported(tmp_path, path, "--events", "queue")
    assert queued == [(0.0, "8,16", "W", 274432, 8, 4.209001), (10.0, "8,16", "R", 95839968, 80, 8.01)]
    completed, _ = imported(tmp_path, path, "--events", "complete")
    assert completed == [(0.0, "8,16", "W", 274432, 8, 4.2), (13.800999, "8,16", "R", 95839968, 80, 8.0)]
    only_queued = "".join(line for line in BLKPARSE.splitlines(True) if "  Q " in line)
    assert "in 2 rows it is no event D (issue)" in refused(file(tmp_path, only_queued))
    assert "--events start: it must be queue, issue or complete" in refused(path, "--events", "start", code=2)


def test_a_requeued_request_has_the_response_time_of_its_last_issue(tmp_path: Path) -> None:
    lines = [(0, "D", 8), (1, "D", 8), (2, "D", 16), (3, "C", 8), (5, "C", 16), (6, "D", 8), (7, "C", 8)]
    text = "".join(f"8,0 0 1 0.00{ms}000000 1 {event} R {lbn} + 8 [x]\n" for ms, event, lbn in lines)
    found, _ = imported(tmp_path, file(tmp_path, text))
    assert [(row[0], row[3], row[5]) for row in found] == [(0, 8, None), (1, 8, 2), (2, 16, 3), (6, 8, 1)]


def test_whole_times_and_flags_decide_between_disksim_and_mqsim(tmp_path: Path) -> None:
    path = file(tmp_path, "0 0 100 8 1\n1000000 0 200 8 0\n")
    rows, said = imported(tmp_path, path)
    assert (said["format"], rows[1][0]) == ("mqsim", 1.0)
    assert "whole times: ns" in said["because"]
    rows, said = imported(tmp_path, path, "--format", "disksim")
    assert (said["format"], rows[1][0], said["because"]) == ("disksim", 1e6, "--format disksim")
    assert imported(tmp_path, file(tmp_path, "0 0 100 8 1\n5 0 200 8 2a\n6 0 1 1 3\n"))[1]["format"] == "disksim"


def test_requests_out_of_order_are_sorted_and_counted(tmp_path: Path) -> None:
    rows, said = imported(tmp_path, file(tmp_path, "t_ms,lbn,sectors,op\n0,100,8,R\n5.5,200,8,W\n5.2,300,8,read\n"))
    assert rows == [(0.0, "0", "R", 100, 8), (5.2, "0", "R", 300, 8), (5.5, "0", "W", 200, 8)]
    assert said["out_of_order"] == 1


def test_times_of_the_day_are_taken_from_the_first_request_exactly(tmp_path: Path) -> None:
    text = "t_ms,lbn,sectors,op\n12816637200306.1,13700410,48,R\n12816637200307.600001,13700458,16,R\n"
    rows, _ = imported(tmp_path, file(tmp_path, text))
    assert rows == [(0.0, "0", "R", 13700410, 48), (1.500001, "0", "R", 13700458, 16)]


def test_the_summary_counts_what_there_is(tmp_path: Path) -> None:
    _, said = imported(tmp_path, file(tmp_path, MSR))
    # 24576 + 8192 bytes and 3000, which touch 6 sectors, in 7.3388514 s
    assert said["reads"] == {"requests": 3, "bytes": 24576 + 8192 + 6 * 512}
    assert said["writes"] == {"requests": 2, "bytes": 4096 + 512}
    assert (said["rounded_to_sectors"], said["out_of_order"]) == (1, 0)
    assert said["largest_lbn"] == 9794207 + 15
    assert said["span_s"] == pytest.approx(7.3388514)
    assert said["requests_per_s"] == pytest.approx(5 / 7.3388514)
    assert said["devices"] == {"web_1": 5}
    assert said["response"] == {"known": 5, "mean_ms": pytest.approx(6.3221 / 5), "median_ms": 0.1163}
    done = call("import", file(tmp_path, MSR), "--output", tmp_path / "out.csv")
    assert "format    msr, because 6 of its first 6 lines are TIME,HOST,DISK" in done.stdout
    assert "dropped   line 6: its length is 0\n" in done.stdout
    head = "t_ms,device,op,lbn,sectors,response_ms\n0.0,web_1,R,9794160,48,4.1286\n"
    assert (tmp_path / "out.csv").read_text().startswith(head)


TABLE = "when;who;what;where;blocks\n2026-11-29T20:00:00.5Z;a;READ;10;2\n2026-11-29T20:00:01,25Z;b;w;7,0;1\n"


def test_columns_are_given_by_name_and_number_with_units(tmp_path: Path) -> None:
    path = file(tmp_path, TABLE)
    spec = "time=When:clock,device=1,op=what,offset=where:4096,length=blocks:4096"
    rows, said = imported(tmp_path, path, "--columns", spec)
    assert rows == [(0.0, "a", "R", 80, 16), (750.0, "b", "W", 56, 8)]
    assert (said["format"], said["because"]) == ("columns", "--columns")
    text = "5 0 4096 1 0\n7 1 512 0 9\n"
    rows, _ = imported(tmp_path, file(tmp_path, text), "--columns", "time=0:s,op=1,length=2:bytes,offset=4:sectors")
    assert rows == [(0.0, "0", "R", 0, 8), (2000.0, "0", "W", 9, 1)]
    spec = "time=0:filetime,op=1:wr,length=2:bytes,offset=4:sectors,response=3:ms"
    rows, _ = imported(tmp_path, file(tmp_path, text), "--columns", spec)
    assert rows == [(0.0, "0", "W", 0, 8, 1.0), (0.0002, "0", "R", 9, 1, None)]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("time=0:us,op=1,offset=2:bytes", "it gives no length"),
        ("time=0,op=1,offset=2:bytes,length=3:bytes", "time is no field and unit"),
        ("time=0:us,op=1,offset=2:miles,length=3:bytes", "offset:miles is no field and unit"),
        ("time=0:us,op=1,offset=2:bytes,length=2:bytes", "each field must have a column of its own"),
        ("time=0:us,op=1,offset=2:bytes,length=9:bytes", "9 is no column"),
        ("time=0:us,op=1,offset=2:bytes,length=size:bytes", "size is no column"),
        ("nonsense", "nonsense is no field and unit"),
    ],
)
def test_mistakes_in_columns_are_told(spec: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in refused(file(tmp_path, "5 0 4096 1 0\n"), "--columns", spec, code=2)


def test_a_pattern_reads_any_other_text(tmp_path: Path) -> None:
    text = "boot\n[1.5] dev=sda R sector 8 bytes 4096\n[2.75] dev=sdb W sector 16 bytes 512\n[3] nothing\n"
    pattern = r"\[(?P<time_s>[\d.]+)\] dev=(?P<device>\w+) (?P<op>\w) sector "
    pattern += r"(?P<offset_sectors>\d+) bytes (?<length_bytes>\d+)"
    rows, said = imported(tmp_path, file(tmp_path, text), "--pattern", pattern)
    assert rows == [(0.0, "sda", "R", 8, 8), (1250.0, "sdb", "W", 16, 1)]
    assert said["dropped"] == [{"reason": "it is not a line of --pattern", "rows": 1, "first": 4}]
    assert "is no regular expression" in refused(tmp_path / "in", "--pattern", "(", code=2)
    assert "it gives no length, offset or time" in refused(tmp_path / "in", "--pattern", r"(?P<op>\w)", code=2)


def test_a_volume_holds_all_addresses(tmp_path: Path) -> None:
    # Eight sectors: LBN 17 is 1; LBN 14 is 6, from which three sectors would cross the end; nine sectors never fit.
    path = file(tmp_path, "t_ms,op,lbn,sectors\n0,R,17,2\n1,W,14,3\n2,W,14,2\n3,R,3,9\n")
    rows, said = imported(tmp_path, path, "--volume", "4KiB")
    assert [row[3:] for row in rows] == [(1, 2), (0, 3), (6, 2)]
    assert imported(tmp_path, path, "--volume", "4096")[0] == rows
    assert said["moved"] == 3
    assert said["dropped"] == [{"reason": "it is longer than the volume", "rows": 1, "first": 5}]
    assert imported(tmp_path, path, "--volume", "1TB")[1]["moved"] == 0
    assert "moved     3 onto the volume" in call("show", path, "--volume", "4KiB").stdout
    assert "--volume 8: it must be a size of at least 512B" in refused(path, "--volume", "8", code=2)


def test_a_file_that_gzip_cannot_unpack_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(MSR.encode() * 5000)
    assert "Compressed file ended before" in refused(file(tmp_path, packed[:-9]))
    assert "Compressed file ended before" in refused(file(tmp_path, gzip.compress(MSR.encode())[:-9]))


def test_one_device_is_kept(tmp_path: Path) -> None:
    path = file(tmp_path, FORMS["disksim"][0])
    rows, said = imported(tmp_path, path, "--device", "2")
    assert rows == [(0.0, "2", "R", 2000, 8)]
    assert said["devices"] == {"2": 1}
    assert "--device 7: it must be 0 or 2" in refused(path, "--device", "7", code=2)


def test_files_are_streams_on_one_clock(tmp_path: Path) -> None:
    first = file(tmp_path, MSR, "web_1.csv")
    later = MSR.replace("13100000000006", "13100000000016").splitlines(True)[0]
    second = file(tmp_path, later + later.replace("web,1", "web,2"), "web_2.csv")
    rows, said = imported(tmp_path, first, second)
    assert said["devices"] == {f"{first}:web_1": 5, f"{second}:web_1": 1, "web_2": 1}
    assert [(row[0], row[1]) for row in rows[:3]] == [(0, f"{first}:web_1"), (10, f"{second}:web_1"), (10, "web_2")]
    other = file(tmp_path, FORMS["spc"][0], "other")
    assert "has another format than" in refused(first, other, code=2)
    assert f"cannot read {tmp_path / 'none'}: No such file" in refused(first, tmp_path / "none")


def test_a_log_of_fio_without_offsets_says_how_to_get_them(tmp_path: Path) -> None:
    for text in (
        "5, 1500000, 0, 4096\n6, 2500, 1, 4096\n",
        "5, 1500000, 0, 4096, 0\n",
        "5, 1500000, 0, 4096, 0x0004\n",
    ):
        assert "is a log of fio without offsets; write it with log_offset=1" in refused(file(tmp_path, text))
    averaged = refused(file(tmp_path, "500, 1500000, 0, 0, 0, 0\n1000, 1500, 1, 0, 0, 0\n"), "--format", "fio-lat")
    assert "in 2 rows its length is 0" in averaged


def test_other_text_names_the_way_out(tmp_path: Path) -> None:
    assert "--columns" in refused(file(tmp_path, "5 what ever 7\n"))
    assert "is no block trace of a known format" in refused(file(tmp_path, "5 what ever 7\n"), "--volume", "1GB")
    assert "exclude one another" in refused(file(tmp_path, MSR), "--format", "msr", "--pattern", "x", code=2)
    mixed = refused(file(tmp_path, MSR), "--time-unit", "us", "--volume", "1GB", code=2)
    assert "--layer, --time-unit, --column and --seed are for traces of applications" in mixed
    assert "no request is left (in 6 rows it is not ASU" in refused(file(tmp_path, MSR), "--format", "spc")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    rows, _ = imported(tmp_path, file(tmp_path, BLKPARSE))
    for name in ("out.csv", "out.parquet"):
        assert call("import", file(tmp_path, BLKPARSE), "--output", tmp_path / name).exit_code == 0
        again, said = imported(tmp_path, (tmp_path / name).rename(tmp_path / f"again-{name}"))
        assert (again, said["format"], said["dropped"]) == (rows, "block-table", [])


def test_a_table_of_an_application_is_none_of_blocks(tmp_path: Path) -> None:
    path = file(tmp_path, "rank,op,offset,length,start_s,end_s,file\n0,write,0,4096,10,15,f\n")
    done = call("import", path, "--output", tmp_path / "out.csv")
    assert "files     1" in done.stdout
    assert "0,write,f,0,4096,10.0,15.0" in (tmp_path / "out.csv").read_text()


def test_addresses_and_numbers_that_cannot_be_are_dropped(tmp_path: Path) -> None:
    text = "t_ms,op,lbn,sectors\n0,R,8,8.0\n1,R,8.5,8\n2,R,-8,8\n3,R,1e30,8\n4,R,8,9e18\nx,R,8,8\n6,?,8,8\n4e37,R,8,8\n"
    rows, said = imported(tmp_path, file(tmp_path, text))
    assert rows == [(0.0, "0", "R", 8, 8)]
    assert {each["reason"]: each["first"] for each in said["dropped"]} == {
        "its offset is no whole number": 3,
        "its offset is below 0 or too large": 4,
        "its length is below 0 or too large": 6,
        "its time is no time": 7,
        "op is neither a read nor a write": 8,
    }


def test_a_parquet_file_with_lists_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"t_ms": [[1.0]], "op": ["R"], "lbn": [8], "sectors": [8]}).write_parquet(tmp_path / "in")
    assert "a column must hold numbers or text" in refused(tmp_path / "in")


def test_show_draws_devices_as_ranks(tmp_path: Path) -> None:
    text = "0.5 0 0 8 1\n1.5 0 8 8 1\n2.5 3 16 8 0\n"
    done = call("show", file(tmp_path, text), "--output", tmp_path / "out.png")
    assert done.exit_code == 0, done.output
    assert "format    disksim, because" in done.stdout
    assert "│ 0           │ read  │        2 │  8192 │     1 │     100.0 % │   0.0 % │" in done.stdout
    assert (tmp_path / "out.png").stat().st_size > 0
    said = json.loads(call("show", tmp_path / "in", "--json", "--device", "3").stdout)
    assert (said["requests"], said["regularity"][0]["file"]) == (1, "3")
