# SPDX-License-Identifier: MIT
"""Which form the result file of an executable has."""

from typing import TypeVar

import orjson
from pydantic import ValidationError

from sunstar.errors import RunError
from sunstar.results.common import Document
from sunstar.results.disk import DiskResult
from sunstar.results.machine import MachineResult
from sunstar.results.network import NetworkResult

Form = TypeVar("Form", bound=Document)

FORMS: dict[str, type[Document]] = {
    "torus": MachineResult,
    "sp2": MachineResult,
    "cluster": MachineResult,
    "network": NetworkResult,
    "disk": DiskResult,
}


def form_of(platform: str) -> type[Document]:
    """The form of a platform's results; of one that has none here, what all have in common."""
    return FORMS.get(platform, Document)


def read(form: type[Form], platform: str, document: bytes) -> Form:
    """A result file; a RunError if it is of another form."""
    try:
        return form.model_validate_json(document)
    except ValidationError as error:
        raise RunError(f"sunstar-{platform} left no result that can be read: {in_words(error)}", 0) from error


def read_any(document: bytes) -> Document:
    """A result file of whatever executable, in the form that its results have."""
    platform = str(orjson.loads(document)["platform"]).removeprefix("sunstar-")
    return read(form_of(platform), platform, document)


def in_words(error: ValidationError) -> str:
    """Says which keys of a result file are not as expected."""
    return "; ".join(
        ": ".join(part for part in (".".join(map(str, each["loc"])), each["msg"]) if part) for each in error.errors()
    )
