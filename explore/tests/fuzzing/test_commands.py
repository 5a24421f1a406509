# SPDX-License-Identifier: MIT
"""Every command that reads a file, with random changes of sound files: it accepts them, or refuses them in a sentence.

`pytest --fuzz 5000 explore/tests/fuzzing` draws so many inputs for each file of each command.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import netCDF4
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from mutations import changed
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.places import executable, project
from sunstar.runs.runner import FILE as STORE

SHORT = 8  # Inputs of a file in ./test
LONGEST_S = 20.0  # Of this program's own processor time
FINDINGS = project() / "build" / "logs" / "fuzzing"
"""Where a long run leaves the files of a command that ends as it must not."""
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Command:
    """A call whose words may name files (F/NAME); each file but the `kept` ones is changed in turn."""

    words: str
    files: Callable[[], Files]
    kept: Sequence[str] = ()
    endings: frozenset[int] = frozenset({0, 2, 3})


@dataclass(frozen=True)
class Input:
    file: str
    content: bytes

    def __repr__(self) -> str:
        """What differs may be anywhere, and files are large: `--fuzz` keeps the whole."""
        return f"{self.file} of {len(self.content)} bytes"


def simulator(platform: str, *words: str) -> None:
    done = subprocess.run([executable(platform), "--quiet", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


SMALL = ("workload.file_size=64KiB", "machine.compute_processors=2", "machine.io_processors=2", "machine.disks=2")


def as_json(value: object) -> bytes:
    return json.dumps(value).encode()


@cache
def recorded() -> Files:
    """What a small run of a machine leaves: its configuration, its result, its timeline and its waves."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        sets = [word for each in (*SMALL, "run.interval=5ms", "run.trials=2") for word in ("--set", each)]
        outputs = ["--output", str(place / "result.json"), "--timeline", str(place / "timeline.json")]
        simulator("torus", *sets, *outputs, "--vcd", str(place / "run.vcd"), "--explain")
        found = {path.name: path.read_bytes() for path in place.iterdir()}
    config = {"schema": "sunstar/1", "machine": {"compute_processors": 2, "io_processors": 2, "disks": 2}}
    config["workload"] = {"pattern": "rb", "file_size": "64KiB"}
    found["config.json"] = as_json(config)
    found["view.gtkw"] = (project() / "waveforms" / "node.gtkw").read_bytes()
    return found


def of_run(*names: str) -> Callable[[], Files]:
    return lambda: {name: recorded()[name] for name in names}


@cache
def swept() -> Files:
    """The folder of results of a small sweep."""
    spec = {
        "name": "some",
        "platform": "torus",
        "parameters": {"grid": {"workload.pattern": ["rb", "wb"]}, "list": [dict(each.split("=") for each in SMALL)]},
        "repetitions": {"trials": 2},
    }
    with TemporaryDirectory() as folder:
        file = Path(folder) / "some.json"
        file.write_bytes(as_json(spec))
        done = CliRunner().invoke(app, ["sweep", str(file), "--results", folder, "--resources"])
        assert done.exit_code == 0, done.output
        found = {f"sweeps/some/{name}.parquet": name for name in ("runs", "resources")}
        files = {path: (Path(folder) / path).read_bytes() for path in found}
        return {**files, STORE: (Path(folder) / STORE).read_bytes()}


def specification() -> Files:
    spec: dict[str, Any] = {
        "platform": "torus",
        "config": {"schema": "sunstar/1", "workload": {"file_size": "64KiB"}},
        "parameters": {
            "grid": {"workload.pattern": ["rb", "wb"], "machine.disks": {"from": 1, "to": 4, "steps": 2}},
            "list": [{"run.seed": 1}, {"run.seed": 2}],
            "sample": {
                "method": "sobol",
                "points": 2,
                "seed": 3,
                "parameters": {
                    "workload.record_size": {"from": "8B", "to": "8KiB", "multiple_of": "8B", "scale": "log"},
                    "file_system.kind": {"choices": ["traditional-caching", "disk-directed"]},
                },
            },
        },
        "repetitions": {"trials": 1},
        "derived": {"x": '"result.elapsed_s" * 2'},
    }
    return {"sweep.json": as_json(spec)}


