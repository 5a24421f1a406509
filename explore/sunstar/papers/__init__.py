# SPDX-License-Identifier: MIT
"""Published systems, one package each: its cases, statements, tables and command.

Their common part is sunstar.study.
"""
