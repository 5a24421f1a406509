# SPDX-License-Identifier: MIT
"""How much each calibrated constant of the report's machine weighs: the errors of its rows."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sunstar.console import percent
from sunstar.errors import UsageError
from sunstar.papers.tr94_226.cases import PUBLISHED, all_rows, comparison, published, select, settings, summarise
from sunstar.papers.tr94_226.reproduce_command import OnlyOption, Records, RecordsOption, ReferenceOption
from sunstar.study.cases import Found
from sunstar.study.command import Call, command
from sunstar.study.sensitivity import ConstantsOption, Weighing

CONSTANTS = Path(__file__).parent / "data" / "constants.json"
ERRORS = {
    "mean error": "mean_absolute_error",
    "mean of the rows that discriminate": "discriminating_mean_absolute_error",
    "worst row": "worst_error",
}


@command(trials=1, stderr=True)
def sensitivity_tr94_226(
    call: Call,
    constants: ConstantsOption = None,
    reference: ReferenceOption = None,
    records: RecordsOption = Records.ALL,
    only: OnlyOption = None,
) -> bool:
    references = published(reference or PUBLISHED, all_rows((8, 8192)))
    cases = {row: settings(row) for row in select(all_rows(records.sizes()), only or []) if row in references}
    if not cases:
        raise UsageError("no published row is left with these options; see --only and --records")

    def error(name: str, found: Found) -> float:
        value: float | None = summarise(comparison(found, references))[name]
        return math.nan if value is None else abs(value)

    def shown(value: float, _: float) -> str:
        return "-" if math.isnan(value) else percent(value)

    errors: dict[str, Callable[[Found], float]] = {title: partial(error, name) for title, name in ERRORS.items()}
    Weighing("tr94-226", CONSTANTS, cases, errors, shown=shown).carry_out(call, constants)
    return False
