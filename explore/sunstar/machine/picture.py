# SPDX-License-Identifier: MIT
"""A machine as a drawing: its nodes where they are on their network, with the utilisation of each resource. Pages draw
it in the browser, draw_machine() draws it by Matplotlib, for print."""

import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from sunstar.drawing import HEIGHT, Canvas, OverTime, SubCanvas, draw_over_time, picture
from sunstar.files import Outputs
from sunstar.structure import HUB, Bus, Machine, Network, Node, Switch, kind_of, machine_of

Shape = Literal["frame", "cpu", "bus", "scsi", "disk", "link", "port", "router", "work"]
WIDE, LOW = 14.0, 4.6  # The tile of a node without drives, in units of the drawing, in which a line of text is one high
HALF = (WIDE - 1.2) / 2  # The width of one of two boxes side by side
GAP = 2.4  # Between tiles, where links are drawn
MARGIN = 2.8
MOST_TILES = 400  # Of more nodes or routers, equal ones share a tile
DISKS_IN_A_ROW = 4
MOST_COLUMNS = 10  # With switches
BAR, DISK, BETWEEN = 1.1, 2.0, 0.3  # Heights of a SCSI bus and of a drive, and the gaps below them
TWO_LINES = 1.9  # The height of a box that has room for two lines of text
LEAST_WIDTH = 2.0  # The width of a box in which a share has room
LETTER = 0.56  # The width of a letter
NETWORK, PROCESSOR, NODE_BUS, SCSI, DRIVE, NODE = "#4c8f3c", "#2f7fc1", "#17a098", "#9a6bc4", "#c07f1a", "#8a939d"
OUTLINES: Mapping[Shape, str] = {
    "frame": NODE, "cpu": PROCESSOR, "bus": NODE_BUS, "scsi": SCSI, "disk": DRIVE, "work": DRIVE,
    "link": NETWORK, "port": NETWORK, "router": NETWORK,
}  # fmt: skip
"""The colours of outlines, on a light and on a dark ground."""
ARROWS = (("→", "←"), ("↓", "↑"), ("⇓", "⇑"))
"""The ways in which the channels of the first, the second and any further dimension are drawn, up and down."""
LEGEND = json.loads((Path(__file__).parent / "legend.json").read_text())
"""The meanings of shapes and kinds of buses."""
WORK = ("overhead_time", "wait_time", "seek_time", "rotation_time", "transfer_time")
"""The stages of a drive alone, in the order in which it serves a request."""
IDLE, BUSY = "#edf1f5", "#b5370b"
LEAST_INCHES, USUAL_INCHES = 7.0, 11.0
LEAST_SCALE, USUAL_SCALE = 0.065, 0.125
"""Inches a unit of the drawing: of machines so large that their text would become too small, and of small ones."""
LINE_INCHES, LETTERS_AN_INCH = 0.17, 14  # Of the text of the legend


@dataclass(frozen=True)
class Box:
    """A resource, or the frame of a node."""

    shape: Shape
    x: float
    y: float
    width: float
    height: float
    name: str  # The path of the resource; of a frame, the node's name
    value: float | None = None
    """Its utilisation, from 0 to 1; None of a frame, of an unmeasured resource, and of a machine that has not run."""
    more: str = ""  # Further shares, shown on request
    arrow: str = ""  # The way in which a channel leads
    called: str = ""  # Its label, if that is not the end of its name
    has: str = ""  # Its rate or model, in the place of an unknown share
    members: Sequence[str] = ()  # The names of all resources that it stands for, if they are several

    @property
    def resources(self) -> Sequence[str]:
        return self.members or [self.name]

    @property
    def label(self) -> str:
        if self.members and self.shape == "frame":
            return self.name
        return self.arrow or self.called or self.name.partition(" and ")[0].rpartition(".")[2]

    @property
    def more_than_label(self) -> str:
        """Its rate or model, if there is room."""
        letters = len(self.has) if self.height >= TWO_LINES else len(f"{self.label} {self.has}")
        return self.has if LETTER * letters <= self.width else ""

    @property
    def words(self) -> str:
        """The text in it: its label and, if there is room, its share, rate or model, on two lines or one."""
        told = self.more_than_label
        if self.value is not None:
            told = f"{100 * self.value:.0f} %" if self.width >= LEAST_WIDTH else ""
        return f"{self.label}{chr(10) if self.height >= TWO_LINES else ' '}{told}" if told else self.label


