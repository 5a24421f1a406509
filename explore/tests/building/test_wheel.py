# SPDX-License-Identifier: MIT
"""A wheel holds what a machine without the project needs. Slow: it packs the simulators."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from sunstar.places import project

pytestmark = pytest.mark.slow

PYTHON = (sys.executable, "-S", "-c")
"""Without the project's own editable package, which .pth files of the environment would find first."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs, but for the packages that it depends on."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run([project() / "scripts/wheel.sh", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("sunstar-*.whl")
    assert f"written: {wheel}" in done.stdout
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "site")
    for program in (folder / "site/sunstar/bin").iterdir():
        program.chmod(0o755)  # as pip does; zipfile leaves it out
    return folder / "site"


def run(installed: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    variables = {name: text for name, text in os.environ.items() if not name.startswith("SUNSTAR_")}
    return subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        cwd=installed.parent,
        env={**variables, "PYTHONPATH": f"{installed}:{sysconfig.get_path('purelib')}"},
    )


def test_its_simulators_find_their_libraries_drives_and_presets(installed: Path) -> None:
    programs = {program.name: program for program in (installed / "sunstar/bin").iterdir()}
    assert sorted(programs) == [f"sunstar-{name}" for name in ("cluster", "disk", "network", "sp2", "torus")]
    for library in ("systemc", "boost_json"):
        listed = run(installed, "ldd", programs["sunstar-torus"]).stdout
        assert all(str(installed) in line for line in listed.splitlines() if f"lib{library}" in line)
        assert f"lib{library}" in listed
    drives = installed / "sunstar/project/models/disk/drives"
    (drives / "mine.json").write_text((drives / "barracuda.json").read_text())
    settings = ("machine.disk=mine", "workload.file_size=256KiB")
    done = run(installed, programs["sunstar-sp2"], *(part for each in settings for part in ("--set", each)))
    assert done.returncode == 0, done.stderr


def test_its_package_runs_them_and_says_what_needs_the_sources(installed: Path) -> None:
    program = "import sunstar; print(sunstar.run('torus', {'workload.file_size': '256KiB'}).result.verified)"
    done = run(installed, *PYTHON, program)
    assert done.stdout == "True\n", done.stderr
    assert (installed.parent / "results" / "runs.sqlite").is_file()
    new = run(installed, *PYTHON, "from sunstar.cli import app; app()", "new", "layout", "mine")
    assert new.returncode == 2
    assert "needs Sunstar's sources" in new.stderr
