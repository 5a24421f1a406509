# SPDX-License-Identifier: MIT
"""What every result file holds.

Models name the keys that this package reads. A key that is missing or of another type is an error; keys that no model
names are left alone, because file systems and workloads add sections of their own.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict

from sunstar.errors import UnmeasuredError


class Model(BaseModel):
    """A strict model: text never passes for a number."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class Statistic(Model):
    value: float | None
    """None if there was nothing to measure."""
    unit: str
    description: str


class Host(Model):
    """What the run cost the machine that simulated it."""

    seconds: float


class Document(Model):
    """A result file; `result` is the platform's own."""

    platform: str
    version: str
    seed: int
    config: dict[str, Any]
    """The configuration that ran, with every default spelt out."""
    result: Any
    statistics: dict[str, Any]
    """The first trial's, by name, as in the file: statistic() looks at one. There may be thousands."""
    host: Host

    @property
    def host_s(self) -> float:
        """Time that the run took on the host, in seconds."""
        return self.host.seconds

    def statistic(self, name: str) -> float:
        """The value of a statistic; UnmeasuredError if the run has none of that name."""
        found = self.statistics.get(name)
        value = None if found is None else Statistic.model_validate(found).value
        if value is None:
            raise UnmeasuredError(f"{self.platform} {self.version} measured no statistic {name}")
        return value
