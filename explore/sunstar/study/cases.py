# SPDX-License-Identifier: MIT
"""The points of an experiment, the figures measured at them, and the leading method."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from statistics import fmean, stdev
from typing import Any, Literal, NamedTuple

from sunstar.errors import UnmeasuredError
from sunstar.results import MachineResult
from sunstar.runs.simulator import Setting
from sunstar.study.statements import Measure, Measures, data_of

Average = Callable[[Sequence[float]], float]  # Averages the figures of several trials; fmean is the plain mean
Settings = dict[str, Setting]
Along = Literal["x", "record_bytes"]


def without_extremes(values: Sequence[float]) -> float:
    """The mean without the lowest and the highest value; of fewer than three values, the mean of all."""
    return fmean(sorted(values)[1:-1] if len(values) > 2 else values)


def variation(values: Sequence[float]) -> float:
    """The coefficient of variation; 0 of one value."""
    return stdev(values) / fmean(values) if len(values) > 1 else 0.0


class Key(NamedTuple):
    """Identifies a point of an experiment. A field that the experiment does not vary may be empty."""

    method: str  # The paper's short name for a file system and its options
    pattern: str
    layout: str
    record_bytes: int = 0
    x: str = ""  # Value of the swept parameter, or the name of an option

    def __str__(self) -> str:
        size = f"{self.record_bytes} B" if self.record_bytes else ""
        return " ".join(part for part in (self.layout, self.pattern, size, self.method, self.x) if part)

    def into(self, form: str) -> str:
        """A text in which fields of this point stand in braces; also the `size` of its records, the `words` of x, the
        `parts` of the pattern that are joined by +, and the `terms` of the method between commas."""
        words, parts, terms = self.x.split(), self.pattern.split("+"), self.method.split(", ")
        return form.format(**self._asdict(), size=sized(self.record_bytes), words=words, parts=parts, terms=terms)


def sized(count: int) -> str:
    """Bytes in the largest unit that is not larger."""
    return next(
        (f"{count // of} {unit}" for of, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")) if count >= of), f"{count} B"
    )


Cases = Mapping[Key, Settings]  # The points of an experiment and the settings of each


def methods_of(study: str, group: str = "methods") -> dict[str, Settings]:
    """The settings of a study's methods (papers/methods.json) by the short names of file systems with their options."""
    found: dict[str, Settings] = data_of("methods")[study][group]
    return found


def points_of(study: str, experiment: str, quick: bool = False, **chosen: Sequence[object]) -> Cases:
    """The points of an experiment that papers/points lists, with --quick fewer of them.

    They are every combination of the values that are listed of each field (`methods` without a list are all of their
    group), `without` the excluded ones, by the fields in their `order`; `chosen` values replace the listed ones. The
    settings of a point are those of its method, of all rules whose condition, `where`, it fits, and of its x where that
    is one of a group of `options`. In a setting, a field in braces stands for its value (Key.into); one that becomes
    empty is left out.
    """
    listed = data_of(f"points/{study}")
    grid = listed[experiment]
    grid = {**grid, **(grid.get("quick", {}) if quick else {}), **chosen}
    methods = methods_of(study, grid.get("group", "methods"))
    options = methods_of(study, grid["options"]) if "options" in grid else {}
    rules = [*listed["settings"], *grid.get("settings", ()), *grid.get("more", ())]

    def settings(key: Key) -> Settings:
        found = dict(methods[key.method])
        for rule in rules:
            if fits(key, rule.get("where", {})):
                found |= {path: filled(value, key) for path, value in rule.items() if path != "where"}
        return {path: value for path, value in {**found, **options.get(key.x, {})}.items() if value != ""}

    nothing = {"methods": methods, "patterns": ("",), "layouts": ("",), "record_sizes": (0,), "xs": options or ("",)}
    fields = {field: grid.get(of, nothing[of]) for field, of in zip(Key._fields, nothing, strict=True)}
    order = grid.get("order", ("layout", "record_bytes", "pattern", "x", "method"))
    values = product(*(map(str, fields[of]) if of == "x" else fields[of] for of in order))
    keys = [Key(**dict(zip(order, each, strict=True))) for each in values]
    return {key: settings(key) for key in keys if not any(fits(key, each) for each in grid.get("without", ()))}


def fits(key: Key, condition: Mapping[str, str | list[str]]) -> bool:
    """Whether each field in the condition has one of the forms that it gives there, as a shell has names of files."""
    return all(
        any(fnmatchcase(str(getattr(key, field)), form) for form in ([forms] if isinstance(forms, str) else forms))
        for field, forms in condition.items()
    )


def filled(value: Any, key: Key) -> Setting:  # noqa: ANN401  any JSON
    """A setting with the point's fields in it; a mere whole number becomes a number, and lists become JSON."""
    if isinstance(value, list):
        return json.dumps([inside(each, key) for each in value])
    found: Setting = inside(value, key)
    return int(found) if value == "{x}" and isinstance(found, str) and found.isdecimal() else found


def inside(value: Any, key: Key) -> Any:  # noqa: ANN401  as above
    if isinstance(value, dict):
        return {name: inside(each, key) for name, each in value.items()}
    if isinstance(value, list):
        return [inside(each, key) for each in value]
    return key.into(value) if isinstance(value, str) else value


