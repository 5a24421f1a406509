# SPDX-License-Identifier: MIT
"""All that one could change about a machine: what its preset has instead, the other values of its parameters, its
composition, drives of the catalogue. The workload stays as it is."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sunstar.advising.changes import BACK, Change, Json, Parameter, changes_of, kinds, names_of_catalogue, parameters
from sunstar.advising.composition import NODES, OF_DISKS, compositions, nodes_of, written
from sunstar.errors import FileError, UsageError, meant
from sunstar.results import schema_of
from sunstar.runs.simulator import Point, Refused, Value, answers_to, ask

DISK = "machine.disk"
ANY_FACTOR = 1e9  # No bound says how much faster another drive may be
COUNTS = ("compute_processors", "io_processors", "combined", "disks")
OF_A_CALL = ("records", "interval", "trials", "jobs")  # Parameters of `run` that do not belong to the machine


@dataclass(frozen=True)
class Machine:
    """The machine in question, as a file that all runs start from."""

    program: str
    config: Json  # Effective
    file: Path
    by_counts: bool  # Whether the file has counts in place of nodes
    placed: bool  # Whether its nodes have places that machine.placement would not give them

    def point(self, settings: Mapping[str, Value]) -> Point:
        return Point(settings, self.file, self.program)


def machine_in(program: str, config: Json, folder: Path) -> Machine:
    """The machine of an effective configuration. Its file leaves out what follows from the rest (nodes from counts,
    places, the network's shape), so that the rest can be changed."""
    if "nodes" not in config.get("machine", ()):
        raise FileError(f"sunstar-{program} has no machine of nodes and drives, so there is nothing to advise")
    hardware, file = dict(config["machine"]), folder / "config.json"
    run = {name: value for name, value in config["run"].items() if name not in OF_A_CALL}
    listed, shape = hardware.pop("nodes"), hardware["network"].get("shape")
    counts = {name: hardware.pop(name) for name in COUNTS}
    forms: list[Json] = [counts, {"nodes": written(nodes_of(config), placed=False)[NODES]}, {"nodes": listed}]
    for form in forms:
        for words in [{"shape": each} for each in ("square", "cubic", shape)] if shape else [{}]:
            machine = {**hardware, **form, "network": {**hardware["network"], **words}}
            file.write_text(json.dumps({**config, "run": run, "machine": machine}))
            [found] = ask([Point({}, file, program)])
            if not isinstance(found, Refused) and found["machine"] == config["machine"]:
                return Machine(program, config, file, form is forms[0], form is forms[-1])
    raise FileError(f"sunstar-{program} does not take the configuration that it has printed; it is of another version")


@dataclass(frozen=True)
class Candidates:
    changes: Sequence[Change]
    refused: Mapping[Change, str]  # What the simulator does not take, and why


def candidates(machine: Machine, keep: Collection[str] = ()) -> Candidates:
    """All changes that the simulator takes and uses; what puts something back comes first. Parameters and sections in
    `keep` stay as they are."""
    found = list(parameters(schema_of(machine.program, "--schema"), machine.config))
    every = [
        *replaced_drives(machine.config),
        *from_preset(machine, found),
        *compositions(machine.config, machine.by_counts, machine.placed),
    ]
    for path in keep:
        if not any(f"{each.path}.".startswith(f"{path}.") for each in every):
            paths = dict.fromkeys(each.path for each in every)
            raise UsageError(f"--keep {path}: nothing there would be changed{meant(path, paths)}")
    kept = [each for each in every if not any(f"{each.path}.".startswith(f"{path}.") for path in keep)]
    wanted = sorted(kept, key=lambda each: each.work)
    answers = dict(zip(wanted, answers_to([machine.point(each.settings) for each in wanted]), strict=True))
    return Candidates(
        [each for each, answer in answers.items() if "config" in answer and matters(machine, each, answer)],
        {each: answer["error"] for each, answer in answers.items() if "error" in answer},
    )


def matters(machine: Machine, change: Change, answer: Json) -> bool:
    """Whether it changes anything, and the simulator does not warn that the parameter is not used or hardly meant."""
    named = re.compile(rf"(?<![\w.]){re.escape(change.path)}(?![\w.])")
    warned = any(named.search(sentence.partition(";")[0]) for sentence in answer["warnings"])
    return not warned and answer["config"] != machine.config


def from_preset(machine: Machine, found: Sequence[Parameter]) -> Iterator[Change]:
    """Other values of parameters; those that a preset of these kinds and this size has, and its kinds, are put back. A
    drive of the catalogue is compared with what the catalogue says of it."""
    config, mine = machine.config, machine.config["machine"]["disk"]
    names = [name for each in found if each.path == DISK for name in names_of_catalogue(each.schema)]
    answers = zip(names, ask([machine.point({DISK: name}) for name in names]), strict=True)
    drives = {name: answer["machine"]["disk"] for name, answer in answers if not isinstance(answer, Refused)}
    size = {"base": config["base"], **{f"machine.{name}": config["machine"][name] for name in COUNTS}}
    same = {**kinds(found), **{f"workload.{name}": value for name, value in config["workload"].items()}}
    known = ask([Point(each, None, machine.program) for each in (size, {**size, **same})])
    # A preset may not go with these counts, or with this workload
    preset, reference = (config if isinstance(each, Refused) else each for each in known)
    usual = next((disk for disk in drives.values() if disk["name"] == mine["name"]), mine)
    yield from changes_of([each for each in found if each.path in same and not each.tuning], preset)
    yield from changes_of(found, {**reference, "machine": {**reference["machine"], "disk": usual}})
    for name, disk in drives.items():
        if disk["name"] != mine["name"]:
            back = disk["name"] == preset["machine"]["disk"]["name"]
            more = 0.0 if back else max(1.0, speed_of(disk) / speed_of(mine) - 1)
            work, to = BACK if back else 1.0, {DISK: name}
            yield Change(DISK, mine["name"], disk["name"], to, "part", more, OF_DISKS, ANY_FACTOR, work)


def speed_of(disk: Json) -> float:
    """How fast a drive is, to compare it with another one: its rate at the heads times its revolutions, the root."""
    cylinders = sum(zone["cylinders"] for zone in disk["zones"])
    sectors = sum(zone["cylinders"] * zone["sectors_per_track"] for zone in disk["zones"]) / cylinders
    return float(disk["rpm"] * sectors**0.5)


def replaced_drives(config: Json) -> Iterator[Change]:
    """A drive that a fault makes slow is replaced; all other faults stay."""
    slow = [each for each in config["faults"] if each["effect"] == "slow"]
    for place in dict.fromkeys(each["place"] for each in slow):
        rest = [each for each in config["faults"] if each not in slow or each["place"] != place]
        yield Change(place, "slow", "another one of its type", {"faults": rest}, "part", work=BACK)
