# SPDX-License-Identifier: MIT
"""How much each free constant of the cluster weighs in what is measured of PVFS."""

from functools import partial
from pathlib import Path

from sunstar.papers.pvfs.cases import APART, CACHING, KIB, NONE, WRITE, Load, Point, at, measured, seconds, size
from sunstar.study.sensitivity import Weighing, sensitivity

MIDDLE = 64 * KIB
LOADS = (
    ("read", Load(MIDDLE), (NONE, CACHING)),
    ("read again", Load(4 * KIB, locality=1.0), (NONE, CACHING)),
    ("write", Load(4 * KIB, WRITE), (NONE, CACHING)),
    ("two that share half", Load(MIDDLE, nodes=3, sharing=50), (NONE, CACHING, APART)),
)
"""What figures 4, 5 and 8 show, each with the systems that it compares."""


def weighing() -> Weighing:
    points = {
        f"{name}, {size(load.request)}, {version}": Point(at(version, load, "" if load.sharing is None else "50"), load)
        for name, load, versions in LOADS
        for version in versions
    }
    figures = {title: partial(lambda key, found: seconds(found, key), point.key) for title, point in points.items()}
    file = Path(__file__).parent / "data" / "constants.json"
    return Weighing("pvfs", file, measured(points.values()), figures, "cluster")


sensitivity_pvfs = sensitivity(
    weighing,
    """Vary each free constant of the cluster between its bounds, and see what it changes of PVFS's times.

    Prints a Markdown table (seconds, then changes at the lower and the upper bound) and writes it to
    results/pvfs-sensitivity.md.

    Example: sunstar sensitivity pvfs --trials 1""",
)
