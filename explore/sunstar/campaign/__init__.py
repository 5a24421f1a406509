# SPDX-License-Identifier: MIT
"""Random faults on random machines: does a run end, and is each lost byte reported?"""
