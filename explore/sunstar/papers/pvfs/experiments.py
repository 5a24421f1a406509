# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures by their numbers, what our choices weigh by name."""

from collections.abc import Mapping

from sunstar.papers.pvfs import cases
from sunstar.study.cases import Found, Key
from sunstar.study.described import reproduction, study_of
from sunstar.study.experiments import Cell
from sunstar.study.views import Quantity


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    cache = found[key].result.cache
    return {
        "application_s": cases.application(found[key]),
        "third_pass_s": cases.seconds(found, key._replace(layout="")) if key.layout == cases.THRICE else None,
        **{name: getattr(cache, name, None) for name in ("hits", "joined", "misses", "waits")},
    }


def curve(key: Key) -> str:
    """The cache is measured with each degree of sharing."""
    return f"s = {key.x} %" if key.x and key.method == cases.CACHING else key.method


SECONDS = Quantity("seconds", lambda found, key: cases.seconds(found, key._replace(layout="")), "{:.3f}".format)
FIRST = Quantity("1st", lambda found, key: cases.first_pass(found, key), "{:.3f}".format)


THIRD = Quantity("3rd", SECONDS.value, SECONDS.text)


def gain(found: Found, of: Mapping[str, Key]) -> str:
    with_cache, without = (
        cases.seconds(found, of[method]._replace(layout="")) for method in (cases.CACHING, cases.NONE)
    )
    return f"{100 * (1 - with_cache / without):.0f} %"


def trials_of_writes(key: Key) -> int:
    """By how much more small writes gain than large ones differs by 40 % from seed to seed (figure 4). On a switch,
    times with the cache differ by a third; of that there are five trials."""
    return 10 if key.pattern.startswith(cases.WRITE) else 1


STUDY = study_of("pvfs", globals(), columns=columns)
reproduce_pvfs = reproduction(STUDY)
