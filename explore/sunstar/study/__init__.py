# SPDX-License-Identifier: MIT
"""What the studies of several papers share: cases, measuring, statements with their known shortfalls, tables, plots."""
