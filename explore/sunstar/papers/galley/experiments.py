# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures by their numbers, those of its text by name."""

from collections.abc import Callable

from sunstar.papers.galley.cases import PARTITIONED, PERMISSIONS, limit_of, mb
from sunstar.study.cases import Key, without_extremes
from sunstar.study.described import reproduction, study_of
from sunstar.study.views import Quantity


def sources(key: Key) -> str:
    return f"{key.x} source{'' if key.x == '1' else 's'}"


def limit(key: Key) -> str:
    return str(limit_of(key) or "none")


def place_of_limit(key: Key) -> float:
    return PERMISSIONS.index(limit_of(key))


def ratio(name: str, over: Callable[[Key], Key]) -> Quantity:
    return Quantity(name, lambda found, key: found.mib(key) / found.mib(over(key)), "{:.2f}".format)


MB_PER_S = Quantity("MB/s", mb, "{:.2f}".format)
SPEEDUP = ratio(
    "strided over traditional", lambda key: key._replace(method=key.method.replace("strided", "traditional"))
)
INTERLEAVED_OVER_PARTITIONED = ratio("interleaved over partitioned", lambda key: key._replace(pattern=PARTITIONED))
STUDY = study_of("galley", globals(), columns=lambda found, key: {"mb_per_s": mb(found, key)}, average=without_extremes)
reproduce_galley = reproduction(STUDY)
