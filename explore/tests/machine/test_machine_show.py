# SPDX-License-Identifier: MIT
"""sunstar show: whose machine it draws, what colours it, and how it plays."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar

from sunstar.errors import FileError
from sunstar.machine.command import Machine, busy_shares, film_of, find
from sunstar.machine.picture import Picture
from sunstar.places import executable, project
from sunstar.programs import run_program

MIXED = project() / "platforms" / "torus" / "examples" / "mixed.json"


def data_of(page: Path) -> dict[str, Any]:
    match = re.search(r'<script id="machine-data" type="application/json">(.*?)</script>', page.read_text())
    assert match
    data = json.loads(match[1])
    assert isinstance(data, dict)
    return data


def small() -> Picture:
    """One CP, one IOP, one bus with one drive on a switch."""
    return found("sp2", "machine.compute_processors=1", "machine.io_processors=1", "machine.disks=1").picture()


def found(platform: str, *settings: str) -> Machine:
    return find(platform, None, list(settings), None)


def share(picture: Picture, shares: list[float | None], name: str) -> float | None:
    return shares[next(i for i, box in enumerate(picture.boxes) if box.name == name)]


def test_spans_of_a_window_are_counted_once() -> None:
    # Spans may overlap, touch, and lie within one another.
    assert busy_shares([(0.0, 2.0), (1.0, 3.0), (5.0, 6.0), (3.0, 4.0)], 0.0, 6.0, 3) == [1.0, 1.0, 0.5]
    assert busy_shares([], 0.0, 1.0, 2) == [0.0, 0.0]
    # Windows of 1 s: the first is covered by half, the second whole, the third by a quarter.
    assert busy_shares([(0.5, 2.25), (1.0, 1.5)], 0.0, 4.0, 4) == [0.5, 1.0, 0.25, 0.0]
    assert busy_shares([(10.5, 12.25)], 10.0, 14.0, 4) == [0.5, 1.0, 0.25, 0.0]


def test_a_configuration_is_drawn_with_everything_it_has(sunstar: Sunstar, tmp_path: Path) -> None:
    page = tmp_path / "mixed.html"
    done = sunstar("show", str(MIXED), "--output", str(page))
    assert done.exit_code == 0, done.output
    data = data_of(page)
    shapes = [box[0] for box in data["drawing"]["boxes"]]
    assert (shapes.count("disk"), shapes.count("scsi"), shapes.count("link")) == (8, 3, 8 * 4)
    assert data["name"] == "sunstar-torus: torus of 4 x 2 routers"
    assert set(data["shares"]) == {None} and data["film"] is None


def test_the_drawing_of_a_configuration_has_the_boxes_of_a_run() -> None:
    from sunstar import run
    from sunstar.machine.picture import picture_of

    cases: tuple[tuple[str, dict[str, Any]], ...] = (
        ("torus", {"workload.file_size": "64KiB"}),
        ("sp2", {"workload.fork_size": "1MiB"}),
        ("cluster", {}),
        ("network", {"machine.network.shape": [3, 2], "machine.network.topology": "mesh", "workload.measured": 100}),
    )
    for platform, settings in cases:
        result = run(platform, settings)
        ran = picture_of(result.config, result.statistics, 1.0)
        still = picture_of(result.config, {}, None)
        assert ran and still
        assert [box.name for box in ran.boxes] == [box.name for box in still.boxes], platform


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_a_still_drawing_has_the_form_its_name_says(suffix: str, sunstar: Sunstar, tmp_path: Path) -> None:
    path = tmp_path / f"m.{suffix}"
    assert sunstar("show", "cluster", "--output", str(path)).exit_code == 0
    start = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)


def test_a_result_colours_the_machine_and_a_wave_file_makes_it_play(sunstar: Sunstar, tmp_path: Path) -> None:
    result, waves, page = tmp_path / "r.json", tmp_path / "w.vcd", tmp_path / "p.html"
    options = ["--trials", "1", "--output", str(result), "--vcd", str(waves)]
    ran = run_program([str(executable("torus")), "--config", str(MIXED), *options])
    assert ran.returncode == 0, ran.stderr
    assert sunstar("show", str(MIXED), "--result", str(result), "--output", str(page)).exit_code == 0
    data = data_of(page)
    boxes = data["drawing"]["boxes"]
    statistics = json.loads(result.read_text())["statistics"]
    disk = next(i for i, box in enumerate(boxes) if box[5] == "machine.iop1_scsi0.disk0")
    utilisation = statistics["machine.iop1_scsi0.disk0.utilisation"]["value"]
    assert data["shares"][disk] == pytest.approx(utilisation, abs=1e-4)

    done = sunstar("show", str(result), "--timeline", str(waves), "--windows", "50", "--output", str(page))
    assert done.exit_code == 0, done.output
    film = data_of(page)["film"]
    assert len(film["shares"]) == 50
    # Its mean is what the run counted, as far as the file goes on after the run.
    bus = next(i for i, box in enumerate(boxes) if box[5] == "machine.iop1_scsi0.bus")
    mean = sum(window[bus] for window in film["shares"]) / 50
    elapsed = json.loads(result.read_text())["trials"][0]["elapsed_s"]
    counted = statistics["machine.iop1_scsi0.bus.busy_time"]["value"] / film["end_s"]
    assert film["end_s"] >= elapsed
    assert mean == pytest.approx(counted, rel=0.05)


def test_a_timeline_says_which_resource_is_busy(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "machine.iop0_scsi0"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "bus: who has it"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "disk0: commands"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 3, "args": {"name": "disk0: heads"}},
        {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "machine.iop0"}},
        {"ph": "M", "name": "thread_name", "pid": 2, "tid": 4, "args": {"name": "interrupts"}},
        {"ph": "M", "name": "thread_name", "pid": 2, "tid": 5, "args": {"name": "read request 2"}},
        {"ph": "X", "pid": 1, "tid": 1, "name": "adapter", "ts": 0, "dur": 1_000_000},
        {"ph": "X", "pid": 1, "tid": 2, "name": "read", "ts": 0, "dur": 4_000_000},
        {"ph": "X", "pid": 1, "tid": 3, "name": "seek", "ts": 0, "dur": 8_000_000},
        {"ph": "X", "pid": 2, "tid": 4, "name": "disk request ended", "ts": 2_000_000, "dur": 1_000_000},
        {"ph": "X", "pid": 2, "tid": 5, "name": "read request", "ts": 3_000_000, "dur": 500_000},
        {"ph": "X", "pid": 2, "tid": 5, "name": "waits for the disk", "ts": 3_500_000, "dur": 500_000},
    ]
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    picture = small()
    film = film_of(path, picture, 4)
    assert (film.start_s, film.end_s) == (0.0, 4.0)
    each = {
        name: [share(picture, list(window), name) for window in film.shares]
        for name in ("machine.iop0_scsi0.bus", "machine.iop0_scsi0.disk0", "machine.iop0.cpu", "machine.cp0.cpu")
    }
    assert each["machine.iop0_scsi0.bus"] == [1.0, 0.0, 0.0, 0.0]
    assert each["machine.iop0_scsi0.disk0"] == [1.0, 1.0, 1.0, 1.0]
    assert each["machine.iop0.cpu"] == [0.0, 0.0, 1.0, 0.5]
    assert each["machine.cp0.cpu"] == [None] * 4


def test_a_real_timeline_plays(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    settings = [w for s in ("compute_processors", "io_processors", "disks") for w in ("--set", f"machine.{s}=1")]
    command = [str(executable("sp2")), *settings, "--set", "workload.fork_size=128KiB", "--timeline", str(path)]
    assert run_program(command).returncode == 0
    picture = small()
    film = film_of(path, picture, 20)
    busy = [share(picture, list(window), "machine.iop0_scsi0.disk0") or 0.0 for window in film.shares]
    assert max(busy) > 0.9


def test_a_processor_with_several_cores_plays_as_their_mean(tmp_path: Path) -> None:
    sizes = dict.fromkeys(("compute_processors", "io_processors", "disks"), 1) | {"node.cores": 4}
    settings = [f"machine.{path}={value}" for path, value in sizes.items()]
    settings += ["machine.network.shape=[2,2]", "machine.node.clock=1MHz", "workload.file_size=64KiB"]
    picture = found("torus", *settings).picture()
    cpu = next(box for box in picture.boxes if box.name == "machine.cp0.cpu")
    assert cpu.resources == [f"machine.cp0.cpu{core}" for core in range(4)]
    assert cpu.words == "cpu\n4 x 1MHz"
    shares = []
    for option, name in (("--timeline", "t.json"), ("--vcd", "w.vcd")):
        path = tmp_path / name
        words = [word for setting in settings for word in ("--set", setting)]
        assert run_program([str(executable("torus")), *words, option, str(path)]).returncode == 0
        shares.append(share(picture, list(film_of(path, picture, 1).shares[0]), cpu.name))
    assert shares[0] == pytest.approx(shares[1], rel=0.1)  # cores that nothing runs on are idle
    assert 0.01 < (shares[0] or 0) < 0.1


def test_each_node_of_a_large_machine_is_drawn_on_request(sunstar: Sunstar, tmp_path: Path) -> None:
    words = ["show", "torus", "--set", "machine.compute_processors=1000", "--output", str(tmp_path / "m.html")]
    drawn = []
    for more in ([], ["--each"]):
        assert sunstar(*words, *more).exit_code == 0
        drawn.append((tmp_path / "m.html").read_text().count('"machine.cp999.cpu"'))
    assert drawn == [0, 1]


def test_a_large_machine_plays_the_mean_of_what_is_alike(tmp_path: Path) -> None:
    sizes = {"machine.compute_processors": 400, "machine.io_processors": 2, "machine.disks": 2}
    settings = [f"{path}={value}" for path, value in sizes.items()]
    settings += ["machine.network.shape=[21, 20]", "workload.file_size=4MiB", "run.statistics=part"]
    waves, result = tmp_path / "w.vcd", tmp_path / "r.json"
    words = [word for each in settings for word in ("--set", each)]
    command = [str(executable("torus")), *words, "--trials", "1", "--vcd", str(waves), "--output", str(result)]
    assert run_program(command).returncode == 0
    picture = find(str(result), None, [], None).picture()
    film = film_of(waves, picture, 50)
    assert film.warnings == []
    elapsed = json.loads(result.read_text())["trials"][0]["elapsed_s"]
    for box, *shares in zip(picture.boxes, *film.shares, strict=True):
        if box.shape == "scsi":  # a drive that reads ahead is busy, but plays as idle
            mean = sum(each or 0.0 for each in shares) / 50
            assert box.value and mean == pytest.approx(box.value * elapsed / (film.end_s - film.start_s), rel=0.1)


def test_a_drive_alone_plays_what_its_heads_do(tmp_path: Path) -> None:
    path = tmp_path / "w.vcd"
    command = [str(executable("disk")), "--set", "workload.requests=20", "--vcd", str(path)]
    assert run_program(command).returncode == 0
    picture = found("disk").picture()
    film = film_of(path, picture, 10)
    for window in film.shares:
        shares = [share(picture, list(window), f"machine.disk.{work}") for work in ("seek", "rotation", "transfer")]
        assert sum(each or 0.0 for each in shares) <= 1.01
    busy = [share(picture, list(window), "machine.disk.seek") or 0.0 for window in film.shares]
    assert max(busy) > 0.1


def test_what_cannot_be_shown_is_said_in_a_sentence(sunstar: Sunstar, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"schema": "sunstar/1", "machin": {}}')
    broken = tmp_path / "t.json"
    broken.write_text("{}")
    ftr = tmp_path / "t.ftr"
    ftr.write_bytes(b"\xd9\xd9\xf7\x9f\xff")
    for arguments, code, sentence in (
        (["nothing.json"], 3, "there is no file nothing.json"),
        ([str(wrong)], 3, "machin"),
        (["torus", "--platform", "lamp"], 2, "--platform lamp: it must be torus"),
        (["torus", "--output", "m.txt"], 2, "--output m.txt: its name must end in"),
        (["torus", "--timeline", str(broken), "--output", "m.svg"], 2, "only a page plays"),
        (["torus", "--timeline", str(broken)], 3, f"{broken} is no timeline: it has no traceEvents"),
        (["torus", "--timeline", str(ftr)], 3, f"{ftr} is a timeline in FTR; a page plays one in JSON"),
        (["torus", "--set", "x"], 2, "--set x: it must be PATH=VALUE"),
    ):
        done = sunstar("show", *arguments)
        assert done.exit_code == code, done.output
        assert sentence in done.stderr


BUS = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "machine.iop0_scsi0"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "bus: who has it"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "disk0: commands"}},
    {"ph": "X", "pid": 1, "tid": 1, "name": "adapter", "ts": 0, "dur": 1_000_000},
]


def timeline(path: Path, events: list[dict[str, Any]], **more: object) -> Path:
    path.write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events, **more}))
    return path


def test_a_timeline_of_another_machine_is_refused_with_what_this_one_lacks(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    with pytest.raises(FileError, match="shows no resource that is drawn"):
        film_of(timeline(path, []), small(), 4)
    drive = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 3, "args": {"name": "disk1: commands"}}
    with pytest.raises(FileError, match=r"shows machine\.iop0_scsi0\.disk1, which this one does not have"):
        film_of(timeline(path, [*BUS, drive]), small(), 4)
    node = {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "machine.cp1"}}
    with pytest.raises(FileError, match=r"shows machine\.cp1, which"):
        film_of(timeline(path, [*BUS, node]), small(), 4)
    [warning] = film_of(timeline(path, BUS), small(), 4).warnings
    assert "does not show machine.cp0" in warning
    with pytest.raises(FileError, match="no timeline as --timeline writes it"):
        film_of(timeline(path, [{"ph": "X"}]), small(), 4)


def test_a_timeline_that_was_cut_by_its_limit_or_by_accident_says_so(tmp_path: Path) -> None:
    path = timeline(tmp_path / "t.json", BUS, otherData={"truncated": "The timeline ends at 1 s."})
    assert any("is incomplete: The timeline ends at 1 s." in each for each in film_of(path, small(), 4).warnings)
    path.write_text(path.read_text()[:-30].replace(": ", ":", 1))
    with pytest.raises(FileError, match="a timeline that is cut off"):
        film_of(path, small(), 4)


def test_what_is_packed_is_read_whatever_its_name(sunstar: Sunstar, tmp_path: Path) -> None:
    plain = timeline(tmp_path / "t.json.gz", BUS)
    assert film_of(plain, small(), 4).shares
    packed = tmp_path / "t.vcd"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert film_of(packed, small(), 4).shares == film_of(plain, small(), 4).shares
    config = tmp_path / "c.json"
    config.write_bytes(gzip.compress(b"{}"))
    done = sunstar("show", str(config), "--output", str(tmp_path / "m.html"))
    assert done.exit_code == 3 and "packed by gzip; unpack it with" in done.stderr
    packed.write_bytes(packed.read_bytes()[:40])
    done = sunstar("show", "torus", "--timeline", str(packed), "--output", str(tmp_path / "m.html"))
    assert done.exit_code == 3 and "cannot read" in done.stderr


def test_a_result_and_a_wave_file_of_another_machine_are_refused(sunstar: Sunstar, tmp_path: Path) -> None:
    result, waves, page = tmp_path / "r e s.json", tmp_path / "w.vcd", str(tmp_path / "p.html")
    options = ["--trials", "1", "--output", str(result), "--vcd", str(waves)]
    assert run_program([str(executable("torus")), "--config", str(MIXED), *options]).returncode == 0
    for arguments, sentence in (
        (["torus", "--result", str(result)], "machine.compute_processors is 4 there and 16 here"),
        (["torus", "--timeline", str(waves)], "it shows machine.node3, which this one does not have"),
        (["sp2", "--timeline", str(waves)], "is of sunstar-torus, but sp2 of sunstar-sp2"),
        (["sp2", "--result", str(result)], "is of sunstar-torus, but sp2 of sunstar-sp2"),
    ):
        done = sunstar("show", *arguments, "--output", page)
        assert done.exit_code == 3, done.output
        assert sentence in done.stderr
    assert not Path(page).exists()
