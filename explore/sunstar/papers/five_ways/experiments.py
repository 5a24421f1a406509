# SPDX-License-Identifier: MIT
"""The experiments: three ways to ask, and what it is worth to put several pieces into one message."""

from collections.abc import Callable, Iterator, Mapping

from sunstar.papers.five_ways import cases, statements
from sunstar.papers.five_ways.cases import BIG, MEMORIES, REPORTED, SMALL, WAYS, way_of, x_of
from sunstar.papers.five_ways.leads import TIE, best, in_brief, job_of, map_of, places, speed
from sunstar.papers.five_ways.picture import draw_map, heading
from sunstar.study.cases import Found, Key
from sunstar.study.experiments import Cell, Experiment, Study
from sunstar.study.models import beside
from sunstar.study.reproducing import reproduction
from sunstar.study.tables import Printed, kibibytes, milliseconds
from sunstar.study.views import QUANTITY, Quantity, View


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    jobs: dict[str, Cell] = {}
    for number in (BIG, SMALL):
        job = job_of(found, key, number)
        jobs |= {f"job{number}_{name}": getattr(job, name, None) for name in ("elapsed_s", "slowdown")}
    return {**jobs, "fairness": fairness(found, key)}


def fairness(found: Found, key: Key) -> float | None:
    sharing = found[key].result.sharing
    return sharing.fairness if sharing else None


THROUGHPUT = Quantity("MiB/s", speed)


def column(key: Key) -> str:
    return heading(key.x)


# Collectives ---------------------------------------------------------------------------------------------------------

THE_MAP = View(
    {"bytes": "record_bytes", "pattern": "pattern"},
    column,
    "layout",
    [Quantity("the map, MiB/s", lambda found, key: in_brief(best(found, key._replace(method=""))))],
    points=lambda _, key: key.method == "tc",
)
COLLECTIVE = View(
    {"pattern": "pattern", "method": "method"},
    column,
    ("layout", lambda key: f"{key.record_bytes}-byte records"),
    [THROUGHPUT],
)


def how_often(found: Found) -> Iterator[Printed]:
    """For each way, at how many points it is as good as the best, and how far behind it is at the worst."""
    rows = []
    for way in WAYS:
        for layout in found.layouts:
            cells = [way, layout]
            for x in found.xs:
                here = [
                    best(found, place).of_ways() for place in places(found) if (place.layout, place.x) == (layout, x)
                ]
                shares = [of[way] / max(of.values()) for of in here]
                cells.append(f"{sum(share * TIE >= 1 for share in shares)}/{len(shares)}, {100 * min(shares):.0f} %")
            rows.append(cells)
    headings = ("way", "layout", *map(heading, found.xs))
    yield Printed("points within 5 % of the best, and the worst point", headings, rows, 2)


def memory_taken(found: Found) -> Iterator[Printed]:
    """What each method takes at most, and what less or more of it does to throughput; if all memories were measured at
    the report's bandwidth."""
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
            keys = [key for key in found.select(method, x=x_of(REPORTED)) if key.pattern.startswith(operation)]
            for x in (xs[0], xs[-1]):
                ratios = [speed(found, key._replace(x=x)) / speed(found, key) for key in keys]
                cells.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
        gains.append(cells)
    headings = [f"{memory}, {node}" for memory in MEMORIES for node in ("CP", "IOP")]
    yield Printed("memory of a node at most, in KiB", ("method", *headings), rows)
    named = [f"{what}, {memory}" for what in ("read", "written") for memory in ("small", "large")]
    yield Printed(f"throughput at {REPORTED} MB/s over that with medium memory", ("method", *named), gains)


# Pieces, calls, and both at once -------------------------------------------------------------------------------------


def with_option(key: Key) -> str:
    return "" if key.method == way_of(key.method) else "+"


def thousands(value: float) -> str:
    return f"{value / 1000:.1f}"


PIECES = View(
    {"layout": "layout", "bytes": "record_bytes", "pattern": "pattern", "way": lambda key: way_of(key.method)},
    (QUANTITY, with_option),
    quantities=[
        THROUGHPUT,
        Quantity("messages", lambda found, key: found[key].messages, thousands),
        Quantity("headers", lambda found, key: found[key].header_bytes, thousands),
    ],
    title="messages and bytes of headers in thousands; + with the option",
)


def by_method(title: str, *, printed: bool = True) -> View:
    return View(
        {"bytes": "record_bytes", "pattern": "pattern"},
        "method",
        "layout",
        [THROUGHPUT],
        title,
        more={"take": lambda found, of: in_brief(best(found, next(iter(of.values()))._replace(method="")))},
        printed=printed,
        drawn="bars",
    )


def of_job(number: int, name: str, what: str, text: Callable[[float], str]) -> Quantity:
    def value(found: Found, key: Key) -> float | None:
        return getattr(job_of(found, key, number), what, None)

    return Quantity(name, value, text)


JOBS = View(
    {"jobs": "pattern", "method": "method"},
    panels="layout",
    quantities=[
        *(
            of_job(number, f"{name}{how}", what, text)
            for number, name in ((BIG, "big"), (SMALL, "small"))
            for how, what, text in (
                ("", "alone_s", milliseconds),
                (" beside", "elapsed_s", milliseconds),
                (" times", "slowdown", "{:.2f}".format),
            )
        ),
        Quantity("Jain", fairness, "{:.2f}".format),
    ],
    title="the big job and the small one, each alone and beside the other, in ms; Jain's index",
)
SLOWDOWNS = View(
    {"jobs": "pattern"},
    "method",
    ("layout", QUANTITY),
    [
        of_job(BIG, "slowdown of the collective", "slowdown", str),
        of_job(SMALL, "slowdown of the calls", "slowdown", str),
    ],
    "times as long as alone",
    printed=False,
    drawn="bars",
    logarithmic=True,
    one=True,
)

STUDY = Study(
    "five-ways",
    "Five ways",
    (
        Experiment(
            "collective",
            "the way to take for a collective, and the best MiB/s (+: with its option)",
            cases.collective,
            (THE_MAP, how_often, memory_taken, COLLECTIVE),
            statements.collective,
            picture=draw_map,
        ),
        Experiment(
            "pieces",
            "several pieces in one message",
            cases.pieces,
            (PIECES, by_method("MiB/s", printed=False)),
            statements.pieces,
        ),
        Experiment(
            "independent",
            "each processor asks alone",
            cases.independent,
            [by_method("MiB/s")],
            statements.independent,
        ),
        Experiment(
            "mixed",
            "a collective and independent calls at once",
            cases.mixed,
            (by_method("MiB/s of both jobs together"), JOBS, SLOWDOWNS),
            statements.mixed,
        ),
        Experiment(
            "models",
            "the slowest network under both models of the network",
            cases.models,
            [beside(THROUGHPUT)],
            statements.models,
        ),
    ),
    columns,
    map_of,
    statistics=False,
)

reproduce_five_ways = reproduction(
    STUDY,
    """Map which of the five ways to do parallel I/O is best: traditional caching, two-phase I/O, disk-directed I/O,
    ENWRICH or the hybrid, by how the application asks, pattern, record size, layout, network and memory.

    The figures are throughput, memory and the map, which is collective.png; the statements are ours.""",
    tables="all points, and map (the best way at each point, how far it leads, the ways within 5 % of it, and the one "
    "of these that takes the least memory)",
    quick="Fewer patterns, record sizes, networks and memories.",
)
