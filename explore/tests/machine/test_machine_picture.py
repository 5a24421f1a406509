# SPDX-License-Identifier: MIT
import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sunstar import Point, run
from sunstar.machine.picture import MOST_TILES, Box, Picture, coordinates, drawing_of, picture_of, together
from sunstar.places import project
from sunstar.runs.simulator import effective_config
from sunstar.structure import machine_of

SMALL = {"workload.file_size": "256KiB"}


def drawn(platform: str, settings: dict[str, Any], **options: Any) -> Picture:  # noqa: ANN401
    result = run(platform, settings, **options)
    picture = picture_of(result.config, result.statistics, 1.0)
    assert picture
    return picture


def names(picture: Picture, shape: str) -> list[str]:
    return [box.name for box in picture.boxes if box.shape == shape]


def test_a_torus_is_drawn_with_each_node_at_its_place() -> None:
    picture = drawn("torus", SMALL, config=project() / "platforms" / "torus" / "examples" / "mixed.json")
    assert picture.what == "torus of 4 x 2 routers"
    frames = {box.name: box for box in picture.boxes if box.shape == "frame"}
    assert list(frames) == ["cp0", "cp1", "cp2", "iop1", "router4", "router5", "router6", "node3"]
    assert frames["iop1"].x == frames["node3"].x > frames["cp2"].x
    assert frames["iop1"].y < frames["node3"].y
    assert len(names(picture, "disk")) == 8 and len(names(picture, "scsi")) == 3
    assert len(names(picture, "link")) == 8 * 4  # up and down in two dimensions
    assert all(box.value is not None for box in picture.boxes if box.shape != "frame")


def test_statistics_by_kind_give_every_part_the_mean_of_its_kind() -> None:
    mixed = project() / "platforms" / "torus" / "examples" / "mixed.json"
    by_part, by_kind = (drawn("torus", {**SMALL, "run.statistics": by}, config=mixed) for by in ("part", "kind"))
    assert [box.name for box in by_kind.boxes] == [box.name for box in by_part.boxes]
    each = {box.name: box.value or 0 for box in by_part.boxes if box.name.startswith("machine.cp")}
    [mean] = {box.value for box in by_kind.boxes if box.name.startswith("machine.cp") and box.shape == "cpu"}
    assert mean == pytest.approx(sum(each[f"machine.cp{i}.cpu"] for i in range(3)) / 3)


def large(compute: int, io: int, shape: list[int], disks: int) -> Picture:
    nodes = {"machine.compute_processors": compute, "machine.io_processors": io, "machine.disks": disks}
    picture = picture_of(effective_config(Point({**nodes, "machine.network.shape": shape})), {}, None)
    assert picture
    return picture


def test_the_nodes_of_a_large_machine_that_are_alike_share_a_tile() -> None:
    # 96 drives for 64 I/O processors: half of them have two.
    picture = large(512, 64, [26, 24], 96)
    frames = [box.label for box in picture.boxes if box.shape == "frame"]
    assert frames == ["cp0 and 511 alike", "iop0 and 31 alike", "iop32 and 31 alike", "network"]
    assert [box.label for box in picture.boxes if box.shape == "disk"] == ["disk0", "disk1", "disk0"]
    [up0, *_] = (box for box in picture.boxes if box.shape == "link")
    assert up0.label == "→" and len(up0.members) == 26 * 24
    assert "drawn once" in picture.key and "all routers" in dict(picture.legend)["link"]
    assert not any(box.members for box in large(256, 16, [17, 16], 16).boxes)


def test_the_picture_of_65536_nodes_fits_a_screen() -> None:
    picture = large(61440, 4096, [256, 256], 4096)
    assert len(picture.boxes) < 20 and picture.width < 80 and picture.height < 40
    assert len(json.dumps(drawing_of(picture))) < 10_000


def test_parts_that_are_alike_have_their_mean_and_name_the_busiest() -> None:
    boxes = [Box("cpu", 0, 0, 1, 1, f"machine.cp{i}.cpu", value) for i, value in enumerate([0.2, 0.4, None])]
    one = together(boxes)
    assert one.name == "machine.cp0.cpu and 2 alike" and one.label == "cpu"
    assert one.value == pytest.approx(0.3)
    assert one.more == "mean of 2; the most is 40.0 %, of machine.cp1.cpu"
    assert one.resources == [box.name for box in boxes] and boxes[0].resources == ["machine.cp0.cpu"]


