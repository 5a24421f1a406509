# SPDX-License-Identifier: MIT
"""sunstar import drive: a made-up description, and the real ones where they are."""

import gzip
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.drives import known
from sunstar.drives.importing import Import
from sunstar.drives.parv import Description
from sunstar.places import shared
from sunstar.quantities import Quantity

WHOLE = Path(__file__).with_name("drive.parv").read_text()
"""Every parameter that the import knows, with the values of no real drive, in one file."""
SEEKS = "Seek distances measured: 2\n1,\t1.5\n29, 10\n"
EXTRACTED = "Seek type = extracted, Full seek curve = drive.seek"


def parted(name: str = "Made_up_model") -> dict[str, str]:
    """The description in a file of each kind. Its model, a value, has this name in its file."""
    begin, specs, end = WHOLE.index("disksim_disk Made"), WHOLE.index("dm_disk"), WHOLE.index("instantiate")
    model = WHOLE.index(", Per-request")
    return {
        "drive.parv": f"{WHOLE[:begin]}source drive.diskspecs\n{WHOLE[end:]}",
        "drive.diskspecs": f"{WHOLE[begin:specs]}source drive.model{WHOLE[model:end]}",
        "drive.model": WHOLE[specs:model].replace("dm_disk", f"dm_disk {name}"),
        "drive.seek": SEEKS,
    }


