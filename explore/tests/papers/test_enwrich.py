# SPDX-License-Identifier: MIT
"""The paper's patterns, experiments and statements; what is measured of them is in test_enwrich_measured.py."""

import csv
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from conftest import Sunstar
from recorded import COUNTED_BY_ENWRICH, machine
from shown import show

from sunstar import UnmeasuredError
from sunstar.papers.enwrich import (
    OPTIONS,
    STUDY,
    TWO_ARRAYS,
    Choice,
    figure_4,
    figure_6,
    flushes,
)
from sunstar.study.cases import Found, Key
from sunstar.study.statements import Standing, knowing


def pretended(name: str, choice: Choice, mib_per_s: float = 1.0) -> Found:
    """An experiment whose every run has the same throughput; only ENWRICH counts flushes."""
    return Found(
        {
            key: machine(mib_per_s, COUNTED_BY_ENWRICH if key.method == "enwrich" else {})
            for key in STUDY[name].cases(choice)
        }
    )


def test_the_paper_has_ten_patterns_of_one_array_and_eight_of_two() -> None:
    patterns = {key.pattern for key in STUDY["4"].cases(Choice())}
    assert len(patterns) == 18
    assert set(TWO_ARRAYS) == {pattern for pattern in patterns if len(pattern) == 6}


def test_chunks_are_records_where_an_array_is_cyclic_along_its_rows() -> None:
    cases = STUDY["5"].cases(Choice(records=(8192, 512, 8)))
    records = {key.pattern for key, sets in cases.items() if sets["workload.file_size"] == "8MiB"}
    assert records == {"wnc", "wbc", "wcc", "wss", "wrnncc", "wrbccb", "wpnncc", "wpbccb"}
    assert {key.record_bytes for key, sets in cases.items() if sets["workload.file_size"] == "8MiB"} == {8}


def test_figures_4_and_5_are_every_pattern_and_record_size_under_three_systems() -> None:
    for name, layout in (("4", "random-blocks"), ("5", "contiguous")):
        cases = STUDY[name].cases(Choice(records=(8192, 512, 8)))
        assert len(cases) == 18 * 3 * 3
        assert {key.layout for key in cases} == {layout}


def test_the_sweeps_set_what_they_sweep() -> None:
    sizes = [s["file_system.enwrich.cache_size"] for k, s in STUDY["6"].cases(Choice()).items() if k.x]
    assert Counter(sizes).keys() == {"512KiB", "1MiB", "2MiB"}
    swept = {"7": "machine.compute_processors", "8": "machine.io_processors", "9": "machine.disks"}
    for name, path in {**swept, "10": "machine.disks"}.items():
        for key, sets in STUDY[name].cases(Choice()).items():
            assert sets[path] == int(key.x)
    partitions = [k.x for k in STUDY["7"].cases(Choice()) if k.pattern == "wpnncc"]
    assert "1" not in partitions