FABRICS: dict[str, dict[str, Any]] = {
    "fat-tree": {"switch_ports": 8, "levels": 3},
    "oversubscribed": {"kind": "fat-tree", "switch_ports": 6, "oversubscription": 2, "half_top": True, "levels": 3},
    "one-switch": {"kind": "fat-tree", "switch_ports": 80},
    "dragonfly": {"groups": 5, "routers": 4, "nodes": 2, "global_links": 2},
}


@pytest.mark.parametrize("fabric", FABRICS)
def test_switches_are_drawn_with_the_channels_between_them(fabric: str) -> None:
    network = {f"machine.network.{name}": value for name, value in {"kind": fabric, **FABRICS[fabric]}.items()}
    result = run("sp2", {**SMALL, **network})
    picture = picture_of(result.config, result.statistics, 1.0)
    machine = machine_of(result.config)
    assert picture and machine and machine.network
    apart(picture)
    links = names(picture, "link")
    known = {name.removesuffix("_utilisation"): each["value"] for name, each in result.statistics.items()}
    between = [name for name in known if re.search(r"network\.(leaf|level|router).*\d$", name)]
    assert len(set(links)) == len(links) and set(links) <= set(between)
    assert all(name in links for name in between if known[name] > 0)  # others lead to switches that no node needs
    switches = machine.network.switches(32)
    assert [place for switch in switches for place in switch.places] == list(range(32))
    ends = {(switch.name.split()[0], way) for switch in switches for way in switch.channels.values()}
    back = {"→": "→", "⇒": "⇒", "↑": "↓", "↓": "↑"}
    for name, label in ends:
        way, number = label[0], label[1:]
        kind, _, own = re.sub(r"(\d+)$", r" \1", name).partition(" ")
        level = (int(kind[5:-1]) if kind.startswith("level") else 0) + {"↑": 1, "↓": -1}.get(way, 0)
        other = "router" if way in "→⇒" else f"level{level}_" if level else "leaf"
        assert (f"{other}{number}", f"{back[way]}{own}") in ends  # each link has both ways


@pytest.mark.parametrize(
    ("settings", "ways"),
    [
        ({"base": "slingshot-11-frontier"}, {"router →", "router ⇒"}),
        ({"machine.network.kind": "fat-tree"}, {"leaf ↑", "level1 ↑", "level1 ↓", "level2 ↓"}),
    ],
)
def test_switches_of_a_large_machine_share_a_tile(settings: dict[str, Any], ways: set[str]) -> None:
    network = effective_config(Point(settings, platform="cluster"))["machine"]["network"]
    nodes = [{"role": "compute", "place": [i], "buses": []} for i in range(1000)]
    picture = picture_of({"machine": {"nodes": nodes, "network": {**network, "levels": 3}}}, {}, None)
    assert picture
    apart(picture)
    assert {box.label for box in picture.boxes if box.shape == "link"} == ways


@pytest.mark.parametrize("drives", [1, 8])
@pytest.mark.parametrize("shape", [[2, 2], [4, 4], [9, 8], [16, 16], [2, 2, 2], [8, 8, 8]])
def test_no_box_lies_on_another_and_all_are_in_the_picture(shape: list[int], drives: int) -> None:
    half = math.prod(shape) // 2
    nodes = {"machine.compute_processors": half, "machine.io_processors": half, "machine.disks": drives * half}
    point = Point({**nodes, "machine.network.shape": shape}, platform="torus")
    picture = picture_of(effective_config(point), {}, None)
    assert picture
    if math.prod(shape) <= MOST_TILES:
        assert len(names(picture, "disk")) == drives * half and len(names(picture, "scsi")) == half
    apart(picture)


def apart(picture: Picture) -> None:
    boxes = [box for box in picture.boxes if box.shape != "frame"]
    x, y, width, height = np.array([(box.x, box.y, box.width, box.height) for box in boxes]).T
    assert min(x) >= 0 and max(x + width) <= picture.width and min(y) >= 0 and max(y + height) <= picture.height
    for i, box in enumerate(boxes):
        aside = (x[:i] + width[:i] <= box.x + 1e-9) | (box.x + box.width <= x[:i] + 1e-9)
        above = (y[:i] + height[:i] <= box.y + 1e-9) | (box.y + box.height <= y[:i] + 1e-9)
        assert all(aside | above), box


