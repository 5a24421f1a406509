# SPDX-License-Identifier: MIT
"""TR94-226's patterns on a cluster of today: what of the report's findings holds there. The experiment is ours; so are
the bounds, which are wide enough to say which way it goes."""

from collections.abc import Iterator

from sunstar.console import throughput
from sunstar.study.cases import Found, Key, methods_of
from sunstar.study.described import reproduction, study_of
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, each
from sunstar.study.views import Quantity

say = Sentences("nvme-cluster")
METHODS = methods_of("nvme-cluster")
BEST = "ddio-16"  # Disk-directed I/O with buffers enough for drives that take several commands at a time
MIB = 1 << 20


def messages(found: Found, key: Key) -> float:
    result = found[key].result
    return result.messages * MIB / result.bytes_moved


def judge(found: Found) -> Iterator[Verdict]:
    random = found.select("ddio-presort", layout="random-blocks")
    yield say("never-slower", found.over(found.select("ddio-presort"), "tc"))
    yield say("presort", found.over(random, "ddio"))
    contiguous = {key: found.mib(key._replace(layout="contiguous")) for key in random}
    yield say("layout", each(random, lambda key: contiguous[key] / found.mib(key)))
    yield say("buffers", found.over([key for key in found.select(BEST) if key.pattern.startswith("r")], "ddio-presort"))
    yield say("two-phase", found.over(found.select("two-phase"), BEST))


def judge_small(found: Found) -> Iterator[Verdict]:
    cyclic = [key for key in found.select("ddio-presort") if "c" in key.pattern]
    yield say("exchange", found.over([key._replace(method="two-phase") for key in cyclic], "ddio-presort"))
    yield say("gather", found.over([key._replace(method="ddio-gather") for key in cyclic], "two-phase"))
    yield say("over-caching", found.over(found.select("ddio-presort"), "tc"))


def judge_sockets(found: Found) -> Iterator[Verdict]:
    best = {key: max(found.mib(key._replace(method=method)) for method in METHODS) for key in found.select(BEST)}
    yield say("sockets", Measures(Measure(found.mib(key) / most, str(key)) for key, most in best.items()))


MESSAGES = Quantity("messages", messages, throughput)
STUDY = study_of("nvme-cluster", globals())
reproduce_nvme_cluster = reproduction(STUDY)
