# SPDX-License-Identifier: MIT
"""sunstar validate mlperf."""

import json
from pathlib import Path
from typing import Any

from conftest import Sunstar

from sunstar.files import read_rows
from sunstar.validation.published import MLPERF, SUBMITTED, training_of

HEAD = "preset,load,accelerator,hosts,a_host,samples_per_s,utilisation_percent,steps\n"


def test_no_sample_is_read_twice() -> None:
    for row in read_rows(MLPERF, SUBMITTED):
        of: dict[str, Any] = dict(training_of(row))
        samples = of["workload.files"] * of["workload.samples_per_file"]
        batches = of["workload.steps"] + of["workload.readers"] * of["workload.prefetch"]
        assert samples >= row["hosts"] * row["a_host"] * batches * of["workload.batch_size"]


def test_a_lone_accelerator_is_busy(sunstar: Sunstar, tmp_path: Path) -> None:
    reference = tmp_path / "mlperf.csv"
    reference.write_text(HEAD + "mlperf-iei,cosmoflow,h100,2,1,500,87.5,50\n")
    done = sunstar("validate", "mlperf", "--reference", str(reference), "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    [row] = json.loads((tmp_path / "mlperf.json").read_text())["rows"]
    assert row["simulated_percent"] > 95
    assert abs(row["error_percent"] - 100 * (row["simulated_samples_per_s"] / 500 - 1)) < 1e-9
    done = sunstar("validate", "mlperf", "--only", "token-ring", "--results", str(tmp_path))
    assert "has no measurement of token-ring" in done.output
