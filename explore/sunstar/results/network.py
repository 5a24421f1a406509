# SPDX-License-Identifier: MIT
"""Results of sunstar-network: a network alone under synthetic traffic."""

from sunstar.results.common import Document, Model


class Latency(Model):
    """The latency of measured messages, from creation to the arrival of the tail."""

    mean_cycles: float | None
    """None if no measured message arrived."""


class Links(Model):
    """Share of time for which links, the channels between routers, were busy."""

    max: float


class Figures(Model):
    accepted: float
    """Flits that a node received in the time of one flit on a link."""
    saturated: bool
    latency: Latency
    links: Links
    warnings: tuple[str, ...]


class NetworkResult(Document):
    result: Figures
