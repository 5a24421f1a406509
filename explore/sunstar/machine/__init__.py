# SPDX-License-Identifier: MIT
"""Drawings of a machine, still or playing, coloured by what a run did."""
