# SPDX-License-Identifier: MIT
"""sunstar import fio and sunstar fio: job files, what becomes of them, and results in fio's form."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sunstar.cli import app

BASE = "[global]\nioengine=libaio\ndirect=1\nruntime=10ms\n"


def imported(folder: Path, text: str) -> tuple[list[dict[str, Any]], str]:
    """The workloads, and what was printed."""
    (folder / "a.fio").write_text(text)
    done = CliRunner().invoke(app, ["import", "fio", str(folder / "a.fio"), "--output", str(folder / "c.json")])
    assert done.exit_code == 0, done.stderr
    return [json.loads(path.read_text())["workload"] for path in sorted(folder.glob("c*.json"))], done.stdout


def job(folder: Path, text: str) -> dict[str, Any]:
    [workload], _ = imported(folder, f"{BASE}[j]\n{text}")
    [only] = workload["jobs"]
    found: dict[str, Any] = only
    return found


def refused(folder: Path, text: str) -> str:
    (folder / "a.fio").write_text(text)
    done = CliRunner().invoke(app, ["import", "fio", str(folder / "a.fio"), "--output", str(folder / "c.json")])
    assert done.exit_code == 3, done.output
    assert not list(folder.glob("*.json"))
    return done.stderr


PLAIN = {"number": 1, "reads": 1.0, "sizes": [{"size": "4096B"}], "depth": 1, "places": "sequential", "offset": "0B"}


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", {}),
        ("rw=randread\niodepth=32 ; deep\nnumjobs=4", {"places": "uniform", "depth": 32, "number": 4}),
        ("readwrite=randrw\nrwmixread=70", {"places": "uniform", "reads": 0.7}),
        ("rw=rw\nrwmixwrite=20", {"reads": 0.8}),
        ("rw=readwrite\nblocksize=8k,8k", {"reads": 0.5, "sizes": [{"size": "8192B"}]}),
        ("rw=write\nbs=4k,64ki", {"reads": 0.0, "sizes": [{"size": "64000B"}]}),
        ("kb_base=1000\nbs=4ki", {}),
        ("bs=0x1000", {}),
        ("bsrange=4k-12k", {"sizes": [{"size": "4096B"}, {"size": "8192B"}, {"size": "12288B"}]}),
        (
            "bssplit=4k/10:64k/50:32k/",
            {"sizes": [{"size": f"{k << 10}B", "share": share} for k, share in ((4, 10), (64, 50), (32, 40))]},
        ),
        ("ioengine=psync\niodepth=16", {}),
        ("rate_iops=500\nnumjobs=3", {"pacing": "paced", "rate": 1500, "number": 3}),
        ("rate=4m\nrate_process=poisson", {"pacing": "poisson", "rate": 1024}),
        ("rw=rw\nrate_iops=300,100", {"pacing": "paced", "rate": 400, "reads": 0.75}),
        ("thinktime=2ms", {"pause": "2000000000ps"}),
        ("thinktime=50", {"pause": "50000000ps"}),
        ("size=1g\ntime_based\noffset=1m", {"span": f"{1 << 30}B", "offset": f"{1 << 20}B"}),
        ("size=1m\nloops=3", {"span": f"{1 << 20}B", "amount": f"{3 << 20}B"}),
        ("size=1m\nio_size=4m", {"span": f"{1 << 20}B", "amount": f"{4 << 20}B"}),
        ("number_ios=10", {"amount": "40960B"}),
        ("rw=randread\nrandom_distribution=zipf:1.2", {"places": "zipf", "skew": 1.2}),
        ("rw=randwrite\nrandom_distribution=pareto:0.3", {"reads": 0.0, "places": "pareto", "skew": 0.3}),
        ("rw=randread\nrandom_distribution=random\nfsync=0\nnrfiles=1", {"places": "uniform"}),
    ],
)
def test_an_option_becomes_a_parameter_of_the_job(tmp_path: Path, text: str, changed: dict[str, Any]) -> None:
    assert job(tmp_path, text) == PLAIN | changed


def test_sections_share_the_global_options_above_them_and_stonewall_begins_another_run(tmp_path: Path) -> None:
    text = f"# a comment\n{BASE}[a]\nrw=randread\n[global]\nbs=8k\nramp_time=1\n[b]\nstonewall\n[c]\nrw=write\n"
    text += "offset_increment=1g\nnumjobs=2\nrate_iops=10\ngroup_reporting\ninvalidate=1\n"
    [first, second], said = imported(tmp_path, text)
    assert said.rstrip().endswith("without effect here: direct group_reporting invalidate")
    assert first == {"kind": "queues", "jobs": [PLAIN | {"places": "uniform"}], "warm_up": "0ps"} | {
        "duration": "10000000000ps"
    }
    plain = PLAIN | {"sizes": [{"size": "8192B"}]}
    writes = plain | {"reads": 0.0, "pacing": "paced", "rate": 10.0}
    assert second["jobs"] == [plain, writes, writes | {"offset": f"{1 << 30}B"}]
    assert second["warm_up"] == "1000000000000ps"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fsync=1", "a.fio, [j]: fsync=1: writes here wait for nothing else; leave it out"),
        ("verify=crc32c", "[j]: verify=crc32c: it would read again"),
        ("rw=randtrim", "[j]: rw=randtrim: it must be read, write, rw, randread, randwrite or randrw"),
        ("rw=randread:8", "it must be read, write"),
        ("iodepht=8", '[j]: iodepht=8: it is no option of fio that Sunstar knows; did you mean "iodepth"?'),
        ("iodepth=many", "it must be a whole number"),
        ("ioengine=rados", "[j]: ioengine=rados: it must be sync, psync"),
        ("bs=4q", "it must be bytes such as 4096, 4k or 1g"),
        ("runtime=3w", "it must be a time with"),
        ("rw=rw\nbs=4k,8k", "reads and writes have other sizes; they must be two jobs"),
        ("rw=rw\nrate_iops=500,0", "reads and writes must both have one"),
        ("random_distribution=zipf:1.2\nrw=randread\nrandom_distribution=normal:10", "it must be random, zipf"),
        ("runtime=0", "without one a job needs a size, or it would not end"),
        ("bsrange=8k", "it must be two sizes, such as 4k-16k"),
        ("bsrange=1-9g", "it must be two sizes, such as 4k-16k"),
        ("bs=0\nrate=1m", "it must be at least a byte"),
        ("bssplit=4k/0", "it must be at least a byte"),
        ("numjobs=9999999\noffset_increment=1", "it must be from 1 to 1024"),
        ("filename=/dev/a:/dev/b", "there is one drive"),
        ("filename=/dev/a\n[k]\nfilename=/dev/b", "there is one drive"),
        ("[k]\nruntime=20ms", "jobs that run at the same time must have equal times"),
        ("size=${SIZE}", "line 6: size=${SIZE}: it stands for something outside the file"),
        ("include other.fio", "it stands for something outside the file"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in refused(tmp_path, f"{BASE}[j]\n{text}")


def test_a_file_that_is_no_job_file_is_refused(tmp_path: Path) -> None:
    assert "line 1: bs=4k: it must stand below [global]" in refused(tmp_path, "bs=4k\n")
    assert "it must be a job file of fio, with at least one section" in refused(tmp_path, "[global]\n")


def test_a_command_line_is_a_job_file_too(tmp_path: Path) -> None:
    words = "fio --ioengine=io_uring --runtime=1 --output-format=json --name=a --rw=randread --name=b --rw=write"
    done = CliRunner().invoke(app, ["import", "fio", words, "--output", str(tmp_path / "c.json")])
    assert done.exit_code == 0, done.stderr
    assert json.loads((tmp_path / "c.json").read_text())["workload"]["jobs"] == [
        PLAIN | {"places": "uniform"},
        PLAIN | {"reads": 0.0},
    ]


def test_a_run_is_told_as_fio_tells_it(tmp_path: Path) -> None:
    text = f"{BASE}time_based\n[mixed]\nrw=randrw\nrwmixread=75\niodepth=8\nnumjobs=2\ngroup_reporting\n"
    text += "[end]\nstonewall\nrw=write\nsize=400k\nbs=4k\nruntime=20ms\ntime_based=0\n"
    (tmp_path / "a.fio").write_text(text)
    words = ["fio", str(tmp_path / "a.fio"), "--drive", "intel-p5510", "--output", str(tmp_path / "r.json")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == "Warning: without effect here: direct group_reporting\n"
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["fio version"].startswith("Sunstar ")
    mixed, end = result["jobs"]
    assert [each["jobname"] for each in (mixed, end)] == ["mixed", "end"]
    assert (mixed["groupid"], end["groupid"]) == (0, 1)
    reads, writes = mixed["read"], mixed["write"]
    assert reads["total_ios"] / (reads["total_ios"] + writes["total_ios"]) == pytest.approx(0.75, abs=0.03)
    assert reads["runtime"] == 10
    assert reads["iops"] == pytest.approx(reads["total_ios"] / 0.01)
    assert reads["bw"] == round(reads["iops"] * 4)
    assert reads["io_bytes"] == reads["total_ios"] * 4096
    clat = reads["clat_ns"]
    assert clat["min"] <= clat["percentile"]["50.000000"] <= clat["percentile"]["99.900000"] <= clat["max"]
    assert clat["N"] == reads["total_ios"]
    assert reads["lat_ns"]["mean"] == pytest.approx(clat["mean"] + reads["slat_ns"]["mean"])
    assert end["write"]["total_ios"] == 100
    assert end["write"]["io_bytes"] == 400 << 10
    assert 0 < end["write"]["runtime"] < 20
    assert end["read"]["total_ios"] == mixed["trim"]["total_ios"] == 0
    done = CliRunner().invoke(app, [*words[:4], "--runtime", "2ms"])
    assert json.loads(done.stdout)["jobs"][0]["read"]["runtime"] == 2
    done = CliRunner().invoke(app, [*words[:3], "barracuda"])
    assert done.exit_code == 3
    assert "--drive barracuda" in done.stderr
