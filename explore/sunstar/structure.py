# SPDX-License-Identifier: MIT
"""The parts of a machine: nodes with their buses and drives, and a network.

The effective configuration lists them. Only this module knows their names in statistics, wave files and timelines, the
links of a network, and the kind of resource of a statistic.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import prod
from operator import mul
from typing import Any

from sunstar.quantities import quantity

HUB = "machine.network.hub"
BANDWIDTHS = ("link_bandwidth", "port_bandwidth", "bandwidth")
"""The parameter of a link's bandwidth on a torus or mesh, on a switch, on an Ethernet."""
PARTS = (
    re.compile(r"machine\.(?:cp|iop|node)\d+"),
    re.compile(r"machine\.\w+_(?:scsi|pcie)\d+"),
    re.compile(r"machine\.\w+_(?:scsi|pcie)\d+\.disk\d+"),
    re.compile(r"machine\.network\.router\d+\.(?:up|down)\d+"),
    re.compile(r"machine\.disk(?=\.)"),
)
"""The beginnings of the names of a part's belongings: the part's own name."""
GROUPS = {
    "utilisation": re.compile(r"utilisation$|^busiest_channel$"),
    "queues and waiting": re.compile(r"queue|wait|held$|response_time$|deferrals$|collisions$"),
    "messages and requests": re.compile(
        r"^(messages|message_bytes|sent|sent_bytes|received|received_bytes|commands|reads|writes|bytes_read|"
        r"bytes_written|connections|data_bytes|segments|acknowledgements|frames|wire_bytes|interrupts|hits|misses)$"
    ),
}
"""The statistics that are compared, in groups; the first form that a statistic's name fits gives its group."""


@dataclass(frozen=True)
class Bus:
    name: str  # The path of its drives, as in machine.iop0_scsi0; they are disk0, disk1, ... below.
    drives: Sequence[str]  # The makers' names of its drives
    rate: str = ""  # Of a SCSI bus, or the link of an NVMe drive, as the configuration has it

    @property
    def called(self) -> str:
        """As in scsi0, or ata0 of ATA drives, whose bus is modelled as a SCSI bus."""
        ata = self.drives and all(re.search(r"\bATA\b", drive) for drive in self.drives)
        return self.name.rpartition("_")[2].replace("scsi", "ata" if ata else "scsi")

    @property
    def resource(self) -> str:
        """The resource of its own statistics and tracks. The links of NVMe drives have only the drives'."""
        return self.name if self.called.startswith("pcie") else f"{self.name}.bus"


@dataclass(frozen=True)
class Node:
    name: str  # As in machine.cp0: processors are counted by role
    role: str
    place: tuple[int, ...]
    buses: Sequence[Bus]


@dataclass(frozen=True)
class Switch:
    """A switch of a fat tree or a router of a dragonfly."""

    name: str  # As in leaf0, level1_3 or router7 of group 1
    kind: str  # As in leaf, level1 or router
    places: range  # Of the nodes at it
    channels: Mapping[str, str]  # By resource: the way to another one, with its number, as in ↑3


