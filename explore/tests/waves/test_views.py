# SPDX-License-Identifier: MIT
"""The saved views: each shows what its own commands write, at a time when something happens, and by name."""

import re
from itertools import pairwise
from pathlib import Path
from runpy import run_path

import pytest

from sunstar.places import project
from sunstar.waves.picture import FRAMES, View, WaveFile, Window, read_view, read_words

FOLDER = "waveforms"  # The folder of the project's views
SCRIPT = run_path(str(project() / "scripts" / "wave_pictures.py"))
VIEWS: list[View] = SCRIPT["VIEWS"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("waves")


@pytest.fixture(params=VIEWS, ids=lambda view: view.path.stem)
def view(request: pytest.FixtureRequest) -> View:
    found = request.param
    assert isinstance(found, View)
    return found


@pytest.fixture
def files(view: View, folder: Path) -> list[WaveFile]:
    return list(SCRIPT["run_of"](view, folder))


FRAME_PIXELS = 200  # GTKWave's unit of zoom
LETTER_PIXELS, BORDERS = 8, 30  # Of GTKWave's column of names and values


def test_every_signal_is_in_the_file_that_its_command_writes(view: View, files: list[WaveFile]) -> None:
    assert files
    for file in files:
        assert [row.signal for row in view.rows if row.signal not in file] == []


def test_something_happens_in_the_window(view: View, files: list[WaveFile]) -> None:
    for file in files:
        window = Window(view.start_ps, min(view.start_ps + view.width_ps, file.end))
        # Half of it lies within the run, and more than a third of the signals change.
        assert window.end - window.start > 0.5 * view.width_ps
        changing = [row.label for row in view.rows if len(list(window.spans(file.wave(row.signal)))) > 1]
        assert len(changing) > len(view.rows) / 3, changing


def test_words_are_the_file_s_and_the_same_in_the_table_for_gtkwave(view: View, files: list[WaveFile]) -> None:
    for row in view.rows:
        words = files[0].wave(row.signal).words
        assert bool(words) == (row.words is not None), row.signal
        if row.words:
            table = read_words(row.words)
            assert {value: table[value] for value in words} == words


def test_the_file_says_what_was_run(view: View, files: list[WaveFile]) -> None:
    for command, file in zip(view.commands, files, strict=True):
        words = command.split()
        assert re.fullmatch(rf"{words[0]} \d+\.\d+\.\d+", file.comment[0])
        if "--config" in words:
            assert f"configuration: {words[words.index('--config') + 1]}" in file.comment
        settings = [after for option, after in pairwise(words) if option == "--set"]
        assert [line.removeprefix("set: ") for line in file.comment if line.startswith("set: ")] == settings


def test_gtkwave_opens_a_view_at_its_window(view: View, files: list[WaveFile]) -> None:
    """It passes over a beginning from which the file does not fill the window."""
    assert view.start_ps == 0 or view.start_ps + 1.01 * view.width_ps <= files[0].end
    text = view.path.read_text()
    settings = {match[1]: match[2] for match in re.finditer(r"^\[(\w+)\] (.*)$", text, re.MULTILINE)}
    width, _ = settings["size"].split()
    assert int(width) - int(settings["signals_width"]) > FRAMES * FRAME_PIXELS
    # Names and notes have a column, beside which every value has room.
    notes = [line[1:] for line in text.splitlines() if line.startswith("-")]
    name = max(len(each) for each in [*notes, *(row.label for row in view.rows)])
    values = [word for row in view.rows if row.words for word in read_words(row.words).values()]
    letters = name + max(map(len, ["=1234", *values])) + 1
    assert LETTER_PIXELS * letters + BORDERS <= int(settings["signals_width"])


def test_gtkwave_finds_a_views_files_from_any_folder_and_when_all_have_moved(view: View, tmp_path: Path) -> None:
    """They are absolute, and GTKWave looks as far from the view as they are from the path that [savefile] gives."""
    text = view.path.read_text()
    assert f'[savefile] "/{FOLDER}/{view.path.name}"\n' in text
    assert f'[dumpfile] "/results/{view.commands[0].split("results/")[1].split()[0]}"\n' in text
    assert text.count("^1 ") == text.count(f"^1 /{FOLDER}/")
    moved = tmp_path / view.path.name
    moved.write_text(text)
    assert {row.words.parent for row in read_view(moved).rows if row.words} <= {tmp_path}


def test_the_page_of_the_views_has_them_all() -> None:
    page = (project() / "waveforms" / "README.md").read_text()
    for view in VIEWS:
        assert f"{view.path.name}" in page
        for command in view.commands:
            assert command.split(" --vcd ")[0] in page.replace(" \\\n  ", " "), command


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.path.stem)
def test_the_marker_of_a_view_lies_in_its_window(view: View) -> None:
    assert view.start_ps <= view.marker_ps < view.start_ps + view.width_ps


def test_the_marker_of_a_view_is_at_the_answer() -> None:
    one_read = next(view for view in VIEWS if view.path.stem == "one-read")
    assert one_read.marker_ps == 36_779_785_040  # the drive asks for the bus again, with the data
