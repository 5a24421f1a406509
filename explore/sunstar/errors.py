# SPDX-License-Identifier: MIT
"""The errors of this package, each with a sentence for the user."""


class SunstarError(Exception):
    """Any error of this package; its text is a sentence that says what is wrong."""


class UsageError(SunstarError):
    """The caller asked for something that does not exist."""


class FileError(SunstarError):
    """A named file or folder cannot be used: an input is missing, damaged or holds something else than is needed, an
    output cannot be written."""


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
