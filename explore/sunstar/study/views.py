# SPDX-License-Identifier: MIT
"""Views of an experiment: its figures in rows and columns, printed as tables and drawn as bars or lines; among them the
network's two models beside each other, whose points have the model as the last word of their x."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Literal, NamedTuple

from sunstar.console import Printed, percent, throughput
from sunstar.drawing import Axes, Canvas, Line, bars, lines
from sunstar.study.cases import Cases, Found, Key

Field = str | Callable[[Key], object] | tuple["Field", ...]
"""A field of a point's key by its name, a text with fields in braces, the result of a function of the key, or several
of these. QUANTITY is the quantity's name."""
QUANTITY = "quantity"
Row = tuple[str, ...]
WIDTH = 12.0  # Of the widest drawing, in inches; panels that do not fit side by side stand below one another
BAR = 0.1  # The width of a bar, in inches
MODELS = WORM, FLIT = "worm", "flit"


@dataclass(frozen=True)
class Quantity:
    """A figure that a view shows of each point."""

    name: str  # With its unit
    value: Callable[[Found, Key], float | str | None]
    """A text is only printed. Of nothing, the table has a dash and the drawing a gap."""
    text: Callable[[float], str] = throughput


MIB_PER_S = Quantity("MiB/s", Found.mib)


class Cell(NamedTuple):
    key: Key
    quantity: Quantity

    def printed(self, found: Found) -> str:
        value = self.quantity.value(found, self.key)
        return "-" if value is None else value if isinstance(value, str) else self.quantity.text(value)

    def drawn(self, found: Found) -> float:
        value = self.quantity.value(found, self.key)
        return nan if value is None or isinstance(value, str) else value


Cells = dict[str, dict[Row, dict[str, Cell]]]  # By panel, row and column, each in the order of the experiment's points


@dataclass(frozen=True)
class View:
    """One arrangement of an experiment's figures: a table and a drawing for each panel."""

    rows: Mapping[str, Field]  # By their headings. The first one is the label of the x axis.
    columns: Field = QUANTITY
    """Series of the drawing. Of several fields, the last one chooses the dashes of a line, the others its colour."""
    panels: Field = ()
    quantities: Sequence[Quantity] = (MIB_PER_S,)
    title: str = ""  # The tables' title, behind the panel's; the quantity's name if left out
    points: Callable[[Found, Key], bool] = lambda _, __: True  # The points that are shown
    more: Mapping[str, Callable[[Found, Mapping[str, Key]], str]] = field(default_factory=dict)
    """More columns of the tables: each one's function of a row, whose points come by their columns."""
    printed: bool = True
    drawn: Literal["bars", "lines"] | None = None
    x: str | Callable[[Key], float] = "x"  # Where a row lies on the x axis of lines: a field that is a number
    logarithmic: bool = False
    one: bool = False  # A line marks the value 1

    def arranged(self, found: Found) -> Cells:
        cells: Cells = {}
        for key in found.results:
            for quantity in self.quantities:
                if self.points(found, key):
                    panel = text_of(self.panels, key, quantity, ", ")
                    column = text_of(self.columns, key, quantity)
                    row = tuple(text_of(each, key, quantity) for each in self.rows.values())
                    cells.setdefault(panel, {}).setdefault(row, {})[column] = Cell(key, quantity)
        return cells

    def tables(self, found: Found) -> Iterator[Printed]:
        for panel, rows in self.arranged(found).items():
            columns = columns_of(rows)
            lines = [
                [
                    *row,
                    *(cells[name].printed(found) if name in cells else "-" for name in columns),
                    *(tell(found, {name: cell.key for name, cell in cells.items()}) for tell in self.more.values()),
                ]
                for row, cells in rows.items()
            ]
            title = ": ".join(part for part in (panel, self.title or self.quantities[0].name) if part)
            yield Printed(title, (*self.rows, *columns, *self.more), lines, len(self.rows))

    def draw(self, found: Found, axes: Axes, panel: str, rows: Mapping[Row, Mapping[str, Cell]]) -> None:
        if self.drawn == "bars":
            groups = {
                column: [cells[column].drawn(found) if column in cells else nan for cells in rows.values()]
                for column in columns_of(rows)
            }
            bars(axes, [joined(row) for row in rows], groups, self.y_label)
        else:
            self.draw_lines(found, axes, rows)
        axes.set_title(panel, fontsize=9)
        if self.logarithmic:
            from matplotlib.ticker import LogFormatter

            class Plain(LogFormatter):
                def __call__(self, x: float, pos: int | None = None) -> str:
                    return f"{x:g}" if super().__call__(x, pos) else ""  # 0.1 instead of a power

            axes.set_yscale("log")
            axes.autoscale(axis="y")
            axes.yaxis.set_major_formatter(Plain())
            axes.yaxis.set_minor_formatter(Plain())
        if self.one:
            axes.axhline(1, color="0.3", linewidth=0.8)

    def draw_lines(self, found: Found, axes: Axes, rows: Mapping[Row, Mapping[str, Cell]]) -> None:
        named = [(next(iter(cells.values())), row) for row, cells in rows.items()]
        ticks = {self.at(cell.key): joined(row) for cell, row in named}
        colours: list[str] = []
        dashes: list[str] = []
        drawn = []
        for column in columns_of(rows):
            of = [cells[column] for cells in rows.values() if column in cells]
            fields = self.columns if isinstance(self.columns, tuple) else (self.columns, ())
            colour, dash = text_of(fields[:-1], *of[0]), text_of(fields[-1], *of[0])
            colours += [colour] * (colour not in colours)
            dashes += [dash] * (dash not in dashes)
            values = {self.at(cell.key): cell.drawn(found) for cell in of}
            drawn.append(Line(column, values, colours.index(colour), dashes.index(dash)))
        lines(axes, drawn, ticks, next(iter(self.rows)), self.y_label)

    def at(self, key: Key) -> float:
        return self.x(key) if callable(self.x) else float(getattr(key, self.x))

    @property
    def y_label(self) -> str:
        return self.quantities[0].name if len(self.quantities) == 1 else self.title


