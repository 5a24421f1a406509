# SPDX-License-Identifier: MIT
"""Why a run took that long: the explanation that --explain adds to its result, shown and put to the test."""
