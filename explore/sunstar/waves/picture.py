# SPDX-License-Identifier: MIT
"""sunstar waves: a view of wave files, which may be packed by gzip or cut off, as a picture. A saved view of GTKWave
says which signals, in which form, in which window of time, and, if it is the project's, the commands whose runs it
shows."""

import math
import os
import re
import shutil
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal, NamedTuple

import typer

from sunstar.commands import warn, written
from sunstar.console import console
from sunstar.drawing import Axes, picture
from sunstar.errors import FileError, UsageError, check_suffix
from sunstar.files import Outputs, is_packed, open_unpacked, reading, taking_apart
from sunstar.programs import Interrupted
from sunstar.quantities import TIMES, quantity
from sunstar.structure import kind_of

Form = Literal["vcd", "fst"]
FST_HEADER = b"\x00" + (329).to_bytes(8, "big")  # The type and the length of the first block of an FST file
RESTING = {"idle", "free", "nobody", "none"}  # Words of a part that does nothing
TAIL = 1 << 16  # This many bytes at the end of a VCD file show how it ends
TRANSLATED, ANALOG, BLANK, OPENS, CLOSES = 0x2000, 0x8000, 0x200, 0x800000, 0x1000000
"""Flags of a row, as GTKWave writes them: @ and their sum."""
FRAMES = 5  # How many of GTKWave's units of zoom, 200 pixels, a view is wide
SUFFIXES = (".png", ".svg", ".pdf")
INCHES, LABELS = 10.0, 1.9  # The width of a picture, and of its names of signals
HEAD = 1.25  # The height of a group's title, in rows
ROW_INCHES = 0.235
MOST_PARTS, MOST_ALIKE, MOST_ROWS = 8, 2, 3  # Without a view: parts; parts of one kind; rows of a part
LETTER_INCHES = 0.068
COLOURS = ("#7aa6d8", "#f0a35e", "#7fc29b", "#c79bd6", "#e58a8a", "#b9b05a", "#6fc3c9", "#d98fb5", "#a7b4c4", "#c9a27e")
COMMON = {"read": COLOURS[2], "write": COLOURS[3]}  # Words of several kinds of signal have one colour
LEVEL, LEVEL_LINE, REST, INK, FAINT = "#cfe0f2", "#2f6eb5", "#b4bcc6", "#22272d", "#6a737d"
MARK = "#d3262f"
UNITS = ((1e9, "ms"), (1e6, "µs"), (1e3, "ns"), (1.0, "ps"))
Legend = defaultdict[tuple[str, str], float]  # Words with their colours, and for how long they are shown


@dataclass(frozen=True)
class Wave:
    """A signal: its values and the times of their changes, in picoseconds."""

    name: str
    times: list[int]
    values: list[int]
    words: dict[int, str]  # The words of its values, if they stand for words

    def word(self, value: int) -> str:
        return self.words.get(value, str(value))

    def rests(self, value: int) -> bool:
        """Whether the part does nothing at this value. A number begins with the value, -1 or 0, that means nothing."""
        return self.word(value) in RESTING if self.words else value <= min(0, *self.values[:1])


