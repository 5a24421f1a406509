# SPDX-License-Identifier: MIT
"""How much each free constant of the SP-2 and of the cluster weighs in what is measured of Galley and of PVFS."""

import json
from functools import partial

from sunstar.papers.galley import cases as galley
from sunstar.papers.galley.experiments import STUDY
from sunstar.papers.pvfs import cases as pvfs
from sunstar.papers.pvfs.cases import APART, CACHING, MIDDLE, NONE, SMALL, WRITE, Load, Point
from sunstar.study.cases import Key
from sunstar.study.sensitivity import Weighing, sensitivity
from sunstar.study.statements import PAPERS

LOADS = (
    ("read", Load(MIDDLE), (NONE, CACHING)),
    ("read again", Load(SMALL, locality=1.0), (NONE, CACHING)),
    ("write", Load(SMALL, WRITE), (NONE, CACHING)),
    ("two that share half", Load(MIDDLE, nodes=3, sharing=50), (NONE, CACHING, APART)),
)
"""What figures 4, 5 and 8 show, each with the systems that it compares."""


def of_galley() -> Weighing:
    file = PAPERS / "galley" / "data" / "constants.json"
    keys = [Key(**each, layout="") for each in json.loads(file.read_text())["points"]]
    everything = {key: sets for each in STUDY.experiments for key, sets in each.cases(True).items()}
    figures = {
        f"{key.method}, {galley.where(key)}": partial(lambda key, found: galley.mb(found, key), key) for key in keys
    }
    return Weighing("galley", file, {key: everything[key] for key in keys}, figures, "sp2")


def of_pvfs() -> Weighing:
    points = {
        f"{name}, {pvfs.size(load.request)}, {version}": Point(
            pvfs.at(version, load, "" if load.sharing is None else "50"), load
        )
        for name, load, versions in LOADS
        for version in versions
    }
    figures = {
        title: partial(lambda key, found: pvfs.seconds(found, key), point.key) for title, point in points.items()
    }
    file = PAPERS / "pvfs" / "data" / "constants.json"
    return Weighing("pvfs", file, pvfs.measured(points.values()), figures, "cluster")


ABOUT = """Vary each free constant of the {machine} between its bounds, and see what it changes of {of}.

Prints a Markdown table ({unit}, then changes at the lower and the upper bound) and writes it to
results/{name}-sensitivity.md.

Example: sunstar sensitivity {name} --trials 1"""
sensitivity_galley = sensitivity(
    of_galley, ABOUT.format(machine="SP-2", of="Galley's throughput", unit="MB/s", name="galley")
)
sensitivity_pvfs = sensitivity(of_pvfs, ABOUT.format(machine="cluster", of="PVFS's times", unit="seconds", name="pvfs"))
