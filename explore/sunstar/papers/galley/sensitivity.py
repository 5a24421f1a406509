# SPDX-License-Identifier: MIT
"""How much each free constant of the SP-2 weighs in what is measured of Galley."""

from functools import partial
from pathlib import Path

from sunstar.papers.galley.cases import BROADCAST, INTERLEAVED, KIB, LARGEST, PAIR, PARTITIONED, TCP, mb, where
from sunstar.papers.galley.experiments import STUDY
from sunstar.study.cases import Key
from sunstar.study.sensitivity import Weighing, sensitivity

KEYS = (
    Key(PAIR, "", "", LARGEST, "1"),
    Key(TCP, "", "", LARGEST, "64"),
    Key("traditional read", BROADCAST, "", LARGEST, "64"),
    Key("traditional read", INTERLEAVED, "", 64, "4"),
    Key("traditional read", PARTITIONED, "", LARGEST, "4"),
    Key("traditional overwrite", PARTITIONED, "", 4 * KIB, "4"),
    Key("traditional create", INTERLEAVED, "", 64, "4"),
    Key("strided read", INTERLEAVED, "", 64, "4"),
    Key("strided read", PARTITIONED, "", 64, "4"),
    Key("strided overwrite", INTERLEAVED, "", 64, "4"),
    Key("strided create", INTERLEAVED, "", 64, "4"),
)
"""Points of the quick experiments: what the network, the processors and the disks limit, by both interfaces."""


def weighing() -> Weighing:
    everything = {key: sets for each in STUDY.experiments for key, sets in each.cases(True).items()}
    figures = {f"{key.method}, {where(key)}": partial(lambda key, found: mb(found, key), key) for key in KEYS}
    file = Path(__file__).parent / "data" / "constants.json"
    return Weighing("galley", file, {key: everything[key] for key in KEYS}, figures, "sp2")


sensitivity_galley = sensitivity(
    weighing,
    """Vary each free constant of the SP-2 between its bounds, and see what it changes of Galley's throughput.

    Prints a Markdown table (MB/s, then changes at the lower and the upper bound) and writes it to
    results/galley-sensitivity.md.

    Example: sunstar sensitivity galley --trials 1""",
)
