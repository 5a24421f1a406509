# SPDX-License-Identifier: MIT
"""The set-up that ./run and ./test share."""

import json
import re
import shutil
import subprocess
from pathlib import Path

SETUP = Path(__file__).parents[3] / "scripts" / "setup.sh"
PRESETS = {
    "version": 3,
    "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}],
}


def built(top: Path) -> str:
    """What the build of this project says, whose only target prints its folder."""
    command = f'. "{top}/scripts/setup.sh" && configure_and_build release'
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_long_step_says_how_far_it_is_where_there_is_no_terminal(tmp_path: Path) -> None:
    shown = f'. "{SETUP}" && logs="{tmp_path}" ticks=1 && logged slow "building" bash -c "echo compiling; sleep 1.8"'
    done = subprocess.run(["bash", "-c", shown], capture_output=True, text=True, check=True, timeout=60)
    assert re.match(r"(== building, \d s: compiling\n){2}", done.stderr)


def test_a_project_that_was_copied_with_its_build_tree_builds_its_own_files(tmp_path: Path) -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    (original / "scripts").mkdir(parents=True)
    shutil.copy(SETUP, original / "scripts")
    (original / "CMakePresets.json").write_text(json.dumps(PRESETS))
    (original / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(small NONE)\n"
        "add_custom_target(show ALL COMMAND ${CMAKE_COMMAND} -E echo from ${CMAKE_SOURCE_DIR})\n"
    )
    assert f"from {original}\n" in built(original)
    shutil.copytree(original, copy)
    assert f"from {copy}\n" in built(copy)
    again = built(copy)
    assert f"from {copy}\n" in again and "Configuring done" not in again
    assert f"CMAKE_HOME_DIRECTORY:INTERNAL={original}\n" in (original / "build/release/CMakeCache.txt").read_text()
