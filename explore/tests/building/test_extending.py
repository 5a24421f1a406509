# SPDX-License-Identifier: MIT
"""What docs/extending.md says and what `sunstar new` writes, in one copy of the tree. Slow: it builds the copy."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from extending_page import extending_page
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.new.command import check_new, write
from sunstar.places import project
from sunstar.runs.simulator import RESULT_TO_STDOUT

pytestmark = pytest.mark.slow

PAGE = extending_page()
NEW_PARTS = {
    "layout": ("my-layout", "place them as your layout does"),
    "file-system": ("my-files", "write your file system there"),
    "fabric": ("ring", "let its messages arrive when those of your network do"),
    "replacement": ("mru", "order blocks as your policy does"),
    "queue-order": ("elevator", "choose as your order does"),
}
"""By the kind of part: its name, and what its test says to do next."""
FILE_SYSTEMS = ("traditional-caching", "disk-directed", "enwrich", "uncached")
Json = Any
"""A document as it was written: schemas and results."""


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


def printed(*command: object) -> str:
    done = run(*command)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the copy's programs."""
    tree = tmp_path_factory.mktemp("extending") / "tree"
    for folder in ("cmake", "models", "sw", "platforms", "tests/counting", "tests/support"):
        shutil.copytree(project() / folder, tree / folder)
    for file in ("CMakeLists.txt", "CMakePresets.json", "tests/CMakeLists.txt"):
        shutil.copy(project() / file, tree / file)
    check_new(PAGE.part, tree)
    write(PAGE.part, tree)
    for kind, (name, _) in NEW_PARTS.items():
        done = CliRunner().invoke(app, ["new", kind, name, "--folder", str(tree)])
        assert done.exit_code == 0, done.output
    # The same preset in the same place of the tree: so ccache finds what the project itself has compiled.
    printed("env", "-C", tree, "cmake", "--preset", "release", "-DSUNSTAR_BENCH=OFF")
    build = tree / "build" / "release"
    printed("ninja", "-C", build, "sunstar-torus", "sunstar-sp2", "sunstar-network", "sunstar-tests")
    return build / "bin"


@dataclass(frozen=True)
class Torus:
    """The copy's sunstar-torus, on a small machine."""

    program: Path

    def call(self, *settings: str) -> subprocess.CompletedProcess[str]:
        small = ("compute_processors=4", "io_processors=2", "disks=3")
        sizes = ("workload.file_size=40000B", "workload.record_size=8B")
        all_settings = (*(f"machine.{each}" for each in small), *sizes, *settings)
        return run(self.program, *RESULT_TO_STDOUT, *(word for each in all_settings for word in ("--set", each)))

    def run(self, *settings: str) -> Json:
        done = self.call(*settings)
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        assert document["result"]["verified"] is True
        return document

    def refused(self, *settings: str) -> str:
        done = self.call(*settings)
        assert done.returncode == 3, done.stderr
        return done.stderr

    def elapsed_s(self, *settings: str) -> float:
        return elapsed_s(self.run(*settings))


@pytest.fixture
def torus(programs: Path) -> Torus:
    return Torus(programs / "sunstar-torus")


def elapsed_s(document: Json) -> float:
    elapsed = document["result"]["elapsed_s"]
    assert isinstance(elapsed, float)
    return elapsed


def total(document: Json, statistic: str) -> float:
    """The sum of a statistic over both I/O processors."""
    return sum(float(document["statistics"][f"machine.iop{number}.{statistic}"]["value"]) for number in range(2))


def test_the_pages_fabric_is_short() -> None:
    fabric = [text for path, text in PAGE.part.files.items() if path.startswith("models/network/crossbar/")]
    assert 50 < sum(text.count("\n") for text in fabric) < 120


def test_the_page_shows_commands() -> None:
    assert len(PAGE.commands) == 7


@pytest.mark.parametrize("command", PAGE.commands)
def test_a_command_of_the_page_runs(programs: Path, command: str) -> None:
    program, *options = command.split()
    printed(programs / program, *options)


def test_the_drive_is_faster_and_the_layout_spreads(torus: Torus) -> None:
    plain = torus.elapsed_s()
    fast = torus.run("machine.disk=small-fast")
    assert fast["config"]["machine"]["disk"]["rpm"] == 10000
    assert elapsed_s(fast) < plain
    assert torus.elapsed_s("file_system.layout=spread") > plain


