# SPDX-License-Identifier: MIT
"""The models of the result files: what they read, and what they say of a file of another form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Pretend
from recorded import machine_document, machine_of

from sunstar import RunError, UnmeasuredError, run
from sunstar.errors import FileError
from sunstar.results import Figure, MachineResult, described, faults, read, read_from
from sunstar.validation.network.models import synthetic

Document = dict[str, Any]


def test_a_machines_figures_are_read_from_their_places_in_the_file() -> None:
    document = machine_document(3.5, {"machine.cp0.cpu.interrupts": 62})
    document["result"]["throughput"]["medium_mib_per_s"] = 3.0
    trial = document["trials"][0]
    document["trials"] = [
        {**trial, "seed": n, "throughput": {"mib_per_s": n, "medium_mib_per_s": n}, "messages": n} for n in (3, 4)
    ]
    result = machine_of(document)
    assert (result.mib_per_s, result.medium_mib_per_s, result.trials_mib_per_s) == (3.5, 3.0, (3, 4))
    assert (result.messages, result.elapsed_s, result.latency.p90_s, result.host_s) == (7, 1, 1.0, 0.5)
    assert [str(each) for each in (result.messages, result.memory.io_processor)] == ["7.0", "16384.0"]
    assert (result.message_bytes, result.header_bytes, result.network_bytes) == (1024, 224, 1248)
    assert (result.memory.compute_processor, result.memory.io_processor) == (0, 16384)
    assert [each.messages for each in result.trials] == [3, 4]
    assert result.statistic("machine.cp0.cpu.interrupts") == 62
    with pytest.raises(UnmeasuredError, match=r"sunstar-torus 0\.1\.0 measured no statistic machine\.cp0\.interrupts"):
        result.statistic("machine.cp0.interrupts")


def test_a_schema_of_another_version_is_answered_alone() -> None:
    document = {**machine_document(1.0), "schema": "sunstar/2"}
    del document["result"], document["trials"]
    with pytest.raises(RunError, match=r'^its schema is "sunstar/2"; this version reads sunstar/1$'):
        read(json.dumps(document).encode())
    with pytest.raises(FileError, match=r'^old\.json: its schema is "sunstar/2"; this version reads sunstar/1$'):
        read_from(json.dumps(document).encode(), "old.json")


def test_a_statistic_of_one_part_that_is_only_known_by_kind_says_how_to_get_it() -> None:
    result = machine_of(machine_document(3.5, {"machine.cp*.cpu.interrupts": 62}))
    with pytest.raises(UnmeasuredError, match=r"has machine\.cp\*\.cpu\.interrupts, and every part with run\.stat"):
        result.statistic("machine.cp3.cpu.interrupts")


def test_a_run_without_calls_has_no_latency_instead_of_a_latency_of_zero() -> None:
    document = machine_document(0.0)
    document["result"]["latency"] = {**document["result"]["latency"], "count": 0, "p50_s": None}
    result = machine_of(document)
    with pytest.raises(UnmeasuredError, match="timed no call"):
        print(result.latency.p50_s)


def without_throughput(document: Document) -> None:
    del document["result"]["throughput"]["mib_per_s"]


def with_text(document: Document) -> None:
    document["result"]["elapsed_s"] = "1"


def with_old_trials(document: Document) -> None:
    trial = document["trials"][0]
    document["trials"] = [{"throughput_mib_per_s": 1.0, **{k: v for k, v in trial.items() if k != "throughput"}}]


def with_another_seed(document: Document) -> None:
    document["seed"] = True


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (without_throughput, r"result\.throughput\.mib_per_s is missing"),
        (with_text, r'result\.elapsed_s is "1"; it must be of the type number or null'),
        (with_old_trials, r"trials\.0\.throughput is missing"),
        (with_another_seed, r"seed is true; it must be of the type integer"),
    ],
)
def test_a_key_that_moved_or_changed_is_an_error_that_names_it(
    spoil: Callable[[Document], None], sentence: str, pretend: Pretend
) -> None:
    document = machine_document(1.0)
    spoil(document)
    pretend(f"write({document!r})")
    with pytest.raises(RunError, match=f"no result of .*: {sentence}"):
        run("torus")


def test_what_was_not_measured_is_none_or_said_in_a_sentence() -> None:
    document = machine_document(1.0)
    document["result"]["throughput"]["mib_per_s"] = None
    result = machine_of(document)
    assert result.result.cache is None
    with pytest.raises(UnmeasuredError, match=r"sunstar-torus 0\.1\.0 measured no result\.throughput\.mib_per_s"):
        print(result.mib_per_s)


def test_figures_with_a_name_are_those_that_the_simulators_schemas_have() -> None:
    paths = [figure.path for figure in vars(MachineResult).values() if isinstance(figure, Figure)]
    assert len(paths) == 10
    for platform in ("torus", "sp2", "cluster"):
        known = described(platform)
        assert [path for path in paths if not any(each.startswith(path) for each in known)] == []


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"type": "number"}, True, ["x is true; it must be of the type number"]),
        ({"type": "integer"}, 2.0, []),
        ({"type": ["integer", "null"]}, 1.5, ["x is 1.5; it must be of the type integer or null"]),
        ({"type": "array", "items": {"required": ["a"]}}, [{"a": 1}, {}], ["x.1.a is missing"]),
        ({"properties": {"a": {"type": "string"}}}, {"a": "", "more": 1}, []),
    ],
)
def test_a_document_is_compared_with_a_schema(schema: Document, value: object, said: list[str]) -> None:
    assert list(faults(value, schema, "x")) == said


def test_figures_have_the_sections_of_several_applications() -> None:
    jobs = [{"processors": 8, "file_size": "64KiB"}, {"processors": 8, "file_size": "128KiB"}]
    figures = run("torus", {"workload.jobs": jobs}).result
    assert figures.job0 and figures.job1 and figures.sharing
    for job in (figures.job0, figures.job1):
        assert job.elapsed_s and job.alone_s
        assert job.slowdown == pytest.approx(job.elapsed_s / job.alone_s)
    assert 0.5 <= figures.sharing.fairness <= 1


def test_a_real_run_of_each_executable_is_read(tmp_path: Path) -> None:
    machine = run("torus", {"workload.file_size": "512KiB"})
    assert machine.verified
    assert machine.statistic("machine.cp0.cpu.interrupts") > 0
    traffic = {**synthetic("worm", "uniform", 8, 0.1), "workload.measured": 5000}
    network = run("network", traffic)
    assert network.result.accepted == pytest.approx(0.1, rel=0.1)
    trace = tmp_path / "drive.trace"
    trace.write_text("R x 100 8 12000.0 20000.0\n")
    settings = {"workload.kind": "trace", "workload.trace": str(trace)}
    drive = run("disk", settings)
    assert drive.result.requests == 1
    assert drive.result.demerit is not None
    assert drive.result.demerit.measured_mean_ms == 12.0
