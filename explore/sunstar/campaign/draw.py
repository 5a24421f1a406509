# SPDX-License-Identifier: MIT
"""Small configurations drawn from a number and from the parameters' declarations (--schema): the same number gives the
same configuration. A program may still refuse one whose parameters contradict each other."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from sunstar.quantities import Quantity, quantity
from sunstar.results import schema_of

Config = dict[str, Any]
Schema = Mapping[str, Any]

FILE_SYSTEMS = (
    *("traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs"),
    *("locking", "versioned"),
)
FACTORS = (0.1, 0.5, 0.9, 1.1, 2, 3, 10)
MEASURES = (1, 7, 8, 100, 128, 512, 512, 1000, 1024, 2048, 4096, 8192, 8192, 16384)
DISTRIBUTIONS = ("a", "n", "b", "c", "nb", "bn", "bb", "bc", "cb", "cc", "cn", "nc", "ss")
FILES = ("trace", "list")
"""The parameters that are files of the workload: files() has one of each."""
UNITS = ("record_size", "request_size", "chunk_size", "message_size")
LIMITS = re.compile(r"\(between (\S+) and (\S+?)\)$")
"""At the end of a quantity's description."""


def section_of(schema: Schema) -> Schema | None:
    """The declaration of the object itself, where a file may stand for it."""
    return next((each for each in (schema, *schema.get("anyOf", ())) if "properties" in each), None)


def tag_of(section: Schema) -> str | None:
    """The parameter that says which others there are."""
    return next(iter(section["allOf"][0]["if"]["properties"])) if "allOf" in section else None


def kinds_of(section: Schema) -> dict[str, Schema]:
    """The further parameters of each kind of a section."""
    tag = tag_of(section)
    return {each["if"]["properties"][tag]["const"]: each["then"]["properties"] for each in section.get("allOf", ())}


def within(value: float, rule: Schema) -> Any:  # noqa: ANN401  as the value is
    return min(max(value, rule.get("minimum", value)), rule.get("maximum", value))


def limited(text: str, rule: Schema) -> str:
    """The quantity, or the limit that it is beyond."""
    amount, ends = quantity(text), LIMITS.search(rule["description"])
    least, most = map(quantity, ends.groups()) if ends else (None, None)
    if amount and least and most and not least.value <= amount.value <= most.value:
        return str(least if amount.value < least.value else most)
    return text


