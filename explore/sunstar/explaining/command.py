# SPDX-License-Identifier: MIT
"""sunstar explain"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sunstar.commands import ResultsOption, results_folder, told_in_sentences
from sunstar.explaining.explanation import Explanation, Times, Tried, read_explained, try_changes
from sunstar.files import as_json
from sunstar.study.tables import Printed, console, milliseconds, percent, print_table

ROWS = 10

ResultArgument = Annotated[Path, typer.Argument(metavar="RESULT", help="The result of a run with --explain.")]
TryOption = Annotated[bool, typer.Option("--try", help="Make each proposed change, run again, and show the gain.")]
RowsOption = Annotated[int, typer.Option("--rows", min=1, help="The most rows of a table.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]


def explain(
    result: ResultArgument,
    try_: TryOption = False,
    rows: RowsOption = ROWS,
    results: ResultsOption = None,
    as_json_: JsonOption = False,
) -> None:
    """Say why a run took as long as it did, and what would shorten it.

    Shows the critical path of the run by stage, the busiest resources with their queues, where the processors' time
    went, and how long each stage of a request takes. Proposes changes, each with the most that it can gain and the
    settings to paste. --try makes these changes and measures the gain.

    Example: sunstar explain result.json --try
    """
    with told_in_sentences():
        read, explanation = read_explained(result)
        tried = list(try_changes(read, explanation, results_folder(results))) if try_ else []
    if as_json_:
        told = explanation.model_dump()
        for change, found in zip(told["changes"], tried, strict=False):
            change["measured"] = found.gain
        typer.echo(as_json(told), nl=False)
        return
    tell(console(), explanation, tried, rows)


def tell(out: Console, explanation: Explanation, tried: list[Tried], rows: int) -> None:
    for sentence in explanation.sentences:
        out.print(sentence, soft_wrap=True)
    path = [(s.stage, milliseconds(s.time_s), percent(s.share)) for s in explanation.critical_path]
    print_table(out, Printed("The critical path", ("stage", "ms", "share"), path))
    resources = [
        (
            r.name,
            percent(r.utilisation),
            "-" if r.mean_queue is None else f"{r.mean_queue:.2f}",
            "-" if r.mean_wait_s is None else milliseconds(r.mean_wait_s),
        )
        for r in explanation.resources[:rows]
    ]
    print_table(out, Printed("The busiest resources", ("resource", "busy", "mean queue", "mean wait, ms"), resources))
    print_table(out, Printed("The processors", ("node", "busy, ms", "most of it"), processors(explanation, rows), 1))
    times: list[tuple[str, ...]] = []
    for kind in explanation.requests:
        times.append((kind.kind, str(kind.count), "all", *both(kind.total)))
        times += [("", "", stage, *both(spent)) for stage, spent in kind.stages.items()]
    print_table(out, Printed("Requests", ("kind", "number", "stage", "mean, ms", "p99, ms"), times, 3))
    for i, change in enumerate(explanation.changes):
        gone = "" if change.waits_gone is None else f", {change.waits_gone:.2f}x if it also saved all waiting"
        out.print(f"\n{change.change}: at most {change.at_most:.2f}x{gone}", soft_wrap=True)
        if tried:
            found = tried[i]
            measured = f"measured: {found.gain:.2f}x" if found.gain is not None else f"cannot run: {found.error}"
            out.print(f"  {measured}", soft_wrap=True)
        for setting in change.settings:
            out.print(f"  --set '{setting}'", soft_wrap=True)


def processors(explanation: Explanation, rows: int) -> list[tuple[str, str, str]]:
    """The busiest nodes, with the primitives that take most of their time."""
    busy = sorted(explanation.processors, key=lambda p: -sum(p.seconds.values()))[:rows]
    told = []
    for p in busy:
        most = sorted(p.seconds.items(), key=lambda item: -item[1])[:3]
        told.append(
            (
                p.node,
                milliseconds(sum(p.seconds.values())),
                ", ".join(f"{name} {milliseconds(spent)}" for name, spent in most),
            )
        )
    return told


def both(times: Times) -> tuple[str, str]:
    return milliseconds(times.mean_s), milliseconds(times.p99_s)
