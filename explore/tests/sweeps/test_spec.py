# SPDX-License-Identifier: MIT
"""Specifications of sweeps: their meaning, and the messages about wrong ones."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from sunstar import FileError
from sunstar.sweeps.spec import DEEPEST, MOST_POINTS, Spec, given, read_strictly, rows_of, strictly


def rows(parameters: dict[str, Any], **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    spec = strictly(Spec, {"platform": "torus", "parameters": parameters, **more}, "it")
    return [row.values for row in rows_of(spec, Path())]


def test_a_grid_is_every_combination_and_its_last_parameter_varies_first() -> None:
    assert rows({"grid": {"a": [1, 2], "b": ["x", "y"]}}) == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_each_row_of_a_list_meets_each_point_of_the_grid() -> None:
    found = rows({"list": [{"kind": "x"}, {"kind": "y", "c": True}], "grid": {"a": [1, 2]}})
    assert found == [
        {"kind": "x", "a": 1},
        {"kind": "x", "a": 2},
        {"kind": "y", "c": True, "a": 1},
        {"kind": "y", "c": True, "a": 2},
    ]


@pytest.mark.parametrize(
    ("axis", "values"),
    [
        ({"from": 1, "to": 2, "steps": 3}, [1, 1.5, 2]),
        ({"from": 1, "to": 4, "steps": 4, "integer": True}, [1, 2, 3, 4]),
        ({"from": 1, "to": 2, "steps": 9, "integer": True}, [1, 2]),
        ({"from": 1, "to": 100, "steps": 3, "scale": "log"}, [1, pytest.approx(10), 100]),
        ({"from": "8B", "to": "8KiB", "steps": 3, "scale": "log"}, ["8B", "256B", "8192B"]),
        ({"from": "1B", "to": "2KiB", "steps": 3, "multiple_of": "512B"}, ["512B", "1024B", "2048B"]),
        ({"from": "20ns", "to": "1us", "steps": 2}, ["20000ps", "1000000ps"]),
        ({"from": "100MB/s", "to": "0.2GB/s", "steps": 2}, ["100000000B/s", "200000000B/s"]),
        ({"from": 3, "to": 9, "steps": 1, "multiple_of": 2}, [4]),
        ({"from": 16.2, "to": 17.8, "steps": 2, "integer": True}, [17]),
    ],
)
def test_a_range_has_steps(axis: dict[str, Any], values: list[Any]) -> None:
    assert [row["a"] for row in rows({"grid": {"a": axis}})] == values


def test_repetitions_are_trials_within_a_run_or_runs_of_their_own() -> None:
    spec = strictly(
        Spec,
        {"platform": "torus", "parameters": {"grid": {"a": [1]}}, "repetitions": {"trials": 3, "seeds": [7, 8]}},
        "it",
    )
    found = rows_of(spec, Path())
    assert [(row.values, row.point.seed, row.point.trials) for row in found] == [
        ({"a": 1, "run.seed": 7}, 7, 3),
        ({"a": 1, "run.seed": 8}, 8, 3),
    ]


def sample(method: str, points: int, seed: int = 1) -> list[dict[str, Any]]:
    ranges = {
        "disks": {"from": 1, "to": 64, "scale": "log", "integer": True},
        "size": {"from": "8B", "to": "8KiB", "multiple_of": "8B"},
        "share": {"from": 0, "to": 1},
        "kind": {"choices": ["x", "y"]},
    }
    return rows({"sample": {"method": method, "points": points, "seed": seed, "parameters": ranges}})


@pytest.mark.parametrize("method", ["latin-hypercube", "sobol"])
def test_a_sample_fills_its_space_and_the_same_seed_gives_the_same_points(method: str) -> None:
    found = sample(method, 32)
    assert found == sample(method, 32)
    assert found != sample(method, 32, seed=2)
    assert all(1 <= row["disks"] <= 64 and isinstance(row["disks"], int) for row in found)
    assert all(re.fullmatch(r"\d+B", row["size"]) and int(row["size"][:-1]) % 8 == 0 for row in found)
    assert sorted(row["kind"] for row in found) == ["x"] * 16 + ["y"] * 16
    # Both put one point into each of 32 equal parts.
    assert sorted(int(row["share"] * 32) for row in found) == list(range(32))
    assert 14 <= sum(row["disks"] < 8 for row in found) <= 18  # half of them, by the logarithm


def test_files_are_relative_to_the_specification(tmp_path: Path) -> None:
    (tmp_path / "base.json").write_text("{}")
    (tmp_path / "spec.json").write_text(json.dumps({"platform": "torus", "config": "base.json"}))
    read = given(Spec, tmp_path / "spec.json")
    assert (read.name, read.folder) == ("spec", tmp_path)
    (row,) = rows_of(read.spec, read.folder)
    assert row.point.config == tmp_path / "base.json"
    assert row.point.folder == tmp_path
    with pytest.raises(FileError, match=r"config is none\.json, but there is no file"):
        rows_of(strictly(Spec, {"platform": "torus", "config": "none.json"}, "it"), tmp_path)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "platform is missing"),
    ({"platform": 3}, "platform is 3; it must be a valid string"),
    ({"platfrom": "torus"}, "platfrom is not a key; there are $schema, config, derived, name, parameters, platform, "),
    ({"platfrom": "torus"}, 'did you mean "platform"?'),
    ({"parameters": {"gird": {}}}, 'parameters.gird is not a key; there are grid, list, sample; did you mean "grid"?'),
    ({"parameters": {"grid": {"a": []}}}, "parameters.grid.a is []; it must have at least 1 item"),
    (
        {"parameters": {"grid": {"a": {"from": 1, "to": 2, "step": 3}}}},
        "parameters.grid.a.step is not a key; there are from, integer, multiple_of, scale, steps, to; did you mean "
        '"steps"?',
    ),
    (
        {"parameters": {"grid": {"a": {"from": 1, "to": 2, "steps": 2, "scale": "ln"}}}},
        "parameters.grid.a.scale is \"ln\"; it must be 'linear' or 'log'",
    ),
    ({"parameters": {"grid": {"a": {"from": 2, "to": 1, "steps": 2}}}}, "parameters.grid.a: from 2 to 1: the first"),
    ({"parameters": {"grid": {"a": {"from": "1B", "to": "1s", "steps": 2}}}}, "quantities such as"),
    ({"parameters": {"grid": {"a": {"from": 0, "to": 1, "steps": 2, "scale": "log"}}}}, "must be greater than 0"),
    ({"parameters": {"grid": {"a": {"from": 3, "to": 4, "steps": 2, "multiple_of": 5}}}}, "there is no multiple of 5"),
    (
        {"parameters": {"grid": {"a": {"from": 1.6, "to": 1.9, "steps": 2, "integer": True}}}},
        "parameters.grid.a: from 1.6 to 1.9 there is no whole number",
    ),
    ({"parameters": {"grid": {"A b": [1]}}}, 'parameters.grid.A b is "A b"; it must match pattern'),
    (
        {"parameters": {"grid": {"a": [1]}, "list": [{"a": 2}]}},
        "parameters: a stands in grid and in list; it must stand in one of them",
    ),
    (
        {"parameters": {"sample": {"method": "sobol", "points": 0, "parameters": {"a": {"choices": []}}}}},
        "parameters.sample.points is 0; it must be greater than or equal to 1",
    ),
    (
        {"parameters": {"sample": {"method": "sobol", "points": 0, "parameters": {"a": {"choices": []}}}}},
        "parameters.sample.parameters.a.choices is []; it must have at least 1 item",
    ),
    ({"repetitions": {"seeds": [-1]}}, "repetitions.seeds.0 is -1; it must be greater than or equal to 0"),
    (
        {"platform": "torus", "parameters": {"grid": {"run.seed": [1]}}, "repetitions": {"seeds": [1]}},
        "parameters and repetitions both set run.seed",
    ),
    ({"platform": "torus", "config": {"schema": "sunstar/2"}}, 'config.schema is "sunstar/2"; it must be "sunstar/1"'),
    ({"name": "a/b"}, 'name is "a/b"; it must match pattern'),
    ({"derive[": {}}, "derive[ is not a key; there are $schema, config, derived, "),
    ({"str": 1}, "str is not a key; there are"),
    ({"parameters": {"list": [{"a[0]": 1}]}}, 'parameters.list.0.a[0] is "a[0]"; it must match pattern'),
    (
        {"parameters": {"grid": {"a": {"from": math.nan, "to": 1, "steps": 2}}}},
        "parameters.grid.a.from is NaN; it must be a finite number",
    ),
    (
        {"parameters": {"grid": {"a": {"from": 0, "to": math.inf, "steps": 2}}}},
        "parameters.grid.a.to is Infinity; it must be a finite number",
    ),
    ({"parameters": {"grid": {"a": {"from": 0, "to": 10**400, "steps": 2}}}}, "both must be numbers from -1e300 to"),
    (
        {"parameters": {"grid": {"a": {"from": 0, "to": 9, "steps": 2, "multiple_of": -1}}}},
        "parameters.grid.a: multiple_of -1: it must be positive",
    ),
    (
        {"parameters": {"grid": {"a": {"from": 0, "to": 9, "steps": 2, "multiple_of": math.nan}}}},
        "parameters.grid.a.multiple_of is NaN; it must be a finite number",
    ),
    (
        {"parameters": {"grid": {"a": {"from": 0, "to": 1e300, "steps": 2, "multiple_of": 1e-300}}}},
        "multiple_of 1e-300: it must be at least a 2^53th part",
    ),
    (
        {"parameters": {"grid": {"a": {"from": 1, "to": 2, "steps": 10**30}}}},
        f"parameters.grid.a.steps is 1{'0' * 30}; it must be less than or equal to {MOST_POINTS}",
    ),
    (
        {"platform": "torus", "parameters": {"grid": {a: {"from": 1, "to": 2, "steps": 10**6} for a in "abc"}}},
        f"parameters and repetitions make 1{'0' * 18} points; at most {MOST_POINTS} are allowed",
    ),
    ({"name": "\ud800"}, r'name is "\ud800"; it must'),
]


@pytest.mark.parametrize(("value", "said"), WRONG)
def test_what_is_wrong_is_said_with_its_path_its_value_and_what_is_allowed(value: dict[str, Any], said: str) -> None:
    with pytest.raises(FileError) as e:
        strictly(Spec, value, "spec.json")
    assert all(line.startswith("spec.json: ") for line in str(e.value).splitlines())
    assert said in str(e.value)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(FileError) as e:
        strictly(Spec, {"platform": 1, "derived": {"x": 2}, "repetitions": {"trials": 0}, "more": 1}, "spec.json")
    assert len(str(e.value).splitlines()) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"platform": "torus", "platform": "sp2"}', r"spec\.json: the key platform is there twice"),
        ('{"platform": }', r"spec\.json, line 1, column 14: this is not JSON"),
        ("[]", r"spec\.json: .*valid dictionary"),
        (
            '{"parameters": {"grid": {"a": [NaN]}}}',
            r"spec\.json: parameters\.grid\.a\.0 is NaN; it must be a",
        ),
        ('{"seed": -Infinity}', r"spec\.json: seed is -Infinity; it must be a finite number"),
        (f'{{"seed": {"9" * 5000}}}', r"spec\.json: .*limit"),
        ("[" * 100_000, f"its values are nested too deeply; {DEEPEST} levels are allowed"),
        ('{"config": ' + "[" * 200 + "]" * 200 + "}", "its values are nested too deeply"),
    ],
)
def test_a_file_that_is_no_specification_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "spec.json"
    path.write_text(text)
    with pytest.raises(FileError, match=said):
        read_strictly(Spec, path)
    with pytest.raises(FileError, match=r"cannot read .*none\.json: No such file"):
        read_strictly(Spec, tmp_path / "none.json")
