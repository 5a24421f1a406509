# SPDX-License-Identifier: MIT
"""Protocol facts, read back from wave files."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from changes import at, spelt

from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.waves.picture import Wave, WaveFile

BUSES = ("machine.iop0_scsi0", "machine.iop1_scsi0")
DISKS = 3
"""On each bus."""


def run(platform: str, path: Path, *arguments: str) -> WaveFile:
    done = run_program([str(executable(platform)), "--quiet", *arguments, "--vcd", str(path)])
    assert done.returncode == 0, done.stderr
    return WaveFile(path)


def settings(*pairs: str) -> list[str]:
    return [word for pair in pairs for word in ("--set", pair)]


@pytest.fixture(scope="module", params=["traditional-caching rb", "disk-directed wb", "traditional-caching wcc"])
def busy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> WaveFile:
    """Two buses with three drives each, which all want them."""
    kind, pattern = request.param.split()
    return run(
        "torus",
        tmp_path_factory.mktemp("busy") / "w.vcd",
        *settings("machine.compute_processors=4", "machine.io_processors=2", f"machine.disks={2 * DISKS}"),
        *settings(f"file_system.kind={kind}", f"workload.pattern={pattern}", "workload.file_size=512KiB"),
        *settings("machine.first_cylinder=random", "file_system.layout=random-blocks"),
    )


def merged(*waves: Wave) -> list[tuple[int, tuple[str, ...]]]:
    """What all of them show, whenever one of them changes."""
    times = sorted({time for wave in waves for time in wave.times})
    return [(time, tuple(wave.word(at(wave, time)) for wave in waves)) for time in times]


@pytest.mark.parametrize("bus", BUSES)
def test_a_bus_has_an_owner_exactly_while_it_is_not_free(bus: str, busy: WaveFile) -> None:
    states = merged(busy.wave(f"{bus}.bus.phase"), busy.wave(f"{bus}.bus.owner"))
    for time, (phase, owner) in states:
        assert (phase == "free") == (owner == "nobody"), time
    # An owner gives the bus up before another has it.
    owners = [owner for _, (_, owner) in states]
    assert {"adapter", *(f"disk{i}" for i in range(DISKS))} <= set(owners)
    for before, after in pairwise(owners):
        assert before == after or "nobody" in (before, after)


@pytest.mark.parametrize("bus", BUSES)
def test_phases_of_a_tenure_follow_one_another_as_in_scsi(bus: str, busy: WaveFile) -> None:
    phase, owner = busy.wave(f"{bus}.bus.phase"), busy.wave(f"{bus}.bus.owner")
    tenures: list[tuple[str, list[str]]] = []
    for time, word in spelt(phase):
        if word == "free":
            tenures.append(("", []))
        elif tenures:
            tenures[-1] = (owner.word(at(owner, time)), [*tenures[-1][1], word])
    tenures = [tenure for tenure in tenures if tenure[1]]
    if spelt(busy.wave(f"{bus}.bus.phase"))[-1][1] != "free":
        tenures.pop()  # the run ends within it
    assert len(tenures) > 2 * DISKS
    for who, words in tenures:
        begin = ["arbitration", "selection", "command"] if who == "adapter" else ["arbitration", "reselection"]
        assert words[: len(begin)] == begin, words
        rest = words[len(begin) :]
        assert rest[-1] in ("disconnect", "status"), words
        assert set(rest[:-1]) <= {"data"}, words


@pytest.mark.parametrize("bus", BUSES)
def test_each_command_of_a_disk_ends_with_its_status_before_the_next(bus: str, busy: WaveFile) -> None:
    """The adapter's commands and the statuses balance: no more commands under way than drives."""
    under_way, most = 0, 0
    for _, word in spelt(busy.wave(f"{bus}.bus.phase")):
        under_way += {"command": 1, "status": -1}.get(word, 0)
        assert 0 <= under_way <= DISKS
        most = max(most, under_way)
    assert most > 1


@pytest.mark.parametrize("bus", BUSES)
def test_heads_seek_and_wait_for_the_sector_before_they_transfer(bus: str, busy: WaveFile) -> None:
    sought = 0
    for disk in range(DISKS):
        wave = busy.wave(f"{bus}.disk{disk}.phase")
        words = [word for _, word in spelt(wave)]
        # Arms begin anywhere.
        assert words.index("seek") < min(words.index(word) for word in ("read", "write") if word in words)
        for before, after in pairwise(words):
            if after == "rotation":
                assert before in ("seek", "idle", "read", "write", "read_ahead")
            if before == "seek":
                assert after in ("rotation", "read", "write", "seek", "read_ahead"), after
                sought += 1
        # The arm moves only when heads seek, or follow the tracks that they transfer.
        for time, _ in spelt(busy.wave(f"{bus}.disk{disk}.cylinder"))[1:]:
            assert wave.word(at(wave, time)) in ("seek", "read", "write", "read_ahead"), time
    assert sought > DISKS


