# SPDX-License-Identifier: MIT
"""A study: its experiments, each with cases, views and statements; its command `sunstar reproduce NAME`; and documents,
JSON files of single figures that pages quote by names of their own: each names its table and its cell there.

papers/studies has a description of each study: its experiments, their views, and the help of its command. Names of
functions and quantities in a description are those of the paper's module; a list is a function and the arguments that
it is called with. A field of a view is a field of the points, a text with such fields in braces, the quantity, or such
a function. A figure is a path in a result file, which begins with `result`, or such a function.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial, reduce
from math import nan
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Annotated, Any, Generic, TypeVar

import polars as pl
import typer
from rich.console import Console
from typer.models import OptionInfo

from sunstar import console
from sunstar.commands import relative
from sunstar.console import Printed, called, print_table, progress
from sunstar.drawing import Canvas, picture
from sunstar.errors import FileError, RunError, check_choice
from sunstar.files import Outputs, reading, taking_apart, write_json, write_table, write_text
from sunstar.reports.samples import half_width
from sunstar.results import MachineResult
from sunstar.runs.runner import Runner, documents_of
from sunstar.runs.simulator import Point, Run, plan
from sunstar.study import statements as of_statements
from sunstar.study.cases import Average, Cases, Found, Key, fits, inside, points_of
from sunstar.study.command import Call, Conditions, DocumentOption, command
from sunstar.study.statements import PAPERS, Kind, Measure, Measures, Sentences, Shortfalls, Standing, Verdict
from sunstar.study.views import QUANTITY, Quantity, View, draw_views

Sweep = Callable[[Sequence[Point], Sequence[str]], list[MachineResult]]
"""Runs points; the names tell their purposes."""
Choice = TypeVar("Choice")  # The user's choice, as the study's cases take it
Cell = str | int | float | bool | None
Tables = Callable[[Found], Iterable[Printed]]
Statements = Callable[[Found], Iterable[Verdict]]
STATEMENTS = "statements"  # What a document calls the tables of statements
Names = Mapping[str, Any]
Value = Callable[[Found, Key], Any]


def in_words(trials: int) -> str:
    return "1 trial" if trials == 1 else f"{trials} trials"


def measure(
    experiments: Mapping[str, Cases],
    conditions: Conditions,
    run_all: Sweep,
    least_trials: Mapping[str, Callable[[Key], int]] | None = None,
    average: Average = fmean,
) -> dict[str, Found]:
    """Runs cases of experiments; returns findings by their names. `average` makes one throughput of trials'."""
    points: dict[tuple[str, Key], Point] = {}
    runs: dict[Hashable, tuple[Point, str]] = {}
    for name, cases in experiments.items():
        least = (least_trials or {}).get(name)
        for key, settings in cases.items():
            point = conditions.point(settings, least(key) if least else 1)
            points[name, key] = point
            runs.setdefault(identity(point), (point, f"{called(name)}, {key}"))
    found = run_all([point for point, _ in runs.values()], [title for _, title in runs.values()])
    result_of = dict(zip(runs, found, strict=True))
    wrong = [title for (_, title), result in zip(runs.values(), found, strict=True) if not result.verified]
    if wrong:
        raise RunError(f"not every byte is where it belongs: {'; '.join(wrong)}", 4)
    return {
        name: Found({key: result_of[identity(points[name, key])] for key in cases}, average)
        for name, cases in experiments.items()
    }


def judge(statements: "Statements", found: Found, shortfalls: Shortfalls = MappingProxyType({})) -> list[Verdict]:
    """The verdicts on statements that have these shortfalls, with the spreads of their margins: the intervals of the
    jackknife, which makes the statements once more without each of the trials. Of points that have more trials than
    others, it leaves out equal parts of them."""
    with of_statements.knowing(shortfalls):
        verdicts, n = list(statements(found)), found.trials
        if n < 2:
            return [verdict.decided(None) for verdict in verdicts]
        parts = [[verdict.margin for verdict in statements(found.without(i, n))] for i in range(n)]
    return [
        verdict.decided(half_width([n * verdict.margin - (n - 1) * margin for margin in margins]))
        for verdict, *margins in zip(verdicts, *parts, strict=True)
    ]


