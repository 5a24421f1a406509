# SPDX-License-Identifier: MIT
"""Waveforms: the files that simulators write with --vcd, saved views of GTKWave, and pictures of both."""
