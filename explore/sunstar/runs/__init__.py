# SPDX-License-Identifier: MIT
"""Runs of the simulators: what a run is, the store of those that are finished, and how others are made."""
