# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures by number, the weights of our choices by name. `starts` has files that are a few
stripes longer, so that the processes' parts of a file begin at different iods."""

from collections.abc import Mapping

from sunstar.papers.pvfs.cases import CACHING, NONE, THRICE, WRITE, seconds
from sunstar.study.cases import Found, Key
from sunstar.study.described import reproduction, study_of


def third_pass(found: Found, key: Key) -> float | None:
    return seconds(found, key) if key.layout == THRICE else None


def curve(key: Key) -> str:
    """The cache is measured with each degree of sharing."""
    return f"s = {key.x} %" if key.x and key.method == CACHING else key.method


def gain(found: Found, of: Mapping[str, Key]) -> str:
    return f"{100 * (1 - seconds(found, of[CACHING]) / seconds(found, of[NONE])):.0f} %"


def trials_of_writes(key: Key) -> int:
    """The extra gain of small writes over large ones differs by 40 % from seed to seed (figure 4). On a switch, times
    with the cache differ by a third; hence five trials."""
    return 10 if key.pattern.startswith(WRITE) else 1


STUDY = study_of("pvfs", globals())
reproduce_pvfs = reproduction(STUDY)
