# SPDX-License-Identifier: MIT
"""What sunstar advise would change: parameters by what their owners declare, the composition, drives."""

from pathlib import Path
from typing import Any

import pytest

from sunstar.advising.candidates import BACK, OTHER_KIND, Change, candidates, compositions, machine_in, once_more, times
from sunstar.errors import FileError, UsageError
from sunstar.explaining import Stage
from sunstar.runs.simulator import Point, effective_config

SMALL = {"machine.compute_processors": 2, "machine.io_processors": 2, "machine.disks": 4}


def changes(folder: Path, platform: str = "torus", **more: Any) -> list[Change]:  # noqa: ANN401  any setting
    settings = {**SMALL, **{path.replace("__", "."): value for path, value in more.items()}}
    config = effective_config(Point(settings, platform=platform))
    return list(candidates(machine_in(platform, config, folder)).changes)


def to(found: list[Change], path: str) -> list[str]:
    return [change.to for change in found if change.path == path]


@pytest.mark.parametrize(
    ("value", "factor", "found"),
    [
        ("8KiB", 2, "16KiB"),
        ("512KiB", 2, "1MiB"),
        ("1MiB", 0.5, "512KiB"),
        ("66.7MHz", 2, "133.4MHz"),
        ("10MB/s", 2, "20MB/s"),
        ("1460B", 2, "2920B"),
        ("5us", 0.5, "2.5us"),
        (3, 0.5, 1),
        (0.1, 2, 0.2),
    ],
)
def test_half_and_twice_have_units_that_people_use(value: object, factor: float, found: object) -> None:
    assert times(value, factor) == found


def test_the_owners_of_parameters_say_what_may_be_tried(tmp_path: Path) -> None:
    found = changes(tmp_path)
    assert {"disk-directed", "two-phase", "hybrid", "galley", "pvfs"} <= set(to(found, "file_system.kind"))
    assert to(found, "file_system.cache.prefetch") == ["false"]
    assert set(to(found, "file_system.block_size")) == {"4KiB", "16KiB"}
    assert to(found, "machine.bus.data_rate") == ["20MB/s"]
    assert "SEAGATE ST32171W" in to(found, "machine.disk")
    kinds = {change.path: change.kind for change in found}
    assert (kinds["file_system.layout"], kinds["machine.bus.data_rate"]) == ("setting", "part")
    assert {change.work for change in found if change.path == "file_system.kind"} == {OTHER_KIND}


def test_the_question_the_model_and_promises_stay_as_they_are(tmp_path: Path) -> None:
    """So do costs of firmware that are those of the preset, and what this run does not use."""
    paths = {change.path for change in changes(tmp_path)}
    assert not [path for path in paths if path.startswith(("workload", "run", "faults", "machine.costs"))]
    assert not paths & {"machine.network.model", "machine.first_cylinder", "machine.compute_processors"}
    assert not paths & {"file_system.records", "file_system.driver.retries", "machine.disk.heads"}


def test_what_differs_from_the_preset_is_put_back(tmp_path: Path) -> None:
    found = changes(
        tmp_path,
        machine__bus__data_rate="1MB/s",
        machine__node__clock="100MHz",
        machine__costs__thread_switch=9000,
        machine__disk__rpm=1000,
        machine__sockets__kind="tcp",
    )
    back = {change.path: change.to for change in found if change.work == BACK}
    assert back == {
        "machine.bus.data_rate": "10MB/s",  # the clock is faster than the preset's
        "machine.costs.thread_switch": "45",
        "machine.disk.rpm": "4002",
        "machine.sockets.kind": "none",
    }
    assert [change.path for change in found[: len(back)]] == [*back]
    assert to(found, "machine.bus.data_rate") == ["10MB/s", "2MB/s"]


def test_the_preset_is_that_of_the_machine(tmp_path: Path) -> None:
    assert not [each for each in changes(tmp_path, "sp2") if each.work == BACK]
    found = changes(tmp_path, "sp2", machine__network__port_bandwidth="1MB/s")
    assert [str(each) for each in found if each.work == BACK] == ["machine.network.port_bandwidth: 1MB/s -> 34MB/s"]


