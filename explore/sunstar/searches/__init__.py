# SPDX-License-Identifier: MIT
"""Searches for the best machines: a sampler proposes configurations, runs judge them, and the best of them remain."""
