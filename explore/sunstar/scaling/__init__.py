# SPDX-License-Identifier: MIT
"""Where a file system stops scaling: the machines that it runs on, the findings, why it stops, and the page of it."""
