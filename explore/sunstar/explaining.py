# SPDX-License-Identifier: MIT
"""The section `explain` of a result, read strictly and shown. If a run is cheap, its changes are tried."""

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Self

import orjson
import typer
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sunstar.commands import JsonOption
from sunstar.errors import FileError, MissingExecutableError
from sunstar.files import as_json, read_bytes
from sunstar.programs import in_parallel
from sunstar.results import Document, read_from
from sunstar.runs.simulator import RECORDS_KEY, Outcome, Point, carry_out, settings_of
from sunstar.sweeps.spec import Strict, strictly

CHEAP_S = 1.0  # Processor time of a run whose changes are tried

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


class Proposal(Open):
    change: str
    at_most: Amount
    waits_gone: Amount | None  # The bound if all waits vanished as well
    settings: list[str]


class Explanation(Open):
    elapsed_ps: Count
    critical_path: list[Stage] = Field(min_length=1)
    resources: list[Resource]
    changes: list[Proposal] = []
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
    result: Annotated[Path, typer.Argument(metavar="RESULT")],
    verbose: Annotated[bool, typer.Option("--verbose")] = False,
    as_json_: JsonOption = False,
) -> None:
    document, explanation = explained(read_bytes(result), str(result))
    if as_json_:
        typer.echo(as_json(document.explain), nl=False)
        return
    text = explanation.text
    with suppress(MissingExecutableError):
        happened = "\n".join(tried(document, explanation.changes, result))
        text = re.sub(r"^Most promising: .*$", lambda _: happened, text, flags=re.MULTILINE)
    for setting in (each for change in explanation.changes for each in change.settings if verbose):
        folded = rf"^  {re.escape(setting.partition('=')[0])}: .*$"
        text = re.sub(folded, f"  --set '{setting}'", text, flags=re.MULTILINE)
    typer.echo(text, nl=False)


def tried(result: Document, changes: list[Proposal], path: Path) -> Iterator[str]:
    """What each change alone does to a cheap run, with the seed of its first trial; of another run, how to try them."""
    host_s = result.host.cpu_seconds / max(1, len(result.trials))
    if host_s > CHEAP_S:
        yield f"No change was tried, since a run takes {host_s:.2g} s of the host: sunstar advise {path} tries them."
        return
    run = {name: value for name, value in result.config["run"].items() if name != RECORDS_KEY}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.json"
        file.write_text(json.dumps({**result.config, "run": run}))
        settings = ([], *(each.settings for each in changes))
        points = [Point(settings_of(each), file, result.program, result.seed, 1, explained=True) for each in settings]
        before, *after = in_parallel(carry_out, points)
    for each, changed in zip(changes, after, strict=True):
        failed = next((run for run in (before, changed) if not run.done), None)
        if failed:
            yield f"Not possible: {each.change}: {failed.message.splitlines()[-1]}"
            continue
        (was_s, was, _), (is_s, now, unit) = measured(before), measured(changed)
        waits = f", without waits {each.waits_gone:.2f}x" if each.waits_gone else ""
        gain = f"{was_s / is_s:.2f}x (bound {each.at_most:.2f}x{waits})"
        yield f"Tried: {each.change}: {was} -> {now} {unit}, {gain}."


def measured(outcome: Outcome) -> tuple[float, str, str]:
    """The explained time of a run, and, for a reader, its throughput or that time."""
    found = orjson.loads(outcome.document)
    seconds = found["explain"]["elapsed_ps"] / 1e12
    rate = found["result"].get("throughput", {}).get("mib_per_s")
    return (seconds, f"{1e9 * seconds:,.0f}", "ns") if rate is None else (seconds, f"{rate:.4g}", "MiB/s")
