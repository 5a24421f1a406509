# SPDX-License-Identifier: MIT
"""The calibrated costs of the firmware's primitives beside the firmware itself, counted on a RISC-V."""
