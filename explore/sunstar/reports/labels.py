# SPDX-License-Identifier: MIT
"""What columns are called on an axis, and how figures are printed."""

LABELS = {
    "result.throughput.mib_per_s": "throughput (MiB/s)",
    "result.throughput.medium_mib_per_s": "throughput to the medium (MiB/s)",
    "result.throughput.requests_per_s": "requests/s",
    "result.elapsed_s": "simulated time (s)",
    "result.latency.p50_s": "latency, median (s)",
    "result.latency.p99_s": "latency, 99th percentile (s)",
    "result.messages": "messages",
    "result.accepted": "accepted (share of a link)",
    "result.saturated": "saturated",
    "result.latency.mean_cycles": "mean latency (cycles)",
    "result.response.mean_ms": "mean response time (ms)",
    "result.response.p99_ms": "response time, 99th percentile (ms)",
    "result.verified": "verified",
}
MAIN = (
    "result.throughput.mib_per_s",
    "result.latency.mean_cycles",
    "result.accepted",
    "result.response.mean_ms",
)
"""What is drawn unless the user says otherwise: the first of them that a table has, and its like."""


def label(column: str) -> str:
    return LABELS.get(column, column.removeprefix("result."))


def figure(value: float) -> str:
    """At most five significant digits."""
    return f"{value:.5g}"


def cell(value: object) -> str:
    if value is None:
        return "-"
    return figure(value) if isinstance(value, float) else str(value)
