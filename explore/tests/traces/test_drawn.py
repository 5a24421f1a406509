# SPDX-License-Identifier: MIT
"""Requests drawn from counters: Darshan's counting, here call by call, gives the same counters again."""

import json
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.places import shared
from sunstar.traces import darshan
from sunstar.traces.drawn import CLASSES, draw

Request = tuple[int, str, int, int]  # Rank, operation, offset, length
BOUNDS = (100, 1024, 10240, 102400, 1048576, 4194304, 10485760, 104857600, 1073741824)
UNIT = 4096


def counters(requests: Iterable[Request], rank: int) -> dict[str, Any]:
    """As Darshan's POSIX module counts them: each rank's calls one by one, then the sums over the ranks."""
    found: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    gaps: Counter[int] = Counter()
    last_byte: dict[tuple[int, str], int] = {}
    last_op: dict[int, str] = {}
    ends = {"READ": 0, "WRITTEN": 0}
    moved: Counter[int] = Counter()
    for who, op, offset, length in requests:
        name, past = op.upper(), "READ" if op == "read" else "WRITTEN"
        last = last_byte.get((who, op), 0)
        found[f"{name}S"] += 1
        found[f"BYTES_{past}"] += length
        found[f"SEQ_{name}S"] += offset > last
        found[f"CONSEC_{name}S"] += offset == last + 1
        if offset > last and last != 0 and offset > last + 1:
            gaps[offset - last - 1] += 1
        if length:
            sizes[length] += 1
        found[f"SIZE_{name}_{CLASSES[sum(length > bound for bound in BOUNDS)]}"] += 1
        found["FILE_NOT_ALIGNED"] += offset % UNIT != 0
        found["RW_SWITCHES"] += last_op.get(who, op) != op
        last_byte[who, op], last_op[who] = offset + length - 1, op
        ends[past] = max(ends[past], offset + length - 1)
        moved[who] += length
    result: dict[str, Any] = {"rank": rank, "file": "/f", "FILE_ALIGNMENT": UNIT}
    for op, past in (("READ", "READ"), ("WRITE", "WRITTEN")):
        names = [f"{op}S", f"BYTES_{past}", f"SEQ_{op}S", f"CONSEC_{op}S", *(f"SIZE_{op}_{size}" for size in CLASSES)]
        result |= {name: found[name] for name in names} | {f"MAX_BYTE_{past}": ends[past]}
    result |= {name: found[name] for name in ("FILE_NOT_ALIGNED", "RW_SWITCHES")}
    for what, values in (("ACCESS", sizes), ("STRIDE", gaps)):
        top = [*sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))[:4], *[(0, 0)] * 4]
        for i in range(4):
            result[f"{what}{i + 1}_{what}"], result[f"{what}{i + 1}_COUNT"] = top[i]
    mean = sum(moved.values()) / len(moved)
    return result | {"F_VARIANCE_RANK_BYTES": sum((of - mean) ** 2 for of in moved.values()) / len(moved)}


def log(requests: list[Request], rank: int) -> dict[str, Any]:
    """The counters with first and last times, and the sum of all."""
    found = counters(requests, rank)
    for op, start, end, busy in (
        ("READ", 1.0, 3.0, 0.4),
        ("WRITE", 1.5 if found["RW_SWITCHES"] > 1 else 3.0, 4.0, 0.8),
    ):
        calls = found[f"{op}S"]
        times = (start, start + busy if calls == 1 else end, busy) if calls else (0.0, 0.0, 0.0)
        names = (f"F_{op}_START_TIMESTAMP", f"F_{op}_END_TIMESTAMP", f"F_{op}_TIME")
        found |= dict(zip(names, times, strict=True))
    return found


def at_random(count: int, size: int, blocks: int) -> list[Request]:
    return [(0, "read", int(at) * size, size) for at in np.random.default_rng(5).permutation(blocks)[:count]]


