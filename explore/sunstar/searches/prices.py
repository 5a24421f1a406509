# SPDX-License-Identifier: MIT
"""What a machine costs: a price list, and the parts of the machine that really ran."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from sunstar.errors import FileError
from sunstar.structure import machine_of
from sunstar.sweeps.reading import Strict

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MIB = 1 << 20
MB = 10**6
OTHER = "other"
"""The price of drives that the list does not name."""
COLUMNS = ("cost.disks", "cost.buses", "cost.processors", "cost.memory", "cost.links", "cost")


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
    """What the machine of a run costs, by COLUMNS. `figures` are the run's own by their paths."""
    machine = machine_of(config)
    if machine is None or not machine.nodes or machine.network is None:
        raise FileError(f"{where}: prices: this platform has no machine of nodes, so it has no cost")
    roles = Counter(node.role for node in machine.nodes)
    compute, io = roles["compute"] + roles["both"], roles["io"] + roles["both"]
    memory = compute * figures.get("result.memory.compute_processor", 0)
    memory += io * figures.get("result.memory.io_processor", 0)
    link = prices.link.each + prices.link.per_mb_per_s * machine.network.bandwidth / MB
    parts = [
        sum(count * price_of_drive(prices, name, where) for name, count in machine.drives.items()),
        sum(len(node.buses) for node in machine.nodes) * prices.bus,
        sum(count * getattr(prices.processors, role) for role, count in roles.items()),
        memory / MIB * prices.memory_per_mib,
        machine.network.links(len(machine.nodes)) * link,
    ]
    return dict(zip(COLUMNS, [*parts, sum(parts)], strict=True))


def price_of_drive(prices: Prices, name: str, where: str) -> float:
    price = prices.disks.get(name, prices.disks.get(OTHER))
    if price is None:
        raise FileError(f'{where}: prices.disks has neither "{name}" nor "{OTHER}"; it has {", ".join(prices.disks)}')
    return price
