# SPDX-License-Identifier: MIT
"""Drawings of a machine, still or playing, coloured by a run."""
