# SPDX-License-Identifier: MIT
"""A wave file made ready for its reader: unpacked, and without the half line at which it was cut off."""

import gzip
import os
import re
import shutil
import zlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from sunstar.errors import FileError
from sunstar.files import GZIP

Form = Literal["vcd", "fst"]
FST_HEADER = b"\x00" + (329).to_bytes(8, "big")
"""The type and the length of the first block of an FST file."""
TAIL = 1 << 16
"""So many bytes at the end of a VCD file say how it ends."""


@dataclass(frozen=True)
class Opened:
    form: Form
    path: Path
    """What to read: the file itself, or a copy."""
    copy: TemporaryDirectory[str] | None
    """The place of the copy; it is removed with this object."""
    end_ps: int | None = None
    """The last time that a VCD file names."""
    incomplete: str = ""
    """Why the file does not hold all that it was to hold, in a sentence; empty if nothing says that."""


def form_of(path: Path) -> Form | None:
    """What a file is, plain or packed by gzip, whatever its name is; None if it is no wave file or cannot be read."""
    try:
        with gzip.open(path) if is_packed(path) else path.open("rb") as file:
            head = file.read(64)
    except (OSError, EOFError, zlib.error):
        return None
    return "fst" if head.startswith(FST_HEADER) else "vcd" if head.lstrip().startswith(b"$") else None


def opened(path: Path) -> Opened:
    """A FileError if the file is no wave file, or has lost so much that it cannot be drawn."""
    if not path.is_file():
        raise FileError(f"{path} is a folder" if path.is_dir() else f"there is no file {path}")
    try:
        whole, copy = unpacked(path) if is_packed(path) else (path, None)
        form = form_of(whole)
        if form is None:
            raise FileError(f"{path} is no wave file; it must be a VCD or FST file, as --vcd writes it")
        if form == "vcd":
            return of_vcd(path, whole, copy)
        if not is_whole_fst(whole):
            raise FileError(f"{path} is cut off; an FST file can only be read whole")
        return Opened(form, whole, copy)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


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
    if half.strip():  # its reader would take half a number for the number
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
