# SPDX-License-Identifier: MIT
"""Studies as papers/studies describes them: a file for each, with its experiments, their views, and the help of its
command.

Names of functions and quantities in a description are those of the paper's own module, or with a dot of another module
of the paper; a list is a function and the arguments that it is called with. A field of a view is a field of the points,
a text with such fields in braces, the quantity, or such a function. A figure is a path in a result file, which begins
with `result`, or such a function.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial, reduce
from importlib import import_module
from math import nan
from typing import Annotated, Any

import typer

from sunstar import console
from sunstar.study.cases import Found, Key, fits, inside, points_of
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import Experiment, Statements, Study, conduct, figures_of
from sunstar.study.statements import PAPERS, Measure, Measures, Sentences, Verdict, data_of
from sunstar.study.views import QUANTITY, Quantity, View

Names = Mapping[str, Any]
Value = Callable[[Found, Key], Any]


def study_of(name: str, names: Names, **more: Any) -> Study[Any]:  # noqa: ANN401  fields of a study
    """The study of this name; `more` are those of its fields that are code. `columns` are figures."""
    given = {of: what for of, what in data_of(f"studies/{name}").items() if of != "reproduce"}
    names = {**names, **{each: quantity(of, names) for each, of in given.pop("quantities", {}).items()}}
    views, columns = given.pop("views", {}), given.pop("columns", None)
    if columns:
        figures = {column: figure_of(of, names) for column, of in columns.items()}
        more["columns"] = lambda found, key: {column: value(found, key) for column, value in figures.items()}
    experiments = [experiment(name, each, of, views, names) for each, of in given.pop("experiments").items()]
    return Study(name, experiments=experiments, **given, **more)


def reproduction(study: Study[bool]) -> Callable[..., None]:
    """sunstar reproduce NAME, of a study whose cases depend on --quick only. Its description explains that, and lists
    the `long` experiments, which it leaves out unless they are named."""
    said = {"example": "--quick", "tables": "all points", **data_of(f"studies/{study.name}")["reproduce"]}
    figure_option = Annotated[list[str] | None, figures_of(study)]
    quick_option = Annotated[bool, typer.Option("--quick", help=said["quick"])]

    def reproduce(
        call: Call, figure: figure_option = None, quick: quick_option = False, document: DocumentOption = None
    ) -> bool:
        named: list[str] = figure or [name for name in study.names if not (quick and name in said.get("long", ()))]
        wanted, folder = study.choose(named), call.folder(study.name)
        return conduct(study, wanted, bool(quick), call, folder, document, bool(figure))

    reproduce.__doc__ = (PAPERS / "studies" / "reproduce.txt").read_text().format(name=study.name, **said)
    return command(trials=said.get("trials", 1))(reproduce)


def experiment(
    study: str, name: str, given: Mapping[str, Any], views: Mapping[str, Any], names: Names
) -> Experiment[Any]:
    made: dict[str, Any] = {
        "cases": named(given["cases"], names) if "cases" in given else partial(points_of, study, name),
        "views": [view(each, views, names) if each in views else named(each, names) for each in given["views"]],
    }
    if "statements" in given:
        made["statements"] = judging(Sentences(study), given["statements"], names)
    if "picture" in given:
        made["picture"] = named(given["picture"], names)
    if isinstance(given.get("trials", ""), int):
        made["least_trials"] = lambda _: given["trials"]
    elif "trials" in given:
        made["least_trials"] = named(given["trials"], names)
    return Experiment(name, given["title"], **made)


def judging(say: Sentences, given: str | list[Any], names: Names) -> Statements:
    """The statements that a function makes or, in a list, that are listed with their points or that functions make. A
    mapping has the name of a `statement`, the `words` of its sentence, and its own additions to `of`."""

    def one(name: str | list[Any] | Mapping[str, Any]) -> Statements:
        if isinstance(name, Mapping):
            return lambda found: listed(say, name["statement"], found, names, name)
        if isinstance(name, str) and "of" in say.listed.get(name, {}):
            return lambda found: listed(say, name, found, names, {})
        made: Statements = named(name, names)
        return made

    several = [one(each) for each in (given if isinstance(given, list) else [given])]
    return lambda found: (verdict for statements in several for verdict in statements(found))


def listed(say: Sentences, name: str, found: Found, names: Names, own: Mapping[str, Any]) -> Iterator[Verdict]:
    """A statement about a figure of the `points` that it lists, `without` some, or about how far it is `apart` from a
    value; in a share it is the margin, from which `less` is taken. `label` names a point, a form or a function, and
    `what` the figure, if points do not say it, a form of its value. If it says `largest`, only the largest figure
    counts. One that is said `if_measured` needs no point."""
    of = {**say.listed[name].get("of", {}), **own}
    value, less = figure(of, names), of.get("less", 0)
    label = label_of(of["label"], names) if "label" in of else str
    what = of.get("what", f" over {of['over']['method']}" if "method" in of.get("over", {}) else "")
    figures = Measures()
    for key in found.results:
        if fits(key, of["points"]) and not ("without" in of and fits(key, of["without"])):
            number = value(found, key)
            judged = nan if number is None else abs(number - of["apart"]) if "apart" in of else float(number) - less
            figures.append(Measure(judged, f"{label(key)}{what.format(number)}"))
    if figures or not of.get("if_measured"):
        yield say(name, figures.largest() if of.get("largest") else figures, **of.get("words", {}))


def label_of(given: str | list[Any], names: Names) -> Callable[[Key], str]:
    if isinstance(given, str) and "{" in given:
        return lambda key: key.into(given)
    made: Callable[[Key], str] = named(given, names)
    return made


def view(name: str, views: Mapping[str, Any], names: Names) -> View:
    given = dict(views[name])
    while "like" in given:
        given = {**views[given.pop("like")], **given}
    given["rows"] = {heading: field(each, names) for heading, each in given["rows"].items()}
    given |= {of: field(given[of], names) for of in ("columns", "panels", "x") if of in given}
    if "quantities" in given:
        given["quantities"] = [named(each, names) for each in given["quantities"]]
    given["more"] = {heading: named(each, names) for heading, each in given.get("more", {}).items()}
    shown = given.get("points")
    if isinstance(shown, Mapping):  # the form of the shown value
        given["points"] = lambda _, key: fits(key, shown)
    return View(**given)


def quantity(given: Mapping[str, Any], names: Names) -> Quantity:
    """A quantity: its figure, divided by `unit`, and its `text`, a form or a function of console.py that makes it."""
    value, unit, text = figure(given, names), given.get("unit", 1), given.get("text", "throughput")

    def in_units(found: Found, key: Key) -> Any:  # noqa: ANN401  a figure
        number = value(found, key)
        return number if unit == 1 or number is None else number / unit

    return Quantity(given["name"], in_units, text.format if "{" in text else getattr(console, text))


def figure(given: Mapping[str, Any], names: Names) -> Value:
    """Throughput, or another `figure`; maybe `over` that of the point that has these fields."""
    value = figure_of(given["figure"], names) if "figure" in given else Found.mib
    if "over" not in given:
        return value
    return lambda found, key: value(found, key) / value(found, key._replace(**inside(given["over"], key)))


def figure_of(given: str | list[Any], names: Names) -> Value:
    """None where a result file has nothing at the path."""
    section, _, path = given.partition(".") if isinstance(given, str) else ("", "", "")
    if section == "result":
        return lambda found, key: reduce(at, path.split("."), found[key].result)
    made: Value = named(given, names)
    return made


def at(of: Any, name: str) -> Any:  # noqa: ANN401  any JSON
    return getattr(of, name, None)


def named(given: str | list[Any], names: Names) -> Any:  # noqa: ANN401  any object of that name
    if isinstance(given, list):
        function, *arguments = given
        return named(function, names)(*arguments)
    module, _, name = given.rpartition(".")
    return getattr(import_module(f"{names['__package__']}.{module}"), name) if module else names[name]


def field(given: str | list[Any], names: Names) -> Any:  # noqa: ANN401  a Field
    if isinstance(given, list):
        return tuple(field(each, names) for each in given)
    return given if given in (QUANTITY, *Key._fields) or "{" in given else named(given, names)
