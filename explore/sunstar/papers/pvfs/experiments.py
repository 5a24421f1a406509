# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures by their numbers, what our choices weigh by name."""

from collections.abc import Callable, Mapping

from sunstar.papers.pvfs import cases, plots, statements, tables
from sunstar.papers.pvfs.cases import THRICE, WRITE, Choice
from sunstar.papers.pvfs.measures import application, seconds
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.experiments import Cell, Experiment, Paper, Plot


def columns(found: Found, key: Key) -> Mapping[str, Cell]:
    result = found[key].result
    return {
        "application_s": application(found[key]),
        "third_pass_s": seconds(found, key._replace(layout="")) if key.layout == THRICE else None,
        "hits": result.cache.hits if result.cache else None,
        "joined": result.cache.joined if result.cache else None,
        "misses": result.cache.misses if result.cache else None,
        "waits": result.cache.waits if result.cache else None,
    }


PAPER = Paper("kernel-level caching", columns, statistics=False, platform="cluster")

TWO_PANELS, THREE_PANELS = (7.2, 3.6), (9.6, 3.6)


WRITE_TRIALS = 10
"""By how much more small writes gain than large ones differs by 40 % from seed to seed (figure 4)."""
NETWORK_TRIALS = 5
"""On a switch, times with the cache differ by a third from seed to seed."""


def choice_of_ours(
    name: str, title: str, made: Callable[[Choice], Cases], width: float = 9.6, trials: int = 1
) -> Experiment[Choice]:
    """What a choice weighs that the paper leaves open."""
    return Experiment(
        name, title, made, tables.options, Plot(plots.options, width, 3.6), statements.nothing, lambda _: trials
    )


EXPERIMENTS: Mapping[str, Experiment[Choice]] = {
    each.name: each
    for each in (
        Experiment(
            "4",
            "one instance, l = 0",
            cases.figure_4,
            tables.figure(4),
            Plot(plots.figure(4), *TWO_PANELS),
            statements.overhead,
            lambda key: WRITE_TRIALS if key.pattern.startswith(WRITE) else 1,
        ),
        Experiment(
            "5",
            "one instance, l = 1",
            cases.figure_5,
            tables.figure(4),
            Plot(plots.figure(4), *TWO_PANELS),
            statements.locality,
        ),
        Experiment(
            "6",
            "two instances, p = 4",
            cases.figure_6,
            tables.figure(4),
            Plot(plots.figure(4), *THREE_PANELS),
            statements.sharing(4),
        ),
        Experiment(
            "7",
            "two instances, p = 2",
            cases.figure_7,
            tables.figure(2),
            Plot(plots.figure(2), *THREE_PANELS),
            statements.fewer_nodes,
        ),
        Experiment(
            "8",
            "two instances on the same three nodes and on six",
            cases.figure_8,
            tables.figure(3),
            Plot(plots.figure(3), *THREE_PANELS),
            statements.parallelism,
        ),
        Experiment(
            "cold",
            "data nodes with and without the data in memory",
            cases.cold,
            tables.passes,
            Plot(plots.passes, *TWO_PANELS),
            statements.nothing,
        ),
        Experiment(
            "requests",
            f"{cases.REQUESTS} writes a process",
            cases.requests,
            tables.figure(4),
            Plot(plots.figure(4), 5.6, 3.6),
            statements.nothing,
        ),
        choice_of_ours("data", "what an instance writes", cases.data, 7.2),
        choice_of_ours("iods", "number and place of the iods", cases.iods),
        choice_of_ours("starts", "stripes by which the processes' parts are apart", cases.starts, 7.2),
        choice_of_ours("stripe", "size of a stripe", cases.stripe),
        choice_of_ours("flush", "period of the flusher", cases.flush),
        choice_of_ours("network", "hub or switch", cases.network, 12.8, NETWORK_TRIALS),
    )
}