def with_a_file() -> Files:
    spec = {"platform": "torus", "config": "config.json", "parameters": {"grid": {"run.seed": [1, 2]}}}
    return {"sweep.json": as_json(spec), **of_run("config.json")()}


def search() -> Files:
    examples = project() / "explore" / "examples"
    spec = json.loads((examples / "cheap_disks.json").read_bytes())
    spec |= {"search": {"method": "random", "configurations": 1, "batch": 2}, "prices": "prices.json"}
    return {"search.json": as_json(spec), "prices.json": (examples / "prices.json").read_bytes()}


TRACE = b"# source: some\nrank,op,file,offset,length,start_s,end_s\n" + b"".join(
    b"%d,%s,f%d,%d,100,%d.5,%d.75\n" % (i % 3, (b"read", b"write")[i % 2], i % 2, 100 * i, i, i) for i in range(12)
)


def trace() -> Files:
    return {"trace.csv": TRACE}


def table() -> Files:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.parquet"
        pl.read_csv(TRACE, comment_prefix="#").write_parquet(path)
        return {"trace.parquet": path.read_bytes()}


BLOCKS = {
    "msr": b"131000000000061629,web,1,Read,5014609920,24576,41286\n131000000013382155,web,1,Write,512,3000,1163\n",
    "blkparse": b"  8,16 1 1 0.000009001 55 D WS 27 + 8 [dd]\n  8,16 1 2 0.004209001 0 C WS 27 + 8 [0]\nCPU0 (8,16):\n",
    "fio-iolog-2": b"fio version 2 iolog\n/dev/sdz open\n/dev/sdz wait 9 0\n/dev/sdz read 944128 4096\n",
    "fio-iolog-3": b"fio version 3 iolog\n2 /dev/sdz open\n3 /dev/sdz read 944128 4096\n9 /dev/sdz trim 0 512\n",
    "fio-lat": b"5, 1500000, 0, 4096, 8192, 0\n6, 250000, 1, 512, 1024, 0\n",
    "spc": b"0,20941264,8192,W,0.551706\n1,7,512,r,0.554041\n",
    "disksim": b"0.000000 0 0 8 1\n13.191135 2 2000 8 103\n",
    "mqsim": b"4851300 1 524288 16 0\n4864300 1 524304 16 1\n",
    "alibaba": b"3,R,1048576,4096,1577808000000046\n3,W,2097152,8192,1577808000000100\n",
    "tencent": b"1538323200,12910952,128,0,1063\n1538323202,6338688,8,1,1627\n",
    "hp": b"R Hit 100 8 2000 3000\nW Miss 208 8 500 0\n",
    "table": b't_ms,device,op,lbn,sectors,response_ms,think_ms\n0,"8,16",R,100,8,1.5,0\n5.5,sda,W,200,8,,1\n',
    "clock": b"when;op;at;size\n2026-11-29T20:00:00.5Z;READ;10;2\n2026-11-29T20:00:01,25Z;w;7,0;1\n",
}


def blocks(form: str) -> Callable[[], Files]:
    return lambda: {"trace": BLOCKS[form]}


def block_table() -> Files:
    written = BytesIO()
    pl.read_csv(BLOCKS["table"]).write_parquet(written)
    return {"trace": written.getvalue()}


def ior_script() -> Files:
    return {"a.ior": b"IOR START\napi=POSIX, fsync=1 # all\nblockSize=1m\nRUN\ntransferSize=4k\nRUN\nIOR STOP\n"}


def io500() -> Files:
    return {"a.ini": b"[global]\ndatadir = d\n[ior-easy]\ntransferSize = 2m ; large\n[ior-hard]\nsegmentCount = 9\n"}


