# SPDX-License-Identifier: MIT
"""Result files. The programs themselves state the name, type and unit of each figure (--result-schema); this module
only names the figures that other parts of the package use."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, Self, TypeVar

import orjson

from sunstar.configurations import SCHEMA, leaves
from sunstar.errors import FileError, MissingExecutableError, RunError, UnmeasuredError, UsageError
from sunstar.files import read_bytes
from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.structure import kind_of

SECTIONS = ("result", "host")  # The sections of a result file with figures of the whole run
T = TypeVar("T")
COMMON = json.loads(Path(__file__).with_suffix(".schema.json").read_text())
"""The schema of every result file, for a simulator that is not here to print its own."""
KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
SPELT = {"B": ("bytes",), "s": ("s", "seconds"), "%": ("percent",), "MiB/s": ("mib_per_s",)}
"""Units and the last words of keys that name them; other units are their own word, as in p50_cycles."""


class SchemaError(RunError):
    """A result of another version."""


class Figures(dict[str, Any]):
    """An object of a result file, whose keys are attributes as well. As attributes, all numbers are floats, since most
    are means, and None stands for an unmeasured figure."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any JSON
        if name.startswith("__"):
            raise AttributeError(name)
        value = self.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return Figures(value) if isinstance(value, dict) else value


class Figure(Generic[T]):
    """A figure of a result file by its path; UnmeasuredError where it is null or missing."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __get__(self, document: "Document", _: type) -> T:
        value: Any = document
        for name in self.path.split("."):
            value = getattr(value, name)
            if value is None:
                raise UnmeasuredError(f"{document.platform} {document.version} measured no {self.path}")
        found: T = value
        return found


@dataclass(frozen=True)
class Document:
    """A result file. The figures are means of the trials."""

    platform: str
    version: str
    seed: int
    config: dict[str, Any]  # The configuration that ran, with every default
    result: Figures
    statistics: dict[str, Any]
    """The first trial's, by name: objects with value, unit and description. There may be thousands. Those of a large
    machine are by kind of part: machine.cp*.cpu.interrupts is the mean, with parts, min, max and sum."""
    host: Figures
    trials: tuple[Figures, ...]  # The figures of each trial, under the keys of `result`, and its seed
    over_time: dict[str, Any] | None = None  # How the first trial went, if the run had an interval (run.interval)
    explain: dict[str, Any] | None = None  # Why the first trial took so long, if the run was asked to explain itself

    @property
    def program(self) -> str:
        """The platform without "sunstar-", as calls name it."""
        return self.platform.removeprefix("sunstar-")

    @property
    def host_s(self) -> float:
        return float(self.host.seconds)

    @property
    def statistics_s(self) -> float | None:
        """Seconds of the first trial, whose statistics these are; None if the result does not say."""
        value = self.trials[0].elapsed_s if self.trials else None
        return value if isinstance(value, int | float) else None

    def statistic(self, name: str) -> float:
        """The value of a statistic; UnmeasuredError if the run has none of that name."""
        value: float | None = self.statistics.get(name, {}).get("value")
        if value is None:
            kind = kind_of(name)
            by_kind = f"; it has {kind}, and every part with run.statistics=part" if kind in self.statistics else ""
            raise UnmeasuredError(f"{self.platform} {self.version} measured no statistic {name}{by_kind}")
        return float(value)

    def without_trials(self, part: int, parts: int) -> Self:
        """The result without every `parts`-th trial, from number `part` on. The statistics stay the first trial's, and
        coefficients of variation those of all trials."""
        kept = tuple(trial for i, trial in enumerate(self.trials) if i % parts != part)
        return replace(self, result=means(self.result, kept), trials=kept)


def means(whole: Any, trials: Sequence[Any]) -> Any:  # noqa: ANN401  any JSON
    """An object of a result whose figures are the means of these trials, where each of them has the figure."""
    if isinstance(whole, dict):
        inside = {name: [trial[name] for trial in trials if name in trial] for name in whole}
        return Figures({name: means(whole[name], of) if of else whole[name] for name, of in inside.items()})
    if isinstance(whole, list):
        return [means(each, of) for each, *of in zip(whole, *trials, strict=False)]
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in (whole, *trials)):
        return fmean(trials)
    return whole


class MachineResult(Document):
    mib_per_s = Figure[float]("result.throughput.mib_per_s")
    medium_mib_per_s = Figure[float]("result.throughput.medium_mib_per_s")
    coefficient_of_variation = Figure[float]("result.throughput.coefficient_of_variation")
    elapsed_s = Figure[float]("result.elapsed_s")
    verified = Figure[bool]("result.verified")
    messages = Figure[float]("result.messages")
    message_bytes = Figure[float]("result.message_bytes")
    header_bytes = Figure[float]("result.header_bytes")
    network_bytes = Figure[float]("result.network_bytes")
    memory = Figure[Figures]("result.memory")

    @property
    def trials_mib_per_s(self) -> tuple[float, ...]:
        return tuple(trial.throughput.mib_per_s for trial in self.trials)

    @property
    def latency(self) -> Figures:
        """The latency of calls; UnmeasuredError if the run had none."""
        found: Figures = self.result.latency
        if not found.count:
            raise UnmeasuredError(f"{self.platform} timed no call of the file system")
        return found


class NetworkResult(Document):
    """The result of a network alone, under synthetic traffic."""


class DiskResult(Document):
    """The result of a drive alone."""


FORMS: dict[str, type[Document]] = dict.fromkeys(("torus", "sp2", "cluster"), MachineResult)
FORMS |= {"network": NetworkResult, "disk": DiskResult}


@cache
def schema_of(program: str, option: str = "--result-schema") -> Mapping[str, Any]:
    """The JSON Schema of a simulator's result files or, with --schema, of its configurations, as it prints it."""
    done = run_program([str(executable(program)), option])
    if done.returncode != 0:
        raise RunError(f"{done.stderr}\n(sunstar-{program} {option} ended badly)", done.returncode)
    schema: dict[str, Any] = json.loads(done.stdout)
    return schema


