# SPDX-License-Identifier: MIT
"""The specification of a sweep: a JSON file, read strictly."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from sunstar.runs.point import Value
from sunstar.sweeps.values import Axis, Sampled, Strict

ParameterPath = Annotated[str, Field(pattern=r"^[a-z_0-9]+(\.[a-z_0-9]+)*$")]
"""The path of a parameter, as in workload.record_size."""
NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"


class Sample(Strict):
    """Points spread over a space, each parameter in its range."""

    method: Literal["latin-hypercube", "sobol"] = Field(
        description="latin-hypercube: in each parameter one point in each of `points` equal parts; sobol: a scrambled "
        "Sobol sequence, best with a power of two of points"
    )
    points: int = Field(ge=1, le=10_000_000, description="how many")
    seed: int = Field(1, ge=0, description="the same seed gives the same points")
    parameters: dict[ParameterPath, Sampled] = Field(
        min_length=1, description='a range {"from": ..., "to": ...} or {"choices": [...]} for each parameter'
    )


class Parameters(Strict):
    """What varies. Of grid, list and sample each point of one meets each of the others."""

    grid: dict[ParameterPath, Axis] = Field(
        default_factory=dict,
        description='every combination; for each parameter a list, or {"from": ..., "to": ..., "steps": ...}',
    )
    rows: list[dict[ParameterPath, Value]] = Field(
        default_factory=list, alias="list", description="points one by one, each an object of values by path"
    )
    sample: Sample | None = Field(None, description="points spread over a space")

    @model_validator(mode="after")
    def _check(self) -> Self:
        listed = set(chain.from_iterable(self.rows))
        places = {"grid": set(self.grid), "list": listed, "sample": set(self.sample.parameters if self.sample else {})}
        for path in sorted(set().union(*places.values())):
            found = [name for name, paths in places.items() if path in paths]
            if len(found) > 1:
                raise ValueError(f"{path} stands in {' and in '.join(found)}; it must stand in one of them")
        return self

    def paths(self) -> list[str]:
        """All parameters, in the order in which they are named."""
        sampled = self.sample.parameters if self.sample else {}
        return list(dict.fromkeys(chain(*self.rows, self.grid, sampled)))


class Repetitions(Strict):
    """How often each point runs."""

    trials: int | None = Field(None, ge=1, description="trials within each run, whose mean it reports (run.trials)")
    seeds: list[Annotated[int, Field(ge=0)]] | None = Field(
        None, min_length=1, description="a run of its own for each of these seeds (run.seed)"
    )


class Spec(Strict):
    """A sweep of sunstar: one executable, run at many points."""

    json_schema: str | None = Field(None, alias="$schema", description="where an editor finds this schema")
    name: str | None = Field(
        None, pattern=NAME, description="the sweep's folder below results/sweeps; by default the name of the file"
    )
    platform: str = Field(pattern=r"^[a-z][a-z0-9-]*$", description="the executable sunstar-PLATFORM: torus, disk, ...")
    config: str | dict[str, Any] = Field(
        default_factory=dict,
        description="what all points share: a configuration file, relative to this file, or a configuration",
    )
    parameters: Parameters = Field(default_factory=lambda: Parameters(), description="what varies")
    repetitions: Repetitions = Field(default_factory=lambda: Repetitions(), description="how often each point runs")
    derived: dict[str, str] = Field(
        default_factory=dict,
        description="further columns by name: an SQL expression (DuckDB) over the columns of the table of runs",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        for path in self.own_run_paths():
            raise ValueError(f"parameters and repetitions both set {path}; leave one out")
        if isinstance(self.config, dict) and self.config.get("schema", "sunstar/1") != "sunstar/1":
            raise ValueError(f'config.schema is {self.config["schema"]}; it must be "sunstar/1"')
        return self

    def own_run_paths(self) -> Iterator[str]:
        given = {"run.trials": self.repetitions.trials, "run.seed": self.repetitions.seeds}
        yield from (path for path in self.parameters.paths() if given.get(path) is not None)