def put(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder / "drive.parv"


def imported(folder: Path, what: str = "", by: str = "") -> dict[str, Any]:
    assert what in WHOLE
    file = put(folder, {"drive.parv": WHOLE.replace(what, by), "drive.seek": SEEKS})
    done = CliRunner().invoke(app, ["import", "drive", str(file)])
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(file: Path, *options: str, code: int = 3) -> str:
    """What is said of a file, without the name of its folder."""
    done = CliRunner().invoke(app, ["import", "drive", str(file), *options])
    assert done.exit_code == code, done.output
    return done.stderr.removeprefix("sunstar: ").replace(f"{file.parent}/", "").strip()


def test_every_parameter_of_a_description_is_imported(tmp_path: Path) -> None:
    found = imported(tmp_path)
    source = found.pop("source")
    assert source.startswith("imported from drive.parv; assumed because not described: 512-byte sectors, ")
    assert source.endswith("; 1 remapped sectors are read at their original places")
    # 0.1 ms a request, then the overheads times two.
    decoding = {"read_hit": (2100, 2300), "read_miss": (2500, 2700), "write_hit": (2900, 3100)}
    decoding["write_miss"] = (3300, 3500)
    overheads: dict[str, Any] = {f"{of}_after_read": f"{read / 1e3:g}ms" for of, (read, _) in decoding.items()}
    overheads |= {f"{of}_after_write": f"{write / 1e3:g}ms" for of, (_, write) in decoding.items()}
    # After a pause a hit costs what it costs after the other kind, and a miss as much more, but no less.
    overheads |= {"pause": "5ms", "read_hit_after_pause": "2.3ms", "read_miss_after_pause": "2.7ms"}
    overheads |= {"write_hit_after_pause": "2.9ms", "write_miss_after_pause": "3.5ms"}
    overheads |= {"read_completion": "200us", "write_completion": "400us", "data_preparation": "600us"}
    overheads |= {"first_reselection": "800us", "other_reselection": "1ms", "read_disconnect_after_read": "1.2ms"}
    overheads |= {"read_disconnect_after_write": "1.4ms", "write_disconnect": "1.6ms", "write_reconnects": True}
    overheads |= {"reconnect_command": "1.9ms", "reconnect_disconnect": "20us", "reconnect_delay": "40us"}
    overheads |= {"reconnect_second_disconnect": "60us", "minimum_seek_delay": "80us"}
    assert found.pop("overheads") == overheads
    assert found.pop("zones") == [
        {"skipped_cylinders": 0, "cylinders": 10, "sectors_per_track": 20, "track_skew": 5, "cylinder_skew": 7}
        | {"offset": 3, "reserved": 40, "spares": 6, "slipped": [50, 90]},
        {"skipped_cylinders": 1, "cylinders": 19, "sectors_per_track": 10, "track_skew": 2, "cylinder_skew": 3}
        | {"offset": 0, "reserved": 0, "spares": 0, "slipped": []},
    ]
    seek = found.pop("seek")
    assert seek["table"] == [{"cylinders": 1, "time": "1.5ms"}, {"cylinders": 29, "time": "10ms"}]
    assert seek["beyond_table"] == "last-two-points"
    # The bus of the disk, bus2, is of the type BUSA; the drive's own transfers of reads are slower.
    assert found.pop("rig") == {"counts": "alone", "read_sector": "250us", "write_sector": "300us"}
    expected = {"name": "Made up", "heads": 2, "sector_size": "512B", "rpm": 6000, "sectors": 500}
    expected |= {"mapping": "serpentine", "sparing": "sectors-at-range-end", "spare_range": 5}
    expected |= {"slipped_use_spares": True, "head_switch": "1ms", "read_settle": "500us", "write_settle": "0s"}
    expected |= {"segments": 4, "write_segments": 2, "separate_write_segment": True, "buffer_size": "128KiB"}
    expected |= {"read_fence": "128KiB", "write_fence": "64KiB", "write_buffer": "64KiB", "read_watermark": 0.5}
    expected |= {"write_watermark": 0.5, "immediate_reporting": "always", "read_ahead": "until-cylinder-end"}
    expected |= {"read_ahead_after": "any-read", "least_read_ahead": 3, "most_read_ahead": 40}
    expected |= {"read_ahead_after_hit": False, "read_ahead_over_request": True, "read_ahead_stop": "after-sector"}
    expected |= {"read_before_request": False, "reuse_sent_data": False, "reuse_written_data": True}
    assert {name: found[name] for name in expected} == expected


def test_parts_may_lie_in_files_of_their_own_and_a_value_in_one_needs_no_name(tmp_path: Path) -> None:
    whole = imported(tmp_path)
    for name in ("Made_up_model", ""):
        files = {**parted(name), "drive.values": "[ 90, 50 ]"}
        files["drive.model"] = files["drive.model"].replace("[ 90, 50 ]", "source drive.values")
        found = json.loads(CliRunner().invoke(app, ["import", "drive", str(put(tmp_path, files))]).stdout)
        assert found.pop("source").startswith("imported from drive.parv, drive.diskspecs, drive.model; ")
        assert found == {key: value for key, value in whole.items() if key != "source"}


def test_a_description_without_a_bus_leaves_the_rate_to_the_bus_of_the_drive(tmp_path: Path, sunstar: Sunstar) -> None:
    put(tmp_path, parted())
    packed = tmp_path / "packed.diskspecs"
    packed.write_bytes(gzip.compress((tmp_path / "drive.diskspecs").read_bytes()))
    found = json.loads(sunstar("import", "drive", str(packed)).stdout)
    assert found["rig"]["write_sector"] == "250us"
    assert "; no bus described: the bus to which the drive is attached sets the transfer rate" in found["source"]
    found = json.loads(sunstar("import", "drive", str(packed), "--rig-rate", "5MB/s").stdout)
    assert found["rig"] == {"counts": "alone", "read_sector": "102.4us", "write_sector": "102.4us"}
    assert "; the rig's bus carried 5 MB/s, not the described 250 us a sector" in found["source"]
    for rate in ("5MB", "0MB/s", "fast"):
        assert refused(packed, "--rig-rate", rate, code=2) == f"--rig-rate {rate} is not a rate, as in 5MB/s"


def test_of_several_drives_the_first_is_taken_and_the_others_are_named(tmp_path: Path, sunstar: Sunstar) -> None:
    disk = WHOLE[WHOLE.index("disksim_disk Made") : WHOLE.index("instantiate")]
    other = disk.replace("Made_up_validate", "Other").replace("(in rpms) = 6000", "(in rpms) = 5400")
    file = put(tmp_path, {"drive.parv": other + WHOLE, "drive.seek": SEEKS})
    done = sunstar("import", "drive", str(file))
    assert done.stderr.strip() == "taken: the first of 2 drives; --drive Other takes another"
    assert json.loads(done.stdout)["rpm"] == 6000  # the one in the topology
    done = sunstar("import", "drive", str(file), "--drive", "Other")
    assert json.loads(done.stdout)["rpm"] == 5400
    assert "no bus described" in json.loads(done.stdout)["source"]
    assert not done.stderr
    assert refused(file, "--drive", "x") == "drive.parv: --drive x: it must be Made_up_validate or Other"
    g4 = put(tmp_path, {"drive.parv": WHOLE.replace("dm_layout_g1 {", "dm_layout_g4 {")})
    assert refused(g4) == 'drive.parv:8: the layout "dm_layout_g4" is not modelled; only dm_layout_g1 is'


def test_the_file_that_is_written_is_the_same_drive(tmp_path: Path, sunstar: Sunstar) -> None:
    file = tmp_path / "made.json"
    done = sunstar("import", "drive", str(put(tmp_path, parted())), "--output", str(file))
    assert done.exit_code == 0, done.stderr
    assert known("disk", str(file), "the file") == json.loads(file.read_text())


def test_seek_curves_can_also_be_formulas(tmp_path: Path) -> None:
    values = "HPL seek equation values = [ 300, 3.0, 0.5, 7.0, 0.01, -1 ]"
    hpl = imported(tmp_path, EXTRACTED, f"Seek type = hpl, {values}")["seek"]
    formula = {"short_constant": "3ms", "short_root": "500us", "long_constant": "7ms", "long_slope": "10us"}
    assert hpl == formula | {"short_limit": 299, "beyond_table": "formula", "table": []}
    one = imported(tmp_path, EXTRACTED, f"Seek type = hpl, {values}".replace("-1", "2"))["seek"]
    assert one["table"] == [{"cylinders": 1, "time": "2ms"}]
    ten = f"Seek type = hplplus10, {values}, First ten seek times = [ 1,2,3,4,5,6,7,8,9,10 ]"
    table = imported(tmp_path, EXTRACTED, ten)["seek"]["table"]
    assert table == [{"cylinders": i, "time": f"{i}ms"} for i in range(1, 11)]
    constant = imported(tmp_path, EXTRACTED, "Seek type = constant, Average seek time = 6")["seek"]["table"]
    assert {point["time"] for point in constant} == {"6ms"}
    lee = "Seek type = curve, Single cylinder seek time = 2, Average seek time = 8, Full strobe seek time = 15"
    table = imported(tmp_path, EXTRACTED, lee)["seek"]["table"]
    assert table[0] == {"cylinders": 1, "time": "2ms"}
    # Over 29 cylinders n = 29: root (-20 + 120 - 75) / (3 sqrt 29), slope (14 - 120 + 120) / 87; the last has 28 steps.
    assert table[-1]["cylinders"] == 29
    last = 25 / (3 * 29**0.5) * 28**0.5 + 14 / 87 * 28 + 2
    assert float(table[-1]["time"].removesuffix("ms")) == pytest.approx(last)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"Enable caching in buffer": 0}, {"read_ahead": "off", "reuse_written_data": False}),
        ({"Read-ahead over requested": 0}, {"read_ahead_over_request": False, "reuse_sent_data": True}),
        ({}, {"read_ahead": "until-next-track-end", "read_ahead_after": "any-read"}),
        ({"Segment size (in blks)": 19}, {"read_ahead_after": "sequential-read"}),  # a track has 20
        ({"Read any free blocks": 1}, {"read_ahead": "until-track-end", "read_ahead_after": "any-read"}),
        ({"Number of buffer segments": 1}, {"separate_write_segment": False, "write_segments": 1}),
        ({"Extra write disconnect": 0}, {"write_watermark": 0.75}),
    ],
)
def test_what_a_buffer_does_follows_from_several_keys(
    tmp_path: Path, keys: dict[str, int], expected: dict[str, Any]
) -> None:
    text = WHOLE
    for key, value in {"Buffer continuous read": 4, **keys}.items():
        assert f"{key} = " in text
        text = re.sub(rf"{re.escape(key)} = \d+", f"{key} = {value}", text)
    found = json.loads(
        CliRunner()
        .invoke(app, ["import", "drive", str(put(tmp_path, {"drive.parv": text, "drive.seek": SEEKS}))])
        .stdout
    )
    assert {name: found[name] for name in expected} == expected


