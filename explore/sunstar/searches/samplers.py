# SPDX-License-Identifier: MIT
"""Who proposes configurations."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sunstar.searches.spec import Search

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


def sampler(search: Search, tried: int) -> BaseSampler:
    """The sampler of the batch that follows after so many configurations. Each batch has a sampler of its own, whose
    random numbers follow from the seed and from this number, so that a search that goes on does what it would have
    done without an interruption."""
    from optuna import samplers

    seed = int.from_bytes(hashlib.sha256(f"{search.seed} {tried}".encode()).digest()[:4])
    if search.method == "nsga-ii":
        return samplers.NSGAIISampler(population_size=search.at_once, seed=seed)
    if search.method == "tpe":
        return samplers.TPESampler(seed=seed, n_startup_trials=max(10, search.at_once))
    return samplers.RandomSampler(seed=seed)
