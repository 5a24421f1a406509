# SPDX-License-Identifier: MIT
"""sunstar report: what is gathered, drawn and written. test_page.py looks at the page in a browser."""

import json
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Sunstar
from recorded import machine_document

from sunstar.errors import UsageError
from sunstar.places import executable, project
from sunstar.quantities import engineering
from sunstar.reports.curves import Gathered, Mark, curves_of, front, gather, look, objectives
from sunstar.reports.page import columns_of
from sunstar.reports.parts import telling_apart
from sunstar.sweeps.sweep import LOST

EXAMPLE = project() / "explore" / "examples" / "disks.json"
THROUGHPUT = "result.throughput.mib_per_s"


@pytest.fixture
def disks(sunstar: Sunstar, results: Path) -> Path:
    """The folder of results with the sweep of the documents."""
    assert sunstar("sweep", str(EXAMPLE)).exit_code == 0
    return results


def test_a_sweep_is_drawn_as_lines_with_intervals_over_its_trials(disks: Path) -> None:
    [curves] = curves_of(gather(["disks"], disks, 3), None, [])
    assert (curves.kind, curves.x, curves.y, curves.log) == (
        "lines",
        "workload.record_size [B]",
        "throughput (MiB/s)",
        True,
    )
    assert curves.lines[0].name == "traditional-caching, machine.disks 2"
    assert [[spot.x for spot in line.spots] for line in curves.lines] == [[512, 2048, 8192]] * 4
    assert all(spot.values == 2 and spot.half for line in curves.lines for spot in line.spots)


def test_only_so_many_runs_are_shown_in_detail(disks: Path) -> None:
    found = gather(["disks"], disks, 3)
    assert [detail.row for detail in found.details] == [0, 1, 2]
    assert len(found.trials) == 12
    assert found.details[0].config["machine.nodes.0.role"] == "compute"


