# SPDX-License-Identifier: MIT
"""All possible changes of a machine; the workload stays as it is. Of single parameters the simulator's schema says what
they are to a designer (`tuning`), which values they may have, and which stages of a run they speed up. Others are
changes of its parts, of the distribution of its drives, and of its nodes' places in the network."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sunstar.configurations import bases_of, changes, joined, key, leaves, shortened
from sunstar.errors import FileError, UsageError, meant
from sunstar.explaining import Stage
from sunstar.quantities import BASES, Quantity, quantity
from sunstar.results import schema_of
from sunstar.runs.simulator import Point, Value, ask
from sunstar.structure import drive_of, machine_of

Json = Mapping[str, Any]
Kind = Literal["setting", "part"]  # A setting costs nothing, a part is other or more hardware
BACK = 0.5  # Putting back the values of the preset, or of the other drives
OTHER_KIND = 5.0  # Another file system, another store: other software, files written anew
Disk = Mapping[str, Any]  # As in a group of drives; empty: as the machine's
Bus = Sequence[Disk]
DISKS, IO_NODES, NODES = "machine.disks", "machine.io_processors", "machine.nodes"
OF_FLASH = ("nvme_controller", "flash", "pcie_link")
OF_DISKS = ("disk_overhead", "disk_seek", "disk_rotation", "disk_transfer", "drive_interface", *OF_FLASH)
OF_BUSES = ("bus_data", "bus_overhead")
OF_IO_NODES = (*OF_BUSES, "io_processor", "memory", "network", "network_wait")
ANY_FACTOR = 1e9  # No bound says how much faster another drive may be
MOST_NAMED = 3  # Parameters of a drive
STORE = "file_system.store.kind"
LOSSES = ("medium-error", "power-loss", "corruption", "stop", "reboot", "message-lost", "message-corrupted")
COUNTS = ("compute_processors", "io_processors", "combined", "disks")
OF_A_CALL = ("records", "interval", "trials", "jobs")  # Parameters of `run` that do not belong to the machine


@dataclass(frozen=True, eq=False)
class Change:
    path: str  # The changed parameter, or part of the machine
    was: str
    to: str
    settings: Mapping[str, Value]  # As --set takes them
    kind: Kind
    added: float = 0.0  # How much hardware a part adds, as a share of all parts of its kind; 1 if it doubles them
    stages: Sequence[str] = ()  # The stages of the critical path that it shortens `factor` times; none if not known
    factor: float = 2.0
    work: float = 1.0  # As many times that of another value: BACK or OTHER_KIND
    values: int = 1  # How many values of the configuration it changes

    def __str__(self) -> str:
        return f"{self.path}: {self.was} -> {self.to}"

    def at_most(self, path: Sequence[Stage]) -> float | None:
        """The bound of its gain by this critical path, if it also saved all waiting; None if unknown."""
        if not self.stages:
            return None
        left = (each.share * (1 / self.factor if each.stage in self.stages else not each.waits) for each in path)
        rest = sum(left)
        return 1 / rest if rest > 0 else None


@dataclass(frozen=True)
class Parameter:
    path: str
    value: Any  # Any JSON
    schema: Json
    tuning: str

    @property
    def is_rate(self) -> bool:
        found = quantity(self.value)
        return found is not None and found.base in ("B/s", "Hz")

    @property
    def is_kind(self) -> bool:
        return self.path.endswith(".kind")

    def alternatives(self) -> list[Value]:
        """Its other values, as far as they have names, or half and twice its number."""
        if "enum" in self.schema or isinstance(self.value, bool):
            return [each for each in self.schema.get("enum", (True, False)) if each != self.value]
        number = isinstance(self.value, int | float) or quantity(self.value)
        return [times(self.value, factor) for factor in (2, 0.5)] if number else []


def times(value: Any, factor: float) -> Value:  # noqa: ANN401  a number or a quantity
    """A number or a quantity times `factor`, in the unit that people would use."""
    found = quantity(value)
    if found is None:
        return int(value * factor) if isinstance(value, int) else float(value * factor)
    large, own = found.value * factor, BASES[found.base][value.lstrip("0123456789. ")]
    units = [(size, unit) for unit, size in BASES[found.base].items() if ("i" in unit) == ("i" in value)]
    for size, unit in sorted(units, reverse=True):
        text = f"{large / size:.6g}{unit}"
        same = quantity(text) == Quantity(large, found.base)
        if same and large >= size and (size <= own or large % size == 0):
            return text
    return str(Quantity(large, found.base))


def parameters(schema: Json, config: Json, path: str = "", tuning: str = "") -> Iterator[Parameter]:
    """The parameters of a configuration that a designer may change, with sections of the catalogue."""
    section = next((each for each in choices(schema) if "properties" in each), schema)
    known = dict(section.get("properties", {}))
    for case in section.get("allOf", ()):
        [(tag, wanted)] = case["if"]["properties"].items()
        if config.get(tag, known[tag].get("default")) == wanted["const"]:
            known |= case["then"]["properties"]
    for name, value in config.items():
        inner, here = known.get(name, {}), joined(path, name)
        how = inner.get("tuning", tuning)
        if not inner or how == "fixed":
            continue
        if not isinstance(value, Mapping):
            yield Parameter(here, value, inner, how)
            continue
        if names_of_catalogue(inner):
            yield Parameter(here, value, inner, "catalogue")
        yield from parameters(inner, value, here, how)


def choices(schema: Json) -> list[Json]:
    """The allowed forms of a value: an object or the name of one, or nothing."""
    return [each for part in schema["anyOf"] for each in choices(part)] if "anyOf" in schema else [schema]


def names_of_catalogue(schema: Json) -> list[str]:
    return [name for each in choices(schema) for name in each.get("examples", ())]


def in_words(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else value if isinstance(value, str) else json.dumps(value)


def changes_of(found: Sequence[Parameter], references: Sequence[Json]) -> Iterator[Change]:
    """The changes of single parameters: to a reference's values, to other values, and rates of hardware doubled."""
    before = [dict(leaves(each)) for each in references]
    replaced_whole = tuple(f"{each.path}." for each in found if each.tuning == "catalogue")
    for each in found:
        usual = [known[each.path] for known in before if each.path in known]
        for i, value in enumerate(usual):
            new = each.tuning != "catalogue" and value not in (each.value, *usual[:i])
            if new and not worsens(each, value):
                yield change(each, value, 0.0, work=BACK)
        others = [value for value in each.alternatives() if value not in (each.value, *usual)]
        if each.tuning in ("setting", "part"):
            for value in others:
                yield change(each, value, 1.0, work=OTHER_KIND if each.is_kind else 1.0)
        elif each.is_rate and "speeds_up" in each.schema and not each.path.startswith(replaced_whole):
            yield change(each, times(each.value, 2), 1.0, each.schema["speeds_up"])


