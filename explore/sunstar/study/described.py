# SPDX-License-Identifier: MIT
"""Studies as papers/studies describes them: a file for each, with its experiments, their views, and what the help of
its command says.

Names of functions and quantities in a description are those of the paper's own module, or with a dot of another module
of the paper; a list is a function and the arguments that it is called with. A field of a view is a field of the points,
a text with such fields in braces, the quantity, or such a function.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer

from sunstar.study.cases import Key, fits, points_of
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Experiment, Study, carry_out, figures_of
from sunstar.study.statements import PAPERS
from sunstar.study.views import QUANTITY, View

STUDIES = PAPERS / "studies"
Names = Mapping[str, Any]


def description(study: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((STUDIES / f"{study}.json").read_text())
    return found


def study_of(name: str, names: Names, **more: Any) -> Study[Any]:  # noqa: ANN401  fields of a study
    """The study of this name; `more` are those of its fields that are code."""
    given, names = description(name), names
    views = given.pop("views", {})
    experiments = [experiment(name, each, of, views, names) for each, of in given.pop("experiments").items()]
    given.pop("reproduce", None)
    return Study(name, experiments=experiments, **given, **more)


def reproduction(study: Study[bool]) -> Callable[..., None]:
    """sunstar reproduce NAME, of a study whose cases depend on --quick only. Its description says what that does, and
    which experiments, `long`, it leaves out unless they are named."""
    said = {"example": "--quick", "tables": "all points", **description(study.name)["reproduce"]}
    figure_option = Annotated[list[str] | None, figures_of(study)]
    quick_option = Annotated[bool, typer.Option("--quick", help=said["quick"])]

    def reproduce(
        call: Call, figure: figure_option = None, quick: quick_option = False, document: DocumentOption = None
    ) -> bool:
        named: list[str] = figure or [name for name in study.names if not (quick and name in said.get("long", ()))]
        return carry_out(study, study.choose(named), bool(quick), call, document, bool(figure))

    reproduce.__doc__ = (STUDIES / "reproduce.txt").read_text().format(name=study.name, **said)
    return command(trials=said.get("trials", 1))(reproduce)


def experiment(
    study: str, name: str, given: Mapping[str, Any], views: Mapping[str, Any], names: Names
) -> Experiment[Any]:
    made = {
        "cases": named(given["cases"], names) if "cases" in given else partial(points_of, study, name),
        "views": [view(each, views, names) if each in views else named(each, names) for each in given["views"]],
        **{of: named(given[of], names) for of in ("statements", "picture") if of in given},
    }
    if isinstance(given.get("trials", ""), int):
        made["least_trials"] = lambda _: given["trials"]
    elif "trials" in given:
        made["least_trials"] = named(given["trials"], names)
    return Experiment(name, given["title"], **made)


def view(name: str, views: Mapping[str, Any], names: Names) -> View:
    given = dict(views[name])
    while "like" in given:
        given = {**views[given.pop("like")], **given}
    given["rows"] = {heading: field(each, names) for heading, each in given["rows"].items()}
    given |= {of: field(given[of], names) for of in ("columns", "panels") if of in given}
    if isinstance(given.get("quantities"), str):  # several that one name stands for
        given["quantities"] = named(given["quantities"], names)
    elif "quantities" in given:
        given["quantities"] = [named(each, names) for each in given["quantities"]]
    given["more"] = {heading: named(each, names) for heading, each in given.get("more", {}).items()}
    shown = given.get("points")
    if isinstance(shown, Mapping):  # the form of what is shown
        given["points"] = lambda _, key: fits(key, shown)
    if isinstance(shown, str | list):
        given["points"] = named(shown, names)
    if "x" in given:
        given["x"] = field(given["x"], names)
    return View(**given)


def named(given: str | list[Any], names: Names) -> Any:  # noqa: ANN401  whatever has that name
    if isinstance(given, list):
        function, *arguments = given
        return named(function, names)(*arguments)
    module, _, name = given.rpartition(".")
    return getattr(import_module(f"{names['__package__']}.{module}"), name) if module else names[name]


def field(given: str | list[Any], names: Names) -> Any:  # noqa: ANN401  a Field
    if isinstance(given, list):
        return tuple(field(each, names) for each in given)
    return given if given in (QUANTITY, *Key._fields) or "{" in given else named(given, names)
