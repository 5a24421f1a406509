# SPDX-License-Identifier: MIT
"""A wave file, read back: plain or packed by gzip, whole or cut off."""

import gzip
import os
import re
import shutil
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from sunstar.errors import FileError
from sunstar.files import GZIP, reading
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
    words: dict[int, str]  # What its values stand for, if they stand for words

    def at(self, time: int) -> int:
        """The value at a time; before the first one, the first."""
        return self.values[max(bisect_right(self.times, time) - 1, 0)]

    def word(self, value: int) -> str:
        return self.words.get(value, str(value))

    def rests(self, value: int) -> bool:
        """Whether the part does nothing at this value. A number begins with the value, -1 or 0, that means nothing."""
        return self.word(value) in RESTING if self.words else value <= min(0, *self.values[:1])

    @property
    def spelt(self) -> list[tuple[int, str]]:
        return [(time, self.word(value)) for time, value in zip(self.times, self.values, strict=True)]


class WaveFile:
    """A VCD or FST file, plain or packed by gzip."""

    def __init__(self, path: Path) -> None:
        from pywellen import Waveform  # here, so that other commands start without it

        self.path = path
        self._opened = opened(path)
        with self._told():
            self._file = Waveform(str(self._opened.path))
            self._variables: dict[str, Any] = {each.full_name: each for each in self._file.all_vars()}

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (KeyboardInterrupt, SystemExit, FileError, Interrupted):
            raise
        except BaseException as error:  # the library raises what Rust says, and its panics are no Exception
            raise FileError(f"cannot read {self.path} as waveforms: {' '.join(str(error).split())}") from error

    @property
    def incomplete(self) -> str:
        """Why the file is incomplete, in a sentence; empty if nothing says so."""
        return self._opened.incomplete

    @property
    def signals(self) -> list[str]:
        return list(self._variables)

    def __contains__(self, signal: str) -> bool:
        return signal in self._variables

    def wave(self, name: str) -> Wave:
        variable = self._variables.get(name)
        if variable is None:
            raise FileError(f"{self.path} has no signal {name}; it may be of another machine or scope")
        with self._told():
            signal: Any = variable.signal
            each_change = (signal[i] for i in range(len(signal)))
            changes = [(int(time), signed(int(value))) for time, value in each_change]
            named = variable.enum_type
            words = {int(bits, 2): word for bits, word in named[1]} if named else {}
        return Wave(name, [time for time, _ in changes], [value for _, value in changes], words)

    @cached_property
    def end(self) -> int:
        """The time of its end, in picoseconds; of an FST file, of its last change, since the library tells no more."""
        if self._opened.end_ps is not None:
            return self._opened.end_ps
        with self._told():
            filled = (signal for each in self._variables.values() if len(signal := each.signal))
            return max((int(signal[len(signal) - 1][0]) for signal in filled), default=0)

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


def signed(value: int) -> int:
    """Values have 32 bits."""
    return value - (1 << 32) if value >= 1 << 31 else value


@dataclass(frozen=True)
class Opened:
    form: Form
    path: Path  # What to read: the file itself, or a copy
    copy: TemporaryDirectory[str] | None  # The place of the copy; it is removed with this object
    end_ps: int | None = None  # The last time that a VCD file names
    incomplete: str = ""  # Why the file is incomplete, in a sentence; empty if nothing says so


def form_of(path: Path) -> Form | None:
    """The form of a file, plain or packed by gzip, whatever its name; None if it is no wave file or cannot be read."""
    try:
        with gzip.open(path) if is_packed(path) else path.open("rb") as file:
            head = file.read(64)
    except (OSError, EOFError, zlib.error):
        return None
    return "fst" if head.startswith(FST_HEADER) else "vcd" if head.lstrip().startswith(b"$") else None


def opened(path: Path) -> Opened:
    """A FileError if it is no wave file, or is too damaged to be drawn."""
    if not path.is_file():
        raise FileError(f"{path} is a folder" if path.is_dir() else f"there is no file {path}")
    with reading(path):
        whole, copy = unpacked(path) if is_packed(path) else (path, None)
        form = form_of(whole)
        if form is None:
            raise FileError(f"{path} is no wave file; it must be a VCD or FST file, as --vcd writes it")
        if form == "vcd":
            return of_vcd(path, whole, copy)
        if not is_whole_fst(whole):
            raise FileError(f"{path} is cut off; an FST file can only be read whole")
        return Opened(form, whole, copy)


def is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP


def unpacked(path: Path) -> tuple[Path, TemporaryDirectory[str]]:
    copy = TemporaryDirectory()
    whole = Path(copy.name) / "waves"
    with gzip.open(path) as source, whole.open("wb") as target:
        shutil.copyfileobj(source, target)
    return whole, copy


def of_vcd(path: Path, whole: Path, copy: TemporaryDirectory[str] | None) -> Opened:
    header = header_of(whole)
    if b"$enddefinitions" not in header:
        raise FileError(f"{path} is cut off within its header, which must end with $enddefinitions")
    with whole.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(len(header), size - TAIL))
        tail = file.read()
    lines, newline, half = tail.rpartition(b"\n")
    if half.strip():  # its reader would take half a number for a whole one
        if copy is None:
            copy = TemporaryDirectory()
            whole = Path(shutil.copy(path, copy.name))
        os.truncate(whole, size - len(half))
    times = re.findall(rb"^#(\d+)\s*$", lines + newline, re.MULTILINE)
    if not times:
        raise FileError(f"{path} has no values: it was cut off, or its window was after the end of the run")
    end_ps = int(times[-1])
    limit = re.search(rb"\$comment (The wave file .+?)\.? \$end", tail)
    # Sunstar ends a file with the time at which it closes it.
    ends = not half.strip() and (b"$version sunstar" not in header or lines.rpartition(b"\n")[2].startswith(b"#"))
    why = limit[1].decode(errors="replace") if limit else "" if ends else f"It is cut off after {time_in_words(end_ps)}"
    return Opened("vcd", whole, copy, end_ps, why)


def header_of(path: Path) -> bytes:
    """All before the first value."""
    found = []
    with path.open("rb") as file:
        for line in file:
            found.append(line)
            if b"$enddefinitions" in line:
                break
    return b"".join(found)


def time_in_words(time_ps: float) -> str:
    scale, unit = next(
        ((s, u) for s, u in ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns")) if time_ps >= s), (1, "ps")
    )
    return f"{time_ps / scale:.6g} {unit}"


def is_whole_fst(path: Path) -> bool:
    """Whether the file ends where its last block does. Each begins with a byte for its type, and the length of the
    rest."""
    size, at = path.stat().st_size, 0
    with path.open("rb") as file:
        while at < size:
            file.seek(at + 1)
            length = int.from_bytes(file.read(8), "big")
            if length < 8:
                return False
            at += 1 + length
    return at == size
