# SPDX-License-Identifier: MIT
"""Whole experiments on the machine of TR94-226 under both models of the network."""

from dataclasses import dataclass

from sunstar.study.cases import DIRECTED, TRADITIONAL, Cases, Found, Key, Settings, every, transfer
from sunstar.study.models import WORM, other, under_both

METHODS: dict[str, Settings] = {
    "traditional-caching": TRADITIONAL,
    "disk-directed": {**DIRECTED, "file_system.presort": True},
}


def cases() -> Cases:
    """Many large messages, and many tiny ones in small files."""

    def settings(key: Key) -> Settings:
        size = "10MiB" if key.record_bytes == 8192 else "1MiB"
        return {**transfer(key, METHODS[key.method]), "workload.file_size": size}

    large = every(settings, METHODS, ("ra", "rb", "rcc", "wb", "wcc"), record_sizes=(8192,))
    return under_both({**large, **every(settings, METHODS, ("rc", "wcc"), record_sizes=(8,))}, keep_x=False)


@dataclass(frozen=True)
class Experiment:
    file_system: str
    pattern: str
    record_bytes: int
    worm: float
    flit: float
    """MiB/s, means of the trials."""
    variation: float
    """Coefficient of variation of the trials under the worm model."""
    trials: int

    @property
    def difference(self) -> float:
        return self.flit / self.worm - 1


def experiments(found: Found) -> list[Experiment]:
    return [
        Experiment(
            key.method,
            key.pattern,
            key.record_bytes,
            found.mib(key),
            found.mib(other(key)),
            found[key].coefficient_of_variation,
            len(found[key].trials),
        )
        for key in found.select(x=WORM)
    ]
