# SPDX-License-Identifier: MIT
"""The points of each experiment: one or two instances of the micro-benchmark on six nodes with 1200 KiB of cache."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from sunstar.study.cases import Cases, Key, Settings

KIB, MIB = 1 << 10, 1 << 20
CACHE = 1200 * KIB
DATA = 24 * MIB
"""What an instance moves in a pass, and the size of each file. The paper does not say."""

NONE, CACHING, BOUND = "no caching", "caching", "caching, 400 us"
APART = "no caching, 6 nodes"
"""Figure 8: each instance on nodes of its own."""
BOUND_CYCLES = 308_000
"""400 us at 800 MHz, the most that the paper says an access to a block costs, less what the model derives for it."""
VERSIONS: Mapping[str, Settings] = {
    NONE: {"file_system.module.enabled": False},
    CACHING: {},
    BOUND: {"file_system.module.overhead": BOUND_CYCLES},
    APART: {"file_system.module.enabled": False, "workload.placement": "different"},
}

READ, WRITE = "read", "write"
ONCE, TWICE, THRICE = "1 pass", "2 passes", "3 passes"
"""A read is measured by its third pass, when the data nodes have had the data in memory for a while: the time of three
passes less that of two. In the second one, processes still differ by what they waited for disks in the first."""
PASSES = {ONCE: 1, TWICE: 2, THRICE: 3}

LOCALITIES = (0.0, 0.5, 1.0)


@dataclass(frozen=True)
class Choice:
    """What the user chose."""

    quick: bool = False
    """Fewer request sizes and degrees of sharing."""

    @property
    def alone(self) -> Sequence[int]:
        """Request sizes of one instance."""
        return [n * KIB for n in ((2, 4, 8, 64, 256, 1024) if self.quick else (1 << i for i in range(1, 11)))]

    @property
    def together(self) -> Sequence[int]:
        """Request sizes of two instances."""
        return [n * KIB for n in ((4, 64, 256) if self.quick else (1 << i for i in range(1, 10)))]

    @property
    def sharing(self) -> Sequence[int]:
        """Degrees of sharing, in percent."""
        return (0, 50, 100) if self.quick else (0, 25, 50, 75, 100)


class Load(NamedTuple):
    """What the instances do at a point."""

    request: int
    operation: str = READ
    nodes: int = 4
    locality: float = 0.0
    sharing: int | None = None
    """In percent, of two instances; None for one instance."""

    @property
    def pattern(self) -> str:
        """The load without its request size and sharing: a panel of a figure."""
        start = f"{self.operation}, " if self.sharing is None else ""
        return f"{start}p = {self.nodes}, l = {self.locality:g}"

    def settings(self) -> Settings:
        sets: Settings = {
            "workload.kind": "sharing",
            "workload.file_size": f"{DATA}B",
            "workload.bytes": f"{DATA}B",
            "workload.nodes": self.nodes,
            "workload.request_size": f"{self.request}B",
            "workload.operation": self.operation,
            "workload.locality": self.locality,
        }
        if self.sharing is not None:
            sets |= {"workload.instances": 2, "workload.sharing": self.sharing / 100}
        return sets


def measured(key: Key, load: Load, sets: Settings, passes: Sequence[str] = (TWICE, THRICE)) -> Cases:
    """The runs that a point needs: those of so many passes for a read, one for a write."""

    def made(number: int) -> Settings:
        several: Settings = {"workload.iterations": number, "workload.bytes": f"{number * DATA}B"} if number > 1 else {}
        return {**load.settings(), **several, **VERSIONS[key.method], **sets}

    if load.operation == WRITE:
        return {key: made(1)}
    return {key._replace(layout=each): made(PASSES[each]) for each in passes}


# Figures -------------------------------------------------------------------------------------------------------------


def alone(locality: float, choice: Choice) -> Cases:
    """Figures 4 and 5: one instance on four nodes."""
    return {
        key: sets
        for operation, request in product((READ, WRITE), choice.alone)
        for load in [Load(request, operation, locality=locality)]
        for version in (NONE, CACHING, BOUND)
        for key, sets in measured(Key(version, load.pattern, "", request), load, {}).items()
    }


def together(nodes: int, choice: Choice, *without: str) -> Cases:
    """Figures 6 to 8: two instances read on the same nodes; `without` are the versions that do not cache. As in the
    paper, their time is one curve: it is measured without sharing."""
    return {
        key: sets
        for locality, request in product(LOCALITIES, choice.together)
        for version, sharing in [*((each, 0) for each in without), *((CACHING, s) for s in choice.sharing)]
        for load in [Load(request, nodes=nodes, locality=locality, sharing=sharing)]
        for key, sets in measured(Key(version, load.pattern, "", request, str(sharing)), load, {}).items()
    }


def figure_4(choice: Choice) -> Cases:
    return alone(0.0, choice)


def figure_5(choice: Choice) -> Cases:
    return alone(1.0, choice)


def figure_6(choice: Choice) -> Cases:
    return together(4, choice, NONE)


def figure_7(choice: Choice) -> Cases:
    """And the points of figure 6, with which it is compared."""
    return {**together(2, choice, NONE), **figure_6(choice)}


def figure_8(choice: Choice) -> Cases:
    return together(3, choice, NONE, APART)


# What our choices weigh ----------------------------------------------------------------------------------------------

SMALL, MIDDLE = 4 * KIB, 64 * KIB


def options(kinds: Mapping[str, Settings], loads: Sequence[Load], versions: Sequence[str] = (NONE, CACHING)) -> Cases:
    """The same loads with one option after the other; the x of a point is the option."""
    return {
        key: sets
        for name, own in kinds.items()
        for load in loads
        for version in versions
        if version != APART or load.sharing is not None
        for key, sets in measured(Key(version, title(load), "", load.request, name), load, own).items()
    }


def title(load: Load) -> str:
    sharing = "" if load.sharing is None else f", s = {load.sharing} %"
    return f"{load.pattern}{sharing}"


READ_NEW, READ_AGAIN = Load(MIDDLE), Load(MIDDLE, locality=1.0)
WRITE_SMALL, WRITE_MIDDLE = Load(SMALL, WRITE), Load(MIDDLE, WRITE)
SHARED = [Load(MIDDLE, nodes=3, sharing=s) for s in (50, 100)]


def amount_of(bytes_: int) -> Settings:
    """What an instance moves in all, and the size of each file."""
    return {"workload.bytes": f"{bytes_}B", "workload.file_size": f"{bytes_}B"}


def data(_: Choice) -> Cases:
    """How much an instance writes in all."""
    kinds = {f"{n} MiB": amount_of(n * MIB) for n in (4, 12, 24, 48, 96)}
    return options(kinds, [WRITE_SMALL, WRITE_MIDDLE])


REQUESTS = 32


def requests(choice: Choice) -> Cases:
    """A fixed number of writes, whatever their size: then small ones fit into the cache."""
    return {
        key: sets
        for request in choice.together
        for load in [Load(request, WRITE)]
        for amount in [amount_of(REQUESTS * request * load.nodes)]
        for version in (NONE, CACHING)
        for key, sets in measured(Key(version, load.pattern, "", request), load, amount).items()
    }


def placed(iods: int, combined: int) -> Settings:
    """So many iods, the first of them on nodes with processes; with those of their own there are six nodes in all."""
    computing = 6 if combined == iods else 6 - iods
    return {
        "machine.compute_processors": computing,
        "machine.io_processors": iods,
        "machine.disks": iods,
        "machine.combined": combined,
    }


def iods(_: Choice) -> Cases:
    kinds = {f"{n} nodes" if n > 1 else "1 node": placed(n, n) for n in (6, 3, 2, 1)}
    return options({**kinds, "2 of their own": placed(2, 0)}, [READ_NEW, READ_AGAIN, WRITE_SMALL])


def starts(_: Choice) -> Cases:
    """Files that are a few stripes longer: then the processes' parts of a file begin at different iods."""
    kinds: dict[str, Settings] = {
        f"{n} apart": {"workload.file_size": f"{DATA + 4 * n * 64 * KIB}B"} for n in (0, 1, 2, 3)
    }
    return options(kinds, [READ_NEW, READ_AGAIN])


