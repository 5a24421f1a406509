# SPDX-License-Identifier: MIT
"""Two-phase I/O beside disk-directed I/O and traditional caching, on faster and slower networks.

The experiment is ours. TR94-226, section 7.1, compares two-phase with disk-directed I/O by argument only.
"""
