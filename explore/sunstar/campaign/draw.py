# SPDX-License-Identifier: MIT
"""Small configurations drawn from a number and from the parameters' declarations (--schema): the same number gives the
same configuration. A program may still refuse one whose parameters contradict each other."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from sunstar.quantities import Quantity, quantity
from sunstar.results import schema_of

Config = dict[str, Any]
Schema = Mapping[str, Any]
Kinds = Mapping[str, Sequence[str]]
"""By a section's path: the kinds to draw from, as in {"file_system": ["galley"]}."""

LEFT_OUT = ("$schema", "schema", "base", "run", "faults")
FACTORS = (0.1, 0.5, 0.9, 1.1, 2, 3, 10)
MEASURES = (1, 7, 8, 100, 128, 512, 512, 1000, 1024, 2048, 4096, 8192, 8192, 16384)
MOST = 2000  # Of what is counted
MOST_FAULTS = 3
DISTRIBUTIONS = ("a", "n", "b", "c", "nb", "bn", "bb", "bc", "cb", "cc", "cn", "nc", "ss")
UNITS = ("record_size", "request_size", "chunk_size", "message_size", "transfer_size")
PLACES = {
    **dict.fromkeys(("stop", "reboot", "pause"), ("cp{}", "iop{}")),
    **dict.fromkeys(("parity-error", "bus-hang", "bus-reset"), ("iop{}_*", "iop*")),
    **dict.fromkeys(("port-down", "router-down"), ("network.*[a-z]{}",)),
    "link-down": ("network.*[a-z]{}.*", "network.*.up*", "network.*.down*"),
    **{f"message-{what}": ("network.*[a-z]{}", "network.*") for what in ("lost", "duplicated", "corrupted", "delayed")},
}
"""By effect: the parts that a fault may strike, with a number for {}; of others:"""
DRIVES = ("iop{}_*", "*disk{}", "iop0_*disk{}")


def section_of(schema: Schema) -> Schema:
    """The declaration of the object itself, where a file may stand for it; empty of anything else."""
    return next((each for each in (schema, *schema.get("anyOf", ())) if "properties" in each), {})


def kinds_of(section: Schema) -> dict[tuple[str, str], Schema]:
    """The further parameters of each kind of a section, by the parameter that says which it is, and the kind."""
    choices = ((each["if"]["properties"], each["then"]["properties"]) for each in section.get("allOf", ()))
    return {(tag, rule["const"]): more for chosen, more in choices for tag, rule in chosen.items()}


def file_systems() -> list[str]:
    return [kind for _, kind in kinds_of(section_of(schema_of("torus", "--schema")["properties"]["file_system"]))]


class Drawer:
    """Draws kinds, a few parameters of each section, and every parameter that sets the work of a run: most runs
    are legal and short."""

    def __init__(self, random: Random, only: Kinds) -> None:
        self.random, self.only = random, only
        self.measure = random.choice(MEASURES)  # Most sizes of a run must be multiples of others

    def section(self, section: Schema, path: str = "") -> Config:
        drawn: Config = {}
        declared = dict(section["properties"])
        if kinds := kinds_of(section):
            allowed = [each for each in kinds if each[1] in self.only.get(path, each)]
            tag, drawn[tag] = chosen = self.random.choice(allowed or list(kinds))
            del declared[tag]
            declared |= kinds[chosen]
        for name, rule in declared.items():
            here = f"{path}.{name}" if path else name
            found: Any = None
            if (inner := section_of(rule)) and not any("examples" in each for each in rule["anyOf"]):
                found = self.section(inner, here) or None
            elif self.says_how_much(rule, here) or self.random.randrange(len(declared) + 2) < 2:
                found = self.value(rule, here)
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
            return f"{name}.csv" if path.startswith("workload") and name in ("trace", "list") else None
        if "anyOf" in rule:
            return self.alternative(rule)
        match rule.get("type"):
            case "boolean":
                return self.random.random() < 0.5
            case "integer":
                return self.count(default or 0)
            case "number":
                return round(float(default or 0) * self.random.choice(FACTORS), 9)
            case "array" if (inner := section_of(rule["items"])) and self.random.random() < 0.5:
                return [self.section(inner, f"{path}.{i}") for i in range(self.random.choice((1, 2, 3)))]
        if name == "pattern":
            return self.random.choice("rw") + self.random.choice(DISTRIBUTIONS)
        amount = quantity(default)
        return amount and self.amount(amount, path)

    def alternative(self, rule: Schema) -> Any:  # noqa: ANN401  any JSON
        """Of a drive: one of the catalogue. Of a fabric's shape: a few routers."""
        for each in rule["anyOf"]:
            if "examples" in each:
                return self.random.choice(each["examples"])
            if each.get("type") == "array" and "minItems" in each:
                return [self.random.randrange(1, 5) for _ in range(self.random.choice((2, 2, 2, 3)))]
            if found := "anyOf" in each and self.alternative(each):
                return found
        return None

    def count(self, preset: int) -> int:
        if preset <= 16:
            return self.random.randrange(4) if preset == 0 else self.random.randrange(1, 7)
        return min(int(preset * self.random.choice(FACTORS)), MOST)

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
        fault["place"] = random.choice(PLACES.get(fault["effect"], DRIVES)).format(random.randrange(4))
        # What is lost each time it is sent is given up in the end; a node that trusts others waits for it for ever.
        if fault["effect"] in ("message-lost", "message-corrupted"):
            machine.setdefault("peers", {})["kind"] = "watched"


