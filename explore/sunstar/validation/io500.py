# SPDX-License-Identifier: MIT
"""sunstar validate io500: ior-easy and ior-hard on presets of systems that submitted results to the IO500 list."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sunstar.errors import FileError
from sunstar.files import Column, read_rows
from sunstar.results import MachineResult, ior_gib_per_s
from sunstar.study.cases import Settings
from sunstar.study.command import Call, command
from sunstar.validation.comparing import Row, keep, results_of

MEASURED = Path(__file__).parent / "data" / "io500.csv"
FIELDS: dict[str, Column] = dict.fromkeys(("preset", "system", "phase"), str)
FIELDS |= dict.fromkeys(("write_gib_per_s", "read_gib_per_s"), float)
HARD: Settings = {"workload.transfer_size": "47008B", "workload.block_size": "47008B"}
HARD |= {"workload.segments": 100, "workload.file_per_task": False}
PHASES: dict[str, Settings] = {"easy": {}, "hard": HARD}
"""The settings of the benchmark's phases over the preset, whose workload is ior-easy. A task of ior-hard makes 100
transfers; on the list it makes transfers for 300 s."""


def measurements(path: Path, only: Sequence[str]) -> list[Row]:
    listed = read_rows(path, FIELDS)
    rows = [row for row in listed if not only or row["preset"] in only]
    if not rows:
        known = ", ".join(dict.fromkeys(str(row["preset"]) for row in listed))
        raise FileError(f"{path} has no measurement of {', '.join(only)}; it has {known or 'none'}")
    wrong = {row["phase"] for row in rows} - set(PHASES)
    if wrong:
        raise FileError(f"{path}: the phase {', '.join(sorted(wrong))} is none of {', '.join(PHASES)}")
    return rows


def compare(rows: Sequence[Row], results: Sequence[MachineResult]) -> list[Row]:
    """A line for each row and direction; of a hard phase also its ratio to the easy one, over the measured one."""
    compared: list[Row] = []
    for row, result in zip(rows, results, strict=True):
        for way in ("write", "read"):
            measured, simulated = row[f"{way}_gib_per_s"], ior_gib_per_s(result.result, way)
            ratios = {"measured_gib_per_s": measured, "simulated_gib_per_s": simulated}
            named = {name: row[name] for name in ("preset", "system", "phase")}
            compared.append({**named, "way": way, **ratios, "error_percent": 100 * (simulated / measured - 1)})
    easy = {(row["preset"], row["way"]): row for row in compared if row["phase"] == "easy"}
    for row in compared:
        other = easy.get((row["preset"], row["way"]))
        if row["phase"] == "hard" and other:
            for of in ("measured", "simulated"):
                row[f"{of}_hard_over_easy"] = row[f"{of}_gib_per_s"] / other[f"{of}_gib_per_s"]
            row["factor"] = row["simulated_hard_over_easy"] / row["measured_hard_over_easy"]
    return compared


@command(trials=1)
def validate_io500(
    call: Call,
    reference: Annotated[Path, typer.Option(metavar="FILE", help="The measurements.")] = MEASURED,
    only: Annotated[list[str] | None, typer.Option(metavar="PRESET", help="Only this system; repeatable.")] = None,
) -> bool:
    rows = measurements(reference, only or [])
    call.folder()
    settings: list[Settings] = [{"base": row["preset"], **PHASES[row["phase"]]} for row in rows]
    points = [call.conditions.point(of, platform="cluster") for of in settings]
    names = [f"{row['preset']}, {row['phase']}" for row in rows]
    compared = compare(rows, results_of(call, "IO500", MachineResult, names, points)[0])
    keep(call, "io500", compared)
    return False
