# SPDX-License-Identifier: MIT
"""The experiments of Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel file
systems" (Duke CS-1995-22, 1995), and some more on the same machine."""
