# SPDX-License-Identifier: MIT
"""sunstar campaign. Small configurations are drawn from a number and from the parameters' declarations (--schema): the
same number gives the same configuration. A program may still refuse one whose parameters contradict each other; others
are made of it: what the refusal says is allowed, and what is simpler."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from random import Random
from shutil import rmtree
from signal import SIGXCPU
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import orjson
import typer

from sunstar.commands import relative
from sunstar.configurations import joined
from sunstar.console import console, meter
from sunstar.errors import check_choice
from sunstar.files import make_folder, reading, taking_apart
from sunstar.places import executable
from sunstar.programs import in_parallel, run_program
from sunstar.quantities import Quantity, quantity
from sunstar.results import faults, schema_of
from sunstar.runs.simulator import digest_of_program

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
NAME = r"(?:machine|file_system|workload|faults)(?:\.\w+)+"
BEYOND = re.compile(rf'({NAME}) is "?([\w./]+)"?; it must be between (\S+) and (\S+)\.')
NO_MULTIPLE = re.compile(rf"({NAME})\D* is (\d+)( ?B| bytes)?[^;]*; it must [^;]*?(\d+)( ?B| bytes)?(?:[.,]| that)")
TOO_MANY = re.compile(rf"({NAME}) is \d+, for which .* the machine has (\d+)")
OTHER_CHOICE = re.compile(rf"({NAME}) is [\w-]+: .*; set it to ([\w-]+)")
OTHER_KINDS = re.compile(r"(?:set (file_system)|(workload))\.kind (?:to|must be) ([\w, -]+)")
DISPENSABLE = re.compile(
    r"(?:machine|file_system(?!\.kind))(?:\.\w+)+|faults(?:\.\w+)*"
    r"|workload(?:\.jobs\.\d+)?(?!\.kind|\.nodes|\.bytes|\.file|\.fork|\.block)(?:\.\w+)+"
)
KEPT = re.compile(
    r"schema|workload|run|(?:machine|file_system|faults)$|.*\.(?:kind|place|effect|shape\.\d+)$"
    r"|machine\.(?:\w+_processors|disks|combined)$"
)
LIMIT = 60  # Seconds of processor time that a run may take: it needs some milliseconds
OVERTIME = -SIGXCPU
# Exit code and a part of the sentence
KNOWN_LIMITS = ((OVERTIME, "hardly meant"), (4, "none survives that"), (4, "where Sunstar's clock ends"))
MOST_CHANGES = 30
REFUSED = 3  # The simulators' exit code for a faulty configuration
CONTRADICTED = 1
SAID = {0: "every byte right or reported", REFUSED: "refused in a sentence", OVERTIME: f"not ended in {LIMIT} s"}
RECORDINGS = (
    *("--explain --log l.log --log-level trace", "--log l.log.gz --log-limit 100KiB --log-window 1ms,50ms"),
    *("--timeline t.json.gz --timeline-limit 100KiB", "--timeline t.ftr --vcd w.vcd --vcd-window 0ms,1ms"),
)


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
    """Draws kinds, a few parameters of each section, and each parameter of the work: most runs are legal and short."""

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
    local = config["file_system"]["kind"] == "local"  # A file is of one node
    for job in (jobs := config["workload"].get("jobs", [])):
        job["processors"] = 1 if local else random.randint(1, 3)
    if jobs:
        machine["compute_processors"] = sum(job["processors"] for job in jobs)
    elif local and not config["workload"].get("file_per_task"):
        machine["compute_processors"] = 1
    if local:
        machine["io_processors"] = machine["compute_processors"]
    if config["workload"].get("kind") == "training":
        few = {"files": random.randint(1, 20), "epochs": random.randint(1, 3)}  # All samples are read in each epoch
        config["workload"] |= few | {"request_size": random.choice(("0B", "1KiB"))}
    kind = config["file_system"].get("store", {}).get("kind", "plain")
    drives_each = random.choice({"plain": (1, 2, 3, 5), "mirror": (2, 4)}.get(kind, (4, 5)))
    combined = machine["compute_processors"] if local else 0
    machine |= {"disks": machine["io_processors"] * drives_each, "combined": combined}
    for fault in config.get("faults", ()):
        place = random.choice(PLACES.get(fault["effect"], DRIVES)).format(random.randrange(4))
        fault["place"] = place.replace("iop", "node") if local else place
        # What is lost each time it is sent is given up in the end; a node that trusts others waits for it for ever.
        if fault["effect"] in ("message-lost", "message-corrupted"):
            machine.setdefault("peers", {})["kind"] = "watched"


def configuration(number: int, program: str = "torus", only: Kinds | None = None) -> Config:
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


def mended(refusal: str, config: Config) -> Config | None:
    """The configuration with a value that the simulator's refusal allows, or else without the first parameter of which
    it speaks; None if it has none of them. What says how much a run has to do is not left out."""
    if found := BEYOND.search(refusal):
        path, value, least, most = found.groups()
        return having(config, path, least if amount(value) < amount(least) else most)
    if found := NO_MULTIPLE.search(refusal):
        path, value, unit_of_value, step, unit = found.groups()
        return having(config, path, f"{-(-int(value) // int(step)) * int(step)}{unit_of_value or unit or ''}")
    if found := OTHER_CHOICE.search(refusal):
        return having(config, *found.groups())
    paths = (re.sub(r"\.(place|kind)$", "", path) for path in DISPENSABLE.findall(refusal))
    if less := next((less for path in paths if (less := without(path, config)) is not None), None):
        return less
    return having(config, *found.groups()) if (found := TOO_MANY.search(refusal)) else None


def other_kinds(refusal: str, only: Kinds) -> Kinds:
    """By section: the words, of those in `only`, with the kinds that the refusal allows."""
    if (found := OTHER_KINDS.search(refusal)) is None:
        return {}
    section, words = found[1] or found[2], re.findall(r"[\w-]+", found[3])
    kinds = [word for word in words if word in only.get(section, words)]
    return {section: kinds} if kinds else {}


def amount(text: str) -> float:
    return found.value if (found := quantity(text)) else float(text)


def having(config: Config, path: str, text: str) -> Config:
    """With the value that is written so. A number without a unit is bytes if the parameter was a text."""
    *above, name = path.split(".")
    more = inside = deepcopy(config)
    for each in above:
        inside = inside[int(each)] if isinstance(inside, list) else inside.setdefault(each, {})
    size = text.replace(" bytes", "B").replace(" ", "")
    number = re.fullmatch(r"[\d.]+(?:e[+-]?\d+)?", size)
    inside[name] = size if not number else f"{size}B" if isinstance(inside.get(name), str) else orjson.loads(size)
    return more


def simpler(config: Config) -> Iterator[Config]:
    """Configurations that leave out one thing of this one, the greatest first."""
    found = [(path, each) for path, each in inner(config) if not KEPT.match(path)]
    for path, _ in sorted(found, key=lambda one: -len(str(one[1]))):
        if less := without(path, config):
            yield less


def inner(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any JSON
    """All sections, elements of lists and parameters, by path."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in below:
        here = joined(path, name)
        yield here, each
        yield from inner(each, here)


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


