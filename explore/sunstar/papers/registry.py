# SPDX-License-Identifier: MIT
"""The papers whose systems exist, each with the commands that reproduce it. A new paper is a line of PAPERS.

The commands are loaded when they are asked for, so that listing them takes no time.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, cast

Command = Callable[..., None]


class Reproduction:
    """How a paper is reproduced: by the commands at these places, MODULE:NAME, of which the first one is sunstar
    reproduce NAME. `quick` is what --quick sets in those that have such an option."""

    def __init__(self, *places: str, quick: Mapping[str, Any] | None = None) -> None:
        self.places = places
        self.quick = quick or {"quick": True}

    @property
    def command(self) -> Command:
        """sunstar reproduce NAME"""
        return next(self.commands())

    def commands(self) -> Iterator[Command]:
        for place in self.places:
            module, name = place.split(":")
            yield cast(Command, getattr(import_module(f"sunstar.papers.{module}"), name))


PAPERS: Mapping[str, Reproduction] = {
    "tr94-226": Reproduction("tr94_226.reproduce_command:reproduce_tr94_226", "tr94_226.experiments:figures_tr94_226"),
    "enwrich": Reproduction("enwrich.experiments:reproduce_enwrich", quick={"figure": ["4", "5", "6"]}),
    "expanding": Reproduction("expanding.experiments:reproduce_expanding"),
    "two-phase": Reproduction("two_phase.experiments:reproduce_two_phase"),
    "five-ways": Reproduction("five_ways.experiments:reproduce_five_ways"),
    "galley": Reproduction("galley.experiments:reproduce_galley"),
    "pvfs": Reproduction("pvfs.experiments:reproduce_pvfs"),
}
