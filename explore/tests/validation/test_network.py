# SPDX-License-Identifier: MIT
"""sunstar validate network."""

import shutil
from pathlib import Path

import pytest
from conftest import Sunstar

from sunstar import Point, UnmeasuredError
from sunstar.runs.simulator import effective_config
from sunstar.study.views import FLIT, MODELS, WORM, other
from sunstar.validation.comparing import Row
from sunstar.validation.network import models as booksim
from sunstar.validation.network.curves import COLUMNS, rows_to_measure, summarise
from sunstar.validation.network.models import cases

HEAD = (
    "topology,k,n,pipeline,routing_delay,vc_alloc_delay,sw_alloc_delay,st_final_delay,speculative,link_delay,"
    "routing_function,num_vcs,vc_buf_size,wait_for_tail_credit,packet_size,traffic,seed,mode,offered,accepted,"
    "saturated,mean_packet_latency\n"
)
# Rows of the kind that the reference has: closed form 25 cycles at no load, saturation about 0.49.
ROWS = (
    "torus,6,2,m4,0,1,1,1,0,1,dim_order,2,8,0,8,uniform,1,latency,0.05,0.05,0,25.9\n"
    "torus,6,2,m4,0,1,1,1,0,1,dim_order,2,8,0,8,uniform,1,latency,0.3,0.3,0,33.5\n"
    "torus,6,2,m4,0,1,1,1,0,1,dim_order,2,8,0,8,uniform,2,latency,0.3,0.3,0,99\n"
    "torus,6,2,m4,0,1,1,1,0,1,dim_order,2,8,0,8,uniform,1,throughput,1.0,0.49,1,17587.4\n"
)


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    path = tmp_path / "reference.csv"
    path.write_text(HEAD + ROWS)
    return path


def point(offered: float, reference: float | None, latency: float | None, accepted: float) -> Row:
    theirs = {"reference_accepted": min(offered, 0.5), "reference_latency": reference}
    return {"curve": "m4", "offered": offered, **theirs, "accepted": accepted, "latency": latency}


def test_a_summary_takes_latency_up_to_80_percent_and_accepted_load_above_saturation() -> None:
    # Saturation 0.5: 0.41 and up do not count for latency; the overload is 4 % short.
    found = [
        point(0.1, 20, 20.2, 0.1),
        point(0.3, 30, 29.4, 0.3),
        point(0.45, 60, 90, 0.45),
        point(1, None, 9e9, 0.48),
    ]
    (summary,) = summarise(found)
    assert summary["reference_saturation"] == 0.5
    assert summary["saturation_error"] == pytest.approx(-0.04)
    assert summary["worst_latency"] == pytest.approx(-0.02)
    assert summary["worst_at"] == 0.3
    assert summary["worst_accepted"] == pytest.approx(-0.04)


def test_a_latency_that_was_not_measured_is_an_error_and_not_zero() -> None:
    with pytest.raises(UnmeasuredError, match=r"no message arrived at a load of 0\.1"):
        summarise([point(0.1, 20, None, 0.0), point(1, None, 9e9, 0.5)])
    with pytest.raises(UnmeasuredError, match="no row below 80 % of saturation"):
        summarise([point(0.5, 20, 20.0, 0.5)])


def test_curves_of_the_first_seed_are_measured_and_drawn(reference: Path, sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("validate", "network", "--only", "curves", "--reference", str(reference))
    assert done.exit_code == 0, done.output
    assert "m4, static, uniform, L=8, B=8" in done.output
    assert "latency within 3 % on 1" in done.output
    folder = tmp_path / "results" / "validation" / "network"
    assert (folder / "m4-static-uniform-L8-B8.png").stat().st_size > 10_000
    assert len((folder / "curves.csv").read_text().splitlines()) == 4


def test_worms_on_a_fat_tree_are_compared_up_to_the_share_of_load_that_they_are_good_for(sunstar: Sunstar) -> None:
    done = sunstar("validate", "network", "--only", "fabrics", "--curve", "4-ary 2-tree, nca, uniform, L=8, B=16")
    assert done.exit_code == 0, done.output
    assert "4 points: within " in done.output  # 0.05 to 0.45; saturated at 0.9, and the knee lies at 0.75
    assert float(done.output.split("4 points: within ")[1].split(" %")[0]) < 5


def test_worms_on_a_dragonfly_are_compared_too(sunstar: Sunstar) -> None:
    done = sunstar("validate", "network", "--only", "fabrics", "--curve", "dragonfly of k = 2, ugal, next-group, L=8")
    assert done.exit_code == 0, done.output
    assert "3 points: within " in done.output  # 0.02, 0.05 and 0.1; the knee lies at 0.2
    assert float(done.output.split("3 points: within ")[1].split(" %")[0]) < 3


def test_a_missing_curve_is_a_mistake_in_the_call(reference: Path, sunstar: Sunstar) -> None:
    done = sunstar("validate", "network", "--only", "curves", "--reference", str(reference), "--curve", "nothing")
    assert done.exit_code == 2
    assert "in its name" in done.output


def test_booksims_curves_come_with_the_package() -> None:
    rows = rows_to_measure(booksim.BOOKSIM_CURVES, [])
    assert len({row["curve"] for row in rows}) == 43
    assert set(COLUMNS) <= set(rows[0])
    # A pipeline's delays stand in the file and in the table of pipelines alike.
    assert all(row["delays"] == booksim.PIPELINES[row["pipeline"]] for row in rows)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "has no column topology, pipeline"),
        (HEAD + ROWS.replace(",0.3,0.3,0,33.5", ",much,0.3,0,33.5"), "line 3: offered is 'much'; it must be a number"),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused_in_a_sentence(
    tmp_path: Path, text: str, sentence: str, sunstar: Sunstar
) -> None:
    file = tmp_path / "reference.csv"
    file.write_text(text)
    done = sunstar("validate", "network", "--only", "curves", "--reference", str(file))
    assert done.exit_code == 3, done.output
    assert sentence in done.stderr


def test_zero_load_is_equal_to_the_closed_forms_without_any_other_file(
    sunstar: Sunstar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUNSTAR_SHARED", str(tmp_path / "none"))
    done = sunstar("validate", "network", "--only", "zero-load")
    assert done.exit_code == 0, done.output
    assert "84 of 84 are equal" in done.output


def test_a_wrong_closed_form_is_found(sunstar: Sunstar, tmp_path: Path) -> None:
    spoilt = tmp_path / "zero-load.csv"
    shutil.copy(booksim.BOOKSIM_ZERO_LOAD, spoilt)
    lines = spoilt.read_text().splitlines(keepends=True)
    spoilt.write_text("".join([lines[0], lines[1].replace(",6,", ",7,")]))
    done = sunstar("validate", "network", "--only", "zero-load", "--zero-load", str(spoilt))
    assert "0 of 1 are equal" in done.output


def test_whole_experiments_run_each_case_under_worms_and_under_flits() -> None:
    of = {model: [key for key in cases() if key.x == model] for model in MODELS}
    assert len(of[WORM]) == 2 * (5 + 2)
    assert [other(key) for key in of[WORM]] == of[FLIT]
    for key, sets in cases().items():
        assert sets["machine.network.model"] == key.x
        effective_config(Point(sets))