@dataclass(frozen=True)
class Run:
    """One run of a campaign: how it has ended, and its message if it failed."""

    number: int
    ended: int
    said: str = ""
    of: str = ""  # The simulators' digests, and the kinds of file system that were drawn from

    @property
    def what(self) -> str:
        return SAID.get(self.ended, "failed")

    @property
    def failed(self) -> bool:
        return self.ended not in (0, REFUSED)


def program_of(number: int, only: Kinds) -> str:
    """Machines are most of what can go wrong; a campaign of some file systems has nothing else."""
    return "torus" if only else {6: "network", 7: "disk"}.get(number % 8, "torus")


def outcome(number: int, program: str, config: Config) -> tuple[int, str]:
    """How a run of the configuration ends, and the last line that it prints on standard error. A run that ends well
    must have a result that follows its schema and does not contradict itself, and the same when it is recorded."""
    heads_move = program != "disk" or config["workload"]["kind"] in ("synthetic", "trace")
    recordings = RECORDINGS[number // 8 % len(RECORDINGS)] if heads_move else "--log l.log"
    results = []
    with TemporaryDirectory() as folder:
        write(Path(folder), number, program, config)
        limited = ("prlimit", f"--cpu={LIMIT}:{LIMIT + 1}", str(executable(program)))
        words = [*limited, "--quiet", "--config", "config.json", "--output", "-"]
        for more in ([], recordings.split()):
            done = run_program([*words, *more], cwd=folder)
            if any(done.returncode == code and said in done.stderr for code, said in KNOWN_LIMITS):
                return REFUSED, ""  # Nothing to mend
            if done.returncode:
                return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]
            results.append(orjson.loads(done.stdout))
    alone, recorded = results
    wrong = [*faults(alone, schema_of(program)), *contradictions(alone)]
    if comparable(alone) != comparable(recorded):
        wrong.append(f"its result is another one with {recordings}")
    return (CONTRADICTED, wrong[0]) if wrong else (0, "")