def test_what_is_to_be_kept_is_kept_and_what_is_none_is_named(tmp_path: Path) -> None:
    machine = machine_in("torus", effective_config(Point(SMALL)), tmp_path)
    kept = candidates(machine, ["file_system.layout", "machine"]).changes
    assert kept
    assert not [each for each in kept if each.path.startswith(("file_system.layout", "machine."))]
    with pytest.raises(UsageError, match=r'--keep file_system\.lay: .* did you mean "file_system\.layout"'):
        candidates(machine, ["file_system.lay"])


def test_what_has_no_nodes_has_nothing_to_change(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="sunstar-disk has no machine of nodes and drives"):
        machine_in("disk", effective_config(Point(platform="disk")), tmp_path)


def machine_of(*buses: list[Any], roles: str = "io") -> dict[str, Any]:
    """A compute node, and a node for each list of buses; a bus is a list of drives."""
    nodes = [{"role": roles, "place": [], "buses": [{"drives": [{"count": 1, "disk": d} for d in of]}]} for of in buses]
    compute = {"role": "compute", "place": [], "buses": []}
    return {"machine": {"disk": {"name": "usual"}, "placement": "random", "nodes": [compute, *nodes]}}


def nodes_after(config: dict[str, Any], path: str) -> Any:  # noqa: ANN401  any JSON
    [found] = [each for each in compositions(config, by_counts=False, placed=False) if each.path == path]
    return found, found.settings["machine.nodes"]


def test_drives_buses_and_io_nodes_are_doubled() -> None:
    config = machine_of([None, None], [None, None])
    for path, added in (("machine.disks", {"count": 4}), ("buses", None), ("machine.io_processors", None)):
        change, nodes = nodes_after(config, path)
        assert (change.kind, change.added) == ("part", 1.0)
        if added:
            assert nodes[1] == {"count": 2, "role": "io", "buses": [{"drives": [{"count": 4}]}]}
    assert nodes_after(config, "buses")[1][1]["buses"] == [{"count": 2, "drives": [{}]}]
    assert nodes_after(config, "machine.io_processors")[1][1] == {"count": 4, "role": "io", "buses": [{"drives": [{}]}]}


def test_an_io_node_with_one_drive_comes_with_another_one() -> None:
    [found] = [
        e for e in compositions(machine_of([None]), by_counts=True, placed=False) if e.path.endswith("io_processors")
    ]
    assert found.settings == {"machine.io_processors": 2, "machine.disks": 2}


def test_drives_that_crowd_on_a_bus_are_dealt_out_anew_for_nothing() -> None:
    change, nodes = nodes_after(machine_of([None] * 5, [None]), "the drives of buses")
    assert (change.kind, change.was) == ("setting", "1 to 5")
    assert nodes[1] == {"count": 2, "role": "io", "buses": [{"drives": [{"count": 3}]}]}


def test_a_drive_unlike_the_others_is_replaced() -> None:
    slow = {"name": "slow one"}
    change, nodes = nodes_after(machine_of([None, slow], [None, None]), "iop0_scsi0.disk1")
    assert (change.was, change.to, change.work) == ("slow one", "usual, as the others", BACK)
    assert nodes[1] == {"count": 2, "role": "io", "buses": [{"drives": [{"count": 2}]}]}


def test_faults_that_cost_time_are_mended_and_those_that_lose_something_stay(tmp_path: Path) -> None:
    faults = [
        {"place": "iop0_scsi0.disk0", "effect": "slow"},
        {"place": "iop*_scsi0", "effect": "bus-hang"},
        {"place": "iop0_scsi0.disk0", "effect": "recovered-error"},
        {"place": "cp0", "effect": "message-delayed"},
        {"place": "iop0_scsi0.disk1", "effect": "medium-error"},
    ]
    found = {each.path: each for each in changes(tmp_path, faults=faults) if "faults" in each.settings}
    assert {path: each.was for path, each in found.items()} == {
        "iop0_scsi0.disk0": "slow, recovered-error",
        "iop*_scsi0": "bus-hang",
        "cp0": "message-delayed",
    }
    rest: Any = found["iop0_scsi0.disk0"].settings["faults"]
    assert [each["place"] for each in rest] == ["iop*_scsi0", "cp0", "iop0_scsi0.disk1"]


FLASH = {"base": "nvme-cluster", "machine__io_processors": 1, "machine__disks": 2}


