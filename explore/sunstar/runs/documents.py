# SPDX-License-Identifier: MIT
"""The results of runs, in the form that an executable gives them."""

from collections.abc import Sequence

from sunstar.results import Form, read
from sunstar.runs.run import Run
from sunstar.runs.store import Store


def documents_of(form: type[Form], runs: Sequence[Run], store: Store, statistics: bool = True) -> list[Form]:
    """The results of runs in their order; the error of the first that failed. Without statistics, thousands of results
    take little memory."""
    for run in runs:
        if not run.done:
            raise run.error()
    found: dict[str, Form] = {}
    platform_of = {run.identity: run.point.platform for run in runs}
    for identity, outcome in store.outcomes(platform_of):
        document = read(form, platform_of[identity], outcome.document)
        found[identity] = document if statistics else document.model_copy(update={"statistics": {}})
    return [found[run.identity] for run in runs]


def document_of(form: type[Form], run: Run, store: Store) -> Form:
    return documents_of(form, [run], store)[0]
