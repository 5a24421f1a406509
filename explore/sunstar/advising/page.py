# SPDX-License-Identifier: MIT
"""The page of an advice: what is proposed, what each change gains, and all that was tried."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from sunstar import pages, reports
from sunstar.advising.judging import Tried
from sunstar.advising.text import best_pair, counts, gained, pasted, summary, table, table_of, verdict
from sunstar.advising.trying import Advice
from sunstar.console import Printed
from sunstar.reports.curves import COLOURS, Figure

BARS = 20  # Changes whose gain is drawn
KINDS = {"setting": "a setting, which is free", "part": "hardware"}
MEANING = (
    "Gain: how many times as fast, the geometric mean over seeds, with its 95 % interval (Student's t). For it: the "
    "gain above 1, divided by the change's share of the machine's price and its work, which counts as the least gain, "
    "or half of it to put something back. Hardware that no price list names counts as half of the machine's price if "
    "it doubles the parts of a kind. A change is proposed if it gains its share of the price and the least gain."
)


def page(advice: Advice, name: str, rows: int) -> str:
    from plotly.offline import get_plotlyjs  # here, so that other commands start without it

    drawn = sorted((each for each in advice.ranked if each.gain > 1), key=lambda each: each.gain)[-BARS:]
    pair = best_pair(advice)
    body = [
        section("What to change", f"<p>{escape(verdict(advice))}</p>", html(table(advice, rows)), note(MEANING)),
        section("What each change gains alone", drawing("The best value of each parameter.")),
        section("To paste", *map(paste, [*advice.proposals[:rows], *([pair] if pair else [])])),
        section("All that was tried", f"<p>{escape(counts(advice))}</p>", html(table_of(advice, advice.ranked))),
        fold("Left out: their bounds gain too little", [str(each.change) for each in advice.left_out]),
        fold("What the machine cannot have", [f"{each}: {why}" for each, why in advice.refused.items()]),
    ]
    data = {"plots": [bars(drawn)], "shared": {}, "runs": [], "drawings": []}
    script, text = Path(reports.__file__).with_name("page.js"), f"{name}: {summary(advice)}"
    return pages.page("advise", "report", "What to change?", text, "\n".join(body), data, script, get_plotlyjs())


def section(title: str, *inside: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(inside)}</section>" if inside else ""


def drawing(caption: str) -> str:
    return f'<figure><div class="plot" id="plot-0"></div><figcaption>{escape(caption)}</figcaption></figure>'


def note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def html(printed: Printed) -> str:
    return pages.table(printed.headings, printed.rows, printed.names)


def paste(each: Tried) -> str:
    return f"<h3>{escape(each.change.path)}: {gained(each)}</h3><pre>{escape(chr(10).join(pasted(each)))}</pre>"


def fold(title: str, lines: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<details><summary>{title} ({len(lines)})</summary><ul>{items}</ul></details>" if lines else ""


def bars(drawn: Sequence[Tried]) -> Figure:
    """Bars from 1 to the gain, with the interval, the best at the top; each kind of change has its colour."""
    data = []
    for (kind, words), colour in zip(KINDS.items(), COLOURS, strict=False):
        of = [each for each in drawn if each.change.kind == kind]
        ends = [each.interval if len(each.after) > 1 else (each.gain, each.gain) for each in of]
        trace = {
            "type": "bar",
            "orientation": "h",
            "name": words,
            "base": 1,
            "x": [each.gain - 1 for each in of],
            "y": [each.change.path for each in of],
            "customdata": [f"{each.change}: {gained(each)}" for each in of],
            "hovertemplate": "%{customdata}<extra></extra>",
            "error_x": {
                "type": "data",
                "array": [high - each.gain for each, (_, high) in zip(of, ends, strict=True)],
                "arrayminus": [each.gain - low for each, (low, _) in zip(of, ends, strict=True)],
                "thickness": 1.2,
                "width": 3,
                "color": "#808080",
            },
            "marker": {"color": colour},
        }
        data.append(trace)
    order = {"type": "category", "categoryorder": "array", "categoryarray": [each.change.path for each in drawn]}
    x = {"title": {"text": "times as fast"}}
    return {"data": data, "layout": {"xaxis": x, "yaxis": order, "barmode": "overlay", "height": 130 + 26 * len(drawn)}}
