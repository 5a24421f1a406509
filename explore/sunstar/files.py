# SPDX-License-Identifier: MIT
"""Read tables, with a sentence for each fault in them; write the files of a command, all of them or none."""

import codecs
import csv
import gzip
import json
import os
import re
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self

from sunstar.errors import FileError, UsageError
from sunstar.programs import held

if TYPE_CHECKING:
    import polars as pl

GZIP = b"\x1f\x8b"  # The beginning of a file packed by gzip
Column = Callable[[str], Any]
ANOTHER = "; --results or the environment variable SUNSTAR_RESULTS names another one"


@contextmanager
def reading(path: Path, wanted: str = "") -> Iterator[None]:
    """Names the file being read, and its wanted form, in any error of this block."""
    try:
        yield
    except MemoryError as error:
        raise FileError(f"cannot read {path}: it does not fit into the memory") from error
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise FileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}{wanted}") from error


def read_bytes(path: Path) -> bytes:
    """The contents of a text file, unpacked if gzip has packed it, under any name, without a byte order mark."""
    with reading(path, "; it must be a whole file, plain or packed by gzip"):
        content = path.read_bytes()
        return without_mark(path, gzip.decompress(content) if content.startswith(GZIP) else content)


def without_mark(path: Path, content: bytes) -> bytes:
    """The contents without UTF-8's byte order mark; a FileError for UTF-16, with a mark or without."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or 0 in content[:2]:
        raise FileError(f"{path} is UTF-16; it must be UTF-8")
    return content.removeprefix(codecs.BOM_UTF8)


def read_text(path: Path) -> str:
    """The same as text; a FileError that names the place of the first byte that is no UTF-8."""
    content = read_bytes(path)
    if b"\0" in content[:1024]:
        raise FileError(f"{path} is no text file")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
        raise FileError(
            f"{path}, line {before.count(10) + 1}, column {column}: the byte 0x{content[error.start]:02x} is no UTF-8, "
            "but may be Latin-1; the file must be UTF-8"
        ) from error


def is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP


def open_unpacked(path: Path) -> IO[bytes] | gzip.GzipFile:
    return gzip.open(path) if is_packed(path) else path.open("rb")


# Errors of code that takes a file of an unexpected form apart
OTHER_FORM = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@contextmanager
def taking_apart(fault: str) -> Iterator[None]:
    """For a block that takes apart a file of unchecked form: an error in it becomes a FileError that begins with this
    sentence about the file."""
    try:
        yield
    except OTHER_FORM as error:
        raise FileError(f"{fault}: {error!r}") from error


def read_parquet(path: Path) -> "pl.DataFrame":
    import polars as pl

    try:
        return pl.read_parquet(path, glob=False)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise FileError(f"cannot read {path} as a Parquet table: {error}") from error


class Table(NamedTuple):
    """A table as text: the names of its columns, their separator, and the notes in the comments before them."""

    path: Path
    text: str
    names: list[str]
    separator: str
    notes: dict[str, str]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The fields of each row with the number of its line, without comments and empty lines; a FileError if a row is
        longer or shorter than the line of names."""
        numbered = [(n, line) for n, line in enumerate(self.text.split("\n"), 1) if line.strip() and line[0] != "#"]
        reader = csv.reader((line for _, line in numbered), delimiter=self.separator)
        with reading(self.path):
            for fields in reader:
                number, wide = numbered[reader.line_num - 1][0], len(self.names)
                if len(fields) != wide:
                    found = f"the line has {len(fields)} field{'s' * (len(fields) > 1)}"
                    raise FileError(f"{self.path}, line {number}: {found}; it must have the {wide} of the header")
                if reader.line_num > 1:
                    yield number, fields


def read_table(path: Path) -> Table:
    """A table whose columns are divided by commas or, if there is none in its line of names, by semicolons or tabs.
    Lines that begin with # are comments."""
    text = read_text(path).replace("\r\n", "\n")
    lines = iter(text.split("\n"))
    notes: dict[str, str] = {}
    while (line := next(lines, None)) is not None and (not line.strip() or line[0] == "#"):
        name, _, value = line[1:].partition(":")
        notes[name.strip()] = value.strip()
    separator = next((one for one in ",;\t" if one in (line or "")), ",")
    with reading(path):
        names = [name.strip() for name in next(csv.reader([line or ""], delimiter=separator), [])]
    if again := next((name for i, name in enumerate(names) if name and name in names[:i]), None):
        raise FileError(f"{path}: the columns {again} and {again} mean the same; there must be one of them")
    return Table(path, text, names, separator, notes)