class WaveFile:
    """A VCD or FST file, plain or packed by gzip; a FileError if it is no wave file, or too damaged to be drawn."""

    def __init__(self, path: Path) -> None:
        from pywellen import Waveform  # here, so that other commands start without it

        if not path.is_file():
            raise FileError(f"{path} is a folder" if path.is_dir() else f"there is no file {path}")
        self.path = path
        self.incomplete = ""  # Why the file is incomplete, in a sentence; empty if not known to be
        self._whole = path  # The file to read: itself, or a copy
        self._copy: TemporaryDirectory[str] | None = None  # The place of the copy; it is removed with this object
        self._end_ps: int | None = None  # The last time that a VCD file names
        with reading(path):
            if is_packed(path):
                self._copy = TemporaryDirectory()
                self._whole = Path(self._copy.name) / "waves"
                with open_unpacked(path) as source, self._whole.open("wb") as target:
                    shutil.copyfileobj(source, target)
            self._form = form_of(self._whole)
            if self._form is None:
                raise FileError(f"{path} is no wave file; it must be a VCD or FST file, as --vcd writes it")
            if self._form == "vcd":
                self._look_through()
            elif not is_whole_fst(self._whole):
                raise FileError(f"{path} is cut off; an FST file can only be read whole")
        with self._told():
            self._file = Waveform(str(self._whole))
            self._variables: dict[str, Any] = {each.full_name: each for each in self._file.all_vars()}
        self.signals = list(self._variables)

    def _look_through(self) -> None:
        """Finds out when a VCD file ends, and leaves out a last line that is cut off."""
        with self._whole.open("rb") as file:
            before_values = list(takewhile(lambda line: b"$enddefinitions" not in line, file))
            header = b"".join(before_values)
            values, size = file.tell(), file.seek(0, os.SEEK_END)
            if values == len(header):
                raise FileError(f"{self.path} is cut off within its header, which must end with $enddefinitions")
            file.seek(max(values, size - TAIL))
            tail = file.read()
        lines, newline, half = tail.rpartition(b"\n")
        if half.strip():  # its reader would take half a number for a whole one
            if self._copy is None:
                self._copy = TemporaryDirectory()
                self._whole = Path(shutil.copy(self.path, self._copy.name))
            os.truncate(self._whole, size - len(half))
        times = re.findall(rb"^#(\d+)\s*$", lines + newline, re.MULTILINE)
        if not times:
            raise FileError(f"{self.path} has no values: it was cut off, or its window was after the end of the run")
        self._end_ps = int(times[-1])
        # Sunstar ends a file with the time at which it closes it.
        ends = not half.strip() and (b"$version sunstar" not in header or lines.rpartition(b"\n")[2].startswith(b"#"))
        if limit := re.search(rb"\$comment (The wave file .+?)\.? \$end", tail):
            self.incomplete = limit[1].decode(errors="replace")
        elif not ends:
            self.incomplete = f"It is cut off after {time_in_words(self._end_ps)}"

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (KeyboardInterrupt, SystemExit, FileError, Interrupted):
            raise
        except BaseException as error:  # the library raises what Rust says, and its panics are no Exception
            raise FileError(f"cannot read {self.path} as waveforms: {' '.join(str(error).split())}") from error

    def __contains__(self, signal: str) -> bool:
        return signal in self._variables

    def wave(self, name: str) -> Wave:
        variable = self._variables.get(name)
        if variable is None:
            raise FileError(f"{self.path} has no signal {name}; it may be of another machine or scope")
        with self._told():
            signal: Any = variable.signal
            changes = [signal[i] for i in range(len(signal))]
            named = variable.enum_type
            words = {int(bits, 2): word for bits, word in named[1]} if named else {}
            values = [int(value) for _, value in changes]
        signed = [value - (1 << 32) if value >= 1 << 31 else value for value in values]  # they have 32 bits
        return Wave(name, [int(time) for time, _ in changes], signed, words)

    @cached_property
    def end(self) -> int:
        """The time of its end, in picoseconds; of an FST file, of its last change, since the library gives no more."""
        if self._end_ps is not None:
            return self._end_ps
        with self._told():
            filled = (signal for each in self._variables.values() if len(signal := each.signal))
            return max((int(signal[len(signal) - 1][0]) for signal in filled), default=0)

    @cached_property
    def comment(self) -> list[str]:
        """The comment of a VCD file on its run; FST files do not keep it."""
        if self._form == "fst":
            return []
        with self._whole.open(errors="replace") as text:
            lines = text if next(text, "").strip() == "$comment" else ()
            return [line.rstrip("\n") for line in takewhile(lambda line: line.strip() != "$end", lines)]


def form_of(path: Path) -> Form | None:
    """The form of a file, plain or packed by gzip, under any name; None if it is no wave file or cannot be read."""
    try:
        with open_unpacked(path) as file:
            head = file.read(64)
    except (OSError, EOFError, zlib.error):
        return None
    return "fst" if head.startswith(FST_HEADER) else "vcd" if head.lstrip().startswith(b"$") else None


def time_in_words(time_ps: float) -> str:
    units = ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"))
    scale, unit = next((each for each in units if time_ps >= each[0]), (1, "ps"))
    return f"{time_ps / scale:.6g} {unit}"


def is_whole_fst(path: Path) -> bool:
    """Whether the file ends where its last block does. Each begins with its type, a byte, and the rest's length."""
    size, at = path.stat().st_size, 0
    with path.open("rb") as file:
        while at < size:
            file.seek(at + 1)
            length = int.from_bytes(file.read(8), "big")
            if length < 8:
                return False
            at += 1 + length
    return at == size


