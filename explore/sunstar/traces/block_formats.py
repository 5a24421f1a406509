# SPDX-License-Identifier: MIT
"""Formats of block traces. Each is a pattern of its lines, whose named groups carry their units, as --pattern takes
them; a file has the format that most of its first lines match."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from sunstar.errors import UsageError, in_words

TIMES = {"s": 1e3, "ms": 1.0, "us": 1e-3, "ns": 1e-6, "filetime": 1e-4, "clock": 1e-6}
"""Milliseconds of each unit; times by the clock are nanoseconds once they have been read."""
FIELDS = ("time", "device", "op", "offset", "length", "response", "think")
UNITS = rf"(?:time|response|think)_(?:{'|'.join(TIMES)})|(?:offset|length)_(?:bytes|sectors|[1-9][0-9]{{0,8}})"
OWN = "t_ms=time_ms device=device op=op lbn=offset_sectors sectors=length_sectors response_ms=response_ms"
OWN += " think_ms=think_ms"
"""The columns of Sunstar's own block table, and the groups that they are."""
SHOWN = "time=0:us,device=1,op=3,offset=4:bytes,length=5:sectors"
OTHER = r"^\s*(?:#|//|%|fio version [0-9]+ iolog|$)"


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


COMMA = "[,;\\t]"
TEXTS = {"#": "[0-9]+", "#.#": r"[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?", "word": "[A-Za-z]+", "text": r'[^,;\t"]*?'}


def line(separator: str, columns: str, quote: str = '"?') -> str:
    """The pattern of a line with columns GROUP=TEXT, which may be in quotes; others may follow. One with ? may miss."""
    between = r"\s+" if separator == r"\s" else rf"\s*{separator}\s*"
    pattern = r"^\s*"
    for number, (group, text) in enumerate(column.split("=", 1) for column in columns.split()):
        part = f"{quote}(?P<{group}>{TEXTS.get(text.rstrip('?'), text)}){quote}"
        part = between + part if number else part
        pattern += f"(?:{part})?" if text.endswith("#?") else part
    return rf"{pattern}\s*(?:{separator}.*)?$"


BLKPARSE = (
    r"^\s*(?P<device>[0-9]+,[0-9]+)\s+[0-9]+\s+[0-9]+\s+(?P<time_s>[0-9]+\.[0-9]+)\s+[0-9]+\s+(?P<event>[A-Za-z]{1,2})"
    r"\s+(?P<op>[A-Z]+)(?:\s+(?P<offset_sectors>[0-9]+)(?:\s+\+\s+(?P<length_sectors>[0-9]+))?)?(?:\s.*)?$"
)
IOLOG = (
    r"(?P<device>\S.*?)\s+(?P<op>(?i:read|write|trim|sync|datasync|sync_file_range|syncfs|wait|add|open|close|unlink))"
    r"(?:\s+(?P<offset_bytes>[0-9]+)\s+(?P<length_bytes>[0-9]+))?\s*$"
)
BYTES, SECTORS = "offset_bytes=# length_bytes=#", "offset_sectors=# length_sectors=#"
LAT, NO_OFFSET = "time_ms=# response_ns=# op=[012] length_bytes=#", "fio-lat-without-offset"
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
         line(COMMA, "device=# offset_sectors=# length_bytes=# op=word time_s=#.#")),
        ("tencent", "TIME,LBN,SECTORS,0|1,VOLUME of Tencent",
         line("[,;]", f"time_s=#.# {SECTORS} op=[01] device=text")),
        (NO_OFFSET, "MSEC, NSEC, 0|1|2, BYTES of fio",
         line(COMMA, LAT).removesuffix(f"(?:{COMMA}.*)?$") + r"(?:[,;\t]\s*(?:[01]|0x[0-9a-f]+)\s*)?$"),
        ("fio-lat", "MSEC, NSEC, 0|1|2, BYTES, OFFSET of fio's latencies (times of ends)",
         line(COMMA, f"{LAT} offset_bytes=#")),
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
    """A UsageError unless these are fields with their units, and all that are needed."""
    unknown = [group.replace("_", ":") for group in groups if not re.fullmatch(f"device|op|op_wr|{UNITS}", group)]
    missing = {"time", "op", "offset", "length"} - {group.partition("_")[0] for group in groups}
    if unknown or missing:
        wrong = f"{unknown[0]} is no field and unit" if unknown else f"it gives no {in_words(sorted(missing))}"
        units = f"with {in_words(TIMES)} for times, bytes, sectors or a number of bytes for offset and length"
        raise UsageError(f"{option}: {wrong}; fields are {in_words(FIELDS)}, {units}, such as {SHOWN}")
