# SPDX-License-Identifier: MIT
"""The ENWRICH paper's statements, on the machine as it is built: trials from seed 1 on, so that the figures repeat."""

from pathlib import Path

import pytest
from shown import must_stand, run_all

from sunstar import run
from sunstar.papers.enwrich import (
    METHODS,
    OPTIONS,
    STUDY,
    TWO_ARRAYS,
    Choice,
    flushes,
    make_computing,
)
from sunstar.study.cases import Found, Key, Settings
from sunstar.study.command import Conditions
from sunstar.study.experiments import measure

pytestmark = pytest.mark.slow


def settings(key: Key) -> Settings:
    return STUDY["5" if key.layout == "contiguous" else "4"].cases(Choice(records=(8192, 512, 8)))[key]


MEASURED = ("4", "5", "6", "7", "8", "9", "10", "scheduler", "latency")
"""Experiments whose statements are tested; the others need many more runs, or a trace."""


@pytest.fixture(scope="session", params=MEASURED)
def measured(request: pytest.FixtureRequest) -> tuple[str, Found]:
    """An experiment and its findings. Runs that another made, too, are in the session's store."""
    name: str = request.param
    # Traditional caching on 40 disks varies by 7 % with the seed.
    conditions = Conditions(trials=3 if name == "9" else 1)
    return name, measure({name: STUDY[name].cases(Choice())}, conditions, run_all)[name]


def test_an_experiment_shows_what_the_paper_says_except_for_its_known_shortfalls(measured: tuple[str, Found]) -> None:
    # Two statements are at their bounds: one trial says more than five.
    must_stand(
        STUDY,
        *measured,
        "except on wnn ENWRICH is never worse than traditional caching by more than 5 %",
        "returns diminish for wnc, wbc, wcc, wss (from 1 to 2 MiB gains less than from 0.5 to 1 MiB)",
    )


def test_caches_flush_as_often_as_the_data_fill_them(measured: tuple[str, Found]) -> None:
    # Nine tenths of 1 MiB are data: 64 MiB of one CP are 71.1 times that, 4 MiB of each of 16 are 4.4 times that.
    name, found = measured
    if name in ("4", "5"):
        counted = {key.pattern: flushes(found, key) for key in found.select("enwrich")}
        assert counted.pop("wnn") == 72
        assert {counted[pattern] for pattern in counted if pattern not in TWO_ARRAYS} <= {4, 5}
        assert {flushes(found, key, "directory") for key in found.select("enwrich")} == {0}


def test_8_byte_chunks_flush_only_because_of_full_directories() -> None:
    # 1 MiB over 16 CPs are 8192 calls each; a tenth of 1 MiB holds 4369 entries of 24 bytes: one flush, and the last.
    key = Key("enwrich", "wcc", "contiguous", 8)
    found = Found({key: run("torus", {**settings(key), "workload.file_size": "1MiB"})})
    assert flushes(found, key) == 2
    assert flushes(found, key, "directory") >= 1
    assert flushes(found, key, "data") == 0


def test_a_shared_cache_takes_more_small_writes_before_it_flushes() -> None:
    # 32 bytes a call: 32768 fit into 1 MiB.
    key = Key("enwrich", "wcc", "contiguous", 8)
    shared = {**settings(key), **OPTIONS["shared"], "workload.file_size": "1MiB"}
    assert flushes(Found({key: run("torus", shared)}), key) == 1


def test_flushes_in_the_background_hide_behind_computation(tmp_path: Path) -> None:
    trace = make_computing(tmp_path / "computing.csv")
    replay = {
        **METHODS["enwrich"],
        "workload.kind": "trace",
        "workload.trace": str(trace),
        "workload.pacing": "think-times",
        "workload.scale.to": "1.022s",  # half of the calls
    }
    options = ("background, 50 %", "none")
    behind, plain = (run("torus", {**replay, **OPTIONS[name]}) for name in options)
    assert behind.mib_per_s > 1.4 * plain.mib_per_s


def test_a_flush_that_need_not_wait_for_its_last_buffers_evens_out_an_imbalance_and_hides_behind_filling() -> None:
    # wbn: in each flush three disks have 16 blocks more than the others; wnn: the disks are idle while a cache fills.
    wbn, wnn = Key("enwrich", "wbn", "random-blocks", 8192), Key("enwrich", "wnn", "contiguous", 8192)
    options = ("none", "fetched, 16 buffers")
    wanted = [{**settings(key), **OPTIONS[name]} for key in (wbn, wnn) for name in options]
    plain, even, idle, hidden = (run("torus", each).mib_per_s for each in wanted)
    assert even > 1.05 * plain
    assert hidden > 1.2 * idle
