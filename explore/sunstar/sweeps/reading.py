# SPDX-License-Identifier: MIT
"""Read a specification, and report all of its mistakes at once."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from sunstar.configurations import SCHEMA, joined
from sunstar.errors import FileError, meant
from sunstar.files import read_text

Schema = Mapping[str, Any]
Model = TypeVar("Model", bound=BaseModel)
DEEPEST = 100  # How deep values may be nested
TOO_DEEP = f"its values are nested too deeply; {DEEPEST} levels are allowed"


class Strict(BaseModel):
    """A part of a specification: no key that it does not know, no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


def read_strictly(model: type[Model], path: Path) -> Model:
    """The contents of a JSON file, as this model describes it."""
    try:
        value = json.loads(read_text(path), object_pairs_hook=without_repetition)
    except json.JSONDecodeError as error:
        raise FileError(f"{path}, line {error.lineno}, column {error.colno}: this is not JSON: {error.msg}") from error
    except RecursionError as error:
        raise FileError(f"{path}: {TOO_DEEP}") from error
    except ValueError as error:
        raise FileError(f"{path}: {error}") from error
    return strictly(model, value, str(path))


def without_repetition(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)} is there twice")
    return found


def strictly(model: type[Model], value: object, where: str) -> Model:
    """The same for a JSON value; `where` stands before its mistakes."""
    config = value.get("config") if isinstance(value, dict) else None
    if isinstance(config, dict) and (schema := config.get("schema", SCHEMA)) != SCHEMA:
        raise FileError(
            f'{where}: config.schema is {json.dumps(schema)}; it must be "{SCHEMA}"'
        )  # other keys differ, too
    wrong = list(not_json(value))
    if wrong:
        raise FileError("\n".join(f"{where}: {each}" for each in wrong))
    try:
        return model.model_validate(value)
    except ValidationError as error:
        told = "\n".join(f"{where}: {sentence(each, model, value)}" for each in error.errors())
        raise FileError(told.encode(errors="backslashreplace").decode()) from error  # half a surrogate pair


def not_json(value: object) -> Iterator[str]:
    """Values that Python wrongly takes for JSON, or that are nested too deeply; without recursion."""
    level: list[tuple[str, object]] = [("", value)]
    for _ in range(DEEPEST + 1):
        for path, each in level:
            if isinstance(each, float) and not math.isfinite(each):
                yield f"{path} is {json.dumps(each)}; it must be a finite number"
        level = [(joined(path, name), inner) for path, each in level for name, inner in inside(each)]
    if level:
        yield TOO_DEEP


def inside(value: object) -> Iterable[tuple[object, object]]:
    return value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()


def sentence(error: ErrorDetails, model: type[BaseModel], value: object) -> str:
    """One mistake."""
    kind, message = error["type"], error["msg"].removeprefix("Value error, ").partition(" after validation")[0]
    path = list(path_in(value, error["loc"], kind == "missing"))
    shown = ".".join(map(str, path))
    if kind == "extra_forbidden":
        return f"{shown} is not a key; {allowed_keys(path, model)}"
    if kind == "missing":
        return f"{shown} is missing"
    if kind == "value_error":
        return f"{shown}: {message}" if shown else message
    text = json.dumps(error["input"], default=str)
    for part in ("Input", "String", "List", "Dictionary"):
        message = message.replace(f"{part} should", "it must")
    return f"{shown} is {text if len(text) < 80 else text[:77] + '...'}; {message}"


def path_in(value: object, location: Sequence[str | int], missing: bool) -> Iterator[str | int]:
    """The keys of a place. Pydantic also names alternatives there, as in config.str, which the value does not have."""
    for i, part in enumerate(location):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int):
            value = value[part] if part < len(value) else None
        elif not (missing and i == len(location) - 1):
            continue
        yield part


def allowed_keys(path: Sequence[str | int], model: type[BaseModel]) -> str:
    """The known keys at the place of an unknown one, and the most similar of them."""
    schema = model.model_json_schema()
    keys = sorted({key for place in at(path[:-1], schema, schema) for key in place.get("properties", {})})
    return f"there are {', '.join(keys)}{meant(str(path[-1]), keys)}"


def at(path: Sequence[str | int], place: Schema, schema: Schema) -> Iterator[Schema]:
    """The parts of a schema for a path below a place, with all alternatives."""
    if "$ref" in place:
        yield from at(path, schema["$defs"][place["$ref"].rpartition("/")[2]], schema)
    elif alternatives := [*place.get("anyOf", []), *place.get("oneOf", [])]:
        for each in alternatives:
            yield from at(path, each, schema)
    elif path:
        named, patterns = place.get("properties", {}).get(path[0]), place.get("patternProperties", {}).values()
        for each in (named, place.get("additionalProperties"), place.get("items"), *patterns):
            if isinstance(each, dict):
                yield from at(path[1:], each, schema)
    else:
        yield place
