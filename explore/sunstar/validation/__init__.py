# SPDX-License-Identifier: MIT
"""Models beside real parts and established simulators."""