@dataclass(frozen=True)
class Picture:
    width: float
    height: float
    boxes: Sequence[Box]
    what: str  # The network in words, as in "torus of 6 x 6"
    drives: Sequence[str] = ()  # The models of its drives, each with its number

    @property
    def legend(self) -> list[tuple[Shape, str]]:
        shapes = {box.shape for box in self.boxes}
        drives = f": {'; '.join(self.drives)}" if self.drives else ""
        planes = any(box.arrow in ARROWS[2] for box in self.boxes if box.arrow)
        further = "; ⇓ ⇑ to the next plane" if planes else ""
        around = "; links that leave the drawing lead to its other side" if self.what.startswith("torus") else ""
        kinds = LEGEND["buses"].items()
        buses = "; ".join(text for kind, text in kinds if any(box.called.startswith(kind) for box in self.boxes))
        texts: dict[Shape, str] = dict(LEGEND["shapes"])
        if any(box.members for box in self.boxes if box.shape == "link"):
            texts["link"] = LEGEND["links"]
        for medium, text in LEGEND["switches"].items():
            if self.what.endswith(medium):
                texts["link"] = text
        if any(box.name == HUB for box in self.boxes):
            texts["port"] = LEGEND["hub"]
        if "cpu" not in shapes:
            del texts["frame"]
        said = {"drives": drives, "further": further, "around": around, "buses": buses}
        return [(shape, text.format(**said)) for shape, text in texts.items() if shape in shapes]

    @property
    def key(self) -> str:
        """The meaning of fill and outline."""
        filled = "Fill: the share of the time for which a part was busy"
        if all(box.value is None for box in self.boxes):
            filled = "No fill: nothing was measured"
        elif any(box.value is None for box in self.boxes if box.shape != "frame"):
            filled += "; none: not measured"
        alike = " Parts that are alike are drawn once, with their mean."
        return f"{filled}. Outline: what a part is.{alike if any(box.members for box in self.boxes) else ''}"


@dataclass(frozen=True)
class Shares:
    """The shares of time in a result's statistics. If these are by kind (run.statistics), each part has the mean."""

    statistics: Mapping[str, Any]

    def one(self, name: str) -> float | None:
        each = self.statistics.get(name) or self.statistics.get(kind_of(name))
        return None if each is None else each["value"]

    def several(self, names: Mapping[str, str]) -> tuple[list[float], str]:
        """The known ones of these statistics, which have words for their keys; and all in words."""
        found = {word: share for word, name in names.items() if (share := self.one(name)) is not None}
        return list(found.values()), ", ".join(f"{word} {100 * share:.1f} %" for word, share in found.items())

    def busy(self, resource: str) -> float | None:
        return self.one(f"{resource}.utilisation")

    def has(self, name: str) -> bool:
        """Whether the machine has the resource of this statistic. One that has not run may have it."""
        return not self.statistics or self.one(name) is not None


def picture_of(
    config: Mapping[str, Any], statistics: Mapping[str, Any], elapsed_s: float | None, most: float = MOST_TILES
) -> Picture | None:
    """The drawing of a run, or without statistics that of a configuration; None if there is no machine to draw."""
    machine = machine_of(config)
    if machine is None:
        return None
    if (network := machine.network) and (machine.nodes or network.shape):
        switches = network.switches(1 + max((node.place[0] for node in machine.nodes), default=-1))
        if max(len(machine.nodes) + len(switches), math.prod(network.shape)) > most:
            return of_kinds(machine, network, switches, Shares(statistics))
        if switches:
            return of_switches(machine, network, switches, Shares(statistics))
        return of_network(machine, network, Shares(statistics))
    return of_drive(machine, Shares(statistics), elapsed_s)


