# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures by their numbers, what our choices weigh by name."""

from collections.abc import Callable, Mapping
from functools import partial

from sunstar.papers.pvfs import cases, statements
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.experiments import Cell, Experiment, Study, reproduction
from sunstar.study.views import QUANTITY, Quantity, View


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    cache = found[key].result.cache
    return {
        "application_s": cases.application(found[key]),
        "third_pass_s": cases.seconds(found, key._replace(layout="")) if key.layout == cases.THRICE else None,
        **{name: getattr(cache, name, None) for name in ("hits", "joined", "misses", "waits")},
    }


def request(key: Key) -> str:
    return cases.size(key.record_bytes)


def curve(key: Key) -> str:
    """The cache is measured with each degree of sharing."""
    return f"s = {key.x} %" if key.x and key.method == cases.CACHING else key.method


SECONDS = Quantity("seconds", lambda found, key: cases.seconds(found, key._replace(layout="")), "{:.3f}".format)
FIRST = Quantity("1st", lambda found, key: cases.first_pass(found, key), "{:.3f}".format)


def figure(nodes: int) -> View:
    """A panel for each operation, or degree of locality: a line for each request size, a column for each curve."""
    return View(
        {"d": request},
        curve,
        "pattern",
        [SECONDS],
        points=lambda found, key: cases.is_point(found, key) and f"p = {nodes}," in key.pattern,
        drawn="lines",
        x=lambda key: key.record_bytes / cases.KIB,
    )


def gain(found: Found, of: Mapping[str, Key]) -> str:
    with_cache, without = (
        cases.seconds(found, of[method]._replace(layout="")) for method in (cases.CACHING, cases.NONE)
    )
    return f"{100 * (1 - with_cache / without):.0f} %"


OPTIONS = View(
    {"": "x"}, "method", ("pattern", request), [SECONDS], points=cases.is_point, more={"gain": gain}, drawn="bars"
)
PASSES = View(
    {"d": request},
    (lambda key: f"s = {key.x} %,", QUANTITY),
    "method",
    [FIRST, Quantity("3rd", SECONDS.value, SECONDS.text)],
    "seconds of the first and the third pass",
    points=cases.is_point,
    drawn="lines",
    x=lambda key: key.record_bytes / cases.KIB,
)

WRITE_TRIALS = 10  # By how much more small writes gain than large ones differs by 40 % from seed to seed (figure 4)
NETWORK_TRIALS = 5  # On a switch, times with the cache differ by a third from seed to seed


def choice_of_ours(name: str, title: str, made: Callable[[bool], Cases], trials: int = 1) -> Experiment[bool]:
    """What a choice weighs that the paper leaves open."""
    return Experiment(name, title, made, [OPTIONS], least_trials=lambda _: trials)


STUDY = Study(
    "pvfs",
    "kernel-level caching",
    (
        Experiment(
            "4",
            "one instance, l = 0",
            cases.alone(0.0),
            [figure(4)],
            statements.overhead,
            lambda key: WRITE_TRIALS if key.pattern.startswith(cases.WRITE) else 1,
        ),
        Experiment("5", "one instance, l = 1", cases.alone(1.0), [figure(4)], statements.locality),
        Experiment("6", "two instances, p = 4", cases.together(4, cases.NONE), [figure(4)], statements.sharing(4)),
        Experiment("7", "two instances, p = 2", cases.figure_7, [figure(2)], statements.fewer_nodes),
        Experiment(
            "8",
            "two instances on the same three nodes and on six",
            cases.together(3, cases.NONE, cases.APART),
            [figure(3)],
            statements.parallelism,
        ),
        Experiment("cold", "data nodes with and without the data in memory", cases.cold, [PASSES]),
        Experiment("requests", f"{cases.REQUESTS} writes a process", cases.requests, [figure(4)]),
        choice_of_ours("data", "what an instance writes", partial(cases.options, "data")),
        choice_of_ours("iods", "number and place of the iods", partial(cases.options, "iods")),
        choice_of_ours("starts", "stripes by which the processes' parts are apart", partial(cases.options, "starts")),
        choice_of_ours("stripe", "size of a stripe", partial(cases.options, "stripe")),
        choice_of_ours("flush", "period of the flusher", partial(cases.options, "flush")),
        choice_of_ours("network", "hub or switch", partial(cases.options, "networks"), NETWORK_TRIALS),
    ),
    columns,
    statistics=False,
    platform="cluster",
)

reproduce_pvfs = reproduction(
    STUDY,
    """Measure PVFS with and without the kernel's cache on application nodes as its paper does (Vilayannur, Kandemir and
    Sivasubramaniam, 2002): one instance of the micro-benchmark without locality (figure 4) and with it (5), two
    instances that share data on 4 nodes (6) and on 2 (7), and both on the same 3 nodes or on 6 (8); and what choices
    weigh that the paper leaves open.

    The figures are times.""",
    quick="Fewer request sizes and degrees of sharing: ten minutes in all.",
    trials=3,
)
