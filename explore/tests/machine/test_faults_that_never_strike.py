# SPDX-License-Identifier: MIT
"""A fault that never strikes leaves every figure of every statistic as it is."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence

import pytest

from sunstar.places import executable, project

WATCHED, ACKNOWLEDGED = "machine.peers.kind=watched", "machine.delivery.kind=acknowledged"
APART = re.compile("^ew-stop: |new: (.*: )?faults: |1 differ: result/warnings/.*no fault struck")
"""A configuration that has a fault of its own; workloads that do not survive a node, and say so; a warning that says
that no fault has struck."""


def compared(both: Sequence[str], only: Sequence[str], *faults: tuple[str, str]) -> tuple[str, list[str]]:
    """The summary of configurations without the faults and with them, and what differs."""
    trigger = {"kind": "time", "at": "900000s"}
    listed = json.dumps([{"place": place, "effect": effect, "trigger": trigger} for place, effect in faults])
    settings = [word for each in both for word in ("--both", each)] + ["--set", f"faults={listed}"]
    settings += ["--only", *only] if only else []
    script = project() / "scripts" / "compare_builds.py"
    build = executable("torus").parent
    done = subprocess.run(
        [sys.executable, script, build, build, "--figures", *settings],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    *said, summary = done.stdout.splitlines()
    return summary, [line for line in said if not APART.search(line)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("both", "only", "faults"),
    [
        ([], [], [("*disk*", "dead")]),
        ([WATCHED], [], [("*", "stop"), ("*", "pause")]),
        # On a torus, a network that may lose messages draws the ways round its rings at other times.
        ([WATCHED, ACKNOWLEDGED], ["sp2", "cluster"], [("*", "port-down"), ("*", "message-lost")]),
    ],
    ids=["drives", "nodes", "network"],
)
def test_a_fault_that_never_strikes_changes_nothing(
    both: list[str], only: list[str], faults: list[tuple[str, str]]
) -> None:
    summary, said = compared(both, only, *faults)
    assert said == []
    assert int(summary.split()[0]) >= (20 if only else 80)