def drawing_of(picture: Picture) -> dict[str, Any]:
    boxes = [
        [b.shape, *(round(n, 2) for n in (b.x, b.y, b.width, b.height)), b.name, b.label, b.more_than_label]
        for b in picture.boxes
    ]
    legend = [[shape, OUTLINES[shape], text] for shape, text in picture.legend]
    size = {"width": round(picture.width, 2), "height": round(picture.height, 2)}
    outlines = {box.shape: OUTLINES[box.shape] for box in picture.boxes}
    return {**size, "what": picture.what, "boxes": boxes, "outlines": outlines, "legend": legend}


def of_drive(machine: Machine, shares: Shares, elapsed_s: float | None) -> Picture | None:
    """A drive alone: the share of time of each stage."""
    times = {name: shares.one(f"machine.disk.{name}") for name in WORK}
    if shares.statistics and (not elapsed_s or all(value is None for value in times.values())):
        return None
    width, high, side = WIDE * 4 + 1, 5.6, WIDE * 4 / len(WORK)
    boxes = [Box("frame", MARGIN, MARGIN, width, high, "disk")]
    for i, (name, value) in enumerate(times.items()):
        share = value / elapsed_s if value is not None and elapsed_s else None
        resource = f"machine.disk.{name.removesuffix('_time')}"
        boxes.append(Box("work", MARGIN + 0.6 + i * side, MARGIN + 1.5, side - 0.4, 3.4, resource, share))
    return Picture(width + 2 * MARGIN, high + 2 * MARGIN, boxes, "a drive alone: shares of the time", models(machine))


def of_network(machine: Machine, network: Network, shares: Shares) -> Picture:
    places = {node.place: node for node in machine.nodes}
    high = max([LOW, *map(height, machine.nodes)])
    if network.shape:
        # The first two dimensions are columns and rows, further ones planes below each other.
        columns, rows = network.shape[0], math.prod(network.shape[1:])
        sites = list(coordinates(network.shape))
    else:
        nodes = len(machine.nodes)
        columns = min(nodes, 8) if nodes <= 32 else math.ceil(math.sqrt(2 * nodes))
        rows = math.ceil(nodes / columns)
        sites = sorted(places)
    boxes: list[Box] = []
    top = MARGIN
    for resource in network.shared:  # a shared medium spans the machine
        boxes.append(Box("port", MARGIN, top, columns * (WIDE + GAP) - GAP, 1.6, resource, shares.busy(resource)))
        top += 1.6 + GAP
    for index, site in enumerate(sites):  # the order of routers is that of rows, too
        x, y = MARGIN + index % columns * (WIDE + GAP), top + index // columns * (high + GAP)
        if site in places:
            boxes += tile(places[site], machine, shares, x, y, high)
        if network.shape:
            boxes += links(index, site, network, shares, x, y, high, empty=site not in places)
        elif not network.shared:
            boxes += port(site[0], shares, x, y + high)
    return of_tiles(machine, network, boxes, columns, top + rows * (high + GAP))


