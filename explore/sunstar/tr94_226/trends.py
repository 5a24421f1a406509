# SPDX-License-Identifier: MIT
"""What the report's section 6.1 says of its figures 6 to 12, each as a sentence and a check.

The report gives these figures only as drawings; the bounds are ours and stand in the sentences.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

from sunstar.tr94_226.figures import FIGURES, Curves, Line
from sunstar.verdicts import Measure, Verdict, judge

BUS_MIB_PER_S = 10e6 / (1 << 20)
"""Peak of a SCSI bus, 10 MB/s."""


def label(figure: int, line: Line) -> str:
    return FIGURES[figure].label(line)


def of_method(curves: Curves, method: str) -> list[Line]:
    return [line for line in curves if line.method == method]


def line(curves: Curves, pattern: str, method: str) -> Line:
    return next(each for each in curves if (each.pattern, each.method) == (pattern, method))


def fall(figure: int, curves: Curves, lines: list[Line]) -> Iterator[Measure]:
    """By how many times throughput falls from one x to the next."""
    for each in lines:
        for low, high in pairwise(sorted(curves[each])):
            yield Measure(curves[each][low] / curves[each][high], f"{label(figure, each)}, {low} over {high}")


def figure_6(curves: Curves) -> Iterator[Verdict]:
    direct, rc, rb = of_method(curves, "ddio-presort"), line(curves, "rc", "tc"), line(curves, "rb", "tc")
    yield judge(
        6,
        "disk-directed I/O is unaffected by the number of CPs (within 5 %)",
        1.05,
        (
            Measure(max(c.values()) / min(c.values()), f"{label(6, e)}, most over least")
            for e in direct
            for c in [curves[e]]
        ),
    )
    # One CP alone is left out: CYCLIC gives it the whole file as one chunk.
    yield judge(
        6,
        "with fewer CPs than IOPs, rc under traditional caching cannot use all disks (up to a quarter: below 90 %)",
        0.9,
        (Measure(curves[rc][n] / curves[rc][16], f"{n} CPs over 16") for n in (2, 4)),
    )
    yield judge(
        6,
        "multiple localities hurt rb under traditional caching (16 CPs: below half of disk-directed I/O)",
        0.5,
        iter([Measure(curves[rb][16] / curves[line(curves, "rb", "ddio-presort")][16], "rb, tc over ddio-presort")]),
    )
    yield judge(
        6,
        "traditional caching is nowhere faster than disk-directed I/O (by more than 1.1 %)",
        1.011,
        (
            Measure(curves[e][n] / curves[line(curves, e.pattern, "ddio-presort")][n], f"{e.pattern}, {n} CPs")
            for e in of_method(curves, "tc")
            for n in curves[e]
        ),
    )


def figure_7(curves: Curves) -> Iterator[Verdict]:
    falling = [e for e in curves if e != line(curves, "rb", "tc")]
    direct = of_method(curves, "ddio-presort")
    yield judge(
        7,
        "throughput falls with fewer IOPs, or stays (within 3 %), but for rb under traditional caching",
        1.03,
        fall(7, curves, falling),
    )
    yield judge(
        7,
        "disk-directed I/O loses most with over two disks a bus: less from 16 to 8 IOPs than at later halvings",
        1.0,
        (
            Measure((c[16] / c[8]) / (c[8] / c[1]) ** (1 / 3), f"{label(7, e)}, first loss over mean of the later")
            for e in direct
            for c in [curves[e]]
        ),
    )
    yield judge(
        7,
        "throughput never passes the buses' 10 MB/s each",
        1.0,
        (
            Measure(value / (n * BUS_MIB_PER_S), f"{label(7, e)}, {n} IOPs, of the peak")
            for e, c in curves.items()
            for n, value in c.items()
        ),
    )
    rb, direct_rb = line(curves, "rb", "tc"), line(curves, "rb", "ddio-presort")
    yield judge(
        7,
        "traditional caching always has difficulty with rb (below 90 % of disk-directed I/O)",
        0.9,
        (Measure(curves[rb][n] / curves[direct_rb][n], f"{n} IOPs, tc over ddio-presort") for n in curves[rb]),
    )


def disks_on_one_iop(figure: int) -> Callable[[Curves], Iterator[Verdict]]:
    def check(curves: Curves) -> Iterator[Verdict]:
        direct = of_method(curves, "ddio-presort")
        most = max(FIGURES[figure].xs)
        yield judge(
            figure,
            "throughput of disk-directed I/O grows with the disks, or stays (within 6 %, for it may congest the bus)",
            1.06,
            fall(figure, curves, direct),
        )
        yield judge(
            figure,
            "throughput never passes the bus's 10 MB/s",
            1.0,
            (
                Measure(value / BUS_MIB_PER_S, f"{label(figure, e)}, {n} disks, of the peak")
                for e, c in curves.items()
                for n, value in c.items()
            ),
        )
        yield judge(
            figure,
            f"disk-directed I/O approaches the bus's 10 MB/s (lacks at most a quarter with {most} disks)",
            0.25,
            (Measure(1 - curves[e][most] / BUS_MIB_PER_S, f"{label(figure, e)}, lacking") for e in direct),
        )

    return check


def file_size(figure: int) -> Callable[[Curves], Iterator[Verdict]]:
    def check(curves: Curves) -> Iterator[Verdict]:
        rb = line(curves, "rb", "tc")
        yield judge(
            figure,
            "throughput is highest with files of 100 MB or more (10 MB exceeds it by at most 1 %)",
            1.01,
            (
                Measure(c[10] / max(v for n, v in c.items() if n > 10), f"{label(figure, e)}, 10 MB over larger")
                for e, c in curves.items()
            ),
        )
        # A sixth of the disks' reads of 10 MB are mistaken prefetches, a fiftieth of those of 100 MB. A contiguous file
        # of 10 MB pays part of that back: it lies within two cylinders of each disk, the larger one within ten.
        limit = {10: 0.95, 11: 0.9}[figure]
        yield judge(
            figure,
            f"rb under traditional caching is slower on 10 MB than on 100 MB (below {limit:.0%})".replace("%", " %"),
            limit,
            iter([Measure(curves[rb][10] / curves[rb][100], "10 MB over 100 MB")]),
        )
        others = [e for e in curves if e != rb]
        yield judge(
            figure,
            "file size changes no other order: who leads on 10 MB is not behind on larger files (by more than 5 %)",
            1.05,
            (
                Measure(
                    curves[behind][n] / curves[ahead][n], f"{label(figure, behind)} over {label(figure, ahead)}, {n} MB"
                )
                for ahead in others
                for behind in others
                if curves[ahead][10] > 1.05 * curves[behind][10]
                for n in curves[ahead]
                if n in curves[behind]
            ),
        )

    return check


def figure_12(curves: Curves) -> Iterator[Verdict]:
    contiguous, scattered = (
        next(e for e in curves if e.layout == layout) for layout in ("contiguous", "random-blocks")
    )
    yield judge(12, "larger records are never slower (within 2 %)", 1.02, fall(12, curves, list(curves)))
    yield judge(
        12,
        "8-byte records limit throughput by their overhead (below 60 % of 8192-byte records)",
        0.6,
        (Measure(c[8] / c[8192], label(12, e)) for e, c in curves.items()),
    )
    yield judge(
        12,
        "8192-byte records meet the disks' limit on random blocks (below a quarter of the contiguous layout)",
        0.25,
        iter([Measure(curves[scattered][8192] / curves[contiguous][8192], "random-blocks over contiguous")]),
    )


TRENDS: dict[int, Callable[[Curves], Iterator[Verdict]]] = {
    6: figure_6,
    7: figure_7,
    8: disks_on_one_iop(8),
    9: disks_on_one_iop(9),
    10: file_size(10),
    11: file_size(11),
    12: figure_12,
}
