# SPDX-License-Identifier: MIT
"""A machine to look at: its drawing, coloured by what a run did, still or playing."""
