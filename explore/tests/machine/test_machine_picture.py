# SPDX-License-Identifier: MIT
from typing import Any

from sunstar import run
from sunstar.machine.picture import Picture, coordinates, names_of, picture_of
from sunstar.places import project

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


def test_no_box_lies_on_another_and_all_are_in_the_picture() -> None:
    picture = drawn("torus", SMALL)
    boxes = [box for box in picture.boxes if box.shape != "frame"]
    for i, a in enumerate(boxes):
        assert a.x >= 0 and a.x + a.width <= picture.width and a.y >= 0 and a.y + a.height <= picture.height
        for b in boxes[:i]:
            apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
            assert apart, (a, b)


def test_nodes_on_a_switch_have_ports_and_those_on_a_hub_share_it() -> None:
    switch = drawn("sp2", SMALL)
    assert len(names(switch, "port")) == len(names(switch, "cpu")) == 32
    assert names(drawn("cluster", {}), "port") == ["machine.network.hub"]


def test_a_network_and_a_drive_alone_are_drawn_as_well() -> None:
    network = drawn("network", {"workload.warm_up": 0, "workload.measured": 100, "machine.network.shape": [3, 2, 2]})
    assert len(names(network, "router")) == 2 * 12 and len(names(network, "link")) == 6 * 12
    drive = drawn("disk", {"workload.requests": 10})
    assert names(drive, "work")[2] == "machine.disk.seek"


def test_routers_are_numbered_with_the_first_dimension_running_first() -> None:
    assert list(coordinates([2, 3]))[:3] == [(0, 0), (1, 0), (0, 1)]


def test_nodes_are_named_as_their_statistics_are() -> None:
    roles = ["both", "compute", "io", "compute"]
    assert names_of([{"role": role} for role in roles]) == ["node0", "cp1", "iop1", "cp2"]
    assert picture_of({}, {}, None) is None
