# SPDX-License-Identifier: MIT
"""Which of the five ways to do parallel I/O is best where: a map for the designer of a machine.

The experiments are ours. They take up predictions of TR94-226, sections 6 and 7 and "Future work".
"""