def contradictions(document: Config) -> Iterator[str]:
    for name, each in document["statistics"].items():
        if not 0 <= each["value"] < inf or (each["unit"] == "fraction" and each["value"] > 1):
            yield f"{name} is {each['value']}"
    result = document["result"]
    moved = result.get("bytes_moved")
    if moved and result["elapsed_s"] <= 0:
        yield "bytes moved in no time"
    if moved == 0 and not result.get("warnings"):
        yield "no bytes moved, and no warning says why"


def comparable(document: Config) -> Config:
    """Without what recording adds and what the host measures."""
    trials = [{name: value for name, value in trial.items() if name != "host"} for trial in document["trials"]]
    return {name: value for name, value in document.items() if name not in ("host", "explain")} | {"trials": trials}


def carried_out(number: int, only: Kinds, of: str = "") -> tuple[Run, Config]:
    """The run of that number. What its simulator refuses is changed, for as long as that may help."""
    program = program_of(number, only)
    config = configuration(number, program, only)
    for _ in range(MOST_CHANGES):
        ended, said = outcome(number, program, config)
        changed = None
        if ended == REFUSED and (named := other_kinds(said, only)):
            changed = configuration(number, program, only := {**only, **named})
        elif ended == REFUSED:
            changed = mended(said, config)
        if changed is None:
            break
        config = changed
    return Run(number, ended, said, of), config


def shrunk(number: int, program: str, config: Config) -> Config:
    """The simplest configuration, leaving out one thing after the other, that still ends in the same way."""
    ended, _ = outcome(number, program, config)
    while less := next((each for each in simpler(config) if outcome(number, program, each)[0] == ended), None):
        config = less
    return config


def write(folder: Path, number: int, program: str, config: Config) -> Path:
    file = make_folder(folder, "") / "config.json"
    file.write_bytes(orjson.dumps(config, option=orjson.OPT_INDENT_2))
    for name, text in files(number, program, config).items():
        (folder / name).write_text(text)
    return file


def campaign(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER")],
    runs: Annotated[int, typer.Option(min=1)] = 1000,
    first: Annotated[int, typer.Option(min=0)] = 0,
    file_system: Annotated[list[str] | None, typer.Option(metavar="KIND")] = None,
) -> None:
    for kind in file_system or ():
        check_choice("--file-system", kind, file_systems())
    only = {"file_system": file_system} if file_system else {}
    record = make_folder(folder, "") / "runs.jsonl"
    programs = sorted({program_of(number, only) for number in range(8)})
    of = " ".join([*(digest_of_program(executable(program)) for program in programs), *(file_system or ())])
    known = {run.number: run for run in read(record) if run.of == of}
    left = [number for number in range(first, first + runs) if number not in known]
    with record.open("ab") as kept, meter(console(stderr=True), "campaign", len(left)) as advance:

        def keep(_: int, run: Run) -> None:
            kept.write(orjson.dumps(asdict(run)) + b"\n")
            kept.flush()
            rmtree(folder / f"failing-{run.number}", ignore_errors=True)
            known[run.number] = run
            advance(not run.failed)

        in_parallel(lambda number: carried_out(number, only, of)[0], left, on_result=keep)
    chosen = [known[number] for number in range(first, first + runs)]
    for what, count in Counter(run.what for run in chosen).most_common():
        typer.echo(f"{count:6} {what}")
    failed = [run for run in chosen if run.failed]
    for run in failed[:10]:
        program, kept_in = program_of(run.number, only), folder / f"failing-{run.number}"
        if not (kept_in / "config.json").exists():
            config = carried_out(run.number, only)[1]
            # Hundreds of tries would each take as long as a run that has not ended
            simplest = config if run.ended == OVERTIME else shrunk(run.number, program, config)
            write(kept_in, run.number, program, simplest)
        typer.echo(f"run {run.number}: {run.said}\n  sunstar-{program} --config {relative(kept_in / 'config.json')}")
    if failed:
        raise typer.Exit(4)


def read(record: Path) -> list[Run]:
    """The runs that a campaign has made. A line that an interruption has cut short is none, and goes."""
    with reading(record):
        lines = record.read_bytes().splitlines(keepends=True) if record.exists() else []
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
        record.write_bytes(b"".join(lines))
    with taking_apart(f"{record} is no record of a campaign; remove it"):
        runs = [Run(**orjson.loads(line)) for line in lines]
        return [Run(int(run.number), int(run.ended), str(run.said), str(run.of)) for run in runs]
