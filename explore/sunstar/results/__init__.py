# SPDX-License-Identifier: MIT
"""Typed models of the result files: a module for each executable, or for several that share a form."""

from sunstar.results.common import Document, Statistic
from sunstar.results.disk import DiskResult
from sunstar.results.forms import Form, read, read_any
from sunstar.results.machine import MachineResult
from sunstar.results.network import NetworkResult

__all__ = ["DiskResult", "Document", "Form", "MachineResult", "NetworkResult", "Statistic", "read", "read_any"]
