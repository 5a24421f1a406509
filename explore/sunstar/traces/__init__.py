# SPDX-License-Identifier: MIT
"""Traces of real applications: read from the logs of other programs, looked at, written for the workload `trace`."""
