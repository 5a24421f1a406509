# SPDX-License-Identifier: MIT
"""Training loads: how many accelerators a machine feeds, and what its checkpoints cost."""
