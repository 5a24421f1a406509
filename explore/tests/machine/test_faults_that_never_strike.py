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
DATELINE = "machine.network.router.vc_class_rule=dateline"
APART = re.compile(
    "^ew-stop: |new: (.*: )?faults: |new: .*faults.0.place.*has none|1 differ: result/warnings/.*no fault struck"
)
"""A configuration that has a fault of its own; workloads that do not survive a node, and say so; machines without
routers; a warning that says that no fault has struck."""


def never(faults: Sequence[tuple[str, str]]) -> str:
    """The setting of faults that are due long after the end."""
    trigger = {"kind": "time", "at": "900000s"}
    return "faults=" + json.dumps([{"place": place, "effect": effect, "trigger": trigger} for place, effect in faults])


def compared(both: Sequence[str], only: Sequence[str], *faults: tuple[str, str]) -> tuple[str, list[str]]:
    """The summary of configurations without the faults and with them, and what differs."""
    settings = [word for each in both for word in ("--both", each)] + ["--set", never(faults)]
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
        ([WATCHED, ACKNOWLEDGED], [], [("*", "port-down"), ("*", "message-lost")]),
        (
            [WATCHED, ACKNOWLEDGED, DATELINE],
            [],
            [("*", "router-down"), ("*.up?", "link-down"), ("*.up?", "message-lost")],
        ),
    ],
    ids=["drives", "nodes", "network", "links of a torus"],
)
def test_a_fault_that_never_strikes_changes_nothing(
    both: list[str], only: list[str], faults: list[tuple[str, str]]
) -> None:
    summary, said = compared(both, only, *faults)
    assert said == []
    assert int(summary.split()[0]) >= (20 if only else 80)


SIDEWAYS = [("network.*", "port-down"), ("network.*", "message-lost")]


@pytest.mark.parametrize(
    ("program", "settings", "faults"),
    [
        *(
            ("network", ["machine.network.model=" + model, DATELINE, "workload.measured=2000"], faults)
            for model in ("worm", "flit")
            for faults in (SIDEWAYS, [("network.router*", "router-down"), ("network.*.up0", "link-down")])
        ),
        (
            "network",
            ["machine.network.kind=fat-tree", "workload.measured=2000"],
            [*SIDEWAYS, ("network.*.up1", "link-down")],
        ),
        (
            "network",
            ["machine.network.kind=dragonfly", "machine.network.groups=3", "workload.measured=2000"],
            [*SIDEWAYS, ("network.router1", "router-down"), ("network.*.global1", "link-down")],
        ),
        ("network", ["machine.network.kind=switch"], SIDEWAYS),
        ("network", ["machine.network.kind=ethernet"], SIDEWAYS),
        ("disk", ["workload.requests=500"], [("disk", "dead"), ("disk", "hang"), ("disk", "power-loss")]),
    ],
)
def test_nor_does_one_of_a_network_or_a_drive_alone(
    program: str, settings: list[str], faults: list[tuple[str, str]]
) -> None:
    def figures(more: list[str]) -> dict[str, dict[str, object]]:
        words = [word for each in [*settings, *more] for word in ("--set", each)]
        command = [str(executable(program)), *words, "--quiet", "--output", "-"]
        result = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        del result["config"], result["host"]
        return dict(result)

    healthy, with_faults = figures([]), figures([never(faults)])
    for part in ("statistics", "result"):
        one, other = (
            {key: value for key, value in each[part].items() if key not in ("warnings", "faults")}
            for each in (healthy, with_faults)
        )
        assert {key: other.get(key) for key in one} == one