def is_of(value: object, kind: str) -> bool:
    """Whether a value is of a type of JSON Schema, for which 2.0 is an integer and true is no number."""
    if isinstance(value, float) and kind == "integer":
        return value.is_integer()
    return KINDS.get(type(value), "null") in ((kind, "integer") if kind == "number" else (kind,))


def faults(value: Any, schema: Mapping[str, Any], path: str = "") -> Iterator[str]:  # noqa: ANN401  any JSON
    """Violations of the schema: missing keys, and values of another type."""
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    below = f"{path}." if path else ""
    if kinds and not any(is_of(value, kind) for kind in kinds):
        yield f"{path} is {json.dumps(value)[:60]}; it must be of the type {' or '.join(kinds)}"
    elif isinstance(value, dict):
        yield from (f"{below}{name} is missing" for name in schema.get("required", ()) if name not in value)
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name in value if isinstance(others, dict) else (name for name in known if name in value):
            yield from faults(value[name], known.get(name, others), f"{below}{name}")
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), f"{below}{i}")


def read(document: bytes) -> Document:
    """A result file; a RunError if it is not as its simulator's schema says."""
    found = orjson.loads(document)
    if isinstance(found, dict) and (schema := found.get("schema", SCHEMA)) != SCHEMA:
        raise SchemaError(f"its schema is {json.dumps(schema)}; this version reads {SCHEMA}", 0)
    wrong = list(faults(found, COMMON))
    platform = "a simulator" if wrong else found["platform"]
    program = platform.removeprefix("sunstar-")
    if not wrong:
        with suppress(MissingExecutableError, RunError):
            known = schema_of(program)["properties"]
            wrong = list(faults(found, {"properties": {name: known[name] for name in ("result", "trials")}}))
    if wrong:
        raise RunError(f"no result of {platform}: {'; '.join(wrong)}", 0)
    plain = ("version", "seed", "config", "statistics", "over_time", "explain")
    sections: dict[str, Any] = {name: found.get(name) for name in plain}
    sections |= {name: Figures(found[name]) for name in SECTIONS}
    return FORMS.get(program, Document)(platform, trials=tuple(map(Figures, found.get("trials", ()))), **sections)


def read_from(document: bytes, where: str) -> Document:
    """The same for a user's file; a FileError if it is no result."""
    try:
        return read(document)
    except SchemaError as error:
        raise FileError(f"{where}: {error}") from error
    except (orjson.JSONDecodeError, RunError) as error:
        with suppress(orjson.JSONDecodeError):
            check_run_of(orjson.loads(document), where)
        raise FileError(
            f"{where} is not a result: it must be the JSON that a simulator writes with --output ({error})"
        ) from error


def check_run_of(found: object, where: str) -> None:
    """A FileError if it is a configuration, or fio's result, rather than a result."""
    keys = found.keys() if isinstance(found, dict) else set()
    if "fio version" in keys:
        raise FileError(f"{where} is a result of fio; run its job by sunstar import fio and sunstar-disk --output")
    if "result" not in keys and keys & {"base", "machine", "file_system", "workload", "faults", "run"}:
        example = f"sunstar-torus --config {where} --output RESULT.json"
        raise FileError(f"{where} is a configuration, not a result; run it first, as in {example}")


def read_file(path: Path) -> Document:
    return read_from(read_bytes(path), str(path))


def figures(sections: Mapping[str, Any]) -> dict[str, Any]:
    """The figures in these sections of a result file by their paths; lists, such as that of warnings, are left out."""
    return {path: value for path, value in leaves(sections) if not isinstance(value, list | dict)}


@cache
def described(program: str) -> Mapping[str, Mapping[str, Any]]:
    """The schemas of the figures that every result of a simulator may have, by their paths."""

    def below(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if "properties" not in schema:
            yield path, schema
        for name, inner in schema.get("properties", {}).items():
            yield from below(inner, f"{path}.{name}")

    known = schema_of(program)["properties"]
    return {path: each for section in SECTIONS for path, each in below(known[section], section)}


def ior_gib_per_s(result: Any, way: str) -> float:  # noqa: ANN401  MachineResult.result
    """The throughput of a phase of IOR, `write` or `read`."""
    phase = getattr(result.ior, way, None)
    if phase is None:
        raise UsageError(f"a run has no result.ior.{way}; its workload.kind must be ior, with workload.{way}")
    return float(phase.mib_per_s) / 1024


def units(program: str) -> Mapping[str, str]:
    """The units of a simulator's figures, by path; none if it is not here to be asked."""
    with suppress(MissingExecutableError, RunError):
        return {path: each["unit"] for path, each in described(program).items() if "unit" in each}
    return {}


def with_unit(name: str, unit: str | None) -> str:
    """The name of a column, which ends in its unit, as in "workload.record_size [B]", unless its last word says it."""
    if not unit or unit == "1":
        return name
    last = name.rpartition(".")[2]
    named = any(last == word or last.endswith(f"_{word}") for word in SPELT.get(unit, (unit,)))
    return name if named else f"{name} [{unit}]"
