# SPDX-License-Identifier: MIT
"""The experiments, the paper's figures 4 to 11 by their numbers and others by name, and their command."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sunstar.console import milliseconds, percent
from sunstar.errors import FileError, UsageError
from sunstar.papers.enwrich.cases import READ_OF_SYSTEM, Choice, flushes
from sunstar.papers.enwrich.statements import gains
from sunstar.study.cases import Found, Key
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.described import study_of
from sunstar.study.experiments import conduct, figures_of

Tell = Callable[[Found, Mapping[str, Key]], str]
"""A column's cell for a row, whose points come by their methods or sizes."""


def over(method: str) -> Tell:
    return lambda found, of: f"{found.ratio(of['enwrich'], method):.2f}"


def counted(name: str) -> Callable[[Found, Key], float | None]:
    """A figure that only ENWRICH has."""
    return lambda found, key: found[key].statistic(f"enwrich.{name}") if key.method == "enwrich" else None


def flushed(name: str) -> Tell:
    return lambda found, of: f"{counted(name)(found, of['enwrich']):.0f}"


def step(number: int) -> Tell:
    return lambda found, of: percent(gains(found, of["tc"].pattern)[number], sign=True)


def cache_size(key: Key) -> str:
    return f"{key.x} MiB" if key.x else key.method


def gained(found: Found, key: Key) -> float:
    return 100 * (found.mib(key) / found.mib(key._replace(x="none")) - 1)


def gain_or_plain(found: Found, key: Key) -> str:
    return f"{found.mib(key):.2f}" if key.x == "none" else f"{gained(found, key):+.1f} %"


def wait(found: Found, key: Key) -> str:
    of = found[key].latency
    times = ", ".join(milliseconds(time) for time in (of.p50_s, of.p99_s, of.max_s))
    return f"{times}; {flushes(found, key):.0f}"


STUDY = study_of("enwrich", globals())


class RecordSizes(StrEnum):
    LARGE = "8192"
    MIDDLE = "512"
    SMALL = "8"
    BOTH = "8192,512"
    ALL = "all"

    def sizes(self) -> tuple[int, ...]:
        return (8192, 512, 8) if self is RecordSizes.ALL else tuple(map(int, self.value.split(",")))


@command(trials=5)
def reproduce_enwrich(
    call: Call,
    figure: Annotated[list[str] | None, figures_of(STUDY)] = None,
    records: Annotated[
        RecordSizes, typer.Option(help="Record sizes in bytes in figures 4 and 5; all: 8192, 512 and 8.")
    ] = RecordSizes.BOTH,
    trace: Annotated[Path | None, typer.Option(metavar="FILE", help="Trace for figure 11 and for the options.")] = None,
    exclude: Annotated[
        str, typer.Option(metavar="REGEX", help="Files of the trace to leave out; empty: none.")
    ] = READ_OF_SYSTEM,
    document: DocumentOption = None,
) -> bool:
    if "11" in (figure or []) and trace is None:
        raise UsageError("--figure 11 replays a trace; name it with --trace")
    wanted = [each for each in STUDY.choose(figure or []) if each.name != "11" or trace is not None]
    if trace is not None and not trace.is_file():
        raise FileError(f"--trace {trace}: there is no such file")
    with TemporaryDirectory(prefix="sunstar-") as made:
        choice = Choice(records.sizes(), trace, exclude, Path(made))
        return conduct(STUDY, wanted, choice, call, call.folder(STUDY.name), document, bool(figure))
