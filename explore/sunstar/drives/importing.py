# SPDX-License-Identifier: MIT
"""sunstar import drive: a drive of the catalogue from the parameter files of disk simulations. Parameters have the
meaning of the format's manual. Where the format leaves something open, or describes the machine around the drive, the
import decides, and notes it in the drive's `source`."""

import json
import math
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from sunstar.drives import Drive, known, write
from sunstar.drives.parv import Block, Description, Place, Value
from sunstar.errors import FileError, UsageError, in_words
from sunstar.files import Outputs, read_bytes
from sunstar.quantities import Quantity, quantity

LISTED: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
"""By kind of block: the key of each parameter, and its upper limit, "share", or the meanings of its numbers. Of
overheads, the keys alone; `decoding` has the overheads that a time of each request adds to."""
SECTOR = 512
SEEK = re.compile(r"(\d{1,7})(?:\.0*)?[\s,]+(\d+\.?\d*)")
ASSUMED = "assumed because not described: 512-byte sectors, the arm moves as soon as a write command arrives"
Points = list[tuple[int, int]]
"""Distances in cylinders, and picoseconds."""


def import_drive(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    output: Annotated[Path | None, typer.Option(metavar="NAME.json")] = None,
    source_anywhere: Annotated[bool, typer.Option("--source-anywhere")] = False,
    drive: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    rig_rate: Annotated[str | None, typer.Option(metavar="RATE")] = None,
) -> None:
    description = Description(file, anywhere=source_anywhere)
    rate = None if rig_rate is None else quantity(rig_rate)
    if rig_rate is not None and (rate is None or rate.base != "B/s" or rate.value <= 0):
        raise UsageError(f"--rig-rate {rig_rate} is not a rate, as in 5MB/s")
    made = Import(description, drive, rate)
    found = known("disk", made.drive(), str(file))
    if made.others and not drive:
        others = in_words(made.others)
        typer.echo(f"taken: the first of {1 + len(made.others)} drives; --drive {others} takes another", err=True)
    with Outputs(description.files) as outputs:
        write(outputs, output, found)


def parameters(kind: str, block: Block) -> Drive:
    return {name: parameter(block.at(key), of) for name, (key, of) in LISTED[kind].items()}


def parameter(value: Value, of: Any) -> Any:  # noqa: ANN401  any JSON
    if not isinstance(of, list):
        return value.number(0, 1) if of == "share" else value.whole(of)
    found = of[value.whole(len(of) - 1)]
    if found is None:
        modelled = ", ".join(str(i) for i, each in enumerate(of) if each)
        raise value.refused(f"one of {modelled}; the others are not modelled")
    return found


def times(**picoseconds: int) -> Drive:
    return {name: f"{time}ps" for name, time in picoseconds.items()}


