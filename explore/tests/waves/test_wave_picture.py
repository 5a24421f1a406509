# SPDX-License-Identifier: MIT
"""Views and pictures of them."""

import gzip
import math
import shutil
import subprocess
from pathlib import Path

import pytest
from changes import at, spelt
from conftest import Sunstar

from sunstar.errors import FileError
from sunstar.waves.picture import Span, WaveFile, Window, busiest, read_view

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
[*] run: sunstar-lamp --vcd results/lamp.vcd
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
    assert (view.title, view.commands) == ("When does the lamp break?", ["sunstar-lamp --vcd results/lamp.vcd"])
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
    assert spelt(light) == [(0, "off"), (100, "on"), (300, "broken")]
    assert list(zip(queue.times, queue.values, strict=True)) == [(0, -1), (300, 5)]
    assert [at(queue, time) for time in (0, 299, 300, 10_000)] == [-1, -1, 5, 5]
    assert file.comment == ["sunstar-lamp 1.0.0", "configuration: lamp.json", "set: run.seed=7"]
    assert file.end == 1000


LIMIT = "The wave file ends at 0.000001 s: its limit of 1 MiB was reached."


@pytest.mark.parametrize(
    ("content", "incomplete", "end"),
    [
        (VCD, "", 1000),
        (VCD[: VCD.index("b101")], "It is cut off after 300 ps", 300),
        (VCD[: VCD.index("b101") + 2], "It is cut off after 300 ps", 300),
        (VCD[:-3], "It is cut off after 300 ps", 300),
        (VCD.replace("#1000", f"$comment {LIMIT} $end\n#1000"), LIMIT[:-1], 1000),
    ],
)
def test_a_file_that_is_cut_off_is_drawn_and_says_so(
    content: str, incomplete: str, end: int, lamp: tuple[Path, Path], sunstar: Sunstar
) -> None:
    view, file = lamp
    file.write_text(content)
    assert (WaveFile(file).incomplete, WaveFile(file).end) == (incomplete, end)
    picture = file.with_suffix(".svg")
    done = sunstar("waves", str(view), str(file), "--output", str(picture))
    assert done.exit_code == 0, done.output
    assert (f"Warning: {file} is incomplete: {incomplete}." in done.stderr) == bool(incomplete)
    assert ("INCOMPLETE" in picture.read_text()) == bool(incomplete)


def test_a_packed_file_is_read_whatever_its_name(lamp: tuple[Path, Path]) -> None:
    for name in ("lamp.vcd.gz", "packed.vcd", "lamp.dat"):
        path = lamp[1].with_name(name)
        path.write_bytes(gzip.compress(VCD.encode()))
        assert (WaveFile(path).end, WaveFile(path).comment[0]) == (1000, "sunstar-lamp 1.0.0")
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(FileError, match="cannot read"):
        WaveFile(path)


@pytest.mark.skipif(shutil.which("vcd2fst") is None, reason="no vcd2fst is installed (apt-get install gtkwave)")
def test_an_fst_file_is_known_by_its_content_and_refused_if_it_is_cut(lamp: tuple[Path, Path]) -> None:
    path = lamp[1].with_name("LAMP.FST")
    subprocess.run(["vcd2fst", lamp[1], path], check=True, capture_output=True)
    assert WaveFile(path).wave("tower.light").values == [0, 1, 2]
    whole = path.read_bytes()
    for size in range(9, len(whole), 17):
        path.write_bytes(whole[:size])
        with pytest.raises(FileError):
            WaveFile(path)


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


