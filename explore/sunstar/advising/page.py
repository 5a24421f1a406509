# SPDX-License-Identifier: MIT
"""The page of an advice: what is proposed, what each change gains, where the time goes, and all that was tried."""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from sunstar import pages, reports
from sunstar.advising.judging import Tried
from sunstar.advising.text import best_pair, counts, gained, in_seconds, pasted, table, table_of, verdict
from sunstar.advising.trying import Advice
from sunstar.console import Printed, milliseconds, percent
from sunstar.reports.curves import COLOURS, Figure
from sunstar.reports.page import figure_of
from sunstar.scaling.page import table as as_html

BARS = 20  # Changes whose gain is drawn
KINDS = {"setting": "a setting, which is free", "part": "hardware"}
MEANING = (
    "Gain: how many times as fast the machine is, the geometric mean over seeds, with its 95 % interval (Student's t). "
    "For the price: the gain above 1, divided by the change's share of the machine's price and the least gain; at 1 a "
    "change is worth it. Hardware that no price list names counts as half of the machine's price if it doubles the "
    "parts of its kind."
)


def page(advice: Advice, name: str, rows: int) -> str:
    from plotly.offline import get_plotlyjs  # here, so that other commands start without it

    plots: list[Figure] = []
    ranked = [each for each in advice.ranked if each.gain > 1][:BARS]
    path = advice.base.explanation.critical_path
    stages = [(each.stage, milliseconds(each.time_s), percent(each.share)) for each in path]
    body = [
        section("What to change", paragraph(" ".join(verdict(advice))), html(table(advice, rows)), note(MEANING)),
        section(
            "What each change gains alone", figure_of(plots, bars(ranked), "The bars are 95 % intervals over seeds.")
        )
        if ranked
        else "",
        section("To paste", *(paste(each) for each in to_paste(advice, rows))) if advice.proposals else "",
        section("Where the time goes", html(Printed("", ("stage of the critical path", "ms", "share"), stages))),
        section(
            "Everything that was tried",
            paragraph(counts(advice)),
            html(table_of(advice, advice.ranked)),
            *folds(advice),
        ),
    ]
    data = {"plots": plots, "shared": {}, "runs": [], "drawings": []}
    script = Path(reports.__file__).with_name("page.js")
    summary = f"{name}: {in_seconds(advice)}."
    return pages.page("advise", "report", "What to change?", summary, "\n".join(body), data, script, get_plotlyjs())


def section(title: str, *inside: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{''.join(inside)}</section>"


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def html(printed: Printed) -> str:
    return as_html(printed.headings, printed.rows, printed.names)


def bars(ranked: Sequence[Tried]) -> Figure:
    """The gain of each change above nothing, as bars from 1, the best at the top."""
    by_gain = sorted(ranked, key=lambda each: each.gain)
    order = [each.change.path for each in by_gain]
    data = []
    for (kind, words), colour in zip(KINDS.items(), COLOURS, strict=False):
        of = [each for each in by_gain if each.change.kind == kind]
        ends = [each.interval if len(each.after) > 1 else (each.gain, each.gain) for each in of]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": words,
                "base": 1,
                "x": [each.gain - 1 for each in of],
                "y": [each.change.path for each in of],
                "customdata": [f"{each.change.was} → {each.change.to}: {gained(each)}" for each in of],
                "hovertemplate": "%{customdata}<extra>%{y}</extra>",
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
        )
    layout = {
        "xaxis": {"title": {"text": "times as fast"}, "rangemode": "normal"},
        "yaxis": {"type": "category", "categoryorder": "array", "categoryarray": order},
        "barmode": "overlay",
        "height": 120 + 26 * len(order),
        "showlegend": True,
    }
    return {"data": data, "layout": layout}


def to_paste(advice: Advice, rows: int) -> Iterable[Tried]:
    pair = best_pair(advice)
    return [*([pair] if pair else []), *advice.proposals[:rows]]


def paste(each: Tried) -> str:
    return f"<h3>{escape(each.change.path)}: {gained(each)}</h3><pre>{escape(chr(10).join(pasted(each)))}</pre>"


def folds(advice: Advice) -> Iterable[str]:
    """What has no run, and why."""
    bounds = [str(each) for each in advice.left_out]
    refused = [f"{each}: {why}" for each, why in advice.refused.items()]
    refused += [f"{each.change}: {each.why}" for each in advice.tried if each.why]
    for title, lines in (("Left out: their bounds gain too little", bounds), ("Not possible", refused)):
        if lines:
            items = "".join(f"<li>{escape(line)}</li>" for line in lines)
            yield f"<details><summary>{title} ({len(lines)})</summary><ul>{items}</ul></details>"