def transfer(key: Key, method: Settings) -> Settings:
    """The settings of a file system that moves a file by the point's pattern, layout and record size."""
    layout: Settings = {"file_system.layout": key.layout} if key.layout else {}
    size: Settings = {"workload.record_size": f"{key.record_bytes}B"} if key.record_bytes else {}
    return {**method, **layout, "workload.pattern": key.pattern, **size}


class Curve(dict[int, float]):
    """Figures, as throughput in MiB/s, by x or record size. `line` is the key of its points without this field."""

    def __init__(self, line: Key, values: Mapping[int, float], name: str = "") -> None:
        super().__init__(values)
        self.line = line
        self.name = name or str(line)

    def __str__(self) -> str:
        return self.name

    def __missing__(self, x: int) -> float:
        raise UnmeasuredError(f"{self.line} was not measured at {x}")

    @property
    def first(self) -> int:
        return min(self)

    @property
    def last(self) -> int:
        return max(self)

    @property
    def peak(self) -> float:
        return max(self.values())


def curves_of(
    keys: Iterable[Key], value: Callable[[Key], float], along: Along, name: Callable[[Key], str] = str
) -> list[Curve]:
    """The curve of each line of these points along a field."""
    found: dict[Key, dict[int, float]] = {}
    for key in keys:
        line = key._replace(x="") if along == "x" else key._replace(record_bytes=0)
        found.setdefault(line, {})[int(getattr(key, along))] = value(key)
    return [Curve(line, points, name(line)) for line, points in found.items()]


class Found:
    """The results of an experiment. Asking for a point that was not measured is an UnmeasuredError."""

    def __init__(self, results: Mapping[Key, MachineResult], average: Average = fmean) -> None:
        self.results = results
        self.average = average
        keys = list(results)
        # Each value of a field once, in the experiment's order.
        self.methods = list(dict.fromkeys(key.method for key in keys))
        self.patterns = list(dict.fromkeys(key.pattern for key in keys))
        self.layouts = list(dict.fromkeys(key.layout for key in keys))
        self.record_sizes = list(dict.fromkeys(key.record_bytes for key in keys))
        self.xs = list(dict.fromkeys(key.x for key in keys))

    def __getitem__(self, key: Key) -> MachineResult:
        result = self.results.get(key)
        if result is None:
            raise UnmeasuredError(f"{key} was not measured")
        return result

    @property
    def trials(self) -> int:
        """The least number of trials of a point."""
        return min((len(result.trials) for result in self.results.values()), default=0)

    def without(self, part: int, parts: int) -> "Found":
        """The same without part number `part` of `parts` equal parts of each point's trials."""
        kept = {key: result.without_trials(part, parts) for key, result in self.results.items()}
        return Found(kept, self.average)

    def mib(self, key: Key) -> float:
        """Throughput in MiB/s, of all trials."""
        return self.average(self[key].trials_mib_per_s)

    def ratio(self, key: Key, method: str) -> float:
        """Throughput divided by that of another method at the same point."""
        return self.mib(key) / self.mib(key._replace(method=method))

    def over(self, keys: Iterable[Key], method: str) -> Measures:
        """ratio() of several points."""
        return Measures(Measure(self.ratio(key, method), f"{key} over {method}") for key in keys)

    def select(self, *methods: str, **fields: str | int) -> list[Key]:
        """The points of these methods, or of all, whose other fields are as given."""
        return [
            key
            for key in self.results
            if (not methods or key.method in methods)
            and all(getattr(key, name) == value for name, value in fields.items())
        ]

    def one(self, *methods: str, **fields: str | int) -> Key:
        """The only such point."""
        found = self.select(*methods, **fields)
        if len(found) != 1:
            wanted = ", ".join(map(str, (*methods, *fields.values())))
            raise UnmeasuredError(f"one point of {wanted} is needed; {len(found)} were measured")
        return found[0]

    def curve(self, method: str, pattern: str) -> Curve:
        keys = self.select(method, pattern=pattern)
        return Curve(Key(method, pattern, ""), {int(key.x): self.mib(key) for key in keys})

    def curves(self, method: str) -> dict[str, Curve]:
        return {pattern: self.curve(method, pattern) for pattern in self.patterns}


class Leader(NamedTuple):
    first: str  # The fastest method
    second: str  # The fastest of another family
    lead: float  # The speed of the first over that of the second


def leader(speeds: Mapping[str, float], family: Callable[[str], str]) -> Leader:
    """The leader among methods with these speeds; of equal ones the first that is named."""
    first = max(speeds, key=speeds.__getitem__)
    others = [method for method in speeds if family(method) != family(first)]
    if not others:
        raise UnmeasuredError(f"only {family(first)} was measured; a lead needs another one")
    second = max(others, key=speeds.__getitem__)
    return Leader(first, second, speeds[first] / speeds[second])


def best_of_families(speeds: Mapping[str, float], family: Callable[[str], str]) -> dict[str, str]:
    """The fastest method of each family; of equal ones the first that is named."""
    fastest_first = sorted(speeds, key=speeds.__getitem__, reverse=True)
    return {family(method): method for method in reversed(fastest_first)}
