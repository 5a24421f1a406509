# SPDX-License-Identifier: MIT
"""How changes are ranked, and which are tried again, on a machine whose times are given."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest

from sunstar.advising.candidates import BACK, Candidates, Change
from sunstar.advising.command import Advice, Base, Laboratory, Ranking, Tried, advised, counts, table, verdict
from sunstar.explaining import Explanation
from sunstar.runs.simulator import Outcome, Point, Run

SEEDS = range(1, 8)
NOISE = [0.0, 0.02, -0.02, 0.01, -0.01, 0.015, -0.015]
RANKING = Ranking(0.05)


def change(path: str, kind: Any = "setting", added: float = 0.0, **more: Any) -> Change:  # noqa: ANN401
    return Change(path, "a", "b", {path: "b"}, kind, added, **more)


class Pretended:
    """A laboratory whose runs take 1 s as the machine is, and else as long as a gain says, or fail, or find no time."""

    def __init__(self, gains: Mapping[str, float | str | None]) -> None:
        self.gains, self.machine = gains, None
        self.asked: list[tuple[str, int]] = []

    def run(self, _: str, wanted: Sequence[tuple[Change | None, int]], __: float = 1.0) -> list[Run | None]:
        return [self.one(change.path if change else "", seed) for change, seed in wanted]

    def one(self, path: str, seed: int) -> Run | None:
        self.asked.append((path, seed))
        gain = (
            math.prod(cast(float, self.gains.get(each, 1.0)) for each in path.split(" and "))
            if " " in path
            else (self.gains.get(path, 1.0))
        )
        if gain is None:
            return None
        if isinstance(gain, str):
            return Run(Point(), "", 4, gain)
        noise = 1 + NOISE[seed - 1] * (len(path) % 3 - 1)
        return Run(Point(), json.dumps(noise / gain), 0, "")

    def outcome(self, run: Run) -> Outcome:
        throughput = {"mib_per_s": 1.0, "medium_mib_per_s": 1.0}
        result = {"elapsed_s": json.loads(run.identity), "throughput": throughput}
        return Outcome(0, "", figures=json.dumps({"result": result}).encode())

    def cost(self, _: Outcome) -> None:
        return None


def advise(gains: Mapping[str, float | str | None], changes: Sequence[Change]) -> tuple[Advice, Pretended]:
    path = [
        {"stage": stage, "time_s": share, "time_ps": 1, "share": share, "waits": False}
        for stage, share in (("bus_data", 0.1), ("disk_seek", 0.9))
    ]
    rest: dict[str, Any] = {"resources": [], "sentences": [], "text": ""}
    explanation = Explanation.model_validate({"elapsed_ps": 2, "critical_path": path, **rest})
    lab = Pretended(gains)
    base = Base(explanation, True, 1.0, 1.0, None, {1: 1.0})
    return advised(cast(Laboratory, lab), base, Candidates(changes, {}), SEEDS, RANKING), lab


def proposals(gains: Mapping[str, float | str | None], changes: Sequence[Change]) -> list[str]:
    return [each.change.path for each in advise(gains, changes)[0].proposals]


def test_a_gain_is_the_geometric_mean_over_seeds_with_an_interval() -> None:
    tried = Tried(change("x"), {1: 2.0, 2: 2.0, 3: 2.0}, {1: 1.0, 2: 2.0, 3: 0.5})
    assert tried.gain == pytest.approx(2.0)
    low, high = tried.interval
    half = 4.302652729911275 * math.log(2) / math.sqrt(3)  # Student's t of 3 values
    assert (low, high) == pytest.approx((2 * math.exp(-half), 2 * math.exp(half)))
    assert Tried(change("x"), {1: 2.0}, {1: 1.0}).interval == (0.0, math.inf)


def test_what_costs_nothing_must_gain_the_least_and_hardware_its_share_more() -> None:
    gains = {"a": 1.06, "b": 1.03, "bus": 1.5, "disk": 1.6, "one": 1.1}
    parts = [change("bus", "part", 1.0), change("disk", "part", 1.0), change("one", "part", 1 / 16)]
    assert proposals(gains, [change("a"), change("b"), *parts]) == ["one", "a", "disk"]


def test_a_setting_goes_before_hardware_that_gains_more_and_after_what_is_put_back() -> None:
    gains = {"setting": 1.4, "bus": 1.9, "undo": 1.25}
    found = [change("setting"), change("bus", "part", 1.0), change("undo", "part", work=BACK)]
    assert proposals(gains, found) == ["undo", "setting", "bus"]


def test_nothing_is_proposed_where_nothing_gains() -> None:
    advice, _ = advise({"a": 1.02, "bus": 1.3}, [change("a"), change("bus", "part", 1.0)])
    assert advice.proposals == []
    assert (
        verdict(advice)
        == "Nothing to change: no setting gains 5 %, and no hardware 5 % more than its share of the price."
    )
    assert [row[0] for row in table(advice, 10).rows] == ["bus", "a"]


def test_of_changes_that_gain_the_same_the_smaller_one_goes_first() -> None:
    whole, value = change("whole", "part", work=BACK, values=9), change("value", "part", work=BACK)
    assert proposals({"whole": 2.09, "value": 2.08}, [whole, value]) == ["value", "whole"]
    assert proposals({"whole": 2.5, "value": 2.08}, [whole, value]) == ["whole", "value"]


def test_only_what_may_be_worth_it_gets_more_seeds_until_the_order_is_certain() -> None:
    advice, lab = advise(
        {"best": 3.0, "clear": 2.0, "useless": 1.0}, [change("best"), change("clear"), change("useless")]
    )
    assert [each.change.path for each in advice.proposals] == ["best", "clear"]
    assert [seed for path, seed in lab.asked if path == "useless"] == [1]
    assert [seed for path, seed in lab.asked if path == "best"] == [1, 2, 3]
    close, lab = advise({"even": 1.50, "odds": 1.49, "x": 1.0}, [change("even"), change("odds"), change("x")])
    assert max(seed for path, seed in lab.asked if path == "odds") > 3
    assert [each.change.path for each in close.ranked[:2]] == ["even", "odds"]


def test_the_best_value_of_a_parameter_stands_for_it() -> None:
    two = [change("size"), Change("size", "a", "c", {"size": "c"}, "setting")]
    advice, _ = advise({"size": 1.5}, two)
    assert len(advice.proposals) == 1


def test_the_best_are_tried_in_pairs_unless_they_set_the_same() -> None:
    advice, _ = advise({"a": 2.0, "b": 1.5}, [change("a"), change("b")])
    assert [(pair.change.path, pair.change.settings) for pair in advice.pairs] == [("a and b", {"a": "b", "b": "b"})]
    assert advice.pairs[0].gain == pytest.approx(3.0, rel=0.1)
    same = [Change(name, "", "", {"machine.nodes": name}, "setting") for name in ("a", "b")]
    assert advise({"a": 2.0, "b": 1.5}, same)[0].pairs == []


def test_a_part_that_the_critical_path_hardly_has_is_not_run() -> None:
    """Halving a tenth of the path gains at most 1.05."""
    bus = change("bus", "part", 1.0, stages=("bus_data",))
    advice, lab = advise({"bus": 9.0}, [bus, change("a")])
    assert [each.change for each in advice.left_out] == [bus]
    assert "bus" not in [path for path, _ in lab.asked]


def test_runs_that_fail_and_those_without_time_are_counted_and_no_gain() -> None:
    advice, _ = advise(
        {"bad": "deadlock", "late": None, "good": 1.5}, [change(path) for path in ("bad", "late", "good")]
    )
    assert [each.change.path for each in advice.proposals] == ["good"]
    assert counts(advice) == (
        "1 changes tried alone, 1 that the machine cannot have, 1 for which the time was too short."
    )
    assert "the time was too short" in verdict(advise({"late": None}, [change("late")])[0])


def test_a_price_takes_the_place_of_the_share_that_hardware_counts_as() -> None:
    tried = Tried(change("bus", "part", 1.0), {1: 1.0}, {1: 0.8})
    assert RANKING.worth(tried) == pytest.approx(0.25 / 0.55)
    tried.price = 0.05
    assert RANKING.worth(tried) == pytest.approx(0.25 / 0.1)
