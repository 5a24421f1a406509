# SPDX-License-Identifier: MIT
"""The experiments of D. Kotz, "Expanding the potential for disk-directed I/O", 1995 (sections 3.2, 4.2 and 5.2, figures
2 to 4), and one more on its records.

The paper draws its measures and gives few numbers. We set the bounds of statements from its words: "similarly" is
within 5 %, "leaves alone" within 2 %, "never slower" allows 1.1 %, which its predecessor's own tables do (TR94-226),
and "dramatically" is half as much again.

The figure of a known shortfall is the worst one of five trials with seed 1.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from sunstar.console import kibibytes, percent
from sunstar.errors import UnmeasuredError
from sunstar.quantities import size_in_bytes
from sunstar.results import MachineResult
from sunstar.study.cases import Found, Key, variation
from sunstar.study.described import reproduction, study_of
from sunstar.study.experiments import Cell
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, each
from sunstar.study.views import Quantity

say = Sentences("expanding")

SMALL, LARGE = 64, 8192  # Bytes of a record


# tc and tc-share redirect records. tc-share is ours, for what it tells about tc with records as large as a block. So is
# ddio-at-cp, which filters where tc does; it differs from ddio only if something is thrown away: the x of a point of
# figure 3 is the share of the records that is. A subset is 22 % of the blocks of a file (x), as even over CPs and disks
# as the defaults make them.

# The best that a machine's hardware allows ----------------------------------------------------------------------------


def disks_bytes_per_s(result: MachineResult) -> float:
    """The peak rate of all drives together: the sectors of a track in the outermost zone in each revolution. The HP
    97560 has 72 of 512 bytes and 4002 revolutions a minute: 2.345 MiB/s, the 2.34 of the papers."""
    machine = result.config.get("machine", {})
    groups = [
        group for node in machine.get("nodes", []) for bus in node.get("buses", []) for group in bus.get("drives", [])
    ]
    if not groups:
        raise UnmeasuredError("the peak rate of the drives is not known: the result names none")
    total = 0.0
    for group in groups:
        drive = {**machine["disk"], **(group["disk"] or {})}
        sectors = max(zone["sectors_per_track"] for zone in drive["zones"])
        total += group["count"] * sectors * size_in_bytes(drive["sector_size"]) * drive["rpm"] / 60
    return total


# The paper's measures -------------------------------------------------------------------------------------------------
#
# Each is over the best value that is possible: 1 is best, and less is better.
#
# | measure | best value |
# |---|---|
# | time | the bytes that are needed from the disks, over the peak rate of all drives |
# | data, network | the bytes that are needed, sent once, without a header |
# | messages | one for each record, or for each block of a subset |
#
# What is needed: the whole file, filtered or not, since the disks read it all and the paper compares traffic with that
# of no filter; of a subset the blocks that were asked for.


class Needed(NamedTuple):
    bytes: float
    units: float  # Records, or blocks of a subset


def needed(result: MachineResult) -> Needed:
    workload = result.config["workload"]
    if workload["kind"] == "records":
        size = size_in_bytes(workload["file_size"])
        return Needed(size, size / size_in_bytes(workload["record_size"]))
    return Needed(result.result.bytes_moved, result.result.bytes_moved / size_in_bytes(workload["chunk_size"]))


class Normalised(NamedTuple):
    time: float
    data: float  # Bytes in messages, without headers
    headers: float
    network: float  # Data and headers
    messages: float


def normalised(found: Found, key: Key) -> Normalised:
    result = found[key]
    best = needed(result)
    return Normalised(
        result.elapsed_s * disks_bytes_per_s(result) / best.bytes,
        result.message_bytes / best.bytes,
        result.header_bytes / best.bytes,
        result.network_bytes / best.bytes,
        result.messages / best.units,
    )


def largest_variation(found: Found, key: Key) -> float:
    """The largest coefficient of variation of the run's measures over its trials: time, data, messages."""
    names = ("elapsed_s", "message_bytes", "messages")
    return max(variation([getattr(trial, name) for trial in found[key].trials]) for name in names)


def time_over(found: Found, keys: Sequence[Key], method: str) -> Measures:
    """The time of each of these runs over that of another method at the same point."""

    def ratio(key: Key) -> float:
        return found[key].elapsed_s / found[key._replace(method=method)].elapsed_s

    return Measures(Measure(ratio(key), f"{key} over {method}") for key in keys)


def consistent(found: Found, keys: Sequence[Key]) -> Verdict:
    return say("variation", each(keys, lambda key: 100 * largest_variation(found, key), "%"))


def never_slower(found: Found, *methods: str) -> Verdict:
    """About the time of disk-directed I/O over that of each of these methods."""

    def ratio(key: Key) -> float:
        return found[key._replace(method="ddio")].elapsed_s / found[key].elapsed_s

    return say("never-slower", each(found.select(*methods), ratio, "ddio over it"))


def data(found: Found, keys: Iterable[Key]) -> Measures:
    return each(keys, lambda key: normalised(found, key).data, "data bytes over the records'")


