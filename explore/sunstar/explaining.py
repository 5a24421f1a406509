# SPDX-License-Identifier: MIT
"""The section `explain` of a result, read strictly and shown."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Self

import orjson
import typer
from pydantic import BaseModel, ConfigDict, Field, model_validator
from rich.console import Console

from sunstar.commands import JsonOption
from sunstar.console import Printed, console, milliseconds, percent, print_table
from sunstar.errors import FileError
from sunstar.files import as_json, read_bytes
from sunstar.results import Document, read_from
from sunstar.sweeps.reading import Strict, strictly

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


class Stage(Strict):
    stage: str
    time_s: Amount
    time_ps: Count
    share: Amount


class Times(Strict):
    mean_s: Annotated[float, Field(allow_inf_nan=False)]
    """Of a stage of calls it may be a little below 0: the path to the end of a call may avoid work that the path to its
    beginning leads through."""
    p99_s: Amount


class Requests(Strict):
    kind: str
    count: Count
    total: Times
    stages: dict[str, Times]


class Resource(BaseModel):
    """Utilisations under their own names, and the queue if anything waited in it."""

    model_config = ConfigDict(frozen=True, strict=True, extra="allow")
    __pydantic_extra__: dict[str, Amount | None]

    name: str
    mean_queue: Amount | None = None
    waits: Count | None = None
    mean_wait_s: Amount | None = None

    @property
    def utilisation(self) -> float | None:
        """The largest, if there are several."""
        found = [v for k, v in self.__pydantic_extra__.items() if k.endswith("utilisation") and v is not None]
        return max(found, default=None)


class Processor(Strict):
    """Seconds of a node's processor by primitive."""

    node: str
    seconds: dict[str, Amount]


class Change(Strict):
    """A change of the configuration and what it can gain at most."""

    change: str
    stages: list[str]
    share: Amount
    at_most: Amount  # With an unchanged order of events
    waits_gone: Amount | None  # If all waiting for sectors and messages vanished, too; None: no bound
    settings: list[str]  # PATH=VALUE each


class Messages(Strict):
    """What the busiest processor spends on messages."""

    count: Count
    processor: str
    share_of_work: Amount
    share: Amount  # Of the run


class Explanation(Strict):
    elapsed_ps: Count
    critical_path: list[Stage] = Field(min_length=1)
    resources: list[Resource]
    requests: list[Requests]
    processors: list[Processor]
    changes: list[Change]
    sentences: list[str]
    messages: Messages | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        total = sum(stage.time_ps for stage in self.critical_path)
        if total != self.elapsed_ps:
            raise ValueError(f"the stages of the critical path sum to {total} ps, the run took {self.elapsed_ps} ps")
        return self


def read_explained(path: Path) -> tuple[Document, Explanation]:
    """A result with its explanation; a FileError if it has none."""
    return explained(read_bytes(path), str(path))


def explained(content: bytes, where: str) -> tuple[Document, Explanation]:
    """The same of a file's content; `where` is what messages call it."""
    result = read_from(content, where)
    section: Any = orjson.loads(content).get("explain")
    if section is None:
        raise FileError(f"{where} says nothing about its causes; run {result.platform} again with --explain")
    return result, strictly(Explanation, section, f"{where}: explain")


def explain(
    result: Annotated[Path, typer.Argument(metavar="RESULT", help="The result of a run with --explain.")],
    rows: Annotated[int, typer.Option("--rows", min=1, help="The most rows of a table.")] = 10,
    as_json_: JsonOption = False,
) -> None:
    _, explanation = read_explained(result)
    if as_json_:
        typer.echo(as_json(explanation.model_dump(exclude_none=True)), nl=False)
    else:
        tell(console(), explanation, rows)


def tell(out: Console, explanation: Explanation, rows: int) -> None:
    for sentence in explanation.sentences:
        out.print(sentence, soft_wrap=True)
    path = [(s.stage, milliseconds(s.time_s), percent(s.share)) for s in explanation.critical_path]
    print_table(out, Printed("The critical path", ("stage", "ms", "share"), path))
    busiest = []
    for r in explanation.resources:
        queue = "-" if r.mean_queue is None else f"{r.mean_queue:.2f}"
        busiest.append((r.name, percent(r.utilisation), queue, milliseconds(r.mean_wait_s)))
    headings = ("resource", "busy", "mean queue", "mean wait, ms")
    print_table(out, Printed("The busiest resources", headings, folded(busiest)[:rows]))
    nodes = []
    for p in sorted(explanation.processors, key=lambda p: -sum(p.seconds.values())):
        most = sorted(p.seconds.items(), key=lambda item: -item[1])[:3]
        words = ", ".join(f"{name} {milliseconds(spent)}" for name, spent in most)
        nodes.append((p.node, milliseconds(sum(p.seconds.values())), words))
    print_table(out, Printed("The processors", ("node", "busy, ms", "most of it"), folded(nodes)[:rows]))
    times: list[tuple[str, ...]] = []
    for kind in explanation.requests:
        for i, (stage, spent) in enumerate({"all": kind.total, **kind.stages}.items()):
            first = ("", "") if i else (kind.kind, str(kind.count))
            times.append((*first, stage, milliseconds(spent.mean_s), milliseconds(spent.p99_s)))
    print_table(out, Printed("Requests", ("kind", "number", "stage", "mean, ms", "p99, ms"), times, 3))
    for change in explanation.changes:
        gone = "" if change.waits_gone is None else f", {change.waits_gone:.2f}x if it also saved all waiting"
        out.print(f"\n{change.change}: at most {change.at_most:.2f}x{gone}", soft_wrap=True)
        for setting in change.settings:
            out.print(f"  --set '{setting}'", soft_wrap=True)


def folded(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Neighbours that differ only in their names become one row, which says how many they are."""
    groups = [list(group) for _, group in groupby(rows, lambda row: row[1:])]
    return [(f"{g[0][0]} and {len(g) - 1} alike", *g[0][1:]) if len(g) > 1 else g[0] for g in groups]
