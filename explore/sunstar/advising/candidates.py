# SPDX-License-Identifier: MIT
"""All possible changes of a machine; the workload stays as it is."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sunstar.advising.changes import BACK, Change, Json, Parameter, changes_of, names_of_catalogue, parameters
from sunstar.advising.composition import NODES, OF_DISKS, compositions, nodes_of, written
from sunstar.configurations import bases_of, changes, shortened
from sunstar.errors import FileError, UsageError, meant
from sunstar.quantities import quantity
from sunstar.results import schema_of
from sunstar.runs.simulator import Point, Value, ask

ANY_FACTOR = 1e9  # No bound says how much faster another drive may be
MOST_NAMED = 3  # Parameters of a drive
STORE = "file_system.store.kind"
LOSSES = ("medium-error", "power-loss", "corruption", "stop", "reboot", "message-lost", "message-corrupted")
COUNTS = ("compute_processors", "io_processors", "combined", "disks")
OF_A_CALL = ("records", "interval", "trials", "jobs")  # Parameters of `run` that do not belong to the machine


@dataclass(frozen=True)
class Machine:
    """The machine in question, as a file that all runs start from."""

    program: str
    config: Json  # Effective
    file: Path
    by_counts: bool  # Whether the file has counts in place of nodes
    placed: bool  # Whether its nodes have places other than machine.placement's

    @property
    def drive(self) -> str:
        """The section of all drives that have no parameters of their own."""
        return f"machine.{'nvme' if self.config['machine'].get('nvme') else 'disk'}"

    def point(self, settings: Mapping[str, Value]) -> Point:
        return Point(settings, self.file, self.program)

    def parameters(self, config: Json) -> list[Parameter]:
        """The parameters that a designer may change, of parts that the machine has."""
        groups = [disk for node in nodes_of(config) for bus in node.buses for disk in bus]
        absent = {"machine.disk", "machine.nvme"} - ({self.drive} if {} in groups else set())
        if "machine.disk" in absent and not any("disk" in disk for disk in groups):
            absent |= {"machine.bus", "machine.spindles"}
        found = parameters(schema_of(self.program, "--schema"), config)
        return [each for each in found if not within(each.path, absent)]


def within(path: str, sections: Collection[str]) -> bool:
    """Whether it is one of these paths, or below one."""
    return f"{path}.".startswith(tuple(f"{section}." for section in sections))


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
            [answer] = ask([Point({}, file, program)])
            if answer.get("config", {}).get("machine") == config["machine"]:
                return Machine(program, config, file, form is forms[0], form is forms[-1])
    raise FileError(f"sunstar-{program} does not take the configuration that it has printed; it is of another version")


@dataclass(frozen=True)
class Candidates:
    changes: Sequence[Change]
    refused: Mapping[Change, str]  # The refused settings, and why


def candidates(machine: Machine, keep: Collection[str] = ()) -> Candidates:
    """All changes that the simulator takes and uses, except in `keep`, beginning with those that put something back."""
    every = [
        *mended(machine.config),
        *of_parameters(machine),
        *compositions(machine.config, machine.by_counts, machine.placed),
    ]
    for path in keep:
        if not any(within(each.path, [path]) for each in every):
            paths = dict.fromkeys(each.path for each in every)
            raise UsageError(f"--keep {path}: nothing there would be changed{meant(path, paths)}")
    wanted = sorted((each for each in every if not within(each.path, keep)), key=lambda each: each.work)
    answers = dict(zip(wanted, ask([machine.point(each.settings) for each in wanted]), strict=True))
    return Candidates(
        [
            replace(each, values=sum(1 for _ in changes(machine.config, answer["config"])))
            for each, answer in answers.items()
            if "config" in answer and matters(machine, each, answer)
        ],
        {each: answer["error"] for each, answer in answers.items() if "error" in answer},
    )


def matters(machine: Machine, change: Change, answer: Json) -> bool:
    """Whether it changes anything, and the simulator does not warn that it is unused, hardly meant or unsuitable."""
    words = "" if change.path.endswith(".kind") else ".*(not used|hardly meant)"
    named = re.compile(rf"(?<![\w.]){re.escape(change.path)}(?![\w.]){words}")
    warned = any(named.search(sentence.partition(";")[0]) for sentence in answer["warnings"])
    return not warned and answer["config"] != machine.config


def of_parameters(machine: Machine) -> Iterator[Change]:
    """Other values of parameters; the values and kinds of a base of these kinds and this size are put back. A drive of
    the catalogue is compared with its catalogue file."""
    config, found, drive = machine.config, machine.parameters(machine.config), machine.drive.rpartition(".")[2]
    drives, mine = catalogue(machine, found), config["machine"][drive]
    usual = next((disk for disk in drives.values() if disk["name"] == mine["name"]), mine)
    size = {f"machine.{name}": config["machine"][name] for name in COUNTS}
    kinds = {each.path: each.value for each in found if each.is_kind}
    same = {**kinds, **{f"workload.{name}": value for name, value in config["workload"].items()}}
    presets, alike = [], []
    for base in bases_of(config["base"]):
        of_size = {"base": base, **size}
        known = ask([Point(each, None, machine.program) for each in (of_size, {**of_size, **same})])
        # A preset may not go with these counts, or with this workload
        preset, reference = (each.get("config", config) for each in known)
        presets.append(preset)
        alike.append({**reference, "machine": {**reference["machine"], drive: usual}})
    yield from changes_of([each for each in found if each.path in same and not each.tuning], presets)
    yield from (with_checks(each, config) for each in changes_of(found, alike))
    yield from of_drive(machine.drive, mine, drives, [(preset["machine"][drive] or mine)["name"] for preset in presets])


def catalogue(machine: Machine, found: Sequence[Parameter]) -> dict[str, Json]:
    """The drives that may take the place of the machine's, by the names of their files."""
    names = [name for each in found if each.path == machine.drive for name in names_of_catalogue(each.schema)]
    answers = ask([machine.point({machine.drive: name}) for name in names]) if names else []
    section, known = machine.drive.rpartition(".")[2], zip(names, answers, strict=True)
    return {name: answer["config"]["machine"][section] for name, answer in known if "config" in answer}


