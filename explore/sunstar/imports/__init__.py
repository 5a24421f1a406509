# SPDX-License-Identifier: MIT
"""Inputs of the simulators, made from files of other programs."""