def read_rows(path: Path, columns: Mapping[str, Column]) -> list[dict[str, Any]]:
    """The rows of a table that has at least these columns, each value with its column's type."""
    table = read_table(path)
    if missing := [name for name in columns if name not in table.names]:
        raise FileError(f"{path} has no column {', '.join(missing)}")
    places = {name: table.names.index(name) for name in columns}
    rows = [
        {name: value_of(f"{path}, line {line}", name, fields[places[name]], kind) for name, kind in columns.items()}
        for line, fields in table.rows()
    ]
    if not rows:
        raise FileError(f"{path} has no row below its line of column names")
    return rows


WHOLE = r"^\s*([+-]?\d+)\.0*\s*$"  # A whole number as other programs write it if others of its column have fractions
DECIMAL_COMMA = r"^\s*[+-]?\d*,\d+\s*$"


def value_of(where: str, name: str, text: str, kind: Column) -> Any:  # noqa: ANN401  what the column makes
    try:
        return kind(re.sub(WHOLE, r"\1", text) if kind is int else text)
    except ValueError as error:
        wanted = "a whole number" if kind is int else "a number"
        comma = ", with a decimal point" if re.match(DECIMAL_COMMA, text) else ""
        raise FileError(f"{where}: {name} is {text!r}; it must be {wanted}{comma}") from error


def make_folder(folder: Path, remedy: str = ANOTHER) -> Path:
    """Makes the folder for results; a FileError if it cannot be written to, which ends with a remedy."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise FileError(f"cannot write to the folder {folder}: {error.strerror}{remedy}") from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Names the file being written in any error of this block."""
    try:
        yield
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error


class Outputs:
    """The files that a command writes, each under a temporary name beside its place until the end of the `with` block:
    then all of them appear or, if the block fails, none does."""

    def __init__(self, inputs: Iterable[Path] = ()) -> None:
        self._temporaries: dict[Path, Path] = {}
        self._inputs = [path.resolve() for path in inputs]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with held():
            try:
                for path, temporary in [] if kind else self._temporaries.items():
                    with writing(path):
                        temporary.replace(path.resolve())
            finally:
                for temporary in self._temporaries.values():
                    with suppress(NotADirectoryError):  # its place is in a file, so it was never there
                        temporary.unlink(missing_ok=True)

    def paths(self) -> list[Path]:
        return list(self._temporaries)

    def temporary(self, path: Path) -> Path:
        """The temporary name, with the same suffix, of the future `path`; a FileError if it cannot be written."""
        if path.is_dir():
            raise FileError(f"cannot write {path}: it is a folder")
        with writing(path):
            place = path.resolve()  # a link stays a link
            if place in self._inputs:
                raise FileError(f"cannot write {path}: it is also an input; name another file")
            temporary = place.with_name(f".{place.stem}.{os.getpid()}.partial{place.suffix}")
            self._temporaries[path] = temporary
            temporary.touch()
        return temporary

    @contextmanager
    def file(self, path: Path) -> Iterator[Path]:
        """A temporary name for a file that is written in this block."""
        temporary = self.temporary(path)
        with writing(path):
            yield temporary


def write_text(files: Outputs, path: Path, text: str) -> None:
    with files.file(path) as temporary:
        temporary.write_text(text)


def write_json(files: Outputs, path: Path, value: object) -> None:
    write_text(files, path, as_json(value))


def as_json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def write_table(files: Outputs, path: Path, table: "pl.DataFrame") -> None:
    """Writes a table as CSV, Parquet or JSON, by the suffix of the path."""
    from polars.exceptions import PolarsError

    writers: dict[str, Callable[[Path], object]] = {
        ".csv": table.write_csv,
        ".parquet": table.write_parquet,
        ".json": lambda temporary: temporary.write_text(as_json(table.to_dicts())),
    }
    if path.suffix not in writers:
        raise UsageError(f"{path} must hold a table, so its name must end in {', '.join(writers)}")
    with files.file(path) as temporary:
        try:
            writers[path.suffix](temporary)
        except PolarsError as error:
            raise FileError(f"cannot write {path}: {error}") from error
