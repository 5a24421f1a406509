# SPDX-License-Identifier: MIT
"""Points spread over a space of parameters."""

import warnings
from collections.abc import Iterator

from sunstar.runs.point import Value
from sunstar.sweeps.spec import Sample


def samples(sample: Sample) -> Iterator[dict[str, Value]]:
    # Here, because it takes most of a second and only samples need it.
    from scipy.stats import qmc

    dimensions = len(sample.parameters)
    engine = {"latin-hypercube": qmc.LatinHypercube, "sobol": qmc.Sobol}[sample.method](dimensions, rng=sample.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a power of two of points would be better balanced
        shares = engine.random(sample.points)
    for row in shares.tolist():
        yield {path: of.at(share) for (path, of), share in zip(sample.parameters.items(), row, strict=True)}
