# SPDX-License-Identifier: MIT
"""sunstar compare, on recorded results and on sweeps of a real simulator."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar
from recorded import machine_document

from sunstar.configurations import changes
from sunstar.places import executable
from sunstar.reports.compare import Kind, kinds, moved
from sunstar.reports.curves import curves_of, gather
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
    assert "equal within noise: 0 of 23 figures differ" in done.stdout


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
    assert "different: 2 of 23 figures differ at p < 0.05" in done.stdout
    assert "counts │ 2 drives │ 4 drives │          1 │" in done.stdout
    assert "machine.disks" not in done.stdout
    assert "machine.disks │ 2 │ 4" in sunstar("compare", a, b, "--verbose").stdout
    assert "B moves 2.82 times as much a second as A\n" in done.stdout
    assert "A moves 2.82 times as much a second as B\n" in sunstar("compare", b, a).stdout
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


def test_any_two_machines_are_compared_by_what_they_have_in_common_and_by_part(
    sunstar: Sunstar, tmp_path: Path
) -> None:
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    for platform, name, base in (("torus", a, "torus"), ("cluster", b, "nvme-cluster")):
        arguments = ["--quiet", "--set", f"base={base}", "--set", "workload.file_size=1MiB", "--output", name]
        subprocess.run([executable(platform), *arguments], check=True)
    text = sunstar("compare", a, b).stdout
    order = ["B moves ", "throughput.mib_per_s", "elapsed_s", "verified", "machines, by part", "other figures"]
    assert [text.index(each) for each in order] == sorted(text.index(each) for each in order)
    rows = [[cell.strip() for cell in line.strip("│ ").split(" │ ")] for line in text.splitlines()]
    parts = {row[0]: row[1:3] for row in rows if len(row) == 4}
    assert parts["program"] == ["torus", "cluster"]
    assert parts["drives"] == ["HP 97560", "Samsung PM9A3, U.2"]
    assert parts["counts"] == ["16 compute, 16 I/O, 16 drives", "10 compute, 4 I/O, 32 drives"]
    assert parts["network"] == ["torus 6 x 6, 200MB/s", "fat-tree, 25GB/s"]
    assert parts["buses"] == ["SCSI 10MB/s", "PCIe 4 x4"]
    told = json.loads(sunstar("compare", a, b, "--json").stdout)
    assert not any(each["path"].startswith("machine.disk.rpm") for each in told["parameters"])


def test_lost_bytes_stand_beside_the_throughput_and_a_fault_that_never_struck_is_no_difference(
    sunstar: Sunstar, tmp_path: Path
) -> None:
    a, b = written(tmp_path / "a.json", [10]), written(tmp_path / "b.json", [11], bytes_lost=1712636)
    text = sunstar("compare", a, b).stdout
    assert "B moves 1.10 times as much a second as A; B loses 1.6333 MiB\n" in text
    assert "bytes_lost" in text and "1,712,636" in text
    document = json.loads(Path(a).read_text())
    document["trials"][0] |= {"faults": {"struck": 0}, "losses": {"cached_bytes": 0}}
    document["config"]["faults"] = [{"place": "iop3_scsi0.disk0", "effect": "dead"}]
    Path(b).write_text(json.dumps(document))
    done = sunstar("compare", a, b)
    assert done.exit_code == 0 and "faults │ no fault │ 1 dead" in done.stdout
    document["trials"][0]["faults"]["struck"] = 1
    Path(b).write_text(json.dumps(document))
    done = sunstar("compare", a, b)
    assert done.exit_code == 1 and "only in B: result.faults.struck, 1" in done.stdout


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
    assert text.index("file system │ galley │ hybrid") < text.index("nodes       │ 50MHz  │ 51MHz")
    verbose = sunstar("compare", a, b, "--verbose").stdout
    assert verbose.index("file_system.kind") < verbose.index("machine.node.clock")
    assert "The file systems differ, not only the machines: A galley; B hybrid\n" in text
    written(Path(b), [13300])
    assert "x 1,330 " in sunstar("compare", a, b, "--figure", "result.throughput.mib_per_s").stdout
    # Of 11: 12,990 more, which are 118,000 %, give or take 3.
    a, b = written(Path(a), [11.0, 11.0]), written(Path(b), [13000.9, 13001.1])
    text = sunstar("compare", a, b, "--figure", "result.throughput.mib_per_s").stdout
    assert "+118,000 to +118,000 %" in text and "e+" not in text


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["none.json", "none.json"], 3, "there is no file none.json, and no sweep none.json in "),
        (["{a}", "{broken}"], 3, "broken.json is not a result: "),
        (["{a}:1", "{a}"], 2, "a.json is a result file, which has no run 1; only sweeps have"),
        (["{a}", "{a}", "--alpha", "0"], 2, "--alpha 0: it must be greater than 0"),
        (["{a}", "{a}", "--figure", "result.x"], 2, "--figure result.x: there is no such figure; there are result.thr"),
        (["{folder}", "{a}"], 3, "is not a sweep's: it has no runs.parquet"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    arguments: list[str], code: int, said: str, sunstar: Sunstar, tmp_path: Path
) -> None:
    written(tmp_path / "a.json", [10])
    (tmp_path / "broken.json").write_text("[1]")
    names = {name: str(tmp_path / f"{name}.json") for name in ("a", "broken")}
    done = sunstar("compare", *(each.format(folder=tmp_path, **names) for each in arguments))
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_what_is_no_result_is_told_what_to_do(sunstar: Sunstar, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    for found, sentence in (
        (
            {"machine": {"disks": 8}},
            f"is a configuration, not a result; run it first, as in sunstar-torus --config {file}",
        ),
        ({"fio version": "fio-3.36", "jobs": []}, "is a result of fio; run its job by sunstar import fio"),
        ({"a": 1}, "is not a result: it must be the JSON that a simulator writes"),
    ):
        file.write_text(json.dumps(found))
        done = sunstar("compare", str(file), str(file))
        assert done.exit_code == 3
        assert f"{file} {sentence}" in done.stderr


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
    assert "The workloads differ, not only the machines: A synthetic, pattern uniform; B synthetic, p" in done.stdout
    one = sunstar("compare", "a:0", "c:1")
    assert one.stdout.startswith("A: a:0\nB: c:1\nThe workloads differ")
    assert sunstar("compare", "a:0", "a:0").exit_code == 0
    assert "there is no run 6: a has the runs 0 to 5" in sunstar("compare", "a:0", "a:6").stderr
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