def test_without_a_view_the_busiest_parts_are_drawn(tmp_path: Path, sunstar: Sunstar) -> None:
    def changing(name: str, *values: int) -> tuple[str, list[tuple[int, int]]]:
        return name, [(100 * i, value) for i, value in enumerate(values)]

    signals = [
        *(changing(f"machine.iop{i}.queue", 0, *[3] * i, *[0] * (8 - i)) for i in range(4)),
        changing("machine.cp0.cache.hits", *range(9)),  # a count, of which nobody knows when it is busy
        changing("machine.cp0.under_way", 0, 1, 0, 0, 0, 0, 0, 0, 0),
    ]
    names = "".join(f"$var integer 32 s{i} {name} $end\n" for i, (name, _) in enumerate(signals))
    lines = [(at, f"#{at}\nb{value:b} s{i}\n") for i, (_, values) in enumerate(signals) for at, value in values]
    file = tmp_path / "busy.vcd"
    body = "".join(line for _, line in sorted(lines, key=lambda each: each[0]))
    file.write_text(f"$timescale 1 ps $end\n{names}$enddefinitions $end\n{body}#1000\n")
    groups = {group.title: (group.note, [row.label for row in group.rows]) for group in busiest(WaveFile(file)).groups}
    assert groups == {
        "machine.iop3": ("busy for 30.0 % of the time", ["queue"]),  # the two busiest of this kind
        "machine.iop2": ("busy for 20.0 % of the time", ["queue"]),
        "machine.cp0": ("busy for 10.0 % of the time", ["under_way"]),
    }
    done = sunstar("waves", str(file), "--output", str(tmp_path / "busy.svg"))
    assert done.exit_code == 0, done.output
    assert "machine.iop3" in (tmp_path / "busy.svg").read_text()


def test_what_cannot_be_drawn_is_said_in_a_sentence(lamp: tuple[Path, Path], sunstar: Sunstar, tmp_path: Path) -> None:
    view, file = lamp
    other = tmp_path / "other.gtkw"
    other.write_text(VIEW.replace("tower.queue", "tower.door"))
    late = tmp_path / "late.gtkw"
    late.write_text(VIEW.replace("[timestart] 50", "[timestart] 5000"))
    header = tmp_path / "header.vcd"
    header.write_text(VCD[: VCD.index("$enddefinitions")])
    text, empty = tmp_path / "text.vcd", tmp_path / "empty.vcd"
    text.write_text("hello\n")
    empty.write_text("")
    still = tmp_path / "still.vcd"
    still.write_text(VCD[: VCD.index("#100")].replace(" off ", " idle ") + "#1000\n")
    blind = tmp_path / "blind.gtkw"
    blind.write_text("[timestart] 0\n")
    broken = tmp_path / "broken.vcd"
    broken.write_text("$scope nothing")
    for arguments, code, sentence in (
        ([view, file, "--output", "p.gif"], 2, "its name must end in .png, .svg or .pdf"),
        ([view, "--output", "p.png"], 2, "is a view; name after it the wave files to draw"),
        ([text, "--output", "p.png"], 3, "is no wave file"),
        ([still, "--output", "p.png"], 3, "shows no part that was ever busy"),
        ([view, file, "--output", "p.png", "--window", "3ms"], 2, "--window 3ms: it must be two times"),
        ([view, file, "--output", "p.png", "--window", "2ms,3ms"], 2, "--window: "),
        ([other, file, "--output", "p.png"], 3, "has no signal tower.door"),
        ([blind, file, "--output", "p.png"], 3, "has no line with the zoom"),
        ([view, tmp_path / "none.vcd", "--output", "p.png"], 3, "there is no file"),
        ([view, broken, "--output", "p.png"], 3, "is cut off within its header"),
        ([view, header, "--output", "p.png"], 3, "is cut off within its header"),
        ([view, text, "--output", "p.png"], 3, "is no wave file; it must be a VCD or FST file"),
        ([view, empty, "--output", "p.png"], 3, "is no wave file"),
        ([view, tmp_path, "--output", "p.png"], 3, "is a folder"),
        ([late, file, "--output", "p.png"], 3, "before the window to draw begins; name another with --window"),
    ):
        done = sunstar("waves", *map(str, arguments))
        assert done.exit_code == code, done.output
        assert sentence in done.stderr
    with pytest.raises(FileError):
        read_view(tmp_path / "none.gtkw")
