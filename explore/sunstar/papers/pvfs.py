# SPDX-License-Identifier: MIT
"""The measurements of M. Vilayannur, M. Kandemir and A. Sivasubramaniam, "Kernel-level caching for optimizing I/O by
exploiting inter-application data sharing", 2002, one or two instances of a micro-benchmark on six nodes: figures 4 to
8, what the paper says about them (section 4.2), and the weight of our own choices. It draws curves and gives no
numbers. We set the bounds from its words: "not very significant" is 10 % at most, "very prominent" a half, "much
better" a fifth, "nearly all" is 90 % of the cases. A gain is the share of the time without caching that the cache
saves. A gain grows if it does so by more than 0.02, which a drawing shows, from one end of a curve to the other; so do
times fall.

A request for a block costs 400 us, the most that the paper says. The figure of a known shortfall is the worst one of
--quick and of the full runs. `starts` has files that are a few stripes longer, so that the processes' parts of a file
begin at different iods.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from sunstar.errors import UnmeasuredError
from sunstar.results import MachineResult
from sunstar.study.cases import Along, Cases, Curve, Found, Key, Settings, curves_of, points_of, sized
from sunstar.study.experiments import reproduction, study_of
from sunstar.study.statements import Measure, Measures, Sentences, Verdict, average

KIB, MIB = 1 << 10, 1 << 20
DATA = 24 * MIB  # The bytes of an instance in a pass, and of each file. The paper does not say.
NONE, CACHING = "no caching", "caching"
APART = "no caching, 6 nodes"  # Figure 8: each instance on nodes of its own
READ, WRITE = "read", "write"
ONCE, TWICE, THRICE = "1 pass", "2 passes", "3 passes"
"""A read is measured by its third pass, when the data nodes have had the data in memory for a while: the time of three
passes less that of two. In the second one, processes still differ by their waits for disks in the first."""
LOCALITIES = ("0", "0.5", "1")
"""The share of each instance's requests that repeat earlier ones. The pattern of a point has the number of nodes and
the locality; that of a single instance begins with its operation. The x of two instances is the shared part, in
percent; without the cache their time is one curve, as in the paper: it is measured without sharing (`shared` shows
that it does not matter)."""
say = Sentences("pvfs")
SMALL = 8 * KIB  # The largest of the "very small" requests of section 4.2.2


def requests(quick: bool) -> Cases:
    """32 writes a process on each of 4 nodes, of any size: then small ones fit into the cache."""
    found: dict[Key, Settings] = {}
    for key, sets in points_of("pvfs", "requests", quick).items():
        amount = f"{32 * 4 * key.record_bytes}B"
        found[key] = {**sets, "workload.bytes": amount, "workload.file_size": amount}
    return found


def application(result: MachineResult) -> float:
    found: float | None = result.result.application_s
    if found is None:
        raise UnmeasuredError(f"{result.platform} did not time its applications")
    return found


def seconds(found: Found, key: Key) -> float:
    """The time of a point: that of the third pass if it was measured."""
    thrice = key._replace(layout=THRICE)
    if thrice not in found.results:
        return application(found[key])
    return application(found[thrice]) - application(found[key._replace(layout=TWICE)])


def first_pass(found: Found, key: Key) -> float:
    return application(found[key._replace(layout=ONCE)])


def points(found: Found, *methods: str, **fields: str | int) -> list[Key]:
    """The points of these methods, or of all, whose other fields are as given, each once."""
    return [key._replace(layout="") for key in found.select(*methods, **fields) if key.layout in ("", THRICE)]


def where(key: Key) -> str:
    sharing = f"s = {key.x} %" if key.x else ""
    size = sized(key.record_bytes) if key.record_bytes else ""
    return ", ".join(part for part in (key.pattern, sharing, size) if part)


def series(found: Found, *methods: str, **fields: str | int) -> list[Curve]:
    """The seconds of these methods, or of all, by request size."""
    return curves_of(points(found, *methods, **fields), lambda key: seconds(found, key), "record_bytes")


def against(found: Found, key: Key, method: str = NONE) -> float:
    """Time over that of another version with the same load. Without caching, all degrees of sharing are one curve."""
    (other,) = points(found, method, pattern=key.pattern, record_bytes=key.record_bytes)
    return seconds(found, key) / seconds(found, other)


def gain(found: Found, key: Key, method: str = NONE) -> float:
    """The share of the other version's time that is saved."""
    return 1 - against(found, key, method)


def ratios(found: Found, keys: Iterable[Key], method: str = NONE) -> Measures:
    return Measures(Measure(against(found, key, method), where(key)) for key in keys)


