# SPDX-License-Identifier: MIT
"""Pages with the figures of runs, and the differences between two of them."""
