# SPDX-License-Identifier: MIT
"""The timeline of a real run, read as Perfetto would: a request is followed from its processor to the disk and back."""

import gzip
import json
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

from sunstar.places import executable

SMALL = ("workload.file_size=256KiB", "machine.compute_processors=2", "machine.io_processors=2", "machine.disks=2")


@dataclass(frozen=True)
class Slice:
    group: str
    track: str
    name: str
    start: int
    end: int
    request: int | None


@dataclass
class Timeline:
    slices: list[Slice]
    arrows: dict[int, list[Slice]]
    """By request: the innermost slice that each end of an arrow is bound to, in order of time."""


def ns(microseconds: float) -> int:
    return round(microseconds * 1000)


def read(path: Path) -> Timeline:
    events = json.loads(path.read_text())["traceEvents"]
    names = {(e["name"], e["pid"], e["tid"]): e["args"].get("name") for e in events if e["ph"] == "M"}
    on_track: dict[int, list[Slice]] = defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            start = ns(e["ts"])
            on_track[e["tid"]].append(
                Slice(
                    names["process_name", e["pid"], 0],
                    names["thread_name", e["pid"], e["tid"]],
                    e["name"],
                    start,
                    start + ns(e["dur"]),
                    e.get("args", {}).get("request"),
                )
            )
    ends: dict[int, list[tuple[int, Slice]]] = defaultdict(list)
    for e in events:
        if e["ph"] in {"s", "t", "f"}:
            at = ns(e["ts"])
            around = [s for s in on_track[e["tid"]] if s.start <= at < s.end]
            assert around, f"request {e['id']} at {at} ns is in no slice"
            own = [s for s in around if s.request == e["id"]]
            ends[e["id"]].append((at, own[0]))
    arrows = {request: [s for _, s in sorted(points, key=lambda p: p[0])] for request, points in ends.items()}
    return Timeline([s for track in on_track.values() for s in track], arrows)


def run(tmp_path: Path, name: str, *options: str) -> Path:
    path = tmp_path / name
    settings = [word for setting in SMALL for word in ("--set", setting)]
    subprocess.run([executable("torus"), "--quiet", *settings, "--timeline", path, *options], check=True)
    return path


def test_a_request_is_followed_from_its_processor_to_the_disk_and_back(tmp_path: Path) -> None:
    timeline = read(run(tmp_path, "t.json"))
    followed = 0
    for way in timeline.arrows.values():
        places = [(s.group.removeprefix("machine.").rstrip("0123456789"), s.track, s.name) for s in way]
        commands = [i for i, (_, track, _) in enumerate(places) if track == "disk0: commands"]
        if not commands or places[0][1] != "main":
            continue
        sender = way[0].group
        back = next(i for i, s in enumerate(way) if s.name == "to " + sender.removeprefix("machine."))
        if commands[0] > back:
            continue  # the block was in the cache or on its way, and the request has prefetched another
        # The processor's thread, its message, the handler at the I/O processor and the thread that it creates.
        assert [place[0] for place in places[:4]] == ["cp", "cp", "iop", "iop"]
        assert places[1][1].startswith("message sent")
        assert places[1][2] == "to " + way[2].group.removeprefix("machine.")
        assert places[2][1:] == ("interrupts", "read")
        assert places[3][1].startswith("read request")
        # The disk belongs to that I/O processor; its end is an interrupt there; a message brings the data back.
        assert way[commands[0]].group == way[2].group + "_scsi0"
        done = next(i for i, s in enumerate(way) if s.name == "disk done")
        last = next(i for i, s in enumerate(way) if s.group == sender and s.name == "reply")
        assert commands[0] < done < back < last
        assert way[back].end <= way[last].start
        followed += 1
    assert followed >= 4  # the first block that each processor reads from each disk


def test_the_compressed_timeline_holds_the_same(tmp_path: Path) -> None:
    plain, compressed = run(tmp_path, "t.json"), run(tmp_path, "t.json.gz")
    assert gzip.decompress(compressed.read_bytes()) == plain.read_bytes()
    assert compressed.stat().st_size < plain.stat().st_size / 5
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.json", "t.json.gz"]


def test_a_window_and_a_scope_make_it_smaller(tmp_path: Path) -> None:
    whole = read(run(tmp_path, "whole.json"))
    some = read(run(tmp_path, "some.json", "--timeline-window", "10ms,30ms", "--timeline-scope", "iop0*"))
    assert {s.group for s in some.slices} == {"machine.iop0", "machine.iop0_scsi0"}
    assert all(s.start < 30_000_000 and s.end >= 10_000_000 for s in some.slices)
    without = [(s.group, s.track, s.name, s.start, s.end) for s in whole.slices]
    # The names of thread tracks are the same, since every node names its own.
    assert {(s.group, s.track, s.name, s.start, s.end) for s in some.slices} <= set(without)


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--timeline-scope", "iop9"), 3, '--timeline-scope: "iop9" names nothing here; there are cp0 to cp1'),
        (("--timeline-scope", "cp0,"), 2, "it must be names of instances with commas between them"),
        (("--timeline-window", "5ms"), 2, "it must be two times with a comma between them"),
        (("--timeline-limit", "0B"), 2, "it must be at least 1B"),
        (("--timeline-interval", "soon"), 2, '--timeline-interval is "soon"'),
    ],
)
def test_a_wrong_option_is_answered_in_a_sentence(
    options: tuple[str, ...], code: int, sentence: str, tmp_path: Path
) -> None:
    settings = [word for setting in SMALL for word in ("--set", setting)]
    done = subprocess.run(
        [executable("torus"), "--quiet", *settings, "--timeline", tmp_path / "t.json", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert sentence in done.stderr
    assert not list(tmp_path.iterdir())