def test_every_part_is_named_with_and_without_a_share_and_the_legend_explains_every_outline() -> None:
    run_ = drawn("torus", SMALL, config=project() / "platforms" / "torus" / "examples" / "mixed.json")
    words = {box.name: box.words for box in run_.boxes}
    assert words["machine.network.router4.injection"].startswith("injection\n")
    assert words["machine.iop1_scsi1.disk2"].startswith("disk2\n")
    assert words["machine.iop1_scsi1.bus"].startswith("scsi1 ")
    assert [words[f"machine.network.router0.{way}"] for way in ("up0", "down0", "up1", "down1")] == list("→←↓↑")
    assert replace(run_.boxes[1], value=None).words == "cpu\n50MHz"
    assert replace(run_.boxes[1], value=None, width=2.5).words == "cpu"  # no room for more
    explained = dict(run_.legend)
    assert set(explained) == {box.shape for box in run_.boxes}
    assert explained["disk"].endswith("7 HP 97560; 1 HP 97560, faster spindle")
    assert "Fill: the share" in run_.key
    drive = picture_of({"machine": {"disk": {"name": "HP 97560"}}}, {}, None)
    assert drive and "nothing was measured" in drive.key


def test_nodes_on_a_switch_or_a_fat_tree_have_ports_and_those_on_a_hub_share_it() -> None:
    for fabric in ("switch", "fat-tree"):
        picture = drawn("sp2", {**SMALL, "machine.network.kind": fabric})
        assert len(names(picture, "port")) == len(names(picture, "cpu")) == 32
        assert all(box.value for box in picture.boxes if box.shape == "port")
    assert names(drawn("cluster", {}), "port") == ["machine.network.hub"]


def test_a_bus_of_ata_drives_is_called_so_and_a_machine_that_has_not_run_says_what_it_has() -> None:
    picture = picture_of(effective_config(Point(platform="cluster")), {}, None)
    assert picture
    of = {box.name: box for box in picture.boxes}
    assert of["machine.node0_scsi0.bus"].words == "ata0 66MB/s"
    assert of["machine.node0_scsi0.disk0"].words == "disk0\n20 GB ATA disk"
    assert of["machine.node0_scsi0.disk0"].width > 12  # the only one in its row fills it
    assert "ATA" in dict(picture.legend)["scsi"] and "SCSI" not in dict(picture.legend)["scsi"]


def test_a_network_and_a_drive_alone_are_drawn_as_well() -> None:
    network = drawn("network", {"workload.warm_up": 0, "workload.measured": 100, "machine.network.shape": [3, 2, 2]})
    assert len(names(network, "router")) == 2 * 12 and len(names(network, "link")) == 6 * 12
    drive = drawn("disk", {"workload.requests": 10})
    assert names(drive, "work")[2] == "machine.disk.seek"


def test_routers_are_numbered_with_the_first_dimension_running_first() -> None:
    assert list(coordinates([2, 3]))[:3] == [(0, 0), (1, 0), (0, 1)]


def test_nodes_are_named_as_their_statistics_are() -> None:
    nodes = [{"role": role, "place": [i], "buses": []} for i, role in enumerate(["both", "compute", "io", "compute"])]
    machine = machine_of({"machine": {"nodes": nodes}})
    assert machine and [node.name for node in machine.nodes] == ["node0", "cp1", "iop1", "cp2"]
    assert picture_of({}, {}, None) is None


def test_nvme_drives_are_drawn_below_their_links_with_what_their_dies_do() -> None:
    picture = drawn("cluster", {"base": "nvme-cluster", "workload.file_size": "4MiB"})
    of = {box.name: box for box in picture.boxes}
    assert len(names(picture, "disk")) == 32 and of["machine.iop3_pcie0"].words == "pcie0 PCIe 4 x4"
    assert of["machine.iop0_pcie0.disk7"].value and of["machine.iop0_pcie0.disk7"].more.startswith("dies ")
    legend = dict(picture.legend)
    assert legend["scsi"].startswith("pcie0") and "Samsung PM9A3" in legend["disk"]
