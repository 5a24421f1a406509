# SPDX-License-Identifier: MIT
"""The papers whose systems exist, each with the commands that reproduce it. A new paper is a line of PAPERS."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sunstar.papers.enwrich.command import reproduce_enwrich
from sunstar.papers.expanding.command import reproduce_expanding
from sunstar.papers.five_ways.command import reproduce_five_ways
from sunstar.papers.galley.command import reproduce_galley
from sunstar.papers.pvfs.command import reproduce_pvfs
from sunstar.papers.tr94_226.figures_command import figures_tr94_226
from sunstar.papers.tr94_226.reproduce_command import reproduce_tr94_226
from sunstar.papers.two_phase.command import reproduce_two_phase

Command = Callable[..., None]


@dataclass(frozen=True)
class Reproduction:
    """How a paper is reproduced."""

    command: Command
    """sunstar reproduce NAME"""
    more: tuple[Command, ...] = ()
    """Others that belong to it, such as sunstar figures NAME."""
    quick: Mapping[str, Any] = field(default_factory=dict)
    """What --quick sets in commands that have such an option."""


QUICK = {"quick": True}

PAPERS: Mapping[str, Reproduction] = {
    "tr94-226": Reproduction(reproduce_tr94_226, more=(figures_tr94_226,)),
    "enwrich": Reproduction(reproduce_enwrich, quick={"figure": ["4", "5", "6"]}),
    "expanding": Reproduction(reproduce_expanding, quick=QUICK),
    "two-phase": Reproduction(reproduce_two_phase, quick=QUICK),
    "five-ways": Reproduction(reproduce_five_ways, quick=QUICK),
    "galley": Reproduction(reproduce_galley, quick=QUICK),
    "pvfs": Reproduction(reproduce_pvfs, quick=QUICK),
}
