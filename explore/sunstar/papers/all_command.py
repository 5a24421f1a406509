# SPDX-License-Identifier: MIT
"""The papers whose systems exist, each with the commands that reproduce it, and sunstar reproduce all. A new paper is a
line of PAPERS."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from rich.console import Console

from sunstar.commands import JobsOption, JsonOption, ResultsOption, RetryOption, exit_code, relative, results_folder
from sunstar.console import Printed, console, print_table
from sunstar.errors import SunstarError, check_choice
from sunstar.files import Outputs, make_folder, write_json
from sunstar.study.command import Call, Conditions, work_of
from sunstar.study.statements import Standing, Verdict

Command = Callable[..., None]


class Reproduction:
    """How a paper is reproduced: by the commands at these places, MODULE:NAME, of which the first one is sunstar
    reproduce NAME. `quick` is what --quick sets in those that have such an option."""

    def __init__(self, *places: str, quick: Mapping[str, Any] | None = None) -> None:
        self.places = places
        self.quick = quick or {"quick": True}

    @property
    def command(self) -> Command:
        """sunstar reproduce NAME"""
        return next(self.commands())

    def commands(self) -> Iterator[Command]:
        for place in self.places:
            module, name = place.split(":")
            yield cast(Command, getattr(import_module(f"sunstar.papers.{module}"), name))


PAPERS: Mapping[str, Reproduction] = {
    "tr94-226": Reproduction("tr94_226.reproduce_command:reproduce_tr94_226", "tr94_226.experiments:figures_tr94_226"),
    "enwrich": Reproduction("enwrich.experiments:reproduce_enwrich", quick={"figure": ["4", "5", "6"]}),
    "expanding": Reproduction("expanding:reproduce_expanding"),
    "two-phase": Reproduction("two_phase:reproduce_two_phase"),
    "five-ways": Reproduction("five_ways.experiments:reproduce_five_ways"),
    "galley": Reproduction("galley.experiments:reproduce_galley"),
    "pvfs": Reproduction("pvfs.experiments:reproduce_pvfs"),
    "redundancy": Reproduction("redundancy:reproduce_redundancy"),
    "bad-day": Reproduction("redundancy:reproduce_bad_day"),
}


FILE = "reproduce-all.json"


@dataclass(frozen=True)
class Ended:
    paper: str
    held: int
    undecided: int
    known: int
    new: list[str]  # The statements that are NEW
    seconds: float
    error: str = ""  # Why it ended early, if it did
    exit_code: int = 0


def reproduce_all(
    quick: Annotated[
        bool, typer.Option("--quick", help="Leave out what takes long, as each paper's own --quick does.")
    ] = False,
    paper: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help=f"Only this one of {', '.join(PAPERS)}; repeatable.")
    ] = None,
    retry_failed: RetryOption = False,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
    as_json: JsonOption = False,
) -> None:
    for name in paper or []:
        check_choice("--paper", name, PAPERS)
    folder, out = make_folder(results_folder(results)), console(as_json)
    ended = []
    shared = Call(Conditions(), jobs, folder, out, retry_failed=retry_failed)
    for name, reproduction in PAPERS.items():
        if not paper or name in paper:
            out.rule(name)
            ended.append(one(name, reproduction, quick, shared))
    with Outputs() as files:
        write_json(files, folder / FILE, [asdict(each) for each in ended])
    tell(out, ended, as_json)
    out.print(f"written: {relative(folder / FILE)}", soft_wrap=True)
    failed = [each.exit_code for each in ended if each.error]
    if failed or any(each.new for each in ended):
        raise typer.Exit(failed[0] if failed else 1)


def one(name: str, reproduction: Reproduction, quick: bool, shared: Call) -> Ended:
    start, verdicts = time.monotonic(), list[Verdict]()
    error: SunstarError | None = None
    try:
        for found in parts(reproduction, quick, shared):
            verdicts += found
    except SunstarError as caught:
        error = caught
        typer.echo(f"sunstar: {caught}", err=True)
    return Ended(
        name,
        held=sum(verdict.holds for verdict in verdicts),
        undecided=sum(verdict.standing is Standing.UNDECIDED for verdict in verdicts),
        known=sum(verdict.standing is Standing.KNOWN for verdict in verdicts),
        new=[str(verdict) for verdict in verdicts if verdict.standing is Standing.NEW],
        seconds=round(time.monotonic() - start, 1),
        error=str(error or ""),
        exit_code=exit_code(error) if error else 0,
    )


def parts(reproduction: Reproduction, quick: bool, shared: Call) -> Iterator[list[Verdict]]:
    """Carries out a paper's commands, and gives the verdicts of each."""
    for command in reproduction.commands():
        work = work_of(command)
        known = [option.name for option in work.options()]
        values = {option: value for option, value in reproduction.quick.items() if quick and option in known}
        call = replace(shared, conditions=Conditions(work.trials), files=Outputs(), verdicts=[])
        work.carry_out(call, **values)
        yield call.verdicts


def tell(out: Console, ended: Sequence[Ended], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in ended], indent=2))
        return

    def row(name: str, those: Sequence[Ended], failed: bool) -> list[str]:
        counts = [
            sum(numbers) for numbers in zip(*((e.held, e.undecided, e.known, len(e.new)) for e in those), strict=True)
        ]
        return [name, *map(str, counts), f"{sum(each.seconds for each in those):.0f} s", "failed" * failed]

    rows = [row(each.paper, [each], bool(each.error)) for each in ended]
    rows.append(row("all", ended, failed=False))
    headings = ["paper", "statements held", "undecided", "known shortfalls", "NEW", "time", ""]
    print_table(out, Printed("all papers", headings, rows))
    for each in ended:
        for statement in each.new:
            out.print(f"NEW  {each.paper}: {statement}", soft_wrap=True)
