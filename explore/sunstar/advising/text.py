# SPDX-License-Identifier: MIT
"""An advice in words, as a table and as JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from sunstar.advising.judging import Tried
from sunstar.advising.trying import Advice
from sunstar.configurations import shortened
from sunstar.console import Printed, percent, print_table
from sunstar.runs.simulator import Point

NEXT = 5  # Changes that are shown when none is proposed


def tell(out: Console, advice: Advice, rows: int) -> None:
    out.print(f"{in_seconds(advice)}. {advice.base.explanation.sentences[0]}", soft_wrap=True)
    out.print(counts(advice), soft_wrap=True)
    for sentence in verdict(advice):
        out.print(sentence, soft_wrap=True)
    print_table(out, table(advice, rows))
    pair = best_pair(advice)
    if pair:
        out.print(f"\nTogether: {pair.change.path}, {gained(pair)}", soft_wrap=True)
    for each in [*advice.proposals[:1], *([pair] if pair else [])]:
        out.print(f"\n{each.change.path}, to paste:", soft_wrap=True)
        for line in pasted(each):
            out.print(f"  {line}", soft_wrap=True)


def in_seconds(advice: Advice) -> str:
    before = advice.base.seconds
    end = "until its last byte is on the medium" if advice.base.until_medium else "until the file system's own end"
    mean = sum(before.values()) / len(before)
    return f"sunstar-{advice.machine.program} takes {mean:.4g} s {end}"


def counts(advice: Advice) -> str:
    tried = sum(bool(each.after) for each in advice.tried)
    failed = sum(bool(each.why) for each in advice.tried)
    said = (
        [f"{tried} changes tried alone", f"{len(advice.pairs)} pairs"] if advice.pairs else [f"{tried} changes tried"]
    )
    more = {
        "left out because their bounds gain too little": len(advice.left_out),
        "that the machine cannot have": len(advice.refused) + failed,
        "for which the time was too short": advice.untried,
    }
    return ", ".join([*said, *(f"{number} {what}" for what, number in more.items() if number)]) + "."


def verdict(advice: Advice) -> list[str]:
    if advice.proposals:
        first = advice.proposals[0]
        return [
            f"Change {first.change.path} from {brief(first.change.was)} to {brief(first.change.to)}: {gained(first)}."
        ]
    least = percent(advice.ranking.least)
    return [f"Nothing to change: no setting gains {least}, and no hardware {least} more than its share of the price."]


def brief(text: str) -> str:
    return shortened(text, 28)


def gained(tried: Tried) -> str:
    low, high = tried.interval
    return f"{tried.gain:.2f}x" + (f" ({low:.2f} to {high:.2f})" if low else "")


def priced(tried: Tried) -> str:
    if tried.price is not None:
        return percent(tried.price, sign=True) if tried.price else "free"
    return "free" if tried.change.kind == "setting" else "unpriced"


def table(advice: Advice, rows: int) -> Printed:
    """What is proposed or, if nothing is, what comes nearest."""
    if advice.proposals:
        return table_of(advice, advice.proposals[:rows], "Proposed, by gain for the price")
    return table_of(advice, advice.ranked[: min(NEXT, rows)], "The nearest")


def table_of(advice: Advice, found: Sequence[Tried], title: str = "") -> Printed:
    by_gain = sorted(found, key=lambda each: -each.gain)
    lines = [
        (
            each.change.path,
            f"{brief(each.change.was)} -> {brief(each.change.to)}",
            f"{each.gain:.2f}x",
            "{:.2f} - {:.2f}".format(*each.interval) if len(each.after) > 1 else "one seed",
            str(1 + by_gain.index(each)),
            priced(each),
            f"{advice.ranking.worth(each):.2g}",
        )
        for each in found
    ]
    headings = ("change", "from -> to", "gain", "95 % interval", "by gain", "price", "for the price")
    return Printed(title, headings, lines, 2)


def best_pair(advice: Advice) -> Tried | None:
    """The best pair, if it gains more than any change alone."""
    alone = max((each.gain for each in advice.proposals), default=1.0)
    return next((each for each in advice.pairs if each.gain >= alone * (1 + advice.ranking.least)), None)


def pasted(tried: Tried) -> list[str]:
    return [f"--set '{text}'" for text in Point(tried.change.settings).texts()]


def told(advice: Advice) -> dict[str, Any]:
    """All that was found, as JSON."""

    def one(each: Tried) -> dict[str, Any]:
        low, high = each.interval
        return {
            "change": each.change.path,
            "from": each.change.was,
            "to": each.change.to,
            "kind": each.change.kind,
            "gain": each.gain,
            "interval": [low, high] if len(each.after) > 1 else None,
            "seeds": list(each.after),
            "price": each.price,
            "for_the_price": advice.ranking.worth(each),
            "settings": Point(each.change.settings).texts(),
        }

    return {
        "seconds": advice.base.seconds,
        "until": "medium" if advice.base.until_medium else "end",
        "proposals": [one(each) for each in advice.proposals],
        "pairs": [one(each) for each in advice.pairs],
        "ranked": [one(each) for each in advice.ranked],
        "left_out": [str(each) for each in advice.left_out],
        "not_possible": {str(each): why for each, why in advice.refused.items()},
        "untried": advice.untried,
    }
