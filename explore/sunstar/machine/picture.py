# SPDX-License-Identifier: MIT
"""A machine as a drawing: its nodes where they are on their network, with the utilisation of each resource."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Shape = Literal["frame", "cpu", "bus", "scsi", "disk", "link", "port", "router", "work"]
WIDE, LOW = 12.0, 4.6
"""The tile of a node without drives, in units of the drawing, in which a line of text is one high."""
GAP = 2.4
"""Between tiles, where links are drawn."""
MARGIN = 2.8
LETTER = 0.52
"""The width of a letter."""
DISKS_IN_A_ROW = 4
WORK = ("overhead_time", "wait_time", "seek_time", "rotation_time", "transfer_time")
"""What a drive alone does, in the order in which it serves a request."""


@dataclass(frozen=True)
class Box:
    """A resource, or the frame of a node."""

    shape: Shape
    x: float
    y: float
    width: float
    height: float
    name: str
    """The path of the resource; of a frame, the node's name."""
    value: float | None = None
    """Its utilisation, from 0 to 1; None of a frame, of what is not measured, and of a machine that has not run."""
    more: str = ""
    """Further shares, for whoever asks."""

    @property
    def words(self) -> str:
        """What is written in it if it is large enough."""
        share = "" if self.value is None else f"{100 * self.value:.0f} %"
        called = f"{self.name.rpartition('.')[2]} {share}".strip()
        return called if len(called) * LETTER <= self.width else share


@dataclass(frozen=True)
class Picture:
    width: float
    height: float
    boxes: Sequence[Box]
    what: str
    """What the network is, as in "torus of 6 x 6"."""


@dataclass(frozen=True)
class Shares:
    """The shares of time in a result's statistics."""

    statistics: Mapping[str, Any]

    def of(self, resource: str, *statistics: str) -> tuple[float | None, str]:
        """The sum of these statistics of a resource, and each in words."""
        found = {name: self.one(f"{resource}.{name}") for name in statistics}
        known = {name: value for name, value in found.items() if value is not None}
        words = ", ".join(f"{name.replace('_', ' ')} {100 * value:.1f} %" for name, value in known.items())
        return (sum(known.values()) if known else None), words if len(known) > 1 else ""

    def one(self, name: str) -> float | None:
        each = self.statistics.get(name)
        return None if each is None else each["value"]

    def has(self, name: str) -> bool:
        """Whether the machine has the resource of this statistic. One that has not run may have it."""
        return not self.statistics or self.one(name) is not None


def picture_of(config: Mapping[str, Any], statistics: Mapping[str, Any], elapsed_s: float | None) -> Picture | None:
    """The drawing of a run, or without statistics that of a configuration; None if there is no machine to draw."""
    machine = config.get("machine")
    if not isinstance(machine, Mapping):
        return None
    shares = Shares(statistics)
    network = machine.get("network")
    nodes = machine.get("nodes") or []
    if isinstance(network, Mapping) and (nodes or network.get("shape")):
        return of_network(network, nodes, shares)
    return of_drive(shares, elapsed_s)


def drawing_of(picture: Picture) -> dict[str, Any]:
    places = [
        [box.shape, *(round(each, 2) for each in (box.x, box.y, box.width, box.height)), box.name]
        for box in picture.boxes
    ]
    return {"width": round(picture.width, 2), "height": round(picture.height, 2), "what": picture.what, "boxes": places}


def of_drive(shares: Shares, elapsed_s: float | None) -> Picture | None:
    """A drive alone: what it did in which share of the time."""
    times = {name: shares.one(f"machine.disk.{name}") for name in WORK}
    if shares.statistics and (not elapsed_s or all(value is None for value in times.values())):
        return None
    boxes = [Box("frame", MARGIN, MARGIN, WIDE * 4 + 1, 5.6, "disk")]
    side = WIDE * 4 / len(WORK)
    for i, (name, value) in enumerate(times.items()):
        share = value / elapsed_s if value is not None and elapsed_s else None
        what = name.removesuffix("_time")
        boxes.append(Box("work", MARGIN + 0.6 + i * side, MARGIN + 1.5, side - 0.4, 3.4, f"machine.disk.{what}", share))
    return Picture(WIDE * 4 + 1 + 2 * MARGIN, 5.6 + 2 * MARGIN, boxes, "a drive alone: shares of the time")


