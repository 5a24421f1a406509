# SPDX-License-Identifier: MIT
"""Block traces: requests to drives, read from files of any of the formats into one table. A format is a pattern of its
lines, whose named groups carry their units, as --pattern takes them; a file has the format that most of its first lines
match."""

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from sunstar.errors import FileError, UsageError, check_choice, in_words
from sunstar.files import open_unpacked, read_parquet, reading
from sunstar.quantities import quantity
from sunstar.traces.trace import Dropped

TIMES = {"s": 1e3, "ms": 1.0, "us": 1e-3, "ns": 1e-6, "filetime": 1e-4, "clock": 1e-6}
"""Milliseconds of each unit; times by the clock are nanoseconds once they have been read."""
FIELDS = ("time", "device", "op", "offset", "length", "response", "think")
UNITS = rf"(?:time|response|think)_(?:{'|'.join(TIMES)})|(?:offset|length)_(?:bytes|sectors|[1-9][0-9]{{0,8}})"
OWN = "t_ms=time_ms device=device op=op lbn=offset_sectors sectors=length_sectors response_ms=response_ms"
OWN += " think_ms=think_ms"
"""The columns of Sunstar's own block table, and the groups that they are."""
SHOWN = "time=0:us,device=1,op=3,offset=4:bytes,length=5:sectors"
OTHER = r"^\s*(?:#|//|%|fio version [0-9]+ iolog|$)"
COMMA = "[,;\\t]"
TEXTS = {"#": "[0-9]+", "-#": "-?[0-9]+", "#.#": r"[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?", "word": "[A-Za-z]+"}
TEXTS["text"] = r'[^,;\t"]*?'
BLKPARSE = (
    r"^\s*(?P<device>[0-9]+,[0-9]+)\s+[0-9]+\s+[0-9]+\s+(?P<time_s>[0-9]+\.[0-9]+)\s+[0-9]+\s+(?P<event>[A-Za-z]{1,2})"
    r"\s+(?P<op>[A-Z]+)(?:\s+(?P<offset_sectors>[0-9]+)(?:\s+\+\s+(?P<length_sectors>[0-9]+))?)?(?:\s.*)?$"
)
IOLOG = (
    r"(?P<device>\S.*?)\s+(?P<op>(?i:read|write|trim|sync|datasync|sync_file_range|syncfs|wait|add|open|close|unlink))"
    r"(?:\s+(?P<offset_bytes>[0-9]+)\s+(?P<length_bytes>[0-9]+))?\s*$"
)
BYTES, SECTORS = "offset_bytes=-# length_bytes=-#", "offset_sectors=-# length_sectors=-#"
LAT, NO_OFFSET = "time_ms=# response_ns=# op=[012] length_bytes=-#", "fio-lat-without-offset"
PIECE = 1 << 25  # Bytes of a text that are taken apart at a time
SAMPLE = 1 << 16  # Bytes of a text by which its format is recognised
FARTHEST = {"offset": 1 << 62, "length": 1 << 40}  # Bytes
LATEST_S = 9_000_000  # The simulators count no longer time
EVENTS = {"queue": "Q", "issue": "D", "complete": "C"}
PARTNERS = {"Q": "C", "D": "C", "C": "D"}  # The event that tells a request's response time
MARK = b"\xef\xbb\xbf"  # The byte order mark of UTF-8
EXACT, CATEGORY, OPS = pl.Decimal(38, 9), pl.Categorical, pl.Enum(["R", "W"])
WAIT = "it is a wait"
KINDS = {
    r"f?r[abfms]*|read.*|0": "R",
    r"f?w[abfms]*|write[^z]*|1": "W",
    r"add|open|close|unlink": "it is a file action",
    r"wait": WAIT,
    r"fn?[afms]*|.*flush.*|.*sync.*": "it is a flush",
    r"n[afms]*|none": "it moves no data",
    r"d[a-z]{0,3}|wz.*|zr.*|.*(?:trim|discard|unmap|erase|zero).*|2": "it is a discard",
}
"""What an operation is, in small letters: a read, a write, or why it is no request."""


