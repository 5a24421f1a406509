# SPDX-License-Identifier: MIT
"""sunstar import ior: the configuration of a workload `ior` from the command line of the benchmark IOR."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from sunstar.console import console
from sunstar.errors import UsageError, check_suffix, in_words, meant
from sunstar.files import Outputs, as_json

LISTED = json.loads(Path(__file__).with_suffix(".json").read_text())
KEYS: dict[str, str] = LISTED["keys"]
"""IOR's keys, as -O takes them, and the equivalent option, if there is one."""
REFUSED: dict[str, str] = LISTED["refused"]
"""Options that Sunstar cannot follow, and why."""
VALUES = "AabDdfGiJjlMNoOQsTtUX"  # Options with a value
NO_EFFECT = {*"AEGHKMRTdgjklmnoquvx", "stoneWallingStatusFile"}
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def import_ior(
    command: Annotated[str, typer.Argument(metavar="COMMAND", help="IOR's command line, in quotes.")],
    output: Annotated[Path, typer.Option(metavar="CONFIG.json", help="The configuration to write.")],
    tasks_per_node: Annotated[int, typer.Option(min=1, max=1024, help="Consecutive tasks on a node.")] = 1,
) -> None:
    check_suffix(output, [".json"])
    try:
        options = read_options(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"{command}: it must be a command line as a shell reads it ({error})") from error
    configuration = configuration_of(options, tasks_per_node)
    with Outputs() as outputs, outputs.file(output) as temporary:
        temporary.write_text(as_json(configuration))
    idle_for_writes = set() if "reorder_nodes" in configuration["workload"] else {"C", "Q"}
    idle = [f"-{name}" for name in sorted(options) if len(name) == 1 and name in NO_EFFECT | idle_for_writes]
    console().print(f"written: {output}" + (f"; without effect here: {' '.join(idle)}" if idle else ""), soft_wrap=True)


def read_options(words: list[str]) -> dict[str, str]:
    """The options by their letters or, where there is none, by IOR's keys. The words before ior belong to the program
    that starts it: -np, -n and --ntasks give the number of tasks."""
    place = next((i for i, word in enumerate(words) if Path(word).name.lower() == "ior"), None)
    if place is None:
        raise UsageError(f"{' '.join(words)}: it must be IOR's command line, such as ior -t 1m -b 16m -F")
    launcher = re.search(r"(?:^| )(?:-np|-n|--ntasks)[ =](\d+)(?: |$)", " ".join(words[:place]))
    options = {"N": launcher[1]} if launcher else {}
    rest = iter(words[place + 1 :])
    for word in rest:
        if not re.fullmatch(r"-[A-Za-z].*", word):
            raise UsageError(f"{word}: it is no option of IOR that Sunstar knows, which are letters such as -t 1m")
        for letter, value in letters(word[1:], rest):
            options.update(keys(value) if letter == "O" else [(letter, value)])
    return options


def letters(cluster: str, rest: Iterator[str]) -> Iterator[tuple[str, str]]:
    """The options of one word: letters without a value, or one with its value in it, behind = or in the next word."""
    while cluster:
        letter, cluster = cluster[0], cluster[1:]
        if letter not in VALUES:
            yield letter, "1"
            continue
        value = cluster.removeprefix("=") or next(rest, "")
        if not value:
            raise UsageError(f"-{letter}: its value is missing")
        yield letter, value
        return


def keys(text: str) -> Iterator[tuple[str, str]]:
    """The keys of -O, divided by commas. A switch that is 0 is left out."""
    for pair in text.split(","):
        key, _, value = pair.partition("=")
        if key not in KEYS or not value:
            raise UsageError(f"-O {pair}: it must be KEY=VALUE, with {in_words(KEYS)} as keys{meant(key, KEYS)}")
        if KEYS[key] in VALUES or KEYS[key] == "stoneWallingStatusFile" or value != "0":
            yield KEYS[key], value


def configuration_of(options: dict[str, str], tasks_per_node: int) -> dict[str, Any]:
    known = {*"abcCeDFiNQrsStw", "stoneWallingWearOut", *NO_EFFECT}
    for name in options:
        if name in REFUSED:
            raise UsageError(f"-{name}: {REFUSED[name]}; leave it out")
        if name not in known:
            raise UsageError(f"-{name}: it is no option of IOR that Sunstar knows; leave it out")
    api = options.get("a", "POSIX").upper()
    if api not in ("POSIX", "MPIIO"):
        raise UsageError(f"-a {options['a']}: it must be POSIX or MPIIO")
    if "c" in options and api != "MPIIO":
        raise UsageError("-c: the API POSIX has no collective calls; it must be -a MPIIO")
    if "S" in options and "c" not in options:
        raise UsageError("-S: the transfers of a phase are one access of a collective only; it needs -c")
    deadline = whole(options, "D", 0)
    if deadline and "stoneWallingWearOut" not in options:
        raise UsageError(
            f"-D {deadline}: tasks that stop at the deadline, each with another number of transfers, are not modelled; "
            "it needs -O stoneWallingWearOut=1"
        )
    transfer, block = size(options, "t", 262144), size(options, "b", 1048576)
    if block % transfer:
        raise UsageError(f"-b {block}: it must be a multiple of the transfer size, -t {transfer}")
    both = "w" not in options and "r" not in options
    shift = whole(options, "Q", 1) if "C" in options else 0
    writes, reads = both or "w" in options, both or "r" in options
    workload = {
        "kind": "ior",
        "transfer_size": f"{transfer}B",
        "block_size": f"{block}B",
        "segments": whole(options, "s", 1, least=1),
        "tasks": whole(options, "N", 0),
        "tasks_per_node": tasks_per_node,
        "file_per_task": "F" in options,
        "collective": "none" if "c" not in options else "phase" if "S" in options else "transfer",
        "write": writes,
        "read": reads,
        **({"reorder_nodes": shift} if reads else {}),
        **({"fsync": "e" in options} if writes else {}),
        "deadline": f"{deadline}s",
    }
    run = {"run": {"trials": whole(options, "i", 1, least=1)}} if "i" in options else {}
    return {"schema": "sunstar/1", **run, "workload": workload}


def whole(options: dict[str, str], name: str, default: int, *, least: int = 0) -> int:
    text = options.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) < 16 and int(text) >= least):
        raise UsageError(f"-{name} {text}: it must be a whole number" + (f", at least {least}" if least else ""))
    return int(text)


def size(options: dict[str, str], name: str, default: int) -> int:
    text = options.get(name, str(default))
    found = re.fullmatch(r"([0-9]{1,15})([kmgt]?)", text.lower())
    if not found or not int(found[1]):
        raise UsageError(f"-{name} {text}: it must be bytes such as 47008, 16k, 2m, 1g or 1t")
    return int(found[1]) * UNITS[found[2]]
