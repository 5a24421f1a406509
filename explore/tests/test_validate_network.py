# SPDX-License-Identifier: MIT
"""sunstar validate network."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.places import project
from sunstar.validation import network

HEAD = (
    "topology,k,n,pipeline,routing_delay,vc_alloc_delay,sw_alloc_delay,st_final_delay,speculative,link_delay,"
    "routing_function,num_vcs,vc_buf_size,wait_for_tail_credit,packet_size,traffic,seed,mode,offered,accepted,saturated,"
    "mean_packet_latency\n"
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


def point(offered: float, reference: float | None, latency: float, accepted: float) -> network.LoadPoint:
    curve = network.Curve(6, 2, "torus", "m4", (0, 1, 1, 1, 1, False), "static", 2, 8, False, 8, "uniform")
    return network.LoadPoint(curve, offered, min(offered, 0.5), reference, accepted, latency, reference is None)


def test_a_summary_takes_latency_below_80_percent_and_accepted_load_above_saturation() -> None:
    # Saturation 0.5: 0.41 and up do not count for latency; the overload is 4 % short.
    points = [
        point(0.1, 20, 20.2, 0.1),
        point(0.3, 30, 29.4, 0.3),
        point(0.45, 60, 90, 0.45),
        point(1, None, 9e9, 0.48),
    ]
    (summary,) = network.summarise(points)
    assert summary.reference_saturation == 0.5
    assert summary.saturation_error == pytest.approx(-0.04)
    assert summary.worst_latency == pytest.approx(-0.02)
    assert summary.worst_at == 0.3
    assert summary.worst_accepted == pytest.approx(-0.04)


def test_curves_of_the_first_seed_are_measured_and_drawn(reference: Path, tmp_path: Path) -> None:
    arguments = [
        "validate",
        "network",
        "--only",
        "curves",
        "--reference",
        str(reference),
        "--results",
        str(tmp_path / "r"),
    ]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "m4, static, uniform, L=8, B=8" in done.output
    assert "latency within 3 % on 1" in done.output
    folder = tmp_path / "r" / "validation" / "network"
    assert (folder / "m4-static-uniform-L8-B8.png").stat().st_size > 10_000
    assert len((folder / "curves.csv").read_text().splitlines()) == 4


def test_a_curve_that_is_not_there_is_a_mistake_in_the_call(reference: Path, tmp_path: Path) -> None:
    arguments = ["validate", "network", "--only", "curves", "--reference", str(reference), "--curve", "nothing"]
    done = CliRunner().invoke(app, [*arguments, "--results", str(tmp_path)])
    assert done.exit_code == 2
    assert "in its name" in done.output


def test_a_missing_reference_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNSTAR_SHARED", str(tmp_path))
    done = CliRunner().invoke(app, ["validate", "network", "--only", "zero-load", "--results", str(tmp_path)])
    assert done.exit_code == 3
    assert "SUNSTAR_SHARED" in done.output


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n1,2\n", "has no column topology, pipeline"),
        (HEAD, "has no row below its line of column names"),
        (HEAD + ROWS.replace(",0.3,0.3,0,33.5", ",much,0.3,0,33.5"), "line 3: offered is 'much'; it must be a number"),
        (HEAD + "torus,6\n", "line 2: pipeline is missing"),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "reference.csv"
    file.write_text(text)
    arguments = ["validate", "network", "--only", "curves", "--reference", str(file), "--results", str(tmp_path)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 3, done.output
    assert sentence in done.stderr


def test_zero_load_is_equal_to_the_closed_forms(tmp_path: Path) -> None:
    shared = Path(os.environ.get("SUNSTAR_SHARED") or project().parent / "shared")
    if not (shared / "reference" / "booksim-zero-load.csv").is_file():
        pytest.skip("the folder of reference data is not here")
    done = CliRunner().invoke(app, ["validate", "network", "--only", "zero-load", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "84 of 84 are equal" in done.output
