# SPDX-License-Identifier: MIT
"""Sweeps: a specification of many runs, their points, and the table of their results."""