@pytest.mark.parametrize("pattern", ["rb", "rcc", "wb", "wcc", "ra"])
def test_the_file_system_keeps_every_byte_with_the_layout_on_the_drive(torus: Torus, pattern: str) -> None:
    parts = ("file_system.kind=uncached", "file_system.layout=spread", "machine.disk=small-fast")
    torus.run(*parts, f"workload.pattern={pattern}")


def test_the_file_system_has_its_parameter_its_statistic_and_its_cost(torus: Torus) -> None:
    uncached = ("file_system.kind=uncached", "workload.pattern=rc", "workload.record_size=64B")
    one, four = (torus.run(*uncached, f"file_system.buffers={number}") for number in (1, 4))
    assert elapsed_s(four) < elapsed_s(one)
    assert total(four, "uncached.waits") < total(one, "uncached.waits")
    # 40,000 bytes in calls of 64 bytes, each in one block: 625 requests, and each spends 40 cycles on its buffer.
    assert total(one, "count.request.uncached_buffer") == 625
    assert total(one, "cycles.request.uncached_buffer") == 625 * 40
    assert "file_system.buffers is 0" in torus.refused("file_system.kind=uncached", "file_system.buffers=0")
    not_chosen = torus.call("file_system.buffers=4")
    assert not_chosen.returncode == 0
    assert "file_system.buffers" in not_chosen.stderr


@pytest.mark.parametrize("kind", FILE_SYSTEMS)
def test_the_workload_reads_what_it_says_with_every_file_system(torus: Torus, kind: str) -> None:
    result = torus.run("workload.kind=random-reads", "workload.reads=50", f"file_system.kind={kind}")["result"]
    assert result["bytes_moved"] == 4 * 50 * 8
    assert result["bytes_verified"] == 4 * 50 * 8
    # 200 draws out of 5,000 records: some twice, few of them.
    assert 180 < result["random_reads"]["different_records"] < 200


def test_the_workload_refuses_a_file_without_a_record(torus: Torus) -> None:
    said = torus.refused("workload.kind=random-reads", "workload.file_size=4B")
    assert "it must hold at least one record, 8 bytes" in said


@pytest.mark.parametrize("kind", FILE_SYSTEMS)
def test_every_file_system_runs_on_the_fabric(torus: Torus, kind: str) -> None:
    torus.run("base=crossbar", f"file_system.kind={kind}", "workload.pattern=wcc")


def test_the_fabric_has_its_parameters(torus: Torus) -> None:
    # A block of 8,192 bytes takes 8 ms over links of 1 MB/s, 0.2 ms over those of 40 MB/s.
    blocks = ("base=crossbar", "workload.record_size=8000B")
    assert torus.elapsed_s(*blocks, "machine.network.link_bandwidth=1MB/s") > torus.elapsed_s(*blocks)
    said = torus.refused("base=crossbar", "machine.network.ports=5")
    assert "machine.network.ports has 5 ports" in said


def test_configurations_and_results_with_the_parts_fit_the_schemas(torus: Torus, tmp_path: Path) -> None:
    set_both = ("--set", "base=crossbar", "--set", "file_system.kind=uncached")
    config = printed(torus.program, "--print-config", *set_both)
    (tmp_path / "config.json").write_text(config)
    assert printed(torus.program, "--print-config", "--config", tmp_path / "config.json") == config
    assert faults(printed(torus.program, "--schema"), json.loads(config)) == []
    document = torus.run("base=crossbar", "workload.kind=random-reads")
    assert faults(printed(torus.program, "--result-schema"), document) == []


def faults(schema: str, document: Json) -> list[str]:
    return [fault.message for fault in Draft202012Validator(json.loads(schema)).iter_errors(document)]


@pytest.mark.parametrize(("name", "next_step"), NEW_PARTS.values())
def test_the_test_of_a_new_part_runs_it_and_fails_with_what_to_do_next(
    programs: Path, name: str, next_step: str
) -> None:
    failed = run(programs / "sunstar-tests", f"*{name}*")
    assert failed.returncode == 1, failed.stdout
    # The runs before the last line pass.
    assert "| 1 failed" in failed.stdout, failed.stdout
    assert "1 failed\n" in failed.stdout.partition("assertions:")[2], failed.stdout
    assert next_step in " ".join(failed.stdout.split()), failed.stdout
