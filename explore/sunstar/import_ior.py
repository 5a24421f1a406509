# SPDX-License-Identifier: MIT
"""sunstar import ior: configurations of the workload `ior` from command lines and scripts of the benchmark IOR, and
from .ini files of the IO500."""

import configparser
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from sunstar.console import console
from sunstar.errors import UsageError, check_suffix, in_words, meant
from sunstar.files import Outputs, read_bytes, write_json

LISTED = json.loads(Path(__file__).with_suffix(".json").read_text())
KEYS: dict[str, str] = {key.lower(): letter for key, letter in LISTED["keys"].items()}
"""IOR's keys, as -O and scripts take them in any case, and the equivalent option, if there is one."""
REFUSED: dict[str, str] = LISTED["refused"]
"""Options that Sunstar cannot follow, and why."""
LAUNCHERS: dict[str, dict[str, str]] = LISTED["launchers"]
"""By program: what the numbers behind its options count."""
VALUES = "AabDdfGiJjlMNoOQsTtUX"  # Options with a value
READ = {*"abcCeDFiNQrsStwz", "stoneWallingWearOut"}
NO_EFFECT = {*"AEGHKMRTdghjklmnoquvx"} | {key for key in LISTED["keys"].values() if key[1:]} - READ - set(REFUSED)
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
Options = dict[str, str]
"""By their letters or, where there is none, by IOR's keys; with `per_node` where the launcher says it."""
PHASES = {
    "ior-easy": "-t {transferSize:2m} -b {blockSize:9920000m}",
    "ior-hard": "-t 47008 -b 47008 -s {segmentCount:10000000}",
    "ior-rnd4K": "-z -t 4096 -b {blockSize:1073741824} -s {segmentCount:10000000}",
    "ior-rnd1MB": "-z -t 1048576 -b {blockSize:1073741824} -s {segmentCount:10000000}",
}
"""The IO500's phases of IOR: what IO500 passes to IOR, with the keys of the section and their defaults. The first two
are always run, the others only if they have a section."""


def import_ior(
    command: Annotated[str, typer.Argument(metavar="COMMAND")],
    output: Annotated[Path, typer.Option(metavar="CONFIG.json")],
    tasks_per_node: Annotated[int | None, typer.Option(min=1, max=1024)] = None,
) -> None:
    check_suffix(output, [".json"])
    tests, idle = tests_of(command)
    with Outputs() as outputs:
        for label, options in tests.items():
            if tasks_per_node:
                options["per_node"] = str(tasks_per_node)
            try:
                configuration = configuration_of(options)
            except UsageError as error:
                raise UsageError(f"{label}: {error}" if label else str(error)) from error
            path = output.with_stem(f"{output.stem}-{label}") if len(tests) > 1 else output
            write_json(outputs, path, configuration)
            idle_for_writes = set() if "reorder_nodes" in configuration["workload"] else {"C", "Q"}
            idle += [shown(name) for name in sorted(options) if name in NO_EFFECT | idle_for_writes]
        written = " ".join(map(str, outputs.paths()))
    without_effect = f"; without effect here: {' '.join(dict.fromkeys(idle))}" if idle else ""
    console().print(f"written: {written}{without_effect}", soft_wrap=True)


