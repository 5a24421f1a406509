# SPDX-License-Identifier: MIT
"""Published systems; their common part is sunstar.study."""
