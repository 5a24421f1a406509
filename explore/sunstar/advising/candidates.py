# SPDX-License-Identifier: MIT
"""All that one could change about a machine: what its preset has instead, the other values of its parameters, its
composition, drives of the catalogue. The workload stays as it is."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sunstar.advising.changes import Change, Parameter, changes_of, kinds, names_of_catalogue, parameters
from sunstar.advising.composition import DISK_STAGES, Composition, bare, nodes_of
from sunstar.errors import FileError, RunError
from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.runs.simulator import Point, Refused, Value, answers_to, ask

Json = Mapping[str, Any]
DISK = "machine.disk"
ANY_FACTOR = 1e9  # No bound says how much faster another drive may be
COUNTS = ("compute_processors", "io_processors", "combined", "disks")
SLOW = "slow"  # The effect of a fault that makes a drive slower, which ends when the drive is replaced
LISTS = ("records", "interval", "trials", "jobs")  # Of the section `run`: what belongs to one call


@dataclass(frozen=True)
class Machine:
    """The machine in question, as a file that all runs start from."""

    program: str
    config: Json  # Effective
    file: Path
    composition: Composition

    def point(self, settings: Mapping[str, Value]) -> Point:
        return Point(settings, self.file, self.program)


def machine_in(program: str, config: Json, folder: Path) -> Machine:
    """The machine of an effective configuration, by counts if they say all of it, so that they can be changed; without
    what follows from them."""
    if "nodes" not in config.get("machine", ()):
        raise FileError(f"sunstar-{program} has no machine of nodes and drives, so there is nothing to advise")
    run = {name: value for name, value in config["run"].items() if name not in LISTS}
    hardware = config["machine"]
    file = folder / "config.json"
    shape = hardware["network"].get("shape")
    listed, unplaced = hardware["nodes"], bare(nodes_of(config))
    for nodes in (None, unplaced, listed):
        for word in ("square", "cubic", shape) if shape else (None,):
            network = {**hardware["network"], **({"shape": word} if shape else {})}
            form = {**hardware, "network": network, "nodes": nodes}
            file.write_text(
                json.dumps({**config, "run": run, "machine": {k: v for k, v in form.items() if v is not None}})
            )
            [found] = ask([Point({}, file, program)])
            if not isinstance(found, Refused) and found["machine"] == hardware:
                return Machine(program, config, file, Composition(config, nodes is None, nodes is listed))
    raise FileError(f"sunstar-{program} does not take the configuration that it has printed; it is of another version")


@cache
def schema_of(program: str) -> Json:
    """The JSON Schema of a simulator's configurations."""
    done = run_program([str(executable(program)), "--schema"])
    if done.returncode != 0:
        raise RunError(f"{done.stderr}\n(sunstar-{program} --schema ended badly)", done.returncode)
    schema: Json = json.loads(done.stdout)
    return schema


@dataclass(frozen=True)
class Candidates:
    changes: Sequence[Change]
    refused: Mapping[Change, str]  # What the simulator does not take, and why


def candidates(machine: Machine) -> Candidates:
    found = list(parameters(schema_of(machine.program), machine.config))
    back, reference = put_back(machine, found, drives_in(machine, found))
    wanted = [*repaired_drives(machine), *changes_of(found, reference), *machine.composition.changes(), *back]
    return accepted(machine, wanted)


def accepted(machine: Machine, wanted: Sequence[Change]) -> Candidates:
    """Those that the simulator takes, and uses."""
    answers = answers_to([machine.point(each.settings) for each in wanted])
    refused = {each: answer["error"] for each, answer in zip(wanted, answers, strict=True) if "error" in answer}
    kept = [
        each
        for each, answer in zip(wanted, answers, strict=True)
        if each not in refused and not warned(each.path, answer["warnings"]) and answer["config"] != machine.config
    ]
    return Candidates(kept, refused)


def warned(path: str, warnings: Sequence[str]) -> bool:
    """Whether the simulator says of the parameter that it is not used or hardly meant so."""
    named = re.compile(rf"(?<![\w.]){re.escape(path)}(?![\w.])")
    return any(named.search(sentence.partition(";")[0]) for sentence in warnings)


def drives_in(machine: Machine, found: Sequence[Parameter]) -> dict[str, Json]:
    """The drives of the catalogue by their names there."""
    names = [name for each in found if each.path == DISK for name in names_of_catalogue(each.schema)]
    answers = ask([machine.point({DISK: name}) for name in names])
    known = zip(names, answers, strict=True)
    return {name: config["machine"]["disk"] for name, config in known if not isinstance(config, Refused)}


def put_back(machine: Machine, found: Sequence[Parameter], catalogue: Mapping[str, Json]) -> tuple[list[Change], Json]:
    """Kinds back to those of the preset; and what the preset has for a machine of the present kinds and of this size,
    with the catalogue's drive of the same name."""
    config = machine.config
    drives = [name for name, disk in catalogue.items() if disk["name"] == config["machine"]["disk"]["name"]]
    size = {"base": config["base"], **{f"machine.{name}": config["machine"][name] for name in COUNTS}}
    same = {**kinds(found), **{f"workload.{name}": value for name, value in config["workload"].items()}}
    drive = {"machine.disk": drives[0]} if drives else {}
    preset, reference = ask([Point(each, None, machine.program) for each in (size, {**size, **same, **drive})])
    if isinstance(preset, Refused) or isinstance(reference, Refused):  # what it is by counts does not go together
        return [], config
    other = [each for each in found if each.path in same and not each.tuning]
    drive_of_preset = preset["machine"]["disk"]["name"]
    return [
        *changes_of(other, preset),
        *other_drives(config["machine"]["disk"], catalogue, drive_of_preset),
    ], reference if drives else {**reference, "machine": {**reference["machine"], "disk": config["machine"]["disk"]}}


def repaired_drives(machine: Machine) -> Iterator[Change]:
    """A drive that a fault makes slow is replaced; all other faults stay."""
    faults = machine.config["faults"]
    for place in dict.fromkeys(each["place"] for each in faults if each["effect"] == SLOW):
        rest = [each for each in faults if (each["place"], each["effect"]) != (place, SLOW)]
        yield Change(place, "slow", "another drive of its type", {"faults": rest}, "part", back=True)


def other_drives(mine: Json, catalogue: Mapping[str, Json], preset: str) -> Iterator[Change]:
    """All drives of another type; the preset's own is put back."""
    for name, disk in catalogue.items():
        if disk["name"] != mine["name"]:
            back = disk["name"] == preset
            more = 0.0 if back else max(1.0, speed_of(disk) / speed_of(mine) - 1)
            yield Change(DISK, mine["name"], disk["name"], {DISK: name}, "part", more, DISK_STAGES, ANY_FACTOR, back)


def speed_of(disk: Json) -> float:
    """How fast a drive is: the geometric mean of its rate at the heads and of accesses a second."""
    zones = disk["zones"]
    cylinders = sum(zone["cylinders"] for zone in zones)
    sectors = sum(zone["cylinders"] * zone["sectors_per_track"] for zone in zones) / cylinders
    turns = disk["rpm"] / 60
    return float(((turns * sectors) * (2 * turns)) ** 0.5)
