# SPDX-License-Identifier: MIT
"""Results of sunstar-disk: one drive alone."""

from sunstar.results.common import Document, Model


class Demerit(Model):
    """Distance of the simulated response times from the measured ones; percentages of the measured mean."""

    percent: float
    reads_percent: float
    writes_percent: float
    ms: float
    mean_error_percent: float
    within_half_ms_percent: float
    measured_mean_ms: float


class Figures(Model):
    requests: int
    demerit: Demerit | None = None
    """Only of a trace with measured response times."""


class DiskResult(Document):
    result: Figures
