# SPDX-License-Identifier: MIT
"""Fixtures that several tests use."""

import stat
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from sunstar.run import Result


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a Python program in the place of sunstar-torus; it finds the command line in `arguments`, and result(value)
    writes a result file with that throughput to --output."""

    def put(body: str) -> Path:
        head = f"""\
            #!{sys.executable}
            import json, sys
            arguments = sys.argv[1:]
            def result(value):
                throughput = {{"mib_per_s": value, "coefficient_of_variation": 0, "medium_mib_per_s": value}}
                document = {{
                    "result": {{"throughput": throughput,
                                "elapsed_s": 1, "verified": True, "messages": 7}},
                    "trials": [{{"throughput_mib_per_s": value}}], "host": {{"seconds": 0.5}}}}
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


@pytest.fixture
def result() -> Callable[[float], Result]:
    """Makes a result with a given throughput."""
    return lambda mib_per_s: Result(mib_per_s, 0.0, (mib_per_s,), mib_per_s, 1.0, True, 7.0, 0.5, {})