def test_the_page_is_whole_and_names_no_other_place(disks: Path, sunstar: Sunstar, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = sunstar("report", "disks", "--output", str(page), "--pareto", f"{THROUGHPUT}:max,machine.disks:min")
    assert done.exit_code == 0, done.output
    assert f"written: {page}" in done.stdout
    text = page.read_text()
    assert "{{" not in text.split("<script>")[0]
    assert 'src="' not in text.split("<script>")[0]
    assert "<h2>Pareto front</h2>" in text and "2 of 12 runs are on the front" in text
    again = tmp_path / "again.html"
    sunstar(
        "report",
        str(disks / "sweeps" / "disks"),
        "--output",
        str(again),
        "--pareto",
        f"{THROUGHPUT}:max,machine.disks:min",
    )
    assert again.read_bytes() == page.read_bytes()


def test_a_report_is_of_the_runs_that_a_condition_chooses(disks: Path, sunstar: Sunstar, tmp_path: Path) -> None:
    page = tmp_path / "some.html"
    done = sunstar("report", "disks", "--where", '"machine.disks" = 2 AND run < 100', "--output", str(page))
    assert done.exit_code == 0, done.output
    assert '<p class="sub">6 runs' in page.read_text()
    wrong = sunstar("report", "disks", "--where", "nothing = 2", "--output", str(page))
    assert wrong.exit_code == 2
    assert "--where nothing = 2: it must be an SQL condition" in wrong.stderr
    none = sunstar("report", "disks", "--where", '"machine.disks" = 3', "--output", str(page))
    assert none.exit_code == 3
    assert "has no row where" in none.stderr
    assert disks.exists()


def test_numbers_of_the_table_have_five_digits_and_a_prefix() -> None:
    shown = [engineering(value) for value in (0, 1.23456789, 99999, 1048576, 1.6e-7, -2e9)]
    assert shown == ["0", "1.2346", "99999", "1.0486 M", "160 n", "-2 G"]
    assert [engineering(size, "B") for size in (100, 8192, 10 << 20)] == ["100 B", "8 KiB", "10 MiB"]
    assert engineering(4000, digits=2, like=2e6) == "0.004 M"


@pytest.mark.parametrize("form", ["png", "pdf"])
def test_each_figure_is_written_as_a_file_of_its_own(form: str, disks: Path, sunstar: Sunstar, tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    done = sunstar(
        *("report", "disks", "--output", str(tmp_path / "r.html"), "--figures", str(folder), "--format", form),
        *("--pareto", f"{THROUGHPUT}:max,machine.disks:min", "--details", "1"),
    )
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"curves-1.{form}", f"machine-run-0.{form}", f"pareto.{form}"]
    assert disks.exists()


def recorded(path: Path, value: float, **config: Any) -> str:  # noqa: ANN401
    path.write_text(json.dumps(machine_document(value, config={"workload": {"pattern": "rb", **config}})))
    return str(path)


def test_files_are_told_apart_by_what_varies_between_them(tmp_path: Path) -> None:
    names = [recorded(tmp_path / f"{i}.json", 10 + i, record_size=f"{i}KiB") for i in (1, 2)]
    found = gather(names, tmp_path, 9)
    assert found.parameters == ["workload.record_size [B]"]
    assert found.frame["name"].to_list() == ["1", "2"]
    [curves] = curves_of(found, None, [])
    assert [(spot.x, spot.y, spot.half) for spot in curves.lines[0].spots] == [(1024, 11, None), (2048, 12, None)]


def test_words_are_drawn_as_bars(tmp_path: Path) -> None:
    names = [recorded(tmp_path / f"{pattern}.json", 5, pattern=pattern) for pattern in ("rb", "rc")]
    [curves] = curves_of(gather(names, tmp_path, 9), None, [])
    assert (curves.kind, [spot.x for spot in curves.lines[0].spots]) == ("bars", ["rb", "rc"])


@pytest.fixture
def two_machines(tmp_path: Path) -> list[str]:
    names = [str(tmp_path / f"{name}.json") for name in "ab"]
    for name, base in zip(names, ("torus", "nvme-cluster"), strict=True):
        settings = ["--set", f"base={base}", "--set", "workload.file_size=1MiB"]
        subprocess.run([executable("torus"), "--quiet", *settings, "--output", name], check=True)
    return names


def test_legends_have_the_fewest_parameters_that_tell_runs_apart_or_their_names(
    two_machines: list[str], tmp_path: Path
) -> None:
    found = gather(two_machines, tmp_path, 9)
    assert found.parameters == ["preset"]
    assert columns_of(found, None)[:2] == ["preset", THROUGHPUT]
    [curves, _] = curves_of(found, None, [THROUGHPUT, "result.elapsed_s"])
    assert [spot.x for spot in curves.lines[0].spots] == ["torus", "nvme-cluster"]
    found = gather(two_machines, tmp_path, 9, called=["old", "new"])
    assert columns_of(found, None)[0] == THROUGHPUT
    [curves] = curves_of(found, None, [THROUGHPUT])
    assert [spot.x for spot in curves.lines[0].spots] == ["old", "new"]
    with pytest.raises(UsageError, match="--name is there 1 times for 2 results"):
        gather(two_machines, tmp_path, 9, called=["old"])
    # No one parameter tells these apart; the text of a source and the number of a run never do.
    own = [("a", 1, "here"), ("a", 2, "here"), ("b", 2, "there, where it is described in many words")]
    configs = [
        {"file_system": {"kind": kind}, "machine": {"disks": disks, "note": note}, "run": {"interval": f"{i}s"}}
        for i, (kind, disks, note) in enumerate(own)
    ]
    assert telling_apart(configs) == {"file_system.kind": ["a", "a", "b"], "machine.disks": [1, 2, 2]}


def test_a_disk_that_no_node_has_is_not_shown(two_machines: list[str], sunstar: Sunstar, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert sunstar("report", two_machines[1], "--output", str(page)).exit_code == 0
    assert "Samsung PM9A3" in page.read_text() and "HP 97560" not in page.read_text()


def test_sixteen_lines_stay_apart_in_colour_and_dash(tmp_path: Path) -> None:
    frame = pl.DataFrame({"kind": [f"k{i}" for i in range(16) for _ in "ab"], "disks": [1, 2] * 16, "y": [1.0] * 32})
    frame.write_parquet(tmp_path / "points.parquet")
    [curves] = curves_of(gather([str(tmp_path / "points.parquet")], tmp_path, 9), "disks", ["y"])
    looks = [look(curves, line, i) for i, line in enumerate(curves.lines)]
    assert curves.kind == "lines" and len({(colour, dash) for colour, _, dash in looks}) == 16


def test_runs_that_lost_bytes_have_a_ring_and_the_table_a_column(sunstar: Sunstar, tmp_path: Path) -> None:
    names = [recorded(tmp_path / f"{pattern}.json", 5, pattern=pattern) for pattern in ("rb", "rc")]
    assert LOST not in columns_of(gather(names, tmp_path, 9), None)
    document = json.loads(Path(names[1]).read_text())
    document["result"]["bytes_lost"] = document["trials"][0]["bytes_lost"] = 1712636
    Path(names[1]).write_text(json.dumps(document))
    found = gather(names, tmp_path, 9)
    assert LOST in columns_of(found, None)
    [curves] = curves_of(found, None, [THROUGHPUT])
    assert curves.marks == [Mark("rc", 5, "up to 1.6333 MiB lost")]
    assert front(found, objectives("result.elapsed_s:min,result.messages:min")).marks == [
        Mark(7, 1, curves.marks[0].text)
    ]
    done = sunstar("report", *names, "--output", str(tmp_path / "r.html"), "--figures", str(tmp_path / "figures"))
    assert done.exit_code == 0, done.output
    text = (tmp_path / "r.html").read_text()
    assert "<th>lost</th>" in text and ">1.6333 MiB<" in text and "A red ring marks runs that lost bytes." in text


def test_a_table_of_points_needs_no_results_beside_it(tmp_path: Path, sunstar: Sunstar) -> None:
    table = tmp_path / "points.parquet"
    pl.DataFrame(
        {"pattern": ["rb", "rb", "rc", "rc"], "disks": [2, 4, 2, 4], "speed": [1.0, 2.0, 1.5, 1.75]}
    ).write_parquet(table)
    done = sunstar("report", str(table), "--y", "speed", "--output", str(tmp_path / "r.html"))
    assert done.exit_code == 0, done.output
    [curves] = curves_of(gather([str(table)], tmp_path, 9), None, ["speed"])
    assert [(line.name, [spot.y for spot in line.spots]) for line in curves.lines] == [
        ("rb", [1, 2]),
        ("rc", [1.5, 1.75]),
    ]


def test_samples_of_a_space_are_drawn_as_dots_and_seeds_are_pooled(tmp_path: Path) -> None:
    points = [(load, size, seed) for load, size in zip(range(20), range(20, 0, -1), strict=True) for seed in (1, 2)]
    frame = pl.DataFrame(
        {
            "run": range(40),
            "load": [load for load, _, _ in points],
            "size": [size for _, size, _ in points],
            "run.seed": [seed for _, _, seed in points],
            "exit_code": [0] * 40,
            "identity": [f"{load} {seed}" for load, _, seed in points],
            "result.accepted": [float(load + seed) for load, _, seed in points],
        }
    )
    frame = pl.concat([frame, frame])  # the same runs again say nothing new
    frame.write_parquet(tmp_path / "points.parquet")
    drawn = curves_of(gather([str(tmp_path / "points.parquet")], tmp_path, 9), None, [])
    assert [(curves.kind, curves.x) for curves in drawn] == [("dots", "load"), ("dots", "size")]
    assert [(spot.y, spot.values) for spot in drawn[0].lines[0].spots][:2] == [(1.5, 2), (2.5, 2)]


def test_the_pareto_front_is_what_no_other_run_beats() -> None:
    # By hand: (3, 1) and (5, 2) are on the front, twice (5, 2); (4, 2) is beaten by (5, 2), (5, 3) too.
    frame = pl.DataFrame({"speed": [3.0, 5, 4, 5, 5], "disks": [1, 2, 2, 3, 2]})
    found = front(Gathered("", frame, []), objectives("speed:max,disks:min"))
    assert found.on == {0, 1, 4}
    assert [(spot.x, spot.y) for spot in found.curves.lines[1].spots] == [(1, 3), (2, 5), (2, 5)]
    assert (found.curves.x, found.curves.y) == ("disks, lower is better", "speed, higher is better")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none"], 3, "there is no file none, and no sweep none in "),
        (["{a}", "--pareto", "x"], 2, "--pareto x: 'x' must be COLUMN:max or COLUMN:min"),
        (["{a}", "--pareto", "x:max"], 2, "--pareto x:max: it must name at least two columns"),
        (["{a}", "--pareto", "x:max,y:min"], 2, "--pareto x: there is no such column of numbers"),
        (["{a}", "--y", "result.elapsed"], 2, 'did you mean "result.elapsed_s"?'),
        (["{a}", "--format", "gif", "--figures", "f"], 2, "--format gif: it must be png or pdf"),
        (["{a}", "--output", "r.pdf"], 2, "--output r.pdf: its name must end in .html"),
        (["{a}", "--output", "/dev/null/r.html"], 3, "cannot write /dev/null/r.html"),
        (["{a}", "{table}"], 3, "a report is of one or several result files, or of one sweep or table"),
        (["{text}"], 3, "text.json is not a result: it must be the JSON that a simulator writes"),
        (["{broken}"], 3, "broken.parquet as a Parquet table"),
    ],
)
def test_mistakes_are_told_in_a_sentence_and_nothing_is_written(
    arguments: list[str], code: int, said: str, sunstar: Sunstar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.json").write_text("no JSON")
    (tmp_path / "broken.parquet").write_text("no Parquet")
    pl.DataFrame({"a": [1]}).write_parquet("table.parquet")
    places = {"a": recorded(tmp_path / "a.json", 1), "text": "text.json", "broken": "broken.parquet"}
    before = sorted(tmp_path.iterdir())
    done = sunstar("report", *(each.format(table="table.parquet", **places) for each in arguments))
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert "Traceback" not in done.output
    assert sorted(tmp_path.iterdir()) == before


def test_a_failed_run_has_a_row_and_is_in_no_drawing(sunstar: Sunstar, tmp_path: Path, results: Path) -> None:
    spec = {"platform": "network", "config": {"schema": "sunstar/1", "workload": {"warm_up": 0, "measured": 100}}}
    spec["parameters"] = {"grid": {"workload.load": [0.1, 7, 0.2]}}
    (tmp_path / "bad.json").write_text(json.dumps(spec))
    assert sunstar("sweep", str(tmp_path / "bad.json")).exit_code == 4
    found = gather(["bad"], results, 9)
    assert [found.done(row) for row in range(3)] == [True, False, True]
    assert [spot.x for spot in curves_of(found, None, [])[0].lines[0].spots] == [0.1, 0.2]
    page = tmp_path / "r.html"
    assert sunstar("report", "bad", "--output", str(page)).exit_code == 0
    assert '<tr class="failed" title="' in page.read_text()
    assert "3 runs of sunstar-network, 1 trial each, 1 failed" in page.read_text()


def test_what_a_search_found_not_feasible_is_not_on_the_front_and_infinite_values_are_nowhere() -> None:
    frame = pl.DataFrame(
        {"disks": [1, 2, 4], "speed": [3.0, 9, float("inf")], "cost": [1.0, 2, 3], "feasible": [True, False, True]}
    )
    found = Gathered("", frame, ["disks"])
    assert front(found, objectives("speed:max,cost:min")).rows == [0]
    [curves] = curves_of(found, "disks", ["speed"])
    assert [spot.y for spot in curves.lines[0].spots] == [3, 9]


def test_a_name_that_a_sweep_and_a_search_share_needs_its_folder(disks: Path, sunstar: Sunstar, tmp_path: Path) -> None:
    other = disks / "optimise" / "disks" / "runs.parquet"
    other.parent.mkdir(parents=True)
    other.write_bytes((disks / "sweeps" / "disks" / "runs.parquet").read_bytes())
    done = sunstar("report", "disks")
    assert done.exit_code == 2
    assert "sweeps/disks; name one of these folders" in done.stderr
    assert sunstar("report", str(other.parent), "--output", str(tmp_path / "r.html")).exit_code == 0