def change(each: Parameter, value: Value, added: float, stages: Sequence[str] = (), work: float = 1.0) -> Change:
    kind: Kind = "setting" if each.tuning == "setting" else "part"
    more = 0.0 if kind == "setting" else added
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return Change(each.path, in_words(each.value), in_words(value), {each.path: value}, kind, more, stages, work=work)


def worsens(each: Parameter, usual: Any) -> bool:  # noqa: ANN401  any JSON
    was, back = quantity(each.value), quantity(usual)
    if "speeds_up" not in each.schema or not was or not back:
        return False
    return back.value < was.value if each.is_rate else back.value > was.value


class Node(NamedTuple):
    role: str
    place: Sequence[int]  # Empty: the next free one
    buses: Sequence[Bus]


def nodes_of(config: Mapping[str, Any]) -> list[Node]:
    return [
        Node(node["role"], node["place"], [drives_of(bus) for bus in node["buses"]])
        for node in config["machine"]["nodes"]
    ]


def drives_of(bus: Mapping[str, Any]) -> Bus:
    kinds = ("disk", "nvme")
    return [
        {kind: group[kind] for kind in kinds if group.get(kind)}
        for group in bus["drives"]
        for _ in range(group["count"])
    ]


def written(nodes: Sequence[Node], placed: bool) -> dict[str, Value]:
    """The setting that lists these nodes, equal neighbours in one entry."""
    listed = []
    for role, place, buses in nodes:
        of = [{"drives": folded([dict(disk) for disk in bus])} for bus in buses]
        where = {"place": list(place)} if placed and place else {}
        listed.append({"role": role, **where, **({"buses": folded(of)} if of else {})})
    return {NODES: folded(listed)}


