# SPDX-License-Identifier: MIT
"""sunstar import dlio: configurations of the workload `training` from workload files of DLIO and MLPerf Storage."""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
import yaml

from sunstar.configurations import SCHEMA, leaves, shortened
from sunstar.console import console
from sunstar.errors import FileError, check_suffix
from sunstar.files import Outputs, read_text, taking_apart, write_json
from sunstar.quantities import quantity

LISTED = json.loads(Path(__file__).with_suffix(".json").read_text())
"""By parameter: DLIO's names for it, DLIO's default, the least value and the unit."""
LOADS: Mapping[str, Any] = json.loads(Path(__file__).with_name("loads.json").read_text())
"""The benchmark's loads, and what a reader's work costs by format of files."""
SECTIONS = ("dataset", "reader", "train")
SHUFFLED = ("seed", "random")


class Imported(NamedTuple):
    workload: dict[str, Any]  # The section of a configuration
    threshold: float | None  # The utilisation that the benchmark requires
    idle: list[str]  # Keys without effect
    note: str  # About its checkpoints


def import_dlio(
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="A workload of DLIO or of MLPerf Storage.")],
    output: Annotated[Path | None, typer.Option(metavar="CONFIG.json", help="By default FILE.json.")] = None,
    accelerators: Annotated[int, typer.Option(min=1, max=1024, help="Accelerators of a node.")] = 1,
) -> None:
    path = output or file.with_suffix(".json")
    check_suffix(path, [".json"])
    found = read_dlio(file)
    with Outputs([file]) as files:
        workload = {"kind": "training", "accelerators": accelerators, **found.workload}
        write_json(files, path, {"schema": SCHEMA, "workload": workload})
    asks = f"; sunstar feed --load {file} asks for a utilisation of {found.threshold:g}" if found.threshold else ""
    idle = f"; without effect here: {' '.join(found.idle)}" if found.idle else ""
    console().print(f"written: {path}{asks}{idle}{found.note and f'. {found.note}'}", soft_wrap=True)


@dataclass
class Keys:
    file: Path
    left: dict[str, Any]  # Its values by path; those that nobody takes have no effect

    def number(self, named: list[str], default: float, least: float = 1, unit: str = "", most: float = 1e15) -> float:
        """The number under the first of these names that the file has; of a distribution, its mean."""
        names = [name for each in named for name in (each, f"{each}.mean")]
        found = {name: self.left.pop(name) for name in names if name in self.left}
        name, value = next(iter(found.items()), (named[0], default))
        if unknown := next((each for each in self.left if not found and each.startswith(f"{named[0]}.")), None):
            raise FileError(f"{self.file}: {unknown}: {named[0]} must be a number, or have a mean")
        number = math.nan
        with suppress(TypeError, ValueError):
            number = float("" if isinstance(value, bool) else LISTED["types"].get(value, value))
        if not least <= number <= most or (not unit and not number.is_integer()):
            wanted = f"{LISTED['units'][unit]} from {least:g} to {most:g}"
            is_ = shortened(str(value), 60) if found else "missing"
            raise FileError(f"{self.file}: {name} is {is_}; it must be {wanted}")
        return number


def read_dlio(file: Path) -> Imported:
    """A FileError if it is no workload that trains."""
    try:
        with taking_apart(f"{file} is no workload of DLIO"):
            content = yaml.safe_load(read_text(file))
            keys = Keys(file, dict(leaves(content)))
    except yaml.YAMLError as error:
        raise FileError(f"{file} is no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict) or not all(isinstance(content.get(each), dict) for each in SECTIONS):
        raise FileError(f"{file} is no workload of DLIO that trains: it must have the sections {', '.join(SECTIONS)}")
    if keys.left.pop("workflow.train", True) is not True:
        raise FileError(f"{file}: workflow.train must be true; generated data or checkpoints alone are not modelled")
    numbers = {name: keys.number(**of) for name, of in LISTED["workload"].items()}
    kind = str(keys.left.pop("dataset.format", "tfrecord"))
    costs = LOADS["readers"]
    cost = (numbers["samples_per_file"] == 1 and costs.get(f"{kind} of one sample")) or costs.get(kind, {})
    own = quantity(cost.get("sample_cost"))
    sample_cost = numbers["sample_cost"] + (own.value if own else 0)
    workload: dict[str, Any] = {name: int(numbers[name]) for name, of in LISTED["workload"].items() if "unit" not in of}
    workload |= {name: f"{round(numbers[name])}B" for name in ("sample_size", "sample_size_deviation")}
    workload |= {"prefetch": workload["prefetch"] or 2, "steps": max(workload["steps"], 0)}  # as DLIO reads 0 and -1
    workload |= {"compute": f"{1e3 * numbers['compute']:.9g}ms", "sample_cost": f"{1e3 * sample_cost:.9g}ms"}
    workload |= {name: cost[name] for name in ("decode_rate", "step_cost") if cost}
    shuffled = [name for name in ("file", "sample") if keys.left.pop(f"reader.{name}_shuffle", "") in SHUFFLED]
    workload["shuffle"] = f"{shuffled[-1]}s" if shuffled else "none"
    note = ""
    if keys.left.pop("workflow.checkpoint", False) is True:
        checkpoint, note = checkpoint_of(keys)
        workload |= {"checkpoint": checkpoint} if checkpoint else {}
    threshold = keys.number(["metric.au"], 0, 0, "1", 1) or None
    idle = [*keys.left, *([] if cost else [f"dataset.format={kind} (its readers' cost)"])]
    return Imported(workload, threshold, idle, note)


def checkpoint_of(keys: Keys) -> tuple[dict[str, Any], str]:
    """With layers, each accelerator writes its equal part of the parameters and of three numbers each of the optimizer;
    otherwise the model's size. Without a number of steps DLIO writes checkpoints by epoch: there is none, but a
    sentence."""
    sized = any(name in keys.left for name in LISTED["checkpoint"]["size"]["named"])
    of = {name: keys.number(**each) for name, each in LISTED["checkpoint"].items()}
    if of["every"] < 1:
        for name in LISTED["by_epoch"]:
            keys.left.pop(name, None)
        return (
            {},
            "Its checkpoints by epoch are not simulated; checkpoint.steps_between_checkpoints gives some by step.",
        )
    shard = of["size"]
    if of["layers"] > 0:
        hidden = of["hidden"]
        attention = hidden * hidden * (2 + 2 * of["pairs"] / of["heads"])
        layer = 2 * hidden + attention + 3 * hidden * of["forward"]
        parameters = of["layers"] * layer + hidden + 2 * hidden * of["words"]
        parts = of["tensor"] * of["pipeline"] * max(of["data"], 1)
        shard = parameters * (of["weight"] + 3 * of["moment"]) / parts
    assumed = f"It gives no checkpoint.model_size: a checkpoint is DLIO's {shard:g} bytes an accelerator."
    return {"every": int(of["every"]), "shard": f"{round(shard)}B"}, "" if sized or of["layers"] > 0 else assumed
