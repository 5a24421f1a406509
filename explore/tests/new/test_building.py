# SPDX-License-Identifier: MIT
"""What `sunstar new` writes builds, runs and fails in the one place where its author has to go on. Slow: it builds a
copy of the tree."""

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.places import project

PARTS = {"drive": "my-drive", "layout": "my-layout", "file-system": "uncached", "fabric": "ring"}
"""The file system has the name of docs/extending.md, so that the compiler cache knows what its cost changes."""
NEXT = {
    "drive": "put in the figures of yours",
    "layout": "place them as your layout does",
    "file-system": "write your file system there",
    "fabric": "let its messages arrive when those of your network do",
}


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_new_parts_build_and_run_and_each_test_fails_with_what_to_do_next(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for folder in ("cmake", "models", "sw", "platforms", "tests/support", "tests/extending"):
        shutil.copytree(project() / folder, tree / folder)
    for file in ("CMakeLists.txt", "CMakePresets.json", "tests/CMakeLists.txt"):
        shutil.copy(project() / file, tree / file)
    for kind, name in PARTS.items():
        done = CliRunner().invoke(app, ["new", kind, name, "--folder", str(tree)])
        assert done.exit_code == 0, done.output

    made = run("env", "-C", tree, "cmake", "--preset", "release", "-DSUNSTAR_BENCH=OFF")
    assert made.returncode == 0, made.stderr
    build = tree / "build" / "release"
    built = run("ninja", "-C", build, "sunstar-torus", "sunstar-tests")
    assert built.returncode == 0, built.stdout[-5000:]

    for kind, name in PARTS.items():
        failed = run(build / "bin" / "sunstar-tests", f"*{name}*")
        assert failed.returncode == 1, failed.stdout
        # The runs before the last line pass.
        assert "| 1 failed" in failed.stdout, failed.stdout
        assert "1 failed\n" in failed.stdout.partition("assertions:")[2], failed.stdout
        assert NEXT[kind] in " ".join(failed.stdout.split()), failed.stdout
