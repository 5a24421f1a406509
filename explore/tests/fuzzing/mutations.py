# SPDX-License-Identifier: MIT
"""Strategies of Hypothesis that change a sound input a little: its bytes, its JSON, its table."""

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

import polars as pl
from hypothesis import strategies as st

DEEP = 100_000
NUMBERS = (0, 1, -1, 2, 3, 17, 255, 1 << 31, 1 << 53, -(1 << 63), 1 << 64, 10**30, 10**400)
FLOATS = (0.0, -0.5, 0.1, 1.5, 1e-320, 1e300, -1e308, float("nan"), float("inf"), float("-inf"))
WORDS = ("", "-", "0", "1", "8KiB", "-1ns", "99999999TiB", "torus", "..", "/", "\x00", "\ud800", "ß", "NaN", "x" * 300)
TOKENS = (b"", b"-", b"nan", b"1e999", b"\xff", b"\x00", b"\n", b",", b'"', b"{", b"[", b"9" * 30, b"-1", b"0")

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(NUMBERS),
    st.sampled_from(FLOATS),
    st.sampled_from(WORDS),
    st.text(max_size=8),
)
values = st.recursive(
    scalars, lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text(max_size=5), of, max_size=3), max_leaves=5
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401  any JSON
    """The paths of all values."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inside:
        yield from places(each, (*path, name))


def at(value: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401  any JSON
    for name in path:
        value = value[name]
    return value


@st.composite
def changed_json(draw: st.DrawFn, seed: bytes) -> bytes:
    """JSON with one to three values replaced, removed, moved, renamed or wrapped; seldom nested very deeply."""
    document = json.loads(seed)
    for _ in range(draw(st.integers(1, 3))):
        every = list(places(document))
        path = draw(st.sampled_from(every))
        action = draw(st.sampled_from(("replace", "replace", "remove", "copy", "rename", "wrap", "deep")))
        if action == "deep":
            text = json.dumps(document)
            return b"[" * DEEP + text.encode() + b"]" * draw(st.sampled_from((0, DEEP)))
        if not path:
            document = draw(values) if draw(st.booleans()) else [document]
            continue
        *above, name = path
        holder = at(document, tuple(above))
        if action == "remove":
            del holder[name]
        elif action == "rename" and isinstance(holder, dict):
            holder[draw(st.text(max_size=8))] = holder.pop(name)
        elif action == "copy":
            holder[name] = json.loads(json.dumps(at(document, draw(st.sampled_from(every)))))
        elif action == "wrap":
            holder[name] = draw(st.sampled_from(([holder[name]], {"value": holder[name]})))
        else:
            holder[name] = draw(values)
    return json.dumps(document).encode(errors="replace")


@st.composite
def changed_bytes(draw: st.DrawFn, seed: bytes) -> bytes:
    """Bytes that are cut, flipped, doubled or replaced at one to four places; numbers in them that become others."""
    found = bytearray(seed)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(found)))
        end = min(len(found), place + draw(st.integers(1, 40)))
        match draw(st.integers(0, 5)):
            case 0:
                del found[place:]
            case 1:
                del found[place:end]
            case 2:
                found[place:place] = draw(st.sampled_from(TOKENS) | st.binary(max_size=6))
            case 3:
                found[place:place] = found[place:end]
            case 4 if place < len(found):
                found[place] ^= 1 << draw(st.integers(0, 7))
            case _:
                numbers = [match.span() for match in re.finditer(rb"-?\d+(?:\.\d+)?", bytes(found))][:2000]
                if numbers:
                    start, stop = draw(st.sampled_from(numbers))
                    found[start:stop] = str(draw(st.sampled_from(NUMBERS + FLOATS))).encode()
    return bytes(found)


@st.composite
def changed_table(draw: st.DrawFn, seed: bytes) -> bytes:
    """A Parquet table without some of its columns or rows, or with columns of another type, name or content."""
    table = pl.read_parquet(BytesIO(seed))
    for _ in range(draw(st.integers(1, 3))):
        if not table.width:
            break
        name = draw(st.sampled_from(table.columns))
        match draw(st.integers(0, 5)):
            case 0:
                table = table.drop(name)
            case 1:
                table = table.head(draw(st.integers(0, 1)))
            case 2:
                other = draw(st.sampled_from(("x", "", 'a"b', "run.seed", "name")))
                table = table.rename({name: other}) if other not in table.columns else table
            case 3:
                with suppress(pl.exceptions.PolarsError):
                    table = table.with_columns(pl.col(name).cast(pl.String, strict=False))
            case 4:
                with suppress(OverflowError, TypeError, pl.exceptions.PolarsError):  # what no column can hold
                    table = table.with_columns(pl.Series(name, [draw(scalars)] * table.height))
            case _:
                table = table.with_columns(pl.concat_list(name).alias(name))
    written = BytesIO()
    table.write_parquet(written)
    return written.getvalue()


def is_json(seed: bytes) -> bool:
    try:
        json.loads(seed)
    except ValueError:
        return False
    return True


def changed(seed: bytes) -> st.SearchStrategy[bytes]:
    """Changes of any kind that fits the seed; now and then bytes that have nothing to do with it."""
    kinds = [changed_bytes(seed), changed_bytes(seed).map(gzip.compress), st.binary(max_size=64)]
    if is_json(seed):
        kinds += [changed_json(seed)] * 6
    elif seed.startswith(b"PAR1"):
        kinds += [changed_table(seed)] * 4
    else:
        kinds += [changed_bytes(seed)] * 4
    return st.one_of(kinds)
