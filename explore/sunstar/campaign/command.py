# SPDX-License-Identifier: MIT
"""sunstar campaign"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import orjson
import typer

from sunstar.campaign.draw import FILE_SYSTEMS, Config, configuration, simpler
from sunstar.commands import relative
from sunstar.console import console, meter
from sunstar.errors import check_choice
from sunstar.files import make_folder, reading, taking_apart
from sunstar.places import executable
from sunstar.programs import in_parallel, run_program
from sunstar.runs.simulator import digest_of_program

LIMIT = 60  # Seconds that a run may take: it needs some milliseconds
OVERTIME = 124


@dataclass(frozen=True)
class Run:
    """One run of a campaign: how it has ended, and what it said if it failed."""

    number: int
    ended: int
    said: str = ""
    of: str = ""  # The simulator's digest, and the kinds of file system that were drawn from

    @property
    def what(self) -> str:
        return {0: "every byte right or reported", OVERTIME: f"not ended in {LIMIT} s"}.get(self.ended, "failed")


def outcome(config: Config) -> tuple[int, str]:
    """How a run of the configuration ends, and the last line that it prints on standard error."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "config.json"
        file.write_bytes(orjson.dumps(config))
        simulator = [str(executable("torus")), "--quiet", "--config", str(file), "--output", str(Path(folder) / "out")]
        done = run_program(["timeout", str(LIMIT), *simulator])
    lines = done.stderr.strip().splitlines()
    return done.returncode, lines[-1] if done.returncode and lines else ""


def shrunk(config: Config) -> Config:
    """The simplest configuration, leaving out one thing after the other, that still ends in the same way."""
    ended, _ = outcome(config)
    while True:
        less = next((each for each in simpler(config) if outcome(each)[0] == ended), None)
        if less is None:
            return config
        config = less


def campaign(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Keeps runs.jsonl, from which to go on.")],
    runs: Annotated[int, typer.Option(min=1, help="How many runs the campaign has.")] = 1000,
    first: Annotated[int, typer.Option(min=0, help="The number of the first one.")] = 0,
    file_system: Annotated[list[str] | None, typer.Option(metavar="KIND", help="Only this; may be repeated.")] = None,
) -> None:
    for kind in file_system or ():
        check_choice("--file-system", kind, FILE_SYSTEMS)
    kinds: Sequence[str] = file_system or FILE_SYSTEMS
    record = make_folder(folder) / "runs.jsonl"
    of = " ".join([digest_of_program(executable("torus")), *kinds])
    known = {run.number: run for run in read(record) if run.of == of}
    left = [number for number in range(first, first + runs) if number not in known]
    with record.open("ab") as kept, meter(console(stderr=True), "campaign", len(left)) as advance:

        def keep(_: int, run: Run) -> None:
            kept.write(orjson.dumps(asdict(run)) + b"\n")
            kept.flush()
            (folder / f"failing-{run.number}.json").unlink(missing_ok=True)
            known[run.number] = run
            advance(run.ended == 0)

        in_parallel(lambda number: Run(number, *outcome(configuration(number, kinds)), of), left, on_result=keep)
    chosen = [known[number] for number in range(first, first + runs)]
    for what, count in Counter(run.what for run in chosen).most_common():
        typer.echo(f"{count:6} {what}")
    failed = [run for run in chosen if run.ended]
    for run in failed[:10]:
        file = folder / f"failing-{run.number}.json"
        if not file.exists():
            file.write_bytes(orjson.dumps(shrunk(configuration(run.number, kinds)), option=orjson.OPT_INDENT_2))
        typer.echo(f"run {run.number}: {run.said}\n  sunstar-torus --config {relative(file)}")
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
