# SPDX-License-Identifier: MIT
"""The weight of each free constant of a machine: of the SP-2 and of the cluster in the measures of Galley and of PVFS,
and of the report's torus in the errors of its rows."""

import json
from functools import partial

from sunstar.console import percent
from sunstar.papers.galley import cases as galley
from sunstar.papers.galley.experiments import STUDY
from sunstar.papers.pvfs import cases as pvfs
from sunstar.papers.tr94_226 import cases as report
from sunstar.study.cases import Found, Key, points_of, sized
from sunstar.study.sensitivity import Weighing, sensitivity
from sunstar.study.statements import PAPERS

LOADS = {
    "read, p = 4, l = 0": "read",
    "read, p = 4, l = 1": "read again",
    "write, p = 4, l = 0": "write",
    "p = 3, l = 0": "two that share half",
}
"""The cases of figures 4, 5 and 8, by pattern."""


def of_galley() -> Weighing:
    file = PAPERS / "galley" / "data" / "constants.json"
    keys = [Key(**each, layout="") for each in json.loads(file.read_text())["points"]]
    everything = {key: sets for each in STUDY.experiments for key, sets in each.cases(True).items()}
    figures = {
        f"{key.method}, {galley.where(key)}": partial(lambda key, found: galley.mb(found, key), key) for key in keys
    }
    return Weighing("galley", file, {key: everything[key] for key in keys}, figures, "sp2")


def of_pvfs() -> Weighing:
    cases = points_of("pvfs", "sensitivity")
    figures = {
        f"{LOADS[key.pattern]}, {sized(key.record_bytes)}, {key.method}": partial(
            lambda key, found: pvfs.seconds(found, key), key._replace(layout="")
        )
        for key in cases
    }
    file = PAPERS / "pvfs" / "data" / "constants.json"
    return Weighing("pvfs", file, cases, figures, "cluster")


ERRORS = {
    "mean error": "mean_absolute_error",
    "mean of the rows that discriminate": "discriminating_mean_absolute_error",
    "worst row": "worst_error",
}


def of_tr94_226() -> Weighing:
    """The errors of the published rows, in the place of figures."""
    rows = report.all_rows((8, 8192))
    references = report.published(report.PUBLISHED, rows)

    def error(name: str, found: Found) -> float:
        return abs(float(report.summarise(report.comparison(found, references))[name]))

    return Weighing(
        "tr94-226",
        PAPERS / "tr94_226" / "data" / "constants.json",
        {row: report.settings(row) for row in rows if row in references},
        {title: partial(error, name) for title, name in ERRORS.items()},
        shown=lambda value, _: percent(value),
    )


sensitivity_tr94_226, sensitivity_galley = sensitivity(of_tr94_226, trials=1), sensitivity(of_galley)
sensitivity_pvfs = sensitivity(of_pvfs)
