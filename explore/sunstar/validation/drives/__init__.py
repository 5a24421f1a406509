# SPDX-License-Identifier: MIT
"""Drives alone against the measured response times of real ones."""
