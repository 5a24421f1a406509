# SPDX-License-Identifier: MIT
"""A view prints and draws the same figures: a table and a panel each."""

import pytest
from matplotlib.figure import Figure
from recorded import machine

from sunstar.study.cases import Found, Key
from sunstar.study.views import MIB_PER_S, QUANTITY, Quantity, View, draw_views

SPEEDS = {("tc", "1"): 1.0, ("tc", "4"): 2.0, ("ddio", "1"): 3.0}


def key(method: str, x: str, layout: str = "contiguous") -> Key:
    return Key(method, "rb", layout, 512, x)


FOUND = Found({key(method, x): machine(value) for (method, x), value in SPEEDS.items()})


def test_rows_columns_and_panels_follow_the_order_of_the_points() -> None:
    other = key("tc", "1", "random-blocks")
    view = View({"CPs": "x"}, ("pattern", "method"), ("layout", lambda key: f"{key.record_bytes} B"))
    first, second = view.tables(Found({**FOUND.results, other: machine(7.0)}))
    assert (first.title, first.headings) == ("contiguous, 512 B: MiB/s", ("CPs", "rb tc", "rb ddio"))
    assert first.rows == [["1", "1.0", "3.0"], ["4", "2.0", "-"]]  # ddio has no point there
    assert (second.title, second.rows) == ("random-blocks, 512 B: MiB/s", [["1", "7.0"]])


def test_several_quantities_stand_side_by_side_and_texts_as_they_are() -> None:
    named = Quantity("name", lambda _, key: key.method.upper())
    nothing = Quantity("nothing", lambda _, __: None)
    view = View({"system": "method", "CPs": "x"}, quantities=[MIB_PER_S, named, nothing], title="all")
    (table,) = view.tables(FOUND)
    assert (table.title, table.names) == ("all", 2)
    assert table.headings == ("system", "CPs", "MiB/s", "name", "nothing")
    assert table.rows[2] == ["ddio", "1", "3.0", "DDIO", "-"]


def test_more_columns_say_something_of_a_row_and_points_can_be_left_out() -> None:
    view = View(
        {"CPs": "x"},
        "method",
        points=lambda _, key: key.x == "1",
        more={"gain": lambda found, of: f"{found.ratio(of['ddio'], 'tc'):.1f}"},
    )
    (table,) = view.tables(FOUND)
    assert (table.headings, table.rows) == (("CPs", "tc", "ddio", "gain"), [["1", "1.0", "3.0", "3.0"]])


def test_lines_are_drawn_at_their_x_with_a_colour_for_all_but_the_last_field() -> None:
    canvas = Figure()
    draw_views([View({"CPs": "x"}, ("pattern", "method"), drawn="lines")], FOUND, canvas)
    caching, directed = canvas.axes[0].get_lines()
    assert (list(caching.get_xdata()), list(caching.get_ydata())) == ([1, 4], [1, 2])  # type: ignore[arg-type]
    assert caching.get_color() == directed.get_color()
    assert caching.get_linestyle() != directed.get_linestyle()
    assert canvas.axes[0].get_xscale() == "log"
    assert [text.get_text() for text in canvas.legends[0].get_texts()] == ["rb tc", "rb ddio"]


@pytest.mark.parametrize(("panels", "count"), [((), 1), ("x", 2), (("x", QUANTITY), 4)])
def test_bars_have_a_panel_for_each_value_of_a_field(panels: str | tuple[str, ...], count: int) -> None:
    canvas = Figure()
    twice = Quantity("twice", lambda found, key: 2 * found.mib(key))
    view = View({"": "layout"}, "method", panels, [MIB_PER_S, twice], printed=False, drawn="bars", one=True)
    draw_views([view, View({"CPs": "x"}, "method")], FOUND, canvas)  # the second one is not drawn
    assert len(canvas.axes) == count
