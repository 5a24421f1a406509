# SPDX-License-Identifier: MIT
"""The experiments: three ways to ask, and the worth of several pieces in one message; and the picture of the map: a row
for each pattern and record size, a column for each network and memory."""

from collections.abc import Iterator, Mapping
from itertools import product

from sunstar.console import Printed, kibibytes
from sunstar.drawing import Axes, Canvas
from sunstar.papers.five_ways import cases
from sunstar.study.cases import Found, Key
from sunstar.study.described import reproduction, study_of
from sunstar.study.views import Quantity, beside

RIVALS = {way: of["initial"] for way, of in cases.LISTED.items() if of["initial"]}


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
                what = cases.best(found, Key("", pattern, layout, size, x))
                cell(axes, i, j, what)
                seen.add(cases.way_of(what.thrifty))
        for i in range(len(found.patterns), len(rows), len(found.patterns)):
            axes.axhline(i - 0.5, color="black", linewidth=1.5)
        axes.set_xlim(-0.5, len(found.xs) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(found.xs)), [heading(x, "\n") for x in found.xs], fontsize=7)
        axes.set_yticks(range(len(rows)), [f"{pattern}  {size} B" for size, pattern in rows], fontsize=7)
        axes.tick_params(length=0)
        axes.set_title(layout, fontsize=9)
        axes.set_xlabel("MB/s a link; memory, where not medium", fontsize=8)
    patches = [Patch(facecolor=of["colour"], label=of["name"]) for way, of in cases.LISTED.items() if way in seen]
    initials = ", ".join(f"{letter} {cases.LISTED[way]['name']}" for way, letter in RIVALS.items())
    patches.append(Patch(facecolor=lighter("#808080"), label=f"lighter: others are within 5 %: {initials}"))
    canvas.legend(handles=patches, fontsize=7.5, ncols=2, loc="outside lower center")


def cell(axes: Axes, row: int, column: int, what: cases.Best) -> None:
    """The best throughput in the colour of the recommended way, and the initials of equally good ways."""
    from matplotlib.patches import Rectangle

    own = cases.LISTED[cases.way_of(what.thrifty)]["colour"]
    drawn = lighter(own) if what.rivals else own
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=drawn, edgecolor="white", linewidth=0.8))
    mark = "+" if cases.short(what.thrifty).endswith("+") else ""
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
    bandwidth, memory = cases.condition(x)
    return f"{bandwidth}" if memory == cases.MEDIUM else f"{bandwidth}{between}{memory}"


def column(key: Key) -> str:
    return heading(key.x)


THE_MAP = Quantity("the map, MiB/s", lambda found, key: cases.in_brief(cases.best(found, key._replace(method=""))))


def way(key: Key) -> str:
    return cases.way_of(key.method)


def option(key: Key) -> str:
    return "" if key.method == way(key) else "+"


def take(found: Found, of: Mapping[str, Key]) -> str:
    return cases.in_brief(cases.best(found, next(iter(of.values()))._replace(method="")))


def how_often(found: Found) -> Iterator[Printed]:
    """For each way, the number of points at which it is as good as the best, and its lag at the worst one."""
    rows = []
    for way, layout in product(cases.WAYS, found.layouts):
        cells = [way, layout]
        for x in found.xs:
            here = [place for place in cases.places(found) if (place.layout, place.x) == (layout, x)]
            of_ways = [cases.best(found, place).of_ways() for place in here]
            shares = [of[way] / max(of.values()) for of in of_ways]
            good = sum(share * cases.TIE >= 1 for share in shares)
            cells.append(f"{good}/{len(shares)}, {100 * min(shares):.0f} %")
        rows.append(cells)
    headings = ("way", "layout", *map(heading, found.xs))
    yield Printed("points within 5 % of the best, and the worst point", headings, rows, 2)


def memory_taken(found: Found) -> Iterator[Printed]:
    """The most memory of each method, and the throughput with less or more of it; if all memories were measured at the
    report's bandwidth."""
    xs = [cases.x_of(cases.REPORTED, memory) for memory in cases.MEMORIES]
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
                ratios = [cases.speed(found, key._replace(x=x)) / cases.speed(found, key) for key in keys]
                cells.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
        gains.append(cells)
    headings = [f"{memory}, {node}" for memory in cases.MEMORIES for node in ("CP", "IOP")]
    yield Printed("memory of a node at most, in KiB", ("method", *headings), rows)
    named = [f"{what}, {memory}" for what in ("read", "written") for memory in ("small", "large")]
    yield Printed(f"throughput at {cases.REPORTED} MB/s over that with medium memory", ("method", *named), gains)


MODELS = beside(Quantity("MiB/s", cases.speed))
STUDY = study_of("five-ways", globals(), more_tables=cases.map_of)
reproduce_five_ways = reproduction(STUDY)
