# SPDX-License-Identifier: MIT
"""The command line `sunstar`. Each command has its own module, beside the code it works on."""

import os
import sys
import traceback
from contextlib import suppress
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from sunstar.explaining.command import explain
from sunstar.imports.command import import_maps
from sunstar.machine.command import show
from sunstar.new.command import COMMANDS as NEW_COMMANDS
from sunstar.papers.all_command import reproduce_all
from sunstar.papers.registry import PAPERS
from sunstar.papers.tr94_226.figures_command import figures_tr94_226
from sunstar.papers.tr94_226.sensitivity_command import sensitivity_tr94_226
from sunstar.reports.compare_command import compare_runs
from sunstar.reports.report_command import report
from sunstar.searches.command import optimise
from sunstar.signals import ended_by_signals
from sunstar.sweeps.command import sweep
from sunstar.sweeps.query_command import query
from sunstar.traces.command import trace_import, trace_show
from sunstar.validation.costs.command import validate_costs
from sunstar.validation.drives.command import validate_drives
from sunstar.validation.network.command import validate_network
from sunstar.waves.command import waves

HELP = {"help_option_names": ["-h", "--help"]}


class Program(TyperGroup):
    """All commands. However one ends, its exit code is not 1 by chance, which means that a statement is NEW."""

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  as in the class above
        with ended_by_signals():
            try:
                try:
                    return super().main(*args, **kwargs)
                except SystemExit:
                    for stream in streams():
                        stream.flush()
                    raise
            except Exception as error:
                with suppress(OSError):  # the standard error may be full as well
                    tell(error)
                give_up_unwritten()
                sys.exit(3 if isinstance(error, OSError) else 4)


def tell(error: Exception) -> None:
    """Says what no command has foreseen. Files have errors of their own, so an OSError is about what is printed, unless
    it names another place."""
    if isinstance(error, OSError):
        what = error.filename or "cannot write the standard output"
        typer.echo(f"sunstar: {what}: {error.strerror or error}", err=True)
    else:
        traceback.print_exc()


def streams() -> list[TextIO]:
    """What this program prints on; Python has no stream where the caller has closed it."""
    return [stream for stream in (sys.stdout, sys.stderr) if stream is not None]


def give_up_unwritten() -> None:
    """Python would try once more to write what is left, and end with an exit code of its own when that fails."""
    for stream in streams():
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def group(text: str, example: str, cls: type[TyperGroup] | None = None) -> typer.Typer:
    """Commands under one name; --help shows the example."""
    return typer.Typer(
        cls=cls,
        help=f"{text}\n\nExample: {example}",
        no_args_is_help=True,
        context_settings=HELP,
        rich_markup_mode=None,
    )


app = group("Explore the machines that Sunstar simulates.", "sunstar reproduce tr94-226", Program)
app.pretty_exceptions_enable = False

app.command("sweep", context_settings=HELP)(sweep)
app.command("optimise", context_settings=HELP)(optimise)
app.command("query", context_settings=HELP)(query)
app.command("compare", context_settings=HELP)(compare_runs)
app.command("report", context_settings=HELP)(report)
app.command("explain", context_settings=HELP)(explain)
app.command("show", context_settings=HELP)(show)
app.command("waves", context_settings=HELP)(waves)

reproduce = group("Compare a system with its published figures.", "sunstar reproduce tr94-226 --trials 3")
reproduce.command("all")(reproduce_all)
for name, paper in PAPERS.items():
    reproduce.command(name)(paper.command)
app.add_typer(reproduce, name="reproduce")

figures = group(
    "Repeat the sweeps of a paper's figures, and check what it says about them.", "sunstar figures tr94-226 --figure 6"
)
figures.command("tr94-226")(figures_tr94_226)
app.add_typer(figures, name="figures")

sensitivity = group("Vary each calibrated parameter.", "sunstar sensitivity tr94-226 --records 8192 --trials 1")
sensitivity.command("tr94-226")(sensitivity_tr94_226)
app.add_typer(sensitivity, name="sensitivity")

validate = group(
    "Compare a hardware model with real parts or with an established simulator.", "sunstar validate drives"
)
validate.command("drives")(validate_drives)
validate.command("network")(validate_network)
validate.command("costs")(validate_costs)
app.add_typer(validate, name="validate")

imports = group(
    "Make a simulator's inputs from files of other programs.", "sunstar import maps map.nc --output list.csv"
)
imports.command("maps")(import_maps)
app.add_typer(imports, name="import")

trace = group(
    "Traces of real applications: import them, and look at them.", "sunstar trace import app.darshan --output app.csv"
)
trace.command("import")(trace_import)
trace.command("show")(trace_show)
app.add_typer(trace, name="trace")

new = group("Write the files of a new part, ready to build, with a test to start from.", "sunstar new layout my-layout")
for kind, write_new in NEW_COMMANDS.items():
    new.command(kind)(write_new)
app.add_typer(new, name="new")
