# SPDX-License-Identifier: MIT
import gzip
import json
from pathlib import Path

import pytest
from conftest import Sunstar

from sunstar import FileError
from sunstar.places import shared
from sunstar.validation.disks import REFERENCE, SOUND, find_runs

SUMMARY = (
    "run,trace,trace_seed,org,disks,stripe_unit_sectors,read_choice,driver_sched,ops,level,time_scale,"
    "mean_ms,p90_ms,p99_ms,read_mean_ms,read_p90_ms,read_p99_ms,write_mean_ms,write_p90_ms,write_p99_ms,"
    "util_mean,disk_reads,disk_writes\n"
)
TIMES = "20,30,40,20,30,40,20,30,40,0.1,3,3\n"


def reference(folder: Path) -> Path:
    """Two runs of a trace with a read, a small write and a write of a row of three units that lacks its ends."""
    (folder / "summary.csv").write_text(
        SUMMARY
        + f"X-five,X,7,raid5,4,64,,C-LOOK,mixed,light,2,{TIMES}"
        + f"X-two,X,7,raid1,4,64,3,FCFS,writes,light,1,{TIMES}"
        + f"X-other,X,8,raid5,4,64,,C-LOOK,mixed,light,1,{TIMES}"
    )
    with gzip.open(folder / "trace_X_small.csv.gz", "wt") as trace:
        trace.write("id,t_ms,lbn,sectors,op\n0,1,8,16,R\n1,50,8,8,W\n2,100,8,180,W\n")
    with gzip.open(folder / "result_X-five.csv.gz", "wt") as result:
        result.write("id,disk_reads,disk_writes\n0,1,0\n1,2,2\n2,0,4\n")
    return folder


def test_runs_are_found_with_the_trace_of_their_seed(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"there is no .*summary\.csv; name the folder"):
        find_runs(tmp_path, [])
    runs = find_runs(reference(tmp_path), [])
    assert [run.name for run in runs] == ["X-five", "X-two"]
    assert [run.requests is not None for run in runs] == [True, False]
    assert [run.name for run in find_runs(tmp_path, ["two"])] == ["X-two"]
    with pytest.raises(FileError, match="has no run named like six with a trace"):
        find_runs(tmp_path, ["six"])


def test_validate_compares_counts_and_times_by_both_rules(sunstar: Sunstar, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = sunstar(
        "validate", "arrays", "--reference", str(reference(tmp_path)), "--trials", "1", "--results", str(out)
    )
    assert done.exit_code == 0, done.output
    rows = json.loads((out / "arrays.json").read_text())["rows"]
    # The rest of a row's first and last unit is read, unless a touched row counts as full.
    assert [(row["run"], row["rules"], row["requests_with_other_counts"]) for row in rows] == [
        ("X-five", SOUND, 1),
        ("X-five", REFERENCE, 0),
        ("X-two", SOUND, None),
        ("X-two", REFERENCE, None),
    ]
    assert rows[0]["disk_reads"] == 5
    assert rows[1]["disk_reads"] == 3
    assert rows[2]["disk_reads"] == 0  # all requests write
    assert rows[0]["mean_error_percent"] == pytest.approx(100 * (rows[0]["mean_ms"] / 20 - 1))


def test_the_reference_s_arrays_are_within_their_bounds(sunstar: Sunstar, tmp_path: Path) -> None:
    if not (shared() / "reference" / "raid" / "known").is_dir():
        pytest.skip("the reference's runs are not there")
    done = sunstar("validate", "arrays", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    for row in json.loads((tmp_path / "arrays.json").read_text())["rows"]:
        if row["rules"] == REFERENCE:  # sound rules make other times: docs/validation.md says which, and why
            assert abs(row["mean_error_percent"]) < 2, row["run"]
            assert abs(row["p90_error_percent"]) < 10, row["run"]
            assert row["requests_with_other_counts"] == 0, row["run"]
