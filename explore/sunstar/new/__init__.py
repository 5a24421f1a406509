# SPDX-License-Identifier: MIT
"""New parts of the simulators: the files that docs/extending.md describes, under a name of the user's."""
