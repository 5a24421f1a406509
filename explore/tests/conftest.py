# SPDX-License-Identifier: MIT
"""Fixtures that several tests use."""

import json
import os
import stat
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from recorded import machine_document
from typer.testing import CliRunner, Result

from sunstar.cli import app
from sunstar.places import project

Pretend = Callable[..., Path]
REAL = Path(os.environ.get("SUNSTAR_BIN") or project() / "build" / "release" / "bin")
"""The folder of the simulators, in which a pretended one finds the schema of its results."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=10, help="how often test_kill.py kills a sweep")
    parser.addoption("--fuzz", type=int, default=0, help="random inputs of each file in fuzzing/; a few if left out")


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    """How often a sweep is killed."""
    number = request.config.getoption("--kills")
    assert isinstance(number, int)
    return number


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> int:
    """How many random inputs a long run draws for each file; 0 in a short one."""
    number = request.config.getoption("--fuzz")
    assert isinstance(number, int)
    return number


@pytest.fixture(scope="session", autouse=True)
def results_of_all(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What fixtures of the session run is kept in a folder of the session's own."""
    os.environ["SUNSTAR_RESULTS"] = str(tmp_path_factory.mktemp("results"))


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own folder of results."""
    monkeypatch.setenv("SUNSTAR_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results"


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Puts a Python program in the place of sunstar-PLATFORM; it finds the command line in `arguments`, what is set
    there in `settings`, and result(value) prints a result with that throughput, which write() prints. It answers
    --print-points, --schema and --result-schema by itself."""

    def put(body: str, platform: str = "torus") -> Path:
        head = f"""\
            #!{sys.executable} -S
            import json, os, sys
            arguments = sys.argv[1:]
            settings = dict(a.split("=", 1) for o, a in zip(arguments, arguments[1:]) if o == "--set")
            if arguments[0] in ("--schema", "--result-schema"):
                os.execv({str(REAL / f"sunstar-{platform}")!r}, ["sunstar", arguments[0]])
            if "--print-points" in arguments:
                for line in sys.stdin:
                    print(json.dumps({{"config": dict(text.split("=", 1) for text in json.loads(line))}}))
                sys.exit()
            def write(document):
                json.dump(document, sys.stdout)
            def result(value):
                write(json.loads({json.dumps(machine_document(-1.0))!r}.replace("-1.0", str(value))))
            """
        program = tmp_path / "bin" / f"sunstar-{platform}"
        program.parent.mkdir(exist_ok=True)
        program.write_text(textwrap.dedent(head) + textwrap.dedent(body))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("SUNSTAR_BIN", str(program.parent))
        return program

    return put


@dataclass(frozen=True)
class Waiting:
    """Pretended simulators that wait for 60 s, each with a trial in a process of its own."""

    body: str
    pids: Path

    def started(self, simulators: int) -> None:
        """Returns when `simulators` have started."""
        assert within_seconds(30, lambda: len(self.processes()) == 2 * simulators), self.processes()

    def processes(self) -> list[int]:
        return [int(path.name) for path in self.pids.iterdir()]

    def all_gone(self) -> bool:
        return within_seconds(3, lambda: not any(Path(f"/proc/{pid}").exists() for pid in self.processes()))


def within_seconds(seconds: float, holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def waiting(tmp_path: Path) -> Waiting:
    """The body of such a simulator; each process makes a file with its number as its name."""
    pids = tmp_path / "pids"
    pids.mkdir()
    body = f"""
        import os, time
        os.fork()
        open({str(pids)!r} + f"/{{os.getpid()}}", "w").close()
        time.sleep(60)
        """
    return Waiting(body, pids)


Sunstar = Callable[..., Result]


@pytest.fixture
def sunstar() -> Sunstar:
    """Calls the command line; results go to the test's own folder unless the call says otherwise."""

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(app, arguments)

    return invoke