def folded(items: Sequence[dict[str, Any]]) -> list[Any]:
    groups = [list(group) for _, group in groupby(items, key)]
    return [{"count": len(group), **group[0]} if len(group) > 1 else group[0] for group in groups]


def compositions(config: Mapping[str, Any], by_counts: bool, placed: bool) -> Iterator[Change]:
    """`by_counts`: its counts say all about its nodes; `placed`: nodes have places of their own."""
    nodes = nodes_of(config)
    buses = [bus for node in nodes for bus in node.buses]
    sizes = [len(bus) for bus in buses]
    serving = sum(node.role == "io" for node in nodes)
    if not buses:
        return
    twice = {DISKS: 2 * sum(sizes)} if by_counts else written(with_buses(nodes, lambda bus: [[*bus, *bus]]), placed)
    yield Change(DISKS, str(sum(sizes)), str(2 * sum(sizes)), twice, "part", 1.0, OF_DISKS)
    if max(sizes) > 1:
        yield split("buses", nodes, placed, 1)
    if any(1 < size < max(sizes) for size in sizes):
        yield split("the fullest buses", nodes, placed, max(sizes) - 1)
    if serving:
        halves = [half for node in nodes for half in (halved_node(node) if node.role == "io" else [node])]
        drives = sum(len(bus) for node in halves for bus in node.buses)
        counts = {IO_NODES: 2 * serving, **({DISKS: drives} if drives > sum(sizes) else {})}
        stages = (*OF_IO_NODES, *(OF_DISKS if drives > sum(sizes) else ()))
        settings = counts if by_counts else written(halves, placed)
        yield Change(IO_NODES, str(serving), str(2 * serving), settings, "part", 1.0, stages)
    if max(sizes) - min(sizes) > 1:
        drives_in_turn = [disk for bus in buses for disk in bus]
        dealt = iter([drives_in_turn[i :: len(buses)] for i in range(len(buses))])
        even = written(with_buses(nodes, lambda _: [next(dealt)]), placed)
        yield Change("the drives of buses", f"{min(sizes)} to {max(sizes)}", "as many on each", even, "setting")
    if placed:
        anywhere = written(nodes, placed=False)
        yield Change("the nodes' places", "as listed", str(config["machine"]["placement"]), anywhere, "setting")
    yield from odd_drives(config, nodes, placed)


def with_buses(nodes: Sequence[Node], change: Callable[[Bus], Sequence[Bus]]) -> list[Node]:
    return [node._replace(buses=[new for bus in node.buses for new in change(bus)]) for node in nodes]


def halved(bus: Bus) -> list[Bus]:
    return [bus[::2], bus[1::2]]


def halved_node(node: Node) -> list[Node]:
    """Two nodes with half the buses each, or half the drives, or, of a single drive, with one each."""
    bus = node.buses[0]
    half: list[Sequence[Bus]] = [[part] for part in (halved(bus) if len(bus) > 1 else [bus, bus])]
    parts = [node.buses[::2], node.buses[1::2]] if len(node.buses) > 1 else half
    return [node._replace(buses=parts[0]), Node(node.role, (), parts[1])]


