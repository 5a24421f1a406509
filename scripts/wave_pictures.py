#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands that the views in waveforms/ name and draws each view, in waveforms/pictures. To be called with the
project's Python: .venv/bin/python scripts/wave_pictures.py [VIEW...]; without names it draws all."""

import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sunstar.files import Outputs
from sunstar.places import executable, project
from sunstar.programs import run_program
from sunstar.waves.picture import View, WaveFile, caption, draw, read_view

FOLDER = project() / "waveforms"
VIEWS = [read_view(path) for path in sorted(FOLDER.glob("*.gtkw"))]


def run_of(view: View, folder: Path) -> Iterator[WaveFile]:
    """Runs the view's commands, sunstar-PROGRAM ... --vcd FILE, with their files in this folder."""
    for command in view.commands:
        words = shlex.split(command)
        assert command.startswith("sunstar-"), command
        assert "--vcd" in words, command
        at = words.index("--vcd") + 1
        file = folder / Path(words[at]).name
        words[at] = str(file)
        if not file.is_file():
            program = executable(words[0].removeprefix("sunstar-"))
            done = run_program([str(program), "--quiet", *words[1:]], cwd=project())
            assert done.returncode == 0, done.stderr
        yield WaveFile(file)


def main(names: list[str]) -> None:
    folder = FOLDER / "pictures"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as runs, Outputs() as files:
        for view in VIEWS:
            if not names or view.path.stem in names:
                waves = [(caption(file), file) for file in run_of(view, Path(runs))]
                draw(files, folder / f"{view.path.stem}.png", view, waves)


if __name__ == "__main__":
    main(sys.argv[1:])
