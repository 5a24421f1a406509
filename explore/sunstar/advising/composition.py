# SPDX-License-Identifier: MIT
"""Changes of a machine's parts, of the distribution of its drives, and of its nodes' places in the network."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sunstar.advising.changes import BACK, Change
from sunstar.configurations import key
from sunstar.runs.simulator import Value
from sunstar.structure import drive_of, machine_of

Disk = Mapping[str, Any]  # As in a group of drives; empty: as the machine's
Bus = Sequence[Disk]
DISKS, IO_NODES, NODES = "machine.disks", "machine.io_processors", "machine.nodes"
OF_FLASH = ("nvme_controller", "flash", "pcie_link")
OF_DISKS = ("disk_overhead", "disk_seek", "disk_rotation", "disk_transfer", "drive_interface", *OF_FLASH)
OF_BUSES = ("bus_data", "bus_overhead")
OF_IO_NODES = (*OF_BUSES, "io_processor", "memory", "network", "network_wait")


class Node(NamedTuple):
    role: str
    place: Sequence[int]  # Empty: the next free one
    buses: Sequence[Bus]


def nodes_of(config: Mapping[str, Any]) -> list[Node]:
    """The nodes of an effective configuration, which lists each node and each bus."""
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
    """The nodes with each bus replaced by one or more."""
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