def split(what: str, nodes: Sequence[Node], placed: bool, most: int) -> Change:
    """Buses with more drives than `most` give half of them to a further bus of the same node."""
    parted = with_buses(nodes, lambda bus: halved(bus) if len(bus) > most else [bus])
    before, after = (sum(len(node.buses) for node in each) for each in (nodes, parted))
    more = (after - before) / before
    return Change(what, str(before), f"{after}, the drives halved", written(parted, placed), "part", more, OF_BUSES)


def odd_drives(config: Mapping[str, Any], nodes: Sequence[Node], placed: bool) -> Iterator[Change]:
    """Each rare type of drives, replaced by the most common type."""
    machine = machine_of(config)
    assert machine  # it has nodes
    buses = [bus for node in machine.nodes for bus in node.buses]
    names = [f"{bus.name}.disk{i}".removeprefix("machine.") for bus in buses for i in range(len(bus.drives))]
    drives = dict(zip(names, (disk for node in nodes for bus in node.buses for disk in bus), strict=True))
    types = Counter(map(key, drives.values()))
    usual = max(types, key=lambda each: (types[each], each == key({})))
    model = next(disk for disk in drives.values() if key(disk) == usual)
    for odd in (each for each in types if each != usual):
        places = [name for name, disk in drives.items() if key(disk) == odd]
        what = ", ".join(places[:2]) + (f" and {len(places) - 2} more" if len(places) > 2 else "")
        same = [
            node._replace(buses=[[model if key(disk) == odd else disk for disk in bus] for bus in node.buses])
            for node in nodes
        ]
        was, to = (drive_of(disk, config["machine"])["name"] for disk in (drives[places[0]], model))
        yield Change(what, was, f"{to}, as the others", written(same, placed), "part", work=BACK)


@dataclass(frozen=True)
class Machine:
    """The machine in question, as a file that all runs start from."""

    program: str
    config: Json  # Effective
    file: Path
    by_counts: bool  # Whether the file has counts in place of nodes
    placed: bool  # Whether its nodes have places other than machine.placement's

    @property
    def drive(self) -> str:
        """The section of all drives that have no parameters of their own."""
        return f"machine.{'nvme' if self.config['machine'].get('nvme') else 'disk'}"

    def point(self, settings: Mapping[str, Value]) -> Point:
        return Point(settings, self.file, self.program)

    def parameters(self, config: Json) -> list[Parameter]:
        """The parameters that a designer may change, of parts that the machine has."""
        groups = [disk for node in nodes_of(config) for bus in node.buses for disk in bus]
        absent = {"machine.disk", "machine.nvme"} - ({self.drive} if {} in groups else set())
        if "machine.disk" in absent and not any("disk" in disk for disk in groups):
            absent |= {"machine.bus", "machine.spindles"}
        found = parameters(schema_of(self.program, "--schema"), config)
        return [each for each in found if not within(each.path, absent)]


def within(path: str, sections: Collection[str]) -> bool:
    """Whether it is one of these paths, or below one."""
    return f"{path}.".startswith(tuple(f"{section}." for section in sections))


def machine_in(program: str, config: Json, folder: Path) -> Machine:
    """The machine of an effective configuration. Its file leaves out what follows from the rest (nodes from counts,
    places, the network's shape), so that the rest can be changed."""
    if "nodes" not in config.get("machine", ()):
        raise FileError(f"sunstar-{program} has no machine of nodes and drives, so there is nothing to advise")
    hardware, file = dict(config["machine"]), folder / "config.json"
    run = {name: value for name, value in config["run"].items() if name not in OF_A_CALL}
    listed, shape = hardware.pop("nodes"), hardware["network"].get("shape")
    counts = {name: hardware.pop(name) for name in COUNTS}
    forms: list[Json] = [counts, {"nodes": written(nodes_of(config), placed=False)[NODES]}, {"nodes": listed}]
    for form in forms:
        for words in [{"shape": each} for each in ("square", "cubic", shape)] if shape else [{}]:
            machine = {**hardware, **form, "network": {**hardware["network"], **words}}
            file.write_text(json.dumps({**config, "run": run, "machine": machine}))
            [answer] = ask([Point({}, file, program)])
            if answer.get("config", {}).get("machine") == config["machine"]:
                return Machine(program, config, file, form is forms[0], form is forms[-1])
    raise FileError(f"sunstar-{program} does not take the configuration that it has printed; it is of another version")


