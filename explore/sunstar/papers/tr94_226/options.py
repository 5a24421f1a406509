# SPDX-License-Identifier: MIT
"""Options that this report's commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="NAME", help="Only this layout, pattern or method; repeatable, to add others."),
]
ReferenceOption = Annotated[
    Path | None,
    typer.Option("--reference", metavar="FILE.csv", help="Published figures; the package's own if left out."),
]


class Records(StrEnum):
    """The record sizes."""

    LARGE = "8192"
    SMALL = "8"
    ALL = "all"

    def sizes(self) -> tuple[int, ...]:
        return (8, 8192) if self is Records.ALL else (int(self.value),)


RecordsOption = Annotated[Records, typer.Option("--records", help="Record sizes in bytes.")]
