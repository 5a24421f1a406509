# SPDX-License-Identifier: MIT
"""Transaction recordings of real runs, read with other libraries than wrote them, beside the JSON timelines."""

import json
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import cbor2
import lz4.block
import pytest

from sunstar.places import executable

INFO, DICTIONARY, DIRECTORY, TRANSACTIONS, RELATIONS = 6, 9, 11, 13, 15  # tags of chunks: compressed, but for the first
STREAM, EVENT, ATTRIBUTE, UNSIGNED = 16, 6, 8, 3

Span = tuple[str, str, int, int, dict[str, int]]
"""Stream, name, start, end, attributes."""

Lines = Counter[str]
"""Spans and the arrows between them, with times in nanoseconds."""


def in_lines(spans: Iterable[Span], arrows: Iterable[tuple[int, str, int, str, int]]) -> Lines:
    told = (f"{s} {name} {start}-{end} {sorted(args.items())}" for s, name, start, end, args in spans)
    return Lines(told) + Lines(f"{request}: {a} {at} to {b} {then}" for request, a, at, b, then in arrows)


def transactions(path: Path) -> Lines:
    whole = path.read_bytes()
    assert whole.startswith(b"\xd9\xd9\xf7\x9f")  # CBOR, an array of no stated length
    words: dict[int, str] = {}
    streams: dict[int, str] = {}
    generators: dict[int, tuple[str, int]] = {}
    spans: dict[int, Span] = {}
    arrows: list[Any] = []
    for chunk in cbor2.loads(whole):
        if chunk.tag == INFO:
            scale, _ = cbor2.loads(chunk.value)
            assert scale == -12
            continue
        *parameters, size, packed = chunk.value
        entries: Any = cbor2.loads(lz4.block.decompress(packed, uncompressed_size=size))
        if chunk.tag == DICTIONARY:
            words |= entries
        for entry in entries if chunk.tag == DIRECTORY else []:
            if entry.tag == STREAM:
                streams[entry.value[0]] = words[entry.value[1]]
            else:
                generators[entry.value[0]] = words[entry.value[1]], entry.value[2]
        for event, *attributes in entries if chunk.tag == TRANSACTIONS else []:
            number, by, start, end = event.value
            name, stream = generators[by]
            assert event.tag == EVENT
            assert stream == parameters[0]
            assert parameters[1] <= start <= end <= parameters[2]
            assert all(a.tag == ATTRIBUTE and a.value[1] == UNSIGNED for a in attributes)
            args = {words[a.value[0]]: a.value[2] for a in attributes}
            spans[number] = streams[stream], name, start // 1000, end // 1000, args
        arrows += entries if chunk.tag == RELATIONS else []
    ends = []
    for name, a, b, from_stream, to_stream in arrows:
        one, other = spans[a], spans[b]
        assert words[name] == "request"
        assert (one[0], other[0]) == (streams[from_stream], streams[to_stream])
        assert one[4]["request"] == other[4]["request"]
        ends.append((one[4]["request"], one[0], one[2], other[0], other[2]))
    return in_lines(spans.values(), ends)


def trace_events(path: Path) -> Lines:
    events = json.loads(path.read_text())["traceEvents"]
    names = {(e["name"], e["pid"], e["tid"]): e["args"].get("name") for e in events if e["ph"] == "M"}
    spans = []
    chains = defaultdict(list)
    for e in events:
        if e["ph"] in "Xistf":
            stream = f"{names['process_name', e['pid'], 0]}.{names['thread_name', e['pid'], e['tid']]}"
            start = round(e["ts"] * 1000)
            if e["ph"] in "Xi":
                spans.append((stream, e["name"], start, start + round(e.get("dur", 0) * 1000), e.get("args", {})))
            else:
                chains[e["id"]].append((stream, start))
    arrows = [(r, *a, *b) for r, chain in chains.items() for a, b in pairwise(chain)]
    return in_lines(spans, arrows)


@pytest.mark.parametrize("program", ["torus", "sp2", "cluster", "disk", "network"])
def test_a_transaction_recording_tells_what_the_timeline_tells(program: str, tmp_path: Path) -> None:
    for name in ("t.json", "t.ftr", "again.ftr"):
        subprocess.run([executable(program), "--quiet", "--timeline", tmp_path / name], check=True, capture_output=True)
    told = transactions(tmp_path / "t.ftr")
    assert told == trace_events(tmp_path / "t.json")
    assert told.total() > 1000
    assert (tmp_path / "t.ftr").read_bytes() == (tmp_path / "again.ftr").read_bytes()
    assert (tmp_path / "t.ftr").stat().st_size < (tmp_path / "t.json").stat().st_size / 4
