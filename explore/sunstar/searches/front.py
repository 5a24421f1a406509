# SPDX-License-Identifier: MIT
"""The Pareto front: configurations than which no other is better in one objective and at least as good in all."""

from collections.abc import Sequence

Losses = tuple[float, ...]
"""The objectives of a configuration; less is better."""


def front(losses: Sequence[Losses]) -> list[int]:
    """The indices of those on the front, the best in the first objective first; of equal ones the first alone."""
    found: list[int] = []
    # Whoever dominates comes before whom it dominates.
    for index in sorted(range(len(losses)), key=lambda index: (losses[index], index)):
        if not any(all(a <= b for a, b in zip(losses[best], losses[index], strict=True)) for best in found):
            found.append(index)
    return found