def test_the_data_of_a_read_pass_the_bus_after_the_heads_have_sought_and_read(tmp_path: Path) -> None:
    file = run(
        "torus",
        tmp_path / "w.vcd",
        *settings("machine.compute_processors=1", "machine.io_processors=1", "machine.disks=1"),
        *settings("machine.first_cylinder=random", "workload.pattern=rn", "workload.file_size=8KiB"),
    )
    bus = {word: time for time, word in reversed(spelt(file.wave(f"{BUSES[0]}.bus.phase")))}
    heads = {word: time for time, word in reversed(spelt(file.wave(f"{BUSES[0]}.disk0.phase")))}
    order = [bus["command"], bus["disconnect"], heads["seek"], heads["rotation"], heads["read"], bus["reselection"]]
    assert sorted(order) == order
    assert bus["reselection"] < bus["data"] < bus["status"]


def flits(path: Path) -> WaveFile:
    return run(
        "network",
        path,
        *settings("machine.network.model=flit", "machine.network.shape=[4, 4]", "workload.load=0.3"),
        *settings("workload.measured=400", "workload.warm_up=0", "workload.precision=1"),
    )


def test_a_virtual_channel_has_one_owner_while_flits_of_several_interleave_on_the_link(tmp_path: Path) -> None:
    file = flits(tmp_path / "w.vcd")
    links = [name.removesuffix("_flit") for name in file.signals if name.endswith("_flit") and ".router" in name]
    assert len(links) == 16 * 6
    interleaved = 0
    for link in links:
        flit = file.wave(f"{link}_flit")
        channels = [file.wave(name) for name in file.signals if name.startswith(f"{link}_vc")]
        assert len(channels) >= 2
        passed: list[int] = []
        for time, message in zip(flit.times, flit.values, strict=True):
            if message == 0:
                continue
            # The message owns one virtual channel of the link, and no other message owns that one.
            assert [at(channel, time) for channel in channels].count(message) == 1, (link, time, message)
            passed.append(message)
        seen: set[int] = set()
        for before, after in pairwise(passed):
            interleaved += after != before and after in seen
            seen.add(before)
        for channel in channels:
            owners = [value for value in channel.values if value > 0]
            assert len(owners) == len(set(owners)), f"{channel.name}: a message comes back"
    assert interleaved > 10


def test_a_worm_s_channels_never_hold_more_messages_than_virtual_channels_for_long(tmp_path: Path) -> None:
    file = run("network", tmp_path / "w.vcd", *settings("workload.measured=400", "workload.warm_up=0"))
    over, all_time = 0, 0
    for name in (name for name in file.signals if name.rpartition(".")[2] in ("up0", "down0", "up1", "down1")):
        wave = file.wave(name)
        for (start, value), (end, _) in pairwise(zip(wave.times, wave.values, strict=True)):
            all_time += end - start
            over += (end - start) * (value > 2)
    assert all_time > 0 and over < 0.01 * all_time


def test_a_scope_and_a_window_leave_out_what_they_say_and_change_no_value(tmp_path: Path) -> None:
    machine = settings("workload.file_size=256KiB")
    whole = run("torus", tmp_path / "whole.vcd", *machine)
    part = run("torus", tmp_path / "part.vcd", *machine, "--vcd-scope", "iop0*,cp?.cpu", "--vcd-window", "10ms,20ms")
    assert {name.split(".")[1] for name in part.signals} == {"iop0", "iop0_scsi0", *(f"cp{i}" for i in range(10))}
    assert {name for name in part.signals if name.startswith("machine.cp")} == {
        f"machine.cp{i}.cpu.state" for i in range(10)
    }
    assert part.end == 20 * 10**9
    for name in part.signals:
        wave, all_of_it = part.wave(name), whole.wave(name)
        assert wave.times[0] == 10 * 10**9 and wave.times[-1] <= 20 * 10**9
        assert [at(all_of_it, time) for time in wave.times] == wave.values, name
        within = [time for time in all_of_it.times if 10 * 10**9 < time < 20 * 10**9]
        assert wave.times[1:] == within, name


def test_a_scope_that_names_nothing_ends_before_the_run(tmp_path: Path) -> None:
    for platform, scope in (("torus", "iop99"), ("disk", "disk7"), ("network", "switch")):
        path = tmp_path / "w.vcd"
        done = run_program([str(executable(platform)), "--vcd", str(path), "--vcd-scope", scope])
        assert done.returncode == 3
        assert done.stderr.startswith(f'--vcd-scope: "{scope}" names nothing here; there ')
        assert not path.exists()


@pytest.mark.skipif(shutil.which("vcd2fst") is None, reason="vcd2fst is not installed (apt-get install gtkwave)")
def test_an_fst_file_has_the_same_changes(tmp_path: Path) -> None:
    machine = settings("workload.file_size=128KiB")
    vcd, fst = (run("torus", tmp_path / name, *machine) for name in ("w.vcd", "w.fst"))
    assert set(vcd.signals) == set(fst.signals)
    for name in vcd.signals:
        assert (vcd.wave(name).times, vcd.wave(name).values) == (fst.wave(name).times, fst.wave(name).values), name