def test_a_head_switch_that_no_head_can_perform_is_inferred_and_the_drive_says_so(tmp_path: Path) -> None:
    # 2 of 10 sectors at 10 ms a revolution are 2 ms; a seek to the next cylinder takes 1.5 ms.
    found = imported(tmp_path, "Head switch time = 1.0", "Head switch time = 0.1")
    assert found["head_switch"] == "1.5ms"
    assert "head switch time inferred: the described 100us is less" in found["source"]


@pytest.mark.parametrize(
    ("file", "what", "by", "sentence"),
    [
        ("specs", "level = 2", "level = 3", '8: Fast write level is "3"; it must be a number between 0 and 2'),
        (
            "specs",
            "Fast write level",
            "Fast write levle",
            '1: the block disksim_disk Made_up_validate has no "Fast write level"; did you mean "Fast write levle"?',
        ),
        ("model", "surfaces = 2", "surfaces = two", '2: Number of data surfaces is "two"; it must be a number'),
        ("model", "surfaces = 2", "surfaces = 1.5", '2: Number of data surfaces is "1.5"; it must be a whole number'),
        ("model", "surfaces = 2", "surfaces = [ 2 ]", "2: Number of data surfaces is a list; it must be a number"),
        (
            "model",
            "used = 8",
            "used = 5",
            '4: Sparing scheme used is "5"; it must be one of 0, 1, 2, 3, 4, 6, 7, 8, 9; the others are not modelled',
        ),
        ("model", "g1 {", "g4 {", '3: the layout "dm_layout_g4" is not modelled; only dm_layout_g1 is'),
        ("model", "mech_g1", "mech_g2", '12: the mechanics "dm_mech_g2" is not modelled; only dm_mech_g1 is'),
        (
            "model",
            "number = 11",
            "number = 9",
            '9: First cylinder number is "9"; it must be from 10, since zones follow one another, to the last '
            "cylinder, 29",
        ),
        ("model", "per track = 10", "per track = 0", '9: Blocks per track is "0"; it must be at least 1'),
        (
            "model",
            "extracted",
            "guessed",
            '13: Seek type is "guessed"; it must be "extracted", "hpl", "hplplus10", "curve", "linear" or "constant"',
        ),
        ("parv", "as BUSA", "is BUSA", "7: as is expected here, not 'is BUSA'"),
        ("parv", "{ type = 1,", "{ type = 1, type = 1,", '3: "type" is given twice'),
        ("parv", "specs", "none", '5: it sources "drive.disknone", and there is no file drive.disknone'),
    ],
)
def test_errors_have_file_line_value_and_what_is_allowed(
    tmp_path: Path, file: str, what: str, by: str, sentence: str
) -> None:
    files = parted()
    name = f"drive.{file.replace('specs', 'diskspecs')}"
    assert what in files[name]
    files[name] = files[name].replace(what, by, 1) if what != "number = 11" else files[name].replace(what, by)
    assert refused(put(tmp_path, files)) == f"{name}:{sentence}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x", "drive.parv:1: left brace or name is expected here; the file ends"),
        (
            "disksim_disk x { a = 1",
            "drive.parv:1: key, left brace or right brace is expected here; the file ends",
        ),
        ("\x7fELF\x02\0", "drive.parv:1: left brace or name is expected here; the file ends"),
        ("", "drive.parv: there is no block disksim_disk in it or in what it sources"),
        ("source drive.parv", "drive.parv: files source one another without end"),
        ("topology disksim_disk d []", 'drive.parv: the topology has "d", which nothing instantiates'),
    ],
)
def test_a_text_that_is_no_description_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    assert refused(put(tmp_path, {"drive.parv": text})) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1, 2.0\n1, 3.0\n", "drive.seek:2: a line must be a distance in cylinders, greater than the one before it, "),
        ("1 two\n", "drive.seek:1: a line must be a distance in cylinders, "),
        ("", "drive.seek: it has 0 seek times; it may have been cut off"),
        (
            "Seek distances measured: 3\n1, 2\n",
            "drive.seek: it has 1 seek times, and it says that there are 3; it may have been cut off",
        ),
    ],
)
def test_seek_times_are_in_order_and_all_there(tmp_path: Path, text: str, sentence: str) -> None:
    assert refused(put(tmp_path, {**parted(), "drive.seek": text})).startswith(sentence)