def text_of(field: Field, key: Key, quantity: Quantity, between: str = " ") -> str:
    if isinstance(field, tuple):
        return joined((text_of(each, key, quantity) for each in field), between)
    if callable(field):
        return str(field(key))
    if "{" in field:
        return key.into(field)
    return quantity.name if field == QUANTITY else str(getattr(key, field))


def joined(texts: Iterable[str], between: str = " ") -> str:
    return between.join(text for text in texts if text)


def columns_of(rows: Mapping[Row, Mapping[str, Cell]]) -> list[str]:
    return list(dict.fromkeys(column for cells in rows.values() for column in cells))


def draw_views(views: Iterable[View], found: Found, canvas: Canvas) -> None:
    """Draws all panels of all views on one canvas of a fitting size, with one legend."""
    panels = [(view, name, rows) for view in views if view.drawn for name, rows in view.arranged(found).items()]
    most_bars = max(len(rows) * (len(columns_of(rows)) + 1) for _, _, rows in panels)
    if any(view.drawn == "bars" for view, _, _ in panels):
        longest = max(len(joined(row)) for _, _, rows in panels for row in rows)
        width, height = min(WIDTH, max(2.4, BAR * most_bars)), 2.2 + 0.05 * longest
    else:
        width = max(2.4, min(6.4, WIDTH / len(panels)))
        height = max(2.2, 0.65 * width)
    across = min(len(panels), int(WIDTH / width))
    down = -(-len(panels) // across)
    across = -(-len(panels) // down)
    canvas.set_size_inches(max(4.8, across * width + 0.4), down * height + 0.6)
    every = canvas.subplots(down, across, squeeze=False).flat
    for axes, (view, name, rows) in zip(every, panels, strict=False):
        view.draw(found, axes, name, rows)
    for axes in every[len(panels) :]:
        axes.remove()
    legend(canvas)


def legend(canvas: Canvas) -> None:
    """One legend below all panels, with each label once, in as many columns as fit side by side."""
    of = {
        label: handle for axes in canvas.axes for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    entry = 0.6 + 0.065 * max(map(len, of))
    columns = max(1, min(len(of), int(canvas.get_figwidth() / entry)))
    canvas.legend(of.values(), of, fontsize=7, ncols=columns, handlelength=4, loc="outside lower center")


def under_both(cases: Cases, keep_x: bool) -> Cases:
    """The same points under both models; their x is the model, behind their own x if that is kept."""
    return {
        key._replace(x=f"{key.x} {model}" if keep_x else model): {**sets, "machine.network.model": model}
        for key, sets in cases.items()
        for model in MODELS
    }


def other(key: Key) -> Key:
    """The point under the flit model."""
    return key._replace(x=key.x.replace(WORM, FLIT))


def beside(quantity: Quantity = MIB_PER_S, **rows: Field) -> View:
    """Both models, and their difference."""

    def apart(found: Found, of: Mapping[str, Key]) -> str:
        worm, flit = (Cell(of[model], quantity).drawn(found) for model in MODELS)
        return percent(worm / flit - 1, sign=True)

    named = {"pattern": "pattern", "method": "method", **rows}
    return View(named, lambda key: key.x.split()[-1], quantities=[quantity], more={"apart": apart}, drawn="bars")