def identity(point: Point) -> Hashable:
    """Equal for points that are the same run, in any order of their settings."""
    settings = tuple(sorted((path, repr(value)) for path, value in point.settings.items()))
    return (point.platform, point.config, point.seed, point.trials, settings)


@dataclass(frozen=True)
class Experiment(Generic[Choice]):
    name: str  # The number of a figure, or a word
    title: str
    cases: Callable[[Choice], Cases]
    views: Sequence[View | Tables]  # Printed in this order. Tables that are no view of the points are made by functions
    statements: Statements = lambda _: ()
    least_trials: Callable[[Key], int] = lambda _: 1
    """The least number of trials of a case whose statement is finer than the scatter between trials."""
    picture: Callable[[Found, Canvas], None] | None = None  # Draws it in the place of its views

    def tables(self, found: Found) -> Iterator[Printed]:
        for view in self.views:
            if not isinstance(view, View):
                yield from view(found)
            elif view.printed:
                yield from view.tables(found)

    def draw(self, found: Found, canvas: Canvas) -> None:
        if self.picture is None:
            draw_views((view for view in self.views if isinstance(view, View)), found, canvas)
        else:
            self.picture(found, canvas)


@dataclass(frozen=True)
class Study(Generic[Choice]):
    name: str  # The name of its command and of its folder of results
    title: str  # Stands before the titles of experiments
    experiments: Sequence[Experiment[Choice]]
    columns: Callable[[Found, Key], Mapping[str, Cell]] = lambda _, __: {}
    """Columns of each point in addition to those of every study's points."""
    more_tables: Callable[[Mapping[str, Found]], Mapping[str, pl.DataFrame]] = lambda _: {}
    """Tables to keep beside that of the points, by name, made from all experiments that were measured."""
    statistics: bool = True
    """Whether it looks at the runs' statistics. Without them, thousands of results take little memory."""
    platform: str = "torus"  # The simulator of its machine
    average: Average = fmean  # How it makes one throughput of those of its trials

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.experiments]

    def __getitem__(self, name: str) -> Experiment[Choice]:
        return self.experiments[self.names.index(name)]

    def known(self, name: str) -> Shortfalls:
        return of_statements.shortfalls_of(self.name, name)

    def choose(self, names: Sequence[str]) -> list[Experiment[Choice]]:
        """The experiments of these names, in the study's order; without names, all of them."""
        for name in names:
            check_choice("--figure", name, self.names)
        return [each for each in self.experiments if each.name in names or not names]


def conduct(
    study: Study[Choice],
    wanted: Sequence[Experiment[Choice]],
    choice: Choice,
    call: Call,
    folder: Path,
    document: Path | None = None,
    named: bool = False,
    prefix: str = "",
) -> bool:
    """Measures, prints, draws and judges experiments. Returns whether a statement is NEW.

    `prefix` stands before the names of files. If the experiments were `named`, their names stand behind those of
    tables, so that the points of some do not replace those of all. The figures that the document names are renewed.
    """
    out, files, suffix = call.out, call.files, f"-{'-'.join(each.name for each in wanted)}" if named else ""
    if document is not None:
        check_document(files, document, [*(each.name for each in wanted), STATEMENTS])
    everything = measure(
        {each.name: each.cases(choice) for each in wanted},
        replace(call.conditions, platform=study.platform),
        with_progress(call, study.title, study.statistics),
        {each.name: each.least_trials for each in wanted},
        study.average,
    )
    verdicts = []
    for each in wanted:
        found = everything[each.name]
        print_tables(each, found, out)
        verdicts += [(each.name, verdict) for verdict in judge(each.statements, found, study.known(each.name))]
        draw(files, folder / f"{prefix}{each.name}.png", study, each, found)
    for name, table in {"points": kept(study, everything), **study.more_tables(everything)}.items():
        for form in (".csv", ".json", ".parquet"):
            write_table(files, folder / f"{prefix}{name}{suffix}{form}", table)
    if document is not None:
        tables = {each.name: list(each.tables(everything[each.name])) for each in wanted}
        if len(wanted) == len(study.experiments):
            tables[STATEMENTS] = [counted(verdicts), shortfalls(verdicts)]
        out.print(f"{quote(files, document, tables)}: {relative(document)}", soft_wrap=True)
    runs = {id(result) for found in everything.values() for result in found.results.values()}
    return tell(call, verdicts, folder / f"{prefix}verdicts{suffix}.json", len(runs))


