# SPDX-License-Identifier: MIT
"""The weights of constants: the lists, the table, and that the page has what the lists say."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Sunstar
from recorded import machine

from sunstar import FileError, Point
from sunstar.papers.sensitivity import Constant, Weighing, constants, of_galley, of_pvfs, of_tr94_226, scaled
from sunstar.places import project
from sunstar.runs.simulator import effective_config, plan
from sunstar.study.cases import Found, Key

RB = Key("tc", "rb", "contiguous")
MACHINES = {"galley": of_galley(), "pvfs": of_pvfs()}


@pytest.mark.parametrize(
    ("value", "factor", "expected"),
    [(200, 0.5, 100), (0.5, 1.5, 0.75), ("1.2us", 0.5, "0.6us"), ("10MB/s", 1.5, "15MB/s"), ("50 us", 1.5, "75us")],
)
def test_a_quantity_keeps_its_unit_when_it_is_scaled(value: int | float | str, factor: float, expected: object) -> None:
    assert scaled(value, factor) == expected


def test_what_is_not_a_quantity_cannot_be_varied() -> None:
    with pytest.raises(FileError, match='"fair" is not a quantity'):
        scaled("fair", 0.5)


def test_a_list_gives_bounds_and_source_or_else_half_and_one_and_a_half_times(tmp_path: Path) -> None:
    file = tmp_path / "constants.json"
    file.write_text('{"constants": {"a.b": {"bounds": ["1us", "9us"], "source": "guessed"}, "a.c": {}}}')
    assert list(constants(file, {"a": {"b": "3us", "c": 10}})) == [
        Constant("a.b", "3us", ("1us", "9us"), "guessed"),
        Constant("a.c", 10, (5, 15), ""),
    ]


def test_the_table_shows_each_figure_at_both_bounds_beside_what_other_seeds_do(tmp_path: Path) -> None:
    def found(*speeds: float) -> Iterator[Found]:
        return (Found({RB: machine(speed)}) for speed in speeds)

    weighing = Weighing("own", tmp_path, {RB: {}}, {"speed": lambda of: of.mib(RB)})
    lines = list(weighing.table([Constant("a.b", 3, (1, 9), "guessed")], found(10.0, 10.1, 9.9, 8.0, 12.5)))
    assert lines == [
        "| constant | value | bounds | source | speed |",
        "| --- | --- | --- | --- | --- |",
        "| (as it is) |  |  |  | 10 |",
        "| (other seeds) |  |  |  | +1.0 %, -1.0 % |",
        "| `a.b` | 3 | 1, 9 | guessed | -20.0 %, +25.0 % |",
    ]


def test_the_calibrated_constants_of_the_report_exist_and_can_be_varied() -> None:
    assert len(list(constants(of_tr94_226().constants, effective_config(Point())))) == 23


@pytest.mark.parametrize("name", MACHINES)
def test_each_constant_exists_and_the_simulator_takes_both_bounds(name: str) -> None:
    of = MACHINES[name]
    listed = constants(of.constants, effective_config(Point(platform=of.platform)))
    points = [Point({each.path: bound}, platform=of.platform) for each in listed for bound in each.bounds]
    assert [points[index].settings for index in plan(points).refused] == []


@pytest.mark.parametrize("name", MACHINES)
def test_the_page_has_each_constant_that_matters_with_its_bounds_and_source_and_names_the_others(name: str) -> None:
    page = (project() / "docs" / "constants.md").read_text()
    of = MACHINES[name]
    for each in constants(of.constants, effective_config(Point(platform=of.platform))):
        section, leaf = each.path.rsplit(".", 1)
        row = f"| `{each.path}` | {' | '.join(each.words)} |"
        assert row in page or (f"of `{section}`" in page and f"`{leaf}`" in page), each.path


def test_a_command_varies_the_constants_of_a_list(
    sunstar: Sunstar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Constant("machine.sockets.socket_read", 8940, (4470, 20000), "guessed")
    monkeypatch.setattr("sunstar.papers.sensitivity.constants", lambda *_: [one])
    done = sunstar("sensitivity", "galley", "--trials", "1", "--set", "machine.disk=hp97560")
    assert done.exit_code == 0, done.output
    (line,) = (line for line in done.stdout.splitlines() if "socket_read" in line)
    assert "| 4470, 20000 | guessed | +" in line
    assert (tmp_path / "results" / "galley-sensitivity.md").read_text().strip() in done.stdout
