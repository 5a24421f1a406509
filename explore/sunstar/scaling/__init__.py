# SPDX-License-Identifier: MIT
"""Where a file system stops scaling: the machines that it runs on, what was found, why it stops, and the page of it."""
