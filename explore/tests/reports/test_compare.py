# SPDX-License-Identifier: MIT
"""sunstar compare, on recorded results and on sweeps of a real simulator."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar
from recorded import machine_document

from sunstar.configurations import changes
from sunstar.reports.compare import Kind, kinds, moved
from sunstar.reports.curves import curves_of
from sunstar.reports.gathering import gather
from sunstar.structure import kind_of


def written(path: Path, throughputs: list[float], **more: Any) -> str:  # noqa: ANN401
    """A result whose trials have these throughputs."""
    document = machine_document(throughputs[0], **more)
    [trial] = document["trials"]
    document["trials"] = [
        {**trial, "seed": seed, "throughput": {"mib_per_s": value, "medium_mib_per_s": value}}
        for seed, value in enumerate(throughputs, start=1)
    ]
    path.write_text(json.dumps(document))
    return str(path)


def test_equal_runs_end_with_exit_code_0(sunstar: Sunstar, tmp_path: Path) -> None:
    a = written(tmp_path / "a.json", [10, 11, 12])
    done = sunstar("compare", a, a)
    assert done.exit_code == 0, done.output
    assert "equal within noise: 0 of 22 figures differ" in done.stdout


def test_differences_as_large_as_those_between_trials_are_noise(sunstar: Sunstar, tmp_path: Path) -> None:
    a, b = written(tmp_path / "a.json", [10, 11, 12]), written(tmp_path / "b.json", [10.5, 11.5, 11])
    done = sunstar("compare", a, b)
    assert done.exit_code == 0, done.output
    assert "within noise" in done.stdout
    assert "Welch's t-test takes trials as independent" in done.stdout


def test_larger_ones_are_not_and_what_else_differs_is_shown(sunstar: Sunstar, tmp_path: Path) -> None:
    disk = "machine.iop0_scsi0.disk0.utilisation"
    a = written(tmp_path / "a.json", [10, 11, 12], statistics={disk: 0.5}, config={"machine": {"disks": 2}})
    b = written(tmp_path / "b.json", [30, 31, 32], statistics={disk: 0.75}, config={"machine": {"disks": 4}})
    done = sunstar("compare", a, b)
    assert done.exit_code == 1
    assert "+181.8 %" in done.stdout
    assert "different: 2 of 22 figures differ at p < 0.05" in done.stdout
    assert "machine.disks │ 2 │ 4" in done.stdout
    told = json.loads(sunstar("compare", a, b, "--json").stdout)
    assert told["different"] is True
    first = told["figures"][0]
    assert (first["figure"], first["a"], first["b"], first["trials"]) == ("result.throughput.mib_per_s", 11, 31, [3, 3])
    assert first["p"] < 0.001
    assert [each["path"] for each in told["parameters"]] == ["machine.disks"]
    assert told["resources"][0]["kind"] == "machine.iop*_scsi*.disk*.utilisation"
    assert sunstar("compare", a, b, "--figure", "result.messages").exit_code == 0


def test_a_figure_of_one_side_stands_there_with_its_value_and_no_interval_goes_below_nothing(
    sunstar: Sunstar, tmp_path: Path
) -> None:
    a, b = written(tmp_path / "a.json", [1, 20, 3]), written(tmp_path / "b.json", [4, 1, 2])
    document = json.loads(Path(b).read_text())
    for trial in document["trials"]:
        trial["faults"] = {"injected": 7}
    Path(b).write_text(json.dumps(document))
    done = sunstar("compare", a, b)
    assert "only in B: result.faults.injected, 7\n" in done.stdout
    assert "-100 to +" in done.stdout  # of 8: 5.7 less, give or take 25


def test_a_single_trial_has_no_significance_and_the_command_says_so(sunstar: Sunstar, tmp_path: Path) -> None:
    a, b = written(tmp_path / "a.json", [10]), written(tmp_path / "b.json", [10.5])
    done = sunstar("compare", a, b)
    assert done.exit_code == 1
    assert "differs (no test)" in done.stdout
    assert "With one trial, any difference may be noise" in done.stdout


def test_what_the_machines_do_comes_before_what_they_are(sunstar: Sunstar, tmp_path: Path) -> None:
    a, b = (written(tmp_path / f"{name}.json", [10]) for name in "ab")
    for name, clock, kind in ((a, "50MHz", "galley"), (b, "51MHz", "hybrid")):
        other = json.loads(Path(name).read_text())
        other["config"] = {"machine": {"node": {"clock": clock}}, "file_system": {"kind": kind}}
        Path(name).write_text(json.dumps(other))
    said = sunstar("compare", a, b, "--figure", "throughput.mib_per_s")
    assert said.exit_code == 2
    assert "did you mean result.throughput.mib_per_s?" in said.stderr
    text = sunstar("compare", a, b).stdout
    assert text.index("file_system.kind") < text.index("machine.node.clock")
    assert "A has the file system galley and B hybrid: not only the machines differ" in text
    written(Path(b), [5000])
    assert "500x" in sunstar("compare", a, b, "--figure", "result.throughput.mib_per_s").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.json", "none.json"], 3, "there is no file none.json, and no sweep none.json in "),
        (["{a}", "{broken}"], 3, "broken.json is not a result: "),
        (["{a}", "{network}"], 3, "compare runs of one program"),
        (["{a}", "{a}", "--alpha", "0"], 2, "--alpha 0: it must be greater than 0"),
        (["{a}", "{a}", "--figure", "result.x"], 2, "--figure result.x: there is no such figure; there are result.thr"),
        (["{folder}", "{a}"], 3, "is not a sweep's: it has no runs.parquet"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    arguments: list[str], code: int, said: str, sunstar: Sunstar, tmp_path: Path
) -> None:
    written(tmp_path / "a.json", [10])
    network = {**json.loads((tmp_path / "a.json").read_text()), "platform": "sunstar-sp2"}
    (tmp_path / "network.json").write_text(json.dumps(network))
    (tmp_path / "broken.json").write_text("[1]")
    names = {name: str(tmp_path / f"{name}.json") for name in ("a", "broken", "network")}
    done = sunstar("compare", *(each.format(folder=tmp_path, **names) for each in arguments))
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_two_sweeps_are_compared_point_by_point_with_seeds_as_samples(sunstar: Sunstar, tmp_path: Path) -> None:
    for name, pattern, loads in (("a", "uniform", [0.1, 0.2]), ("b", "uniform", [0.1, 0.3]), ("c", "tornado", [0.1])):
        spec = {
            "platform": "network",
            "config": {"schema": "sunstar/1", "workload": {"warm_up": 0, "measured": 200, "pattern": pattern}},
            "parameters": {"grid": {"workload.load": loads}},
            "repetitions": {"seeds": [1, 2, 3]},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(spec))
        assert sunstar("sweep", str(tmp_path / f"{name}.json")).exit_code == 0
    told = json.loads(sunstar("compare", "a", "b", "--json").stdout)
    assert (told["points"], told["trials"]) == (1, [3, 3])
    assert (told["only_a"], told["only_b"]) == (["workload.load=0.2"], ["workload.load=0.3"])
    assert not any(each["verdict"].startswith("differs") for each in told["figures"])
    done = sunstar("compare", "a", "c")
    assert done.exit_code == 1
    assert "workload.pattern │ uniform │ tornado │" in done.stdout
    assert "compare two result files, or two sweeps" in sunstar("compare", "a", str(told_file(tmp_path))).stderr


def test_a_seed_that_several_runs_of_a_point_try_counts_once(sunstar: Sunstar, tmp_path: Path, results: Path) -> None:
    for name, seeds in (("a", [1, 2, 3]), ("b", [5])):
        spec = {
            "platform": "network",
            "config": {"schema": "sunstar/1", "workload": {"warm_up": 0, "measured": 200}},
            "parameters": {"grid": {"workload.load": [0.1, 0.2]}},
            "repetitions": {"trials": 3, "seeds": seeds},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(spec))
        assert sunstar("sweep", str(tmp_path / f"{name}.json")).exit_code == 0
    assert json.loads(sunstar("compare", "a", "b", "--json").stdout)["trials"] == [5, 3]
    [drawn] = curves_of(gather(["a"], results, 0), None, ["result.accepted"])
    [line] = drawn.lines
    assert [spot.values for spot in line.spots] == [5, 5]


def told_file(folder: Path) -> Path:
    return Path(written(folder / "file.json", [1]))


def test_lists_of_objects_are_compared_one_by_one_if_they_are_of_one_length() -> None:
    def nodes(*roles: str) -> dict[str, Any]:
        return {"machine": {"nodes": [{"role": role} for role in roles], "disks": 2}, "run": {"jobs": len(roles)}}

    [changed] = changes(nodes("io", "io"), nodes("io", "both"))
    assert (changed.path, changed.a, changed.b) == ("machine.nodes.1.role", "io", "both")
    assert [each.path for each in changes(nodes("io"), nodes("io", "io"))] == ["machine.nodes"]


def test_resources_of_a_kind_stand_together() -> None:
    assert kind_of("machine.iop12_scsi0.disk3.reads") == "machine.iop*_scsi*.disk*.reads"
    assert kind_of("machine.network.router7.up0_utilisation") == "machine.network.router*.up0_utilisation"
    found = kinds({f"machine.cp{i}.cpu.interrupts": {"value": v, "unit": "1"} for i, v in enumerate([1, 5])})
    [kind] = found.values()
    assert (kind.resources, kind.mean) == (2, 3)
    # 6 s of response times in 2 s: 3 commands are waiting or under way at a time.
    waits = kinds({"machine.iop0.host_adapter0.initiator.response_time": {"value": 6, "unit": "s"}}, 2)
    assert waits["machine.iop*.host_adapter*.initiator.queue_length"].mean == 3
    assert not kinds({"machine.cp0.cycles.main.copy": {"value": 1, "unit": "cycles"}})


def test_statistics_by_kind_of_part_compare_like_those_by_part() -> None:
    # 1 + 5 interrupts are a mean of 3 over 2 processors.
    by_kind = {"value": 3, "unit": "1", "parts": 2, "min": 1, "max": 5, "sum": 6}
    by_part = {f"machine.cp{i}.cpu.interrupts": {"value": v, "unit": "1"} for i, v in enumerate([1, 5])}
    assert kinds({"machine.cp*.cpu.interrupts": by_kind}) == kinds(by_part)
    # Three processors with 1 and one with 5: a mean of 2 over 4.
    three, one = ({"value": value, "unit": "1", "parts": parts} for value, parts in ((1, 3), (5, 1)))
    [kind] = kinds({"machine.cp*.cpu.interrupts": three, "machine.cp3.cpu.interrupts": one}).values()
    assert (kind.resources, kind.mean) == (4, 2)


def test_means_that_differ_in_their_last_digits_are_equal() -> None:
    one, other = ({"machine.cp*.bus.utilisation": Kind(16, mean, "fraction")} for mean in (0.1 + 0.2, 0.3))
    assert one != other and moved([one], [other]) == []
    assert moved([one], [{"machine.cp*.bus.utilisation": Kind(16, 0.3001, "fraction")}])