@dataclass(frozen=True)
class Format:
    name: str
    form: str  # A line, for people
    pattern: str  # Its groups are FIELDS and, after a _, their units; also `host`, part of a device's name, and `event`
    other: str = OTHER  # Lines that are neither requests nor faults
    quoted: bool = False  # Fields may be in quotes, and the first line may name columns
    comma: bool = False  # Numbers may have decimal commas
    columns: Mapping[int, str] = field(default_factory=dict)  # The groups by the number of their columns in a table

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of each field of a line."""
        groups = pl.Series([""]).str.extract_groups(self.pattern).struct.fields
        return {name: unit for name, _, unit in (group.partition("_") for group in groups)}

    def factor(self, name: str) -> float:
        """The size of a field's unit in milliseconds or bytes."""
        unit = self.units[name]
        return TIMES.get(unit) or {"bytes": 1, "sectors": 512}.get(unit) or int(unit)


def line(separator: str, columns: str, quote: str = '"?') -> str:
    """The pattern of a line with columns GROUP=TEXT, which may be in quotes; others may follow. One with ? may miss."""
    between = r"\s+" if separator == r"\s" else rf"\s*{separator}\s*"
    pattern = r"^\s*"
    for number, (group, text) in enumerate(column.split("=", 1) for column in columns.split()):
        part = f"{quote}(?P<{group}>{TEXTS.get(text.rstrip('?'), text)}){quote}"
        part = between + part if number else part
        pattern += f"(?:{part})?" if text.endswith("#?") else part
    return rf"{pattern}\s*(?:{separator}.*)?$"


FORMATS = {  # Where formats match equally many lines, the first is taken
    name: Format(name, form, pattern, OTHER + (r"|^\s*[^\s0-9]" if name == "blkparse" else ""))  # its summary
    for name, form, pattern in (
        ("msr", "TIME,HOST,DISK,Read|Write,OFFSET,SIZE,RESPONSE of MSR Cambridge",
         line(COMMA, f"time_filetime=# host=text device=# op=word {BYTES} response_filetime=#?")),
        ("blkparse", "MAJOR,MINOR CPU NUMBER TIME PID ACTION RWBS LBN + SECTORS of blkparse", BLKPARSE),
        ("fio-iolog-3", "TIME FILE ACTION OFFSET LENGTH of fio's iolog 3", rf"^\s*(?P<time_us>[0-9]+)\s+{IOLOG}"),
        ("fio-iolog-2", "FILE ACTION OFFSET LENGTH of fio's iolog 2", rf"^\s*{IOLOG}"),
        ("hp", "R|W WORD LBN SECTORS RESPONSE THINK, six words, us",
         line(r"\s", rf"op=[RWrw] _=\S+ {SECTORS} response_us=#.# think_us=#.#")),
        ("alibaba", "DEVICE,R|W,OFFSET,LENGTH,TIME of Alibaba", line(COMMA, f"device=text op=word {BYTES} time_us=#")),
        ("spc", "ASU,LBN,BYTES,R|W,TIME of SPC and UMass",
         line(COMMA, "device=# offset_sectors=-# length_bytes=-# op=word time_s=#.#")),
        ("tencent", "TIME,LBN,SECTORS,0|1,VOLUME of Tencent",
         line("[,;]", f"time_s=#.# {SECTORS} op=[01] device=text")),
        (NO_OFFSET, "MSEC, NSEC, 0|1|2, BYTES of fio",
         line(COMMA, LAT).removesuffix(f"(?:{COMMA}.*)?$") + r"(?:[,;\t]\s*(?:[01]|0x[0-9a-f]+)\s*)?$"),
        ("fio-lat", "MSEC, NSEC, 0|1|2, BYTES, OFFSET of fio's latencies (times of ends)",
         line(COMMA, f"{LAT} offset_bytes=-#")),
        ("mqsim", "TIME DEVICE LBN SECTORS 0|1 of MQSim (whole times: ns)",
         line(r"\s", f"time_ns=# device=[0-9]{{1,4}} {SECTORS} op_wr=[01]")),
        ("disksim", "TIME DEVICE LBN SECTORS FLAGS of DiskSim (times with fractions: ms)",
         line(r"\s", f"time_ms=#.# device=[0-9]{{1,4}} {SECTORS} op_flags=[0-9A-Fa-f]+")),
    )
}  # fmt: skip
NAMES = [name for name in FORMATS if name != NO_OFFSET]