def test_what_the_simulator_refuses_names_the_description(tmp_path: Path) -> None:
    files = parted()
    files["drive.model"] = files["drive.model"].replace("Block count = 500", "Block count = 5000")
    assert refused(put(tmp_path, files)) == "drive.parv: machine.disk.sectors is 5000; the zones hold 728."


def test_a_description_sources_files_of_its_folder_only_wherever_links_lead(
    tmp_path: Path, sunstar: Sunstar, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    file = put(here, parted())
    (here / "drive.seek").rename(elsewhere / "drive.seek")
    monkeypatch.chdir(here)
    for named in (file, Path("drive.parv")):  # a relative path that does not exist is no link to elsewhere
        assert 'it sources "drive.seek", and there is no file' in refused(named)
    (here / "drive.seek").symlink_to(elsewhere / "drive.seek")
    outside = f'it sources "drive.seek", which is not in the folder {here}; --source-anywhere allows that'
    assert refused(file) == f"drive.model:13: {outside}"
    assert sunstar("import", "drive", str(file), "--source-anywhere").exit_code == 0
    below = {f"sub/{name}": text for name, text in parted().items() if name != "drive.parv"}
    file = put(here, below | {"drive.parv": parted()["drive.parv"].replace("source ", "source sub/")})
    assert sunstar("import", "drive", str(file)).exit_code == 0


def test_an_imported_drive_does_not_overwrite_a_file_of_which_it_is_made(tmp_path: Path) -> None:
    files = parted()
    file = put(tmp_path, files)
    for name, text in files.items():
        said = refused(file, "--output", str(tmp_path / name))
        assert said == f"cannot write {name}: it is also an input; name another file"
        assert (tmp_path / name).read_text() == text


CATALOGUE = ["atlas10k", "atlas_III", "barracuda", "cheetah4LP", "cheetah9LP", "dec_rz26", "hp_c2247a", "hp_c2490a"]
CATALOGUE += ["hp_c3323a", "hplajw", "ibm18es", "st41601n"]


@pytest.mark.parametrize("drive", [*CATALOGUE, "hp_c2249a", "hp_c3323a_5400"])
def test_the_catalogue_holds_what_the_import_makes_of_the_descriptions(drive: str) -> None:
    folder = shared() / "disks" / "parameters"
    if not folder.exists():
        pytest.skip("the drives' descriptions are not beside the repository")
    file = folder / (f"{drive}.parv" if drive in CATALOGUE else f"{drive.removesuffix('_5400')}.diskspecs")
    # Hits and writes of the three drives with a bulk transfer time and traces show a bus of 5 MB/s.
    made = known("disk", Import(Description(file), None, Quantity(5e6, "B/s")).drive(), str(file))
    listed = known("disk", drive, drive)
    if drive == "hp_c3323a_5400":  # The drive of a simulator, which knows no pauses
        made["overheads"]["pause"] = "1000s"
    # That of the data sheet: the descriptions do not have it.
    assert made | {"interface": listed["interface"]} == listed