@dataclass(frozen=True)
class Candidates:
    changes: Sequence[Change]
    refused: Mapping[Change, str]  # The refused settings, and why


def candidates(machine: Machine, keep: Collection[str] = ()) -> Candidates:
    """All changes that the simulator takes and uses, except in `keep`, beginning with those that put something back."""
    every = [
        *mended(machine.config),
        *of_parameters(machine),
        *compositions(machine.config, machine.by_counts, machine.placed),
    ]
    for path in keep:
        if not any(within(each.path, [path]) for each in every):
            paths = dict.fromkeys(each.path for each in every)
            raise UsageError(f"--keep {path}: nothing there would be changed{meant(path, paths)}")
    wanted = sorted((each for each in every if not within(each.path, keep)), key=lambda each: each.work)
    answers = dict(zip(wanted, ask([machine.point(each.settings) for each in wanted]), strict=True))
    return Candidates(
        [
            replace(each, values=sum(1 for _ in changes(machine.config, answer["config"])))
            for each, answer in answers.items()
            if "config" in answer and matters(machine, each, answer)
        ],
        {each: answer["error"] for each, answer in answers.items() if "error" in answer},
    )


def matters(machine: Machine, change: Change, answer: Json) -> bool:
    """Whether it changes anything, and the simulator does not warn that it is unused, hardly meant or unsuitable."""
    words = "" if change.path.endswith(".kind") else ".*(not used|hardly meant)"
    named = re.compile(rf"(?<![\w.]){re.escape(change.path)}(?![\w.]){words}")
    warned = any(named.search(sentence.partition(";")[0]) for sentence in answer["warnings"])
    return not warned and answer["config"] != machine.config


def of_parameters(machine: Machine) -> Iterator[Change]:
    """Other values of parameters; the values and kinds of a base of these kinds and this size are put back. A drive of
    the catalogue is compared with its catalogue file."""
    config, found, drive = machine.config, machine.parameters(machine.config), machine.drive.rpartition(".")[2]
    drives, mine = catalogue(machine, found), config["machine"][drive]
    usual = next((disk for disk in drives.values() if disk["name"] == mine["name"]), mine)
    size = {f"machine.{name}": config["machine"][name] for name in COUNTS}
    kinds = {each.path: each.value for each in found if each.is_kind}
    same = {**kinds, **{f"workload.{name}": value for name, value in config["workload"].items()}}
    presets, alike = [], []
    for base in bases_of(config["base"]):
        of_size = {"base": base, **size}
        known = ask([Point(each, None, machine.program) for each in (of_size, {**of_size, **same})])
        # A preset may not go with these counts, or with this workload
        preset, reference = (each.get("config", config) for each in known)
        presets.append(preset)
        alike.append({**reference, "machine": {**reference["machine"], drive: usual}})
    yield from changes_of([each for each in found if each.path in same and not each.tuning], presets)
    yield from (with_checks(each, config) for each in changes_of(found, alike))
    yield from of_drive(machine.drive, mine, drives, [(preset["machine"][drive] or mine)["name"] for preset in presets])


def catalogue(machine: Machine, found: Sequence[Parameter]) -> dict[str, Json]:
    """The drives that may take the place of the machine's, by the names of their files."""
    names = [name for each in found if each.path == machine.drive for name in names_of_catalogue(each.schema)]
    answers = ask([machine.point({machine.drive: name}) for name in names]) if names else []
    section, known = machine.drive.rpartition(".")[2], zip(names, answers, strict=True)
    return {name: answer["config"]["machine"][section] for name, answer in known if "config" in answer}


