# SPDX-License-Identifier: MIT
"""sunstar reproduce enwrich"""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sunstar.cli.common import (
    ConfigOption,
    DocumentOption,
    JobsOption,
    ResultsOption,
    SeedOption,
    SetOption,
    TrialsOption,
    answer_errors,
    called,
    console,
    print_verdicts,
    results_folder,
    settings_from,
    shown,
)
from sunstar.documents import as_text, check, put
from sunstar.enwrich import plots
from sunstar.enwrich.cases import Found, Key
from sunstar.enwrich.experiments import EXPERIMENTS, READ_OF_SYSTEM, Choice, Experiment
from sunstar.enwrich.statements import STATEMENTS, verified
from sunstar.enwrich.tables import TABLES, kept
from sunstar.errors import FileError, UsageError
from sunstar.output import make_folder, write_json, write_table
from sunstar.progress import sweep_with_progress
from sunstar.run import Point, Setting


class RecordSizes(StrEnum):
    """Which record sizes in figures 4 and 5."""

    LARGE = "8192"
    MIDDLE = "512"
    SMALL = "8"
    BOTH = "8192,512"
    ALL = "all"

    def sizes(self) -> tuple[int, ...]:
        if self is RecordSizes.ALL:
            return (8192, 512, 8)
        return tuple(int(size) for size in self.value.split(","))


FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", metavar="NAME", help=f"Which of {', '.join(EXPERIMENTS)}; repeatable."),
]
RecordSizesOption = Annotated[
    RecordSizes, typer.Option("--records", help="Record sizes in bytes in figures 4 and 5; all: with 8.")
]
TraceOption = Annotated[
    Path | None, typer.Option("--trace", metavar="FILE", help="Trace for figure 11 and for the options.")
]
ExcludeOption = Annotated[
    str, typer.Option("--exclude", metavar="REGEX", help="Files of the trace to leave out; empty: none.")
]

STATEMENTS_BLOCK = "statements"


@answer_errors
def reproduce_enwrich(
    figure: FigureOption = None,
    records: RecordSizesOption = RecordSizes.BOTH,
    trace: TraceOption = None,
    exclude: ExcludeOption = READ_OF_SYSTEM,
    trials: TrialsOption = 1,
    seed: SeedOption = 1,
    jobs: JobsOption = 0,
    config: ConfigOption = None,
    set_: SetOption = None,
    results: ResultsOption = None,
    document: DocumentOption = None,
) -> None:
    """ENWRICH against traditional caching and disk-directed I/O: figures 4 to 11 of Duke CS-1995-22, and a smart disk
    scheduler, the options beyond the paper, and what a write takes.

    Prints each as a table, draws it, and checks what the paper says of it; writes results/enwrich/ (a .png each, all
    points as .csv, .json and .parquet, the verdicts as .json, with --figure under names that say which). Exit code 1 if
    a statement does not hold. Figure 11 needs --trace. Names for --document are those of the figures, and "statements".

    Example: sunstar reproduce enwrich --figure 4 --figure 5 --records all --trials 5
    """
    start = time.monotonic()
    out = console()
    folder = make_folder(results_folder(results) / "enwrich")
    choice = Choice(records.sizes(), readable(trace), exclude, folder)
    wanted = which(figure, trace)
    if document is not None:
        check(document, [*(each.name for each in wanted), STATEMENTS_BLOCK])
    cases = {each.name: each.cases(choice) for each in wanted}
    base = settings_from(set_)
    everything = measure(
        out,
        cases,
        lambda settings: Point({**settings, **base}, config=config, seed=seed, trials=trials),
        f"ENWRICH, {trials} trials each",
        jobs,
    )
    written, verdicts = [], []
    for each in wanted:
        found = everything[each.name]
        print_experiment(each, found, out)
        verdicts += [*STATEMENTS[each.name](found), verified(each.name, found)]
        written.append(plots.draw(each, found, folder / f"{each.name}.png"))
    table = kept(everything)
    of = (
        f"-{'-'.join(each.name for each in wanted)}" if figure else ""
    )  # one figure's points do not replace those of all
    written += [write_table(folder / f"points{of}{suffix}", table) for suffix in (".csv", ".json", ".parquet")]
    written.append(write_json(folder / f"verdicts{of}.json", [asdict(verdict) for verdict in verdicts]))
    print_verdicts(out, verdicts, "statements")
    if document is not None:
        blocks = {each.name: as_text(partial(print_experiment, each, everything[each.name])) for each in wanted}
        blocks[STATEMENTS_BLOCK] = as_text(lambda on: print_verdicts(on, verdicts, "statements"))
        written.append(put(document, blocks))
    out.print(f"written: {', '.join(shown(path) for path in written)}", soft_wrap=True)
    out.print(f"took {time.monotonic() - start:.0f} s")
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(1)


def which(names: list[str] | None, trace: Path | None) -> list[Experiment]:
    """What is asked for in the order of the paper; without names, all that can be had."""
    for name in names or []:
        if name not in EXPERIMENTS:
            raise UsageError(f"--figure {name}: it must be one of {', '.join(EXPERIMENTS)}")
    if "11" in (names or []) and trace is None:
        raise UsageError("--figure 11 replays a trace; name it with --trace")
    return [
        each for name, each in EXPERIMENTS.items() if (name in names if names else name != "11" or trace is not None)
    ]


def readable(trace: Path | None) -> Path | None:
    if trace is not None and not trace.is_file():
        raise FileError(f"--trace {trace}: there is no such file")
    return trace


def measure(
    out: Console,
    cases: Mapping[str, Mapping[Key, dict[str, Setting]]],
    point: Callable[[dict[str, Setting]], Point],
    what: str,
    jobs: int,
) -> dict[str, Found]:
    """Runs what the experiments need; what several share, once."""

    def same(settings: dict[str, Setting]) -> tuple[tuple[str, Setting], ...]:
        return tuple(sorted(settings.items()))

    names: dict[tuple[tuple[str, Setting], ...], str] = {}
    for name, points in cases.items():
        for key, settings in points.items():
            names.setdefault(same(settings), f"{called(name)}, {key}")
    points = [point(dict(settings)) for settings in names]
    outcome = dict(zip(names, sweep_with_progress(out, what, points, list(names.values()), jobs), strict=True))
    return {
        name: Found({key: outcome[same(settings)] for key, settings in points.items()})
        for name, points in cases.items()
    }


def print_experiment(experiment: Experiment, found: Found, out: Console) -> None:
    for printed in TABLES[experiment.name](found):
        title = ": ".join(part for part in (called(experiment.name), experiment.title, printed.title) if part)
        out.print(f"\n[italic]{title}[/italic]", soft_wrap=True)
        table = Table()
        for i, heading in enumerate(printed.headings):
            table.add_column(heading, justify="right" if i else "left", no_wrap=True)
        for row in printed.rows:
            table.add_row(*row)
        out.print(table)