def stripe(_: Choice) -> Cases:
    kinds: dict[str, Settings] = {f"{n} KiB": {"file_system.block_size": f"{n}KiB"} for n in (16, 64, 256)}
    return options(kinds, [READ_NEW, WRITE_SMALL, WRITE_MIDDLE])


def flush(_: Choice) -> Cases:
    kinds: dict[str, Settings] = {each: {"file_system.module.flush_period": each} for each in ("50ms", "500ms", "5s")}
    return options(kinds, [WRITE_SMALL, WRITE_MIDDLE, Load(MIDDLE, WRITE, locality=1.0)])


NETWORKS: Mapping[str, Settings] = {
    "hub": {},
    "switch": {"machine.network.medium": "switch"},
    "1 Gb/s switch": {"machine.network.medium": "switch", "machine.network.bandwidth": "125MB/s"},
}


def network(_: Choice) -> Cases:
    loads = [READ_NEW, Load(SMALL, locality=1.0), WRITE_SMALL, *SHARED]
    return options(NETWORKS, loads, (NONE, CACHING, APART))


def cold(choice: Choice) -> Cases:
    """Two instances on four nodes: the first pass, with data on disk only, beside the third one."""
    return {
        key: sets
        for request in choice.together
        for sharing in (0, 50, 100)
        for load in [Load(request, sharing=sharing)]
        for version in (NONE, CACHING)
        for key, sets in measured(
            Key(version, load.pattern, "", request, str(sharing)), load, {}, tuple(PASSES)
        ).items()
    }
