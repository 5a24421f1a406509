# SPDX-License-Identifier: MIT
"""sunstar campaign"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from shutil import rmtree
from signal import SIGXCPU
from tempfile import TemporaryDirectory
from typing import Annotated

import orjson
import typer

from sunstar.campaign.change import mended, other_kinds, simpler
from sunstar.campaign.draw import Config, Kinds, configuration, file_systems, files
from sunstar.commands import relative
from sunstar.console import console, meter
from sunstar.errors import check_choice
from sunstar.files import make_folder, reading, taking_apart
from sunstar.places import executable
from sunstar.programs import in_parallel, run_program
from sunstar.results import faults, schema_of
from sunstar.runs.simulator import digest_of_program

LIMIT = 60  # Seconds of processor time that a run may take: it needs some milliseconds
OVERTIME = -SIGXCPU
MOST_CHANGES = 30
REFUSED = 3  # The simulators' exit code for a faulty configuration
CONTRADICTED = 1
SAID = {0: "every byte right or reported", REFUSED: "refused in a sentence", OVERTIME: f"not ended in {LIMIT} s"}
RECORDINGS = (
    *("--explain --log l.log --log-level trace", "--log l.log.gz --log-limit 100KiB --log-window 1ms,50ms"),
    *("--timeline t.json.gz --timeline-limit 100KiB", "--timeline t.ftr --vcd w.vcd --vcd-window 0ms,1ms"),
)


@dataclass(frozen=True)
class Run:
    """One run of a campaign: how it has ended, and its message if it failed."""

    number: int
    ended: int
    said: str = ""
    of: str = ""  # The simulators' digests, and the kinds of file system that were drawn from

    @property
    def what(self) -> str:
        return SAID.get(self.ended, "failed")

    @property
    def failed(self) -> bool:
        return self.ended not in (0, REFUSED)


def program_of(number: int, only: Kinds) -> str:
    """Machines are most of what can go wrong; a campaign of some file systems has nothing else."""
    return "torus" if only else {6: "network", 7: "disk"}.get(number % 8, "torus")


def outcome(number: int, program: str, config: Config) -> tuple[int, str]:
    """How a run of the configuration ends, and the last line that it prints on standard error. A run that ends well
    must have a result that follows its schema and does not contradict itself, and the same when it is recorded."""
    heads_move = program != "disk" or config["workload"]["kind"] in ("synthetic", "trace")
    recordings = RECORDINGS[number // 8 % len(RECORDINGS)] if heads_move else "--log l.log"
    results = []
    with TemporaryDirectory() as folder:
        write(Path(folder), number, program, config)
        words = [
            "prlimit",
            f"--cpu={LIMIT}:{LIMIT + 1}",
            str(executable(program)),
            "--quiet",
            "--config",
            "config.json",
            "--output",
            "-",
        ]
        for more in ([], recordings.split()):
            done = run_program([*words, *more], cwd=folder)
            if done.returncode == OVERTIME and "hardly meant" in done.stderr:
                return REFUSED, done.stderr
            if done.returncode:
                return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]
            results.append(orjson.loads(done.stdout))
    alone, recorded = results
    wrong = [*faults(alone, schema_of(program)), *contradictions(alone)]
    if comparable(alone) != comparable(recorded):
        wrong.append(f"its result is another one with {recordings}")
    return (CONTRADICTED, wrong[0]) if wrong else (0, "")


def contradictions(document: Config) -> Iterator[str]:
    for name, each in document["statistics"].items():
        if not 0 <= each["value"] < inf or (each["unit"] == "fraction" and each["value"] > 1):
            yield f"{name} is {each['value']}"
    result = document["result"]
    moved = result.get("bytes_moved")
    if moved and result["elapsed_s"] <= 0:
        yield "bytes moved in no time"
    if moved == 0 and not result.get("warnings"):
        yield "no bytes moved, and no warning says why"


def comparable(document: Config) -> Config:
    """Without what recording adds and what the host measures."""
    trials = [{name: value for name, value in trial.items() if name != "host"} for trial in document["trials"]]
    return {name: value for name, value in document.items() if name not in ("host", "explain")} | {"trials": trials}


def carried_out(number: int, only: Kinds, of: str = "") -> tuple[Run, Config]:
    """The run of that number. What its simulator refuses is changed, for as long as that may help."""
    program = program_of(number, only)
    config = configuration(number, program, only)
    for _ in range(MOST_CHANGES):
        ended, said = outcome(number, program, config)
        changed = None
        if ended == REFUSED and (named := other_kinds(said, only)):
            changed = configuration(number, program, only := {**only, **named})
        elif ended == REFUSED:
            changed = mended(said, config)
        if changed is None:
            break
        config = changed
    return Run(number, ended, said, of), config


def shrunk(number: int, program: str, config: Config) -> Config:
    """The simplest configuration, leaving out one thing after the other, that still ends in the same way."""
    ended, _ = outcome(number, program, config)
    while less := next((each for each in simpler(config) if outcome(number, program, each)[0] == ended), None):
        config = less
    return config


def write(folder: Path, number: int, program: str, config: Config) -> Path:
    """The configuration, and the files that it names."""
    file = make_folder(folder, "") / "config.json"
    file.write_bytes(orjson.dumps(config, option=orjson.OPT_INDENT_2))
    for name, text in files(number, program, config).items():
        (folder / name).write_text(text)
    return file


def campaign(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Keeps runs.jsonl, from which to go on.")],
    runs: Annotated[int, typer.Option(min=1, help="How many runs the campaign has.")] = 1000,
    first: Annotated[int, typer.Option(min=0, help="The number of the first one.")] = 0,
    file_system: Annotated[list[str] | None, typer.Option(metavar="KIND", help="Only this; may be repeated.")] = None,
) -> None:
    for kind in file_system or ():
        check_choice("--file-system", kind, file_systems())
    only = {"file_system": file_system} if file_system else {}
    record = make_folder(folder, "") / "runs.jsonl"
    programs = sorted({program_of(number, only) for number in range(8)})
    of = " ".join([*(digest_of_program(executable(program)) for program in programs), *(file_system or ())])
    known = {run.number: run for run in read(record) if run.of == of}
    left = [number for number in range(first, first + runs) if number not in known]
    with record.open("ab") as kept, meter(console(stderr=True), "campaign", len(left)) as advance:

        def keep(_: int, run: Run) -> None:
            kept.write(orjson.dumps(asdict(run)) + b"\n")
            kept.flush()
            rmtree(folder / f"failing-{run.number}", ignore_errors=True)
            known[run.number] = run
            advance(not run.failed)

        in_parallel(lambda number: carried_out(number, only, of)[0], left, on_result=keep)
    chosen = [known[number] for number in range(first, first + runs)]
    for what, count in Counter(run.what for run in chosen).most_common():
        typer.echo(f"{count:6} {what}")
    failed = [run for run in chosen if run.failed]
    for run in failed[:10]:
        program, kept_in = program_of(run.number, only), folder / f"failing-{run.number}"
        if not (kept_in / "config.json").exists():
            simplest = shrunk(run.number, program, carried_out(run.number, only)[1])
            write(kept_in, run.number, program, simplest)
        typer.echo(f"run {run.number}: {run.said}\n  sunstar-{program} --config {relative(kept_in / 'config.json')}")
    if failed:
        raise typer.Exit(4)


def read(record: Path) -> list[Run]:
    """The runs that a campaign has made. A line that an interruption has cut short is none, and goes."""
    with reading(record):
        lines = record.read_bytes().splitlines(keepends=True) if record.exists() else []
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
        record.write_bytes(b"".join(lines))
    with taking_apart(f"{record} is no record of a campaign; remove it"):
        runs = [Run(**orjson.loads(line)) for line in lines]
        return [Run(int(run.number), int(run.ended), str(run.said), str(run.of)) for run in runs]
