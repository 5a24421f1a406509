# SPDX-License-Identifier: MIT
"""The parts of a search: specifications, what machines cost, the space, the journal, the front."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from sunstar.errors import FileError
from sunstar.places import project
from sunstar.runs.simulator import Point, effective_config
from sunstar.searches.search import Journal, distribution, value
from sunstar.searches.spec import Prices, Spec, costs
from sunstar.structure import network_of
from sunstar.sweeps.spec import Choices, Range, read_strictly, strictly
from sunstar.sweeps.sweep import pareto_front

LEAST: dict[str, Any] = {
    "platform": "torus",
    "parameters": {"machine.disks": {"from": 1, "to": 8, "integer": True}},
    "objectives": {"speed": {"maximise": "result.throughput.mib_per_s"}},
}


def said(**changes: Any) -> list[str]:  # noqa: ANN401  any JSON
    with pytest.raises(FileError) as caught:
        strictly(Spec, {**LEAST, **changes}, "spec.json")
    return str(caught.value).splitlines()


def test_all_mistakes_are_said_at_once_with_path_value_and_what_is_allowed() -> None:
    assert said(
        parameters={"machine.disks": {"from": 8, "to": 1}},
        objectives={"speed": {"maximise": "a", "minimise": "b"}, "cost": {"minimize": "c"}},
        constraints={"quick": {"value": "x"}},
        search={"method": "luck", "configurations": 0},
        sampler="tpe",
    ) == [
        "spec.json: parameters.machine.disks: from 8 to 1: the first must not be greater than the second",
        "spec.json: objectives.speed: it must have one of maximise and minimise",
        'spec.json: objectives.cost.minimize is not a key; there are maximise, minimise; did you mean "minimise"?',
        "spec.json: constraints.quick: it must have at_most, at_least or both",
        "spec.json: search.method is \"luck\"; it must be 'nsga-ii', 'tpe' or 'random'",
        "spec.json: search.configurations is 0; it must be greater than or equal to 1",
        "spec.json: sampler is not a key; there are $schema, config, constraints, derived, name, objectives, "
        "parameters, platform, prices, repetitions, search",
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"objectives": {}}, "objectives is {}; it must have at least 1 item"),
        ({"parameters": {}}, "parameters is {}; it must have at least 1 item"),
        ({"repetitions": {"trials": 0}}, "repetitions.trials is 0; it must be greater than or equal to 1"),
        (
            {"search": {"method": "nsga-ii", "batch": 1}},
            "search: batch is 1; the population of nsga-ii must be 2 or more",
        ),
        ({"prices": {"bus": -1}}, "prices.bus is -1; it must be greater than or equal to 0"),
        ({"constraints": {"x": {"value": "y", "at_most": 1, "at_least": 2}}}, "constraints.x: at_least 2.0 is greater"),
    ],
)
def test_a_mistake_is_said_in_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    assert any(line.startswith(f"spec.json: {sentence}") for line in said(**changes)), said(**changes)


def test_the_examples_are_read() -> None:
    folder = project() / "explore" / "examples"
    assert read_strictly(Spec, folder / "cheap_disks.json").objectives["cost"].direction == "minimize"
    assert read_strictly(Spec, folder / "cm1.json").platform == "torus"
    assert read_strictly(Prices, folder / "prices.json").disks["HP 97560"] == 500


PRICES = Prices.model_validate(
    {
        "disks": {"HP 97560": 500, "other": 800},
        "bus": 200,
        "processors": {"compute": 2000, "io": 1000, "both": 2500},
        "memory_per_mib": 50,
        "link": {"each": 50, "per_mb_per_s": 1},
    }
)


def test_a_machine_costs_what_its_parts_cost() -> None:
    machine = {"compute_processors": 4, "io_processors": 2, "disks": 5, "network": {"shape": [3, 2]}}
    config = effective_config(Point({"machine": machine}))
    memory = {"result.memory.compute_processor": 1 << 20, "result.memory.io_processor": 1 << 19}
    # A torus of 3 x 2: in each of two rows a ring of three links, between the rows three links, each of 200 MB/s.
    assert costs(PRICES, config, memory, "spec.json") == {
        "cost.disks": 5 * 500,
        "cost.buses": 2 * 200,
        "cost.processors": 4 * 2000 + 2 * 1000,
        "cost.memory": (4 * 1 + 2 * 0.5) * 50,
        "cost.links": 9 * (50 + 200),
        "cost": 2500 + 400 + 10000 + 250 + 2250,
    }


def test_a_cluster_has_a_link_for_each_node_and_its_nodes_are_both() -> None:
    found = costs(PRICES, effective_config(Point({}, platform="cluster")), {}, "spec.json")
    assert found["cost.links"] == 6 * (50 + 12.5)
    assert found["cost.processors"] == 6 * 2500
    assert found["cost.disks"] == 6 * 800


def test_what_has_no_nodes_has_no_cost_and_a_drive_without_a_price_is_named() -> None:
    with pytest.raises(FileError, match="no machine of nodes"):
        costs(PRICES, effective_config(Point({}, platform="network")), {}, "spec.json")
    with pytest.raises(FileError, match='neither "HP 97560" nor "other"; it has Other drive'):
        costs(Prices(disks={"Other drive": 1}), effective_config(Point({})), {}, "spec.json")


def test_a_network_is_called_by_its_medium_or_its_kind() -> None:
    names = {"ethernet": {"kind": "ethernet", "medium": "hub"}, "fat tree": {"kind": "fat-tree"}}
    assert [network.medium for each in names.values() if (network := network_of(each))] == ["hub", "fat tree"]


@pytest.mark.parametrize(
    ("topology", "shape", "count"), [("torus", [4], 4), ("torus", [2], 1), ("torus", [1, 3], 3), ("mesh", [4, 4], 24)]
)
def test_links_are_counted_once(topology: str, shape: list[int], count: int) -> None:
    network = network_of({"topology": topology, "shape": shape})
    assert network and network.links(99) == count


@pytest.mark.parametrize(
    ("of", "allowed"),
    [
        ({"from": 1, "to": 4, "integer": True}, {1, 2, 3, 4}),
        ({"from": 0.5, "to": 2.5, "integer": True}, {1, 2}),
        ({"from": "1KiB", "to": "4KiB", "multiple_of": "1KiB"}, {"1024B", "2048B", "3072B", "4096B"}),
        ({"from": "10ns", "to": "20ns", "multiple_of": "5ns", "scale": "log"}, {"10000ps", "15000ps", "20000ps"}),
    ],
)
def test_a_range_proposes_what_it_allows(of: dict[str, Any], allowed: set[Any]) -> None:
    read = Range.model_validate(of)
    counted: Any = distribution(read)
    assert {value(read, number) for number in range(counted.low, counted.high + 1)} == allowed


def test_choices_may_be_lists_and_numbers_stay_numbers() -> None:
    read = Choices(choices=[[3, 2], [6, 6]])
    chosen: Any = distribution(read)
    assert [value(read, choice) for choice in chosen.choices] == [[3, 2], [6, 6]]
    plain = Range.model_validate({"from": 0.5, "to": 2})
    assert value(plain, 0.75) == 0.75


def test_the_front_has_those_that_none_is_better_than() -> None:
    assert pareto_front([(1, 5), (2, 2), (3, 3), (2, 2), (0, 9), (5, 1)]) == [4, 0, 1, 5]
    assert pareto_front([(3.0,), (1.0,), (2.0,)]) == [1]
    assert pareto_front([]) == []


def test_the_front_is_that_of_a_plain_comparison() -> None:
    chance = random.Random(1)
    points = [tuple(float(chance.randrange(8)) for _ in range(3)) for _ in range(200)]

    def better(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
        return a != b and all(x <= y for x, y in zip(a, b, strict=True))

    expected = {point for point in points if not any(better(other, point) for other in points)}
    found = [points[index] for index in pareto_front(points)]
    assert set(found) == expected
    assert len(found) == len(expected)


def test_a_journal_keeps_what_was_committed_and_drops_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        journal.append_logs([{"a": 1}])
        journal.commit()
        journal.append_logs([{"b": 2}])  # and never committed
    with path.open("a") as file:
        file.write('{"c": ')
    with Journal(path) as journal:
        assert list(journal.read_logs(0)) == [{"a": 1}]
        journal.append_logs([{"d": math.pi}])
        journal.commit()
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"a": 1}, {"d": math.pi}]


def test_one_command_at_a_time_has_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path), pytest.raises(FileError, match="another command is at work on this search"):
        Journal(path)
    with Journal(path):
        pass


def test_a_file_that_is_no_journal_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text("not JSON\n")
    with pytest.raises(FileError, match="is not the journal of a search"):
        Journal(path)
