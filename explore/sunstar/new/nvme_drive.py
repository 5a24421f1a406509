# SPDX-License-Identifier: MIT
"""sunstar new nvme-drive: an NVMe drive from its data sheet, corrected until runs show the sheet's own figures."""

import json
from typing import Annotated, Any

import typer

from sunstar.commands import JsonOption
from sunstar.drives import known
from sunstar.errors import UsageError
from sunstar.files import Outputs, as_json, write_text
from sunstar.new.command import DryRunOption, tell
from sunstar.new.drive import (
    LISTED,
    CatalogueOption,
    OutputOption,
    Sheet,
    SourceOption,
    asked,
    met,
    place,
    seconds,
    sheet_of,
    simulated,
)
from sunstar.quantities import Quantity

QUEUE, PROGRAM, UNIT = 2e-6, 500e-6, 4096
NEAR = 0.05  # How far a figure may be from the sheet's
ASSUMED: str = LISTED["assumed"]["nvme-drive"]


def power_of_two(least: float, low: int, high: int) -> int:
    return min(high, max(low, 1 << max(0, round(least - 0.5)).bit_length()))


def drive(name: str, sheet: Sheet, source: str) -> dict[str, Any]:
    """The drive as a configuration has it: caps are the sheet's, and the times of the parts lie below them."""
    command = 0.9 / max(sheet["read_iops"], sheet["write_iops"])
    latency = sheet["write_latency"] - QUEUE - command
    read = (sheet["read_latency"] - sheet["write_latency"]) / (13 / 12)
    if latency <= 0 or read <= 1e-6:
        raise UsageError(
            f"--write-latency must be more than {1e6 * (QUEUE + command):.3g} us, the controller's part, and "
            "--read-latency more than that, by the time of the flash"
        )
    dies = power_of_two(2 * sheet["read_iops"] * read * 13 / 12, 64, 4096)
    programmed = max(sheet["write_rate"], 3 * UNIT * sheet["write_iops"])
    moved = max(sheet["read_rate"], UNIT * sheet["read_iops"], 2 * programmed)
    size = power_of_two(2 * programmed * PROGRAM / dies, 16384, 1 << 24)
    return {
        "name": name,
        "source": f"{source}; assumed: {ASSUMED}",
        "capacity": f"{round(sheet['capacity'] / sheet['sector_size']) * int(sheet['sector_size'])}B",
        "sector_size": f"{round(sheet['sector_size'])}B",
        "link": {"generation": round(sheet["generation"]), "lanes": round(sheet["lanes"])},
        "queue_time": seconds(QUEUE),
        "command_time": seconds(command),
        "write_time": seconds(min(1e-6, 0.5 * UNIT / sheet["write_rate"])),
        "latency": seconds(latency),
        "dies": dies,
        "read_time": seconds(read),
        "read_tail": seconds(read / 12),
        "channels": 16,
        "channel_rate": str(Quantity(max(1.2e9, 2 * moved / 16), "B/s")),
        "program_time": seconds(PROGRAM),
        "program_size": f"{size}B",
        "drain_size": f"{min(8 << 20, dies * size // 4)}B",
        "read_iops": sheet["read_iops"],
        "write_iops": sheet["write_iops"],
        "read_bandwidth": str(Quantity(sheet["read_rate"], "B/s")),
        "write_bandwidth": str(Quantity(sheet["write_rate"], "B/s")),
    }


def measured(made: dict[str, Any]) -> dict[str, float]:
    found = {}
    for field, load in LISTED["loads"].items():
        job, what = load["job"], load["of"]
        if what == "latency":  # far below the caps, which closed loops with one command may reach
            job = job | {"rate": made[field.replace("latency", "iops")] / 10}
        times = {"workload.warm_up": "100ms", "workload.duration": "100ms"}
        result = simulated({"machine.nvme": made, "workload.kind": "queues", "workload.jobs": [job], **times})
        throughput = result["throughput"]
        values = {"rate": throughput["mib_per_s"] * 2**20, "iops": throughput["requests_per_s"]}
        found[field] = values[what] if what in values else result["response"]["p50_ms"] / 1e3
    return found


def new_nvme_drive(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    capacity: Annotated[str | None, asked("capacity")] = None,
    sector_size: Annotated[str | None, asked("sector_size")] = None,
    generation: Annotated[str | None, asked("generation")] = None,
    lanes: Annotated[str | None, asked("lanes")] = None,
    read_rate: Annotated[str | None, asked("read_rate")] = None,
    write_rate: Annotated[str | None, asked("write_rate")] = None,
    read_iops: Annotated[str | None, asked("read_iops")] = None,
    write_iops: Annotated[str | None, asked("write_iops")] = None,
    read_latency: Annotated[str | None, asked("read_latency")] = None,
    write_latency: Annotated[str | None, asked("write_latency")] = None,
    source: SourceOption = "data sheet",
    catalogue: CatalogueOption = False,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
    as_json_: JsonOption = False,
) -> None:
    """Describe an NVMe drive by its data sheet; on a terminal, ask for missing values.

    Example: sunstar new nvme-drive my-ssd
    """
    given = dict(locals())
    path, choice = place(name, "models/disk/drives/nvme", output, catalogue)
    sheet = sheet_of({field: given[field] for field in LISTED["nvme-drive"]}, "nvme-drive")
    made = drive(name, sheet, source)
    known("nvme", made, "the drive")
    found = measured(made)
    for _ in range(3):  # the times that the sheet has only as sums
        write, read = (sheet[field] - found[field] for field in ("write_latency", "read_latency"))
        if abs(write) < 0.005 * sheet["write_latency"] and abs(read) < 0.005 * sheet["read_latency"]:
            break
        made["latency"] = seconds(max(0.0, float(made["latency"][:-2]) * 1e-12 + write))
        made["read_time"] = seconds(max(1e-6, float(made["read_time"][:-2]) * 1e-12 + read - write))
        found = measured(made)
    if not dry_run:
        with Outputs() as outputs:
            write_text(outputs, path, as_json(made))
    jobs = json.dumps([LISTED["loads"]["read_iops"]["job"]])  # enough of them for the most commands
    steps = [f"sunstar-disk --set machine.nvme={choice} --set workload.kind=queues --set 'workload.jobs={jobs}'"]
    told = {"written": [str(path)], "changed": [], "assumed": ASSUMED.split(", "), **compared(made, sheet, found)}
    tell(as_json_, told | {"next": steps}, dry_run)


def compared(made: dict[str, Any], sheet: Sheet, found: dict[str, float]) -> dict[str, list[str]]:
    """The sheet's figures beside those of the drive, which are met or missed, perhaps because of the link."""

    def near(of: dict[str, float], field: str) -> bool:
        return abs(of[field] / sheet[field] - 1) <= NEAR

    lines = {field: met(field, sheet[field], found[field]) for field in found}
    missed = [field for field in found if not near(found, field)]
    widest = measured(made | {"link": {"generation": 6, "lanes": 16}}) if missed else found
    link = "; the link caps it, PCI Express {generation} with {lanes} lanes".format_map(made["link"])
    return {
        "met": [lines[field] for field in found if field not in missed],
        "missed": [lines[field] + link * near(widest, field) for field in missed],
    }