@dataclass(frozen=True)
class Row:
    label: str
    signal: str  # Its whole name, with dots
    analog: bool = False
    words: Path | None = None  # GTKWave's table of the words that its values stand for

    @property
    def height(self) -> float:
        return 2.2 if self.analog else 1.0


@dataclass
class Group:
    title: str
    note: str = ""
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True)
class View:
    path: Path
    title: str  # The question that it answers
    commands: Sequence[str]  # Each makes a wave file for it
    groups: Sequence[Group]
    start_ps: int
    width_ps: float
    marker_ps: int  # Where GTKWave has its marker: at the answer, or at the start of the window

    @property
    def rows(self) -> list[Row]:
        return [row for group in self.groups for row in group.rows]


def read_view(path: Path) -> View:
    """Reads the settings of sunstar's own views; further settings of GTKWave are passed over."""
    with reading(path):
        lines = path.read_text().splitlines()
    settings = {match[1]: match[2] for line in lines if (match := re.match(r"\[(\w+)\] (.*)", line))}
    comments = [line[4:] for line in lines if line.startswith("[*] ")]
    commands = [text.removeprefix("run: ") for text in comments if text.startswith("run: ")]
    title = next((text for text in comments if not text.startswith(("run: ", "SPDX"))), path.stem)
    zoom = next((match for line in lines if (match := re.match(r"\*(-?\d+(?:\.\d*)?)\s+(\d*)", line))), None)
    if zoom is None:
        raise FileError(f"{path} is no view of GTKWave: it has no line with the zoom, as in *-20.0 0")
    with taking_apart(f"{path} is no view of GTKWave"):
        groups = list(groups_of(lines, path, settings.get("savefile", "").strip('"')))
        start = int(settings.get("timestart", 0))
        width, marker = FRAMES * math.pow(2.0, -float(zoom[1])), int(zoom[2] or start)
    if not any(group.rows for group in groups):
        raise FileError(f"{path} has no signal")
    return View(path, title, commands, groups, start, width, marker)


def busiest(file: WaveFile) -> View:
    """The view without a saved one: the whole file, and of it the parts that were busy for the longest, a few of each
    kind. Signals with words tell how long that was, or else numbers that fall again, which no count of events does."""
    whole = Window(0, file.end)
    parts: dict[str, list[tuple[bool, float, Row]]] = defaultdict(list)
    for name in file.signals:
        wave = file.wave(name)
        if wave.words or any(after < before for before, after in pairwise(wave.values)):
            part, _, label = name.rpartition(".")
            busy = sum(span.end - span.start for span in whole.spans(wave) if not wave.rests(span.value)) / file.end
            row = Row(label, name, analog=not wave.words and len(set(wave.values)) > 2)
            parts[part].append((not wave.words, -busy, row))
    first = {part: sorted(rows, key=lambda each: each[:2])[:MOST_ROWS] for part, rows in parts.items()}
    alike: Counter[str] = Counter()
    groups: list[Group] = []
    for part, rows in sorted(first.items(), key=lambda item: item[1][0][1]):
        share, kind = -rows[0][1], kind_of(f"{part}.")
        if share > 0 and alike[kind] < MOST_ALIKE and len(groups) < MOST_PARTS:
            alike[kind] += 1
            groups.append(Group(part, f"busy for {100 * share:.1f} % of the time", [row for _, _, row in rows]))
    if not groups:
        raise FileError(f"{file.path} shows no part that was ever busy; name a view to draw")
    return View(file.path, "The busiest parts", (), groups, 0, file.end, 0)


def groups_of(lines: Sequence[str], view: Path, saved: str) -> Iterator[Group]:
    """Tables lie where GTKWave finds them: as far from the view as they were from where it was saved."""
    flags, words, group = 0, None, Group("")
    for line in lines:
        if line.startswith("@"):
            flags = int(line[1:], 16)
        elif match := re.match(r"\^\d+ (.+)", line):
            words = Path(match[1])
            if saved and words.is_absolute():
                words = view.parent / os.path.relpath(words, Path(saved).parent)
        elif line.startswith("-"):
            if flags & OPENS:
                group = Group(line[1:])
            elif flags & CLOSES:
                yield group
                group = Group("")
            elif flags & BLANK and line[1:]:
                group.note = f"{group.note} {line[1:]}".strip()  # one for people may take several lines
        elif match := re.match(r"(?:\+\{(.+)\} )?([A-Za-z]\S*)$", line):
            table = words if flags & TRANSLATED else None
            group.rows.append(Row(match[1] or match[2], match[2], bool(flags & ANALOG), table))
            words = None
    if group.rows:
        yield group


