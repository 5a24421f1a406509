# SPDX-License-Identifier: MIT
"""The study of TR94-226's patterns on a cluster of today."""

from pathlib import Path

from conftest import Sunstar

from sunstar import Point
from sunstar.papers.ours import NVME_CLUSTER
from sunstar.runs.simulator import effective_config


def test_every_point_is_a_configuration_with_nvme_drives() -> None:
    for experiment in NVME_CLUSTER.experiments:
        for key, sets in list(experiment.cases(False).items())[::7]:
            config = effective_config(Point(sets))
            assert config["machine"]["nvme"]["name"] == "Samsung PM9A3, U.2"
            assert config["machine"]["sockets"]["kind"] == ("tcp" if experiment.name == "sockets" else "none")
            assert config["workload"]["pattern"] == key.pattern


def test_the_study_prints_draws_and_judges(sunstar: Sunstar, tmp_path: Path) -> None:
    done = sunstar("reproduce", "nvme-cluster", "--quick", "--figure", "sockets", "--jobs", "2")
    assert done.exit_code == 0, done.output
    assert "1 of 1 statements hold" in done.output
    assert (tmp_path / "results" / "nvme-cluster" / "points-sockets.csv").exists()
