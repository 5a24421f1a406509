# SPDX-License-Identifier: MIT
"""How the command line ends when a signal comes, or when nobody can read what it prints. Each test starts it in a
process of its own."""

import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest
from conftest import Pretend, Waiting

from sunstar.places import project
from sunstar.programs import held
from sunstar.runs.runner import FILE

# Whatever signals the tests' own caller ignores.
START = """
import signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN if number == {ignored} else signal.SIG_DFL)
from sunstar.cli import app
app()
"""
FIGURE = ["figures", "tr94-226", "--figure", "7", "--jobs", "2"]
TIMEOUT_S = 40
Started = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Starts the command line; results and temporary files go to folders of the test's own."""
    (tmp_path / "tmp").mkdir()
    processes: list[subprocess.Popen[str]] = []

    def start(
        arguments: list[str], ignored: int = 0, unbuffered: bool = False, **streams: int | TextIO
    ) -> subprocess.Popen[str]:
        results = [] if "--help" in arguments else ["--results", str(tmp_path / "results")]
        environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONUNBUFFERED": "1" if unbuffered else ""}
        command = [sys.executable, "-c", START.format(ignored=ignored), *arguments, *results]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        processes.append(subprocess.Popen(command, env=environment, text=True, **pipes))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()


def files_left(tmp_path: Path) -> list[Path]:
    """Files of a command that has not come to its end; finished runs may stay for the next."""
    folders = (tmp_path / "results", tmp_path / "tmp")
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file() or folder.name == "tmp"]
    return [path for path in found if not path.name.startswith(FILE)]


def test_a_signal_during_the_imports_ends_the_command_quietly(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("import time\nprint('importing', flush=True)\ntime.sleep(60)\n")
    settings = tomllib.loads((project() / "explore" / "pyproject.toml").read_text())
    module, name = settings["project"]["scripts"]["sunstar"].split(":")
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from {module} import {name}; {name}()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", start], stdout=pipe, stderr=pipe, text=True) as command:
        assert command.stdout and command.stdout.readline() == "importing\n"
        command.send_signal(signal.SIGINT)
        _, said = command.communicate(timeout=TIMEOUT_S)
    assert (command.returncode, said) == (-signal.SIGINT, "")


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_simulators_and_leaves_no_file(
    number: signal.Signals, started: Started, pretend: Pretend, waiting: Waiting, tmp_path: Path
) -> None:
    pretend(waiting.body)
    command = started(FIGURE)
    waiting.started(2)
    command.send_signal(number)
    _, said = command.communicate(timeout=TIMEOUT_S)
    assert command.returncode == -number
    assert said.startswith("0 of ")
    assert said.endswith(" runs are kept; the same command goes on\n")
    assert waiting.all_gone()
    assert files_left(tmp_path) == []


def test_a_signal_ends_a_simulator_that_runs_alone(
    started: Started, pretend: Pretend, waiting: Waiting, tmp_path: Path
) -> None:
    pretend(waiting.body, "network")
    command = started(["validate", "network", "--only", "zero-load"])
    waiting.started(1)
    command.terminate()
    command.communicate(timeout=TIMEOUT_S)
    assert command.returncode == -signal.SIGTERM
    assert waiting.all_gone()
    assert files_left(tmp_path) == []


def test_a_signal_that_the_caller_ignores_ends_nothing(started: Started, pretend: Pretend, waiting: Waiting) -> None:
    pretend(waiting.body)
    command = started(FIGURE, ignored=signal.SIGHUP)
    waiting.started(2)
    command.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        command.wait(timeout=0.5)
    command.terminate()
    command.communicate(timeout=TIMEOUT_S)
    assert command.returncode == -signal.SIGTERM


@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("arguments", [["--help"], FIGURE])
def test_a_reader_that_has_gone_ends_the_command_quietly(
    arguments: list[str], unbuffered: bool, started: Started, pretend: Pretend, waiting: Waiting, tmp_path: Path
) -> None:
    pretend(waiting.body)
    read, write = os.pipe()
    os.close(read)
    command = started(arguments, unbuffered=unbuffered, stdout=write)
    os.close(write)
    _, said = command.communicate(timeout=TIMEOUT_S)
    assert (command.returncode, said) == (-signal.SIGPIPE, "")
    assert files_left(tmp_path) == []


@pytest.mark.parametrize("unbuffered", [False, True])
@pytest.mark.parametrize("arguments", [["--help"], FIGURE])
def test_a_full_disk_under_the_standard_output_is_told_in_a_sentence(
    arguments: list[str], unbuffered: bool, started: Started, pretend: Pretend, tmp_path: Path
) -> None:
    pretend("result(1)")
    with Path("/dev/full").open("w") as full:
        command = started(arguments, unbuffered=unbuffered, stdout=full)
        _, said = command.communicate(timeout=TIMEOUT_S)
    assert said == "sunstar: cannot write the standard output: No space left on device\n"
    assert command.returncode == 3
    assert files_left(tmp_path) == []


def test_an_error_that_cannot_be_printed_is_not_a_new_statement(started: Started) -> None:
    with Path("/dev/full").open("w") as full:
        command = started(["figures", "none"], stderr=full)
        command.communicate(timeout=TIMEOUT_S)
    assert command.returncode == 3


def test_signals_wait_while_they_are_held() -> None:
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        with held():
            signal.raise_signal(signal.SIGTERM)
            assert came == []
        assert came == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
