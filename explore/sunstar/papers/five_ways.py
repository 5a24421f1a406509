# SPDX-License-Identifier: MIT
"""Which of the five ways to do parallel I/O is best where: a map for the designer of a machine. Its experiments and
statements are ours. They take up predictions of TR94-226: (section 6 and "Future work") that short records gain if a
message carries several of them, by gather and scatter of disk-directed I/O or by strided requests of traditional
caching, and (section 7.1) that one file system could do both for collectives and for calls.

A statement is left out where none of its points was measured. The figure of a known shortfall is that of one trial with
seed 1.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import polars as pl

from sunstar.console import Printed, kibibytes, throughput
from sunstar.drawing import Axes, Canvas
from sunstar.study.cases import Cases, Found, Key, Leader, best_of_families, leader, methods_of, points_of
from sunstar.study.experiments import reproduction, study_of
from sunstar.study.statements import Sentences, Verdict
from sunstar.study.views import WORM, Quantity, beside, other, under_both

LISTED: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text())
"""Traditional caching, two-phase I/O, disk-directed I/O, ENWRICH, and the hybrid of the first and the third: the name
of each, a short one, the option when it carries out a collective, and on the map its colour and, where it may be as
good as the recommended way, its initial. Disk-directed I/O always takes less memory."""
WAYS = tuple(LISTED)
OPTIONS = {way: of["option"] for way, of in LISTED.items()}
GROUPS = ("collective", "calls", "mixed")
METHODS = tuple({of: group for group in GROUPS for of in methods_of("five-ways", group)})
"""The ways to carry out a collective, each with an option; calls of single processors, which two-phase and
disk-directed I/O do not take; and both at once."""
points = partial(points_of, "five-ways")
"""The x of a point is MB/s a link, and memory. Patterns span two properties: the size of a CP's pieces, and the number
of CPs that share a block. Memory is the buffers of an IOP's cache for each CP and disk (traditional caching, two-phase
I/O, the hybrid), those of an IOP for each disk (disk-directed I/O, ENWRICH, the hybrid), ENWRICH's memory of each CP,
and the buffer of two-phase I/O, which takes four times as much. ENWRICH gathers what it writes only. CPs that work
alone begin at times of their own, 100 ms apart at most."""
REPORTED = 200  # MB/s a link, as in TR94-226
MEDIUM = "medium"
MEMORIES = ("small", MEDIUM, "large")
TIE = 1.05  # Throughputs are tied up to this ratio
say = Sentences("five-ways")


def way_of(method: str) -> str:
    return next(way for way in WAYS if method == way or method.startswith(f"{way}-"))


def x_of(bandwidth: int, memory: str = MEDIUM) -> str:
    return f"{bandwidth} {memory}"


def condition(x: str) -> tuple[int, str]:
    """MB/s a link, and memory."""
    bandwidth, memory = x.split()
    return int(bandwidth), memory


def models(quick: bool) -> Cases:
    """Points on the slowest network, too busy for the worm model, under both models."""
    return under_both(points("models", quick), keep_x=False)


def speed(found: Found, key: Key) -> float:
    """Throughput until the last byte is on the medium, so that it ends at the same moment for every way. By its own
    account, disk-directed I/O and ENWRICH end earlier, when the drives have reported the data."""
    return found[key].medium_mib_per_s


def over(found: Found, key: Key, method: str) -> float:
    return speed(found, key) / speed(found, key._replace(method=method))


def memory(found: Found, key: Key) -> float:
    """Bytes that the file system takes on a CP and on an IOP, together."""
    return float(found[key].memory.compute_processor + found[key].memory.io_processor)


class Best(NamedTuple):
    speeds: Mapping[str, float]  # Of each method
    leader: Leader
    tied: tuple[str, ...]  # The methods within TIE of the fastest one, itself included
    thrifty: str  # The one of these that takes the least memory

    @property
    def ways(self) -> list[str]:
        return [way for way in WAYS if any(way_of(method) == way for method in self.tied)]

    @property
    def rivals(self) -> list[str]:
        """The tied ways beside the recommended one. The hybrid's collectives are disk-directed I/O, so where that is
        recommended, the hybrid is no rival; it never takes less memory."""
        kin = {way_of(self.thrifty), *(("hybrid",) if way_of(self.thrifty) == "ddio" else ())}
        return [way for way in self.ways if way not in kin]

    def of_ways(self) -> dict[str, float]:
        """The throughput of each way with its better option."""
        return {way: self.speeds[method] for way, method in best_of_families(self.speeds, way_of).items()}


def places(found: Found) -> Iterator[Key]:
    return iter(dict.fromkeys(key._replace(method="") for key in found.select()))


def best(found: Found, place: Key) -> Best:
    keys = {method: place._replace(method=method) for method in found.methods}
    speeds = {method: speed(found, key) for method, key in keys.items() if key in found.results}
    first = leader(speeds, way_of)
    tied = tuple(method for method in speeds if speeds[method] * TIE >= speeds[first.first])
    # Of two options with equal memory, the faster one.
    thrifty = min(tied, key=lambda method: (memory(found, keys[method]), -speeds[method]))
    return Best(speeds, first, tied, thrifty)


def short(method: str) -> str:
    """A name for narrow tables; + is the way's option, so that "dd+" is disk-directed I/O that gathers."""
    way = way_of(method)
    return LISTED[way]["short"] + ("+" if method != way else "")


