# SPDX-License-Identifier: MIT
"""The command line `sunstar`."""

from sunstar.cli.main import app

__all__ = ["app"]
