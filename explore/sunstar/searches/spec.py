# SPDX-License-Identifier: MIT
"""The specification of a search and its price list, JSON files that are read strictly; and the cost of a machine."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import Discriminator, Field, Tag, model_validator

from sunstar.errors import FileError
from sunstar.results import figures
from sunstar.runs.simulator import Outcome
from sunstar.structure import machine_of
from sunstar.sweeps.spec import OnePlatform, ParameterPath, Sampled, Strict

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MIB = 1 << 20
MB = 10**6
OTHER = "other"  # The price of drives that the list does not name
COLUMNS = ("cost.disks", "cost.buses", "cost.processors", "cost.memory", "cost.links", "cost")
Label = Annotated[str, Field(pattern=r"^[^\x00-\x1f\"]+$")]  # The name of an objective, a constraint or a column
Expression = Annotated[str, Field(min_length=1)]
"""A column of the table of configurations, or an SQL expression (DuckDB) over its columns."""
BATCH = {"nsga-ii": 40, "tpe": 8, "random": 40}


class Processors(Strict):
    """A node by its role, without drives and memory for files."""

    compute: Price = Field(0, description="a compute processor")
    io: Price = Field(0, description="an I/O processor")
    both: Price = Field(0, description="a node that is both")


class Link(Strict):
    """A wire between two routers, or from a node to its switch."""

    each: Price = Field(0, description="each link")
    per_mb_per_s: Price = Field(0, description="in addition, for each MB/s (10^6 bytes/s) of its bandwidth")


class Prices(Strict):
    """A price list in any currency. A part that it leaves out costs nothing."""

    json_schema: str | None = Field(None, alias="$schema", description="where an editor finds this schema")
    source: str = Field("", description="where the prices come from, and of which year")
    disks: dict[str, Price] = Field(
        default_factory=dict, description=f'a drive by its name, as in "HP 97560"; "{OTHER}" is any other drive'
    )
    bus: Price = Field(0, description="a SCSI bus with its host adapter")
    processors: Processors = Field(default_factory=lambda: Processors(), description="the nodes")
    memory_per_mib: Price = Field(
        0, description="each MiB of memory that the file system takes at a processor (result.memory)"
    )
    link: Link = Field(default_factory=lambda: Link(), description="the network")


def costs_of(prices: Prices, outcome: Outcome, where: str) -> dict[str, float]:
    return costs(prices, orjson.loads(outcome.document)["config"], figures(orjson.loads(outcome.figures)), where)


def costs(prices: Prices, config: Mapping[str, Any], figures: Mapping[str, Any], where: str) -> dict[str, float]:
    """The cost of a run's machine, by COLUMNS. `figures` are the run's own by their paths."""
    machine = machine_of(config)
    if machine is None or not machine.nodes or machine.network is None:
        raise FileError(f"{where}: prices: this platform has no machine of nodes, so it has no cost")
    roles = Counter(node.role for node in machine.nodes)
    compute, io = roles["compute"] + roles["both"], roles["io"] + roles["both"]
    memory = compute * figures.get("result.memory.compute_processor", 0)
    memory += io * figures.get("result.memory.io_processor", 0)
    link = prices.link.each + prices.link.per_mb_per_s * machine.network.bandwidth / MB
    drives = 0.0
    for name, count in machine.drives.items():
        price = prices.disks.get(name, prices.disks.get(OTHER))
        if price is None:
            known = ", ".join(prices.disks)
            raise FileError(f'{where}: prices.disks has neither "{name}" nor "{OTHER}"; it has {known}')
        drives += count * price
    parts = [
        drives,
        sum(len(node.buses) for node in machine.nodes) * prices.bus,
        sum(count * getattr(prices.processors, role) for role, count in roles.items()),
        memory / MIB * prices.memory_per_mib,
        machine.network.links(len(machine.nodes)) * link,
    ]
    return dict(zip(COLUMNS, [*parts, sum(parts)], strict=True))


class Objective(Strict):
    """A figure to maximise or to minimise."""

    maximise: Expression | None = Field(None, description="a column, or an SQL expression (DuckDB) over the columns")
    minimise: Expression | None = Field(None, description="the same, for a figure to minimise")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.maximise is None) == (self.minimise is None):
            raise ValueError("it must have one of maximise and minimise")
        return self

    @property
    def expression(self) -> str:
        return self.maximise or self.minimise or ""

    @property
    def direction(self) -> Literal["maximize", "minimize"]:
        """As Optuna spells it."""
        return "minimize" if self.maximise is None else "maximize"


class Limit(Strict):
    """A figure and its limits. The sampler learns by how much a configuration misses them."""

    value: Expression = Field(description="a column, or an SQL expression (DuckDB) over the columns")
    at_most: float | None = Field(None, allow_inf_nan=False, description="the greatest value that is allowed")
    at_least: float | None = Field(None, allow_inf_nan=False, description="the least value that is allowed")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.at_most is None and self.at_least is None:
            raise ValueError("it must have at_most, at_least or both")
        if self.at_most is not None and self.at_least is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least {self.at_least} is greater than at_most {self.at_most}")
        return self


Constraint = Annotated[
    Annotated[Expression, Tag("[condition]")] | Annotated[Limit, Tag("[limit]")],
    Discriminator(lambda value: "[condition]" if isinstance(value, str) else "[limit]"),
]


class Search(Strict):
    """How the search goes on."""

    method: Literal["nsga-ii", "tpe", "random"] = Field(
        "nsga-ii",
        description="the sampler of configurations: nsga-ii, a genetic algorithm; tpe, tree-structured Parzen "
        "estimators; random, which learns nothing",
    )
    configurations: int = Field(100, ge=1, le=1_000_000, description="how many configurations to try")
    seed: int = Field(1, ge=0, description="the same seed gives the same search")
    batch: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="configurations that are proposed together, before any of them has run; for nsga-ii the "
        f"population. By default {', '.join(f'{size} for {method}' for method, size in BATCH.items())}",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.method == "nsga-ii" and self.batch == 1:
            raise ValueError("batch is 1; the population of nsga-ii must be 2 or more")
        return self

    @property
    def at_once(self) -> int:
        return self.batch or BATCH[self.method]


class Repeated(Strict):
    """How often each configuration runs."""

    trials: int | None = Field(None, ge=1, description="trials within each run, whose mean it reports (run.trials)")


class Spec(OnePlatform):
    """A search of sunstar: one executable, and the parameters whose best values are wanted."""

    parameters: dict[ParameterPath, Sampled] = Field(
        min_length=1, description='a range {"from": ..., "to": ...} or {"choices": [...]} for each parameter'
    )
    repetitions: Repeated = Field(default_factory=lambda: Repeated(), description="how often each configuration runs")
    prices: str | Prices | None = Field(
        None, description="a price list, or its file relative to this one: then there is a column cost"
    )
    derived: dict[Label, Expression] = Field(
        default_factory=dict, description="further columns by name: SQL expressions (DuckDB) over the columns before"
    )
    objectives: dict[Label, Objective] = Field(min_length=1, description="the objectives, by name")
    constraints: dict[Label, Constraint] = Field(
        default_factory=dict,
        description="the constraints, by name: an SQL condition (DuckDB), or a value with at_most or at_least",
    )
    search: Search = Field(default_factory=lambda: Search(), description="how the search goes on")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.repetitions.trials is not None and "run.trials" in self.parameters:
            raise ValueError("parameters and repetitions both set run.trials; leave one out")
        return self