def fio_job() -> Files:
    lines = b"rw=randrw\nbssplit=4k/10:64k/\niodepth=8\nrate_iops=9,9\nrandom_distribution=zipf:1.2\nthinktime=2ms\n"
    return {
        "a.fio": b"[global]\nioengine=libaio\nruntime=10ms\n[a]\n" + lines + b"[b]\nstonewall\nsize=1m\nbsrange=1k-4k\n"
    }


def dftracer() -> Files:
    names = [{"name": "FH", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "/data/f", "value": "h", "hhash": "a"}}]
    calls = [
        {"name": name, "cat": "POSIX", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5, "ph": "X", "args": arguments}
        for i, (name, arguments) in enumerate(
            (
                ("open", {"fhash": "h", "flags": 0, "ret": 3, "hhash": "a"}),
                ("write", {"fhash": "h", "fd": 3, "ret": 100, "hhash": "a"}),
                ("lseek", {"fhash": "h", "fd": 3, "offset": 0, "whence": 0, "ret": 0, "hhash": "a"}),
                ("read", {"fhash": "h", "fd": 3, "ret": 50, "hhash": "a"}),
                ("pread64", {"fhash": "h", "fd": 3, "ret": 50, "offset": 7, "hhash": "a"}),
            )
        )
    ]
    return {"trace.pfw": b"[\n" + b"".join(as_json(each) + b"\n" for each in names + calls) + b"]\n"}


def of_dxt_parser() -> Files:
    head = b"# darshan log version: 3.41\n# DXT, file_id: 7, file_name: /scratch/a\n"
    rows = b" X_POSIX   1 write   0   0   400   0.1000   0.2000\n X_MPIIO   0  read   1   400   5   0.3   0.4  [  3]\n"
    return {"dxt.txt": head + rows}


def recorder() -> Files:
    calls = b"0.1 0.2 open 0 0 ( /a 66 438 )\n0.3 0.4 write 1 0 ( /a %p 4096 )\n0.5 0.6 lseek 1 0 ( /a 100 1 )\n"
    return {
        "3.txt": calls + b"0.7 0.8 pread 1 0 ( /a %p 8 10 )\n0.9 1.0 fopen ( /b w )\n1.1 1.2 fwrite ( %p 8 4 /b )\n"
    }


def text_map() -> Files:
    return {"map.dat": b"version 2001 npes 3 ndims 2 \n3 4 \n0 6\n3 0 1 2 7 0 \n1 2\n9 12 \n2 0\n\n./e3sm() [0x4]\n"}


def netcdf_map() -> Files:
    parts = {"nreqs": [3, 3], "fill_starts": [3, 2], "offsets": [0, 6, 1, 3, 7, 8], "lengths": [1, 1, 2, 2, 1, 2]}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "map.nc"
        with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
            file.setncattr("D1.dims", np.array([3, 4], np.int32))
            for part, of in parts.items():
                file.createDimension(f"D1.{part}.n", len(of))
                file.createVariable(f"D1.{part}", "i4", (f"D1.{part}.n",))[:] = np.array(of, np.int32)
        return {"map.nc": path.read_bytes()}


def description() -> Files:
    text = (project() / "explore/tests/drives/drive.parv").read_bytes()
    return {"drive.parv": text, "drive.seek": b"Seek distances measured: 2\n1, 1.5\n29, 10\n"}


def grid() -> Files:
    head = b"r_idx,w_idx,offered_read_iops,offered_write_MBps,read_block_bytes,read_p50_us,read_p95_us,likely_saturated"
    return {"grid.csv": head + b"\n1,0,1000,0,512,80,90,0\n2,0,2000,4.5,512,,,1\n"}


def published() -> Files:
    return {"published.csv": (project() / "explore/sunstar/papers/tr94_226.csv").read_bytes()}