@dataclass(frozen=True)
class Network:
    shape: tuple[int, ...]  # The routers of a torus or mesh in each dimension; empty of a switch or an Ethernet
    topology: str
    medium: str
    bandwidth: float  # Of a link, in bytes/s; 0 if the fabric is not one that this package knows
    given: Mapping[str, Any]  # Its parameters

    def switches(self, nodes: int) -> list[Switch]:
        """The switches that the first `nodes` places need, those of the highest level first."""
        kinds = {"fat tree": fat_tree, "dragonfly": dragonfly}
        return kinds[self.medium](self.given, nodes) if self.medium in kinds else []

    @property
    def shared(self) -> Sequence[str]:
        """Parts of the network that are no port of one node and no router: a hub."""
        return [HUB] if self.medium == "hub" else []

    def neighbour(self, place: int, dimension: int, up: bool) -> bool:
        """Whether a router at this place has a channel this way."""
        size = self.shape[dimension]
        return size > 1 and (self.topology != "mesh" or place != (size - 1 if up else 0))

    def links(self, nodes: int) -> int:
        """Links between routers that are neighbours, each pair once; with a switch or an Ethernet, one of each node."""
        around = self.topology == "torus"
        lines = (prod(self.shape) // size * (size if around and size > 2 else size - 1) for size in self.shape)
        return sum(lines) if self.shape else nodes


@dataclass(frozen=True)
class Machine:
    nodes: Sequence[Node]
    network: Network | None
    drive: str  # The maker's name of the drives that a configuration does not name one by one
    rates: Mapping[str, str]  # Of processors (cpu) and node buses (bus), as the configuration has them
    cores: int = 1  # Of each processor; of several, statistics, wave files and timelines say cpu0, cpu1, ...

    @property
    def drives(self) -> Counter[str]:
        """The number of drives of each maker's name."""
        return Counter(name for node in self.nodes for bus in node.buses for name in bus.drives)


def machine_of(config: Mapping[str, Any]) -> Machine | None:
    """The machine of an effective configuration; None if it has none."""
    machine = config.get("machine")
    if not isinstance(machine, Mapping):
        return None
    usual = (machine.get("nvme") or machine.get("disk") or {}).get("name", "")
    of_bus = machine.get("bus") or {}
    nodes, computing, serving = [], 0, 0
    for i, node in enumerate(machine.get("nodes") or ()):
        role = node["role"]
        name = {"compute": f"cp{computing}", "io": f"iop{serving}"}.get(role, f"node{i}")
        computing += role in ("compute", "both")
        serving += role in ("io", "both")
        buses = []
        for number, bus in enumerate(node["buses"]):
            drives = [drive_of(of, machine).get("name", "") for of in bus["drives"] for _ in range(of["count"])]
            link = drive_of(bus["drives"][0], machine).get("link") if drives else None
            rate = f"PCIe {link['generation']} x{link['lanes']}" if link else of_bus.get("data_rate")
            buses.append(Bus(f"machine.{name}_{'pcie' if link else 'scsi'}{number}", drives, str(rate or "")))
        nodes.append(Node(name, role, tuple(node["place"]), buses))
    places = {"cpu": ("node", "clock"), "bus": ("node", "memory_bandwidth")}
    rates = {shape: str((machine.get(of) or {}).get(name, "")) for shape, (of, name) in places.items()}
    cores = int((machine.get("node") or {}).get("cores", 1))
    if cores > 1:
        rates["cpu"] = f"{cores} x {rates['cpu']}"
    return Machine(nodes, network_of(machine.get("network")), usual, rates, cores)


def drive_of(group: Mapping[str, Any], machine: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of the drives of one entry of a bus."""
    return group.get("nvme") or group.get("disk") or machine.get("nvme") or machine.get("disk") or {}


def network_of(network: Any) -> Network | None:  # noqa: ANN401  any JSON
    if not isinstance(network, Mapping):
        return None
    bandwidths = (quantity(network[name]) for name in BANDWIDTHS if name in network)
    bandwidth = next((found.value for found in bandwidths if found), 0.0)
    shape = tuple(network.get("shape") or ())
    medium = network.get("medium") or str(network.get("kind", "switch")).replace("-", " ")
    return Network(shape, network.get("topology", "network"), medium, bandwidth, network)


def fat_tree(given: Mapping[str, Any], nodes: int) -> list[Switch]:
    """Named and numbered as the simulator's (models/network/fat_tree), up to the level that connects all nodes."""
    radix, levels, above_leaf = given["switch_ports"], given["levels"], given["oversubscription"]
    leaf_down = int(radix * above_leaf / (1 + above_leaf) + 0.5)
    down = [leaf_down, *[radix // 2] * (levels - 1)]
    if not given["half_top"]:
        down[-1] = radix
    sizes = list(accumulate((radix - each for each in down), mul, initial=1))  # Of a group: it reaches the same nodes
    reach = list(accumulate(down, mul))
    top = next((level for level in range(levels) if reach[level] >= nodes), levels - 1)

    def name(level: int, number: int) -> str:
        return f"level{level}_{number}" if level else f"leaf{number}"

    found = []
    for level in range(top, -1, -1):
        for number in range(-(-nodes // reach[level]) * sizes[level]):
            group, within = divmod(number, sizes[level])
            ways = {}
            for port in range(radix - down[level] if level < top else 0):
                above = group // down[level + 1] * sizes[level + 1] + within + port * sizes[level]
                ways[f"machine.network.{name(level, number)}.up{port}"] = f"↑{above}"
            for child in range(group * down[level], (group + 1) * down[level]) if level else ():
                port, place = divmod(within, sizes[level - 1])
                below = child * sizes[level - 1] + place
                if child * reach[level - 1] < nodes:
                    ways[f"machine.network.{name(level - 1, below)}.down{port}"] = f"↓{below}"
            places = range(0) if level else range(number * leaf_down, min(nodes, (number + 1) * leaf_down))
            found.append(Switch(name(level, number), name(level, 0).rstrip("_0"), places, ways))
    return found


def dragonfly(given: Mapping[str, Any], nodes: int) -> list[Switch]:
    """Named and numbered as the simulator's (models/network/dragonfly), all of them: messages go round by any group."""
    groups, routers, at_one, links = (given[name] for name in ("groups", "routers", "nodes", "global_links"))
    others = max(groups - 1, 1)
    cables = routers * links // others * (groups - 1)
    found = []
    for group, within in product(range(groups), range(routers)):
        number = group * routers + within
        resource = f"machine.network.router{number}"
        ways = {f"{resource}.local{to}": f"→{group * routers + to}" for to in range(routers) if to != within}
        for link in range(links):
            if (cable := within * links + link) < cables:
                copy, other = divmod(cable, others)
                other += other >= group
                back = copy * others + group - (group > other)
                ways[f"{resource}.global{link}"] = f"⇒{other * routers + back // links}"
        places = range(min(nodes, number * at_one), min(nodes, (number + 1) * at_one))
        found.append(Switch(f"router{number} of group {group}", "router", places, ways))
    return found


def parts_in(name: str) -> Iterator[str]:
    """The parts of the machine that a resource, signal or track belongs to: of a drive, its node, bus and itself."""
    return (match[0] for form in PARTS if (match := form.match(name)))


def kind_of(name: str) -> str:
    """The name of a statistic with stars for the numbers of resources: machine.iop*_scsi*.disk*.reads."""
    resource, dot, statistic = name.rpartition(".")
    return re.sub(r"\d+", "*", resource) + dot + statistic


def group_of(kind: str) -> str | None:
    """The group of a kind of statistic; None if it is not compared."""
    if ".cycles." in kind or ".count." in kind:
        return None
    statistic = kind.rpartition(".")[2]
    return next((group for group, form in GROUPS.items() if form.search(statistic)), None)
