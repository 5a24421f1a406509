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
    assert said.rstrip().endswith("without effect here: -C -G -Q -g -k -o")


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
    ("command", "sentence"),
    [
        ("mdtest -n 10", "it must be IOR's command line, such as ior -t 1m -b 16m -F"),
        ("ior 'x", "it must be a command line as a shell reads it"),
        ("ior stray", "stray: it is no option of IOR that Sunstar knows"),
        ("ior --posix.odirect", "--posix.odirect: it is no option of IOR that Sunstar knows"),
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
        ("ior -O segmentcount=3", 'as keys; did you mean "segmentCount"?'),
        ("ior -O segmentCount", "-O segmentCount: it must be KEY=VALUE"),
        *((f"ior -{letter} 1", f"-{letter}: ") for letter in "JUXf"),
        *((f"ior -{letter}", "; leave it out") for letter in "BIPVWYZpyz"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(command: str, sentence: str) -> None:
    assert sentence in refused(command)


def test_a_configuration_ends_in_json() -> None:
    done = CliRunner().invoke(app, ["import", "ior", "ior", "--output", "ior.txt"])
    assert done.exit_code == 2
    assert "its name must end in .json" in done.stderr
