# SPDX-License-Identifier: MIT
"""sunstar feed: the search with made-up runs, loads from files, and a small real machine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Sunstar
from recorded import machine_document

from sunstar import RunError, run
from sunstar.cli import LISTED
from sunstar.feeding import command
from sunstar.feeding.command import Bench, load_of, search
from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.results import Document, read
from sunstar.runs.simulator import Point

UNET = ("--load", "unet3d", "--accelerator", "h100")
LOAD: dict[str, Any] = {"kind": "training", "files": 400, "sample_size": "1MB", "batch_size": 2, "compute": "1ms"}


@pytest.mark.parametrize(("fed", "most"), [(0, 64), (1, 64), (5, 64), (22, 64), (63, 64), (64, 64), (100, 100), (3, 3)])
def test_the_search_finds_the_largest_number_that_meets(fed: int, most: int) -> None:
    tried: list[int] = []

    def meet(counts: list[int]) -> dict[int, bool]:
        assert not set(tried) & set(counts), "a number is run twice"
        tried.extend(counts)
        return {count: count <= fed for count in counts}

    assert search(meet, most) == fed
    assert max(tried) <= min(most, max(2, 4 * fed))
    assert fed == most or fed + 1 in tried


def test_a_number_that_meets_above_one_that_does_not_is_no_answer() -> None:
    assert search(lambda counts: {count: count != 2 for count in counts}, 64) == 1


Points = list[Point]


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Points:
    """Drives that feed 5.7 accelerators, or workload.batch_size, give or take 1 % by seed; the points that are run."""
    points: Points = []

    def run_all(wanted: Sequence[Point], **_: object) -> list[Document]:
        points.extend(wanted)
        return [read(json.dumps(document(point)).encode()) for point in wanted]

    def document(point: Point) -> dict[str, Any]:
        count, seed = int(str(point.settings["workload.accelerators"])), point.seed or 0
        fed = float(str(point.settings.get("workload.batch_size", 5.7)))
        share = min(1.0, fed / count * (1 + (seed - 2) / 100))
        rates = {"bytes_per_s": 3e9 * count * share, "samples_per_s": 21.7 * count * share}
        explain = {
            "elapsed_ps": 1,
            "critical_path": [{"stage": "disk", "time_s": 1e-12, "time_ps": 1, "share": 1, "waits": False}],
            "resources": [],
            "sentences": ["90 % of the run is drives.", "8 % of the run is links.", "The bounds assume nothing."],
            "text": "",
        }
        training = {"accelerators": 2 * count, "utilisation": share, **rates}
        return machine_document(1.0, training=training) | {"explain": explain if point.explained else None}

    monkeypatch.setattr(command, "run_all", run_all)
    monkeypatch.setattr(command, "effective_config", lambda point: point.settings)
    return points


def test_the_largest_number_is_told_with_its_rate_and_what_limits_the_next(
    sunstar: Sunstar, made_up: Points, results: Path
) -> None:
    done = sunstar(
        "feed",
        "torus",
        *UNET,
        "--set",
        "machine.compute_processors=2",
        "--set",
        "workload.compute=1ms",
        "--steps",
        "24",
    )
    assert done.exit_code == 0, done.output
    # 5.7 / 6 = 95 %; 5.7 / 7 = 81 %
    assert (
        "With unet3d-h100, 6 accelerators a node, 12 in all, are busy 95.0 % (90.0 % required): 17.1 GB/s."
        in done.stdout
    )
    assert "What limits 7 a node: 90 % of the run is drives. 8 % of the run is links.\n" in done.stdout
    assert "sunstar advise " in done.stdout and "feed/torus-unet3d-h100/next.json" in done.stdout
    folder = results / "feed" / "torus-unet3d-h100"
    table = pl.read_parquet(folder / "points.parquet")
    assert table["accelerators_a_node"].to_list() == [1, 2, 4, 5, 6, 7, 8]
    assert table["meets"].to_list() == [True] * 5 + [False] * 2
    assert json.loads((folder / "points.json").read_text()) == table.to_dicts()
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "next.json").read_text())["workload.accelerators"] == 7
    assert {point.seed for point in made_up} == {1, 2, 3}
    assert all(point.settings["workload.compute"] == "1ms" for point in made_up)
    files = {(point.settings["workload.accelerators"], point.settings["workload.files"]) for point in made_up}
    assert (
        1,
        2 * (24 + 8 + 4 * 2) * 7,
    ) in files  # 32 steps, and 2 batches of each of 4 readers, of 7 samples, on 2 nodes


def test_an_answer_near_the_threshold_is_within_noise(sunstar: Sunstar, made_up: Points) -> None:
    done = sunstar("feed", "torus", *UNET, "--threshold", "0.945")
    assert "are busy 95.0 % (94.5 % required, within noise)" in done.stdout, done.output
    assert len(made_up) == 7 * 3 + 1


def test_the_most_that_are_tried_may_meet(sunstar: Sunstar, made_up: Points) -> None:
    done = sunstar("feed", "torus", *UNET, "--most", "3", "--trials", "1")
    assert "at least 3 accelerators a node" in done.stdout, done.output
    assert "What limits" not in done.stdout and len(made_up) == 3


def test_where_no_accelerator_is_fed_the_sentence_says_why(sunstar: Sunstar, made_up: Points, results: Path) -> None:
    done = sunstar("feed", "torus", *UNET, "--set", "workload.batch_size=0.5")
    assert done.exit_code == 4, done.output
    assert (
        "no accelerator is busy 90.0 %; one a node is 50.0 %. What limits 1 a node: 90 % of the run is drives."
        in done.stderr
    )
    assert len(made_up) == 2 * 3 + 1
    assert not list((results / "feed").glob("*/points.csv"))


@pytest.mark.usefixtures("made_up")
def test_the_example_of_the_help_is_a_machine_for_the_load(sunstar: Sunstar, monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(point: Point) -> dict[str, Any]:
        done = run_program([str(executable(point.platform)), *point.arguments(), "--check", "--quiet"])
        assert (done.returncode, done.stderr) == (0, "")
        return {}

    monkeypatch.setattr(command, "effective_config", checked)
    example = LISTED["commands"]["feed"]["help"].partition("Example: sunstar ")[2]
    done = sunstar(*example.split())
    assert "unet3d-h100, 6 accelerators a node" in done.stdout, done.output
    assert done.exit_code == 0, done.output


@pytest.mark.usefixtures("made_up")
def test_a_refused_machine_is_named_by_its_settings_and_points_that_were_run_are_printed(
    sunstar: Sunstar, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_points = Bench.run

    def refused(bench: Bench, points: Points) -> list[Document]:
        if int(str(points[0].settings["workload.accelerators"])) < 4:
            return run_points(bench, points)
        monkeypatch.setattr(command, "run_all", lambda points, **_: [failed(points[0])])
        return run_points(bench, points)

    def failed(point: Point) -> RunError:
        return RunError(f"no.\n(sunstar-torus --config {point.config} ended)", 3)

    monkeypatch.setattr(Bench, "run", refused)
    done = sunstar("feed", "torus", *UNET, "--set", "machine.compute_processors=2")
    assert done.exit_code == 3
    assert "(sunstar-torus --set machine.compute_processors=2 --load unet3d ended)" in done.stderr
    assert done.stdout.count("100.0 %") == 2, done.output


@pytest.mark.usefixtures("made_up")
def test_an_answer_that_replaces_another_is_told(sunstar: Sunstar) -> None:
    call = ("feed", "torus", *UNET, "--trials", "1")
    assert "Warning" not in sunstar(*call).stderr + sunstar(*call).stderr
    other = sunstar(*call, "--set", "workload.batch_size=9")
    assert "feed/torus-unet3d-h100/points.json and the files beside it were the answer for another" in other.stderr
    assert "--results FOLDER keeps both" in other.stderr


def write(folder: Path, workload: dict[str, Any], name: str = "mine.json") -> Path:
    path = folder / name
    path.write_text(json.dumps({"schema": "sunstar/1", "workload": workload}))
    return path


def test_loads_come_from_the_benchmark_and_from_files(tmp_path: Path) -> None:
    load = load_of("cosmoflow", "a100", None)
    assert (load.name, load.threshold, load.workload["compute"]) == ("cosmoflow-a100", 0.7, "5.51ms")
    assert load_of(str(write(tmp_path, LOAD)), None, None).threshold == 0.9
    yaml = tmp_path / "mine.yaml"
    yaml.write_text(
        "dataset: {num_files_train: 9}\nreader: {batch_size: 3}\ntrain: {computation_time: 1}\nmetric: {au: 0.8}\n"
    )
    assert (load_of(str(yaml), None, None).threshold, load_of(str(yaml), None, 0.5).threshold) == (0.8, 0.5)
    assert load_of(str(yaml), None, None).workload["files"] == 9


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (
            ["--load", "unet4d"],
            2,
            "--load unet4d: it must be unet3d, resnet50 or cosmoflow, or a file .json or .yaml; did",
        ),
        (["--load", "unet3d"], 2, "--accelerator is missing; with --load unet3d it must be a100 or h100"),
        (["--load", "none.yaml", "--accelerator", "h100"], 2, "--accelerator h100: it is for unet3d, resnet50 or cos"),
        (["--load", "unet3d", "--accelerator", "b200"], 2, "--accelerator b200: it must be a100 or h100"),
        ([*UNET, "--set", "workload.files=3"], 2, "--set workload.files: the command sets that itself"),
        (["--load", "none.yaml"], 3, "cannot read none.yaml"),
        (["--load", "none.json"], 3, "cannot read none.json"),
    ],
)
def test_mistakes_are_told_in_a_sentence(words: list[str], code: int, sentence: str, sunstar: Sunstar) -> None:
    done = sunstar("feed", "torus", *words)
    assert (done.exit_code, sentence in done.stderr) == (code, True), done.output


def test_wrong_files_are_told_in_a_sentence(sunstar: Sunstar, tmp_path: Path) -> None:
    for workload in ({**LOAD, "kind": "ior"}, {"kind": "training"}, {**LOAD, "batch_size": None}):
        done = sunstar("feed", "torus", "--load", str(write(tmp_path, workload)))
        wanted = "mine.json is no configuration of a training; it must be JSON with workload.kind training, workload.f"
        assert (done.exit_code, wanted in done.stderr, "Error" in done.stderr) == (3, True, False), done.output
    services = tmp_path / "services.yaml"
    services.write_text("services: {web: {image: nginx}}")
    done = sunstar("feed", "torus", "--load", str(services))
    assert (done.exit_code, "is no workload of DLIO that trains" in done.stderr) == (3, True), done.output


def test_data_that_fit_into_a_nodes_cache_are_no_question_of_storage(sunstar: Sunstar, tmp_path: Path) -> None:
    file = str(write(tmp_path, LOAD))
    done = sunstar("feed", "cluster", "--set", "file_system.kind=locking", "--load", file)
    assert done.exit_code == 2, done.output
    assert "its data, 381.47 MiB, fit into the cache of a node, 1 GiB" in done.stderr


SMALL = [
    "base=nvme-cluster",
    "file_system.kind=locking",
    "file_system.block_size=1MiB",
    "machine.compute_processors=1",
    "machine.node.cores=16",
    "machine.io_processors=1",
    "machine.disks=1",
]


def test_a_drive_of_6_5_gb_a_second_feeds_seven_accelerators_of_1(
    sunstar: Sunstar, tmp_path: Path, results: Path
) -> None:
    """A step of 4 samples of 1 MB takes 4 ms: 6.5 / 7 = 93 %, 6.5 / 8 = 81 %. The second call makes no run again."""
    load = {**LOAD, "files": 2000, "batch_size": 4, "compute": "4ms", "shuffle": "samples"}
    words = [word for text in SMALL for word in ("--set", text)]
    call = ["feed", "cluster", *words, "--load", str(write(tmp_path, load)), "--trials", "1", "--steps", "32"]
    done = sunstar(*call)
    assert done.exit_code == 0, done.output
    assert "With mine, 7 accelerators a node, 7 in all, are busy 92.8 % (90.0 % required): 6.5 GB/s." in done.stdout
    assert "What limits 8 a node: " in done.stdout and "flash that is read" in done.stdout
    assert run("cluster", config=results / "feed" / "cluster-mine" / "next.json").result.training.accelerators == 8
    store = (results / "runs.sqlite").read_bytes()
    again = sunstar(*call)
    assert again.stdout == done.stdout and "Warning" not in again.stderr
    assert (results / "runs.sqlite").read_bytes() == store
