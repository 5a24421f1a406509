# SPDX-License-Identifier: MIT
"""The map on throughputs of one's choice, and the experiments on short runs."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Sunstar
from recorded import machine
from shown import judged, show

from sunstar import Point
from sunstar.papers.five_ways import (
    GROUPS,
    MEMORIES,
    OPTIONS,
    STUDY,
    WAYS,
    best,
    in_brief,
    map_of,
    places,
    short,
    way_of,
)
from sunstar.results import MachineResult
from sunstar.runs.simulator import effective_config
from sunstar.study.cases import Found, Key, methods_of
from sunstar.study.statements import Standing

JOBS: Mapping[str, Any] = {
    "job0": {"elapsed_s": 2.0, "alone_s": 1.0, "slowdown": 2.0},
    "job1": {"elapsed_s": 3.0, "alone_s": 1.0, "slowdown": 3.0},
    "sharing": {"fairness": 0.96, "worst_slowdown": 3.0},
}
MEMORY = {"tc": 9e5, "two-phase": 8e5, "ddio": 1e4, "enwrich": 7e5, "hybrid": 2e5}


def pretended(name: str, mib_per_s: Callable[[Key], float] = lambda _: 1.0, quick: bool = True) -> Found:
    """Each way takes its own memory, and a little more with its option."""

    def result(key: Key) -> MachineResult:
        way = way_of(key.method)
        taken = {"compute_processor": 0, "io_processor": MEMORY[way] + (100 if key.method != way else 0)}
        return machine(mib_per_s(key), memory=taken, **(JOBS if name == "mixed" else {}))

    return Found({key: result(key) for key in STUDY[name].cases(quick)})


def test_the_map_recommends_the_way_that_takes_the_least_memory_of_those_within_five_percent() -> None:
    speed = {"tc": 9.0, "tc-strided": 10.0, "two-phase-cyclic": 9.6, "enwrich": 9.53, "ddio": 9.5}
    found = pretended("collective", lambda key: speed.get(key.method, 1.0))
    what = best(found, next(places(found)))
    # 10 / 1.05 = 9.524: the third of the ways with more than that takes the least.
    assert what.leader.first == "tc-strided"
    assert what.leader.second == "two-phase-cyclic"
    assert what.tied == ("tc-strided", "two-phase-cyclic", "enwrich")
    assert what.thrifty == "enwrich"
    assert what.rivals == ["tc", "two-phase"]
    assert in_brief(what) == "10.0 en  ="
    assert what.of_ways()["tc"] == 10.0


def test_the_hybrid_is_no_rival_where_disk_directed_io_is_recommended() -> None:
    found = pretended("collective", lambda key: 2.0 if way_of(key.method) in ("ddio", "hybrid") else 1.0)
    what = best(found, next(places(found)))
    assert what.ways == ["ddio", "hybrid"]
    assert what.thrifty == "ddio"
    assert what.rivals == []
    slower = pretended("collective", lambda key: {"hybrid": 2.0, "ddio": 1.95, "tc": 2.0}.get(key.method, 1.0))
    assert best(slower, next(places(slower))).rivals == ["tc"]


def test_the_map_has_a_line_for_each_point_of_the_experiments_that_compare_ways() -> None:
    everything = {name: pretended(name) for name in STUDY.names}
    table = map_of(everything)["map"]
    points = {name: len(list(places(found))) for name, found in everything.items()}
    assert dict(table["asks"].value_counts().iter_rows()) == {
        name: count for name, count in points.items() if name not in ("pieces", "models")
    }
    alone = table.filter(pl.col("asks") == "independent")
    assert alone["ddio_mib_per_s"].null_count() == alone.height
    assert set(alone["recommended"]) == {"hybrid"}
    assert map_of({"pieces": everything["pieces"]}) == {}


def test_every_method_is_an_option_of_a_way() -> None:
    for methods in (methods_of("five-ways", group) for group in GROUPS):
        assert set(map(way_of, methods)) <= set(WAYS)
    assert {way_of(option) for option in OPTIONS.values()} == set(OPTIONS) == set(WAYS)
    assert {short(method) for method in methods_of("five-ways", "collective")} == {
        name + mark for name in ("tc", "2p", "dd", "en", "hy") for mark in ("", "+")
    }


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", STUDY.names)
def test_each_experiment_can_be_judged_printed_drawn_and_kept(name: str, quick: bool) -> None:
    show(STUDY, name, pretended(name, quick=quick))


def test_the_full_experiment_has_every_pattern_record_layout_network_and_memory() -> None:
    cases = STUDY["collective"].cases(False)
    assert len(cases) == 10 * 3 * 2 * 6 * 10
    assert set(STUDY["pieces"].cases(False)) <= set(cases)
    assert len(MEMORIES) == 3


def test_the_simulator_knows_each_setting() -> None:
    seen = set()
    for name in STUDY.names:
        for key, sets in STUDY[name].cases(False).items():
            if (name, key.method, key.x) not in seen:
                seen.add((name, key.method, key.x))
                effective_config(Point(sets))
    assert len(seen) > 10 * 6


def test_reads_of_enwrich_do_not_gather() -> None:
    cases = STUDY["collective"].cases(False)
    for key, sets in cases.items():
        if key.method == "enwrich-gather":
            same = sets == cases[key._replace(method="enwrich")]
            assert same == key.pattern.startswith("r")


def test_jobs_together_have_all_processors() -> None:
    for name in ("independent", "mixed"):
        for sets in STUDY[name].cases(False).values():
            assert sum(job["processors"] for job in json.loads(str(sets["workload.jobs"]))) == 16


def test_reproduce_five_ways_prints_draws_judges_and_maps(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("reproduce", "five-ways", "--quick", "--figure", "mixed", "--jobs", "2")
    assert done.exit_code == 0, done.output
    assert "each alone and beside the other" in done.output
    folder = tmp_path / "results" / "five-ways"
    assert (folder / "mixed.png").read_bytes().startswith(b"\x89PNG")
    assert pl.read_csv(folder / "map-mixed.csv").height == 2 * 2
    assert pl.read_csv(folder / "points-mixed.csv")["job1_slowdown"].min() > 0.9  # type: ignore[operator]


def test_a_way_that_is_behind_is_new_unless_it_is_known() -> None:
    def mib_per_s(key: Key) -> float:
        return 0.9 if way_of(key.method) == "ddio" and key.record_bytes == 512 else 1.0

    large, short, *_ = judged(STUDY, "collective", pretended("collective", mib_per_s, quick=False))
    assert large.standing is Standing.NEW
    assert short.standing is Standing.MENDED


def test_every_statement_is_checked_by_the_whole_experiment() -> None:
    counts = {
        name: len(list(each.statements(pretended(name, quick=False))))
        for each in STUDY.experiments
        for name in [each.name]
    }
    assert counts == {"collective": 7, "pieces": 8, "independent": 4, "mixed": 3, "models": 4}
