# SPDX-License-Identifier: MIT
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from conftest import Pretend, Sunstar

from sunstar.cli import LISTED, group, single
from sunstar.commands import written
from sunstar.papers import tr94_226 as cases


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["reproduce", "tr94-226", "--only", "rq"], 2, "--only rq: it must be"),
        (["reproduce", "tr94-226", "--set", "machine"], 2, "it must be PATH=VALUE"),
        (["reproduce", "tr94-226", "--only", "rb", "--set", "machine.disk=none"], 3, "machine.disk"),
        (
            ["reproduce", "tr94-226", "--results", "/dev/null/x"],
            3,
            "; --results or the environment variable SUNSTAR_RESULTS names another",
        ),
        (
            ["reproduce", "tr94-226", "--only", "rb", "--results", "-"],
            2,
            "--results is -, the standard output",
        ),
        (["reproduce", "tr94-226", "--records", "8", "--only", "ra"], 2, "no row of the tables is left"),
        (["figures", "tr94-226", "--figure", "13"], 2, "it must be 6, 7"),
        (["reproduce", "enwrich", "--figure", "12"], 2, "--figure 12: it must be 4, 5"),
        (["reproduce", "enwrich", "--figure", "11"], 2, "name it with --trace"),
        (["reproduce", "enwrich", "--trace", "none.csv"], 3, "--trace none.csv: there is no such file"),
        (["reproduce", "tr94-226", "--reference", "none.csv"], 3, "cannot read none.csv: No such file"),
        (["reproduce", "tr94-226", "--reference", "/dev/null"], 3, "/dev/null has no column"),
    ],
)
def test_mistakes_are_reported_in_a_sentence(arguments: list[str], code: int, sentence: str, sunstar: Sunstar) -> None:
    done = sunstar(*arguments)
    assert done.exit_code == code, done.output
    assert sentence in done.stderr
    assert "Traceback" not in done.output


def test_the_version_is_printed(sunstar: Sunstar) -> None:
    done = sunstar("--version")
    assert (done.exit_code, done.stdout) == (0, f"sunstar {version('sunstar')}\n")


def test_without_the_executable_a_command_says_to_call_run(
    sunstar: Sunstar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUNSTAR_BIN", str(tmp_path))
    done = sunstar("reproduce", "tr94-226", "--only", "rb")
    assert done.exit_code == 3
    assert "builds one" in done.stderr


def test_a_missing_statistic_fails_the_command_and_is_not_a_new_statement(
    sunstar: Sunstar, pretend: Pretend, tmp_path: Path
) -> None:
    pretend("result(1)")  # without what ENWRICH counts
    trace = tmp_path / "trace.csv"
    trace.write_text("")
    done = sunstar("reproduce", "enwrich", "--figure", "11", "--trace", str(trace))
    assert done.exit_code == 4
    assert "measured no statistic enwrich.flushes" in done.stderr


def test_a_simulator_that_crashes_fails_the_command_and_is_not_a_new_statement(
    sunstar: Sunstar, pretend: Pretend
) -> None:
    pretend("sys.exit(1)")
    done = sunstar("figures", "tr94-226", "--figure", "7")
    assert done.exit_code == 4
    assert "ended with exit code 1" in done.stderr


def test_an_error_of_the_program_itself_is_not_a_new_statement(
    sunstar: Sunstar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "all_rows", lambda _: 1 / 0)
    done = sunstar("reproduce", "tr94-226")
    assert done.exit_code == 4
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("blocked", ["tr94-226-7.png", "tr94-226-points-7.parquet", "tr94-226-verdicts-7.json"])
def test_when_one_file_cannot_be_written_none_appears(
    sunstar: Sunstar, pretend: Pretend, tmp_path: Path, blocked: str
) -> None:
    pretend("result(1)")
    folder = tmp_path / "results" / "figures"
    (folder / blocked).mkdir(parents=True)
    done = sunstar("figures", "tr94-226", "--figure", "7")
    assert done.exit_code == 3, done.output
    assert f"/{blocked}: " in done.stderr
    assert [path.name for path in folder.iterdir()] == [blocked]


def test_many_files_of_a_kind_are_named_by_a_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pictures = [tmp_path / f"{n}.png" for n in range(4)]
    assert written([*pictures[:3], Path("/elsewhere/a.csv")]) == "written: 0.png, 1.png, 2.png, /elsewhere/a.csv"
    assert written([*pictures, tmp_path / "a.csv"]) == "written: *.png, a.csv"


COMMANDS = {
    "": "reproduce tr94-226",
    "sweep": "sweep explore/examples/disks.json",
    "query": "query 'SELECT run,",
    "report": "report disks --pareto",
    "compare": "compare mine-result.json other-result.json",
    "scaling": "scaling --most 256 --output scaling.html",
    "reproduce": "reproduce tr94-226 --trials 3",
    "reproduce tr94-226": "reproduce tr94-226 --records all",
    "reproduce enwrich": "reproduce enwrich --figure 4",
    "figures": "figures tr94-226 --figure 6",
    "figures tr94-226": "figures tr94-226 --figure 7",
    "sensitivity": "sensitivity galley",
    "sensitivity tr94-226": "sensitivity tr94-226",
    "validate": "validate drives",
    "validate network": "validate network --only curves",
    "validate costs": "validate costs",
    "validate drives": "validate drives --only barracuda",
}


@pytest.mark.parametrize(("command", "example"), COMMANDS.items())
def test_every_commands_help_shows_an_example(command: str, example: str, sunstar: Sunstar) -> None:
    done = sunstar(*command.split(), "--help")
    assert done.exit_code == 0
    assert f"Example: sunstar {example}" in done.output


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in ("commands", "groups") for name in LISTED[kind]])
def test_the_help_of_a_command_explains_each_option(kind: str, name: str) -> None:
    of = LISTED[kind][name]
    commands: Mapping[str, Any] = group(name, of).commands if kind == "groups" else {name: single(name, of)}
    assert not [(each, option.name) for each, made in commands.items() for option in made.params if not option.help]
    # No text is left of an option that is no more.
    names = {each: {part.lstrip("-") for of in made.params for part in of.opts} for each, made in commands.items()}
    texts = {each: one.get("options", {}).keys() for each, one in of.get("commands", {name: of}).items()}
    assert all(own <= names[each] for each, own in texts.items())
    assert of.get("options", {}).keys() <= set().union(*names.values())


@pytest.mark.parametrize("group", ["", "validate", "import", "reproduce", "sensitivity", "new"])
def test_the_help_of_a_group_says_the_whole_first_sentence_of_each_command(group: str, sunstar: Sunstar) -> None:
    listed = sunstar(*group.split(), "--help").stdout.partition("Commands:")[2]
    assert listed.count(".\n") >= 2
    assert "..." not in listed