def of_switches(machine: Machine, network: Network, switches: Sequence[Switch], shares: Shares) -> Picture:
    """The upper levels first; then each switch with nodes, in front of them."""
    nodes = {node.place[0]: node for node in machine.nodes}
    block = 1 + max(len(switch.places) for switch in switches)
    columns = block * (MOST_COLUMNS // block) or MOST_COLUMNS
    cells: list[Switch | Node | None] = []
    for _, alike in groupby(switches, key=lambda switch: switch.kind):
        for first, switch in enumerate(alike):
            own: list[Switch | Node | None] = [switch, *(nodes[at] for at in switch.places if at in nodes)]
            left = -len(cells) % columns
            cells += [None] * left if first == 0 or len(own) > left else []
            cells += own
    boxes: list[Box] = []
    top = MARGIN
    for row in (cells[i : i + columns] for i in range(0, len(cells), columns)):
        high = max(height(cell) if isinstance(cell, Node) else switch_height(cell) for cell in row if cell)
        for column, cell in enumerate(row):
            x = MARGIN + column * (WIDE + GAP)
            if isinstance(cell, Node):
                boxes += [*tile(cell, machine, shares, x, top, high), *port(cell.place[0], shares, x, top + high)]
            elif cell:
                boxes += switch_tile(cell, shares, x, top)
        top += high + GAP
    return of_tiles(machine, network, boxes, min(columns, len(cells)), top)


def switch_height(switch: Switch) -> float:
    return 1.6 + (DISK + BETWEEN) * math.ceil(len(switch.channels) / DISKS_IN_A_ROW)


def switch_tile(switch: Switch, shares: Shares, x: float, y: float) -> Iterator[Box]:
    """A switch with its channels to others."""
    yield Box("frame", x, y, WIDE, switch_height(switch), switch.name)
    side = (WIDE - 0.6) / DISKS_IN_A_ROW
    for i, (name, way) in enumerate(switch.channels.items()):
        row, column = divmod(i, DISKS_IN_A_ROW)
        left, top = x + 0.4 + column * side, y + 1.6 + row * (DISK + BETWEEN)
        yield Box("link", left, top, side - 0.2, DISK, name, shares.one(f"{name}_utilisation"), called=way)


def of_tiles(machine: Machine, network: Network, boxes: Sequence[Box], columns: int, bottom: float) -> Picture:
    what = f"{len(machine.nodes)} nodes on a {network.medium}"
    if network.shape:
        what = f"{network.topology} of {' x '.join(map(str, network.shape))} routers"
    width = MARGIN * 2 + columns * (WIDE + GAP) - GAP
    return Picture(width, bottom + MARGIN / 2, boxes, what, models(machine))


def of_kinds(machine: Machine, network: Network, switches: Sequence[Switch], shares: Shares) -> Picture:
    """The same with a tile for each kind of node, by buses and drives, and one for the network's channels or ports."""
    kinds: dict[object, list[Node]] = {}
    for node in machine.nodes:
        kinds.setdefault((node.role, tuple(tuple(bus.drives) for bus in node.buses)), []).append(node)
    levels = {switch.kind for switch in switches}
    of_network = 1.9 + (BAR + BETWEEN) * (len(network.shape) + len(levels) + 1)
    high = max([of_network, *(height(nodes[0]) for nodes in kinds.values())])
    columns = min(len(kinds) + 1, 4)
    rows = math.ceil((len(kinds) + 1) / columns)
    places = [(MARGIN + x * (WIDE + GAP), MARGIN + y * (high + GAP)) for y in range(rows) for x in range(columns)]
    boxes: list[Box] = []
    for (x, y), nodes in zip(places[1:], kinds.values(), strict=False):
        tiles = (tile(node, machine, shares, x, y, height(nodes[0])) for node in nodes)
        boxes += map(together, zip(*tiles, strict=True))
    boxes += of_channels(machine, network, switches, shares, *places[0], of_network)
    return of_tiles(machine, network, boxes, columns, MARGIN + rows * (high + GAP))


def of_channels(
    machine: Machine, network: Network, switches: Sequence[Switch], shares: Shares, x: float, y: float, high: float
) -> Iterator[Box]:
    """The tile of a network: its channels by their direction, or its ports and the channels of its switches."""
    yield Box("frame", x, y, WIDE, high, "network")
    alike: dict[str, list[Box]] = {}
    occupied = {node.place for node in machine.nodes}
    for index, site in enumerate(coordinates(network.shape) if network.shape else ()):
        for box in links(index, site, network, shares, x, y, high, empty=site not in occupied):
            if box.shape != "frame":
                alike.setdefault(box.arrow or box.label, []).append(box)
    if network.shared:
        alike = {name: [Box("port", x, y, 0, 0, name, shares.busy(name))] for name in network.shared}
    elif not network.shape:
        alike = {"ports": [box for node in machine.nodes for box in port(node.place[0], shares, x, y)]}
        for switch in switches:
            for box in switch_tile(switch, shares, x, y):
                if box.shape == "link":
                    way = f"{switch.kind} {box.called[0]}"
                    alike.setdefault(way, []).append(replace(box, called=way))
    side = (WIDE - 0.6) / 2
    for i, same in enumerate(each for each in alike.values() if each):
        row, column = divmod(i, 2)
        left, top = x + 0.4 + column * side, y + 1.6 + row * (BAR + BETWEEN)
        yield replace(together(same), x=left, y=top, width=side - 0.2, height=BAR)


def together(boxes: Sequence[Box]) -> Box:
    """Boxes that are alike as one, with their mean."""
    first = boxes[0]
    if len(boxes) == 1:
        return first
    known = {box.name: box.value for box in boxes if box.value is not None}
    most = max(known, key=lambda name: known[name], default="")
    more = f"mean of {len(known)}; the most is {100 * known[most]:.1f} %, of {most}" if most else ""
    name = f"{first.name} and {len(boxes) - 1} alike"
    value = fmean(known.values()) if known else None
    return replace(first, name=name, value=value, more=more, members=[name for box in boxes for name in box.resources])


def models(machine: Machine) -> list[str]:
    """The models of the drives, each with its number if there are several; of a drive alone, its model."""
    count = machine.drives
    if len(count) < 2:
        return [name for name in count or [machine.drive] if name]
    return [f"{number} {name}" for name, number in count.items()]


def coordinates(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The coordinates of all routers in the order of their numbers: the first dimension runs first."""
    return (place[::-1] for place in product(*map(range, reversed(shape))))


def bus_height(bus: Bus) -> float:
    return BAR + BETWEEN + (DISK + BETWEEN) * math.ceil(len(bus.drives) / DISKS_IN_A_ROW)


def height(node: Node) -> float:
    return LOW + sum(map(bus_height, node.buses))


def tile(node: Node, machine: Machine, shares: Shares, x: float, y: float, high: float) -> Iterator[Box]:
    """A node: its processor and bus, and below them each bus with its drives."""
    yield Box("frame", x, y, WIDE, high, node.name)
    cpu, own_bus = f"machine.{node.name}.cpu", f"machine.{node.name}.bus"
    times = {f"{kind} utilisation": f"{cpu}.{kind}_utilisation" for kind in ("thread", "interrupt")}
    busy, words = shares.several(times)
    cores = [f"{cpu}{core}" for core in range(machine.cores)] if machine.cores > 1 else []
    value, more = sum(busy) if busy else None, words if len(busy) > 1 else ""
    yield Box("cpu", x + 0.4, y + 1.6, HALF, 2.4, cpu, value, more, has=machine.rates["cpu"], members=cores)
    value = shares.busy(own_bus)
    yield Box("bus", x + 0.8 + HALF, y + 1.6, HALF, 2.4, own_bus, value, has=machine.rates["bus"])
    below = y + 4.4
    for bus in node.buses:
        value = shares.busy(bus.resource)
        yield Box("scsi", x + 0.4, below, WIDE - 0.8, BAR, bus.resource, value, called=bus.called, has=bus.rate)
        side = (WIDE - 0.8 + 0.2) / max(min(len(bus.drives), DISKS_IN_A_ROW), 1)
        for i, model in enumerate(bus.drives):
            row, column = divmod(i, DISKS_IN_A_ROW)
            disk = f"{bus.name}.disk{i}"
            _, more = shares.several({part: f"{disk}.{part}_utilisation" for part in ("heads", "dies")})
            left, top = x + 0.4 + column * side, below + BAR + BETWEEN + row * (DISK + BETWEEN)
            yield Box("disk", left, top, side - 0.2, DISK, disk, shares.busy(disk), more, has=model)
        below += bus_height(bus)


def links(
    router: int, site: Sequence[int], network: Network, shares: Shares, x: float, y: float, high: float, empty: bool
) -> Iterator[Box]:
    """The channels that leave a router: to the right and left of its tile in the first dimension, below and above in
    the others. A router without a node has a frame of its own, with injection and ejection."""
    resource = f"machine.network.router{router}"
    if empty:
        yield Box("frame", x, y, WIDE, high, f"router{router}")
        for i, way in enumerate(("injection", "ejection")):
            if shares.has(of := f"{resource}.{way}_utilisation"):
                left = x + 0.4 + i * (HALF + 0.4)
                yield Box("router", left, y + 1.6, HALF, 2.4, f"{resource}.{way}", shares.one(of))
    for dimension, place in enumerate(site):
        for i, way in enumerate(("up", "down")):
            if not network.neighbour(place, dimension, way == "up"):
                continue
            name, arrow = f"{resource}.{way}{dimension}", ARROWS[min(dimension, len(ARROWS) - 1)][i]
            beside = x + WIDE + 0.3 if way == "up" else x - GAP + 0.3
            sides = (beside, y + high * (0.3 + 0.2 * i), GAP - 0.6, 0.9)
            if dimension > 0:
                along = WIDE * (0.15 + 0.1 * i + min(0.3, 0.8 / (len(site) - 1)) * (dimension - 1))
                sides = (x + along, y + high + 0.3 if way == "up" else y - GAP + 0.3, 0.9, GAP - 0.6)
            yield Box("link", *sides, name, shares.one(f"{name}_utilisation"), arrow=arrow)


def port(number: int, shares: Shares, x: float, y: float) -> Iterator[Box]:
    """A node's port of a network without places, as busy as the busier way of its link, below its tile."""
    resource = f"machine.network.port{number}"
    busy, words = shares.several({way: f"{resource}.{way}_utilisation" for way in ("up", "down")})
    if busy or shares.has(f"{resource}.utilisation"):
        yield Box("port", x, y + 0.3, WIDE, BAR, resource, max(busy) if busy else shares.busy(resource), words)


def draw_machine(files: Outputs, path: Path, drawn: Picture, title: str, over_time: OverTime | None = None) -> None:
    import matplotlib as mpl
    from matplotlib.patches import Patch, Rectangle

    scale = max(LEAST_SCALE, min(USUAL_SCALE, USUAL_INCHES / drawn.width))
    width = max(LEAST_INCHES, drawn.width * scale + 0.9)
    letters = int(LETTERS_AN_INCH * (width - 1))
    texts = ["\n".join(textwrap.wrap(text, letters)) for _, text in drawn.legend]
    lines = sum(1 + text.count("\n") for text in texts) + 1
    high = drawn.height * scale + 1.2 + lines * LINE_INCHES
    with picture(files, path, width, high + (HEIGHT if over_time else 0), 8) as whole:
        canvas: Canvas | SubCanvas = whole
        if over_time:
            canvas, below = whole.subfigures(2, 1, squeeze=False, height_ratios=(high, HEIGHT)).flat
            draw_over_time(below, over_time)
        axes = canvas.subplots()
        colours = mpl.colors.LinearSegmentedColormap.from_list("utilisation", [IDLE, BUSY])
        small = 72 * scale * 0.85
        for box in drawn.boxes:
            face = "none" if box.value is None else colours(min(1.0, box.value))
            place, edge = (box.x, box.y), OUTLINES[box.shape]
            axes.add_patch(Rectangle(place, box.width, box.height, facecolor=face, edgecolor=edge, linewidth=0.8))
            if box.shape == "frame":
                axes.text(box.x + 0.4, box.y + 0.2, box.label, fontsize=small, va="top")
                continue
            ink = "white" if box.value is not None and box.value > 0.5 else "black"
            text = axes.text(box.x + box.width / 2, box.y + box.height / 2, box.words, fontsize=small, color=ink)
            text.set(ha="center", va="center_baseline", linespacing=1.05)
        axes.set(xlim=(0, drawn.width), ylim=(drawn.height, 0), title=title)
        axes.set_aspect("equal")
        axes.set_axis_off()
        handles = [Patch(facecolor="none", edgecolor=OUTLINES[shape]) for shape, _ in drawn.legend]
        canvas.legend(
            handles, texts, loc="outside lower left", title=drawn.key, alignment="left", frameon=False,
            handlelength=1.2, labelspacing=0.3,
        )  # fmt: skip
        if any(box.value is not None for box in drawn.boxes):
            shades = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 100), colours)
            canvas.colorbar(shades, ax=axes, label="utilisation (%)", fraction=0.03, pad=0.01)
