# SPDX-License-Identifier: MIT
"""The measurements of M. Vilayannur, M. Kandemir and A. Sivasubramaniam, "Kernel-level caching for optimizing I/O by
exploiting inter-application data sharing", 2002: figures 4 to 8, and the weight of our own choices."""
