# SPDX-License-Identifier: MIT
"""Read a specification, and say everything that is wrong with it at once: the file, the path, the value, what is
allowed."""

import difflib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sunstar.errors import FileError
from sunstar.sweeps.spec import Spec

Schema = Mapping[str, Any]
Model = TypeVar("Model", bound=BaseModel)


def read_spec(path: Path) -> Spec:
    return read_strictly(Spec, path)


def spec_from(value: object, where: str) -> Spec:
    return strictly(Spec, value, where)


def read_strictly(model: type[Model], path: Path) -> Model:
    """What a JSON file holds, as this model describes it."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        value = json.loads(text, object_pairs_hook=without_repetition)
    except RepeatedKeyError as error:
        raise FileError(f"{path}: the key {error} is there twice") from error
    except json.JSONDecodeError as error:
        raise FileError(f"{path}, line {error.lineno}, column {error.colno}: this is not JSON: {error.msg}") from error
    return strictly(model, value, str(path))


def strictly(model: type[Model], value: object, where: str) -> Model:
    """The same for a JSON value; `where` stands before what is wrong with it."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise FileError("\n".join(f"{where}: {sentence(each, model)}" for each in error.errors())) from error


class RepeatedKeyError(Exception):
    pass


def without_repetition(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return found


def sentence(error: ErrorDetails, model: type[BaseModel]) -> str:
    """One mistake."""
    path = [part for part in error["loc"] if not is_alternative(part)]
    shown = ".".join(map(str, path))
    kind, message = error["type"], error["msg"].removeprefix("Value error, ")
    if kind == "extra_forbidden":
        return f"{shown} is not a key; {allowed_keys(path, model)}"
    if kind == "missing":
        return f"{shown} is missing"
    if kind == "value_error":
        return f"{shown}: {message}" if shown else message
    value = json.dumps(error["input"], default=str)
    wanted = message.replace("Input should", "it must").replace("String should", "it must")
    wanted = wanted.replace("List should", "it must").replace("Dictionary should", "it must")
    return f"{shown} is {value if len(value) < 80 else value[:77] + '...'}; {wanted}"


def is_alternative(part: str | int) -> bool:
    """Whether Pydantic names an alternative here, as in config.str, and not a key."""
    return part in ("str", "int", "float", "bool") or (isinstance(part, str) and "[" in part)


def allowed_keys(path: Sequence[str | int], model: type[BaseModel]) -> str:
    """The keys that stand where an unknown one was found, and the one that is like it."""
    schema = model.model_json_schema()
    places: list[Schema] = [schema]
    for part in path[:-1]:
        places = [inner for place in places for inner in below(place, part, schema)]
    keys = sorted({key for place in places for each in resolved(place, schema) for key in each.get("properties", {})})
    near = difflib.get_close_matches(str(path[-1]), keys, 1)
    meant = f'; did you mean "{near[0]}"?' if near else ""
    return f"there are {', '.join(keys)}{meant}"


def below(place: Schema, part: str | int, schema: Schema) -> list[Schema]:
    found = []
    for each in resolved(place, schema):
        properties = each.get("properties", {})
        if part in properties:
            found.append(properties[part])
        found += [each[more] for more in ("additionalProperties", "items") if isinstance(each.get(more), dict)]
        found += list(each.get("patternProperties", {}).values())
    return found


def resolved(place: Schema, schema: Schema) -> list[Schema]:
    """A place with its references followed and its alternatives taken apart."""
    if "$ref" in place:
        return resolved(schema["$defs"][place["$ref"].rpartition("/")[2]], schema)
    alternatives = [*place.get("anyOf", []), *place.get("oneOf", [])]
    return [each for one in alternatives for each in resolved(one, schema)] if alternatives else [place]
