# SPDX-License-Identifier: MIT
"""The specification of a sweep, read strictly, with all mistakes told at once, and its points; searches share it."""

import json
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator
from pydantic_core import ErrorDetails

from sunstar.configurations import SCHEMA, joined
from sunstar.errors import FileError, meant
from sunstar.files import read_text
from sunstar.quantities import Quantity, quantity
from sunstar.runs.simulator import Point, Value

Schema = Mapping[str, Any]
Model = TypeVar("Model", bound=BaseModel)
DEEPEST = 100  # How deep values may be nested
TOO_DEEP = f"its values are nested too deeply; {DEEPEST} levels are allowed"
Number = int | float | str  # A number, or a quantity with its unit
ParameterPath = Annotated[str, Field(pattern=r"^[a-z_0-9]+(\.[a-z_0-9]+)*$")]
"""The path of a parameter, as in workload.record_size."""
MOST_POINTS = 10_000_000
MOST_MULTIPLES = 2**53  # The most multiples between 0 and the end of a range that can be told apart


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


class Range(Strict):
    """All values between two."""

    least: Number = Field(alias="from", description='the least value: a number, or a quantity such as "8KiB"')
    most: Number = Field(alias="to", description="the greatest value, of the same kind")
    scale: Literal["linear", "log"] = Field(
        "linear", description="log: the steps or samples are even in the logarithm of the value"
    )
    integer: bool = Field(False, description="only whole numbers; sizes are always whole bytes")
    multiple_of: Number | None = Field(None, description="only multiples of this number or quantity")

    @model_validator(mode="after")
    def _check(self) -> Self:
        least, most = base_value(self.least), base_value(self.most)
        if least is None or most is None or least.base != most.base:
            raise ValueError(
                f"from {self.least} to {self.most}: both must be numbers from -1e300 to 1e300, or quantities such as "
                '"8KiB", "20ns", "200MB/s" and "50MHz" of the same dimension'
            )
        if least.value > most.value:
            raise ValueError(f"from {self.least} to {self.most}: the first must not be greater than the second")
        if self.scale == "log" and least.value <= 0:
            raise ValueError(f"from {self.least}: with the scale log it must be greater than 0")
        if self.multiple_of is not None:
            step = base_value(self.multiple_of)
            if step is None or step.base != least.base or step.value <= 0:
                raise ValueError(f"multiple_of {self.multiple_of}: it must be positive, and of the range's dimension")
            if max(abs(least.value), abs(most.value)) / MOST_MULTIPLES > step.value:
                raise ValueError(
                    f"multiple_of {self.multiple_of}: it must be at least a 2^53th part of the range's ends"
                )
        if self.step is not None and self._rounded(least.value, self.step) > most.value:
            of = "whole number" if self.multiple_of is None else f"multiple of {self.multiple_of}"
            raise ValueError(f"from {self.least} to {self.most} there is no {of}")
        return self

    @property
    def step(self) -> float | None:
        """The step between its values, in base units."""
        if self.multiple_of is not None:
            return quantity_of(self.multiple_of).value
        return 1 if self.integer or quantity_of(self.least).base == "B" else None

    def at(self, share: float) -> Value:
        """The value at a share from 0 to 1 of the way."""
        least, most = quantity_of(self.least), quantity_of(self.most)
        if self.scale == "log":
            value = math.exp(math.log(least.value) + share * (math.log(most.value) - math.log(least.value)))
        else:
            value = least.value + share * (most.value - least.value)
        return self.value_of(min(max(value, least.value), most.value))

    def value_of(self, value: float) -> Value:
        """A number of base units as a configuration takes it, rounded to an allowed value of the range."""
        base = quantity_of(self.least).base
        if self.step is not None:
            value = self._rounded(value, self.step)
        if base:
            return str(Quantity(value, base))
        return round(value) if self.integer or isinstance(value, int) or isinstance(self.multiple_of, int) else value

    def _rounded(self, value: float, step: float) -> float:
        """The nearest multiple that is in the range."""
        least, most = quantity_of(self.least).value, quantity_of(self.most).value
        low, high = math.ceil(least / step), math.floor(most / step)
        return step * max(min(round(value / step), high), low)


