# SPDX-License-Identifier: MIT
"""The command line `sunstar`. Each command has its own module, beside the code it works on; it is imported when the
command is called, so that the others do not wait for its libraries."""

import os
import sys
import tomllib
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sunstar.commands import exit_code, imported
from sunstar.errors import SunstarError
from sunstar.programs import ended_by_signals

HELP = {"help_option_names": ["-h", "--help"]}
GROUP: dict[str, Any] = {"context_settings": HELP, "no_args_is_help": True, "rich_markup_mode": None}
LISTED = tomllib.loads(Path(__file__).with_name("commands.toml").read_text())
"""The commands, and groups of them, by name: the places of the functions, and their help."""


def tell(error: Exception) -> None:
    """Prints an error that no command foresaw. An OSError that names no other place is about printing."""
    if isinstance(error, OSError):
        what = error.filename or "cannot write the standard output"
        typer.echo(f"sunstar: {what}: {error.strerror or error}", err=True)
    else:
        traceback.print_exc()


def flush(discard: bool = False) -> None:
    """Prints the buffers of the open streams; Python has none where the caller has closed it. With `discard`,
    unwritable output is lost; otherwise Python would try again, fail, and end with its own exit code."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            if not discard:
                raise
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


class Group(TyperGroup):
    """Commands under one name; --help shows the whole first sentence of each."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002  Typer copies the types
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(limit=400)) for name, each in self.commands.items()])


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


def command(name: str, function: Callable[..., Any], of: Mapping[str, Any]) -> Any:  # noqa: ANN401  Typer says none
    """The command of a function, with its listed help and that of its options, or else what the function says."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, help=of.get("help"), context_settings=HELP)(function)
    made: Any = typer.main.get_command(alone)
    texts = LISTED["options"] | of.get("options", {})
    for option in made.params:
        option.help = option.help or texts.get(max(option.opts, key=len).lstrip("-"))
    return made


def single(name: str, of: Mapping[str, Any]) -> Any:  # noqa: ANN401  as above
    return command(name, imported(of["at"]), of)


def group(name: str, of: Mapping[str, Any]) -> Group:
    """Commands under one name; --help shows an example."""
    shared = of.get("options", {})
    listed = {each: one | {"options": shared | one.get("options", {})} for each, one in of["commands"].items()}
    inside = {each: single(each, one) for each, one in listed.items() if "at" in one}
    if name == "reproduce":
        commands_of = imported("papers.all_command:commands_of")
        for each in imported("papers.all_command:PAPERS"):
            inside[each] = command(each, commands_of(each)[0], listed.get(each, {}))
    text = f"{of['help']}\n\nExample: {of['example']}"
    return Group(name=name, commands=inside, help=text, **GROUP)


class Program(Group):
    """All commands. An error of this package ends one with a sentence; exit code 1 is reserved for NEW statements."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  as in the class above
        super().__init__(**settings)
        for kind, make in (("commands", single), ("groups", group)):
            for name, of in LISTED[kind].items():
                self.add_command(Later(name, of["help"].partition("\n")[0], partial(make, name, of)))

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
                flush(discard=True)
                sys.exit(3 if isinstance(error, OSError) else 4)


app = typer.Typer(cls=Program, pretty_exceptions_enable=False, **GROUP)


def tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sunstar {version('sunstar')}")
        raise typer.Exit


@app.callback()
def sunstar(
    _: Annotated[
        bool, typer.Option("--version", callback=tell_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Explore the machines that Sunstar simulates.

    Example: sunstar reproduce tr94-226
    """