def recognised(rows: pl.Series) -> tuple[Format, str] | None:
    """The format of the first lines, comments and the like left out, and why it is taken."""
    separator, names = split(rows[0])
    groups, why = own(names), f"its columns are {', '.join(names)}"
    if groups or {"rank", "op", "file"} <= set(names):  # the latter is an application's
        return (by_columns("block-table", groups, separator, names), why) if groups else None
    counts = {name: int(rows.str.contains(form.pattern).sum()) for name, form in FORMATS.items()}
    best = FORMATS[max(counts, key=lambda name: counts[name])]
    lines = len(rows.filter(~rows.str.contains(best.other)))
    if not counts[best.name] or counts[best.name] * 2 <= lines - 1:
        return None
    return best, f"{counts[best.name]} of its first {lines} lines are {best.form}"


def split(text: str) -> tuple[str, list[str]]:
    """What divides the fields of a line, as a pattern, and the fields."""
    separator = max(",;\t|", key=text.count)
    if separator not in text:
        return r"\s", text.split()
    return re.escape(separator), [each.strip(' "\t\r') for each in text.split(separator)]


def own(names: Sequence[str]) -> dict[str, str] | None:
    """The groups of the columns of Sunstar's own block table, if it has these columns."""
    known = dict(each.split("=") for each in OWN.split())
    there = {name: group for name, group in known.items() if name in map(str.lower, names)}
    return there if {"t_ms", "op", "lbn", "sectors"} <= there.keys() else None


def specified(text: str) -> dict[str, str]:
    """The groups by the columns that --columns gives."""
    found = {}
    for part in text.split(","):
        name, _, place = part.partition("=")
        column, unit = place.rsplit(":", 1) if ":" in place else (place, "")
        found[column.strip()] = "_".join(filter(None, (name.strip(), unit.strip())))
    if len(found) <= text.count(","):
        raise UsageError(f"--columns {text}: each field must have a column of its own, such as {SHOWN}")
    check_groups(f"--columns {text}", found.values())
    return found


def by_columns(name: str, groups: Mapping[str, str], separator: str, names: Sequence[str]) -> Format:
    """The format of a table with these groups by column; its first line, or its schema, has these fields."""
    lower = [name.lower() for name in names]
    columns = {}
    for column, group in groups.items():
        number = int(column) if column.isdecimal() else lower.index(column.lower()) if column.lower() in lower else -1
        if not 0 <= number < len(names) or number in columns:
            raise UsageError(
                f"--columns: {column} is no column, or given twice; they are 0 to {len(names) - 1}: {names}"
            )
        columns[number] = group
    text = r'"[^"]*"|\S+' if separator == r"\s" else rf'"[^"]*"|[^{separator}]*?'
    pattern = line(separator, " ".join(f"{columns.get(n, f'_{n}')}={text}" for n in range(max(columns) + 1)), "")
    return Format(name, "a line of these columns", pattern, quoted=True, comma=separator != ",", columns=columns)


def by_pattern(pattern: str) -> Format:
    try:
        groups = pl.Series([""]).str.extract_groups(pattern).struct.fields
    except pl.exceptions.PolarsError as error:
        raise UsageError(f"--pattern {pattern} is no regular expression: {' '.join(str(error).split())}") from error
    check_groups(f"--pattern {pattern}", [group for group in groups if not group.isdigit()])
    return Format("pattern", "a line of --pattern", pattern)


def check_groups(option: str, groups: Collection[str]) -> None:
    """A UsageError unless these are fields with their units, and no needed field is missing."""
    unknown = [group.replace("_", ":") for group in groups if not re.fullmatch(f"device|op|op_wr|{UNITS}", group)]
    missing = {"time", "op", "offset", "length"} - {group.partition("_")[0] for group in groups}
    if unknown or missing:
        wrong = f"{unknown[0]} is no field and unit" if unknown else f"it gives no {in_words(sorted(missing))}"
        units = f"with {in_words(TIMES)} for times, bytes, sectors or a number of bytes for offset and length"
        raise UsageError(f"{option}: {wrong}; fields are {in_words(FIELDS)}, {units}, such as {SHOWN}")


