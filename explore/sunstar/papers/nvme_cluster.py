# SPDX-License-Identifier: MIT
"""TR94-226's patterns on a cluster of today: what of the report's findings holds there. The experiment is ours; so are
the bounds, which are wide enough to say which way it goes."""

from collections.abc import Iterator

from sunstar.console import throughput
from sunstar.study.cases import Found, Key
from sunstar.study.described import reproduction, study_of
from sunstar.study.statements import Sentences, Verdict, each
from sunstar.study.views import Quantity

say = Sentences("nvme-cluster")
BEST = "ddio-16"  # Disk-directed I/O with buffers enough for drives that take several commands at a time
MIB = 1 << 20


def messages(found: Found, key: Key) -> float:
    result = found[key].result
    return float(result.messages * MIB / result.bytes_moved)


def judge(found: Found) -> Iterator[Verdict]:
    """On `b` patterns the file's order is that of the clients: whoever goes through a file in order serves one after
    the other."""
    random = found.select("ddio-presort", layout="random-blocks")
    reads = [key for key in found.select(BEST, layout="random-blocks") if key.pattern in ("rc", "rbb")]
    yield say("convoy", found.over(found.select("ddio-presort", pattern="rb", layout="contiguous"), "tc"))
    yield say("never-slower", found.over([key for key in found.select(BEST) if key.pattern != "rb"], "tc"))
    yield say("presort", found.over([key for key in random if key.pattern[1:] in ("n", "c")], "ddio"))
    yield say("presort-blocks", found.over([key for key in random if key.pattern[1:] == "b"], "ddio"))
    yield say("layout", each(random, lambda key: found.mib(key._replace(layout="contiguous")) / found.mib(key)))
    yield say("buffers", found.over(reads, "ddio-presort"))
    yield say("two-phase", found.over([key for key in found.select("two-phase") if key.pattern != "rb"], BEST))


def judge_small(found: Found) -> Iterator[Verdict]:
    yield say("over-caching", found.over(found.select("ddio-presort"), "tc"))
    yield say("gather", found.over(found.select("ddio-gather"), "ddio-presort"))
    yield say("exchange", found.over(found.select("two-phase"), "ddio-gather"))


def judge_sockets(found: Found) -> Iterator[Verdict]:
    in_turn = [key for key in found.select("two-phase") if key.pattern[1:] == "c"]
    yield say("sockets", found.over(in_turn, BEST))


MESSAGES = Quantity("messages", messages, throughput)
STUDY = study_of("nvme-cluster", globals())
reproduce_nvme_cluster = reproduction(STUDY)
