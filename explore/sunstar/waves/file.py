# SPDX-License-Identifier: MIT
"""A wave file, read back: plain or packed by gzip, whole or cut off."""

import os
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from sunstar.errors import FileError
from sunstar.files import is_packed, open_unpacked, reading
from sunstar.programs import Interrupted

Form = Literal["vcd", "fst"]
FST_HEADER = b"\x00" + (329).to_bytes(8, "big")  # The type and the length of the first block of an FST file
RESTING = {"idle", "free", "nobody", "none"}  # Words of a part that does nothing
TAIL = 1 << 16  # This many bytes at the end of a VCD file show how it ends


@dataclass(frozen=True)
class Wave:
    """A signal: its values and the times of their changes, in picoseconds."""

    name: str
    times: list[int]
    values: list[int]
    words: dict[int, str]  # The words of its values, if they stand for words

    def word(self, value: int) -> str:
        return self.words.get(value, str(value))

    def rests(self, value: int) -> bool:
        """Whether the part does nothing at this value. A number begins with the value, -1 or 0, that means nothing."""
        return self.word(value) in RESTING if self.words else value <= min(0, *self.values[:1])


class WaveFile:
    """A VCD or FST file, plain or packed by gzip; a FileError if it is no wave file, or too damaged to be drawn."""

    def __init__(self, path: Path) -> None:
        from pywellen import Waveform  # here, so that other commands start without it

        if not path.is_file():
            raise FileError(f"{path} is a folder" if path.is_dir() else f"there is no file {path}")
        self.path = path
        self.incomplete = ""  # Why the file is incomplete, in a sentence; empty if not known to be
        self._whole = path  # The file to read: itself, or a copy
        self._copy: TemporaryDirectory[str] | None = None  # The place of the copy; it is removed with this object
        self._end_ps: int | None = None  # The last time that a VCD file names
        with reading(path):
            if is_packed(path):
                self._copy = TemporaryDirectory()
                self._whole = Path(self._copy.name) / "waves"
                with open_unpacked(path) as source, self._whole.open("wb") as target:
                    shutil.copyfileobj(source, target)
            self._form = form_of(self._whole)
            if self._form is None:
                raise FileError(f"{path} is no wave file; it must be a VCD or FST file, as --vcd writes it")
            if self._form == "vcd":
                self._look_through()
            elif not is_whole_fst(self._whole):
                raise FileError(f"{path} is cut off; an FST file can only be read whole")
        with self._told():
            self._file = Waveform(str(self._whole))
            self._variables: dict[str, Any] = {each.full_name: each for each in self._file.all_vars()}
        self.signals = list(self._variables)

    def _look_through(self) -> None:
        """Finds out when a VCD file ends, and leaves out a last line that is cut off."""
        with self._whole.open("rb") as file:
            before_values = list(takewhile(lambda line: b"$enddefinitions" not in line, file))
            header = b"".join(before_values)
            values, size = file.tell(), file.seek(0, os.SEEK_END)
            if values == len(header):
                raise FileError(f"{self.path} is cut off within its header, which must end with $enddefinitions")
            file.seek(max(values, size - TAIL))
            tail = file.read()
        lines, newline, half = tail.rpartition(b"\n")
        if half.strip():  # its reader would take half a number for a whole one
            if self._copy is None:
                self._copy = TemporaryDirectory()
                self._whole = Path(shutil.copy(self.path, self._copy.name))
            os.truncate(self._whole, size - len(half))
        times = re.findall(rb"^#(\d+)\s*$", lines + newline, re.MULTILINE)
        if not times:
            raise FileError(f"{self.path} has no values: it was cut off, or its window was after the end of the run")
        self._end_ps = int(times[-1])
        # Sunstar ends a file with the time at which it closes it.
        ends = not half.strip() and (b"$version sunstar" not in header or lines.rpartition(b"\n")[2].startswith(b"#"))
        if limit := re.search(rb"\$comment (The wave file .+?)\.? \$end", tail):
            self.incomplete = limit[1].decode(errors="replace")
        elif not ends:
            self.incomplete = f"It is cut off after {time_in_words(self._end_ps)}"

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (KeyboardInterrupt, SystemExit, FileError, Interrupted):
            raise
        except BaseException as error:  # the library raises what Rust says, and its panics are no Exception
            raise FileError(f"cannot read {self.path} as waveforms: {' '.join(str(error).split())}") from error

    def __contains__(self, signal: str) -> bool:
        return signal in self._variables

    def wave(self, name: str) -> Wave:
        variable = self._variables.get(name)
        if variable is None:
            raise FileError(f"{self.path} has no signal {name}; it may be of another machine or scope")
        with self._told():
            signal: Any = variable.signal
            changes = [signal[i] for i in range(len(signal))]
            named = variable.enum_type
            words = {int(bits, 2): word for bits, word in named[1]} if named else {}
            values = [int(value) for _, value in changes]
        signed = [value - (1 << 32) if value >= 1 << 31 else value for value in values]  # they have 32 bits
        return Wave(name, [int(time) for time, _ in changes], signed, words)

    @cached_property
    def end(self) -> int:
        """The time of its end, in picoseconds; of an FST file, of its last change, since the library gives no more."""
        if self._end_ps is not None:
            return self._end_ps
        with self._told():
            filled = (signal for each in self._variables.values() if len(signal := each.signal))
            return max((int(signal[len(signal) - 1][0]) for signal in filled), default=0)

    @cached_property
    def comment(self) -> list[str]:
        """The comment of a VCD file on its run; FST files do not keep it."""
        if self._form == "fst":
            return []
        with self._whole.open(errors="replace") as text:
            lines = text if next(text, "").strip() == "$comment" else ()
            return [line.rstrip("\n") for line in takewhile(lambda line: line.strip() != "$end", lines)]


def form_of(path: Path) -> Form | None:
    """The form of a file, plain or packed by gzip, under any name; None if it is no wave file or cannot be read."""
    try:
        with open_unpacked(path) as file:
            head = file.read(64)
    except (OSError, EOFError, zlib.error):
        return None
    return "fst" if head.startswith(FST_HEADER) else "vcd" if head.lstrip().startswith(b"$") else None


def time_in_words(time_ps: float) -> str:
    units = ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"))
    scale, unit = next((each for each in units if time_ps >= each[0]), (1, "ps"))
    return f"{time_ps / scale:.6g} {unit}"


def is_whole_fst(path: Path) -> bool:
    """Whether the file ends where its last block does. Each begins with its type, a byte, and the rest's length."""
    size, at = path.stat().st_size, 0
    with path.open("rb") as file:
        while at < size:
            file.seek(at + 1)
            length = int.from_bytes(file.read(8), "big")
            if length < 8:
                return False
            at += 1 + length
    return at == size