def test_figure_11_replays_the_trace_on_the_papers_machine(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    cases = STUDY["11"].cases(Choice(trace=trace, exclude="^/dev"))
    assert {(key.method, key.x) for key in cases} == {
        (method, pacing) for method in ("tc", "enwrich") for pacing in ("think-times", "back-to-back")
    }
    for sets in cases.values():
        assert sets["machine.compute_processors"] == 32
        assert sets["workload.exclude"] == "^/dev"
    assert STUDY["11"].cases(Choice()) == {}


def test_each_option_is_run_with_each_workload(tmp_path: Path) -> None:
    cases = STUDY["options"].cases(Choice(folder=tmp_path))
    assert len(cases) == len(OPTIONS) * 6
    assert OPTIONS["16 buffers"] == {"file_system.buffers_per_disk": 16}
    with (tmp_path / "computing.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert sum(int(line["length"]) for line in lines) == 64 << 20
    assert len({line["offset"] for line in lines}) == len(lines)


@pytest.mark.parametrize("name", STUDY.names)
def test_each_experiment_can_be_judged_printed_drawn_and_kept(name: str, tmp_path: Path) -> None:
    found = pretended(name, Choice(records=(8192, 512, 8), trace=tmp_path / "t.csv", folder=tmp_path))
    verdicts, _, points = show(STUDY, name, found)
    assert verdicts
    assert set(points.filter(pl.col("method") == "enwrich")["flushes"]) <= {5.0}
    assert set(points.filter(pl.col("method") != "enwrich")["flushes"]) <= {None}


def test_each_statement_can_be_made_for_each_choice_of_record_sizes() -> None:
    for records in ((8192,), (512,), (8,), (8192, 512), (8192, 512, 8)):
        for name in ("4", "5"):
            assert list(STUDY[name].statements(pretended(name, Choice(records=records))))


def test_figure_6_tells_diminishing_returns_from_growing_ones() -> None:
    rising = {"0.5": 20.0, "1": 26.0, "2": 28.0, "": 10.0}
    cases = STUDY["6"].cases(Choice())
    right = Found({key: machine(rising[key.x] - (key.pattern == "wcc" and key.x == "2")) for key in cases})
    assert [v.holds for v in figure_6(right)] == [True, True, True, True, True]
    wrong = Found({key: machine(40.0) if key.x == "2" else result for key, result in right.results.items()})
    assert [v.holds for v in figure_6(wrong)] == [True, True, False, False, False]


def test_a_statistic_that_was_renamed_is_an_error_and_not_no_flush() -> None:
    renamed = {name.replace("directory_", "dir_"): value for name, value in COUNTED_BY_ENWRICH.items()}
    key = Key("enwrich", "wcc", "contiguous", 8)
    with pytest.raises(UnmeasuredError, match=r"no statistic enwrich\.directory_flushes"):
        flushes(Found({key: machine(1.0, renamed)}), key, "directory")


@pytest.mark.parametrize(
    ("slow", "standing"),
    [
        (("wrnncc", "wrnnbb", "wpnnbb", "wpnncc", "wbn"), Standing.KNOWN),  # 24 of 34
        (("wrnncc", "wrnnbb", "wpnnbb", "wpnncc", "wbn", "wcn", "wbb"), Standing.NEW),  # 21 of 34
        (("wrnncc", "wrnnbb", "wpnnbb", "wpnncc", "wss"), Standing.NEW),  # 24 of 34, but wss is not known to
        (("wrnncc",), Standing.MENDED),  # 32 of 34
    ],
)
def test_the_shortfall_of_figure_4_stands_until_more_or_other_patterns_are_slow(
    slow: tuple[str, ...], standing: Standing
) -> None:
    cases = STUDY["4"].cases(Choice())
    found = Found({key: machine(6.0 if key.pattern in slow else 7.5, COUNTED_BY_ENWRICH) for key in cases})
    with knowing(STUDY.known("4")):
        assert next(figure_4(found)).standing is standing


def test_reproduce_enwrich_prints_draws_and_judges(sunstar: Sunstar, tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text(
        "rank,op,file,offset,length,start,end\n"
        + "".join(f"{rank},write,out,{rank * 8192},8192,0.1,0.2\n" for rank in range(32))
        + "3,read,/proc/x,0,100,0.0,0.0\n"
    )
    done = sunstar("reproduce", "enwrich", "--figure", "11", "--trace", str(trace))
    assert done.exit_code in (0, 1), done.output
    assert (done.exit_code == 1) == ("\nNEW " in done.output)
    assert "figure 11: a trace on 32 CPs" in done.output
    assert "beyond the paper " in done.output
    assert "every byte of 4 runs is verified" in done.output
    folder = tmp_path / "results" / "enwrich"
    assert (folder / "11.png").read_bytes().startswith(b"\x89PNG")
    assert pl.read_parquet(folder / "points-11.parquet").height == 4
    assert {p.name for p in folder.iterdir()} == {
        "11.png",
        *(f"points-11.{suffix}" for suffix in ("csv", "json", "parquet")),
        "verdicts-11.json",
    }
