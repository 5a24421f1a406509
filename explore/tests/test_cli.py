# SPDX-License-Identifier: MIT
import json
from pathlib import Path

import polars as pl
import pytest
from sunstar.output import whole, write_table
from typer.testing import CliRunner, Result

from sunstar.cli import app


def sunstar(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_reproduce_prints_a_table_and_writes_json_csv_and_waveforms(tmp_path: Path) -> None:
    done = sunstar(
        "reproduce", "tr94-226", "--trials", "1", "--only", "rnb", "--only", "wc", "--results", str(tmp_path)
    )
    assert done.exit_code == 0, done.output
    assert "rows: 10, of which published: 5" in done.output
    assert "mean absolute error:" in done.output
    written = json.loads((tmp_path / "tr94-226.json").read_text())
    assert len(written["rows"]) == 10
    assert written["summary"]["published_rows"] == 5
    assert pl.read_csv(tmp_path / "tr94-226.csv").height == 10
    assert "$enddefinitions" in (tmp_path / "tr94-226.vcd").read_text()
    assert not list(tmp_path.glob("*partial*"))


def test_reproduce_compares_with_a_reference_of_ones_own(tmp_path: Path) -> None:
    reference = tmp_path / "own.csv"
    reference.write_text("layout,record_bytes,pattern,method,mib_per_s\ncontiguous,8192,rnb,tc,1000\n")
    options = ("--trials", "1", "--only", "rnb", "--no-vcd", "--results", str(tmp_path), "--reference", str(reference))
    done = sunstar("reproduce", "tr94-226", *options)
    assert done.exit_code == 0, done.output
    assert "worst row: contiguous rnb 8192 B tc, -9" in done.output


def test_a_figure_is_drawn_and_its_trends_judged(tmp_path: Path) -> None:
    done = sunstar("figures", "tr94-226", "--figure", "7", "--trials", "1", "--results", str(tmp_path))
    assert done.exit_code in (0, 1), done.output
    assert "trends hold" in done.output
    assert (tmp_path / "figures" / "tr94-226-7.png").read_bytes().startswith(b"\x89PNG")
    assert pl.read_parquet(tmp_path / "figures" / "tr94-226-7.parquet").height == 40


def test_sensitivity_prints_a_markdown_table(tmp_path: Path) -> None:
    parameters = tmp_path / "parameters.json"
    parameters.write_text('{"paths": ["machine.costs.interrupt"]}')
    options = ("--records", "8192", "--only", "rb", "--calibrated", str(parameters), "--results", str(tmp_path))
    done = sunstar("sensitivity", "tr94-226", *options)
    assert done.exit_code == 0, done.output
    assert "| `machine.costs.interrupt` |" in done.stdout
    assert (tmp_path / "tr94-226-sensitivity.md").read_text().strip() in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["reproduce", "tr94-226", "--only", "rq"], 2, "--only rq: it must be"),
        (["reproduce", "tr94-226", "--set", "machine"], 2, "it must be path=value"),
        (["reproduce", "tr94-226", "--only", "rb", "--set", "machine.disk=none"], 3, "machine.disk"),
        (["reproduce", "tr94-226", "--results", "/dev/null/x"], 3, "cannot write to the folder /dev/null/x"),
        (
            ["reproduce", "tr94-226", "--only", "rb", "--results", "-"],
            2,
            "--results is -, the standard output",
        ),
        (["reproduce", "tr94-226", "--records", "8", "--only", "ra"], 2, "no row of the tables is left"),
        (["figures", "tr94-226", "--figure", "13"], 2, "it must be one of 6, 7"),
        (["sensitivity", "tr94-226", "--only", "rnb"], 2, "no published row is left"),
        (["sensitivity", "tr94-226", "--calibrated", "none.json"], 3, "none.json must hold"),
        (["reproduce", "tr94-226", "--reference", "none.csv"], 3, "cannot read none.csv: No such file"),
        (["reproduce", "tr94-226", "--reference", "/dev/null"], 3, "/dev/null has the columns"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(arguments: list[str], code: int, sentence: str, tmp_path: Path) -> None:
    extra = [] if "--results" in arguments else ["--results", str(tmp_path)]
    done = sunstar(*arguments, *extra)
    assert done.exit_code == code, done.output
    assert sentence in done.stderr
    assert "Traceback" not in done.output


def test_without_the_executable_a_command_says_to_call_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNSTAR_BIN", str(tmp_path))
    done = sunstar("reproduce", "tr94-226", "--only", "rb", "--results", str(tmp_path))
    assert done.exit_code == 1
    assert "call ./run first" in done.stderr


@pytest.mark.parametrize(
    "command",
    [[], ["reproduce"], ["reproduce", "tr94-226"], ["figures"], ["figures", "tr94-226"], ["sensitivity", "tr94-226"]],
)
def test_every_commands_help_shows_an_example(command: list[str]) -> None:
    done = sunstar(*command, "--help")
    assert done.exit_code == 0
    assert f"Example: sunstar {command[0] if command else 'reproduce'} tr94-226" in done.output


def test_a_file_that_fails_half_way_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError), whole(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_a_table_is_written_in_the_form_its_name_says(tmp_path: Path, suffix: str) -> None:
    table = pl.DataFrame({"x": [1, 2], "y": ["a", "b"]})
    path = write_table(tmp_path / f"t{suffix}", table)
    read = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".json": pl.read_json}[suffix]
    assert read(path).equals(table)
