# SPDX-License-Identifier: MIT
"""Crossovers and the map, on throughputs of one's choice, and the experiments on short runs."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from conftest import Sunstar
from recorded import machine
from shown import judged, show

from sunstar import Point
from sunstar.papers.two_phase import (
    AHEAD,
    METHODS,
    STUDY,
    TWO_PHASE,
    best_of,
    in_words,
    leads,
)
from sunstar.runs.simulator import effective_config
from sunstar.study.cases import Found, Key
from sunstar.study.statements import Standing


def pretended(name: str, mib_per_s: Callable[[Key], float] = lambda _: 1.0, quick: bool = True) -> Found:
    return Found({key: machine(mib_per_s(key)) for key in STUDY[name].cases(quick)})


def test_a_crossover_lies_between_two_bandwidths_by_their_logarithms() -> None:
    # The ratio falls from 2 to a half between 2 and 200, so that it is 1 at 20; AHEAD is passed a little before.
    ((low, high),) = leads({2: 2 * AHEAD, 200: AHEAD / 2})
    assert low is None
    assert high == pytest.approx(20)
    assert in_words(leads({2: 2 * AHEAD, 200: AHEAD / 2})) == "below 20"
    assert in_words(leads({2: AHEAD / 2, 200: 2 * AHEAD})) == "above 20"
    # Twice as fast in the middle, half as fast at the ends: half a decade to either side of the middle.
    assert in_words(leads({200: AHEAD / 2, 20: AHEAD * 2, 2: AHEAD / 2})) == "6.32 to 63.2"
    assert in_words(leads({2: AHEAD * 2, 20: AHEAD / 2, 200: AHEAD * 2})) == "below 6.32; above 63.2"


def test_a_lead_of_one_percent_is_none() -> None:
    assert leads({2: 1.01, 20: 0.9, 200: 1.01}) == []
    assert in_words([]) == "nowhere"
    assert in_words(leads({2: 1.2, 200: 1.3})) == "everywhere"


def test_the_map_names_the_best_file_system_and_the_next_other_one() -> None:
    speed = {"tc": 3.0, "two-phase": 1.0, "two-phase-cyclic": 4.0, "ddio": 5.0, "ddio-gather": 6.0}

    def mib_per_s(key: Key) -> float:
        return 8.0 if (key.method, key.x) == ("two-phase", "2") else speed[key.method]

    tables = best_of({"records-512": pretended("records-512", mib_per_s), "models": pretended("models")})
    at_2 = tables["map"].filter(pl.col("link_mb_per_s") == 2).to_dicts()
    assert len(at_2) == 4 * 2
    assert {(row["best"], row["second"], row["second_method"]) for row in at_2} == {
        ("two-phase", "ddio", "ddio-gather")
    }
    rest = tables["map"].filter(pl.col("link_mb_per_s") > 2).to_dicts()
    assert {(row["best_method"], row["second_method"], row["lead"]) for row in rest} == {
        ("ddio-gather", "two-phase-cyclic", 1.5)
    }
    assert all(tables["map"]["clear"])
    ends = tables["crossovers"].filter(pl.col("over") == "ddio").to_dicts()
    assert all(row["two_phase_ahead"] and row["from_mb_per_s"] is None for row in ends)
    assert all(2 < row["to_mb_per_s"] < 20 for row in ends)
    level = best_of({"records-512": pretended("records-512")})
    assert not any(level["crossovers"]["two_phase_ahead"])
    assert not any(level["map"]["clear"])
    assert best_of({"models": pretended("models")}) == {}


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", STUDY.names)
def test_each_experiment_can_be_judged_printed_drawn_and_kept(name: str, quick: bool) -> None:
    show(STUDY, name, pretended(name, quick=quick))


def test_the_full_experiment_has_every_pattern_and_network() -> None:
    cases = STUDY["records-8192"].cases(False)
    bandwidths = {int(key.x) for key in cases}
    assert len(cases) == 2 * 10 * len(METHODS) * len(bandwidths) == 2 * 10 * 5 * 7
    assert max(bandwidths) / 200 == 10
    assert 200 / min(bandwidths) == 100


def test_the_simulator_knows_each_setting() -> None:
    seen = set()
    for name in ("records-8192", "models"):
        for key, sets in STUDY[name].cases(True).items():
            if (key.method, key.x) not in seen:
                seen.add((key.method, key.x))
                effective_config(Point(sets))
    assert len(seen) > len(METHODS)


@pytest.mark.parametrize(("share", "standing"), [(0.9, Standing.HOLDS), (1.2, Standing.NEW)])
def test_two_phase_io_that_is_ahead_on_the_reports_network_is_new(share: float, standing: Standing) -> None:
    found = pretended("records-8192", lambda key: share if key.method in TWO_PHASE else 1.0)
    slower, gathered, *_ = judged(STUDY, "records-8192", found)
    assert (slower.standing, gathered.standing) == (standing, standing)


def test_reproduce_two_phase_prints_draws_judges_and_maps(sunstar: Sunstar, tmp_path: Path) -> None:
    small = ("--quick", "--set", "workload.file_size=512KiB")
    done = sunstar("reproduce", "two-phase", "--figure", "records-8192", *small)
    assert done.exit_code in (0, 1), done.output
    assert "two-phase over disk-directed I/O" in done.output
    folder = tmp_path / "results" / "two-phase"
    assert (folder / "records-8192.png").read_bytes().startswith(b"\x89PNG")
    assert pl.read_csv(folder / "map-records-8192.csv").height == 4 * 2 * 4
    assert (folder / "crossovers-records-8192.csv").exists()


def test_the_models_may_only_differ_where_the_worm_model_is_known_to_fail() -> None:
    def mib_per_s(key: Key) -> float:
        return 1.24 if (key.method, key.pattern, key.x) == ("ddio", "rc", "2 worm") else 1.0

    within, order = judged(STUDY, "models", pretended("models", mib_per_s))
    assert within.standing is Standing.KNOWN
    elsewhere = pretended("models", lambda key: 1.3 if (key.pattern, key.x) == ("wb", "20 worm") else 1.0)
    within, order = judged(STUDY, "models", elsewhere)
    assert within.standing is Standing.NEW
    assert order.standing is Standing.MENDED


def test_quick_leaves_out_what_takes_long() -> None:
    assert {"records-8", "models"} < set(STUDY.names)
