# SPDX-License-Identifier: MIT
"""A fault that never strikes leaves every figure of every statistic as it is, on all machines."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence

import pytest

from sunstar.places import executable, project

WATCHED = "machine.peers.kind=watched"
SURVIVES = re.compile("new: (.*: )?faults: ")
"""Some file systems and workloads do not survive a node, and say so."""


def compared(both: Sequence[str], *faults: tuple[str, str]) -> tuple[str, list[str]]:
    """The summary of all configurations without the faults and with them, and what differs."""
    trigger = {"kind": "time", "at": "900000s"}
    listed = json.dumps([{"place": place, "effect": effect, "trigger": trigger} for place, effect in faults])
    settings = [word for each in both for word in ("--both", each)] + ["--set", f"faults={listed}"]
    script = project() / "scripts" / "compare_builds.py"
    build = executable("torus").parent
    done = subprocess.run(
        [sys.executable, script, build, build, "--figures", *settings],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    *said, summary = done.stdout.splitlines()
    return summary, [line for line in said if not SURVIVES.search(line)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("both", "faults"),
    [
        ([], [("*disk*", "dead")]),
        ([WATCHED], [("*", "stop"), ("*", "pause")]),
        ([WATCHED, "machine.delivery.kind=acknowledged"], [("*", "port-down"), ("*", "message-lost")]),
    ],
    ids=["drives", "nodes", "network"],
)
def test_a_fault_that_never_strikes_changes_nothing(both: list[str], faults: list[tuple[str, str]]) -> None:
    summary, said = compared(both, *faults)
    assert said == []
    assert int(summary.split()[0]) > 80
