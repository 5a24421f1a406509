# SPDX-License-Identifier: MIT
"""The models of the result files: what they read, and what they say of a file of another form."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from conftest import Pretend
from pydantic import ValidationError, create_model
from recorded import machine_document

from sunstar import RunError, UnmeasuredError, run
from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.results import DiskResult, MachineResult, NetworkResult
from sunstar.results.common import Model
from sunstar.validation.network.reference import synthetic

Document = dict[str, Any]


def test_a_machines_figures_are_read_from_their_places_in_the_file() -> None:
    document = machine_document(3.5, {"machine.cp0.cpu.interrupts": 62})
    document["result"]["throughput"]["medium_mib_per_s"] = 3.0
    trial = document["trials"][0]
    document["trials"] = [
        {**trial, "seed": n, "throughput": {"mib_per_s": n, "medium_mib_per_s": n}, "messages": n} for n in (3, 4)
    ]
    result = MachineResult.model_validate_json(json.dumps(document))
    assert (result.mib_per_s, result.medium_mib_per_s, result.trials_mib_per_s) == (3.5, 3.0, (3, 4))
    assert (result.messages, result.elapsed_s, result.latency.p90_s, result.host_s) == (7, 1, 1.0, 0.5)
    assert (result.message_bytes, result.header_bytes, result.network_bytes) == (1024, 224, 1248)
    assert (result.memory.compute_processor, result.memory.io_processor) == (0, 16384)
    assert [each.messages for each in result.trials] == [3, 4]
    assert result.statistic("machine.cp0.cpu.interrupts") == 62
    with pytest.raises(UnmeasuredError, match=r"sunstar-torus 0\.1\.0 measured no statistic machine\.cp0\.interrupts"):
        result.statistic("machine.cp0.interrupts")


def test_a_run_without_calls_has_no_latency_instead_of_a_latency_of_zero() -> None:
    document = machine_document(0.0)
    document["result"]["latency"] = {"span": "of each call", "count": 0, "p50_s": None, "max_s": None}
    result = MachineResult.model_validate_json(json.dumps(document))
    with pytest.raises(UnmeasuredError, match="timed no call"):
        print(result.latency.p50_s)


def without_throughput(document: Document) -> None:
    del document["result"]["throughput"]["mib_per_s"]


def with_text(document: Document) -> None:
    document["result"]["elapsed_s"] = "1"


def with_old_trials(document: Document) -> None:
    document["trials"] = [{"seed": 1, "throughput_mib_per_s": 1.0}]


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (without_throughput, r"result\.throughput\.mib_per_s: Field required"),
        (with_text, r"result\.elapsed_s: Input should be a valid number"),
        (with_old_trials, r"trials\.0\.throughput: Field required"),
    ],
)
def test_a_key_that_moved_or_changed_is_an_error_that_names_it(
    spoil: Callable[[Document], None], sentence: str, pretend: Pretend
) -> None:
    document = machine_document(1.0)
    spoil(document)
    pretend(f"print({json.dumps(document)!r})")
    with pytest.raises(RunError, match=f"sunstar-torus left no result that can be read: {sentence}"):
        run("torus")


def test_a_network_in_which_no_message_arrived_has_no_latency() -> None:
    document = machine_document(0.0)
    document["result"] = {
        "accepted": 0.0,
        "saturated": True,
        "latency": {"mean_cycles": None},
        "links": {"max": 0.0},
        "warnings": [],
    }
    assert NetworkResult.model_validate_json(json.dumps(document)).result.latency.mean_cycles is None
    with pytest.raises(ValidationError):
        MachineResult.model_validate_json(json.dumps(document))


def models_in(annotation: object) -> Iterator[type[Model]]:
    """The models that an annotation names, as in tuple[Trial, ...] and Demerit | None."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)


SECTIONS = ("result.cache", "result.job0", "result.job1", "result.sharing")


def unknown(model: type[Model], schema: Document, path: str = "") -> Iterator[str]:
    """The keys that a model reads and a schema does not have. Only some workloads and file systems add the
    SECTIONS."""
    for name, field in model.model_fields.items():
        described = schema.get("properties", {}).get(name)
        if described is None and f"{path}{name}" in SECTIONS:
            assert not field.is_required()
        elif described is None:
            yield f"{path}{name}"
        elif name != "statistics":  # by name, each of the same form
            for inner in models_in(field.annotation):
                yield from unknown(inner, described.get("items", described), f"{path}{name}.")


@pytest.mark.parametrize(
    ("platform", "form"), [("torus", MachineResult), ("network", NetworkResult), ("disk", DiskResult)]
)
def test_the_models_read_keys_that_the_programs_schemas_have(platform: str, form: type[Model]) -> None:
    schema = json.loads(run_program([str(executable(platform)), "--result-schema"]).stdout)
    assert list(unknown(form, schema)) == []


def test_the_models_read_the_sections_of_several_applications() -> None:
    jobs = [{"processors": 8, "file_size": "64KiB"}, {"processors": 8, "file_size": "128KiB"}]
    figures = run("torus", {"workload.jobs": jobs}).result
    assert figures.job0 and figures.job1 and figures.sharing
    for job in (figures.job0, figures.job1):
        assert job.elapsed_s and job.alone_s
        assert job.slowdown == pytest.approx(job.elapsed_s / job.alone_s)
    assert 0.5 <= figures.sharing.fairness <= 1


class Renamed(Model):
    throughput_mib_per_s: float


def test_a_key_that_a_schema_does_not_have_is_found() -> None:
    schema: Document = {"properties": {"trials": {"items": {"properties": {"seed": {}, "throughput": {}}}}}}
    Spoilt = create_model("Spoilt", __base__=Model, trials=(tuple[Renamed, ...], ...))  # noqa: N806
    assert list(unknown(Spoilt, schema)) == ["trials.throughput_mib_per_s"]


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