class Import:
    def __init__(self, description: Description, wanted: str | None = None, rig_rate: Quantity | None = None) -> None:
        self.description = description
        self.rig_rate = rig_rate
        self.wanted = wanted
        self.others: list[str] = []  # Names of the drives not taken
        self.notes = [ASSUMED]

    def drive(self) -> Drive:
        spec, bus = self.disk_and_bus()
        model = spec.at("Model").block()
        drive = parameters("model", model) | {"sector_size": f"{SECTOR}B", "overheads": overheads(spec)}
        drive |= self.buffer(spec)
        if spec.at("Extra write disconnect").whole(1):  # The format does not describe when such a drive begins to write
            drive["overheads"]["write_reconnects"] = True
            drive["write_watermark"] = 0.5
            self.notes[0] += ", writing starts when half of the data has arrived"
        drive |= self.layout(model.at("Layout Model").block())
        drive |= self.mechanics(model.at("Mechanical Model").block(), drive) | {"rig": self.rig(spec, bus)}
        longest = max(zone["sectors_per_track"] for zone in drive["zones"])
        # A segment that is smaller than a track has no room for read-ahead.
        small = drive["read_ahead"] == "until-next-track-end" and spec.at("Segment size (in blks)").whole() < longest
        files = dict.fromkeys(path.name for path in (self.description.files[0], spec.place.file, model.place.file))
        return {
            "name": spec.name.removesuffix("_validate").removesuffix("_VALIDATE").replace("_", " "),
            "source": "; ".join([f"imported from {', '.join(files)}", *self.notes]),
            "read_ahead_after": "sequential-read" if small else "any-read",
            **drive,
        }

    def disk_and_bus(self) -> tuple[Block, Block | None]:
        """The wanted disk, or the first one, with its bus; those of the topology come before those only described."""
        below = [(root, "") for root in reversed(self.description.roots)]
        buses: dict[str, str] = {}  # By name of a disk's block
        while below:
            (of_type, name, parts), bus = below.pop()
            if of_type == "disksim_disk":
                buses.setdefault(self.made_of(name), bus)
            below += [(part, name if of_type == "disksim_bus" else bus) for part in reversed(parts)]
        described = [block.name for block in self.description.blocks if block.type == "disksim_disk"]
        names = list(dict.fromkeys([*buses, *described]))
        if self.wanted and self.wanted not in names:
            raise FileError(
                f"{self.description.files[0]}: --drive {self.wanted}: it must be {in_words(names or ['described'])}"
            )
        name = self.wanted or next(iter(names), "")
        self.others = [each for each in names if each != name]
        bus = buses.get(name, "")
        return self.block("disksim_disk", name), self.block("disksim_bus", self.made_of(bus)) if bus else None

    def block(self, of_type: str, name: str) -> Block:
        """The block of that name, or else the first of the type."""
        for block in self.description.blocks:
            if block.type == of_type and name in ("", block.name):
                return block
        wanted = f"{of_type} {name}".strip()
        raise FileError(f"{self.description.files[0]}: there is no block {wanted} in it or in what it sources")

    def made_of(self, instance: str) -> str:
        """An instantiate statement names the instance, or two names joined by ".." enclose it."""
        stem, number = numbered(instance)
        for names, of in self.description.made:
            for low, dots, high in zip(names, names[1:], names[2:], strict=False):
                if dots == ".." and numbered(low)[0] == stem and numbered(low)[1] <= number <= numbered(high)[1]:
                    return of
            if instance in names:
                return of
        raise FileError(f'{self.description.files[0]}: the topology has "{instance}", which nothing instantiates')

    def layout(self, block: Block) -> Drive:
        if block.type != "dm_layout_g1":
            raise block.place.error(f'the layout "{block.type}" is not modelled; only dm_layout_g1 is')
        found = parameters("layout", block) | {"zones": []}
        found["slipped_use_spares"] = block.at("Sparing scheme used").whole() not in (4, 6, 9)
        found["spare_range"] = max(1, found["spare_range"])
        free = remapped = 0
        for each in block.at("Zones").items():
            zone, replaced = zone_of(each.block(), free)
            found["zones"].append(zone)
            free += zone["skipped_cylinders"] + zone["cylinders"]
            remapped += replaced
        if not free:
            raise block.place.error("the list of zones is empty")
        if remapped:
            self.notes.append(f"{remapped} remapped sectors are read at their original places")
        return found

    def mechanics(self, block: Block, drive: Drive) -> Drive:
        if block.type != "dm_mech_g1":
            raise block.place.error(f'the mechanics "{block.type}" is not modelled; only dm_mech_g1 is')
        access, settling = block.at("Access time type"), block.at("Add. write settling delay").time(-1000)
        if access.held != "trackSwitchPlusRotation":
            raise access.refused('"trackSwitchPlusRotation"; the other types do not describe a drive')
        rpm, switch = block.at("Rotation speed (in rpms)").number(1, 1e6), block.at("Head switch time").time()
        seek, next_cylinder = self.seek(block, drive["zones"])
        skew = min(round(60e12 / rpm * zone["track_skew"] / zone["sectors_per_track"]) for zone in drive["zones"])
        if switch * 3 < skew and drive["heads"] > 1:
            # A description that was extracted while the drive's read-ahead was on has a head switch that no head can
            # perform, because read-ahead hides its time. The track skew shows how much time the manufacturer allows
            # for a head switch, and a head switch takes no longer than a seek to the next cylinder.
            used = "that time" if skew <= next_cylinder else "the time of a seek to the next cylinder"
            self.notes.append(
                f"head switch time inferred: the described {f'{switch / 1e6:g}us' if switch else '0s'} is less than a "
                f"third of the time that the track skew allows, so {used} is used"
            )
            switch = min(skew, next_cylinder) // 10**6 * 10**6
        settled = times(head_switch=switch, write_settle=max(settling, 0), read_settle=max(-settling, 0))
        return {"rpm": rpm, "seek": seek, **settled}

    def seek(self, block: Block, zones: list[Drive]) -> tuple[Drive, int]:
        """The seek curve, and the time of a seek to the next cylinder."""
        of, table, limit, formula = block.at("Seek type"), Points(), 0, [0] * 4
        if of.held in ("hpl", "hplplus10"):
            first, *values, single = block.at("HPL seek equation values").items(6)
            limit, formula = max(0, first.whole(1e6) - 1), [each.time() for each in values]
            if of.held == "hplplus10":
                table = [(i, each.time()) for i, each in enumerate(block.at("First ten seek times").items(10), 1)]
            elif single.number(-1, 1000) >= 0:
                table = [(1, single.time())]
        elif of.held == "extracted":
            curve = block.at("Full seek curve")
            table = read_seeks(self.description.beside(str(curve.held), curve.place))
        elif of.held in ("constant", "linear", "curve"):
            table = three_points(block, of.held, sum(zone["skipped_cylinders"] + zone["cylinders"] for zone in zones))
            self.notes.append("seek table computed from the single-cylinder, average and full-stroke seek times")
        else:
            raise of.refused('"extracted", "hpl", "hplplus10", "curve", "linear" or "constant"')
        names = ("short_constant", "short_root", "long_constant", "long_slope")
        return {
            **times(**dict(zip(names, formula, strict=True))),
            "short_limit": limit,
            "beyond_table": "formula" if of.held in ("hpl", "hplplus10") else "last-two-points",
            "table": [{"cylinders": cylinders, **times(time=time)} for cylinders, time in table],
        }, table[0][1] if table else sum(formula[:2] if limit else formula[2:])

    def rig(self, spec: Block, bus: Block | None) -> Drive:
        """The format describes the measured transfers, not the abilities of the drive's interface."""
        own = spec.at("Bulk sector transfer time").time()
        if own and self.rig_rate:
            self.notes.append(
                f"the rig's bus carried {self.rig_rate.value / 1e6:g} MB/s, not the described {own / 1e6:g} us a sector"
            )
            own = round(SECTOR / self.rig_rate.value * 1e12)
        if bus is None:
            self.notes.append("no bus described: the bus to which the drive is attached sets the transfer rate")
            return times(read_sector=own, write_sector=own)
        read, write = (bus.at(f"{kind} block transfer time").time() for kind in ("Read", "Write"))
        return times(read_sector=max(own, read), write_sector=max(own, write))

    def buffer(self, spec: Block) -> Drive:
        found, caching = parameters("drive", spec), spec.at("Enable caching in buffer").whole(2)
        segment = SECTOR * spec.at("Segment size (in blks)").whole(1e6)
        if not spec.at("Set watermark by reqsize").whole(1):
            self.notes.append("water marks taken as shares of the request instead of the segment")
        found["segments"] = max(1, found["segments"])
        found["write_segments"] = min(max(1, found["write_segments"]), found["segments"])
        found["separate_write_segment"] &= found["segments"] > 1
        found["buffer_size"] = found["read_fence"] = f"{segment * found['segments']}B"
        found["write_buffer"] = found["write_fence"] = f"{segment * found['write_segments']}B"
        # Data that read-ahead may overwrite cannot be read again once sent.
        found["read_ahead_over_request"] = spec.at("Read-ahead over requested").number(-1, 1) != 0
        found["reuse_sent_data"] = caching == 1 and not found["read_ahead_over_request"]
        found["reuse_written_data"] &= caching == 1
        if not caching:
            found["read_ahead"] = "off"
        elif found["read_before_request"] and found["read_ahead"] == "until-next-track-end":
            found["read_ahead"] = "until-track-end"  # The drive keeps each sector that passes its heads
        return found


