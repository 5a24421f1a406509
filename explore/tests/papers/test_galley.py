# SPDX-License-Identifier: MIT
"""The experiments of the paper and their measures, on results of one's choice and on short runs."""

import json
from collections.abc import Callable, Collection
from pathlib import Path

import polars as pl
import pytest
from conftest import Pretend, Sunstar
from recorded import machine
from shown import judged, show

from sunstar import Point
from sunstar.papers import galley as cases
from sunstar.papers.galley import (
    BLOCK,
    BROADCAST,
    COMPUTE_PROCESSORS,
    INTERLEAVED,
    KIB,
    MB_OF_MIB,
    MIB,
    STUDY,
    limit_of,
    mb,
    series,
    speedups,
    where,
)
from sunstar.quantities import size_in_bytes
from sunstar.runs.simulator import effective_config
from sunstar.study.cases import Found, Key, Settings, sized
from sunstar.study.experiments import Experiment
from sunstar.study.statements import Standing


def all_cases(quick: bool, names: Collection[str] = tuple(STUDY.names)) -> dict[Key, Settings]:
    return {key: sets for name in names for key, sets in STUDY[name].cases(quick).items()}


@pytest.mark.parametrize("quick", [False, True])
def test_all_forks_have_one_size_and_new_ones_whole_blocks(quick: bool) -> None:
    for key, sets in all_cases(quick).items():
        if sets["workload.kind"] == "forks":
            assert size_in_bytes(sets["workload.fork_size"]) == 32 * MIB
            count = sets["workload.records"]
            assert isinstance(count, int)
            assert count * key.record_bytes * COMPUTE_PROCESSORS <= 32 * MIB, key
            assert count * key.record_bytes * COMPUTE_PROCESSORS % BLOCK == 0, key


def test_the_amount_of_data_goes_from_the_papers_4_mb_to_its_2_gb() -> None:
    amounts = [
        COMPUTE_PROCESSORS * int(key.x) * cases.records_of("traditional", key, False) * key.record_bytes
        for key in STUDY["8"].cases(False)
    ]
    assert min(amounts) == 4 * MIB
    assert max(amounts) == 2048 * MIB
    key = Key("strided read", INTERLEAVED, "", 2 * KIB, "64")
    assert cases.records_of("traditional", key, False) == 1024
    assert cases.records_of("traditional", key._replace(record_bytes=4 * KIB), False) == 512
    assert cases.records_of("strided", key._replace(record_bytes=64), False) == 16 * KIB  # one request for 1 MiB
    assert cases.records_of("strided", key._replace(record_bytes=64 * KIB), False) == 16


def test_messages_are_whole_and_their_number_suits_their_size() -> None:
    for key, sets in cases.streams(False).items():
        bytes_ = size_in_bytes(sets["workload.bytes"])
        assert bytes_ % key.record_bytes == 0
        assert bytes_ <= MIB


def test_the_machine_has_16_cps_and_a_disk_for_each_iop() -> None:
    others = {"amount", "disks", "start"}
    for key, sets in all_cases(False, [name for name in STUDY.names if name not in others]).items():
        assert sets["machine.compute_processors"] == (1 if key.method == "pair" else 16)
        assert sets["machine.io_processors"] == sets["machine.disks"] == int(key.x)
    for key, sets in STUDY["disks"].cases(False).items():
        assert sets["machine.disks"] == cases.FEW * int(key.x)


def test_the_simulator_knows_each_setting() -> None:
    for sets in all_cases(True, ("5", "7", "12", "flow")).values():
        effective_config(Point(sets, platform="sp2"))


def test_throughput_is_in_millions_of_bytes_and_speedup_of_the_strided_interface() -> None:
    key = Key("strided read", INTERLEAVED, "", 2048, "64")
    found = Found({key: machine(100.0), key._replace(method="traditional read"): machine(4.0)})
    assert mb(found, key) == pytest.approx(104.8576)
    (curve,) = series(found, "strided read")
    assert curve.peak == pytest.approx(104.8576)
    assert curve.name == "interleaved, 64 IOPs"
    (gain,) = speedups(found, "read")
    assert gain == {2048: 25.0}
    assert where(key) == "interleaved, 2 KiB, 64 IOPs"
    assert [sized(64), sized(64 * KIB)] == ["64 B", "64 KiB"]


Speed = Callable[[Key], float]


def pretended(experiment: Experiment[bool], speed: Speed, quick: bool = True) -> Found:
    """An experiment whose runs have this throughput, in MB/s."""
    return Found({key: machine(speed(key) / MB_OF_MIB) for key in experiment.cases(quick)}, STUDY.average)


def standings(name: str, speed: Speed) -> dict[str, Standing]:
    experiment = STUDY[name]
    return {v.sentence: v.standing for v in judged(STUDY, name, pretended(experiment, speed))}


def as_published(key: Key) -> float:
    """Throughput as the paper describes it, roughly; by the traditional interface each doubling of the records gains a
    little."""
    little = 1 - 0.01 * BLOCK / (BLOCK + key.record_bytes) if key.method.startswith("traditional") else 1
    return little * roughly(key)