class Span(NamedTuple):
    start: float
    end: float
    value: int


class Window(NamedTuple):
    start: float
    end: float

    def spans(self, wave: Wave) -> Iterator[Span]:
        """The spans of constant value within it."""
        ends = [*wave.times[1:], self.end]
        for start, end, value in zip(wave.times, ends, wave.values, strict=True):
            if end > self.start and start < self.end:
                yield Span(max(start, self.start), min(end, self.end), value)


def draw(
    files: Outputs, path: Path, view: View, waves: Sequence[tuple[str, WaveFile]], window: Window | None = None
) -> None:
    """Draws the view of each of these files, with its caption, one below the other."""
    wanted = window or Window(view.start_ps, view.start_ps + view.width_ps)
    shown = Window(wanted.start, min(wanted.end, max(file.end for _, file in waves)))
    if shown.start >= shown.end:
        sentence = f"{waves[0][1].path} ends at {time_in_words(shown.end)}, before the window to draw begins"
        raise UsageError(f"--window: {sentence}") if window else FileError(f"{sentence}; name another with --window")
    rows = sum(row.height for row in view.rows) + HEAD * len(view.groups)
    inches = (rows * ROW_INCHES + 0.55) * len(waves) + 0.45
    with picture(files, path, INCHES, inches, 8, 110) as canvas:
        canvas.suptitle(view.title, fontsize=11, fontweight="bold", x=0.01, ha="left")
        all_axes = canvas.subplots(len(waves), sharex=True, squeeze=False)[:, 0]
        for axes, (caption, file) in zip(all_axes, waves, strict=True):
            draw_file(axes, view, file, shown)
            if caption:
                axes.set_title(caption, fontsize=8, loc="left", color=FAINT)
        for axes in all_axes[:-1]:
            axes.set_xlabel("")