class Drawer:
    """Draws kinds, a few parameters of each section, and all that says how much a run has to do, so that most runs are
    legal and short."""

    def __init__(self, random: Random, only: Mapping[str, Sequence[str]]) -> None:
        """`only`: the kinds of a section to draw from, by its path."""
        self.random, self.only = random, only
        self.measure = random.choice(MEASURES)  # Most sizes of a run must be multiples of others

    def section(self, section: Schema, path: str) -> Config:
        drawn: Config = {}
        declared = dict(section["properties"])
        if (tag := tag_of(section)) is not None:
            kinds = kinds_of(section)
            drawn[tag] = self.random.choice(self.only.get(path) or list(kinds))
            del declared[tag]
            declared |= kinds[drawn[tag]]
        for name, rule in declared.items():
            here = f"{path}.{name}" if path else name
            inner = section_of(rule)
            if inner is not None and not any("examples" in each for each in rule["anyOf"]):
                found: Any = self.section(inner, here) or None
            elif self.says_how_much(rule, here) or self.random.randrange(len(declared) + 2) < 2:
                found = self.value(rule, here)
            else:
                continue
            if found is not None:
                drawn[name] = found
        return drawn

    def says_how_much(self, rule: Schema, path: str) -> bool:
        """Sizes of the workload, and counts of the machine's parts."""
        default = rule.get("default")
        is_count = rule.get("type") == "integer" and (default or 0) > 0
        if path.startswith("workload"):
            amount = quantity(default)
            return is_count or path.endswith(".trace") or (amount is not None and amount.base == "B")
        return is_count and path.count(".") == 1

    def value(self, rule: Schema, path: str) -> Any:  # noqa: ANN401  any JSON
        """None: none is drawn."""
        default, name = rule.get("default"), path.rpartition(".")[2]
        if "enum" in rule:
            return self.random.choice(rule["enum"])
        if rule.get("format") == "path":
            return f"{name}.csv" if path.startswith("workload") and name in FILES else None
        if "anyOf" in rule:
            return self.alternative(rule, path)
        match rule.get("type"):
            case "boolean":
                return self.random.random() < 0.5
            case "integer":
                return within(self.count(default or 0), rule)
            case "number":
                return within(round(float(default or 0) * self.random.choice(FACTORS), 9), rule)
            case "array" if section_of(rule["items"]) and self.random.random() < 0.5:
                inner = section_of(rule["items"]) or {}
                return [self.section(inner, f"{path}.{i}") for i in range(self.random.choice((1, 2, 3)))]
        if name == "pattern":
            return self.random.choice("rw") + self.random.choice(DISTRIBUTIONS)
        amount = quantity(default)
        return None if amount is None else limited(self.amount(amount, path), rule)

    def alternative(self, rule: Schema, path: str) -> Any:  # noqa: ANN401  any JSON
        """Of a drive: one of the catalogue. Of a fabric's shape: a few routers."""
        for each in rule["anyOf"]:
            if "examples" in each:
                return self.random.choice(each["examples"])
            if each.get("type") == "array" and "minItems" in each:
                return [self.random.randrange(1, 5) for _ in range(self.random.choice((2, 2, 2, 3)))]
            if found := "anyOf" in each and self.alternative(each, path):
                return found
        return None

    def count(self, preset: int) -> int:
        if preset <= 16:
            return self.random.randrange(4) if preset == 0 else self.random.randrange(1, 7)
        return int(preset * self.random.choice(FACTORS))

    def amount(self, preset: Quantity, path: str) -> str:
        if preset.base == "B" and path.startswith("workload"):
            few = 48 if self.measure <= 1024 else 12
            most = min(max((1 << 18) // self.measure // few, 1), 100)
            return f"{self.measure * (1 if path.endswith(UNITS) else few * self.random.randint(1, most))}B"
        if preset.value == 0:
            return self.random.choice(("0s", "1ms", "10ms", "500ms")) if preset.base == "s" else str(preset)
        if preset.base == "B" and self.random.random() < 0.75:  # Most sizes of machines are powers of two
            return str(Quantity(preset.value * 2 ** self.random.randrange(7) / 8, "B"))
        return str(Quantity(preset.value * self.random.choice(FACTORS), preset.base))


DRIVE_EFFECTS = ("medium-error", "recovered-error", "slow", "hang", "dead", "power-loss", "corruption")
BUS_EFFECTS = ("parity-error", "bus-hang", "bus-reset")
NODE_EFFECTS = ("stop", "reboot", "pause")


def place_of(effect: str, config: Config, random: Random) -> str:
    """A part of the machine, or several, that the effect strikes."""
    machine = config["machine"]
    io, compute = machine["io_processors"], machine["compute_processors"]
    if effect in NODE_EFFECTS:
        return random.choice((f"cp{random.randrange(compute)}", f"iop{random.randrange(io)}"))
    bus = f"iop{random.randrange(io)}_{'pcie' if machine.get('nvme') else 'scsi'}0"
    if effect in BUS_EFFECTS:
        return random.choice((bus, "iop*_scsi0"))
    if effect in DRIVE_EFFECTS:
        drive = random.randrange(machine["disks"] // io)
        return random.choice((f"{bus}.disk{drive}", f"{bus}*disk*", f"*disk{drive}"))
    # All ports down would leave nobody whom anybody could tell of it.
    number = random.choice((1 if effect in ("port-down", "router-down") else "*", *range(io + compute)))
    part = "router" if machine.get("network", {}).get("kind", "cube") == "cube" else "port"
    return f"network.{part}{number}" + (random.choice((".up*", ".down*", ".*")) if effect == "link-down" else "")


def make_consistent(config: Config, random: Random) -> None:
    """What a configuration must agree on: its counts, the processors of jobs, the drives of a store, faults' places."""
    machine = config["machine"]
    machine.pop("nodes", None)
    for job in (jobs := config["workload"].get("jobs", [])):
        job["processors"] = random.randint(1, 3)
    if jobs:
        machine["compute_processors"] = sum(job["processors"] for job in jobs)
    kind = config["file_system"].get("store", {}).get("kind", "plain")
    drives_each = random.choice({"plain": (1, 2, 3, 5), "mirror": (2, 4)}.get(kind, (4, 5)))
    machine |= {"disks": machine["io_processors"] * drives_each, "combined": 0}
    for fault in config.get("faults", ()):
        fault["place"] = place_of(fault["effect"], config, random)


def configuration(
    number: int, program: str = "torus", only: Mapping[str, Sequence[str]] | None = None, most_faults: int = 3
) -> Config:
    """The program's configuration of that number. `only`: the kinds to draw from, by the section's path, as in
    {"file_system": ["galley"]}."""
    random = Random(number)
    declared = schema_of(program, "--schema")["properties"]
    left_out = ("$schema", "schema", "base", "run", "faults")
    drawer = Drawer(random, only or {})
    config = drawer.section({"properties": {n: rule for n, rule in declared.items() if n not in left_out}}, "")
    if program == "torus":
        if (fault := section_of(declared["faults"]["items"])) and (count := random.randint(0, most_faults)):
            config["faults"] = [drawer.section(fault, f"faults.{i}") for i in range(count)]
        make_consistent(config, random)
    return config | {"schema": "sunstar/1", "run": {"seed": random.randrange(1 << 31)}}


def files(number: int, program: str) -> dict[str, str]:
    """The files that the configuration of that number may name."""
    random = Random(number)
    below = random.randrange

    def call() -> str:
        length = 1 + below(20_000 if below(2) else 100)
        times = "0,0.001" if below(2) else f"{below(20)},20"
        return f"{below(8)},{random.choice(('read', 'write'))},f{below(3)},{below(3) * below(100_000)},{length},{times}"

    traces: dict[str, Callable[[], str]] = {
        "torus": call,
        "network": lambda: f"0.00{below(1000):03},{below(4)},{below(4)},{below(3000)}",
        "disk": lambda: f"{random.choice('RW')} - {16 * below(10_000)} {16 * (1 + below(8))} 0 {below(5000)}",
    }
    heads = {"torus": "rank,op,file,offset,length,start_s,end_s", "network": "time,from,to,bytes"}
    trace = [*([heads[program]] if program in heads else []), *(traces[program]() for _ in range(1 + below(30)))]
    pieces = [f"{below(6)},{below(100_000)},{1 + below(9000)}" for _ in range(1 + below(20))]
    named = {"trace": trace, "list": ["processor,offset,length", *pieces]}
    return {f"{name}.csv": "\n".join([*named[name], ""]) for name in FILES}


PATH = re.compile(r"(?:machine|file_system|faults)(?:\.\w+)+")


def without_what(refusal: str, config: Config) -> Config | None:
    """The configuration without the first parameter of which the simulator's refusal speaks; None if it has none of
    them. What says how much a run has to do stays."""
    paths = (path.removesuffix(".place") for path in PATH.findall(refusal))
    return next((less for path in paths if (less := without(path, config)) is not None), None)


def simpler(config: Config) -> Iterator[Config]:
    """Configurations that leave out one thing of this one, the greatest first. Counts of the machine's parts stay."""
    for i, fault in enumerate(faults := config.get("faults", [])):
        if len(faults) > 1:
            yield {**config, "faults": faults[:i] + faults[i + 1 :]}
        for name in fault.keys() - {"place", "effect"}:
            yield {**config, "faults": [*faults[:i], {n: v for n, v in fault.items() if n != name}, *faults[i + 1 :]]}
    for path, value in sorted(inner(config), key=lambda one: -len(str(one[1]))):
        if not (isinstance(value, int) and path.startswith("machine")) and (less := without(path, config)):
            yield less


def inner(section: Config, path: str = "") -> Iterator[tuple[str, Any]]:
    """Sections and parameters of machine and file system, but for kinds."""
    for name, value in section.items():
        here = f"{path}.{name}" if path else name
        if path and name != "kind":
            yield here, value
        if isinstance(value, dict) and (path or name in ("machine", "file_system")):
            yield from inner(value, here)


def without(path: str, config: Config) -> Config | None:
    """None if the configuration does not have it."""
    *above, name = path.split(".")
    less = inside = deepcopy(config)
    for each in above:
        inside = inside[int(each)] if isinstance(inside, list) else inside.get(each, {})
        if not isinstance(inside, dict | list):
            return None
    if isinstance(inside, list):
        del inside[int(name)]
        return less
    return less if inside.pop(name, None) is not None else None
