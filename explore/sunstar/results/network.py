# SPDX-License-Identifier: MIT
"""Results of sunstar-network: a network alone under synthetic traffic."""

from sunstar.results.common import Document, Model


class Latency(Model):
    """Of each measured message, from its creation to the arrival of its tail."""

    mean_cycles: float | None
    """None if no measured message arrived."""


class Links(Model):
    """Share of time for which links were busy."""

    max: float


class Figures(Model):
    accepted: float
    """Flits a node a cycle."""
    saturated: bool
    latency: Latency
    links: Links
    warnings: tuple[str, ...]


class NetworkResult(Document):
    result: Figures
