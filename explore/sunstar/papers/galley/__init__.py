# SPDX-License-Identifier: MIT
"""The measurements of N. Nieuwejaar and D. Kotz, "The Galley parallel file system", 1997: figure 5 and 7 to 15, and
what its text says of flow control and of the lock on a fork's metadata."""