def tell(call: Call, verdicts: Sequence[tuple[str, Verdict]], path: Path, runs: int) -> bool:
    """Prints and writes verdicts, says of how many runs, and returns whether a statement is NEW."""
    for line in of_statements.listed((called(name), verdict) for name, verdict in verdicts):
        call.out.print(line, soft_wrap=True)
    call.out.print(of_statements.tally([verdict for _, verdict in verdicts]), soft_wrap=True)
    call.out.print(f"every byte of {runs} runs is verified")
    call.verdicts.extend(verdict for _, verdict in verdicts)
    write_json(call.files, path, [{"experiment": name, **asdict(verdict)} for name, verdict in verdicts])
    return any(verdict.standing is Standing.NEW for _, verdict in verdicts)


def with_progress(call: Call, title: str, statistics: bool = True) -> Sweep:
    """Runs points with progress; finished runs come from the store. Results hold statistics only if asked for."""
    what = f"{title}, {in_words(call.conditions.trials)} each"

    def run_all(points: Sequence[Point], names: Sequence[str]) -> list[MachineResult]:
        with call.runner() as runner:
            runs = run_with_progress(call, what, runner, points, names)
            return documents_of(MachineResult, runs, runner.store, statistics)

    return run_all


def run_with_progress(
    call: Call, what: str, runner: Runner, points: Sequence[Point], names: Sequence[str]
) -> list[Run]:
    """Gets all runs, and says how many were finished before. A point that is no configuration is an error at once."""
    wanted = plan(points, call.jobs)
    for refused in wanted.refused.values():
        raise refused.error()
    found = runner.known(wanted)
    with progress(call.out, what, len(points)) as advance:
        for index in found:
            advance(names[index])
        runs = runner.all(wanted, lambda index, _: advance(names[index]))
    if found:
        again = f"{len(found)} of {len(points)} runs were finished before"
        call.out.print(f"{again}: {relative(runner.store.path)}", soft_wrap=True)
    return runs


def print_tables(experiment: Experiment[Choice], found: Found, out: Console) -> None:
    for printed in experiment.tables(found):
        title = ": ".join(part for part in (called(experiment.name), experiment.title, printed.title) if part)
        print_table(out, replace(printed, title=title))


def counted(verdicts: Sequence[tuple[str, Verdict]]) -> Printed:
    counted, ours, calibrated = (of_statements.of_kind(kind, (of for _, of in verdicts)) for kind in Kind)
    count = Counter(verdict.standing for verdict in counted)
    rows = {
        "hold": of_statements.holding(counted),
        "undecided": count[Standing.UNDECIDED],
        "contradicted": count[Standing.CONTRADICTED],
        "short": count[Standing.KNOWN] + count[Standing.NEW],
        "all": len(counted),
        "beyond the paper, hold": of_statements.holding(ours),
        "beyond the paper": len(ours),
        "calibrated": len(calibrated),
    }
    return Printed("", ("", "statements"), [[name, str(number)] for name, number in rows.items()])


def shortfalls(verdicts: Sequence[tuple[str, Verdict]]) -> Printed:
    rows = [[f"{name}: {of.sentence}", f"{of.shortfall.measured:.4g}"] for name, of in verdicts if of.shortfall]
    return Printed("known shortfalls", ("statement", "known"), rows)


def draw(files: Outputs, path: Path, study: Study[Choice], experiment: Experiment[Choice], found: Found) -> None:
    with picture(files, path, font_size=8) as canvas:
        experiment.draw(found, canvas)
        name = f"{called(experiment.name)}: " if experiment.name.isdecimal() else ""
        canvas.suptitle(f"{study.title}, {name}{experiment.title}", fontsize=9)


