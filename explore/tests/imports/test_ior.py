# SPDX-License-Identifier: MIT
"""sunstar import ior: IOR's command lines, and what becomes of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sunstar.cli import app

DEFAULTS = {
    "kind": "ior",
    "transfer_size": "262144B",
    "block_size": "1048576B",
    "segments": 1,
    "tasks": 0,
    "tasks_per_node": 1,
    "file_per_task": False,
    "collective": "none",
    "write": True,
    "read": True,
    "reorder_nodes": 0,
    "fsync": False,
    "deadline": "0s",
}


def configured(folder: Path, command: str, *options: str) -> tuple[dict[str, Any], str]:
    """The configuration, and what was printed."""
    path = folder / "ior.json"
    done = CliRunner().invoke(app, ["import", "ior", command, "--output", str(path), *options])
    assert done.exit_code == 0, done.stderr
    return json.loads(path.read_text()), done.stdout


def refused(command: str) -> str:
    done = CliRunner().invoke(app, ["import", "ior", command, "--output", "not-written.json"])
    assert done.exit_code == 2
    assert not Path("not-written.json").exists()
    return done.stderr


def test_without_options_ior_has_its_own_defaults_and_both_phases(tmp_path: Path) -> None:
    assert configured(tmp_path, "ior")[0] == {"schema": "sunstar/1", "workload": DEFAULTS}


def test_the_ior_hard_write_of_the_io500_becomes_a_configuration(tmp_path: Path) -> None:
    command = (
        "mpirun -np 640 ./ior -C -Q 1 -g -G=-1513 -k -e -o /data/file -O stoneWallingStatusFile=/r/ior-hard.stonewall "
        "-t 47008 -b 47008 -s 10000000 -w -D 300 -O stoneWallingWearOut=1 -a POSIX"
    )
    written, said = configured(tmp_path, command, "--tasks-per-node", "64")
    expected = {**DEFAULTS, "transfer_size": "47008B", "block_size": "47008B", "segments": 10_000_000, "tasks": 640}
    expected |= {"tasks_per_node": 64, "read": False, "fsync": True, "deadline": "300s"}
    del expected["reorder_nodes"]
    assert written["workload"] == expected
    assert said.rstrip().endswith("without effect here: -C -G -Q -g -k -o -O stoneWallingStatusFile")


def test_the_ior_hard_read_takes_what_another_node_wrote(tmp_path: Path) -> None:
    written, _ = configured(tmp_path, "ior -C -Q 2 -t 47008 -b 47008 -s 5 -r -R -k -o f")
    expected = {**DEFAULTS, "transfer_size": "47008B", "block_size": "47008B", "segments": 5, "write": False}
    del expected["fsync"]
    assert written["workload"] == expected | {"reorder_nodes": 2}


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        ("ior -F -t 2m -b 9920000m -wr -i 3", {"file_per_task": True, "transfer_size": "2097152B"}),
        ("IOR -t1k -b=1G", {"transfer_size": "1024B", "block_size": "1073741824B"}),
        ("ior -a MPIIO -c", {"collective": "transfer"}),
        ("ior -a mpiio -Sc -N 8", {"collective": "phase", "tasks": 8}),
        ("ior -O transferSize=4k,filePerProc=1,fsync=0", {"transfer_size": "4096B", "file_per_task": True}),
        ("srun --ntasks=12 /opt/bin/ior -C", {"tasks": 12, "reorder_nodes": 1}),
        ("ior -O reorderTasksConstant=1,deadlineForStonewalling=0", {"reorder_nodes": 1}),
        ("ior -F -z --random-offset-seed=11", {"file_per_task": True, "random_offsets": True}),
    ],
)
def test_options_may_be_joined_and_have_values_in_several_forms(
    tmp_path: Path, command: str, changed: dict[str, Any]
) -> None:
    written, _ = configured(tmp_path, command)
    if "9920000m" in command:
        assert written["run"] == {"trials": 3}
        changed = {**changed, "block_size": f"{9_920_000 << 20}B"}
    assert written["workload"] == {**DEFAULTS, **changed}


@pytest.mark.parametrize(
    ("launcher", "tasks", "per_node", "idle"),
    [
        ("srun -N2 -n16", 16, 8, ""),
        ("/usr/bin/srun --nodes=4 --ntasks-per-node 8 -c 2", 32, 8, "-c 2"),
        ("srun -N3", 3, 1, ""),
        ("mpirun -np 256 -ppn 128", 256, 128, ""),
        ("mpiexec -n=12 --npernode 4 -genv A 1", 12, 4, "-genv A 1"),
        ("mpirun --map-by ppr:16:node:PE=2 -np 64 --bind-to core", 64, 16, "--bind-to core"),
        ("mpirun --map-by ppr:1:socket", 0, 1, "--map-by ppr:1:socket"),
        ("mpirun -N 4", 0, 4, ""),
        ("aprun -n32 -N 16 -d 2", 32, 16, "-d 2"),
        ("jsrun -n 4 -a 8", 32, 8, ""),
        ("jsrun --nrs=8 -a4 -r2 -c7", 32, 8, "-c7"),
        ("A=1 time flux run -N2 --tasks-per-node=3", 6, 3, "A=1 time run"),
        ("./mine.sh -n 5", 5, 1, "./mine.sh"),
    ],
)
def test_launchers_give_tasks_and_nodes_and_their_other_words_are_listed(
    tmp_path: Path, launcher: str, tasks: int, per_node: int, idle: str
) -> None:
    written, said = configured(tmp_path, f"{launcher} ior -F 2>&1 | tee log")
    expected = {**DEFAULTS, "file_per_task": True, "tasks": tasks, "tasks_per_node": per_node}
    assert written["workload"] == expected
    assert said.rstrip().endswith(f"without effect here: {idle} 2>&1 | tee log".replace("  ", " "))
    written, _ = configured(tmp_path, f"{launcher} ior", "--tasks-per-node", "7")
    assert written["workload"]["tasks_per_node"] == 7


SCRIPT = """nothing counts here: blockSize=1
IOR START
    api=MPIIO            # as on the page of IOR
    numtasks=4, setAlignment=1
    blocksize=32k
    transferSize=32k
    fsync=1
