# SPDX-License-Identifier: MIT
"""sunstar validate io500: ior-easy and ior-hard on presets of systems that submitted results to the IO500 list."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

from sunstar.console import listed_in, print_table
from sunstar.errors import FileError
from sunstar.files import make_folder, read_rows, write_json, write_table
from sunstar.results import MachineResult, ior_gib_per_s
from sunstar.runs.runner import documents_of
from sunstar.runs.simulator import Point
from sunstar.study.cases import Settings
from sunstar.study.command import Call, Conditions, command
from sunstar.study.experiments import in_words, run_with_progress

Row = dict[str, Any]
MEASURED = Path(__file__).parent / "data" / "io500.csv"
PHASES: dict[str, Settings] = {
    "easy": {},
    "hard": {
        "workload.transfer_size": "47008B",
        "workload.block_size": "47008B",
        "workload.segments": 100,
        "workload.file_per_task": False,
    },
}
"""What the phases of the benchmark change in the preset, whose workload is ior-easy. A task of ior-hard makes 100
transfers; on the list it makes as many as it can in 300 s."""


def measurements(path: Path, only: Sequence[str]) -> list[Row]:
    kinds = {
        **dict.fromkeys(("preset", "system", "phase"), str),
        **dict.fromkeys(("write_gib_per_s", "read_gib_per_s"), float),
    }
    listed = read_rows(path, kinds)
    rows = [row for row in listed if not only or row["preset"] in only]
    if not rows:
        known = ", ".join(dict.fromkeys(str(row["preset"]) for row in listed))
        raise FileError(f"{path} has no measurement of {', '.join(only)}; it has {known or 'none'}")
    wrong = {row["phase"] for row in rows} - set(PHASES)
    if wrong:
        raise FileError(f"{path}: the phase {', '.join(sorted(wrong))} is none of {', '.join(PHASES)}")
    return rows


def compare(rows: Sequence[Row], results: Sequence[Any]) -> list[Row]:
    """A line for each row and direction; of a hard phase also its ratio to the easy one, over the measured one."""
    compared: list[Row] = []
    for row, result in zip(rows, results, strict=True):
        for way in ("write", "read"):
            measured, simulated = row[f"{way}_gib_per_s"], ior_gib_per_s(result.result, way)
            compared.append(
                {
                    **{name: row[name] for name in ("preset", "system", "phase")},
                    "way": way,
                    "measured_gib_per_s": measured,
                    "simulated_gib_per_s": simulated,
                    "error_percent": 100 * (simulated / measured - 1),
                }
            )
    easy = {(row["preset"], row["way"]): row for row in compared if row["phase"] == "easy"}
    for row in compared:
        other = easy.get((row["preset"], row["way"]))
        if row["phase"] == "hard" and other:
            row["measured_hard_over_easy"] = row["measured_gib_per_s"] / other["measured_gib_per_s"]
            row["simulated_hard_over_easy"] = row["simulated_gib_per_s"] / other["simulated_gib_per_s"]
            row["factor"] = row["simulated_hard_over_easy"] / row["measured_hard_over_easy"]
    return compared


@command(trials=1)
def validate_io500(
    call: Call,
    reference: Annotated[Path, typer.Option(metavar="FILE", help="The measurements.")] = MEASURED,
    only: Annotated[list[str] | None, typer.Option(metavar="PRESET", help="Only this system; repeatable.")] = None,
) -> bool:
    rows = measurements(reference, only or [])
    folder = make_folder(call.folder())
    of = call.conditions
    with call.runner() as runner:
        points = [point(row["preset"], row["phase"], of) for row in rows]
        names = [f"{row['preset']}, {row['phase']}" for row in rows]
        done = run_with_progress(call, f"IO500, {in_words(of.trials)} each", runner, points, names)
        documents = documents_of(MachineResult, done, runner.store)
    compared = compare(rows, documents)
    print_table(call.out, listed_in("IO500 submissions, GiB/s", compared, COLUMNS, names=3))
    found = {"trials": of.trials, "seed": of.seed, "settings": of.settings, "rows": compared}
    write_json(call.files, folder / "io500.json", found)
    write_table(call.files, folder / "io500.csv", pl.DataFrame(compared, infer_schema_length=None))
    return False


def point(preset: str, phase: str, conditions: Conditions) -> Point:
    return conditions.point({"base": preset, **PHASES[phase]}, platform="cluster")


def ratio(row: Row, name: str) -> str:
    return f"{row[name]:.3f}" if name in row else ""


COLUMNS: Mapping[str, Callable[[Row], str]] = {
    "preset": lambda row: row["preset"],
    "phase": lambda row: row["phase"],
    "way": lambda row: row["way"],
    "measured": lambda row: f"{row['measured_gib_per_s']:.1f}",
    "simulated": lambda row: f"{row['simulated_gib_per_s']:.1f}",
    "error": lambda row: f"{row['error_percent']:+.1f} %",
    "hard/easy": lambda row: ratio(row, "measured_hard_over_easy"),
    "simulated ": lambda row: ratio(row, "simulated_hard_over_easy"),
    "factor": lambda row: f"{row['factor']:.2f}" if "factor" in row else "",
}
