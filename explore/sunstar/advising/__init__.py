# SPDX-License-Identifier: MIT
"""What one could change about a machine, what each change gains in runs, and which of them are worth it."""