def of_network(network: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]], shares: Shares) -> Picture:
    names = names_of(nodes)
    shape = network.get("shape")
    places = {tuple(node["place"]): i for i, node in enumerate(nodes)}
    high = max([LOW, *(height(node) for node in nodes)])
    boxes: list[Box] = []
    if shape:
        columns, rows = grid(shape)
        sites = list(coordinates(shape))
    else:
        columns = min(len(nodes), 8) if len(nodes) <= 32 else math.ceil(math.sqrt(2 * len(nodes)))
        rows = math.ceil(len(nodes) / columns)
        sites = sorted(places)
    top = MARGIN
    for resource in shared(network):  # a medium that all share spans the machine
        value, _ = shares.of(resource, "utilisation")
        boxes.append(Box("port", MARGIN, top, columns * (WIDE + GAP) - GAP, 1.6, resource, value))
        top += 1.6 + GAP
    for index, site in enumerate(sites):
        column, row = at(site, shape) if shape else (index % columns, index // columns)
        x, y = MARGIN + column * (WIDE + GAP), top + row * (high + GAP)
        node = places.get(site)
        if node is not None:
            boxes += tile(nodes[node], names[node], shares, x, y, high)
        if shape:
            boxes += links(index, site, network, shares, x, y, high, empty=node is None)
        else:
            if not shared(network):
                boxes += port(site[0], shares, x, y + high)
    width, full = MARGIN * 2 + columns * (WIDE + GAP) - GAP, top + rows * (high + GAP) + MARGIN / 2
    return Picture(width, full, boxes, what(network, shape, len(sites)))


def names_of(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names by which statistics call the nodes: processors are counted by what they can do."""
    found = []
    computing = serving = 0
    for i, node in enumerate(nodes):
        role = node["role"]
        found.append({"compute": f"cp{computing}", "io": f"iop{serving}"}.get(role, f"node{i}"))
        computing += role in ("compute", "both")
        serving += role in ("io", "both")
    return found


def what(network: Mapping[str, Any], shape: Sequence[int] | None, sites: int) -> str:
    if shape:
        return f"{network.get('topology', 'network')} of {' x '.join(map(str, shape))} routers"
    return f"{sites} nodes on a {network.get('medium', 'switch')}"


def grid(shape: Sequence[int]) -> tuple[int, int]:
    """Columns and rows of the drawing: the first two dimensions, and further ones as planes below each other."""
    rows = shape[1] if len(shape) > 1 else 1
    return shape[0], rows * math.prod(shape[2:])


def coordinates(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Those of all routers in the order of their numbers: the first dimension runs first."""
    for index in range(math.prod(shape)):
        found, rest = [], index
        for size in shape:
            found.append(rest % size)
            rest //= size
        yield tuple(found)


def at(site: Sequence[int], shape: Sequence[int]) -> tuple[int, int]:
    row, planes = 0, 1
    for place, size in zip(site[1:], shape[1:], strict=True):
        row += place * planes
        planes *= size
    return site[0], row


def shared(network: Mapping[str, Any]) -> list[str]:
    """Parts of the network that are no port of one node and no router: a hub."""
    return ["machine.network.hub"] if network.get("medium") == "hub" else []


def rows_of_disks(node: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    """The rows in which a node's drives are drawn: bus, first drive, how many."""
    rows = []
    for bus, each in enumerate(node["buses"]):
        drives = sum(group["count"] for group in each["drives"])
        rows += [(bus, first, min(DISKS_IN_A_ROW, drives - first)) for first in range(0, drives, DISKS_IN_A_ROW)]
    return rows


def height(node: Mapping[str, Any]) -> float:
    return LOW + 3.0 * len(rows_of_disks(node))


def tile(node: Mapping[str, Any], name: str, shares: Shares, x: float, y: float, high: float) -> Iterator[Box]:
    """A node: its processor and bus, and below them each SCSI bus with its drives."""
    yield Box("frame", x, y, WIDE, high, name)
    half = (WIDE - 1.2) / 2
    resource = f"machine.{name}"
    value, words = shares.of(f"{resource}.cpu", "thread_utilisation", "interrupt_utilisation")
    yield Box("cpu", x + 0.4, y + 1.6, half, 2.4, f"{resource}.cpu", value, words)
    value, words = shares.of(f"{resource}.bus", "utilisation")
    yield Box("bus", x + 0.8 + half, y + 1.6, half, 2.4, f"{resource}.bus", value, words)
    for row, (bus, first, drives) in enumerate(rows_of_disks(node)):
        below = y + 4.4 + row * 3.0
        scsi = f"{resource}_scsi{bus}"
        value, words = shares.of(f"{scsi}.bus", "utilisation")
        yield Box("scsi", x + 0.4, below, WIDE - 0.8, 0.5, f"{scsi}.bus", value, words)
        side = (WIDE - 0.8) / max(drives, 2)
        for i in range(drives):
            disk = f"{scsi}.disk{first + i}"
            value, _ = shares.of(disk, "utilisation")
            heads, _ = shares.of(disk, "heads_utilisation")
            more = "" if heads is None else f"heads {100 * heads:.1f} %"
            yield Box("disk", x + 0.4 + i * side, below + 0.7, side - 0.2, 1.9, disk, value, more)


def links(
    router: int,
    site: Sequence[int],
    network: Mapping[str, Any],
    shares: Shares,
    x: float,
    y: float,
    high: float,
    empty: bool,
) -> Iterator[Box]:
    """The channels that leave a router: to the right and left of its tile in the first dimension, below and above in
    the others. A router without a node has a frame of its own, with injection and ejection."""
    resource = f"machine.network.router{router}"
    if empty:
        yield Box("frame", x, y, WIDE, high, f"router{router}")
        half = (WIDE - 1.2) / 2
        for i, way in enumerate(("injection", "ejection")):
            if shares.has(f"{resource}.{way}_utilisation"):
                value = shares.one(f"{resource}.{way}_utilisation")
                yield Box("router", x + 0.4 + i * (half + 0.4), y + 1.6, half, 2.4, f"{resource}.{way}", value)
    shape, mesh = network["shape"], network.get("topology") == "mesh"
    for dimension, (place, size) in enumerate(zip(site, shape, strict=True)):
        for i, (way, edge) in enumerate((("up", size - 1), ("down", 0))):
            if size == 1 or (mesh and place == edge):
                continue
            name = f"{resource}.{way}{dimension}"
            value = shares.one(f"{name}_utilisation")
            if dimension == 0:
                beside = x + WIDE + 0.3 if way == "up" else x - GAP + 0.3
                yield Box("link", beside, y + high * (0.3 + 0.2 * i), GAP - 0.6, 0.8, name, value)
            else:
                along = WIDE * (0.15 + 0.1 * i + 0.3 * (dimension - 1))
                below = y + high + 0.3 if way == "up" else y - GAP + 0.3
                yield Box("link", x + along, below, 0.8, GAP - 0.6, name, value)


def port(number: int, shares: Shares, x: float, y: float) -> Iterator[Box]:
    """A node's port of a switch, below its tile."""
    resource = f"machine.network.port{number}"
    value, words = shares.of(resource, "utilisation")
    if shares.has(f"{resource}.utilisation"):
        yield Box("port", x, y + 0.3, WIDE, 0.9, resource, value, words)