def in_brief(what: Best) -> str:
    """The best throughput, the recommended method, and = if another way is as good."""
    return f"{throughput(what.speeds[what.leader.first])} {short(what.thrifty):<3} {'=' if what.rivals else ' '}"


def map_of(everything: Mapping[str, Found]) -> Mapping[str, pl.DataFrame]:
    """A line for each point of each experiment that compares ways."""
    lines = []
    for name, found in everything.items():
        if name in ("pieces", "models"):  # points of the collectives
            continue
        for place in places(found):
            what = best(found, place)
            bandwidth, memory_class = condition(place.x)
            recommended = found[place._replace(method=what.thrifty)].memory
            first, second, lead = what.leader
            lines.append(
                {
                    "asks": name,
                    **{field: getattr(place, field) for field in ("pattern", "record_bytes", "layout")},
                    "link_mb_per_s": bandwidth,
                    "memory": memory_class,
                    "best": way_of(first),
                    "best_method": first,
                    "mib_per_s": what.speeds[first],
                    "next": way_of(second),
                    "next_method": second,
                    "lead": lead,
                    "within_5_percent": " ".join(what.tied),
                    "recommended": way_of(what.thrifty),
                    "recommended_method": what.thrifty,
                    "compute_processor_memory_bytes": recommended.compute_processor,
                    "io_processor_memory_bytes": recommended.io_processor,
                    **{f"{method.replace('-', '_')}_mib_per_s": what.speeds.get(method) for method in METHODS},
                }
            )
    return {"map": pl.DataFrame(lines, infer_schema_length=None)} if lines else {}


def of_best(found: Found, key: Key) -> float:
    """The throughput of a way, with its better option, over that of the best."""
    of = best(found, key).of_ways()
    return of[way_of(key.method)] / max(of.values())


def of_others(found: Found, key: Key) -> float:
    """The same over the best other way."""
    of = best(found, key).of_ways()
    return of.pop(way_of(key.method)) / max(of.values())


def over_caching(found: Found, key: Key) -> float:
    of = best(found, key).of_ways()
    return of[way_of(key.method)] / of["tc"]


def hybrid_over(model: str) -> Callable[[Found, Key], float]:
    """The throughput of the hybrid over that of a file system with the same option."""
    return lambda found, key: over(found, key, key.method.replace("hybrid", model))


def of_hybrid(model: str) -> Callable[[Key], str]:
    return lambda key: f"{key}, over {key.method.replace('hybrid', model)}"


def times_fewer_messages(found: Found, key: Key) -> float:
    """Without the option of the way over with it."""
    return found[key].messages / found[key._replace(method=OPTIONS[key.method])].messages


def worm_agrees(found: Found) -> Iterator[Verdict]:
    """The statement about the worm model of the network, which all other experiments use: how its best way does under
    the flit model. Networks slower than 20 MB/s are too busy for it."""
    for place in places(found):
        if place.x == WORM:
            way = way_of(best(found, place).leader.first)
            flit = other(place)
            yield say("models", {f"{flit} {way}": of_best(found, flit._replace(method=way))}, pattern=place.pattern)


RIVALS = {way: of["initial"] for way, of in LISTED.items() if of["initial"]}


def draw_map(found: Found, canvas: Canvas) -> None:
    from matplotlib.patches import Patch

    rows = [(size, pattern) for size in found.record_sizes for pattern in found.patterns]
    width, height = 1.0 + 0.67 * len(found.xs) * len(found.layouts), 1.6 + 0.215 * len(rows)
    canvas.set_size_inches(max(8.8, width), height)
    panels = canvas.subplots(1, len(found.layouts), squeeze=False, sharey=True)[0]
    seen = set()
    for axes, layout in zip(panels, found.layouts, strict=True):
        for i, (size, pattern) in enumerate(rows):
            for j, x in enumerate(found.xs):
                what = best(found, Key("", pattern, layout, size, x))
                cell(axes, i, j, what)
                seen.add(way_of(what.thrifty))
        for i in range(len(found.patterns), len(rows), len(found.patterns)):
            axes.axhline(i - 0.5, color="black", linewidth=1.5)
        axes.set_xlim(-0.5, len(found.xs) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(found.xs)), [heading(x, "\n") for x in found.xs], fontsize=7)
        axes.set_yticks(range(len(rows)), [f"{pattern}  {size} B" for size, pattern in rows], fontsize=7)
        axes.tick_params(length=0)
        axes.set_title(layout, fontsize=9)
        axes.set_xlabel("MB/s a link; memory, where not medium", fontsize=8)
    patches = [Patch(facecolor=of["colour"], label=of["name"]) for way, of in LISTED.items() if way in seen]
    initials = ", ".join(f"{letter} {LISTED[way]['name']}" for way, letter in RIVALS.items())
    patches.append(Patch(facecolor=lighter("#808080"), label=f"lighter: others are within 5 %: {initials}"))
    canvas.legend(handles=patches, fontsize=7.5, ncols=2, loc="outside lower center")


