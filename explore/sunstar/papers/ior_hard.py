# SPDX-License-Identifier: MIT
"""ior-hard of the IO500 under file systems with locks, with versions, and under collective I/O. The study is ours; so
are the bounds that are not the list's."""

from collections.abc import Iterator, Sequence

from sunstar.console import throughput
from sunstar.results import ior_gib_per_s
from sunstar.study.cases import Found, Key, listed_points
from sunstar.study.described import reproduction, study_of
from sunstar.study.statements import Measures, Sentences, Verdict, each
from sunstar.study.views import Quantity

MIB = 1 << 20
RECORDS = listed_points("ior-hard")["records"]["record_sizes"]


def phase(found: Found, key: Key, way: str) -> float:
    """GiB/s."""
    return ior_gib_per_s(found[key].result, way)


def share(found: Found, key: Key, way: str) -> float | None:
    """Of the throughput that the same method has with large transfers."""
    easy = key._replace(pattern="easy")
    return phase(found, key, way) / phase(found, easy, way) if easy in found.results else None


def messages(found: Found, key: Key) -> float:
    result = found[key].result
    figure: float = result.messages / (result.ior.write.transfers + result.ior.read.transfers)
    return figure


def memory(found: Found, key: Key) -> float:
    return float(found[key].memory.io_processor) / MIB


def two_digits(value: float) -> str:
    return f"{value:.2f}"


def place_of_record(key: Key) -> float:
    """On an axis of sizes, some of which are nearly the same."""
    return float(RECORDS.index(key.record_bytes))


say = Sentences("ior-hard")


def over(found: Found, keys: Sequence[Key], other: str) -> Measures:
    """How many times as fast as this method they write."""
    return each(keys, lambda key: phase(found, key, "write") / phase(found, key._replace(method=other), "write"))


def judge(found: Found) -> Iterator[Verdict]:
    def hard(*methods: str) -> list[Key]:
        return found.select(*methods, pattern="hard")

    def kept(method: str) -> Measures:
        return each(hard(method), lambda key: share(found, key, "write") or 0)

    yield say("locks", kept("locks"))
    yield say("versions", kept("versions"))
    yield say("whole", kept("ddio-whole"))
    yield say("gain", over(found, hard("ddio-whole"), "locks"))
    yield say("each", over(found, found.select("ddio", pattern="hard", x="10"), "locks"))
    yield say("lock-ahead", over(found, hard("lock-ahead"), "locks"))
    if overstriped := hard("overstriped"):
        yield say("overstriping", over(found, overstriped, "locks"))


def judge_records(found: Found) -> Iterator[Verdict]:
    def odd(key: Key) -> Key:
        return key._replace(record_bytes=47008)

    if pages := found.select("locks", record_bytes=45056):
        yield say("pages", each(pages, lambda key: phase(found, key, "write") / phase(found, odd(key), "write")))


def judge_aggregators(found: Found) -> Iterator[Verdict]:
    few, every = found.one("two-phase-whole", x="10"), found.one("two-phase-whole", x="40")
    yield say("aggregators", each([few], lambda key: phase(found, key, "write") / phase(found, every, "write")))


WRITTEN = Quantity("written, GiB/s", lambda found, key: phase(found, key, "write"), throughput)
READ = Quantity("read, GiB/s", lambda found, key: phase(found, key, "read"), throughput)
SHARE = Quantity("hard over easy", lambda found, key: share(found, key, "write"), two_digits)
SHARE_READ = Quantity("hard over easy, read", lambda found, key: share(found, key, "read"), two_digits)
MESSAGES = Quantity("messages for each record", messages, throughput)
MEMORY = Quantity("memory of a server, MiB", memory, throughput)
STUDY = study_of("ior-hard", globals())
reproduce_ior_hard = reproduction(STUDY)
