# SPDX-License-Identifier: MIT
"""The papers whose systems exist, with the commands that reproduce them, and sunstar reproduce all: see PAPERS."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console

from sunstar import commands
from sunstar.commands import JobsOption, JsonOption, ResultsOption, RetryOption
from sunstar.console import Printed, console, print_table
from sunstar.errors import SunstarError, check_choice
from sunstar.files import Outputs, as_json, make_folder, write_text
from sunstar.study.command import Call, Conditions, work_of
from sunstar.study.statements import Kind, Standing, Verdict, holding, of_kind

PAPERS: Mapping[str, Sequence[str]] = {
    "tr94-226": ["tr94_226:reproduce_tr94_226", "tr94_226:figures_tr94_226"],
    "enwrich": ["enwrich:reproduce_enwrich"],
    "expanding": ["expanding:reproduce_expanding"],
    "two-phase": ["two_phase:reproduce_two_phase"],
    "five-ways": ["five_ways:reproduce_five_ways"],
    "galley": ["galley:reproduce_galley"],
    "pvfs": ["pvfs:reproduce_pvfs"],
    "redundancy": ["ours:reproduce_redundancy"],
    "bad-day": ["ours:reproduce_bad_day"],
    "nvme-cluster": ["ours:reproduce_nvme_cluster"],
    "ior-hard": ["ours:reproduce_ior_hard"],
}
"""The places of each paper's commands, MODULE:NAME; the first one is sunstar reproduce NAME."""
QUICK: Mapping[str, Mapping[str, Any]] = {"enwrich": {"figure": ["4", "5", "6"]}}
"""By paper without an option --quick: what stands for it."""
FILE = "reproduce-all.json"
COUNTED = {
    "held": "statements held",
    "undecided": "undecided",
    "contradicted": "contradicted",
    "known": "known shortfalls",
}
"""Of the paper's statements; those beyond the paper are counted apart."""


def reproduce_all(
    quick: Annotated[bool, typer.Option("--quick")] = False,
    paper: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help=f"Only this one of {', '.join(PAPERS)}; repeatable.")
    ] = None,
    retry_failed: RetryOption = False,
    jobs: JobsOption = 0,
    results: ResultsOption = None,
    as_json_: JsonOption = False,
) -> None:
    for name in paper or []:
        check_choice("--paper", name, PAPERS)
    folder, out = make_folder(commands.results_folder(results)), console(as_json_)
    shared = Call(Conditions(), jobs, folder, out, retry_failed=retry_failed)
    ended = []
    for name in PAPERS:
        if not paper or name in paper:
            out.rule(name)
            ended.append(one(name, quick, shared))
    with Outputs() as files:
        write_text(files, folder / FILE, as_json(ended))
    if as_json_:
        typer.echo(as_json(ended), nl=False)
    else:
        tell(out, ended)
    out.print(f"written: {commands.relative(folder / FILE)}", soft_wrap=True)
    failed = [each["exit_code"] for each in ended if each["error"]]
    if failed or any(each["new"] for each in ended):
        raise typer.Exit(failed[0] if failed else 1)


def commands_of(paper: str) -> list[Callable[..., None]]:
    return [commands.imported(f"papers.{place}") for place in PAPERS[paper]]


def one(name: str, quick: bool, shared: Call) -> dict[str, Any]:
    """Reproduces a paper; returns its entry in the file: `new` are NEW statements, `error` is why it ended early."""
    start, verdicts = time.monotonic(), list[Verdict]()
    error: SunstarError | None = None
    try:
        for work in map(work_of, commands_of(name)):
            known = [option.name for option in work.options()] if quick else []
            values = {option: value for option, value in QUICK.get(name, {"quick": True}).items() if option in known}
            call = replace(shared, conditions=Conditions(work.trials), files=Outputs(), verdicts=[])
            work.carry_out(call, **values)
            verdicts += call.verdicts
    except SunstarError as caught:
        error = caught
        typer.echo(f"sunstar: {caught}", err=True)
    counted, ours = (of_kind(kind, verdicts) for kind in (Kind.PAPER, Kind.OURS))
    count = Counter(verdict.standing for verdict in counted)
    return {
        "paper": name,
        "held": holding(counted),
        "undecided": count[Standing.UNDECIDED],
        "contradicted": count[Standing.CONTRADICTED],
        "known": count[Standing.KNOWN],
        "beyond": len(ours),
        "beyond_held": holding(ours),
        "new": [str(verdict) for verdict in verdicts if verdict.standing is Standing.NEW],
        "seconds": round(time.monotonic() - start, 1),
        "error": str(error or ""),
        "exit_code": commands.exit_code(error) if error else 0,
    }


def tell(out: Console, ended: Sequence[Mapping[str, Any]]) -> None:
    def row(name: str, those: Sequence[Mapping[str, Any]], failed: str = "") -> list[str]:
        counts = [*(sum(each[of] for each in those) for of in COUNTED), sum(len(each["new"]) for each in those)]
        return [name, *map(str, counts), f"{sum(each['seconds'] for each in those):.0f} s", failed]

    rows = [row(each["paper"], [each], "failed" * bool(each["error"])) for each in ended]
    print_table(out, Printed("all papers", ["paper", *COUNTED.values(), "NEW", "time", ""], [*rows, row("all", ended)]))
    for each in ended:
        for statement in each["new"]:
            out.print(f"NEW  {each['paper']}: {statement}", soft_wrap=True)