def cell(axes: Axes, row: int, column: int, what: Best) -> None:
    """The best throughput in the colour of the recommended way, and the initials of equally good ways."""
    from matplotlib.patches import Rectangle

    own = LISTED[way_of(what.thrifty)]["colour"]
    drawn = lighter(own) if what.rivals else own
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=drawn, edgecolor="white", linewidth=0.8))
    mark = "+" if short(what.thrifty).endswith("+") else ""
    rivals = "".join(letter for way, letter in RIVALS.items() if way in what.rivals)
    text = f"{what.speeds[what.leader.first]:.1f}{mark}{' ' if rivals else ''}{rivals}"
    axes.text(column, row, text, ha="center", va="center", fontsize=6.5)


def lighter(colour: str) -> tuple[float, float, float]:
    """Half way to white."""
    from matplotlib.colors import to_rgb

    red, green, blue = (0.5 + part / 2 for part in to_rgb(colour))
    return red, green, blue


def heading(x: str, between: str = " ") -> str:
    """The heading of a condition's column: MB/s a link, and memory that is not medium."""
    bandwidth, memory = condition(x)
    return f"{bandwidth}" if memory == MEDIUM else f"{bandwidth}{between}{memory}"


def column(key: Key) -> str:
    return heading(key.x)


THE_MAP = Quantity("the map, MiB/s", lambda found, key: in_brief(best(found, key._replace(method=""))))


def way(key: Key) -> str:
    return way_of(key.method)


def option(key: Key) -> str:
    return "" if key.method == way(key) else "+"


def take(found: Found, of: Mapping[str, Key]) -> str:
    return in_brief(best(found, next(iter(of.values()))._replace(method="")))


def how_often(found: Found) -> Iterator[Printed]:
    """For each way, the number of points at which it is as good as the best, and its lag at the worst one."""
    rows = []
    for way, layout in product(WAYS, found.layouts):
        cells = [way, layout]
        for x in found.xs:
            here = [place for place in places(found) if (place.layout, place.x) == (layout, x)]
            of_ways = [best(found, place).of_ways() for place in here]
            shares = [of[way] / max(of.values()) for of in of_ways]
            good = sum(share * TIE >= 1 for share in shares)
            cells.append(f"{good}/{len(shares)}, {100 * min(shares):.0f} %")
        rows.append(cells)
    headings = ("way", "layout", *map(heading, found.xs))
    yield Printed("points within 5 % of the best, and the worst point", headings, rows, 2)


def memory_taken(found: Found) -> Iterator[Printed]:
    """The most memory of each method, and the throughput with less or more of it, if all were measured as reported."""
    xs = [x_of(REPORTED, memory) for memory in MEMORIES]
    if not set(xs) <= set(found.xs):
        return
    rows, gains = [], []
    for method in found.methods:
        taken = [[found[key].memory for key in found.select(method, x=x)] for x in xs]
        nodes = ("compute_processor", "io_processor")
        rows.append([method, *(kibibytes(max(getattr(each, node) for each in of)) for of in taken for node in nodes)])
        cells = [method]
        for operation in "rw":
            keys = [key for key in found.select(method, x=xs[1]) if key.pattern.startswith(operation)]
            for x in (xs[0], xs[-1]):
                ratios = [speed(found, key._replace(x=x)) / speed(found, key) for key in keys]
                cells.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
        gains.append(cells)
    headings = [f"{memory}, {node}" for memory in MEMORIES for node in ("CP", "IOP")]
    yield Printed("memory of a node at most, in KiB", ("method", *headings), rows)
    named = [f"{what}, {memory}" for what in ("read", "written") for memory in ("small", "large")]
    yield Printed(f"throughput at {REPORTED} MB/s over that with medium memory", ("method", *named), gains)


MODELS = beside(Quantity("MiB/s", speed))
STUDY = study_of("five-ways", globals(), more_tables=map_of)
reproduce_five_ways = reproduction(STUDY)
