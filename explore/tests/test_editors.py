# SPDX-License-Identifier: MIT
"""What editors get from the schemas: a description of every key, its default, its values, and marks on mistakes. A
language server is asked, as VS Code and Neovim do, if there is one (docs/editors.md)."""

import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from language_server import JSON_SERVER, LanguageServer
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.places import executable, project
from sunstar.programs import run_program

PLATFORMS = ("torus", "sp2", "cluster", "network", "disk")
SPECS = ("sweep", "optimise")
EXAMPLES = sorted([*project().glob("platforms/*/examples/*.json"), *project().glob("explore/examples/*.json")])


@cache
def schema_of(platform: str) -> dict[str, Any]:
    done = run_program([str(executable(platform)), "--schema"])
    assert done.returncode == 0
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@cache
def schema_of_specs(command: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CliRunner().invoke(app, [command, "--schema"]).stdout)
    return found


def keys(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:  # noqa: ANN401
    """Every key of a configuration with its schema, wherever a schema has schemas in it. The condition of a case has
    only the tag, which stands among the keys themselves."""
    if isinstance(schema, list):
        for each in schema:
            yield from keys(each, path)
    if not isinstance(schema, dict):
        return
    for name, below in schema.get("properties", {}).items():
        here = f"{path}.{name}".lstrip(".")
        yield here, below
        yield from keys(below, here)
    for word in ("allOf", "anyOf", "oneOf", "items", "then", "additionalProperties"):
        yield from keys(schema.get(word), path)
    for below in schema.get("$defs", {}).values():
        yield from keys(below, path)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_key_has_a_description_and_every_parameter_its_default(platform: str) -> None:
    all_keys = list(keys(schema_of(platform)))
    assert len(all_keys) > 30
    for path, schema in all_keys:
        assert len(schema.get("description", "")) > 3, f"{path} has no description"
        is_section = any(each.get("type") == "object" for each in schema.get("anyOf", []))
        assert is_section or path in ("$schema", "schema") or "default" in schema, f"{path} has no default"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_schema_of_a_configuration_is_one_and_accepts_its_own_defaults(platform: str) -> None:
    schema = schema_of(platform)
    Draft202012Validator.check_schema(schema)
    config = json.loads(run_program([str(executable(platform)), "--print-config"]).stdout)
    Draft202012Validator(schema).validate({"$schema": "anywhere", **config})


def test_names_ranges_and_units_are_in_the_schema() -> None:
    found = dict(keys(schema_of("torus")))
    assert found["file_system.kind"]["enum"][:2] == ["traditional-caching", "disk-directed"]
    assert found["machine.disks"]["minimum"] == 1
    links = [schema for path, schema in keys(schema_of("torus")) if path == "machine.network.link_bandwidth"]
    assert {"200MB/s", "25GB/s"} <= {schema["default"] for schema in links}, "those of a torus and a fat tree"
    assert "MB/s" in found["machine.network.link_bandwidth"]["pattern"]
    assert "between 1kB/s and 1TB/s" in found["machine.network.link_bandwidth"]["description"]


@pytest.mark.parametrize("command", SPECS)
def test_every_key_of_a_specification_has_a_description(command: str) -> None:
    Draft202012Validator.check_schema(schema_of_specs(command))
    for path, schema in keys(schema_of_specs(command)):
        assert schema.get("description") or "$ref" in schema, f"{path} has no description"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_build_leaves_the_schema_where_examples_look_for_it(platform: str) -> None:
    file = executable(platform).parent.parent / "schemas" / f"sunstar-{platform}.schema.json"
    assert json.loads(file.read_text()) == schema_of(platform)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_names_a_schema_that_accepts_it(example: Path) -> None:
    content = json.loads(example.read_text())
    assert next(iter(content)) == "$schema", "the schema is the first key"
    name = (example.parent / content["$schema"]).name.removesuffix(".schema.json")
    assert (example.parent / content["$schema"]).resolve().parent == project() / "build" / "release" / "schemas"
    schema = schema_of_specs(name) if name in SPECS else schema_of_prices() if name == "prices" else schema_of(name[8:])
    Draft202012Validator(schema).validate(content)


def schema_of_prices() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CliRunner().invoke(app, ["optimise", "--prices-schema"]).stdout)
    return found


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"machine": {"disk_count": 3}}, "machine"),
        ({"machine": {"disks": 0}}, "machine"),
        ({"machine": {"network": {"shape": "round"}}}, "machine"),
        ({"file_system": {"kind": "disc-directed"}}, "file_system.kind"),
    ],
)
def test_the_schema_refuses_what_the_simulator_refuses(wrong: dict[str, Any], path: str) -> None:
    found = Draft202012Validator(schema_of("torus")).iter_errors({"schema": "sunstar/1", **wrong})
    deepest = {".".join(map(str, each.absolute_path)) for error in found for each in [error, *(error.context or [])]}
    assert any(each.startswith(path) for each in deepest)


@pytest.mark.parametrize("shape", ["8x9", "12", [8, 9], "square", "cubic"])
def test_the_schema_accepts_each_way_to_write_a_shape(shape: object) -> None:
    config = {"schema": "sunstar/1", "machine": {"network": {"shape": shape}}}
    Draft202012Validator(schema_of("torus")).validate(config)


TYPED = """{
  "$schema": "SCHEMA",
  "schema": "sunstar/1",
  "machine": {"disks": 0, "dsik": "hp97560", },
  "file_system": {"kind": "enwrich", "enwrich": {}}
}
"""


@pytest.fixture
def typed(tmp_path: Path) -> tuple[Path, str]:
    """A configuration that is being typed."""
    file = executable("torus").parent.parent / "schemas" / "sunstar-torus.schema.json"
    return tmp_path / "mine.json", TYPED.replace("SCHEMA", file.as_uri())


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    program = shutil.which(JSON_SERVER)
    if program is None:
        pytest.skip(f"there is no {JSON_SERVER} in the path")
    with LanguageServer(program) as started:
        yield started


def test_an_editor_completes_keys_and_names_with_their_descriptions(
    server: LanguageServer, typed: tuple[Path, str]
) -> None:
    path, text = typed
    server.open(path, text)
    machine = server.completions(path, text, '"hp97560", ')
    assert {"io_processors", "nodes", "network", "costs"} <= set(machine)
    assert "disks" not in machine  # it is there
    assert "IOPs, with one SCSI bus each" in str(machine["io_processors"]["documentation"])
    assert "16" in machine["io_processors"]["insertText"]  # the default
    kinds = server.completions(path, text, '"kind": ')
    assert '"disk-directed"' in kinds
    of_enwrich = server.completions(path, text, '"enwrich": {')
    assert "cache_size" in of_enwrich  # a section that only the chosen kind has
    assert "the write caches of the compute processors" in server.hover(path, text, '"enwrich": {')


def test_an_editor_marks_mistakes(server: LanguageServer, typed: tuple[Path, str]) -> None:
    path, text = typed
    server.open(path, text)
    faults = server.faults(path)
    assert (4, "Value is below the minimum of 1.") in faults
    assert any(line == 4 and "dsik" in message for line, message in faults)