class Steps(Range):
    """Values at equal distances."""

    steps: int = Field(ge=1, le=MOST_POINTS, description="how many values, the first and the last included")

    def values(self) -> Sequence[Value]:
        shares = [i / (self.steps - 1 or 1) for i in range(self.steps)]
        return list(dict.fromkeys(map(self.at, shares)))  # whole numbers may meet


class Choices(Strict):
    """Any of a few values, each as likely."""

    choices: list[Value] = Field(min_length=1, description="the values")

    def at(self, share: float) -> Value:
        return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]


def kind_of_sample(value: object) -> str:
    chosen = "choices" in value if isinstance(value, dict) else isinstance(value, Choices)
    return "[choices]" if chosen else "[range]"


Axis = Annotated[
    Annotated[list[Value], Field(min_length=1), Tag("[values]")] | Annotated[Steps, Tag("[range]")],
    Discriminator(lambda value: "[values]" if isinstance(value, list) else "[range]"),
]
"""A grid's entry for a parameter."""
Sampled = Annotated[
    Annotated[Choices, Tag("[choices]")] | Annotated[Range, Tag("[range]")], Discriminator(kind_of_sample)
]
"""A sample's entry for a parameter."""


def base_value(number: Number) -> Quantity | None:
    """A number as it is, a quantity in its base unit; None if it is neither, or too large to reckon with."""
    found = quantity(number) if isinstance(number, str) else Quantity(number, "")
    return found if found and abs(found.value) <= 1e300 else None


def quantity_of(number: Number) -> Quantity:
    found = base_value(number)
    assert found is not None  # the validator has looked
    return found


class Sample(Strict):
    """Points spread over a space, each parameter in its range."""

    method: Literal["latin-hypercube", "sobol"] = Field(
        description="latin-hypercube: in each parameter one point in each of `points` equal parts; sobol: a scrambled "
        "Sobol sequence, best with a power of two of points"
    )
    points: int = Field(ge=1, le=MOST_POINTS, description="how many")
    seed: int = Field(1, ge=0, description="the same seed gives the same points")
    parameters: dict[ParameterPath, Sampled] = Field(
        min_length=1, description='a range {"from": ..., "to": ...} or {"choices": [...]} for each parameter'
    )


class Parameters(Strict):
    """The parameters that vary: every combination of a point of the grid, one of the list and one of the sample."""

    grid: dict[ParameterPath, Axis] = Field(
        default_factory=dict,
        description='every combination; for each parameter a list, or {"from": ..., "to": ..., "steps": ...}',
    )
    rows: list[dict[ParameterPath, Value]] = Field(
        default_factory=list, alias="list", description="points one by one, each an object of values by path"
    )
    sample: Sample | None = Field(None, description="points spread over a space")

    @model_validator(mode="after")
    def _check(self) -> Self:
        listed = set(chain.from_iterable(self.rows))
        places = {"grid": set(self.grid), "list": listed, "sample": set(self.sample.parameters if self.sample else {})}
        for path in sorted(self.paths()):
            found = [name for name, paths in places.items() if path in paths]
            if len(found) > 1:
                raise ValueError(f"{path} stands in {' and in '.join(found)}; it must stand in one of them")
        return self

    def points(self) -> int:
        """How many points there may be."""
        axes = (axis.steps if isinstance(axis, Steps) else len(axis) for axis in self.grid.values())
        return math.prod(axes) * (len(self.rows) or 1) * (self.sample.points if self.sample else 1)

    def paths(self) -> list[str]:
        """All parameters, in the order in which they are named."""
        sampled = self.sample.parameters if self.sample else {}
        return list(dict.fromkeys(chain(*self.rows, self.grid, sampled)))


class Repetitions(Strict):
    """How often each point runs."""

    trials: int | None = Field(None, ge=1, description="trials within each run, whose mean it reports (run.trials)")
    seeds: list[Annotated[int, Field(ge=0)]] | None = Field(
        None, min_length=1, description="a run of its own for each of these seeds (run.seed)"
    )


