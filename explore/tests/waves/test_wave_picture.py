# SPDX-License-Identifier: MIT
"""Views and pictures of them."""

import math
from pathlib import Path

import pytest
from conftest import Sunstar

from sunstar.errors import FileError
from sunstar.waves.file import WaveFile
from sunstar.waves.picture import Span, Window
from sunstar.waves.view import read_view

VCD = """$comment
sunstar-lamp 1.0.0
configuration: lamp.json
set: run.seed=7
$end
$version sunstar $end
$timescale 1 ps $end
$attrbegin misc 07 light 3 off on broken 0 1 10 1 $end
$scope module tower $end
$attrbegin misc 07 "" 1 $end
$var integer 32 ! light $end
$var integer 32 " queue $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
b0 !
b11111111111111111111111111111111 "
$end
#100
b1 !
#300
b10 !
b101 "
#1000
"""
VIEW = f"""[*] SPDX-License-Identifier: MIT
[*] When does the lamp break?
[*] run: ./run lamp --vcd results/lamp.vcd
[timestart] 50
*{-math.log2(160)} 50
[size] 1600 900
@800200
-tower
@200
-its light
@2024
^1 waveforms/light.txt
+{{the light}} tower.light
@8420
tower.queue
@20000
-
-
@1000200
-tower
"""


@pytest.fixture
def lamp(tmp_path: Path) -> tuple[Path, Path]:
    view, file = tmp_path / "lamp.gtkw", tmp_path / "lamp.vcd"
    view.write_text(VIEW)
    file.write_text(VCD)
    return view, file


def test_a_view_says_what_it_shows(lamp: tuple[Path, Path]) -> None:
    view = read_view(lamp[0])
    assert (view.title, view.commands) == ("When does the lamp break?", ["./run lamp --vcd results/lamp.vcd"])
    assert (view.start_ps, round(view.width_ps)) == (50, 800)
    [group] = view.groups
    assert (group.title, group.note) == ("tower", "its light")
    assert [(row.label, row.signal, row.analog) for row in view.rows] == [
        ("the light", "tower.light", False),
        ("tower.queue", "tower.queue", True),
    ]
    assert [row.words for row in view.rows] == [Path("waveforms/light.txt"), None]


def test_a_file_is_read_with_its_words_signs_origin_and_end(lamp: tuple[Path, Path]) -> None:
    file = WaveFile(lamp[1])
    assert file.signals == ["tower.light", "tower.queue"]
    light, queue = file.wave("tower.light"), file.wave("tower.queue")
    assert light.spelt == [(0, "off"), (100, "on"), (300, "broken")]
    assert list(zip(queue.times, queue.values, strict=True)) == [(0, -1), (300, 5)]
    assert [queue.at(time) for time in (0, 299, 300, 10_000)] == [-1, -1, 5, 5]
    assert file.comment == ["sunstar-lamp 1.0.0", "configuration: lamp.json", "set: run.seed=7"]
    assert file.end == 1000


def test_spans_end_where_the_window_does(lamp: tuple[Path, Path]) -> None:
    wave = WaveFile(lamp[1]).wave("tower.light")
    assert list(Window(50, 400).spans(wave)) == [Span(50, 100, 0), Span(100, 300, 1), Span(300, 400, 2)]
    assert list(Window(150, 250).spans(wave)) == [Span(150, 250, 1)]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture_has_the_form_its_name_says(suffix: str, lamp: tuple[Path, Path], sunstar: Sunstar) -> None:
    view, file = lamp
    picture = file.with_suffix(f".{suffix}")
    done = sunstar("waves", str(view), str(file), str(file), "--output", str(picture))
    assert done.exit_code == 0, done.output
    assert picture.read_bytes().startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix])
    if suffix == "svg":
        text = picture.read_text()
        for words in ("When does the lamp break?", "the light", "broken", "lamp.json"):
            assert f"<!-- {words}" in text or words in text, words


def test_what_cannot_be_drawn_is_said_in_a_sentence(lamp: tuple[Path, Path], sunstar: Sunstar, tmp_path: Path) -> None:
    view, file = lamp
    other = tmp_path / "other.gtkw"
    other.write_text(VIEW.replace("tower.queue", "tower.door"))
    blind = tmp_path / "blind.gtkw"
    blind.write_text("[timestart] 0\n")
    broken = tmp_path / "broken.vcd"
    broken.write_text("$scope nothing")
    for arguments, code, sentence in (
        ([view, file, "--output", "p.gif"], 2, "its name must end in .png, .svg or .pdf"),
        ([view, file, "--output", "p.png", "--window", "3ms"], 2, "--window 3ms: it must be two times"),
        ([view, file, "--output", "p.png", "--window", "2ms,3ms"], 2, "ends before the window to draw begins"),
        ([other, file, "--output", "p.png"], 3, "has no signal tower.door"),
        ([blind, file, "--output", "p.png"], 3, "has no line with the zoom"),
        ([view, tmp_path / "none.vcd", "--output", "p.png"], 3, "there is no file"),
        ([view, broken, "--output", "p.png"], 3, "cannot read"),
    ):
        done = sunstar("waves", *map(str, arguments))
        assert done.exit_code == code, done.output
        assert sentence in done.stderr
    with pytest.raises(FileError):
        read_view(tmp_path / "none.gtkw")