def growth(found: Found, keys: Sequence[Key], along: Along, method: str = NONE) -> Measures:
    """By how much the gain grows along a field, all others being equal: from one end of each curve to the other."""
    measures = Measures()
    for gains in curves_of(keys, lambda key: gain(found, key, method), along):
        low, high = gains.first, gains.last
        start = where(gains.line._replace(x=str(low)) if along == "x" else gains.line._replace(record_bytes=low))
        end = f"{high} %" if along == "x" else sized(high)
        measures.append(Measure(gains[high] - gains[low], f"{start} to {end}"))
    return measures


def of_two(nodes: int) -> list[str]:
    """The patterns of two instances on this number of nodes, by locality."""
    return [f"p = {nodes}, l = {locality}" for locality in LOCALITIES]


def shared(found: Found, name: str) -> list[Key]:
    """The points of two instances that share something and have a cache."""
    return [key for key in points(found, CACHING, pattern=name) if int(key.x) > 0]


def gain_of_small_writes(found: Found) -> Iterator[Verdict]:
    write = f"{WRITE}, p = 4, l = 0"
    low, *_, high = sorted(points(found, CACHING, pattern=write), key=lambda key: key.record_bytes)
    sizes = f"{write}, {sized(high.record_bytes)} over {sized(low.record_bytes)}"
    yield say("writes-small", {sizes: gain(found, high) / gain(found, low)})


def locality(found: Found) -> Iterator[Verdict]:
    patterns = {operation: f"{operation}, p = 4, l = 1" for operation in (READ, WRITE)}
    for operation, name in patterns.items():
        keys = points(found, CACHING, pattern=name)
        yield say("gains-grow", growth(found, keys, "record_bytes"), operation=operation)
        most = average(gain(found, key) for key in keys if key.record_bytes > SMALL)
        less = {where(key): most - gain(found, key) for key in keys if key.record_bytes <= SMALL}
        yield say("small-gain", less, operation=operation)


def sharing(nodes: int) -> Callable[[Found], Iterator[Verdict]]:
    def judge(found: Found) -> Iterator[Verdict]:
        names = of_two(nodes)
        for name in names:
            yield say("sharing-grows", growth(found, points(found, CACHING, pattern=name), "x"), name=name)
        for low, high in pairwise(names):
            grown = {f"{low} to {high}": mean_gain(found, high) - mean_gain(found, low)}
            yield say("locality-grows", grown, low=low, high=high)
        yield from falling(found, nodes)

    return judge


def falling(found: Found, nodes: int) -> Iterator[Verdict]:
    for method, clause in ((NONE, "without the cache"), (CACHING, "with the cache")):
        curves = [curve for name in of_two(nodes) for curve in series(found, method, pattern=name)]
        falls = {f"{where(c.line)}, {sized(c.last)} over {sized(c.first)}": c[c.last] / c[c.first] for c in curves}
        yield say("times-fall", falls, clause=clause)


def fewer_nodes(found: Found) -> Iterator[Verdict]:
    four, two = ([mean_gain(found, name) for name in of_two(nodes)] for nodes in (4, 2))
    yield say("more-nodes", {f"l = {at}": a - b for at, a, b in zip(LOCALITIES, four, two, strict=True)})


def mean_gain(found: Found, name: str, method: str = NONE) -> float:
    return average(gain(found, key, method) for key in shared(found, name))


def parallelism(found: Found) -> Iterator[Verdict]:
    names = none, half, full = of_two(3)
    yield say("by-far", {none: mean_gain(found, none)})
    yield say("behind-six", ratios(found, shared(found, none), APART))
    yield say("closer", {half: mean_gain(found, half, APART) - mean_gain(found, none, APART)})
    yield say("ahead-of-six", ratios(found, shared(found, full), APART))
    for name in names:
        yield say("sharing-more", growth(found, points(found, CACHING, pattern=name), "x", APART), name=name)


def without_sharing(found: Found, key: Key) -> float:
    """Time over that without sharing."""
    return seconds(found, key) / seconds(found, key._replace(x="0"))


def third_pass(found: Found, key: Key) -> float | None:
    return seconds(found, key) if key.layout == THRICE else None


def curve(key: Key) -> str:
    """The cache is measured with each degree of sharing."""
    return f"s = {key.x} %" if key.x and key.method == CACHING else key.method


def gain_in_words(found: Found, of: Mapping[str, Key]) -> str:
    return f"{100 * (1 - seconds(found, of[CACHING]) / seconds(found, of[NONE])):.0f} %"


def trials_of_writes(key: Key) -> int:
    """The extra gain of small writes over large ones differs by 40 % from seed to seed (figure 4). On a switch, times
    with the cache differ by a third; hence five trials."""
    return 10 if key.pattern.startswith(WRITE) else 1


STUDY = study_of("pvfs", globals())
reproduce_pvfs = reproduction(STUDY)
