# SPDX-License-Identifier: MIT
"""The map in words: statements, each a sentence and a check. The statements are ours.

TR94-226 predicts (section 6 and "Future work") that short records gain if a message carries several of them, by gather
and scatter of disk-directed I/O or by strided requests of traditional caching, and (section 7.1) that one file system
could do both for collectives and for calls.

A statement is left out where none of its points was measured. The figure of a known shortfall is that of one trial with
seed 1.
"""

from collections.abc import Callable, Iterator

from sunstar.papers.five_ways import cases
from sunstar.study.cases import Found, Key
from sunstar.study.statements import Sentences, Verdict
from sunstar.study.views import WORM, other

say = Sentences("five-ways")


def of_best(found: Found, key: Key) -> float:
    """The throughput of a way, with its better option, over that of the best."""
    of = cases.best(found, key).of_ways()
    return of[cases.way_of(key.method)] / max(of.values())


def of_others(found: Found, key: Key) -> float:
    """The same over the best other way."""
    of = cases.best(found, key).of_ways()
    return of.pop(cases.way_of(key.method)) / max(of.values())


def over_caching(found: Found, key: Key) -> float:
    of = cases.best(found, key).of_ways()
    return of[cases.way_of(key.method)] / of["tc"]


def hybrid_over(model: str) -> Callable[[Found, Key], float]:
    """The throughput of the hybrid over that of a file system with the same option."""
    return lambda found, key: cases.over(found, key, key.method.replace("hybrid", model))


def of_hybrid(model: str) -> Callable[[Key], str]:
    return lambda key: f"{key}, over {key.method.replace('hybrid', model)}"


def times_fewer_messages(found: Found, key: Key) -> float:
    """Without the option of the way over with it."""
    return found[key].messages / found[key._replace(method=cases.OPTIONS[key.method])].messages


def models(found: Found) -> Iterator[Verdict]:
    """The statement about the worm model of the network, which all other experiments use: how its best way does under
    the flit model. Networks slower than 20 MB/s are too busy for it."""
    for place in cases.places(found):
        if place.x == WORM:
            way = cases.way_of(cases.best(found, place).leader.first)
            flit = other(place)
            yield say("models", {f"{flit} {way}": of_best(found, flit._replace(method=way))}, pattern=place.pattern)
