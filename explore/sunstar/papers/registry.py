# SPDX-License-Identifier: MIT
"""The papers whose systems exist, each with the commands that reproduce it. A new paper is a line of PAPERS.

The commands are loaded when they are asked for, so that listing them takes no time.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

Command = Callable[..., None]


@dataclass(frozen=True)
class Reproduction:
    """How a paper is reproduced."""

    places: tuple[str, ...]
    """The modules and names of its commands: first sunstar reproduce NAME, then others that belong to it."""
    about: str
    """What the first one does, in a line of a list of commands."""
    quick: Mapping[str, Any] = field(default_factory=lambda: {"quick": True})
    """What --quick sets in commands that have such an option."""

    @property
    def command(self) -> Command:
        """sunstar reproduce NAME"""
        return next(self.commands())

    def commands(self) -> Iterator[Command]:
        for place in self.places:
            module, name = place.split(":")
            yield cast(Command, getattr(import_module(f"sunstar.papers.{module}"), name))


PAPERS: Mapping[str, Reproduction] = {
    "tr94-226": Reproduction(
        ("tr94_226.reproduce_command:reproduce_tr94_226", "tr94_226.figures_command:figures_tr94_226"),
        "Compare the throughput of 16 CPs, 16 IOPs and 16 disks with Tables 3 and 4 of TR94-226.",
    ),
    "enwrich": Reproduction(
        ("enwrich.command:reproduce_enwrich",),
        "Compare ENWRICH with traditional caching and disk-directed I/O.",
        {"figure": ["4", "5", "6"]},
    ),
    "expanding": Reproduction(
        ("expanding.experiments:reproduce_expanding",),
        "Compare disk-directed I/O with traditional caching where data say where records go.",
    ),
    "two-phase": Reproduction(
        ("two_phase.experiments:reproduce_two_phase",),
        "Compare two-phase I/O with disk-directed I/O and traditional caching on many networks.",
    ),
    "five-ways": Reproduction(
        ("five_ways.experiments:reproduce_five_ways",),
        "Map which of the five ways to do parallel I/O is best.",
    ),
    "galley": Reproduction(
        ("galley.experiments:reproduce_galley",), "Measure the Galley parallel file system on the SP-2."
    ),
    "pvfs": Reproduction(
        ("pvfs.experiments:reproduce_pvfs",), "Measure PVFS with and without the kernel's cache on application nodes."
    ),
}