RUN
# another
    fsync=0
    collective=1
run
    transferSize=16k
IOR STOP
    blockSize=2
"""


def test_each_run_of_a_script_is_a_configuration_with_the_options_before_it(tmp_path: Path) -> None:
    script = tmp_path / "script.ior"
    script.write_text(SCRIPT)
    done = CliRunner().invoke(app, ["import", "ior", str(script), "--output", str(tmp_path / "c.json")])
    assert done.exit_code == 0, done.stderr
    found = [json.loads((tmp_path / f"c-{i}.json").read_text())["workload"] for i in (1, 2, 3)]
    same = {**DEFAULTS, "transfer_size": "32768B", "block_size": "32768B", "tasks": 4}
    assert found[0] == same | {"fsync": True}
    assert found[1] == same | {"collective": "transfer"}
    assert found[2] == same | {"collective": "transfer", "transfer_size": "16384B"}
    before = f"ior -F -f {script} -w"  # what follows -f is IOR's no more
    done = CliRunner().invoke(app, ["import", "ior", before, "--output", str(tmp_path / "d.json")])
    assert done.stdout.rstrip().endswith("without effect here: -w")
    assert json.loads((tmp_path / "d-1.json").read_text())["workload"] == found[0] | {"file_per_task": True}


INI = """[global]
datadir = ./data   # where
api = POSIX
[debug]
stonewall-time = 5 ; short
[ior-easy]
transferSize = 1m
blocksize = 64m
verbosity =
[Ior-Hard]
segmentCount = 100
[ior-hard-write]
API = MPIIO
collective = TRUE
[ior-hard-read]
run = FALSE
[ior-rnd4K]
[find]
nproc = 3
"""


def test_the_io500_s_phases_of_ior_become_configurations_and_its_other_keys_are_listed(tmp_path: Path) -> None:
    ini = tmp_path / "io500.ini"
    ini.write_text(INI)
    done = CliRunner().invoke(app, ["import", "ior", str(ini), "--output", str(tmp_path / "c.json")])
    assert done.exit_code == 0, done.stderr
    assert done.stdout.rstrip().endswith("without effect here: global.datadir find.nproc")
    found = [json.loads(path.read_text())["workload"] for path in sorted(tmp_path.glob("c-*.json"))]
    same = {**DEFAULTS, "fsync": True, "deadline": "5s"}
    easy = {"transfer_size": "1048576B", "block_size": f"{64 << 20}B", "file_per_task": True, "reorder_nodes": 1}
    hard = {"transfer_size": "47008B", "block_size": "47008B", "segments": 100, "read": False}
    hard |= {"collective": "transfer"}
    del same["reorder_nodes"]
    assert found[0] == same | easy
    assert found[1] == same | hard
    sizes = {"transfer_size": "4096B", "block_size": f"{1 << 30}B", "segments": 10_000_000, "reorder_nodes": 0}
    assert found[2] == same | sizes | {"random_offsets": True}


@pytest.mark.parametrize(("text", "sentence"), [("x = 1\n", "from IOR START to IOR STOP"), ("[a\nb", "an .ini file")])
def test_other_files_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "f").write_text(text)
    assert sentence in refused(str(tmp_path / "f"))


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("mdtest -n 10", "it must be IOR's command line, such as ior -t 1m -b 16m -F"),
        ("ior 'x", "it must be a command line as a shell reads it"),
        ("ior stray", "stray: it is no option of IOR that Sunstar knows"),
        ("ior --posix.odirect", "-O posix.odirect: no file system here goes round its caches; leave it out"),
        ("ior --mine", "-O mine=1: it must be KEY=VALUE"),
        ("srun -n $NP ior", "-n $NP: it must be a whole number, at least 1, of tasks"),
        ("srun -N 2-4 ior", "-N 2-4: it must be a whole number, at least 1, of nodes"),
        ("ior -z -z", "-z -z: transfers at any offset, some of them twice, are not modelled"),
        ("ior -z -a MPIIO -c", "-z: IOR has random offsets for calls only"),
        ("ior -O interIODelay=3", "-O interIODelay: tasks do not wait between transfers; leave it out"),
        ("ior -L", "-L: it is no option of IOR that Sunstar knows; leave it out"),
        ("ior -t", "-t: its value is missing"),
        ("ior -t 4q", "-t 4q: it must be bytes such as 47008, 16k, 2m, 1g or 1t"),
        ("ior -t 0", "-t 0: it must be bytes such as 47008"),
        ("ior -t 1m -b 1000k", "-b 1024000: it must be a multiple of the transfer size, -t 1048576"),
        ("ior -s -3", "-s -3: it must be a whole number"),
        ("ior -s 0", "-s 0: it must be a whole number, at least 1"),
        ("ior -i 0", "-i 0: it must be a whole number, at least 1"),
        ("ior -a HDF5", "-a HDF5: it must be POSIX or MPIIO"),
        ("ior -c", "-c: the API POSIX has no collective calls; it must be -a MPIIO"),
        ("ior -a MPIIO -S", "it needs -c"),
        (
            "ior -D 30",
            "-D 30: tasks that stop at the deadline, each with another number of transfers, are not modelled",
        ),
        ("ior -O segmentcounts=3", 'as keys; did you mean "segmentCount"?'),
        ("ior -O segmentCount", "-O segmentCount: it must be KEY=VALUE"),
        *((f"ior -{letter} 1", f"-{letter}: ") for letter in "JUX"),
        *((f"ior -{letter}", "; leave it out") for letter in "BIPVWYZpy"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(command: str, sentence: str) -> None:
    assert sentence in refused(command)


def test_a_configuration_ends_in_json() -> None:
    done = CliRunner().invoke(app, ["import", "ior", "ior", "--output", "ior.txt"])
    assert done.exit_code == 2
    assert "its name must end in .json" in done.stderr
