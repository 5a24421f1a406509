# SPDX-License-Identifier: MIT
"""Read a specification, and say everything that is wrong with it at once: the file, the path, the value, what is
allowed."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from sunstar.configurations import joined
from sunstar.errors import FileError, meant
from sunstar.files import reading

Schema = Mapping[str, Any]
Model = TypeVar("Model", bound=BaseModel)
DEEPEST = 100  # How deep values may be nested


class Strict(BaseModel):
    """A part of a specification: no key that it does not know, no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


@dataclass(frozen=True)
class Given(Generic[Model]):
    """A specification, and where it is from."""

    spec: Model
    name: str  # The name of a specification that gives itself none
    where: str  # Its file, for messages
    folder: Path  # The folder that its paths are relative to


def given(model: type[Model], spec: Path | str | Mapping[str, Any]) -> Given[Model]:
    """A specification in a file, or an object whose paths are relative to the working directory."""
    if isinstance(spec, Mapping):
        where = "the specification"
        return Given(strictly(model, dict(spec), where), "unnamed", where, Path().resolve())
    file = Path(spec)
    return Given(read_strictly(model, file), file.stem, str(file), file.resolve().parent)


def read_strictly(model: type[Model], path: Path) -> Model:
    """What a JSON file holds, as this model describes it."""
    with reading(path):
        text = path.read_text()
    try:
        value = json.loads(text, object_pairs_hook=without_repetition)
    except json.JSONDecodeError as error:
        raise FileError(f"{path}, line {error.lineno}, column {error.colno}: this is not JSON: {error.msg}") from error
    except RecursionError as error:
        raise FileError(f"{path}: {too_deep()}") from error
    except ValueError as error:
        raise FileError(f"{path}: {error}") from error
    return strictly(model, value, str(path))


def without_repetition(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)} is there twice")
    return found


def too_deep() -> str:
    return f"its values are nested too deeply; {DEEPEST} levels are allowed"


def strictly(model: type[Model], value: object, where: str) -> Model:
    """The same for a JSON value; `where` stands before what is wrong with it."""
    wrong = list(not_json(value))
    if wrong:
        raise FileError("\n".join(f"{where}: {each}" for each in wrong))
    try:
        return model.model_validate(value)
    except ValidationError as error:
        told = "\n".join(f"{where}: {sentence(each, model, value)}" for each in error.errors())
        raise FileError(told.encode(errors="backslashreplace").decode()) from error  # half a surrogate pair


def not_json(value: object) -> Iterator[str]:
    """Values that Python takes for JSON although they are none, or that are nested too deeply. It looks at one level
    after the other, so that depth needs no recursion."""
    level: list[tuple[str, object]] = [("", value)]
    for _ in range(DEEPEST + 1):
        for path, each in level:
            if isinstance(each, float) and not math.isfinite(each):
                yield f"{path} is {json.dumps(each)}; it must be a finite number"
        level = [(joined(path, name), inner) for path, each in level for name, inner in inside(each)]
    if level:
        yield too_deep()


def inside(value: object) -> Iterable[tuple[object, object]]:
    return value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()


def sentence(error: ErrorDetails, model: type[BaseModel], value: object) -> str:
    """One mistake."""
    kind, message = error["type"], error["msg"].removeprefix("Value error, ")
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
    """The keys that stand where an unknown one was found, and the one that is like it."""
    schema = model.model_json_schema()
    places: list[Schema] = [schema]
    for part in path[:-1]:
        places = [inner for place in places for inner in below(place, part, schema)]
    keys = sorted({key for place in places for each in resolved(place, schema) for key in each.get("properties", {})})
    return f"there are {', '.join(keys)}{meant(str(path[-1]), keys)}"


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
