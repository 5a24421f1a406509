# SPDX-License-Identifier: MIT
"""An advice in words, as a table and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from rich.console import Console

from sunstar.advising.judging import Tried
from sunstar.advising.trying import Advice
from sunstar.configurations import shortened
from sunstar.console import Printed, percent, print_table
from sunstar.runs.simulator import Point

LONG = 100  # Characters of a setting on one line
NEXT = 5  # Changes that are shown when none is proposed
COLUMNS = "rank: the place by gain alone; for it: the gain above 1, divided by the share of the price and the work."


def tell(out: Console, advice: Advice, rows: int) -> None:
    pair = best_pair(advice)
    for line in (summary(advice), advice.base.explanation.sentences[0], counts(advice), verdict(advice)):
        out.print(line, soft_wrap=True)
    if advice.ranked:
        print_table(out, table(advice, rows))
        out.print(COLUMNS, soft_wrap=True)
    most = sorted(advice.proposals, key=lambda each: -each.gain)[:1]
    shown = [("First", each) for each in advice.proposals[:1]]
    shown += [("Most", each) for each in most if each is not advice.proposals[0]]
    shown += [("Together", pair)] if pair else []
    for title, each in shown:
        out.print(f"\n{title}: {each.change.path}, {gained(each)}", soft_wrap=True)
        for line in pasted(each):
            out.print(f"  {line}", soft_wrap=True)
    for i, each in enumerate(advice.further):
        out.print(f"{'' if i else chr(10)}Further: {in_full(each)}", soft_wrap=True)


def summary(advice: Advice) -> str:
    """How long the machine takes, by which measure and why by this one."""
    base = advice.base
    measure = "the file system's own end: it writes far behind, and the medium takes {:.3g} times as long"
    if base.until_medium:
        measure = "its last byte is on the medium, which the file system " + (
            "hardly writes behind: {:.3g} times its own time" if base.behind > 1.0005 else "has for its end, too"
        )
    seconds = fmean(base.seconds.values())
    return f"sunstar-{advice.machine.program} takes {seconds:.4g} s until {measure.format(base.behind)}."


def counts(advice: Advice) -> str:
    failed = sum(bool(each.why) for each in advice.tried)
    numbers = {
        "changes tried alone": sum(bool(each.after) for each in advice.tried),
        "in pairs": len(advice.pairs),
        "left out because their bounds gain too little": len(advice.left_out),
        "that the machine cannot have": len(advice.refused) + failed,
        "for which the time was too short": untried(advice),
    }
    return ", ".join(f"{number} {what}" for what, number in numbers.items() if number) + "."


def untried(advice: Advice) -> int:
    return sum(not (each.after or each.why) for each in advice.tried)


def verdict(advice: Advice) -> str:
    for first in advice.proposals[:1]:
        path = first.change.path
        what = "Replace drive" if ".disk" in path and not path.startswith("machine.") else "Change"
        return f"{what} {in_full(first)}."
    if untried(advice):
        return "Nothing is proposed yet, as the time was too short; the same command goes on where it was."
    least = f"{100 * advice.ranking.least:g} %"
    return f"Nothing to change: no setting gains {least}, and no hardware {least} more than its share of the price."


def brief(tried: Tried, width: int = 14) -> str:
    was, to = tried.change.was, tried.change.to
    if isinstance(was, str) and isinstance(to, str):
        while " " in was and " " in to and was.split()[0] == to.split()[0]:  # as the maker's name of two drives
            was, to = was.partition(" ")[2], to.partition(" ")[2]
    return f"{shortened(was, width)} -> {shortened(to, width)}"


def in_full(tried: Tried) -> str:
    return f"{tried.change.path}, {brief(tried, 60)}: {gained(tried)}"


def gained(tried: Tried) -> str:
    low, high = tried.interval
    return f"{tried.gain:.2f}x" + (f" ({low:.2f} to {high:.2f})" if low else "")


def price_of(tried: Tried) -> str:
    if tried.price is None and tried.change.kind == "part":
        return "unpriced"
    return percent(tried.price, sign=True) if tried.price else "free"


def table(advice: Advice, rows: int) -> Printed:
    """The proposed changes or, if there are none, the nearest ones."""
    found = advice.proposals[:rows]
    title = "Proposed, the most gain for the price first" if found else "The nearest"
    return table_of(advice, found or advice.ranked[:NEXT], title)


def table_of(advice: Advice, found: Sequence[Tried], title: str = "") -> Printed:
    by_gain = sorted(found, key=lambda each: -each.gain)
    lines = [
        (
            each.change.path,
            brief(each),
            f"{each.gain:.2f}x",
            f"{percent(each.interval[1] / each.gain - 1)}" if len(each.after) > 1 else "one seed",
            str(1 + by_gain.index(each)),
            price_of(each),
            f"{worth:.0f}" if (worth := advice.ranking.worth(each)) >= 10 else f"{worth:.1f}",
        )
        for each in found
    ]
    return Printed(title, ("change", "from -> to", "gain", "± (95 %)", "rank", "price", "for it"), lines, 2)


def best_pair(advice: Advice) -> Tried | None:
    """The best pair, if it gains more than any change alone."""
    alone = max((each.gain for each in advice.proposals), default=1.0)
    return next((each for each in advice.pairs if each.gain >= alone * (1 + advice.ranking.least)), None)


def pasted(tried: Tried) -> list[str]:
    """Its settings for a shell; a long list has a line for each item, which a shell takes, too."""
    lines = []
    for path, value in tried.change.settings.items():
        [text] = Point({path: value}).texts()
        if isinstance(value, list) and len(text) > LONG:
            items = ",\n".join(f"    {json.dumps(item)}" for item in value)
            text = f"{path}=[\n{items}]"
        lines += f"--set '{text}'".splitlines()
    return lines


def told(advice: Advice) -> dict[str, Any]:
    """All findings, as JSON."""

    def one(tried: Tried) -> dict[str, Any]:
        found = {"gain": tried.gain, "interval": tried.interval if len(tried.after) > 1 else None}
        more = {"seconds": tried.after, "price": tried.price, "for_the_price": advice.ranking.worth(tried)}
        return {**asdict(tried.change), "settings": Point(tried.change.settings).texts(), **found, **more}

    return {
        "seconds": advice.base.seconds,
        "until": "medium" if advice.base.until_medium else "end",
        **{name: list(map(one, getattr(advice, name))) for name in ("proposals", "pairs", "further", "ranked")},
        "left_out": [str(each.change) for each in advice.left_out],
        "not_possible": {str(each): why for each, why in advice.refused.items()},
    }