def roughly(key: Key) -> float:
    n, record = int(key.x) if key.x.isdigit() else cases.FEW, key.record_bytes
    if key.method == "pair":
        return min(17.0, 17 * record / 4096)
    if key.method == cases.TCP:
        return min(record / 4096, 1) * {4: 60.0, 8: 110.0, 16: 170.0, 32: 215.0, 64: 220.0}[n]
    if key.method.startswith("limit"):
        limit = limit_of(key)
        return {0: 0.5, 1: 0.9, 2: 1.0, 4: 1.0, 8: 1.0}.get(limit, 0.8) * 100
    if key.pattern == BROADCAST:
        peak = min(13.5 * 16, 30.0 * n)
        small = 2.2 * n / 98 if record == 64 else peak * min(record / 32768, 1)
        return peak if key.method == "strided read" else small
    interface, operation = key.method.rpartition(", ")[2].split()
    interleaved = key.pattern == INTERLEAVED
    peak = 2.2 * n
    if interface == "strided":
        if operation == "read":
            return peak * (1 if interleaved else 0.9)
        if operation == "create" and interleaved:
            return 0.9 * peak * min(1, 0.3 + record / 8192)
        return peak * 0.9
    small = {64: 1 / 98 if interleaved else 0.9 / 92}.get(record, min(record / 2048, 1))
    pace = {"read": 0.93 if interleaved else 0.6, "overwrite": 0.4 if interleaved else 0.3, "create": 0.86}[operation]
    if operation == "read":
        return peak * (small if record == 64 else small * pace * (0.96 if record == 4096 and interleaved else 1))
    if operation == "overwrite" and record >= BLOCK:
        return peak * 0.85
    if operation == "overwrite" and record == 64:
        return peak * 0.9 / (30 if interleaved else 31)
    if operation == "create" and record == 64:
        return peak * 0.9 / 14
    return peak * small * pace


RIGHT = {Standing.HOLDS, Standing.MENDED}


@pytest.mark.parametrize("name", STUDY.names)
def test_what_the_paper_describes_agrees_with_its_statements(name: str) -> None:
    right = {*RIGHT, Standing.CONTRADICTED}
    assert [each for each, standing in standings(name, as_published).items() if standing not in right] == []


def test_what_the_papers_own_figures_rule_out_is_counted_as_contradicted() -> None:
    ruled_out = [
        sentence
        for name in STUDY.names
        for sentence, standing in standings(name, as_published).items()
        if standing is Standing.CONTRADICTED
    ]
    assert ruled_out == [
        "so do partitioned reads (at most 10 %)",
        "so they do where 64-byte records reach less",
        "so are 64-byte records",
        "so do those of interleaved reads",
    ]


@pytest.mark.parametrize(
    ("name", "speed", "sentence"),
    [
        ("5", lambda key: as_published(key) * (1.2 if key.x == "64" else 1), "but not beyond"),
        ("5", lambda key: as_published(key) * (0.8 if key.method == "pair" else 1), "between two nodes"),
        ("7", lambda key: as_published(key) * (0.5 if key.record_bytes == 64 * KIB else 1), "so does performance"),
        ("7", lambda key: as_published(key) * (0.5 if key.pattern == BROADCAST else 1), "TCP/IP limits"),
        ("8", lambda _: 100.0, "by half"),
        ("9", lambda key: 50.0 if "create" in key.method else 100.0, "in many cases it is faster"),
        (
            "10",
            lambda key: as_published(key) * (1.3 if key.pattern == "partitioned" else 1),
            "slower by the partitioned",
        ),
        ("12", lambda _: 100.0, "interleaved new file"),
        ("13", lambda key: 50.0 if "strided" in key.method else 100.0, "between 1 and 2"),
        ("patterns", lambda key: 1.0 if key.pattern == INTERLEAVED else 2.0, "regardless of the pattern"),
        ("flow", lambda _: 100.0, "without permissions"),
        ("flow", lambda key: 120.0 if limit_of(key) == 64 else 100.0, "between 2 and 8"),
        ("lock", lambda key: 200.0 if key.pattern == INTERLEAVED else 100.0, "the delay is less"),
    ],
)
def test_what_the_paper_does_not_describe_does_not_hold(name: str, speed: Speed, sentence: str) -> None:
    (standing,) = (standing for each, standing in standings(name, speed).items() if sentence in each)
    assert standing not in RIGHT


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", STUDY.names)
def test_each_experiment_can_be_judged_printed_drawn_and_kept(name: str, quick: bool) -> None:
    _, _, points = show(STUDY, name, pretended(STUDY[name], as_published, quick))
    assert {"mb_per_s", "bytes_moved"} <= set(points.columns)


@pytest.mark.parametrize(("options", "trials"), [(("--quick",), "5"), (("--quick", "--trials", "2"), "2")])
def test_five_trials_are_made_unless_the_call_says_otherwise(
    options: tuple[str, ...], trials: str, sunstar: Sunstar, pretend: Pretend, tmp_path: Path
) -> None:
    calls = tmp_path / "calls"
    pretend(f"open({str(calls)!r}, 'a').write(json.dumps(settings) + '\\n')\nresult(100)", platform="sp2")
    sunstar("reproduce", "galley", "--figure", "5", *options)
    made = [json.loads(line) for line in calls.read_text().splitlines()]
    assert {settings["run.trials"] for settings in made} == {trials}


def test_reproduce_galley_prints_draws_and_judges(sunstar: Sunstar, tmp_path: Path) -> None:
    small = ("--set", "machine.io_processors=4", "--set", "machine.disks=4", "--set", "workload.records=32")
    done = sunstar("reproduce", "galley", "--figure", "lock", "--quick", *small)
    assert done.exit_code in (0, 1), done.output
    assert "lock: the lock on a new fork's metadata: strided create: interleaved over partitioned" in done.output
    assert "every byte of 20 runs is verified" in done.output
    folder = tmp_path / "results" / "galley"
    assert (folder / "lock.png").read_bytes().startswith(b"\x89PNG")
    points = pl.read_parquet(folder / "points-lock.parquet")
    assert set(points["bytes_moved"]) == {
        4 * 16 * 32 * record for record in {key.record_bytes for key in STUDY["lock"].cases(True)}
    }
