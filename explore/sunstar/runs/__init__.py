# SPDX-License-Identifier: MIT
"""Runs of the simulators, the store of finished runs, and the ways to make others."""
