# SPDX-License-Identifier: MIT
"""The common part of the studies of several papers: cases, measuring, statements and shortfalls, tables, plots."""