def kept(study: Study[Choice], everything: Mapping[str, Found]) -> pl.DataFrame:
    lines = [
        {
            "experiment": name,
            **key._asdict(),
            "mib_per_s": found.mib(key),
            **{name: getattr(result, name) for name in ("medium_mib_per_s", "coefficient_of_variation", "elapsed_s")},
            **study.columns(found, key),
            "bytes_moved": result.result.bytes_moved,
            **{name: getattr(result, name) for name in ("messages", "message_bytes", "header_bytes", "network_bytes")},
            "compute_processor_memory_bytes": result.memory.compute_processor,
            "io_processor_memory_bytes": result.memory.io_processor,
            "warnings": "; ".join(result.result.warnings),
            "verified": result.verified,
            "host_s": result.host_s,
        }
        for name, found in everything.items()
        for key, result in found.results.items()
    ]
    return pl.DataFrame(lines, infer_schema_length=None)


def figures_of(study: Study[Choice]) -> OptionInfo:
    help_ = f"Only this one of {', '.join(study.names)}; repeatable."
    option: OptionInfo = typer.Option("--figure", metavar="NAME", help=help_)
    return option


def check_document(files: Outputs, document: Path, names: Collection[str]) -> None:
    """Raises FileError if the document has no figure of these experiments, or cannot be read or written."""
    with reading(document), taking_apart(f"--document {document}: it is no file of quoted figures"):
        figures = json.loads(document.read_text()).values()
        wanted = {figure["experiment"] for figure in figures if figure["table"] + figure["row"] + figure["column"]}
    if not wanted & set(names):
        raise FileError(f"--document {document}: it names no figure of {', '.join(names)}")
    files.temporary(document)


def quote(files: Outputs, document: Path, tables: Mapping[str, Sequence[Printed]]) -> str:
    """Writes the figures that a document names, as these tables print them: by table, column, and row, whose names are
    joined by blanks. Figures of other tables stay as they are. Returns the number of renewed ones, in words."""
    quoted = json.loads(document.read_text())
    cells = {
        (name, printed.title, " ".join(row[: printed.names]), heading): cell
        for name, several in tables.items()
        for printed in several
        for row in printed.rows
        for heading, cell in zip(printed.headings, row, strict=True)
    }
    renewed = 0
    for figure in quoted.values():
        value = cells.get((figure["experiment"], figure["table"], figure["row"], figure["column"]))
        if value is not None:
            figure["value"] = value.strip()
            renewed += 1
    lines = (f" {as_line(name)}: {as_line(figure)}" for name, figure in quoted.items())
    write_text(files, document, "{\n" + ",\n".join(lines) + "\n}\n")
    return f"{renewed} of {len(quoted)} figures renewed"


def as_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def study_of(name: str, names: Names, **more: Any) -> Study[Any]:  # noqa: ANN401  fields of a study
    """The study of this name; `more` are those of its fields that are code. `columns` are figures."""
    given = {of: what for of, what in of_statements.data_of(f"studies/{name}").items() if of != "reproduce"}
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
    said = {"example": "--quick", "tables": "all points", **of_statements.data_of(f"studies/{study.name}")["reproduce"]}
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
            return lambda found: listed_statement(say, name["statement"], found, names, name)
        if isinstance(name, str) and "of" in say.listed.get(name, {}):
            return lambda found: listed_statement(say, name, found, names, {})
        made: Statements = named(name, names)
        return made

    several = [one(each) for each in (given if isinstance(given, list) else [given])]
    return lambda found: (verdict for statements in several for verdict in statements(found))


def listed_statement(
    say: Sentences, name: str, found: Found, names: Names, own: Mapping[str, Any]
) -> Iterator[Verdict]:
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
    return names[given]


def field(given: str | list[Any], names: Names) -> Any:  # noqa: ANN401  a Field
    if isinstance(given, list):
        return tuple(field(each, names) for each in given)
    return given if given in (QUANTITY, *Key._fields) or "{" in given else named(given, names)
