# SPDX-License-Identifier: MIT
"""What a machine costs: a price list, and the parts of the machine that really ran."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import prod
from typing import Annotated, Any

from pydantic import Field

from sunstar.errors import FileError
from sunstar.quantities import quantity
from sunstar.sweeps.values import Strict

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MIB = 1 << 20
MB = 10**6
OTHER = "other"
"""The price of drives that the list does not name."""
BANDWIDTHS = ("link_bandwidth", "port_bandwidth", "bandwidth")
"""The parameter of a link's bandwidth on a torus or mesh, on a switch, on an Ethernet."""


class Processors(Strict):
    """A node by its role, without drives and memory for files."""

    compute: Price = Field(0, description="a compute processor")
    io: Price = Field(0, description="an I/O processor")
    both: Price = Field(0, description="a node that is both")


class Link(Strict):
    """A wire between two routers, or from a node to its switch."""

    each: Price = Field(0, description="each link")
    per_mb_per_s: Price = Field(0, description="in addition, for each MB/s (10^6 bytes/s) of its bandwidth")


class Prices(Strict):
    """A price list in any currency. What it leaves out costs nothing."""

    json_schema: str | None = Field(None, alias="$schema", description="where an editor finds this schema")
    source: str = Field("", description="where the prices come from")
    disks: dict[str, Price] = Field(
        default_factory=dict, description=f'a drive by its name, as in "HP 97560"; "{OTHER}" is any other drive'
    )
    bus: Price = Field(0, description="a SCSI bus with its host adapter")
    processors: Processors = Field(default_factory=lambda: Processors(), description="the nodes")
    memory_per_mib: Price = Field(
        0, description="each MiB of memory that the file system takes at a processor (result.memory)"
    )
    link: Link = Field(default_factory=lambda: Link(), description="the network")


def costs(prices: Prices, config: Mapping[str, Any], figures: Mapping[str, Any], where: str) -> dict[str, float]:
    """What the machine of a run costs, by the columns of the table. `figures` are the run's own by their paths."""
    machine = config.get("machine", {})
    nodes = machine.get("nodes")
    if not nodes:
        raise FileError(f"{where}: prices: this platform has no machine of nodes, so it has no cost")
    roles = Counter(node["role"] for node in nodes)
    buses = [bus for node in nodes for bus in node["buses"]]
    compute, io = roles["compute"] + roles["both"], roles["io"] + roles["both"]
    memory = compute * figures.get("result.memory.compute_processor", 0)
    memory += io * figures.get("result.memory.io_processor", 0)
    parts = {
        "cost.disks": sum(count * price_of_drive(prices, name, where) for name, count in drives(machine, buses)),
        "cost.buses": len(buses) * prices.bus,
        "cost.processors": sum(count * getattr(prices.processors, role) for role, count in roles.items()),
        "cost.memory": memory / MIB * prices.memory_per_mib,
        "cost.links": links(machine["network"], len(nodes)) * price_of_link(prices.link, machine["network"]),
    }
    return {**parts, "cost": sum(parts.values())}


COLUMNS = ("cost.disks", "cost.buses", "cost.processors", "cost.memory", "cost.links", "cost")


def drives(machine: Mapping[str, Any], buses: list[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """The drives by the makers' names, and how many there are."""
    for bus in buses:
        for group in bus["drives"]:
            yield {**machine["disk"], **(group["disk"] or {})}["name"], int(group["count"])


def price_of_drive(prices: Prices, name: str, where: str) -> float:
    price = prices.disks.get(name, prices.disks.get(OTHER))
    if price is None:
        raise FileError(f'{where}: prices.disks has neither "{name}" nor "{OTHER}"; it has {", ".join(prices.disks)}')
    return price


def links(network: Mapping[str, Any], nodes: int) -> int:
    """Between routers that are neighbours, each pair once; with a switch or an Ethernet, one of each node."""
    shape = network.get("shape")
    if shape is None:
        return nodes
    around = network["topology"] == "torus"
    return sum(prod(shape) // size * (size if around and size > 2 else size - 1) for size in shape)


def price_of_link(link: Link, network: Mapping[str, Any]) -> float:
    return link.each + link.per_mb_per_s * bandwidth_of_link(network) / MB


def bandwidth_of_link(network: Mapping[str, Any]) -> float:
    """In bytes/s, of the fabrics that this package knows."""
    given = (quantity(network[name]) for name in BANDWIDTHS if name in network)
    return next((found.value for found in given if found), 0.0)