def in_order(sizes: list[int], op: str = "write") -> list[Request]:
    return [(0, op, at, size) for at, size in zip(accumulate([0, *sizes]), sizes, strict=False)]


MIXED = [int(size) for size in np.random.default_rng(2).integers(1, 300_000, 200)]
SHARED = {
    "segments": [(r, "write", (r * 8 + i) * 65536, 65536) for i in range(8) for r in range(4)],
    "strides": [(r, "write", (i * 4 + r) * 65536, 65536) for i in range(8) for r in range(4)],
    "unaligned strides": [(r, "write", (i * 4 + r) * 47008, 47008) for i in range(8) for r in range(4)],
    "the same bytes by all": [(r, "read", i * 1000, 1000) for i in range(8) for r in range(4)],
}
OWN = {
    "one write": [(0, "write", 0, 10)],
    "appending": [(0, "write", 5000 + i * 100, 100) for i in range(30)],
    "many sizes in order": in_order(MIXED),
    "many small sizes": in_order([size % 40 for size in MIXED]),
    "random blocks": at_random(300, 4096, 100_000),
    "random bytes": at_random(300, 1001, 500_000),
    "again from the beginning": in_order([8192] * 20, "read") * 3,
    "one after the other, both": in_order([4096] * 10) + in_order([4096] * 10, "read"),
    "in turns": [of for pair in zip(in_order([512] * 9), in_order([4096] * 9, "read"), strict=True) for of in pair],
    "with an empty read at the end": [*in_order([700, 700, 3], "read"), (0, "read", 1403, 0)],
    "a header, then strides": [(0, "write", 2048 + i * 8192, 4096) for i in range(50)] + [(0, "write", 0, 96)],
}


@pytest.mark.parametrize("case", [*OWN, *SHARED])
@pytest.mark.parametrize("seed", [1, 2])
def test_drawn_requests_have_all_counters_of_the_log(case: str, seed: int) -> None:
    rank, requests = (3, OWN[case]) if case in OWN else (-1, SHARED[case])
    wanted = log(requests, rank)
    records = pl.DataFrame([wanted])
    found, agrees = draw(records, records, 4, seed)
    table = found.sort("start_s", "rank", maintain_order=True)
    again = counters(table.select("rank", "op", "offset", "length").iter_rows(), rank)
    loose = {"F_VARIANCE_RANK_BYTES"}
    for what in ("ACCESS", "STRIDE"):  # The fourth may be as common as others, which Darshan does not name
        equal = [i for i in range(1, 5) if wanted[f"{what}{i}_COUNT"] == wanted[f"{what}4_COUNT"] > 0]
        loose |= {f"{what}{i}_{what}" for i in equal}
    assert {key: again[key] for key in again if key not in loose} == {
        key: wanted[key] for key in again if key not in loose
    }
    assert agrees.row(0, named=True) == dict.fromkeys(agrees.columns, True)
    assert set(table["rank"]) == ({3} if case in OWN else {0, 1, 2, 3})
    for op in set(table["op"]):
        mine, name = table.filter(op=op), op.upper()
        assert mine["start_s"].min() == wanted[f"F_{name}_START_TIMESTAMP"]
        assert mine["end_s"].max() == pytest.approx(wanted[f"F_{name}_END_TIMESTAMP"])
        assert (mine["end_s"] - mine["start_s"]).sum() == pytest.approx(wanted[f"F_{name}_TIME"])


def test_a_seed_draws_the_same_requests_and_another_one_others() -> None:
    records = pl.DataFrame([log(OWN["random blocks"], 0)])
    one, same, other = (draw(records, records, 1, seed)[0] for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)


def test_a_counter_that_cannot_be_met_is_not_said_to_agree() -> None:
    wrong = log(OWN["one write"], 0) | {"BYTES_WRITTEN": 5000}  # by one write of at most 100 bytes
    records = pl.DataFrame([wrong])
    _, agrees = draw(records, records, 1, 1)
    assert not agrees["bytes"][0]
    assert agrees["operations"][0]


