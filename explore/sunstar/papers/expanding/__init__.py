# SPDX-License-Identifier: MIT
"""The experiments of D. Kotz, "Expanding the potential for disk-directed I/O", 1995, and one more on its records."""
