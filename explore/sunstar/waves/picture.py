# SPDX-License-Identifier: MIT
"""sunstar waves: a view of wave files as a picture."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from sunstar.commands import warn, written
from sunstar.console import console
from sunstar.drawing import Axes, picture
from sunstar.errors import FileError, UsageError, check_suffix
from sunstar.files import Outputs
from sunstar.quantities import TIMES, quantity
from sunstar.waves.file import Wave, WaveFile, time_in_words
from sunstar.waves.view import View, read_view

SUFFIXES = (".png", ".svg", ".pdf")
INCHES, LABELS = 10.0, 1.9  # The width of a picture, and of its names of signals
HEAD = 1.25  # The height of a group's title, in rows
ROW_INCHES = 0.235
LETTER_INCHES = 0.068
COLOURS = ("#7aa6d8", "#f0a35e", "#7fc29b", "#c79bd6", "#e58a8a", "#b9b05a", "#6fc3c9", "#d98fb5", "#a7b4c4", "#c9a27e")
COMMON = {"read": COLOURS[2], "write": COLOURS[3]}  # Words of several kinds of signal have one colour
LEVEL, LEVEL_LINE, REST, INK, FAINT = "#cfe0f2", "#2f6eb5", "#b4bcc6", "#22272d", "#6a737d"
MARK = "#d3262f"
UNITS = ((1e9, "ms"), (1e6, "µs"), (1e3, "ns"), (1.0, "ps"))


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


Legend = defaultdict[tuple[str, str], float]  # Words with their colours, and for how long they are shown


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
    view: Annotated[Path, typer.Argument(metavar="VIEW.gtkw", help="A saved view, as in waveforms/.")],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Wave files (VCD, FST; may be gzipped); several are drawn below each other."
        ),
    ],
    output: Annotated[Path, typer.Option(metavar="FILE", help="The picture: .png, .svg or .pdf.")],
    window: Annotated[
        str | None, typer.Option(metavar="FROM,TO", help="Other times than the view's, as in 2ms,5ms.")
    ] = None,
) -> None:
    check_suffix(output, SUFFIXES)
    times = read_window(window) if window else None
    found = read_view(view)
    read = [WaveFile(file) for file in files]
    for file in read:
        if file.incomplete:
            warn(f"{file.path} is incomplete: {file.incomplete}.")
    with Outputs() as outputs:
        draw(outputs, output, found, [(caption(file), file) for file in read], times)
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
