#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands that the views in waveforms/ name and draws each view, in waveforms/pictures. To be called with the
project's Python: .venv/bin/python scripts/wave_pictures.py [VIEW...]; without names it draws all."""

import sys
import tempfile
from pathlib import Path

from sunstar.files import Outputs
from sunstar.places import project
from sunstar.waves.picture import caption, draw
from sunstar.waves.view import FOLDER, run_of, views


def main(names: list[str]) -> None:
    folder = project() / FOLDER / "pictures"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as runs, Outputs() as files:
        for view in views():
            if not names or view.path.stem in names:
                waves = [(caption(file), file) for file in run_of(view, Path(runs))]
                draw(files, folder / f"{view.path.stem}.png", view, waves)


main(sys.argv[1:])
