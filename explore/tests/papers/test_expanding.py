# SPDX-License-Identifier: MIT
"""The experiments of the paper and their measures, on results of one's choice and on short runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Sunstar
from recorded import machine, machine_document, machine_of
from shown import judged, show

from sunstar import FileError, Point, UnmeasuredError
from sunstar.papers.expanding import STUDY, disks_bytes_per_s, largest_variation, messages, sent, time
from sunstar.quantities import size_in_bytes
from sunstar.runs.simulator import effective_config
from sunstar.study.cases import Found, Key, Settings
from sunstar.study.experiments import Experiment
from sunstar.study.statements import Standing

Figures = dict[str, Any]
HP_97560 = {"rpm": 4002, "sector_size": "512B", "zones": [{"sectors_per_track": 72}]}
MACHINE = {"disk": HP_97560, "nodes": [{"buses": [{"drives": [{"count": 16, "disk": None}]}]}]}
PEAK = 16 * 72 * 512 * 4002 / 60
FILE = 10 << 20


def config(settings: Settings) -> dict[str, Any]:
    workload = {path.removeprefix("workload."): value for path, value in settings.items() if "workload." in path}
    return {"machine": MACHINE, "workload": {"chunk_size": "8KiB", **workload}}


def pretended(
    experiment: Experiment[bool], figures: Callable[[Key], Figures] = lambda _: {}, quick: bool = False
) -> Found:
    """An experiment whose runs have these figures."""
    return Found(
        {key: machine(1.0, config=config(sets), **figures(key)) for key, sets in experiment.cases(quick).items()}
    )


def test_the_best_time_is_that_of_the_files_bytes_at_the_drives_peak() -> None:
    # 72 sectors of 512 bytes, 4002 times a minute, are 2.345 MiB/s; 16 drives read 10 MiB in 0.2665 s.
    key = Key("ddio", "cyclic", "contiguous", 64, "")
    sets = STUDY["2"].cases(False)[key]
    counted: Figures = {
        "message_bytes": 2 * FILE,
        "header_bytes": FILE,
        "network_bytes": 3 * FILE,
        "messages": 3 * FILE / 64,
    }
    found = Found({key: machine(1.0, config=config(sets), elapsed_s=0.533, **counted)})
    assert disks_bytes_per_s(found[key]) == pytest.approx(16 * 2.345 * (1 << 20), rel=1e-3)
    assert time(found, key) == pytest.approx(2.0, rel=1e-3)
    assert [sent(of)(found, key) for of in ("message_bytes", "header_bytes", "network_bytes")] == [2, 1, 3]
    assert messages(found, key) == 3


def test_of_a_subset_the_requested_blocks_are_the_best() -> None:
    key = Key("ddio", "subset", "contiguous", 8192, "100MiB")
    sets = STUDY["4"].cases(False)[key]
    bytes_ = 100 * 8192.0
    figures: Figures = {
        "bytes_moved": bytes_,
        "message_bytes": bytes_,
        "messages": 200.0,
        "elapsed_s": 3 * bytes_ / PEAK,
    }
    found = Found({key: machine(1.0, config=config(sets), **figures)})
    assert (time(found, key), sent("message_bytes")(found, key)) == pytest.approx((3, 1))
    assert messages(found, key) == 2


def test_drives_that_a_node_names_count_with_their_own_rate() -> None:
    two = [{"count": 1, "disk": None}, {"count": 3, "disk": {"rpm": 8004}}]
    mixed = {"machine": {"disk": HP_97560, "nodes": [{"buses": []}, {"buses": [{"drives": two}]}]}}
    assert disks_bytes_per_s(machine(1.0, config=mixed)) == pytest.approx(PEAK / 16 * (1 + 3 * 2))
    with pytest.raises(UnmeasuredError, match="the result names none"):
        disks_bytes_per_s(machine(1.0))


def test_sizes_are_read_with_their_units() -> None:
    assert [size_in_bytes(text) for text in ("8KiB", "512B", "1.5MiB", "1kB")] == [8192, 512, 3 << 19, 1000]
    for wrong in ("8", "8 parsecs", ""):
        with pytest.raises(FileError, match="is not a size"):
            size_in_bytes(wrong)


def test_variation_is_that_of_the_measure_that_varies_most() -> None:
    key = Key("ddio", "cyclic", "contiguous", 64)
    document = machine_document(1.0)
    trial = document["trials"][0]
    document["trials"] = [{**trial, "elapsed_s": 1.0, "messages": n} for n in (9.0, 11.0)]
    found = Found({key: machine_of(document)})
    assert largest_variation(found, key) == pytest.approx(2**0.5 / 10)
    assert largest_variation(Found({key: machine(1.0)}), key) == 0


def test_filtering_at_the_cp_is_only_run_where_something_is_thrown_away() -> None:
    keys = STUDY["3"].cases(False)
    assert len(keys) == 2 * 2 * 5
    assert {key.x for key in keys if key.method == "ddio-at-cp"} == {"0.9"}


def test_quick_leaves_out_the_large_file() -> None:
    assert {key.x for key in STUDY["4"].cases(False)} == {"100MiB", "1000MiB"}
    assert {key.x for key in STUDY["4"].cases(True)} == {"100MiB"}


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", STUDY.names)
def test_each_experiment_can_be_judged_printed_drawn_and_kept(name: str, quick: bool) -> None:
    _, canvas, points = show(STUDY, name, pretended(STUDY[name], quick=quick))
    assert len(canvas.axes) == 4
    assert {"time_over_best", "network_bytes", "io_processor_memory_bytes"} <= set(points.columns)


@pytest.mark.parametrize("name", STUDY.names)
def test_the_simulator_knows_each_setting(name: str) -> None:
    for sets in STUDY[name].cases(False).values():
        effective_config(Point(sets))


def standings(name: str, figures: Callable[[Key], Figures]) -> dict[str, Standing]:
    experiment = STUDY[name]
    return {v.sentence: v.standing for v in judged(STUDY, name, pretended(experiment, figures))}


def of_subset(time: dict[str, float]) -> Callable[[Key], Figures]:
    return lambda key: {
        "elapsed_s": time[key.method] if key.layout == "random-blocks" else 0.98 + time[key.method] / 50
    }


def test_irregular_subsets_tell_a_prefetch_that_hurts_from_one_that_does_not() -> None:
    right = standings("4", of_subset({"tc": 3.0, "tc-no-prefetch": 1.5, "ddio": 1.0}))
    assert set(right.values()) <= {Standing.HOLDS, Standing.MENDED}
    wrong = standings("4", of_subset({"tc": 1.5, "tc-no-prefetch": 1.5, "ddio": 2.0}))
    assert sorted(wrong.values()).count(Standing.NEW) == 3


def test_traffic_that_differs_between_systems_is_new() -> None:
    found = standings("4", lambda key: {"network_bytes": 2048 if key.method == "tc" else 1024})
    assert [sentence for sentence, standing in found.items() if standing is Standing.NEW and "traffic" in sentence]


def test_filtering_that_does_not_spare_the_network_is_new() -> None:
    def figures(key: Key, left: float) -> Figures:
        return {"message_bytes": left * FILE if key.method == "ddio" and key.x == "0.9" else FILE}

    for left, standing in ((0.1, Standing.HOLDS), (0.5, Standing.NEW)):
        (first, *_) = standings("3", lambda key, left=left: figures(key, left)).values()  # type: ignore[misc]
        assert first is standing


@pytest.mark.parametrize(("sent", "standing"), [(True, Standing.HOLDS), (False, Standing.NEW)])
def test_a_redirection_that_leaves_blocks_where_they_are_is_new(sent: bool, standing: Standing) -> None:
    def figures(key: Key) -> Figures:
        redirected = key.method == "tc" and (sent or key.record_bytes != 8192)
        units = FILE / key.record_bytes
        return {"message_bytes": (2 if redirected else 1) * FILE, "messages": (4.07 if redirected else 2.07) * units}

    found = standings("2", figures)
    for words in ("four messages", "twice"):
        assert [found[sentence] for sentence in found if words in sentence] == [standing]


def test_reproduce_expanding_prints_draws_and_judges(sunstar: Sunstar, tmp_path: Path) -> None:
    small = ("--set", "workload.file_size=256KiB", "--trials", "1")
    done = sunstar("reproduce", "expanding", "--figure", "3", *small)
    assert done.exit_code in (0, 1), done.output
    assert "figure 3: data-dependent filtering: contiguous" in done.output
    assert "every byte of 20 runs is verified" in done.output
    folder = tmp_path / "results" / "expanding"
    assert (folder / "3.png").read_bytes().startswith(b"\x89PNG")
    points = pl.read_parquet(folder / "points-3.parquet")
    full = points.filter((pl.col("method") == "ddio") & (pl.col("x") == "0.0"))
    assert set(full["data_over_best"]) == {1.0}