def quoted() -> Files:
    return {"document.json": (project() / "docs" / "results" / "galley.json").read_bytes()}


def booksim(name: str) -> Callable[[], Files]:
    def files() -> Files:
        lines = (project() / "explore/sunstar/validation/data" / name).read_bytes().splitlines(keepends=True)
        return {name: b"".join(lines[:30])}

    return files


def campaign() -> Files:
    return {"runs.jsonl": b"".join(as_json({"number": n, "ended": 0, "said": ""}) + b"\n" for n in range(3))}


def tree() -> Files:
    listed = json.loads((project() / "explore/sunstar/new/templates/layout/lines.json").read_bytes())
    paths = {each["file"] for each in listed}
    return {"CMakeLists.txt": b"", "models/none": b"", **{path: (project() / path).read_bytes() for path in paths}}


def references() -> Files:
    """A run of an array, with its trace."""
    row = {"run": "X-two", "trace": "X", "trace_seed": "7", "org": "raid1", "disks": "4", "stripe_unit_sectors": "64"}
    row |= {"read_choice": "3", "driver_sched": "FCFS", "ops": "writes", "time_scale": "1", "util_mean": "0.1"}
    row |= dict.fromkeys((f"{kind}{of}_ms" for kind in ("", "read_", "write_") for of in ("mean", "p90", "p99")), "20")
    row |= {"disk_reads": "3", "disk_writes": "3"}
    summary = f"{','.join(row)}\n{','.join(row.values())}\n"
    return {"summary.csv": summary.encode(), "trace_X_small.csv.gz": b"id,t_ms,lbn,sectors,op\n0,1,8,16,R\n"}


