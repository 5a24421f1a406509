# SPDX-License-Identifier: MIT
"""sunstar import dlio: configurations of the workload `training` from workload files of DLIO and MLPerf Storage."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
import yaml

from sunstar.configurations import SCHEMA, leaves, shortened
from sunstar.console import console
from sunstar.errors import FileError, check_suffix, in_words
from sunstar.files import Outputs, read_text, taking_apart, write_json
from sunstar.quantities import quantity

LISTED = json.loads(Path(__file__).with_suffix(".json").read_text())
"""By parameter: DLIO's names for it, DLIO's default, the least value and the unit."""
LOADS: Mapping[str, Any] = json.loads(Path(__file__).with_name("loads.json").read_text())
"""The benchmark's loads, and what a reader's work costs by format of files."""
UNITS = {"B": "bytes", "s": "seconds", "1": "a share"}
SECTIONS = ("dataset", "reader", "train")
SHUFFLES = ("reader.file_shuffle", "reader.sample_shuffle")


class Imported(NamedTuple):
    workload: dict[str, Any]  # The section of a configuration
    threshold: float | None  # The utilisation that the benchmark requires
    idle: list[str]  # Keys without effect


def import_dlio(
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="A workload of DLIO or of MLPerf Storage.")],
    output: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG.json", show_default="FILE.json", help="The configuration to write."),
    ] = None,
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
    console().print(f"written: {path}{asks}{idle}", soft_wrap=True)


class Keys:
    """The values of a file by path. Those that nobody takes have no effect."""

    def __init__(self, file: Path, values: Mapping[str, Any]) -> None:
        self.file = file
        self.left = dict(values)

    def number(self, named: list[str], default: float, least: float = 1, unit: str = "", most: float = 1e15) -> float:
        """The number under the first of these names that the file has; of a distribution, its mean."""
        names = [name for each in named for name in (each, f"{each}.mean")]
        found = {name: self.left.pop(name) for name in names if name in self.left}
        name, value = next(iter(found.items()), ("", default))
        if unknown := next((each for each in self.left if not found and each.startswith(f"{named[0]}.")), None):
            raise FileError(f"{self.file}: {unknown}: {named[0]} must be a number, or have a mean")
        try:
            number = float("" if isinstance(value, bool) else value)
        except (TypeError, ValueError):
            number = least - 1
        if not least <= number <= most or (not unit and not number.is_integer()):
            wanted = f"{UNITS.get(unit, 'a whole number')} from {least:g} to {most:g}"
            raise FileError(f"{self.file}: {name} is {shortened(str(value), 60)}; it must be {wanted}")
        return number

    def choice(self, name: str, default: str, allowed: Mapping[str, int]) -> int:
        if (found := str(self.left.pop(name, default)).lower()) not in allowed:
            raise FileError(f"{self.file}: {name} is {found}; it must be {in_words(allowed)}")
        return allowed[found]


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
    cost = LOADS["readers"].get(kind, {})
    own = quantity(cost.get("sample_cost"))
    sample_cost = numbers["sample_cost"] + (own.value if own else 0)
    workload: dict[str, Any] = {name: int(numbers[name]) for name, of in LISTED["workload"].items() if "unit" not in of}
    workload |= {name: f"{round(numbers[name])}B" for name in ("sample_size", "sample_size_deviation")}
    workload |= {"prefetch": workload["prefetch"] or 2, "steps": max(workload["steps"], 0)}  # as DLIO reads 0 and -1
    workload |= {"compute": f"{1e3 * numbers['compute']:.9g}ms", "sample_cost": f"{1e3 * sample_cost:.9g}ms"}
    workload |= {"decode_rate": cost["decode_rate"]} if cost else {}
    workload["shuffle"] = any([keys.left.pop(name, "off") in ("seed", "random") for name in SHUFFLES])  # noqa: C419
    if keys.left.pop("workflow.checkpoint", False) is True and (checkpoint := checkpoint_of(keys)):
        workload["checkpoint"] = checkpoint
    threshold = keys.number(["metric.au"], 0, 0, "1", 1) or None
    idle = [*keys.left, *([] if cost else [f"dataset.format={kind} (its readers' cost)"])]
    return Imported(workload, threshold, idle)


def checkpoint_of(keys: Keys) -> dict[str, Any]:
    """With layers, each accelerator writes its equal part of the parameters and of three numbers each of the optimizer;
    otherwise the model's size. None without a number of steps."""
    of = {name: keys.number(**each) for name, each in LISTED["checkpoint"].items()}
    shard = of["size"]
    if of["layers"] > 0:
        hidden, sizes = of["hidden"], LISTED["bytes"]
        attention = hidden * hidden * (2 + 2 * of["pairs"] / of["heads"])
        layer = 2 * hidden + attention + 3 * hidden * of["forward"]
        parameters = of["layers"] * layer + hidden + 2 * hidden * of["words"]
        bytes_each = keys.choice("model.model_datatype", "fp16", sizes)
        bytes_each += 3 * keys.choice("model.optimizer_datatype", "fp32", sizes)
        shard = parameters * bytes_each / (of["tensor"] * of["pipeline"] * max(of["data"], 1))
    return {"every": int(of["every"]), "shard": f"{round(shard)}B"} if of["every"] > 0 else {}
