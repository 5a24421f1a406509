# SPDX-License-Identifier: MIT
"""Fixtures that several tests use."""

import json
import stat
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from recorded import machine_document
from typer.testing import CliRunner, Result

from sunstar.cli import app

Pretend = Callable[[str], Path]


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Puts a Python program in the place of sunstar-torus; it finds the command line in `arguments`, what is set there
    in `settings`, and result(value) writes a result file with that throughput to --output."""

    def put(body: str) -> Path:
        head = f"""\
            #!{sys.executable} -S
            import json, sys
            arguments = sys.argv[1:]
            settings = dict(a.split("=", 1) for o, a in zip(arguments, arguments[1:]) if o == "--set")
            def result(value):
                document = json.loads({json.dumps(machine_document(-1.0))!r}.replace("-1.0", str(value)))
                with open(arguments[arguments.index("--output") + 1], "w") as file:
                    json.dump(document, file)
            """
        program = tmp_path / "bin" / "sunstar-torus"
        program.parent.mkdir(exist_ok=True)
        program.write_text(textwrap.dedent(head) + textwrap.dedent(body))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("SUNSTAR_BIN", str(program.parent))
        return program

    return put


Sunstar = Callable[..., Result]


@pytest.fixture
def sunstar(tmp_path: Path) -> Sunstar:
    """Calls the command line; results go to the test's own folder unless the call says otherwise."""

    def invoke(*arguments: str) -> Result:
        extra = [] if "--results" in arguments or "--help" in arguments else ["--results", str(tmp_path / "results")]
        return CliRunner().invoke(app, [*arguments, *extra])

    return invoke
