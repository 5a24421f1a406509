# SPDX-License-Identifier: MIT
"""The command line `sunstar`. Each command has its own module, beside the code it works on; it is imported when the
command is called, so that the others do not wait for its libraries."""

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from importlib import import_module
from typing import Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from sunstar.commands import exit_code
from sunstar.errors import SunstarError
from sunstar.programs import ended_by_signals

HELP = {"help_option_names": ["-h", "--help"]}


def tell(error: Exception) -> None:
    """Prints an error that no command foresaw. Files have their own errors, so an OSError is about printing unless it
    names another place."""
    if isinstance(error, OSError):
        what = error.filename or "cannot write the standard output"
        typer.echo(f"sunstar: {what}: {error.strerror or error}", err=True)
    else:
        traceback.print_exc()


def streams() -> list[TextIO]:
    """The open streams that this program prints on; Python has none where the caller has closed it."""
    return [stream for stream in (sys.stdout, sys.stderr) if stream is not None]


def flush() -> None:
    for stream in streams():
        stream.flush()


def give_up_unwritten() -> None:
    """Discards what cannot be written; otherwise Python would try again, fail, and end with its own exit code."""
    for stream in streams():
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


class Later(TyperCommand):
    """A command or a group whose modules are imported when it is called. `text` begins its help."""

    def __init__(self, name: str, text: str, load: Callable[[], Any]) -> None:
        super().__init__(name, help=text, rich_markup_mode=None)
        self._load = load

    @cached_property
    def loaded(self) -> Any:  # noqa: ANN401  Typer does not name the type
        return self._load()

    def make_context(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  as in the class above
        return self.loaded.make_context(*args, **kwargs)


def command(name: str, function: Callable[..., Any]) -> Any:  # noqa: ANN401  Typer does not name the type
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, context_settings=HELP)(function)
    return typer.main.get_command(alone)


def imported(place: str) -> Any:  # noqa: ANN401  whatever is there
    """The object at a place MODULE:NAME of this package."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"sunstar.{module}"), name)


def command_at(name: str, place: str) -> Any:  # noqa: ANN401  as above
    return command(name, imported(place))


def group(name: str, text: str, example: str, places: Mapping[str, str]) -> TyperGroup:
    """Commands under one name; --help shows the example."""
    inside = {each: command(each, imported(place)) for each, place in places.items()}
    if name == "reproduce":
        inside |= {each: command(each, paper.command) for each, paper in imported("papers.all_command:PAPERS").items()}
    return TyperGroup(
        name=name,
        commands=inside,
        help=f"{text}\n\nExample: {example}",
        context_settings=HELP,
        no_args_is_help=True,
        rich_markup_mode=None,
    )


COMMANDS = {
    "sweep": ("Run one simulator at many points, and keep every run.", "sweeps.command:sweep"),
    "optimise": (
        "Search for the best configurations of a simulator, by several objectives at once.",
        "searches.command:optimise",
    ),
    "query": ("Ask a sweep's tables in SQL (DuckDB).", "sweeps.command:query"),
    "compare": ("Compare two runs, or two sweeps point by point.", "reports.compare:compare_runs"),
    "report": ("Make one page of the results of a sweep, or of single runs.", "reports.report_command:report"),
    "explain": ("Say why a run took as long as it did, and what would shorten it.", "explaining:explain"),
    "scaling": ("Find where more processors stop helping each file system, and why.", "scaling.command:scaling"),
    "campaign": (
        "Break small random machines in random ways, and see whether every run ends and every lost byte is reported.",
        "campaign.command:campaign",
    ),
    "show": ("Draw a machine: its nodes on their network, their buses and drives.", "machine.command:show"),
    "waves": ("Draw waveforms: the signals that a view names, in its window of time.", "waves.picture:waves"),
}
"""The commands by name: how their help begins, and where their functions are."""

GROUPS = {
    "reproduce": (
        "Compare a system with its published figures.",
        "sunstar reproduce tr94-226 --trials 3",
        {"all": "papers.all_command:reproduce_all"},
    ),
    "figures": (
        "Repeat the sweeps of a paper's figures, and check what it says about them.",
        "sunstar figures tr94-226 --figure 6",
        {"tr94-226": "papers.tr94_226.experiments:figures_tr94_226"},
    ),
    "sensitivity": (
        "Vary each constant of a machine that is calibrated, derived or chosen.",
        "sunstar sensitivity tr94-226 --records 8192 --trials 1",
        {
            "tr94-226": "papers.tr94_226.sensitivity:sensitivity_tr94_226",
            "galley": "papers.sensitivity:sensitivity_galley",
            "pvfs": "papers.sensitivity:sensitivity_pvfs",
        },
    ),
    "validate": (
        "Compare a hardware model with real parts or with an established simulator.",
        "sunstar validate drives",
        {
            "drives": "validation.drives:validate_drives",
            "arrays": "validation.arrays:validate_arrays",
            "network": "validation.network.command:validate_network",
            "costs": "validation.costs:validate_costs",
        },
    ),
    "import": (
        "Make a simulator's inputs from files of other programs.",
        "sunstar import maps map.nc --output list.csv",
        {"maps": "import_maps:import_maps"},
    ),
    "trace": (
        "Traces of real applications: import them, and look at them.",
        "sunstar trace import app.darshan --output app.csv",
        {"import": "traces.command:trace_import", "show": "traces.command:trace_show"},
    ),
    "new": (
        "Write the files of a new part, ready to build, with a test to start from.",
        "sunstar new layout my-layout",
        {
            "drive": "new.command:new_drive",
            "layout": "new.command:new_layout",
            "file-system": "new.command:new_file_system",
            "fabric": "new.command:new_fabric",
        },
    ),
}
"""The groups of commands by name: their help, an example, and where the functions of their commands are; those of the
papers are in their registry."""


class Program(TyperGroup):
    """All commands. An error of this package ends one with a sentence; exit code 1 is reserved for NEW statements."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  as in the class above
        super().__init__(**settings)
        for name, (text, place) in COMMANDS.items():
            self.add_command(Later(name, text, partial(command_at, name, place)))
        for name, (text, example, places) in GROUPS.items():
            self.add_command(Later(name, text, partial(group, name, text, example, places)))

    def main(self, args: Sequence[str] | None = None, *more: Any, **kwargs: Any) -> Any:  # noqa: ANN401  as above
        first = (sys.argv[1:] if args is None else args)[:1]
        for command in (self.commands.get(name) for name in first):
            if isinstance(command, Later):
                _ = command.loaded  # before the signals: Polars takes SIGINT when it is imported
        with ended_by_signals():
            try:
                try:
                    return super().main(args, *more, **kwargs)
                except SunstarError as error:
                    typer.echo(f"sunstar: {error}", err=True)
                    flush()
                    sys.exit(exit_code(error))
                except SystemExit:
                    flush()
                    raise
            except Exception as error:
                with suppress(OSError):  # the standard error may be full as well
                    tell(error)
                give_up_unwritten()
                sys.exit(3 if isinstance(error, OSError) else 4)


app = typer.Typer(
    cls=Program, no_args_is_help=True, context_settings=HELP, rich_markup_mode=None, pretty_exceptions_enable=False
)


@app.callback()
def sunstar() -> None:
    """Explore the machines that Sunstar simulates.

    Example: sunstar reproduce tr94-226
    """