def shown(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"-O {name}"


def tests_of(command: str) -> tuple[dict[str, Options], list[str]]:
    """The options of each test of a command line or a file by a label, which is empty for a single test; and the words
    that change nothing here."""
    path = Path(command)
    if len(command) > 255 or "\n" in command or not path.is_file():
        try:
            return read_options(shlex.split(command))
        except ValueError as error:
            raise UsageError(f"{command}: it must be a command line as a shell reads it ({error})") from error
    text = read_bytes(path).decode("utf-8-sig", "replace")
    if re.search(r"^\s*ior start\s*$", text, re.IGNORECASE | re.MULTILINE):
        return numbered(script(text, {})), []
    if re.search(r"^\s*\[", text, re.MULTILINE):
        return io500(text, path)
    raise UsageError(f"{path}: it must be a script of IOR, from IOR START to IOR STOP, or an .ini file of the IO500")


def numbered(tests: list[Options]) -> dict[str, Options]:
    return {str(number) if tests[1:] else "": options for number, options in enumerate(tests, 1)}


def read_options(words: list[str]) -> tuple[dict[str, Options], list[str]]:
    place = next((i for i, word in enumerate(words) if Path(word).name.lower() == "ior"), None)
    if place is None:
        raise UsageError(f"{' '.join(words)}: it must be IOR's command line, such as ior -t 1m -b 16m -F")
    end = next((i for i, word in enumerate(words) if i > place and re.match(r"\d?[<>|&;]", word)), len(words))
    options, idle = launched(words[:place])
    rest = iter(words[place + 1 : end])
    for word in rest:
        if not re.fullmatch(r"--?[A-Za-z].*", word):
            raise UsageError(f"{word}: it is no option of IOR that Sunstar knows, which are letters such as -t 1m")
        if word.startswith("--"):
            options.update(keys(word[2:] if "=" in word else f"{word[2:]}=1"))
            continue
        for letter, value in letters(word[1:], rest):
            if letter == "f":
                return numbered(script(read_bytes(Path(value)).decode("utf-8-sig", "replace"), options)), [*idle, *rest]
            twice = letter == "z" and options.get("z")
            options.update(keys(value) if letter == "O" else [(letter, "2" if twice else value)])
    return {"": options}, [*idle, *words[end:]]


def launched(words: list[str]) -> tuple[Options, list[str]]:
    """The number of tasks and those on a node by the words before ior, and the words that do not count them."""
    program = next((Path(word).name for word in words if Path(word).name in LAUNCHERS), "mpirun")
    found: dict[str, int] = {}
    idle, rest = [], iter(words)
    for word in rest:
        option = re.fullmatch(r"(--?[A-Za-z][A-Za-z_-]*)=?(.*)", word)
        if not option or option[1] not in LAUNCHERS[program]:
            idle += [word] if word.startswith("-") or Path(word).name not in (*LAUNCHERS, "mpiexec") else []
            continue
        counted, value = LAUNCHERS[program][option[1]], option[2] or next(rest, "")
        if counted == "map":  # such as ppr:8:node
            on_node = re.fullmatch(r"ppr:(\d+):node(:.*)?", value)
            idle += [] if on_node else [f"{option[1]} {value}"]
            counted, value = "per_node", on_node[1] if on_node else str(found.get("per_node", 0))
        elif not re.fullmatch("[1-9][0-9]{0,8}", value):
            raise UsageError(f"{option[1]} {value}: it must be a whole number, at least 1, of {counted}")
        found[counted] = int(value)
    of_set = found.get("per_set", 1)
    tasks = found.get("tasks") or found.get("sets", 0) * of_set
    per_node = found.get("per_node") or (found.get("sets_per_node", 1) * of_set if program == "jsrun" else 0)
    if nodes := found.get("nodes", 0):
        tasks = tasks or nodes * (per_node or 1)
        per_node = -(-tasks // nodes)
    return {name: str(count) for name, count in (("N", tasks), ("per_node", per_node)) if count}, idle


def script(text: str, before: Options) -> list[Options]:
    """The tests of a script, each with the options of the one before it; the first with those before -f."""
    options, tests, open_test = dict(before), list[Options](), True
    for line in re.split(r"^\s*ior start\s*$", text, maxsplit=1, flags=re.IGNORECASE | re.MULTILINE)[-1].splitlines():
        words = line.partition("#")[0].strip()
        if words.lower() in ("ior stop", "ior end"):
            break
        if words.lower() == "run":
            tests.append(dict(options))
        elif words:
            options.update(keys(words))
        open_test = bool(words) and words.lower() != "run" if words else open_test
    return [*tests, options] if open_test else tests


def io500(text: str, file: Path) -> tuple[dict[str, Options], list[str]]:
    ini = configparser.ConfigParser(
        delimiters=("=",), inline_comment_prefixes=("#", ";"), strict=False, interpolation=None, allow_no_value=True
    )
    try:
        ini.read_string(text, str(file))
    except configparser.Error as error:
        raise UsageError(f"{file}: it must be an .ini file of the IO500 ({' '.join(str(error).split())})") from error
    sections = {name.strip().lower(): dict(section) for name, section in ini.items() if name != ini.default_section}
    used: set[str] = set()

    def value(phase: str, key: str, default: str = "") -> str:
        used.add(f"{phase}.{key}".lower())
        return (sections.get(phase.lower(), {}).get(key.lower()) or default).strip()

    def says(phase: str, key: str, default: str = "") -> bool:
        return value(phase, key, default).lower() in ("true", "1")

    tests = {}
    for phase, words in PHASES.items():
        runs = [of for of in ("write", "read") if says(phase, "run", "true") and says(f"{phase}-{of}", "run", "true")]
        if not runs or says(phase, "noRun") or (phase.startswith("ior-rnd") and phase.lower() not in sections):
            continue
        line = re.sub(r"\{(\w+):(\w+)\}", lambda key, of=phase: value(of, key[1], key[2]), words)  # type: ignore[misc]
        own = [phase, *(f"{phase}-{of}" for of in runs)]
        apis = [value(section, "API") for section in [*reversed(own), "global"]]
        line += f" -a {next(filter(None, apis), 'POSIX')} -e -D {value('debug', 'stonewall-time', '300')}"
        line += " -O stoneWallingWearOut=1" + "".join(f" -{of[0]}" for of in runs)
        line += " -C -Q 1" * (phase in ("ior-easy", "ior-hard") and "read" in runs)
        line += " -F" * (phase == "ior-easy" and says(phase, "filePerProc", "true"))
        line += " -c" * any([says(section, "collective") for section in own])  # noqa: C419  all are read
        tests[phase], *_ = read_options(["ior", *line.split()])[0].values()
    others = [f"{name}.{key}" for name, of in sections.items() for key in of or [""] if (of or {}).get(key) or not of]
    used |= {f"{phase}.".lower() for phase in PHASES}
    return tests, [name.removesuffix(".") for name in others if name not in used]


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
    """The keys of -O or of a script's line, divided by commas. A switch that is 0 has no value."""
    for pair in text.split(","):
        key, _, value = (word.strip() for word in pair.partition("="))
        if key.lower() not in KEYS or not value:
            raise UsageError(
                f"-O {pair.strip()}: it must be KEY=VALUE, with {in_words(LISTED['keys'])} as keys"
                f"{meant(key, LISTED['keys'])}"
            )
        letter = KEYS[key.lower()]
        unset = (value == "0" and letter not in "abDGiNQst") or (letter, value) == ("J", "1")
        yield letter, "" if unset else value


def configuration_of(given: Options) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if value}
    for name in options:
        if name in REFUSED:
            raise UsageError(f"{shown(name)}: {REFUSED[name]}; leave it out")
        if name not in READ | NO_EFFECT | {"per_node"}:
            raise UsageError(f"{shown(name)}: it is no option of IOR that Sunstar knows; leave it out")
    api = options.get("a", "POSIX").upper()
    if api not in ("POSIX", "MPIIO"):
        raise UsageError(f"-a {options['a']}: it must be POSIX or MPIIO")
    if "c" in options and api != "MPIIO":
        raise UsageError("-c: the API POSIX has no collective calls; it must be -a MPIIO")
    if options.get("z", "1") != "1":
        raise UsageError("-z -z: transfers at any offset, some of them twice, are not modelled; -z once is")
    if "z" in options and "c" in options:
        raise UsageError("-z: IOR has random offsets for calls only; it must be without -c")
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
        "tasks_per_node": whole(options, "per_node", 1),
        "file_per_task": "F" in options,
        **({"random_offsets": True} if "z" in options else {}),
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
