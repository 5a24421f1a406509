# SPDX-License-Identifier: MIT
"""What came of runs: pages with their figures, and the differences between two of them."""