def draw_file(axes: Axes, view: View, file: WaveFile, window: Window) -> None:
    scale, unit = next(((s, u) for s, u in UNITS if window.end - window.start >= 2 * s), UNITS[-1])
    left, right, marker = (time / scale for time in (window.start, window.end, view.marker_ps))
    inch = (right - left) / (INCHES - LABELS)
    within = Window(window.start, min(window.end, file.end))
    y = 0.0
    ticks: list[tuple[float, str]] = []
    for group in view.groups:
        y += HEAD
        axes.text(left, y - 0.3, group.title, fontsize=8, fontweight="bold", color=INK, va="bottom")
        head, legend = y - 0.3, Legend(float)
        for row in group.rows:
            wave = file.wave(row.signal)
            if row.words and not wave.words:  # FST files have none
                wave = replace(wave, words=read_words(row.words))
            ticks.append((y + row.height / 2, row.label))
            spans = [Span(span.start / scale, span.end / scale, span.value) for span in within.spans(wave)]
            if row.analog:
                draw_level(axes, spans, y + 0.1, row.height - 0.2)
            else:
                draw_bands(axes, wave, spans, y + 0.1, row.height - 0.2, inch, legend)
            y += row.height
        note_at = left + inch * (0.16 + 0.065 * len(group.title))
        if draw_legend(axes, legend, right, head, inch) > note_at + inch * 0.062 * len(group.note):
            axes.text(note_at, head, group.note, fontsize=7.5, color=FAINT, va="bottom")
    axes.set(xlim=(left, right), ylim=(y + 0.15, 0))
    axes.set_yticks([at for at, _ in ticks], [label for _, label in ticks])
    axes.tick_params(axis="y", length=0, labelsize=8)
    axes.set_xlabel(f"simulated time ({unit})", fontsize=8)
    axes.grid(axis="x", color="#e3e7ec", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.ticklabel_format(axis="x", useOffset=False, style="plain")
    if left < marker < right:
        axes.axvline(marker, color=MARK, linewidth=0.9, zorder=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def read_words(table: Path) -> dict[int, str]:
    """A translation table of GTKWave: a value and its word on each line."""
    try:
        lines = table.read_text().splitlines()
        return {int(value): word for value, word in (line.split(maxsplit=1) for line in lines if line[:1] not in "#")}
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {table} as a table of words: {error}") from error


def draw_bands(axes: Axes, wave: Wave, spans: list[Span], y: float, tall: float, inch: float, legend: Legend) -> None:
    """A band for each time with one value, with its word or number; a line while the part does nothing. A word without
    room in a band comes into the legend."""
    bands: dict[str, list[tuple[float, float]]] = defaultdict(list)
    resting = []
    for span in spans:
        word, width = wave.word(span.value), span.end - span.start
        if wave.rests(span.value):
            resting.append(span)
            continue
        colour = COMMON.get(word) or COLOURS[(span.value - 1) % len(COLOURS)]
        bands[colour].append((span.start, width))
        if width / inch > LETTER_INCHES * len(word) + 0.06:
            middle = (span.start + span.end) / 2
            axes.text(middle, y + tall / 2, word, fontsize=7, color=INK, ha="center", va="center_baseline")
        elif wave.words:
            legend[word, colour] += width
    axes.hlines([y + tall] * len(resting), [s.start for s in resting], [s.end for s in resting], REST, linewidth=0.8)
    for colour, places in bands.items():
        # White edges tell bands apart, unless bands are about as narrow as they.
        narrow = sorted(width for _, width in places)[len(places) // 2] / inch
        edge = 0.5 if narrow > 0.03 else 0.0
        axes.broken_barh(places, (y, tall), facecolors=colour, edgecolors="white", linewidth=edge)


def draw_legend(axes: Axes, legend: Legend, right: float, y: float, inch: float) -> float:
    """Draws the legend on the line of the group's title, at the right, for visible bands; returns its begin."""
    for (word, colour), shown in reversed(legend.items()):
        if shown > 0.015 * inch:
            right -= inch * (0.062 * len(word) + 0.1)
            axes.text(right, y, word, fontsize=7, color=FAINT, va="bottom")
            right -= inch * 0.16
            axes.broken_barh([(right, inch * 0.11)], (y - 0.52, 0.42), facecolors=colour)
    return right


def draw_level(axes: Axes, spans: Sequence[Span], y: float, tall: float) -> None:
    """A number as steps between its least value (or 0) and its greatest, which are written beside it."""
    if not spans:
        return
    least, most = min(0, *(s.value for s in spans)), max(s.value for s in spans)
    rise = tall / max(most - least, 1)
    times = [s.start for s in spans] + [spans[-1].end]
    levels = [y + tall - rise * (s.value - least) for s in [*spans, spans[-1]]]
    axes.fill_between(times, levels, y + tall, step="post", color=LEVEL, linewidth=0)
    axes.step(times, levels, where="post", color=LEVEL_LINE, linewidth=0.9)
    beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "xytext": (3, 0), "textcoords": "offset points"}
    for value, at, place in [(least, y + tall, "bottom"), *([(most, y, "top")] if most > least else [])]:
        axes.annotate(str(value), (1, at), fontsize=6.5, color=FAINT, va=place, **beside)


def waves(
    files: Annotated[list[Path], typer.Argument(metavar="[VIEW.gtkw] FILE...")],
    output: Annotated[Path, typer.Option(metavar="FILE")],
    window: Annotated[str | None, typer.Option(metavar="FROM,TO")] = None,
) -> None:
    check_suffix(output, SUFFIXES)
    times = read_window(window) if window else None
    if len(files) < 2 and files[0].suffix == ".gtkw":
        raise UsageError(f"{files[0]} is a view; name after it the wave files to draw")
    saved = read_view(files[0]) if len(files) > 1 and not form_of(files[0]) else None
    read = [WaveFile(file) for file in (files[1:] if saved else files)]
    for file in read:
        if file.incomplete:
            warn(f"{file.path} is incomplete: {file.incomplete}.")
    with Outputs() as outputs:
        draw(outputs, output, saved or busiest(read[0]), [(caption(file), file) for file in read], times)
    console().print(written(outputs.paths()), soft_wrap=True)


def caption(file: WaveFile) -> str:
    said = [line.removeprefix("configuration: ").removeprefix("set: ") for line in file.comment]
    return "  ".join([f"INCOMPLETE: {file.incomplete}." if file.incomplete else "", *said]).strip()


def read_window(text: str) -> Window:
    parts = [quantity(part.strip()) for part in text.split(",")]
    times = [part.value / TIMES["ps"] for part in parts if part is not None and part.base == "s"]
    if len(times) != 2 or len(parts) != 2 or times[0] >= times[1]:
        raise UsageError(f"--window {text}: it must be two times, the earlier first, as in 2ms,5ms")
    return Window(times[0], times[1])
