# SPDX-License-Identifier: MIT
"""Single drives beside the measured response times of real drives."""