def configuration(number: int, program: str = "torus", only: Kinds | None = None) -> Config:
    """The program's configuration of that number."""
    random = Random(number)
    declared = schema_of(program, "--schema")["properties"]
    drawer = Drawer(random, only or {})
    config = drawer.section({"properties": {n: rule for n, rule in declared.items() if n not in LEFT_OUT}})
    if program == "torus":
        fault = section_of(declared["faults"]["items"])
        if count := random.randint(0, MOST_FAULTS):
            config["faults"] = [drawer.section(fault, f"faults.{i}") for i in range(count)]
        make_consistent(config, random)
    elif (network := config["machine"].get("network", {})).get("kind") == "fat-tree":
        network["switch_ports"] = random.choice((4, 6, 8))  # A fat tree of more has thousands of nodes
    elif config["workload"].get("kind") == "queues":
        config["machine"] = {"nvme": drawer.value(section_of(declared["machine"])["properties"]["nvme"], "")}
    return config | {"schema": "sunstar/1", "run": {"seed": random.randrange(1 << 31)}}


def files(number: int, program: str, config: Config) -> dict[str, str]:
    """The files that the configuration may name."""
    random = Random(number)
    below = random.randrange
    processors = config.get("machine", {}).get("compute_processors", 1)

    def call() -> str:
        length = 1 + below(20_000 if below(2) else 100)
        times = "0,0.001" if below(2) else f"{below(20)},20"
        return f"{below(8)},{random.choice(('read', 'write'))},f{below(3)},{below(3) * below(100_000)},{length},{times}"

    lines: dict[str, tuple[str, Callable[[], str]]] = {
        "torus": ("rank,op,file,offset,length,start_s,end_s", call),
        "network": ("time,from,to,bytes", lambda: f"0.00{below(1000):03},{below(4)},{below(4)},{below(3000)}"),
        "disk": ("", lambda: f"{random.choice('RW')} - {16 * below(10_000)} {16 * (1 + below(8))} 0 {below(5000)}"),
        "arrivals": ("t_ms,lbn,sectors,op", lambda: f"5,{16 * below(10_000)},{1 + below(128)},{random.choice('RW')}"),
        "list": ("processor,offset,length", lambda: f"{below(processors)},{below(100_000)},{1 + below(9000)}"),
    }
    trace = "arrivals" if config.get("workload", {}).get("kind") == "arrivals" else program
    return {f"{name}.csv": in_lines(*lines[kind], 1 + below(30)) for name, kind in (("trace", trace), ("list", "list"))}


def in_lines(head: str, line: Callable[[], str], count: int) -> str:
    return "".join(f"{each}\n" for each in (head, *(line() for _ in range(count))) if each)
