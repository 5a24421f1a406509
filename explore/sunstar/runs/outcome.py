# SPDX-License-Identifier: MIT
"""How a run has ended."""

import signal
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    exit_code: int
    """As the simulators give it; -N if signal N ended the run."""
    message: str
    """What the simulator said: warnings, or why it failed."""
    document: bytes = b""
    """The result file; empty if the run failed."""
    figures: bytes = b"{}"
    """Its sections `result` and `host`, JSON again: all that most questions need, and a small part of it."""
    records: bytes | None = None
    """The file of records, if the point asked for one."""

    @property
    def done(self) -> bool:
        return self.exit_code == 0


def how_it_ended(exit_code: int) -> str:
    if exit_code < 0:
        return f"was ended by {signal.Signals(-exit_code).name}"
    return f"ended with exit code {exit_code}"
