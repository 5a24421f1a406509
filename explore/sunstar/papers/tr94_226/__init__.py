# SPDX-License-Identifier: MIT
"""The experiments of D. Kotz, Disk-directed I/O for MIMD Multiprocessors, Dartmouth PCS-TR94-226, 1994."""
