# SPDX-License-Identifier: MIT
"""The studies of redundancy and of the bad day, on figures of one's choice and on short runs."""

import re
from pathlib import Path

import polars as pl
from conftest import Sunstar
from recorded import machine
from shown import judged

from sunstar import Point
from sunstar.papers.ours import BAD_DAY, REDUNDANCY
from sunstar.runs.simulator import effective_config
from sunstar.study.cases import Found, Key, methods_of
from sunstar.study.statements import Standing


def test_every_kind_of_point_is_a_configuration() -> None:
    seen: dict[tuple[str, str, str], Point] = {}
    for study in (REDUNDANCY, BAD_DAY):
        for each in study.experiments:
            for key, sets in each.cases(False).items():
                seen.setdefault((each.name, key.method, key.x), Point(sets))
    for (_, method, x), point in seen.items():
        store = effective_config(point)["file_system"]["store"]
        assert store["kind"] == re.split("[ ,]", x)[0]
        assert store.get("failed", []) == ([1] if x.endswith(" degraded") else [])
        assert store.get("tell_rows", True) != method.endswith("-blind")


def test_a_loss_with_a_spare_is_new_and_so_is_a_rebuild_without_an_end() -> None:
    def day(key: Key, lost: int) -> dict[str, int]:
        names = ("bytes_wrong_and_reported", "bytes_reported_unwritten", "bytes_silently_wrong", "failed_calls")
        of = lost if key.x == "raid5, spare" and key.method == "galley" else 0
        return {**dict.fromkeys(names, of), "rebuilds_complete": int(of == 0)}

    for lost in (0, 1):
        found = Found({key: machine(1, faults=day(key, lost)) for key in BAD_DAY["day"].cases(True)})
        kept, reported, ended = (verdict.standing is Standing.NEW for verdict in judged(BAD_DAY, "day", found))
        assert (kept, ended) == (lost > 0, lost > 0)
        assert reported == (lost > 0)


def test_what_rows_are_worth_is_judged_where_nobody_waits() -> None:
    def result(key: Key, blind: float) -> float:
        return blind if key.method == "ddio-blind" else 10.0

    rows = {"read_modify_writes": 1, "reconstruct_writes": 0, "full_row_writes": 99}
    for blind, standing in ((2.0, Standing.HOLDS), (5.0, Standing.NEW)):
        found = Found({key: machine(result(key, blind), store=rows) for key in REDUNDANCY["rows"].cases(True)})
        whole, worth, plug = judged(REDUNDANCY, "rows", found)
        assert (whole.standing, worth.standing, plug.standing) == (Standing.HOLDS, standing, Standing.HOLDS)


def test_the_bad_day_is_measured_drawn_and_told(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("reproduce", "bad-day", "--quick", "--jobs", "2")
    assert done.exit_code == 0, done.output
    assert "3 of 3 statements hold" in done.output
    folder = tmp_path / "results" / "bad-day"
    assert (folder / "day.png").read_bytes().startswith(b"\x89PNG")
    points = pl.read_csv(folder / "points.csv")
    assert set(points["method"]) == set(methods_of("bad-day")) and points.height == 2 * 7


def test_the_study_of_redundancy_prints_draws_and_judges(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("reproduce", "redundancy", "--quick", "--figure", "rows", "--jobs", "2")
    assert done.exit_code == 0, done.output
    assert "rows written whole" in done.output and "3 of 3 statements hold" in done.output
    assert (tmp_path / "results" / "redundancy" / "rows.png").exists()
