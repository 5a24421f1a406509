# SPDX-License-Identifier: MIT
"""sunstar validate mlperf."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Sunstar

from sunstar.files import read_rows
from sunstar.validation.comparing import Row
from sunstar.validation.published import MLPERF, SUBMITTED, searched, training_of

HEAD = "preset,load,accelerator,hosts,a_host,samples_per_s,utilisation_percent,parts,io_processors,disks,steps\n"


def test_no_sample_is_read_twice_and_parts_are_alike() -> None:
    presets = Path(__file__).parents[3] / "platforms" / "presets"
    for row in read_rows(MLPERF, SUBMITTED):
        of: dict[str, Any] = dict(training_of(row, a_host := 2 * row["a_host"]))
        samples = of["workload.files"] * of["workload.samples_per_file"]
        batches = of["workload.steps"] + of["workload.readers"] * of["workload.prefetch"]
        assert samples >= of["machine.compute_processors"] * a_host * batches * of["workload.batch_size"]
        whole = json.loads((presets / f"{row['preset']}.json").read_text())["machine"]
        assert {row["parts"] * row[name] - whole[name] for name in ("io_processors", "disks")} == {0}
        assert row["hosts"] == row["parts"] * of["machine.compute_processors"]


@pytest.mark.parametrize(
    ("feeds", "submitted", "most", "tried"),
    [(22, 22, 22, [22, 24]), (99, 16, 20, [16, 17, 20]), (26, 24, 26, [24, 26, 30, 28]), (1, 4, 1, [4, 2, 1])],
)
def test_the_largest_number_that_is_fed_is_found(feeds: int, submitted: int, most: int, tried: list[int]) -> None:
    row: Row = {"load": "unet3d", "accelerator": "h100", "hosts": 6, "a_host": submitted, "samples_per_s": 100.0}
    made: list[int] = []

    def run(wanted: Mapping[int, int]) -> list[Any]:
        made.append(wanted[0])
        of = {"utilisation": 0.9 if wanted[0] <= feeds else 0.89, "samples_per_s": 55.0}
        busy = {"a.utilisation": {"value": 0.5}, "b.utilisation": {"value": wanted[0] / 100}, "c.reads": {"value": 7}}
        return [SimpleNamespace(result=SimpleNamespace(training=SimpleNamespace(**of)), statistics=busy)]

    [found] = searched([{**row, "parts": 2}], run)
    assert made == tried
    assert (found["most"], found["simulated_samples_per_s"], round(found["error_percent"])) == (6 * most, 110, 10)
    assert found.get("limit") == (None if feeds > most else "a.utilisation 50.0 %")


def test_a_lone_accelerator_is_busy(sunstar: Sunstar, tmp_path: Path) -> None:
    reference = tmp_path / "mlperf.csv"
    reference.write_text(HEAD + "mlperf-iei,cosmoflow,h100,2,1,500,87.5,1,12,48,50\n")
    done = sunstar("validate", "mlperf", "--reference", str(reference), "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    [row] = json.loads((tmp_path / "mlperf.json").read_text())["rows"]
    assert 80 < row["simulated_percent"] < 100 * 3.5 / (3.5 + 0.6)
    assert abs(row["error_percent"] - 100 * (row["simulated_samples_per_s"] / 500 - 1)) < 1e-9
    assert row["most"] == 4
    assert "not reached" in done.output
    done = sunstar("validate", "mlperf", "--only", "token-ring", "--results", str(tmp_path))
    assert "has no measurement of token-ring" in done.output