def test_a_machine_of_flash_is_tried_with_other_flash_alone(tmp_path: Path) -> None:
    nodes = [{"role": "compute"}, {"role": "io", "buses": [{"drives": [{"count": 2}]}]}, {"role": "compute"}]
    base = effective_config(Point({"base": "nvme-cluster", "machine.nodes": nodes}))
    found = list(candidates(machine_in("cluster", base, tmp_path)).changes)
    assert {"AWS i3", "Intel SSD DC P4610, 1.6 TB"} & set(to(found, "machine.nvme"))
    assert to(found, "machine.nvme.link.lanes") == ["8", "2"]
    absent = ("machine.disk.", "machine.bus", "machine.spindles")
    assert not [each for each in found if each.path.startswith(absent) or each.path == "machine.disk"]


def test_flash_that_differs_from_its_data_sheet_is_put_back(tmp_path: Path) -> None:
    drive = effective_config(Point({"base": "nvme-cluster"}))["machine"]["nvme"]
    found = changes(tmp_path, "cluster", **FLASH, machine__nvme={**drive, "dies": 1, "queue_depth": 2})
    back = [str(each) for each in found if each.work == BACK]
    assert sorted(back) == [
        "machine.nvme.dies: 1 -> 128",
        "machine.nvme.queue_depth: 2 -> 1024",
        "machine.nvme: queue_depth 2, dies 1 -> as sold, queue_depth 1024, dies 128",
    ]


def test_a_failed_drive_of_a_store_is_replaced(tmp_path: Path) -> None:
    store = {"kind": "raid5", "failed": [1]}
    found = changes(tmp_path, machine__disks=6, file_system__store=store)
    [back] = [each for each in found if each.path == "file_system.store.failed"]
    assert (str(back), back.work, back.kind) == ("file_system.store.failed: [1] -> []", BACK, "part")


def test_a_rate_that_the_drives_exceed_is_tried(tmp_path: Path) -> None:
    """The simulator warns that the bus sets their pace, which is what is to be changed."""
    found = changes(tmp_path, machine__disk="cheetah9LP", machine__bus__data_rate="4MB/s")
    assert to(found, "machine.bus.data_rate") == ["10MB/s", "8MB/s"]


def test_what_differs_from_a_base_and_from_the_preset_behind_it_is_put_back(tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    base.write_text('{"schema": "sunstar/1", "base": "torus", "machine": {"bus": {"data_rate": "5MB/s"}}}')
    found = changes(tmp_path, base=str(base), machine__bus__data_rate="1MB/s")
    assert to(found, "machine.bus.data_rate") == ["5MB/s", "10MB/s", "2MB/s"]


def test_copies_and_checks_take_drives(tmp_path: Path) -> None:
    found = {each.to: each for each in changes(tmp_path, machine__disks=8) if each.path == "file_system.store.kind"}
    assert {kind: (each.kind, each.added) for kind, each in found.items() if kind in ("mirror", "raid5", "raid6")} == {
        "mirror": ("part", 1.0),
        "raid5": ("part", pytest.approx(1 / 3)),
        "raid6": ("part", 1.0),
    }


def test_a_doubling_is_repeated_until_the_machine_has_no_more(tmp_path: Path) -> None:
    machine = machine_in("torus", effective_config(Point({**SMALL, "machine.disks": 8})), tmp_path)
    [buses] = [each for each in candidates(machine).changes if each.path == "buses"]
    again = once_more(machine, buses)
    assert again and (again.was, again.to) == ("2", "8, the drives halved")
    assert once_more(machine, again) is None  # a drive on each
    [fewer] = [each for each in candidates(machine).changes if str(each) == "file_system.block_size: 8KiB -> 4KiB"]
    less = once_more(machine, fewer)
    assert less and less.to == "2KiB" and (least := once_more(machine, less)) and least.to == "1KiB"
    assert once_more(machine, Change("file_system.kind", "pvfs", "galley", {}, "setting")) is None


def test_a_bound_of_the_critical_path_is_that_of_its_stages_and_all_waiting() -> None:
    path = [
        Stage(stage=name, time_s=share, time_ps=0, share=share, waits=waits)
        for name, share, waits in (
            ("bus_data", 0.5, False),
            ("disk_rotation", 0.2, True),
            ("disk_transfer", 0.3, False),
        )
    ]
    bus = Change("bus", "1", "2", {}, "part", 1.0, ("bus_data",), 2.0)
    assert bus.at_most(path) == pytest.approx(1 / (1 - 0.25 - 0.2))
    assert Change("policy", "a", "b", {}, "setting").at_most(path) is None
