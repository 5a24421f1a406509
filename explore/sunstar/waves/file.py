# SPDX-License-Identifier: MIT
"""A wave file, read back."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sunstar.errors import FileError
from sunstar.waves.opening import opened


@dataclass(frozen=True)
class Wave:
    """A signal: its values and since when it has them, in picoseconds."""

    name: str
    times: list[int]
    values: list[int]
    words: dict[int, str]
    """What its values stand for, if they stand for words."""

    def at(self, time: int) -> int:
        """The value at a time; before the first one, the first."""
        return self.values[max(bisect_right(self.times, time) - 1, 0)]

    def word(self, value: int) -> str:
        return self.words.get(value, str(value))

    @property
    def spelt(self) -> list[tuple[int, str]]:
        """The changes in words."""
        return [(time, self.word(value)) for time, value in zip(self.times, self.values, strict=True)]


class WaveFile:
    """A VCD or FST file, plain or packed by gzip."""

    def __init__(self, path: Path) -> None:
        from pywellen import Waveform  # here, so that other commands start without it

        self.path = path
        self._opened = opened(path)
        try:
            self._file = Waveform(str(self._opened.path))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # the library raises what Rust says, and its panics are no Exception
            raise FileError(f"cannot read {path} as waveforms: {' '.join(str(error).split())}") from error
        self._variables: dict[str, Any] = {each.full_name: each for each in self._file.all_vars()}

    @property
    def incomplete(self) -> str:
        """Why it does not hold all that it was to hold; empty if nothing says that."""
        return self._opened.incomplete

    @property
    def signals(self) -> list[str]:
        return list(self._variables)

    def __contains__(self, signal: str) -> bool:
        return signal in self._variables

    def wave(self, signal: str) -> Wave:
        variable = self._variables.get(signal)
        if variable is None:
            raise FileError(f"{self.path} has no signal {signal}; it may be of another machine or scope")
        changes = [(int(time), signed(int(value))) for time, value in each_of(variable.signal)]
        named = variable.enum_type
        words = {int(bits, 2): word for bits, word in named[1]} if named else {}
        return Wave(signal, [time for time, _ in changes], [value for _, value in changes], words)

    @cached_property
    def end(self) -> int:
        """The time of its end, in picoseconds; of an FST file, of its last change, since the library tells no more."""
        if self._opened.end_ps is not None:
            return self._opened.end_ps
        return max((int(signal[len(signal) - 1][0]) for signal in self._filled()), default=0)

    def _filled(self) -> Iterator[Any]:
        """The signals that have a value."""
        return (signal for each in self._variables.values() if len(signal := each.signal))

    @cached_property
    def comment(self) -> list[str]:
        """What a VCD file says of its run; FST files do not keep it."""
        if self._opened.form == "fst":
            return []
        lines: list[str] = []
        with self._opened.path.open(errors="replace") as text:
            if next(text, "").strip() == "$comment":
                for line in text:
                    if line.strip() == "$end":
                        break
                    lines.append(line.rstrip("\n"))
        return lines


def each_of(signal: Any) -> Any:  # noqa: ANN401  of a library without types
    return (signal[i] for i in range(len(signal)))


def signed(value: int) -> int:
    """Values have 32 bits."""
    return value - (1 << 32) if value >= 1 << 31 else value