def of_drive(path: str, mine: Json, drives: Mapping[str, Json], of_presets: Sequence[str]) -> Iterator[Change]:
    """The catalogue's drive in place of one that differs in several values, and other drives."""
    known = next((name for name, disk in drives.items() if disk["name"] == mine["name"]), None)
    sold = drives[known] if known else mine
    edits = list(changes(mine, sold))
    if known and len(edits) > 1:
        was, to = (
            ", ".join(f"{each.path} {shortened(getattr(each, side), 20)}" for each in edits[:MOST_NAMED])
            for side in ("a", "b")
        )
        yield Change(path, was, f"as sold, {to}", {path: known}, "part", work=BACK)
    for name, disk in drives.items():
        if name != known:
            back = disk["name"] in of_presets and not edits
            more = 0.0 if back else max(1.0, speed_of(disk) / speed_of(sold) - 1)
            work = BACK if back else 1.0
            yield Change(path, mine["name"], disk["name"], {path: name}, "part", more, OF_DISKS, ANY_FACTOR, work)


def speed_of(disk: Json) -> float:
    """A drive's speed, for comparison with others of its kind: the root of its rate at the heads times its revolutions;
    of flash, the rate that its channels and its firmware let pass."""
    if "zones" not in disk:
        most = number(disk["read_bandwidth"]), disk["channels"] * (number(disk["channel_rate"]) or 0)
        return min(rate for rate in most if rate)
    cylinders = sum(zone["cylinders"] for zone in disk["zones"])
    sectors = sum(zone["cylinders"] * zone["sectors_per_track"] for zone in disk["zones"]) / cylinders
    return float(disk["rpm"] * sectors**0.5)


def with_checks(change: Change, config: Json) -> Change:
    """A store that keeps copies or checks needs more drives to hold as much as a plain one."""
    if change.path != STORE or change.was != "plain":
        return change
    serving = sum(1 for node in config["machine"]["nodes"] if node["buses"])
    drives = config["machine"]["disks"] / max(1, serving)
    lost = {"mirror": 1 / 2, "raid6": 2 / drives, "parity-declustered": 1 / 4}.get(change.to, 1 / drives)
    return replace(change, kind="part", added=lost / (1 - lost) if lost < 1 else 1.0)


def mended(config: Json) -> Iterator[Change]:
    """A part with faults that cost time is replaced; faults that lose data belong to the question, and stay."""
    costly = [each for each in config["faults"] if each["effect"] not in LOSSES]
    for place in dict.fromkeys(each["place"] for each in costly):
        rest = [each for each in config["faults"] if each not in costly or each["place"] != place]
        effects = ", ".join(dict.fromkeys(each["effect"] for each in costly if each["place"] == place))
        to = "another drive of its type" if ".disk" in place else "mended"
        yield Change(place, effects, to, {"faults": rest}, "part", work=BACK)


def once_more(machine: Machine, change: Change) -> Change | None:
    """A number doubled once more, or halved if the change makes it smaller; None for what has no number or no more."""
    was, to = number(change.was), number(change.to)
    if was is None or to is None:
        return None
    [now] = ask([machine.point(change.settings)])
    if "error" in now:
        return None
    counted = machine.by_counts and NODES not in change.settings
    same = [each for each in machine.parameters(now["config"]) if each.path == change.path]
    for each in (*changes_of(same, []), *compositions(now["config"], counted, machine.placed)):
        if each.path == change.path and ((number(each.to) or 0) > to) == (to > was):
            more = replace(each, was=change.was, settings={**change.settings, **each.settings})
            [answer] = ask([machine.point(more.settings)])
            return more if "config" in answer and matters(machine, more, answer) else None
    return None


def number(text: str) -> float | None:
    """The number at the start of a change: a quantity or a count."""
    found = quantity(text)
    count = re.match(r"\d+(\.\d+)?(?![\w.])", text)
    return found.value if found else float(count[0]) if count else None