def judge_distribution(found: Found) -> Iterator[Verdict]:
    """Section 3.2."""
    select = partial(found.select, record_bytes=LARGE)
    three = ("tc", "tc-direct", "ddio")
    contiguous = select(*three, layout="contiguous")
    yield say("similar", Measures(measure for one in three for measure in time_over(found, contiguous, one)))

    def messages(method: str) -> Measures:
        return each(select(method), lambda key: normalised(found, key).messages, "messages a record")

    yield say("four-messages", messages("tc"))
    yield say("four-messages-share", messages("tc-share"))
    yield say("twice", data(found, found.select("tc")))
    yield say("twice-share", data(found, found.select("tc-share")))
    yield say("once", data(found, found.select("tc-direct", "ddio")))
    yield say("redirected", time_over(found, found.select("tc-direct", record_bytes=SMALL), "tc"))
    yield say("double", data(found, found.select("tc", record_bytes=SMALL)))
    yield say("random-both", time_over(found, found.select("tc", "tc-direct", layout="random-blocks"), "ddio"))
    yield never_slower(found, "tc", "tc-share", "tc-direct")
    yield consistent(found, found.select(*three))


def judge_filtering(found: Found) -> Iterator[Verdict]:
    """Section 4.2."""

    def change(method: str, of: Callable[[Key], float], what: str, wanted: float) -> Measures:
        """How far a filter's change of a figure is from the one wanted, as a share."""
        found_ = Measures()
        for key in found.select(method, x="0.9"):
            ratio = of(key) / of(key._replace(x="0.0", method=method.removesuffix("-at-cp")))
            found_.append(Measure(abs(ratio - wanted), f"{key} over 0.0, {what} ({ratio:.3f})"))
        return found_

    def sent(method: str, wanted: float = 1.0) -> Measures:
        return change(method, lambda key: found[key].message_bytes, "message bytes", wanted)

    def elapsed(method: str) -> Measures:
        return change(method, lambda key: found[key].elapsed_s, "time", 1.0)

    yield say("less-sent", sent("ddio", 0.1))
    yield say("iops-time", elapsed("ddio"))
    yield say("caching-sends", sent("tc"))
    yield say("caching-time", elapsed("tc"))
    yield say("cps-send", sent("ddio-at-cp"))
    yield say("random-faster", time_over(found, found.select("tc", layout="random-blocks"), "ddio"))
    yield say("small-faster", time_over(found, found.select("tc", record_bytes=SMALL), "ddio"))
    yield never_slower(found, "tc")
    yield consistent(found, found.select("tc", "ddio"))


def apart(keys: Sequence[Key], of: Callable[[Key], float], other: Callable[[Key], Key]) -> Measures:
    """How far a figure is from that of another point, as a share."""
    return each(keys, lambda key: abs(of(key) / of(other(key)) - 1))


def judge_subsets(found: Found) -> Iterator[Verdict]:
    """Section 5.2."""
    caching = found.select("tc", "tc-no-prefetch")
    yield say("subset-faster", time_over(found, caching, "ddio"))

    def traffic(key: Key) -> float:
        return found[key].network_bytes

    yield say("subset-traffic", apart(caching, traffic, lambda key: key._replace(method="ddio")))
    yield say("subset-prefetch", time_over(found, found.select("tc", layout="random-blocks"), "tc-no-prefetch"))
    yield say("subset-mistakes", time_over(found, found.select("tc", layout="contiguous"), "tc-no-prefetch"))
    yield consistent(found, found.select())


def judge_functions(found: Found) -> Iterator[Verdict]:
    """Ours: the paper expects that it does not matter which function it is."""

    def elapsed(key: Key) -> float:
        return found[key].elapsed_s

    directed = found.select("ddio", "ddio-gather")
    yield say("any-function", apart(directed, elapsed, lambda key: key._replace(pattern="cyclic")))
    by_bytes = [key for function in ("hash", "range") for key in found.select("tc", pattern=function)]
    yield say("by-bytes", data(found, by_bytes))
    yield never_slower(found, "tc")


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    of = normalised(found, key)._asdict()
    return {
        **{f"{name}_over_best": value for name, value in of.items()},
        "largest_variation": largest_variation(found, key),
    }


def over_best(name: str, found: Found, key: Key) -> float:
    return float(getattr(normalised(found, key), name))


OVER_BEST = {
    name: Quantity("sum" if name == "network" else name, partial(over_best, name), "{:.2f}".format)
    for name in Normalised._fields
}
QUANTITIES = (
    Quantity("s", lambda found, key: found[key].elapsed_s, "{:.3f}".format),
    *OVER_BEST.values(),
    Quantity("CP KiB", lambda found, key: found[key].memory.compute_processor, kibibytes),
    Quantity("IOP KiB", lambda found, key: found[key].memory.io_processor, kibibytes),
    Quantity("CV", largest_variation, percent),
)
"""Seconds; five measures over the best; memory that the file system takes; the largest coefficient of variation."""


def discarded(key: Key) -> str:
    return f"{100 * float(key.x):.0f} %"


DRAWN = [measure for name, measure in OVER_BEST.items() if name != "headers"]
"""A panel for each measure of the paper, and for bytes with headers."""
STUDY = study_of("expanding", globals(), columns=columns)
reproduce_expanding = reproduction(STUDY)
