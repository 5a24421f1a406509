# SPDX-License-Identifier: MIT
"""The section `explain` of a result, read strictly and shown."""

from pathlib import Path
from typing import Annotated, Self

import typer
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sunstar.commands import JsonOption
from sunstar.errors import FileError
from sunstar.files import as_json, read_bytes
from sunstar.results import Document, read_from
from sunstar.sweeps.spec import Strict, strictly

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


class Stage(Strict):
    stage: str
    time_s: Amount
    time_ps: Count
    share: Amount
    waits: bool  # For a sector or for messages: any change may shorten it


class Open(BaseModel):
    """The used part of an object that may have more keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")


class Resource(Open):
    name: str
    busy: Amount = 0.0  # The largest of its utilisations


class Explanation(Open):
    elapsed_ps: Count
    critical_path: list[Stage] = Field(min_length=1)
    resources: list[Resource]
    sentences: list[str]
    text: str

    @model_validator(mode="after")
    def _check(self) -> Self:
        total = sum(stage.time_ps for stage in self.critical_path)
        if total != self.elapsed_ps:
            raise ValueError(f"the stages of the critical path sum to {total} ps, the run took {self.elapsed_ps} ps")
        return self


def explained(content: bytes, where: str) -> tuple[Document, Explanation]:
    """A result with its explanation; messages call it `where`."""
    result = read_from(content, where)
    return result, explanation_of(result, where)


def explanation_of(result: Document, where: str) -> Explanation:
    """A FileError if it has none."""
    if result.explain is None:
        raise FileError(f"{where} says nothing about its causes; run {result.platform} again with --explain")
    return strictly(Explanation, result.explain, f"{where}: explain")


def explain(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="The result of a run with --explain.")],
    as_json_: JsonOption = False,
) -> None:
    document, explanation = explained(read_bytes(result), str(result))
    typer.echo(as_json(document.explain) if as_json_ else explanation.text, nl=False)
