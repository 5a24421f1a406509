# SPDX-License-Identifier: MIT
"""Machines by part: what the drives, the network and other parts of a configuration are called, and how two differ."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sunstar.configurations import Changed, key, leaves, shortened
from sunstar.files import taking_apart
from sunstar.structure import drive_of, machine_of

PARTS = {
    "file system": r"file_system",
    "workload": r"workload",
    "preset": r"base",
    "counts": r"machine\.(?=(compute_processors|io_processors|combined|disks|nodes|placement|array\.disks)\b)",
    "drives": r"machine\.(?=(disk|nvme|spindles|first_cylinder|array|driver)\b)",
    "buses": r"machine\.(?=bus)",
    "network": r"machine\.network",
    "nodes": r"machine",
    "faults": r"faults",
}
"""The parameters of each part, by the beginning of their path, in the order in which parts are told."""
COUNTS = {"compute_processors": "compute", "io_processors": "I/O", "combined": "combined nodes", "disks": "drives"}
COUNTS = {f"machine.{name}": called for name, called in COUNTS.items()}
OTHERS = "run"
TOLD = 3  # The most parameters that stand beside the name of a part


class Apart(NamedTuple):
    """How a part differs: what it is called on both sides, or else its differing parameters."""

    part: str
    a: str
    b: str
    parameters: int  # The number of those that differ


@taking_apart("a configuration is not what a simulator writes")
def used(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration without the drives and buses that are defaults and that no node has."""
    machine = config.get("machine")
    if not isinstance(machine, Mapping):
        return dict(config)
    groups = [of for node in machine.get("nodes") or () for bus in node["buses"] for of in bus["drives"]]
    usual = not groups or any(not (of.get("nvme") or of.get("disk")) for of in groups)
    idle = {"disk" if usual and machine.get("nvme") else "nvme"} if usual else {"disk", "nvme"}
    if groups and all("link" in drive_of(of, machine) for of in groups):
        idle.add("bus")
    return {**config, "machine": {name: value for name, value in machine.items() if name not in idle}}


@taking_apart("a configuration is not what a simulator writes")
def names_of(config: Mapping[str, Any]) -> dict[str, str]:
    """What each part is called, as in {"drives": "HP 97560"}."""
    flat, found = dict(leaves(config)), machine_of(config)
    faults = Counter(fault.get("effect") for fault in config.get("faults") or ())
    store, interface = flat.get("file_system.store.kind", "plain"), flat.get("machine.node.interface.kind", "messages")
    names = {
        "preset": Path(str(flat.get("base", ""))).stem,
        "workload": str(flat.get("workload.kind", "")),
        "file system": str(flat.get("file_system.kind", "")) + f" on {store}" * (store != "plain"),
        "counts": ", ".join(f"{flat[path]} {called}" for path, called in COUNTS.items() if flat.get(path)),
        "faults": ", ".join(f"{n} {effect}" for effect, n in faults.items()) or "no fault",
    }
    if found is None:
        return names
    rates = sorted({bus.rate for node in found.nodes for bus in node.buses})
    network = (config.get("machine") or {}).get("network") or {}
    shape = " x ".join(map(str, network.get("shape") or ()))
    kind = network.get("topology") or network.get("medium") or network.get("kind")
    rate = next((value for name, value in network.items() if name.endswith("bandwidth")), "")
    return names | {
        "drives": ", ".join(found.drives) or found.drive,
        "buses": ", ".join(rate if rate.startswith("PCIe") else f"SCSI {rate}" for rate in rates),
        "network": f"{kind} {shape}".strip() + f", {rate}" * bool(rate) if network else "",
        "nodes": ", ".join(filter(None, found.rates.values())) + f", {interface}" * (interface != "messages"),
    }


def part_of(path: str) -> tuple[str, str]:
    """The part that a parameter belongs to, and its path there."""
    for part, form in PARTS.items():
        if match := re.match(rf"{form}(?:\.|\b)", path):
            return part, path[match.end() :] or path
    return OTHERS, path


def rank(path: str) -> int:
    """A parameter's place in a table: by part, and others last."""
    return [*PARTS, OTHERS].index(part_of(path)[0])


def apart(a: Mapping[str, Any], b: Mapping[str, Any], changed: Sequence[Changed]) -> Iterator[Apart]:
    """The parts that differ, by the parameters that do."""
    counted, one, other = Counter(part_of(each.path)[0] for each in changed), names_of(a), names_of(b)
    for part in (*PARTS, OTHERS):
        if not counted[part]:
            continue
        sides = [one.get(part, ""), other.get(part, "")]
        if sides[0] == sides[1]:
            own = [(name, each) for each in changed for its, name in [part_of(each.path)] if its == part]
            plain = [each for each in own if not any(isinstance(of, dict) for of in (each[1].a, each[1].b))][:TOLD]
            more = [f"and {len(own) - len(plain)} more"] * (len(own) > len(plain))
            for i, side in enumerate("ab"):
                told = [f"{name} {shortened(getattr(each, side), 24)}" for name, each in plain]
                sides[i] = ", ".join([*filter(None, sides[i : i + 1]), *told, *more])
        yield Apart(part, sides[0] or "-", sides[1] or "-", counted[part])


MOST_LETTERS = 40  # Of a text that may tell runs apart; longer ones are prose


def telling_apart(configs: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The fewest parameters, or names of parts, that tell configurations apart, with their values; of `run` only the
    seed tells. None if only lists or prose do."""
    parts = [names_of(each) for each in configs]
    flat = [{n: value for n, value in leaves(used(each)) if not n.startswith("run.")} for each in configs]
    known = {name: [each.get(name, "") for each in parts] for name in ("preset", "drives", "network", "faults")}
    for name in sorted((name for name in flat[0] if all(name in each for each in flat)), key=rank):
        values = [each[name] for each in flat]
        if name != "base" and not any(isinstance(of, list | dict) or len(str(of)) > MOST_LETTERS for of in values):
            known[name] = values
    chosen: dict[str, list[Any]] = {}

    def told(*more: str) -> int:
        return len({key(row) for row in zip(*chosen.values(), *(known[name] for name in more), strict=True)})

    while known and told() < len(set(map(key, flat))):
        best = max(known, key=told)
        if told(best) <= max(told(), 1):
            return {}
        chosen[best] = known[best]
    return chosen
