# SPDX-License-Identifier: MIT
"""The network's two models: flits beside BookSim2, worms beside flits."""