def log_of(monkeypatch: pytest.MonkeyPatch, layers: dict[str, pl.DataFrame]) -> None:
    def unpacked(_: Path, folder: Path) -> dict[str, Any]:
        for name, table in layers.items():
            table.write_parquet(folder / f"{name}.counters.parquet")
        return {"processes": 4, "layers": {name: {"requests": False, "counters": True} for name in layers}}

    monkeypatch.setattr(darshan, "unpacked", unpacked)


def imported(folder: Path, *options: str) -> tuple[int, list[str]]:
    path = folder / "a.darshan"
    path.write_bytes(b"3.41\0\0\0\0" + (6567223).to_bytes(8, "little"))
    arguments = ["trace", "import", str(path), "--output", str(folder / "out.csv"), *options]
    done = CliRunner().invoke(app, arguments)
    return done.exit_code, (done.stdout + done.stderr).splitlines()


def test_the_first_line_and_the_trace_say_that_order_and_offsets_are_invented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_of(monkeypatch, {"posix": pl.DataFrame([log(SHARED["strides"], -1)])})
    code, lines = imported(tmp_path)
    assert code == 0, lines
    said = "order and offsets are invented (seed 1); the log's counters of posix constrain them"
    assert lines[0] == f"drawn     {said}"
    assert lines[1].startswith("agrees    for each of 1 files and ranks: operations, bytes, size classes, consecutive")
    first = (tmp_path / "out.csv").read_bytes()
    assert first.startswith(f"# drawn: {said}\n# agrees: for each of 1".encode())
    assert imported(tmp_path, "--seed", "1")[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == first
    done = CliRunner().invoke(
        app, ["trace", "import", str(tmp_path / "out.csv"), "--output", str(tmp_path / "two.csv")]
    )
    assert done.stdout.startswith(f"drawn     {said}\n")
    done = CliRunner().invoke(app, ["trace", "show", str(tmp_path / "out.csv"), "--seed", "2"])
    assert "--seed 2: only from the counters of a Darshan log are requests drawn" in done.stderr


def test_a_log_with_neither_requests_nor_counters_gets_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_of(monkeypatch, {})
    code, lines = imported(tmp_path)
    assert (code, len(lines)) == (3, 1)
    assert (
        "a.darshan has no requests with offsets, nor counters of reads or writes; there is nothing to replay"
        in lines[0]
    )
    log_of(monkeypatch, {"posix": pl.DataFrame([log(OWN["appending"], 0)])})
    code, lines = imported(tmp_path, "--layer", "stdio")
    assert code == 2
    assert "--layer stdio: " in lines[0] and "has counters of posix only" in lines[0]


def test_impossible_counters_get_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = log(OWN["appending"], 0)
    for change, sentence in (
        ({"WRITES": 10**9}, "a.darshan counts 1000000000 requests of posix; at most 20000000 are drawn"),
        ({"SIZE_WRITE_0_100": -7, "ACCESS1_COUNT": 0}, "its counters of posix contradict one another"),
    ):
        log_of(monkeypatch, {"posix": pl.DataFrame([sound | change])})
        code, lines = imported(tmp_path)
        assert (code, len(lines)) == (3, 1), lines
        assert sentence in lines[0]


@pytest.mark.parametrize("layer", ["mpi-io", "posix", "stdio"])
def test_a_real_logs_layers_are_drawn(layer: str, tmp_path: Path) -> None:
    path = shared() / "findings/field/03-darshan-3.1-mpiio/mpi-io-test-x86_64-3.1.3.darshan"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    arguments = ["trace", "import", str(path), "--output", str(tmp_path / "out.csv"), "--seed", "3", "--layer", layer]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["drawn"].startswith("order and offsets are invented (seed 3)")
    assert "in part" not in said
    moved = (said["reads"]["bytes"], said["writes"]["bytes"], said["ranks"])
    assert moved == ((0, 322, 1) if layer == "stdio" else (1 << 26, 1 << 26, 4))