class OnePlatform(Strict):
    """The common part of sweeps and searches."""

    json_schema: str | None = Field(None, alias="$schema", description="where an editor finds this schema")
    name: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$",
        description="the folder below results/sweeps or results/optimise; by default the name of the file",
    )
    platform: str = Field(pattern=r"^[a-z][a-z0-9-]*$", description="the executable sunstar-PLATFORM: torus, disk, ...")
    config: str | dict[str, Any] = Field(
        default_factory=dict,
        description="the base of all points: a configuration file, relative to this file, or a configuration",
    )

    @model_validator(mode="after")
    def _check_schema(self) -> Self:
        return self


Platform = TypeVar("Platform", bound=OnePlatform)


@dataclass(frozen=True)
class Given(Generic[Platform]):
    """A specification, and where it is from."""

    spec: Platform
    name: str  # Its own, or else that of its file
    where: str  # Its file, for messages
    folder: Path  # The folder that its paths are relative to


def given(model: type[Platform], spec: Path | str | Mapping[str, Any]) -> Given[Platform]:
    """A specification in a file, or an object whose paths are relative to the working directory."""
    if isinstance(spec, Mapping):
        read, where = strictly(model, dict(spec), "the specification"), "the specification"
        return Given(read, read.name or "unnamed", where, Path().resolve())
    file = Path(spec)
    read = read_strictly(model, file)
    return Given(read, read.name or file.stem, str(file), file.resolve().parent)


class Spec(OnePlatform):
    """A sweep of sunstar: one executable, run at many points."""

    parameters: Parameters = Field(default_factory=lambda: Parameters(), description="what varies")
    repetitions: Repetitions = Field(default_factory=lambda: Repetitions(), description="how often each point runs")
    derived: dict[str, str] = Field(
        default_factory=dict,
        description="further columns by name: an SQL expression (DuckDB) over the columns of the table of runs",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        given: Mapping[str, object] = {"run.trials": self.repetitions.trials, "run.seed": self.repetitions.seeds}
        for path in self.parameters.paths():
            if given.get(path) is not None:
                raise ValueError(f"parameters and repetitions both set {path}; leave one out")
        if (points := self.parameters.points() * len(self.repetitions.seeds or [None])) > MOST_POINTS:
            raise ValueError(f"parameters and repetitions make {points} points; at most {MOST_POINTS} are allowed")
        return self


@dataclass(frozen=True)
class Row:
    values: dict[str, Value]
    point: Point


def rows_of(spec: Spec, folder: Path, requests: bool = False) -> list[Row]:
    """The points in the order of the specification: the last parameter varies first. `requests`: runs keep theirs."""
    config, shared = base(spec.config, folder)
    seeds: list[int] | list[None] = spec.repetitions.seeds or [None]
    axes = [
        [(path, value) for value in (axis.values() if isinstance(axis, Steps) else axis)]
        for path, axis in spec.parameters.grid.items()
    ]
    spread = samples(spec.parameters.sample) if spec.parameters.sample else [{}]
    rows = []
    for row, grid, sample, seed in product(spec.parameters.rows or [{}], product(*axes), spread, seeds):
        values = {**row, **dict(grid), **sample}
        point = Point({**shared, **values}, config, spec.platform, seed, spec.repetitions.trials, folder, requests)
        rows.append(Row(values if seed is None else {**values, "run.seed": seed}, point))
    return rows


def samples(sample: Sample) -> Iterator[dict[str, Value]]:
    from scipy.stats import qmc  # here, because it takes most of a second and only samples need it

    dimensions = len(sample.parameters)
    engine = {"latin-hypercube": qmc.LatinHypercube, "sobol": qmc.Sobol}[sample.method](dimensions, rng=sample.seed)
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # that 2^n points would be better balanced
        shares = engine.random(sample.points)
    for row in shares.tolist():
        yield {path: of.at(share) for (path, of), share in zip(sample.parameters.items(), row, strict=True)}


def base(config: str | dict[str, Any], folder: Path) -> tuple[Path | None, dict[str, Value]]:
    """The base of all points: the file, if there is one, and the sections of a configuration in the specification."""
    if isinstance(config, str):
        file = folder / config
        if not file.is_file():
            raise FileError(f"config is {config}, but there is no file {file}")
        return file.resolve(), {}
    return None, {key: value for key, value in config.items() if key not in ("schema", "$schema")}