def numbered(name: str) -> tuple[str, float]:
    """A name without the number at its end, and that number."""
    stem = name.rstrip("0123456789")
    return stem, float(name[len(stem) :] or -1)


def zone_of(block: Block, free: int) -> tuple[Drive, int]:
    """A zone that may begin at the cylinder `free`, and the number of its remapped sectors."""
    first, last = block.at("First cylinder number"), block.at("Last cylinder number")
    if not free <= first.whole() <= last.whole(1e6):
        raise first.refused(f"from {free}, since zones follow one another, to the last cylinder, {last.whole()}")
    found = parameters("zone", block)
    if not found["sectors_per_track"]:
        raise block.at("Blocks per track").refused("at least 1")
    for skew in ("track_skew", "cylinder_skew", "offset"):
        found[skew] %= found["sectors_per_track"]
    found["skipped_cylinders"], found["cylinders"] = first.whole() - free, last.whole() - first.whole() + 1
    found["slipped"] = sorted(each.whole() for each in block.at("slips").items())
    pairs = [each.held for each in block.at("defects").items()] if "defects" in block.members else []
    return found, sum(sector != other for sector, other in zip(pairs[::2], pairs[1::2], strict=False))


def overheads(spec: Block) -> Drive:
    scale = spec.at("Time scale for overheads").number(0, 1e6) if "Time scale for overheads" in spec.members else 1
    each = spec.at("Per-request overhead time").time() if "Per-request overhead time" in spec.members else 0
    decoding = {name: round(spec.at(key).time() * scale) + each for name, key in LISTED["decoding"].items()}
    # Described times after a command of the same kind were measured back to back. After a pause a command costs what it
    # costs after one of the other kind; a miss costs as much more than described as a hit does, if both are described.
    for kind, other in (("read", "write"), ("write", "read")):
        both = ("hit", "miss")
        hit, changed, miss, apart = (decoding[f"{kind}_{of}_after_{to}"] for of in both for to in (kind, other))
        decoding[f"{kind}_hit_after_pause"] = changed or hit
        decoding[f"{kind}_miss_after_pause"] = miss + max(changed - hit, 0) if hit and changed else apart or miss
    return times(**decoding, **{name: round(spec.at(key).time() * scale) for name, key in LISTED["overheads"].items()})


