# SPDX-License-Identifier: MIT
"""The network's two models: the flit model beside BookSim2, the worm model beside the flit model."""
