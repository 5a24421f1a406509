# SPDX-License-Identifier: MIT
"""Changes of what a machine consists of: more drives, buses and I/O nodes; drives dealt out anew; a drive, or a few,
unlike all others; places in the network."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from sunstar.advising.changes import Change
from sunstar.configurations import key
from sunstar.runs.simulator import Value
from sunstar.structure import machine_of

Json = Mapping[str, Any]
Disk = Any  # None: machine.disk
Bus = list[Disk]
"""The drives of a bus, one by one."""
DISKS, BUSES, IO, NODES = "machine.disks", "buses", "machine.io_processors", "machine.nodes"
DISK_STAGES = ("disk_overhead", "disk_seek", "disk_rotation", "disk_transfer", "drive_interface")
BUS_STAGES = ("bus_data", "bus_overhead")
NODE_STAGES = (*BUS_STAGES, "io_processor", "memory", "network", "network_wait")


@dataclass(frozen=True)
class Node:
    role: str
    place: Sequence[int]  # Empty: the next free one
    buses: Sequence[Bus]

    @property
    def drives(self) -> int:
        return sum(map(len, self.buses))


def nodes_of(config: Json) -> list[Node]:
    """The nodes of an effective configuration."""
    return [
        Node(node["role"], node["place"], [drives_of(bus) for bus in node["buses"] for _ in range(bus["count"])])
        for node in config["machine"]["nodes"]
        for _ in range(node["count"])
    ]


def drives_of(bus: Json) -> Bus:
    return [group["disk"] for group in bus["drives"] for _ in range(group["count"])]


def written(nodes: Sequence[Node]) -> list[Any]:
    """The nodes as a configuration lists them, with those together that are alike."""

    def node(each: Node) -> dict[str, Any]:
        buses = folded([{"drives": folded([{} if d is None else {"disk": d} for d in bus])} for bus in each.buses])
        return {
            "role": each.role,
            **({"place": list(each.place)} if each.place else {}),
            **({"buses": buses} if buses else {}),
        }

    return folded([node(each) for each in nodes])


def bare(nodes: Sequence[Node]) -> list[Any]:
    """The same without places."""
    return written([Node(node.role, (), node.buses) for node in nodes])


def folded(items: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for _, group in groupby(items, key):
        same = list(group)
        found.append({**({"count": len(same)} if len(same) > 1 else {}), **same[0]})
    return found


@dataclass(frozen=True)
class Composition:
    config: Json  # Effective
    by_counts: bool  # Whether counts alone give its nodes
    placed: bool  # Whether nodes have places that machine.placement would not give them

    @property
    def nodes(self) -> list[Node]:
        return nodes_of(self.config)

    def changes(self) -> Iterator[Change]:
        nodes = self.nodes
        buses = [bus for node in nodes for bus in node.buses]
        if not buses:
            return
        disks, most = sum(map(len, buses)), max(map(len, buses))
        yield self.counted(DISKS, disks, 2 * disks, DISK_STAGES, each_bus(nodes, lambda bus: bus * 2))
        if most > 1:
            yield self.split(nodes, "buses", lambda bus: len(bus) > 1)
            if any(1 < len(bus) < most for bus in buses):
                yield self.split(nodes, "the fullest buses", lambda bus: len(bus) == most)
        serving = [node for node in nodes if node.role == "io"]
        if serving:
            more = [part for node in nodes for part in (halves(node) if node.role == "io" else [node])]
            stages = (*NODE_STAGES, *(DISK_STAGES if any(node.drives == 1 for node in serving) else ()))
            yield self.counted(IO, len(serving), 2 * len(serving), stages, more)
        if most - min(map(len, buses)) > 1:
            even: dict[str, Value] = {NODES: written(levelled(nodes))}
            yield Change("the drives of buses", f"{min(map(len, buses))} to {most}", "as many on each", even, "setting")
        yield from self.odd_drives(nodes)
        if self.placed:
            yield Change(
                "the nodes' places",
                "as listed",
                str(self.config["machine"]["placement"]),
                {NODES: bare(nodes)},
                "setting",
            )

    def counted(self, path: str, was: int, to: int, stages: Sequence[str], nodes: Sequence[Node]) -> Change:
        """More of what is counted: by its count, if counts are all that the configuration has."""
        settings: dict[str, Value] = {NODES: written(nodes)}
        if self.by_counts:
            settings = {path: to}
            if path == IO and sum(map(len, (bus for node in nodes for bus in node.buses))) != self.disks:
                settings[DISKS] = 2 * self.disks
        return Change(path, str(was), str(to), settings, "part", 1.0, stages)

    @property
    def disks(self) -> int:
        return sum(node.drives for node in self.nodes)

    def names(self) -> list[str]:
        """Of the drives, as in iop0_scsi0.disk1."""
        found = machine_of(self.config)
        buses = [bus for node in found.nodes for bus in node.buses] if found else []
        return [f"{bus.name.removeprefix('machine.')}.disk{i}" for bus in buses for i in range(len(bus.drives))]

    def split(self, nodes: Sequence[Node], what: str, chosen: Callable[[Bus], bool]) -> Change:
        """Half of the drives of these buses on a bus of their own, at the same node."""
        parted = [
            Node(
                node.role, node.place, [part for bus in node.buses for part in (halved(bus) if chosen(bus) else [bus])]
            )
            for node in nodes
        ]
        before, after = (sum(len(node.buses) for node in each) for each in (nodes, parted))
        return Change(
            what,
            f"{before} in all",
            f"{after}, each with half the drives",
            {NODES: written(parted)},
            "part",
            (after - before) / before,
            BUS_STAGES,
        )

    def odd_drives(self, nodes: Sequence[Node]) -> Iterator[Change]:
        """Drives unlike most, each kind of them replaced by what most are."""
        drives = [disk for node in nodes for bus in node.buses for disk in bus]
        types = Counter(map(key, drives))
        usual = max(types, key=lambda each: (types[each], each == key(None)))
        for odd in types:
            if odd == usual:
                continue
            as_usual, other = (next(d for d in drives if key(d) == each) for each in (usual, odd))
            replaced = each_bus(nodes, partial(exchanged, odd, as_usual))
            places = [name for name, disk in zip(self.names(), drives, strict=True) if key(disk) == odd]
            what = ", ".join(places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else "")
            names = [str((disk or self.config["machine"]["disk"])["name"]) for disk in (other, as_usual)]
            yield Change(what, names[0], f"{names[1]}, as the others", {NODES: written(replaced)}, "part", back=True)


def each_bus(nodes: Sequence[Node], change: Callable[[Bus], Bus]) -> list[Node]:
    return [Node(node.role, node.place, [change(bus) for bus in node.buses]) for node in nodes]


def exchanged(odd: str, usual: Disk, bus: Bus) -> Bus:
    return [usual if key(each) == odd else each for each in bus]


def halved(bus: Bus) -> list[Bus]:
    return [bus[::2], bus[1::2]]


def halves(node: Node) -> list[Node]:
    """Two nodes with half the buses each, or half the drives, or, of a single drive, with one each."""
    if len(node.buses) > 1:
        parts: list[Sequence[Bus]] = [node.buses[::2], node.buses[1::2]]
    else:
        bus = node.buses[0]
        parts = [[half] for half in halved(bus)] if len(bus) > 1 else [[bus], [bus]]
    return [Node(node.role, node.place if i == 0 else (), part) for i, part in enumerate(parts)]


def levelled(nodes: Sequence[Node]) -> list[Node]:
    """All drives dealt out to all buses in turn."""
    buses = [bus for node in nodes for bus in node.buses]
    drives = [disk for bus in buses for disk in bus]
    dealt = iter([drives[i :: len(buses)] for i in range(len(buses))])
    return [Node(node.role, node.place, [next(dealt) for _ in node.buses]) for node in nodes]