def of_drive(path: str, mine: Json, drives: Mapping[str, Json], of_presets: Sequence[str]) -> Iterator[Change]:
    """The catalogue's drive in place of one that differs in several values, and other drives."""
    known = next((name for name, disk in drives.items() if disk["name"] == mine["name"]), None)
    sold = drives[known] if known else mine
    edits = list(changes(mine, sold))
    if known and len(edits) > 1:
        was, to = (
            ", ".join(f"{each.path} {shortened(getattr(each, side), 20)}" for each in edits[:MOST_NAMED])
            for side in ("a", "b")
        )
        yield Change(path, was, f"as sold, {to}", {path: known}, "part", work=BACK)
    for name, disk in drives.items():
        if name != known:
            back = disk["name"] in of_presets and not edits
            more = 0.0 if back else max(1.0, speed_of(disk) / speed_of(sold) - 1)
            work = BACK if back else 1.0
            yield Change(path, mine["name"], disk["name"], {path: name}, "part", more, OF_DISKS, ANY_FACTOR, work)


def speed_of(disk: Json) -> float:
    """A drive's speed, for comparison with others of its kind: the root of its rate at the heads times its revolutions;
    of flash, the rate that its channels and its firmware let pass."""
    if "zones" not in disk:
        most = number(disk["read_bandwidth"]), disk["channels"] * (number(disk["channel_rate"]) or 0)
        return min(rate for rate in most if rate)
    cylinders = sum(zone["cylinders"] for zone in disk["zones"])
    sectors = sum(zone["cylinders"] * zone["sectors_per_track"] for zone in disk["zones"]) / cylinders
    return float(disk["rpm"] * sectors**0.5)


def with_checks(change: Change, config: Json) -> Change:
    """A store that keeps copies or checks needs more drives to hold as much as a plain one."""
    if change.path != STORE or change.was != "plain":
        return change
    serving = sum(1 for node in config["machine"]["nodes"] if node["buses"])
    drives = config["machine"]["disks"] / max(1, serving)
    lost = {"mirror": 1 / 2, "raid6": 2 / drives, "parity-declustered": 1 / 4}.get(change.to, 1 / drives)
    return replace(change, kind="part", added=lost / (1 - lost) if lost < 1 else 1.0)


def mended(config: Json) -> Iterator[Change]:
    """A part with faults that cost time is replaced; faults that lose data belong to the question, and stay."""
    costly = [each for each in config["faults"] if each["effect"] not in LOSSES]
    for place in dict.fromkeys(each["place"] for each in costly):
        rest = [each for each in config["faults"] if each not in costly or each["place"] != place]
        effects = ", ".join(dict.fromkeys(each["effect"] for each in costly if each["place"] == place))
        to = "another drive of its type" if ".disk" in place else "mended"
        yield Change(place, effects, to, {"faults": rest}, "part", work=BACK)


def once_more(machine: Machine, change: Change) -> Change | None:
    """A number doubled once more, or halved if the change makes it smaller; None for what has no number or no more."""
    was, to = number(change.was), number(change.to)
    if was is None or to is None:
        return None
    [now] = ask([machine.point(change.settings)])
    if "error" in now:
        return None
    counted = machine.by_counts and NODES not in change.settings
    same = [each for each in machine.parameters(now["config"]) if each.path == change.path]
    for each in (*changes_of(same, []), *compositions(now["config"], counted, machine.placed)):
        if each.path == change.path and ((number(each.to) or 0) > to) == (to > was):
            more = replace(each, was=change.was, settings={**change.settings, **each.settings})
            [answer] = ask([machine.point(more.settings)])
            return more if "config" in answer and matters(machine, more, answer) else None
    return None


def number(text: str) -> float | None:
    """The number at the start of a change: a quantity or a count."""
    found = quantity(text)
    count = re.match(r"\d+(\.\d+)?(?![\w.])", text)
    return found.value if found else float(count[0]) if count else None
