# SPDX-License-Identifier: MIT
from collections.abc import Sequence

import pytest
from recorded import machine

from sunstar import MachineResult, Point, UnmeasuredError
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.command import Conditions
from sunstar.study.experiments import measure


class Recorder:
    """Runs nothing: the throughput of each run is its number of trials."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.names: list[str] = []

    def __call__(self, points: Sequence[Point], names: Sequence[str]) -> list[MachineResult]:
        self.points += points
        self.names += names
        return [machine(float(point.trials or 0)) for point in points]


RB, WB = Key("tc", "rb", "contiguous", 8192), Key("tc", "wb", "contiguous", 8192)


def test_a_run_that_experiments_share_is_made_once() -> None:
    runs = Recorder()
    cases: dict[str, Cases] = {"4": {RB: {"a": 1, "b": "x"}, WB: {"a": 2}}, "latency": {RB: {"b": "x", "a": 1}}}
    found = measure(cases, Conditions(), runs)
    assert [dict(point.settings) for point in runs.points] == [{"a": 1, "b": "x"}, {"a": 2}]
    assert runs.names == ["figure 4, contiguous rb 8192 B tc", "figure 4, contiguous wb 8192 B tc"]
    assert found["4"][RB] is found["latency"][RB]


def test_runs_that_differ_in_trials_or_in_the_type_of_a_value_are_not_the_same() -> None:
    runs = Recorder()
    cases: dict[str, Cases] = {"tables": {RB: {"a": 1}}, "presort": {RB: {"a": 1}}, "other": {RB: {"a": True}}}
    found = measure(cases, Conditions(trials=5), runs, {"presort": lambda _: 20})
    assert [point.trials for point in runs.points] == [5, 20, 5]
    assert (found["tables"].mib(RB), found["presort"].mib(RB)) == (5, 20)


def test_more_trials_than_a_case_needs_are_kept() -> None:
    assert Conditions(trials=50).point({}, least_trials=20).trials == 50


def test_what_the_user_sets_overrides_the_case() -> None:
    point = Conditions(seed=3, settings={"a": 2}).point({"a": 1, "b": 1})
    assert (point.settings, point.seed) == ({"a": 2, "b": 1}, 3)


def test_what_was_not_measured_is_an_error_and_never_zero() -> None:
    found = Found({RB: machine(2.0, {"enwrich.flushes": 3.0})})
    assert found[RB].statistic("enwrich.flushes") == 3
    with pytest.raises(UnmeasuredError, match=r"measured no statistic enwrich\.flush_count"):
        found[RB].statistic("enwrich.flush_count")
    with pytest.raises(UnmeasuredError, match="contiguous wb 8192 B tc was not measured"):
        found.mib(WB)
    with pytest.raises(UnmeasuredError, match="contiguous rb 8192 B ddio was not measured"):
        found.ratio(RB, "ddio")
    with pytest.raises(UnmeasuredError, match="one point of tc, wb is needed; 0 were measured"):
        found.one("tc", pattern="wb")
    swept = Found({RB._replace(x="16"): machine(2.0)})
    with pytest.raises(UnmeasuredError, match="rb tc was not measured at 8"):
        swept.curve("tc", "rb")[8]
    assert swept.curve("tc", "rb") == {16: 2.0}
