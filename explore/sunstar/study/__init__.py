# SPDX-License-Identifier: MIT
"""The common part of the studies of several papers: cases, measuring, statements with their known shortfalls, tables,
plots."""
