# SPDX-License-Identifier: MIT
"""The measurements of N. Nieuwejaar and D. Kotz, "The Galley parallel file system", 1997: figures 5 and 7 to 15, and
its text about flow control and the lock on a fork's metadata."""