def three_points(block: Block, of: str, cylinders: int) -> Points:
    """Lee's curve through the seek times over one cylinder, over the average distance (a third of all cylinders) and
    over all cylinders; also a line or a constant."""
    average, n = block.at("Average seek time").number(0, 1000), max(1, cylinders - 1)
    single = average if of == "constant" else block.at("Single cylinder seek time").number(0, 1000)
    root, slope = 0.0, 3 * (average - single) / n
    if of == "curve":
        full = block.at("Full strobe seek time").number(0, 1000)
        root = (-10 * single + 15 * average - 5 * full) / (3 * math.sqrt(n))
        slope = (7 * single - 15 * average + 8 * full) / (3 * n)
    table, far = Points(), 0
    while (far := far + max(1, far // 16)) < cylinders:
        table.append((far, round((root * math.sqrt(far - 1) + slope * (far - 1) + single) * 1e9)))
    return table


def read_seeks(file: Path) -> Points:
    """Measured seek times, a line each; a line above them may give their number."""
    text = re.sub("#.*", "", read_bytes(file).decode("utf-8-sig", "replace"))
    head = re.match(r"\s*Seek distances measured:[ \t]*(\d{1,9})[ \t]*$", text, re.MULTILINE)
    points = Points([(0, 0)])
    for number, line in enumerate(text.splitlines(), 1):
        found = SEEK.fullmatch(line.strip())
        if found and points[-1][0] < int(found[1]) <= 10**6 and float(found[2]) <= 1000:
            points.append((int(found[1]), round(float(found[2]) * 1e9)))
        elif line.strip() and not (head and len(points) == 1 and line.strip() == head[0].strip()):
            raise Place(file, number).error(
                "a line must be a distance in cylinders, greater than the one before it, a comma and a time in ms, as "
                'in "12, 3.13"'
            )
    if len(points) == 1 or (head and int(head[1]) != len(points) - 1):
        said = f", and it says that there are {head[1]}" if head else ""
        raise FileError(f"{file}: it has {len(points) - 1} seek times{said}; it may have been cut off")
    return points[1:]
