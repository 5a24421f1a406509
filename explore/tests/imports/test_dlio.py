# SPDX-License-Identifier: MIT
"""sunstar import dlio: workload files as MLPerf Storage has them, and mistakes in them."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Sunstar

IMAGES = """\
model: {name: images, type: cnn, model_size: 499153191}
workflow: {generate_data: False, train: True, checkpoint: False}
dataset:
  data_folder: data/images/
  format: npz
  num_files_train: 168
  record_length_bytes: 146600628
  record_length_bytes_stdev: 68341808
reader: {data_loader: pytorch, batch_size: 7, read_threads: 4, file_shuffle: seed, sample_shuffle: seed}
train: {epochs: 5, computation_time: 0.323}
metric: {au: 0.90}
"""
WORDS = """\
model:
  num_layers: 32
  parallelism: {tensor: 2, pipeline: 2, data: 2, zero_stage: 1}
  transformer: {vocab_size: 128256, hidden_size: 4096, ffn_hidden_size: 14336, num_attention_heads: 32, num_kv_heads: 8}
workflow: {train: True, checkpoint: True}
dataset: {format: tfrecord, record_length: 2048}
reader: {preprocess_time: {mean: 0.002, stdev: 0.001}}
train: {computation_time: {mean: 1.5, stdev: 0.1}, total_training_steps: 40}
checkpoint: {steps_between_checkpoints: 10}
"""


def imported(sunstar: Sunstar, folder: Path, text: str, *options: str) -> tuple[dict[str, Any], str]:
    file = folder / "load.yaml"
    file.write_text(text)
    done = sunstar("import", "dlio", str(file), *options)
    assert done.exit_code == 0, done.output
    workload: dict[str, Any] = json.loads((folder / "load.json").read_text())["workload"]
    return workload, done.stdout


def test_a_workload_keeps_its_samples_readers_and_times(sunstar: Sunstar, tmp_path: Path) -> None:
    workload, printed = imported(sunstar, tmp_path, IMAGES, "--accelerators", "5")
    costs = [workload.pop(name) for name in ("sample_cost", "step_cost", "decode_rate")]
    assert [cost.lstrip("0123456789.") for cost in costs] == ["ms", "ms", "GB/s"]
    assert workload == {
        "kind": "training",
        "accelerators": 5,
        "files": 168,
        "samples_per_file": 1,
        "sample_size": "146600628B",
        "sample_size_deviation": "68341808B",
        "batch_size": 7,
        "readers": 4,
        "prefetch": 2,
        "compute": "323ms",
        "steps": 0,
        "epochs": 5,
        "shuffle": "samples",
    }
    assert printed.startswith(f"written: {tmp_path}/load.json; sunstar feed --load ")
    assert "load.yaml asks for a utilisation of 0.9; without effect here: model.name model.type" in printed
    assert all(name in printed for name in ("model.model_size", "dataset.data_folder", "reader.data_loader"))
    assert "batch_size" not in printed


def test_a_checkpoint_is_the_accelerators_part_of_the_model_and_its_optimizer(sunstar: Sunstar, tmp_path: Path) -> None:
    workload, printed = imported(sunstar, tmp_path, WORDS)
    # 8.03e9 parameters of 2 + 3 x 4 bytes, in 2 x 2 x 2 parts: a quarter of the heads have keys and values of their own
    layer = 2 * 4096 + 4096 * 4096 * (2 + 2 / 4) + 3 * 4096 * 14336
    parameters = 32 * layer + 4096 + 2 * 128256 * 4096
    assert parameters == pytest.approx(8.03e9, rel=0.001)
    assert workload["checkpoint"] == {"every": 10, "shard": f"{round(14 * parameters / 8)}B"}
    assert (workload["compute"], workload["steps"], workload["shuffle"]) == ("1500ms", 40, "none")
    assert workload["sample_cost"].startswith("2.") and workload["sample_size"] == "2048B"
    assert "reader.preprocess_time.stdev" in printed and "train.computation_time.stdev" in printed


@pytest.mark.parametrize(
    ("checkpoint", "written", "sentence"),
    [
        ("steps_between_checkpoints: 3, model_size: 499153191", {"every": 3, "shard": "499153191B"}, None),
        ("steps_between_checkpoints: 3", {"every": 3, "shard": "10240B"}, "a checkpoint is DLIO's 10240 bytes"),
        ("checkpoint_after_epoch: 5, epochs_between_checkpoints: 2", None, "checkpoints by epoch are not simulated;"),
    ],
)
def test_a_checkpoint_has_the_size_that_the_file_gives_or_a_sentence(
    checkpoint: str, written: dict[str, Any] | None, sentence: str | None, sunstar: Sunstar, tmp_path: Path
) -> None:
    text = IMAGES.replace("checkpoint: False", "checkpoint: True").replace(", model_size: 499153191", "")
    workload, printed = imported(sunstar, tmp_path, f"{text}checkpoint: {{{checkpoint}, checkpoint_folder: unet}}\n")
    assert workload.get("checkpoint") == written
    idle, _, told = printed.partition("without effect here: ")[2].partition(". ")
    assert "checkpoint.checkpoint_folder" in idle and "epoch" not in idle and "model_size" not in idle
    assert (sentence in told) if sentence else not told


def test_only_files_may_be_shuffled(sunstar: Sunstar, tmp_path: Path) -> None:
    text = IMAGES.replace("sample_shuffle: seed", "sample_shuffle: off")
    assert imported(sunstar, tmp_path, text)[0]["shuffle"] == "files"


def test_a_format_whose_reader_is_unknown_is_named(sunstar: Sunstar, tmp_path: Path) -> None:
    workload, printed = imported(sunstar, tmp_path, IMAGES.replace("npz", "hdf5"))
    assert "decode_rate" not in workload and workload["sample_cost"] == "0ms"
    assert "dataset.format=hdf5 (its readers' cost)" in printed


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [1, 2", "load.yaml is no YAML: while parsing"),
        ("&a [*a]", "load.yaml is no workload of DLIO"),
        ("services: {web: {image: nginx}}", "it must have the sections dataset, reader, train"),
        (IMAGES.replace("train: True", "train: False"), "workflow.train must be true; generated data or checkpoints"),
        (IMAGES.replace("168", "many"), "dataset.num_files_train is many; it must be a whole number from 1 to"),
        (IMAGES.replace("batch_size: 7", "batch_size: 0"), "reader.batch_size is 0; it must be a whole number from 1"),
        (IMAGES.replace("0.323", "{min: 1, max: 2}"), "train.computation_time must be a number, or have a mean"),
        (IMAGES.replace("0.323", "0"), "train.computation_time is 0; it must be seconds from 1e-09 to 1000"),
        (IMAGES.replace(", computation_time: 0.323", ""), "train.computation_time is missing; it must be seconds"),
        (IMAGES.replace("0.90", "90"), "metric.au is 90; it must be a share from 0 to 1"),
        (WORDS.replace("num_layers", "model_datatype: fp13\n  num_layers"), "model.model_datatype is fp13; it must be"),
    ],
)
def test_mistakes_are_told_in_a_sentence(text: str, sentence: str, sunstar: Sunstar, tmp_path: Path) -> None:
    file = tmp_path / "load.yaml"
    file.write_text(text)
    done = sunstar("import", "dlio", str(file))
    assert (done.exit_code, sentence in done.stderr) == (3, True), done.output
    assert not (tmp_path / "load.json").exists()


def test_the_output_must_be_json(sunstar: Sunstar) -> None:
    done = sunstar("import", "dlio", "load.yaml", "--output", "load.yaml")
    assert (done.exit_code, "its name must end in .json" in done.stderr) == (2, True)