@dataclass(frozen=True)
class Asked:
    """What the user says about the files, and wants of them."""

    format: str | None = None
    columns: str | None = None
    pattern: str | None = None
    events: str | None = None
    volume: str | None = None
    device: str | None = None


@dataclass(frozen=True)
class Blocks:
    table: pl.DataFrame  # In order of time: t_ms, device, op, lbn, sectors and, if known, response_ms and think_ms
    said: dict[str, Any]  # How the files were read, what was dropped, what the requests are


def read_blocks(paths: Sequence[Path], asked: Asked) -> Blocks | None:
    """The requests of the files; None if they hold no block trace."""
    check_choice("--format", asked.format, NAMES)
    check_choice("--events", asked.events, EVENTS)
    if sum(map(bool, (asked.format, asked.columns, asked.pattern))) > 1:
        raise UsageError("--format, --columns and --pattern exclude one another")
    found = [(path, *format_of(path, asked)) for path in paths]
    (path, form, why), *others = found
    if strange := next((each for each, other, _ in others if (other and other.name) != (form and form.name)), None):
        raise UsageError(f"{strange} has another format than {path}; import them one by one")
    if form is None and any(asdict(asked).values()):
        raise FileError(f"{path} is no block trace of a known format; describe it by --columns or --pattern")
    if form is None:
        return None
    if form.name == NO_OFFSET:
        raise FileError(f"{path} is a log of fio without offsets; write it with log_offset=1")
    size = quantity(f"{asked.volume}B" if (asked.volume or "").isdecimal() else asked.volume)
    if asked.volume and (size is None or size.base != "B" or size.value < 512):
        raise UsageError(f"--volume {asked.volume}: it must be a size of at least 512B, such as 100GB")
    reader = Reader(asked.events or "issue", int(size.value) // 512 if size else None)
    tables = [reader.file(path, form) for path, form, _ in found if form]
    return finished(reader, apart(paths, tables), asked.device, {"format": form.name, "because": why})


def format_of(path: Path, asked: Asked) -> tuple[Format | None, str]:
    """The format of a file, and why it is taken; none if it is nothing that can be taken apart."""
    if not path.is_dir():
        with reading(path):
            path.open("rb").close()
    groups = specified(asked.columns) if asked.columns else None
    try:
        with open_unpacked(path) as file:
            head = file.read(SAMPLE)
        names = list(pl.read_parquet_schema(path)) if head.startswith(b"PAR1") else []
    except (OSError, EOFError, zlib.error, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None, ""
    if names:
        groups = groups or own(names)
        form = by_columns("block-table", groups, ",", names) if groups else None
        return form, f"its columns are {', '.join(names)}"
    text = head.removeprefix(MARK).decode(errors="replace")
    lines = pl.Series(text.split("\n")[: -1 if len(head) == SAMPLE and "\n" in text else None])
    rows = lines.filter(~lines.str.contains(OTHER))
    if not len(rows):
        return None, ""
    if asked.format:
        return FORMATS[asked.format], f"--format {asked.format}"
    if asked.pattern:
        return by_pattern(asked.pattern), "--pattern"
    if groups:
        return by_columns("columns", groups, *split(rows[0])), "--columns"
    return (None if b"\0" in head else recognised(rows)) or (None, "")


def pieces(path: Path, form: Format) -> Iterator[pl.DataFrame]:
    """The fields of the lines, as text, with the lines' numbers."""
    number = 1
    with reading(path), open_unpacked(path) as file:
        rest = b""
        while block := file.read(PIECE) or (rest and b"\n"):
            if number == 1 and block.startswith(b"PAR1"):
                table = read_parquet(path)
                there = {group.partition("_")[0]: pl.col(table.columns[n]) for n, group in form.columns.items()}
                try:
                    table = table.select(column.cast(pl.String).alias(name) for name, column in there.items())
                except pl.exceptions.PolarsError as error:
                    raise FileError(f"{path}: {error}; a column must hold numbers or text") from error
                yield table.with_row_index("row", 1)
                return
            block, end, rest = (rest + block).rpartition(b"\n")
            if end:
                text = block.removeprefix(MARK).decode(errors="replace")
                lines = pl.Series("line", [text]).str.split("\n").explode()
                yield fields(lines.to_frame().with_row_index("row", number), form, number == 1)
                number += len(lines)


def fields(lines: pl.DataFrame, form: Format, first: bool) -> pl.DataFrame:
    lines = lines.filter(~pl.col("line").str.contains(form.other))
    words = split(lines["line"][0])[1] if first and len(lines) else ["0"]
    if not any(re.fullmatch(r"-?[0-9.]+", word) for word in words):
        lines = lines.slice(int(form.quoted or not lines["line"].str.contains(form.pattern)[0]))
    groups = lines.select("row", pl.col("line").str.extract_groups(form.pattern).struct.unnest())
    groups = groups.rename(lambda group: group.partition("_")[0] or group)
    if form.quoted:
        groups = groups.with_columns(pl.exclude("row").str.strip_chars(' "\t\r'))
    if form.comma:
        groups = groups.with_columns(pl.exclude("row", "device", "op").str.replace(",", ".", literal=True))
    return groups


def kind_of(op: str, unit: str) -> str:
    """R, W, or why the operation is no request."""
    text = op.strip().lower()
    if unit == "flags":
        return "R" if text[-1:] in "13579bdf" else "W"
    if unit == "wr" and text in ("0", "1"):
        return "WR"[int(text)]
    known = (kind for pattern, kind in KINDS.items() if re.fullmatch(pattern, text))
    return next(known, "op is neither a read nor a write")


def whole(field: str) -> pl.Expr:
    """A whole number, also one with a point and zeros."""
    number = pl.col(field).cast(pl.Float64, strict=False)
    rounded = pl.when(number.floor() == number).then(number).cast(pl.Int64, strict=False)
    return pl.coalesce(pl.col(field).cast(pl.Int64, strict=False), rounded)


def instant(unit: str) -> pl.Expr:
    """The time in its unit, exactly; one by the clock in nanoseconds."""
    text = pl.col("time")
    if unit == "clock":
        for pattern, plain in ((r"\s*(?:Z|UTC|[-+]\d\d:?\d\d)$", ""), ("[Tt]", " "), ("/", "-"), (",", ".")):
            text = text.str.replace_all(pattern, plain)
        dated = pl.when(text.str.contains(r"^\d+:")).then("1970-01-01 " + text).otherwise(text)
        text = dated.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="ns", strict=False).cast(pl.Int64)
    number = text.cast(pl.Float64, strict=False)
    small = pl.when(number.abs() < 1e26).then(number)  # so that differences have at most 38 digits
    exact = pl.coalesce(text.cast(EXACT, strict=False), small.cast(EXACT, strict=False))  # the second one of 1e3
    return pl.when(small.is_not_null()).then(exact)


class Reader:
    """Reads files, piece by piece, into requests; counts what is none."""

    def __init__(self, events: str, volume: int | None) -> None:
        self.events, self.event, self.volume = events, EVENTS[events], volume
        self.dropped: dict[str, tuple[int, int]] = {}
        self.rounded = self.out_of_order = 0
        self._origin: Any = None  # The first time, a Decimal
        self._passed = 0.0  # Milliseconds before this piece, in a format with distances of time

    def file(self, path: Path, form: Format) -> pl.DataFrame:
        self._passed = 0.0
        table = pl.concat([self._requests(path, lines, form) for lines in pieces(path, form)])
        asked = table.filter(pl.col("event") == self.event) if "event" in table.columns else table
        self.out_of_order += int((asked["t_ms"].diff() < 0).sum())
        return paired(table, self.event) if "event" in table.columns else table

    def _requests(self, path: Path, lines: pl.DataFrame, form: Format) -> pl.DataFrame:
        kinds = {each: kind_of(each, form.units["op"]) for each in lines["op"].unique().drop_nulls()}
        device = pl.col("device") if "device" in lines.columns else pl.lit("")
        device = pl.concat_str("host", device, separator="_") if "host" in lines.columns else device
        taken = {f"{of}_ms": of for of in ("response", "think") if of in lines.columns}
        rows = lines.with_columns(
            kind=pl.col("op").replace_strict({"": "", **kinds}, default=None, return_dtype=pl.String),
            device=pl.when(device != "").then(device).otherwise(pl.lit("0")).cast(CATEGORY),
            offset=whole("offset"),
            length=whole("length"),
            **{name: pl.col(of).cast(pl.Float64, strict=False) * form.factor(of) for name, of in taken.items()},
        )
        rows = rows.with_columns(t_ms=self._time(rows, form))
        start, length = (pl.col(of) * int(form.factor(of)) for of in ("offset", "length"))
        rows = rows.with_columns(lbn=start // 512, sectors=(start + length + 511) // 512 - start // 512)
        rows = rows.with_columns(self._reason(rows, form).alias("reason"))
        for reason, count, first in rows.drop_nulls("reason").group_by("reason").agg(pl.len(), pl.min("row")).rows():
            earlier = self.dropped.get(reason, (0, first))
            self.dropped[reason] = (earlier[0] + count, min(earlier[1], first))
        rows = rows.filter(pl.col("reason").is_null())
        for row, t_ms in rows.filter(pl.col("t_ms").abs() > LATEST_S * 1e3).select("row", "t_ms").head(1).rows():
            apart = f"{t_ms / 1e3:g} s from the first one's; at most {LATEST_S} s may lie between them"
            raise FileError(f"{path}, row {row}: its time is {apart}")
        self.rounded += rows.filter((start % 512 != 0) | ((start + length) % 512 != 0)).height
        more = [*(["event"] if "event" in rows.columns else []), *taken]
        return rows.select("t_ms", "device", pl.col("kind").cast(OPS).alias("op"), "lbn", "sectors", *more)

    def _time(self, rows: pl.DataFrame, form: Format) -> pl.Expr | pl.Series:
        if "time" in rows.columns:
            at = rows.select(instant(form.units["time"])).to_series()
            self._origin = at.drop_nulls().first() if self._origin is None else self._origin
            t = (at - pl.Series([self._origin], dtype=EXACT)).cast(pl.Float64) * form.factor("time")
            return t - rows["response_ms"] if form.name == "fio-lat" else t  # it has the ends of requests
        wait = pl.when(pl.col("kind") == WAIT).then(pl.col("offset") * 1e-3).otherwise(0.0)
        step = pl.col("response_ms") + pl.col("think_ms") if "think_ms" in rows.columns else wait
        steps = rows.select(step.fill_null(0.0)).to_series()
        before, self._passed = self._passed, self._passed + float(steps.sum())
        return before + steps.cum_sum() - steps

    def _reason(self, rows: pl.DataFrame, form: Format) -> pl.Expr:
        """Why a row is no request; null if it is one, or the other event of one."""
        kind, lit = pl.col("kind"), pl.lit
        reasons = [(kind.is_null(), lit(f"it is not {form.form}"))]
        if "event" in rows.columns:
            event, other = pl.col("event"), lit(f"it is no event {self.event} ({self.events})")
            reasons += [(~event.is_in([self.event, PARTNERS[self.event]]), other)]
            of_request = kind.is_in(["R", "W"]) & (pl.col("length") > 0).fill_null(False)
            reasons += [((event != self.event) & ~of_request, lit(""))]
        reasons += [(~kind.is_in(["R", "W"]), kind)]
        for of, limit in FARTHEST.items():
            inside = pl.col(of).is_between(0, limit // int(form.factor(of)))
            reasons += [(pl.col(of).is_null(), lit(f"its {of} is no whole number"))]
            reasons += [(~inside, lit(f"its {of} is below 0 or too large"))]
        reasons += [(pl.col("length") == 0, lit("its length is 0"))]
        reasons += [(pl.col("sectors") > (self.volume or FARTHEST["offset"]), lit("it is longer than the volume"))]
        reasons += [(~pl.col("t_ms").is_finite().fill_null(False), lit("its time is no time"))]
        found = lit(None, pl.String)
        for holds, reason in reversed(reasons):
            found = pl.when(holds).then(reason).otherwise(found)
        return found


def paired(table: pl.DataFrame, event: str) -> pl.DataFrame:
    """The events of one kind, with the time from a request's issue (or queueing) to its completion."""
    key = ["device", "lbn", "sectors"]
    table = table.sort("t_ms", maintain_order=True)
    away = 1 if event == "C" else -1
    other = pl.col("event").shift(away).over(key) == PARTNERS[event]
    took = (pl.col("t_ms").shift(away).over(key) - pl.col("t_ms")).abs()
    return table.with_columns(response_ms=pl.when(other).then(took)).filter(pl.col("event") == event).drop("event")


def apart(paths: Sequence[Path], tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """All requests; a device that several files name is called by its file as well."""
    named = Counter(device for table in tables for device in table["device"].unique().cast(pl.String))
    device = pl.col("device").cast(pl.String)
    shared = device.is_in([name for name, files in named.items() if files > 1])
    called = [pl.when(shared).then(pl.lit(f"{path}:") + device).otherwise(device) for path in paths]
    renamed = [table.with_columns(device=name.cast(CATEGORY)) for table, name in zip(tables, called, strict=True)]
    return pl.concat(renamed) if len(tables) > 1 else tables[0]


def finished(reader: Reader, table: pl.DataFrame, device: str | None, said: dict[str, Any]) -> Blocks:
    """The requests in order, from time 0, of the wanted device."""
    if device:
        devices = sorted(table["device"].unique().cast(pl.String))
        if device not in devices:
            raise UsageError(f"--device {device}: it must be {in_words(devices[:20])}")
        table = table.filter(pl.col("device") == device)
    dropped = [Dropped(why, *count) for why, count in sorted(reader.dropped.items()) if why not in ("", WAIT)]
    if not len(table):
        reasons = "; ".join(f"in {drop.rows} rows {drop.reason}" for drop in dropped) or "there is no row"
        raise FileError(f"no request is left ({reasons}); a trace must hold at least one")
    if reader.volume:
        lbn = pl.col("lbn") % reader.volume
        placed = pl.when(lbn + pl.col("sectors") > reader.volume).then(0).otherwise(lbn)
        said["moved"] = table.filter(placed != pl.col("lbn")).height
        table = table.with_columns(lbn=placed)
    if not table["t_ms"].is_sorted():
        table = table.sort("t_ms", maintain_order=True)
    if "response_ms" in table.columns:
        known = pl.col("response_ms").is_finite() & (pl.col("response_ms") > 0)
        table = table.with_columns(response_ms=pl.when(known).then(pl.col("response_ms").round(6)))
        table = table.drop("response_ms") if table["response_ms"].is_null().all() else table
    table = table.with_columns(t_ms=(pl.col("t_ms") - pl.col("t_ms").first()).round(6))
    said |= {"out_of_order": reader.out_of_order, "rounded_to_sectors": reader.rounded, **described(table)}
    return Blocks(table, said | {"dropped": [asdict(drop) for drop in dropped]})


def described(table: pl.DataFrame) -> dict[str, Any]:
    span = float(table["t_ms"][-1]) / 1e3
    sectors = {of: table.filter(pl.col("op") == of[0].upper())["sectors"] for of in ("reads", "writes")}
    found = {
        "requests": len(table),
        **{name: {"requests": len(of), "bytes": int(of.sum()) * 512} for name, of in sectors.items()},
        "devices": dict(table["device"].cast(pl.String).value_counts(sort=True).rows()),
        "span_s": span,
        "requests_per_s": len(table) / span if span else None,
        "largest_lbn": int(table.select((pl.col("lbn") + pl.col("sectors")).max()).item()) - 1,
    }
    if "response_ms" in table.columns:
        took = table["response_ms"]
        found["response"] = {"known": took.count(), "mean_ms": took.mean(), "median_ms": took.median()}
    return found


def as_calls(table: pl.DataFrame) -> pl.DataFrame:
    """The requests as those of an application: a device is a rank, and its file."""
    took = pl.col("response_ms").fill_null(0) if "response_ms" in table.columns else pl.lit(0.0)
    device = pl.col("device").cast(pl.String)
    return table.select(
        rank=device.rank("dense").cast(pl.Int64) - 1,
        op=pl.when(pl.col("op") == "R").then(pl.lit("read")).otherwise(pl.lit("write")),
        file=device,
        offset=pl.col("lbn") * 512,
        length=pl.col("sectors") * 512,
        start_s=pl.col("t_ms") / 1e3,
        end_s=(pl.col("t_ms") + took) / 1e3,
    )
