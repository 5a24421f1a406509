# SPDX-License-Identifier: MIT
"""What TR94-226 argues about two-phase I/O (section 7.1), and what follows from it, each as a sentence and a check.

Its authors did not simulate two-phase I/O. They expected that it is slower than disk-directed I/O, and that it might be
faster on some patterns if the network were much slower than the disks and the permutation smarter. "Slower" allows 1.1
%, as the statements about the report do. Of the two shares of two-phase I/O the better one counts.

The figure of a known shortfall is that of one trial with seed 1.
"""

from collections.abc import Iterable, Iterator

from sunstar.papers.two_phase.cases import AHEAD, REPORTED, SLOW, two_phase_over
from sunstar.study.cases import Found, Key
from sunstar.study.statements import Measure, Measures, Shortfall, Verdict, each, share
from sunstar.study.views import WORM, other


def over(found: Found, keys: Iterable[Key], method: str) -> Measures:
    """Throughput of two-phase I/O over that of another method."""
    return Measures(
        Measure(two_phase_over(found, key, method), f"{key._replace(method='two-phase')} MB/s, over {method}")
        for key in keys
    )


EVERYWHERE = Shortfall(
    1.282,
    "the IOPs fetch the file's blocks in order, so that those under way belong to few CPs, whose links carry all; "
    "under two-phase I/O with contiguous shares all CPs send at once",
    only=("contiguous wb ", "contiguous wbb "),
)


def of_records(found: Found) -> Iterator[Verdict]:
    """The statements about one record size."""
    fast = [key for key in found.select("ddio") if int(key.x) >= REPORTED]
    slowest = min(found.xs, key=int)
    yield over(found, fast, "ddio").at_most(
        AHEAD,
        f"two-phase I/O is slower than disk-directed I/O on the report's network and faster ones (at most {AHEAD})",
    )
    yield over(found, fast, "ddio-gather").at_most(
        AHEAD, f"and slower than disk-directed I/O that gathers, as two-phase I/O does (ours: at most {AHEAD})"
    )
    yield Measures([over(found, found.select("ddio", x=slowest), "ddio").largest()]).at_least(
        AHEAD,
        "with a permutation that disk-directed I/O lacks, it may be faster on some pattern if the network is much "
        f"slower than the disks ({slowest} MB/s: by 1.1 %)",
    )
    yield over(found, found.select("ddio-gather"), "ddio-gather").at_most(
        AHEAD,
        f"disk-directed I/O that gathers is nowhere slower, however slow the network is (ours: at most {AHEAD})",
        EVERYWHERE,
    )
    yield share(
        "contiguous shares, for which two-phase I/O was designed, are rarely the best (ahead of every n-th block "
        "by 1.1 % on at most a quarter of the patterns, on the report's network)",
        0.75,
        {
            f"{key.layout} {key.pattern}": found.ratio(key, "two-phase-cyclic") <= AHEAD
            for key in found.select("two-phase", x=str(REPORTED))
        },
    )


BUSY = "links are busy for up to 58 % of the time; the worm model is good for 20 %, and warns"
FAILS = (f"rc 8192 B ddio {SLOW[0]} {WORM}",)
"""The worm model, there."""


def models(found: Found) -> Iterator[Verdict]:
    """The statements about the worm model of the network, by which all but this experiment is simulated."""
    worms = [key for key in found.select() if key.x.endswith(WORM)]
    yield each(worms, lambda key: abs(found.mib(key) / found.mib(other(key)) - 1)).at_most(
        0.1, "on slow networks the worm model is within 10 % of the flit model", Shortfall(0.2988, BUSY, FAILS)
    )
    order = {}
    for key in worms:
        if key.method == "ddio":
            over_worm, over_flit = (two_phase_over(found, each, "ddio") for each in (key, other(key)))
            order[f"{key} ({over_worm:.2f}, flit {over_flit:.2f})"] = (over_worm > AHEAD) == (over_flit > AHEAD)
    yield share("both put two-phase and disk-directed I/O in the same order", 1.0, order, Shortfall(3, BUSY, FAILS))
