# SPDX-License-Identifier: MIT
"""sunstar new"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from sunstar.commands import told_in_sentences
from sunstar.errors import FileError
from sunstar.files import Outputs, as_json, write_text, writing
from sunstar.new.part import Change, Name, Part, changed, check_name, check_unused, part
from sunstar.places import project

KINDS = {
    "drive": ("a drive for the catalogue, and a test that fails.", "my-drive"),
    "layout": ("a disk layout, register it, and write a test that fails.", "my-layout"),
    "file-system": ("a file system with a parameter and a cost, register it, and write a test that fails.", "my-files"),
    "fabric": ("a fabric, register it, and write a preset of a machine on it and a test that fails.", "ring"),
}
"""What the commands write, and the name in their examples."""


def command_of(kind: str) -> Callable[..., None]:
    what, example = KINDS[kind]

    def write_new(
        name: Annotated[str, typer.Argument(metavar="NAME", help="Its name in configurations, such as my-own.")],
        folder: Annotated[
            Path | None,
            typer.Option("--folder", metavar="DIR", help="Top of the tree to write into; by default this project."),
        ] = None,
        json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    ) -> None:
        new(kind, name, folder, json)

    write_new.__doc__ = f"Write {what}\n\nExample: sunstar new {kind} {example}\n"
    return write_new


new_drive, new_layout, new_file_system, new_fabric = map(command_of, KINDS)


def new(kind: str, text: str, folder: Path | None, json: bool) -> None:
    top, name = folder or project(), Name(text)
    with told_in_sentences():
        check_name(kind, name)
        made = part(kind, name)
        check_new(made, top)
        check_unused(kind, name, top)
        write(made, top)
    files, lists = list(made.files), list(dict.fromkeys(change.file for change in made.changes))
    then = next_commands(kind, made)
    if json:
        typer.echo(as_json({"written": files, "changed": lists, "next": then}), nl=False)
        return
    for label, paths in (("written", files), ("changed", lists), ("next", then)):
        for path in paths:
            typer.echo(f"{label:8} {path}")


def next_commands(kind: str, made: Part) -> list[str]:
    """What to do now: format what the name made longer, build, see the test fail, bring the reference of
    parameters up to date."""
    paths = dict.fromkeys([*made.files, *(change.file for change in made.changes)])
    (test,) = (text for path, text in made.files.items() if path.startswith("tests/"))
    (title,) = re.findall(r'TEST_CASE\("(.*?)"', test)
    return [
        f"clang-format-14 -i {' '.join(path for path in paths if path.endswith(('.h', '.cpp')))}",
        "cmake --build --preset release",
        f"ctest --preset release -R '{title}'",
        *([".venv/bin/python scripts/parameter_tables.py"] if kind != "drive" else []),
    ]


def check_new(made: Part, top: Path) -> None:
    if not (top / "CMakeLists.txt").is_file() or not (top / "models").is_dir():
        raise FileError(f"{top} is no tree of Sunstar, which has CMakeLists.txt and models; name its top with --folder")
    for path in made.files:
        if (top / path).exists():
            raise FileError(f"{top / path} exists already; choose another name, or remove it first")


def write(made: Part, top: Path) -> None:
    """Writes all files of a part, or none."""
    lists = with_lines(made.changes, top)
    with folders_of([top / path for path in made.files]), Outputs() as outputs:
        for path, text in {**made.files, **lists}.items():
            write_text(outputs, top / path, text)
        outputs.commit()


def with_lines(changes: list[Change], top: Path) -> dict[str, str]:
    """The files that list parts, with the new one's lines."""
    texts: dict[str, str] = {}
    for change in changes:
        path = top / change.file
        if change.file not in texts:
            try:
                texts[change.file] = path.read_text()
            except OSError as error:
                raise FileError(f"cannot read {path}: {error.strerror}") from error
        texts[change.file] = changed(texts[change.file], change, path)
    return texts


@contextmanager
def folders_of(paths: list[Path]) -> Iterator[None]:
    """Makes the folders that the paths need; removes them again if this block fails."""
    made: list[Path] = []
    try:
        for path in paths:
            missing = [folder for folder in path.parents if not folder.exists()]
            for folder in reversed(missing):
                with writing(folder):
                    folder.mkdir()
                made.append(folder)
        yield
    except BaseException:
        for folder in reversed(made):
            folder.rmdir()
        raise
