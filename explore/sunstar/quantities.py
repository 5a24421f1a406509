# SPDX-License-Identifier: MIT
"""Quantities with their units, as configurations write them."""

import re

from sunstar.errors import FileError

SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
SIZES["TiB"] = 1 << 40


def size_in_bytes(text: object) -> int:
    """A size such as "8KiB" in bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)", str(text))
    if match is None or match[2] not in SIZES:
        raise FileError(f'"{text}" is not a size; it must be a number and one of {", ".join(SIZES)}')
    return round(float(match[1]) * SIZES[match[2]])