# Commands that would go on to run simulators for long are stopped by an option that is wrong in another way.
COMMANDS = {
    "sweep": Command("sweep F/sweep.json --check --jobs 1", specification),
    "sweep of a file": Command("sweep F/sweep.json --check --jobs 1", with_a_file),
    "optimise": Command("optimise F/search.json --results F/search.json", search),
    "query": Command("query SELECT+*+FROM+runs some --results F", swept, kept=(STORE,)),
    "query of resources": Command("query SELECT+*+FROM+resources some --results F --seconds 5", swept, kept=(STORE,)),
    "compare results": Command(
        "compare F/result.json F/result.json", of_run("result.json"), endings=frozenset({0, 1, 2, 3})
    ),
    "compare sweeps": Command("compare some some --results F", swept, endings=frozenset({0, 1, 2, 3})),
    "report of a result": Command("report F/result.json --output F/page.html", of_run("result.json")),
    "report of a sweep": Command("report some --results F --output F/page.html", swept),
    "explain": Command("explain F/result.json", of_run("result.json")),
    "show a configuration": Command("show F/config.json --platform torus --output F/m.html", of_run("config.json")),
    "show a result": Command("show F/result.json --output F/m.html", of_run("result.json")),
    "show beside a result": Command(
        "show F/config.json --platform torus --result F/result.json --output F/m.svg",
        of_run("config.json", "result.json"),
        kept=("config.json",),
    ),
    "show a timeline": Command(
        "show F/result.json --timeline F/timeline.json --output F/m.html",
        of_run("result.json", "timeline.json"),
        kept=("result.json",),
    ),
    "show waves": Command(
        "show F/result.json --timeline F/run.vcd --output F/m.html",
        of_run("result.json", "run.vcd"),
        kept=("result.json",),
    ),
    "waves": Command("waves F/view.gtkw F/run.vcd --output F/w.png", of_run("view.gtkw", "run.vcd")),
    "trace show": Command("trace show F/trace.csv --output F/t.png", trace),
    "trace show as JSON": Command("trace show F/trace.csv --json --output F/t.html", trace),
    "trace import of a table": Command("trace import F/trace.parquet --output F/t.csv", table),
    "trace import of dxt-parser": Command("trace import F/dxt.txt --output F/t.csv", of_dxt_parser),
    "trace import of Recorder": Command("trace import F/3.txt --output F/t.csv", recorder),
    "trace import of DFTracer": Command("trace import F/trace.pfw --output F/t.parquet", dftracer),
    **{f"trace import of {form}": Command("trace import F/trace --output F/t.csv", blocks(form)) for form in BLOCKS},
    "trace import of a block table": Command("trace import F/trace --volume 8KiB --output F/t.csv", block_table),
    "trace show of blocks": Command("trace show F/trace --json", blocks("msr")),
    "trace import by columns": Command(
        "trace import F/trace --columns time=when:clock,op=1,offset=at:512,length=3:bytes --output F/t.csv",
        blocks("clock"),
    ),
    "trace import by a format": Command("trace import F/trace --format disksim --output F/t.parquet", blocks("mqsim")),
    "import a text": Command("import maps F/map.dat --output F/list.csv", text_map),
    "import an IOR script": Command("import ior F/a.ior --output F/c.json", ior_script),
    "import an IO500 file": Command("import ior F/a.ini --output F/c.json", io500),
    "import a fio job": Command("import fio F/a.fio --output F/c.json", fio_job),
    "import a drive": Command("import drive F/drive.parv --output F/d.json", description),
    "fit": Command("fit F/grid.csv --drive aws-i3 --evaluations 0 --output F/grid.csv", grid),
    "import NetCDF": Command("import maps F/map.nc --output F/list.csv", netcdf_map),
    "reproduce a reference": Command(
        "reproduce tr94-226 --reference F/published.csv --results F/published.csv", published
    ),
    "reproduce a configuration": Command(
        "reproduce galley --figure lock --quick --config F/config.json --set nonsense=1 --results F",
        of_run("config.json"),
    ),
    "reproduce a document": Command(
        "reproduce galley --figure lock --quick --document F/document.json --set nonsense=1 --results F", quoted
    ),
    "validate network": Command(
        "validate network --only curves --reference F/booksim-torus.csv --curve none --results F",
        booksim("booksim-torus.csv"),
    ),
    "validate arrays": Command("validate arrays --reference F --set nonsense=1 --results F", references),
    "campaign": Command("campaign F --runs 1 --file-system none", campaign),
    "campaign that goes on": Command("campaign F --runs 1", campaign, endings=frozenset({0, 3, 4})),
    "new": Command("new layout my-layout --folder F", tree),
}


def write(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def check(command: Command, folder: Path) -> None:
    """Calls it: it must end soon, with one of the exit codes, and say why it refuses what it does not take."""
    words = [word.replace("+", " ").replace("F/", f"{folder}/") for word in command.words.split()]
    words = [str(folder) if word == "F" else word for word in words]
    start = time.process_time()
    done = CliRunner().invoke(app, words)
    took = time.process_time() - start
    note(f"sunstar {' '.join(words)}\nexit code {done.exit_code}")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output, done.output[-2000:]
    assert done.exit_code in command.endings, done.output[-2000:]
    assert done.exit_code in (0, 1, 4) or done.stderr.strip(), "it ended without a sentence"
    assert took < LONGEST_S, f"it took {took:.0f} s"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_or_refuses_any_file(name: str, fuzz: int) -> None:
    command = COMMANDS[name]
    files = command.files()
    hostile = [each for each in files if each not in command.kept]

    @settings(
        max_examples=fuzz or SHORT,
        derandomize=not fuzz,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of([st.builds(Input, st.just(each), changed(files[each])) for each in hostile]))
    def one(drawn: Input) -> None:
        with TemporaryDirectory(prefix="sunstar-fuzz-") as folder:
            write(Path(folder), {**files, drawn.file: drawn.content})
            try:
                check(command, Path(folder))
            except BaseException:
                if fuzz:
                    shutil.copytree(folder, FINDINGS / name.replace(" ", "-"), dirs_exist_ok=True)
                raise

    one()
