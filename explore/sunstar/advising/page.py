# SPDX-License-Identifier: MIT
"""The page of an advice: the proposals, the gain of each change, and everything that was tried."""

from collections.abc import Sequence
from pathlib import Path

from sunstar import pages
from sunstar.advising import command as told
from sunstar.advising.command import Advice, Tried
from sunstar.reports.curves import COLOURS, Figure
from sunstar.reports.page import plotted

BARS = 20  # Changes whose gain is drawn
KINDS = {"setting": "a setting, which is free", "part": "hardware"}


def page(advice: Advice, name: str, rows: int) -> str:
    drawn = sorted((each for each in advice.ranked if each.gain > 1), key=lambda each: each.gain)[-BARS:]
    pair = told.best_pair(advice)
    proposed, tried = told.table(advice, rows), told.table_of(advice, advice.ranked)
    body = pages.filled(
        Path(__file__).with_suffix(".html"),
        verdict=told.verdict(advice),
        proposed=(proposed.headings, proposed.rows, proposed.names),
        to_paste=[
            (each.change.path, told.gained(each), told.pasted(each))
            for each in [*advice.proposals[:rows], *([pair] if pair else [])]
        ],
        counts=told.counts(advice),
        tried=(tried.headings, tried.rows, tried.names),
        further=[told.in_full(each) for each in advice.further],
        left_out=[str(each.change) for each in advice.left_out],
        refused=[f"{each}: {why}" for each, why in advice.refused.items()],
    )
    return plotted("advise", "What to change?", f"{name}: {told.summary(advice)}", body, [bars(drawn)])


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
            "customdata": [f"{each.change}: {told.gained(each)}" for each in of],
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
