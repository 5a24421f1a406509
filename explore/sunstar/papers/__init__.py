# SPDX-License-Identifier: MIT
"""Published systems, one package each: its cases, statements, tables and command.

What they share is in sunstar.study.
"""
