# SPDX-License-Identifier: MIT
"""Models beside what is known of real parts and from established simulators."""
