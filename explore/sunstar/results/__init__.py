# SPDX-License-Identifier: MIT
"""Typed models of the result files: one module an executable, or a family of them that share a form."""

from sunstar.results.common import Document, Statistic
from sunstar.results.disk import DiskResult
from sunstar.results.machine import MachineResult
from sunstar.results.network import NetworkResult

__all__ = ["DiskResult", "Document", "MachineResult", "NetworkResult", "Statistic"]
