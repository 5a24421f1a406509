# SPDX-License-Identifier: MIT
"""The network's two models beside each other. The last word of such a point's x is its model."""

from collections.abc import Mapping

from sunstar.console import percent
from sunstar.study.cases import Cases, Found, Key
from sunstar.study.views import MIB_PER_S, Cell, Field, Quantity, View

MODELS = WORM, FLIT = "worm", "flit"


def under_both(cases: Cases, keep_x: bool) -> Cases:
    """The same points under both models; their x is the model, behind their own x if that is kept."""
    return {
        key._replace(x=f"{key.x} {model}" if keep_x else model): {**sets, "machine.network.model": model}
        for key, sets in cases.items()
        for model in MODELS
    }


def other(key: Key) -> Key:
    """The point under the flit model."""
    return key._replace(x=key.x.replace(WORM, FLIT))


def beside(quantity: Quantity = MIB_PER_S, **rows: Field) -> View:
    """Both models, and how far they are apart."""

    def apart(found: Found, of: Mapping[str, Key]) -> str:
        worm, flit = (Cell(of[model], quantity).drawn(found) for model in MODELS)
        return percent(worm / flit - 1, sign=True)

    named = {"pattern": "pattern", "method": "method", **rows}
    return View(named, lambda key: key.x.split()[-1], quantities=[quantity], more={"apart": apart}, drawn="bars")
