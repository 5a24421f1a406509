# SPDX-License-Identifier: MIT
"""The errors of this package, each with a sentence for the user."""

from collections.abc import Collection, Iterable
from pathlib import Path


class SunstarError(Exception):
    """Any error of this package; its text is a sentence."""


class UsageError(SunstarError):
    """The caller asked for something that does not exist."""


class FileError(SunstarError):
    """A named file or folder cannot be used: it is missing, damaged or something else, or cannot be written."""


class MissingExecutableError(SunstarError):
    """A simulator has not been built."""


class SchedulerError(SunstarError):
    """The cluster that was to carry out runs cannot be used."""


class UnmeasuredError(SunstarError):
    """A statement, table or drawing needs a figure that no run has measured."""


class RunError(SunstarError):
    """A simulator ended with an exit code other than 0, or left no result that can be read."""

    def __init__(self, sentence: str, exit_code: int) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the known name that is like it, if there is one."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    return f'; did you mean "{near[0]}"?' if near else ""


def in_words(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def check_choice(option: str, value: str | None, allowed: Collection[str]) -> None:
    """A UsageError unless the option has one of these values, or none."""
    if value is not None and value not in allowed:
        raise UsageError(f"{option} {value}: it must be {in_words(allowed)}")


def check_suffix(path: Path, allowed: Collection[str]) -> None:
    """A UsageError unless the name of the output ends so."""
    if path.suffix not in allowed:
        raise UsageError(f"--output {path}: its name must end in {in_words(allowed)}")
