# SPDX-License-Identifier: MIT
"""sunstar new: the files, their names, and that docs/extending.md shows the same."""

import json
import re
import shutil
from pathlib import Path

import pytest
from extending_page import extending_page
from typer.testing import CliRunner, Result

from sunstar.cli import app
from sunstar.new.command import KINDS, Name, part
from sunstar.places import project

LISTS = ("sw/io/layouts/list.h", "sw/registry/file_systems.h", "sw/os/costs.h")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["new", *map(str, arguments)])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """As much of the project as the command looks at."""
    top = tmp_path / "tree"
    for folder in (
        "models/core",
        "sw/os",
        "sw/io/layouts",
        "sw/io/replacement",
        "sw/io/store",
        "sw/registry",
        "models/network",
        "models/registry",
        "platforms/machine",
    ):
        shutil.copytree(project() / folder, top / folder)
    shutil.copy(project() / "CMakeLists.txt", top)
    return top


def texts(top: Path) -> dict[str, str]:
    return {str(path.relative_to(top)): path.read_text() for path in top.rglob("*") if path.is_file()}


def test_with_the_names_of_the_page_the_templates_are_its_code() -> None:
    page = extending_page().part
    for kind, name in {"layout": "spread", "file-system": "uncached", "fabric": "crossbar"}.items():
        made = part(kind, Name(name))
        for path, text in made.files.items():
            if not path.startswith("tests/"):
                assert text == page.files.pop(path), path
        for change in made.changes:
            page.changes.remove(change)
    # The workload and the drive are left: they have no templates.
    assert all("random_reads" in path or "small-fast" in path for path in page.files), list(page.files)
    assert {change.file for change in page.changes} == {"sw/registry/workloads.h"}


@pytest.mark.parametrize("kind", KINDS)
def test_new_files_are_written_and_lists_get_a_line(kind: str, tree: Path) -> None:
    before = texts(tree)
    name = "my-other-one"
    done = call(kind, name, "--folder", tree, "--json")
    assert done.exit_code == 0, done.output
    said, after = json.loads(done.stdout), texts(tree)
    assert set(said["written"]) == set(after) - set(before)
    assert {path for path in before if before[path] != after[path]} == set(said["changed"])
    assert not [path for path in said["written"] if "$" in after[path] or "NAME" in path or "ID" in path]
    (test,) = (path for path in said["written"] if path.startswith("tests/"))
    assert "FAIL(" in after[test]
    # The command that shows the failure names the test.
    assert re.search(r"-R '(.*)'", said["next"][2])[1] in after[test]  # type: ignore[index]
    for file, lines in ((each.file, f"{each.line}\n") for each in part(kind, Name(name)).changes):
        assert Name(name).id in lines or Name(name).class_name in lines
        assert after[file].count(lines) == 1
        after[file] = after[file].replace(lines, "")
    assert {path: after[path] for path in before} == before


def test_what_is_written_and_what_comes_next_is_printed(tree: Path) -> None:
    done = call("layout", "my-layout", "--folder", tree)
    assert done.stdout == (
        "written  sw/io/layouts/my_layout.cpp\n"
        "written  tests/torus/my_layout_layout_test.cpp\n"
        "changed  sw/io/layouts/list.h\n"
        "next     clang-format-14 -i sw/io/layouts/my_layout.cpp tests/torus/my_layout_layout_test.cpp "
        "sw/io/layouts/list.h\n"
        "next     cmake --build --preset release\n"
        "next     ctest --preset release -R 'files with the layout my-layout lie where they should'\n"
        "next     .venv/bin/python scripts/parameter_tables.py\n"
    )
    assert "SUNSTAR_LAYOUT(contiguous)\nSUNSTAR_LAYOUT(my_layout)\n" in (tree / LISTS[0]).read_text()
    assert '{"my-layout", ' in (tree / "sw/io/layouts/my_layout.cpp").read_text()


def test_a_dry_run_prints_files_and_lines_and_writes_nothing(tree: Path) -> None:
    before = texts(tree)
    done = call("layout", "my-layout", "--folder", tree, "--dry-run")
    assert done.stdout.startswith(
        "to write sw/io/layouts/my_layout.cpp\n"
        "to write tests/torus/my_layout_layout_test.cpp\n"
        "change   sw/io/layouts/list.h: SUNSTAR_LAYOUT(my_layout)\n"
    )
    assert texts(tree) == before
    (tree / LISTS[0]).write_text("none\n")
    assert call("layout", "my-layout", "--folder", tree, "--dry-run").exit_code == 3  # as without


def test_a_queue_order_is_a_function_in_front_of_the_others_and_a_line_of_their_table(tree: Path) -> None:
    assert call("queue-order", "elevator", "--folder", tree).exit_code == 0
    code = (tree / "sw/io/store/queue_orders.cpp").read_text()
    assert re.search(r"^namespace \{\n\n(///.*\n)+DiskRequest& elevator\(DiskQueue& queue, .* \{\n", code, re.MULTILINE)
    assert '{first_come_first_served}},\n    {"elevator", {elevator, writes_apart}},\n' in code


@pytest.mark.parametrize(
    ("kind", "name", "sentence"),
    [
        ("layout", "My-Layout", "'My-Layout' cannot name a layout; it must be words of small letters and digits"),
        ("layout", "../layout", "cannot name a layout"),
        ("layout", "a--b", "cannot name a layout"),
        ("layout", "2-parts", "cannot name a layout"),
        ("layout", "x" * 41, "at most 40"),
        ("layout", "default", "it is a word of C++"),
        ("layout", "place", "its code has other uses for the word"),
        ("file-system", "server", "its code has other uses for the word"),
        ("file-system", "block-request", "its code has other uses for the word"),
        ("file-system", "duration", "has a class or namespace of that name"),
        ("fabric", "timetable", "its code has other uses for the word"),
        ("fabric", "input-room", "has a class or namespace of that name"),
        ("replacement", "ghost-list", "has a class or namespace of that name"),
        ("queue-order", "lot", "its code has other uses for the word"),
        ("queue-order", "c-look", "sw/io/store/queue_orders.cpp has it, or uses the word for something else"),
    ],
)
def test_a_name_that_would_not_compile_is_refused(kind: str, name: str, sentence: str, tree: Path) -> None:
    before = texts(tree)
    done = call(kind, name, "--folder", tree)
    assert done.exit_code == 2, done.output
    assert sentence in done.stderr
    assert texts(tree) == before


def test_nothing_is_overwritten_and_nothing_is_written_by_halves(tree: Path) -> None:
    assert call("file-system", "one", "--folder", tree).exit_code == 0
    before = texts(tree)
    done = call("file-system", "one", "--folder", tree)
    assert done.exit_code == 3
    assert f"{tree}/sw/file_systems/one/one.cpp exists already; choose another name" in done.stderr
    # A list without the line that the new one goes behind.
    (tree / LISTS[2]).write_text("no costs\n")
    before[LISTS[2]] = "no costs\n"
    done = call("file-system", "two", "--folder", tree)
    assert done.exit_code == 3
    assert "sw/os/costs.h has 0 lines with 'COST(request_decode,'" in done.stderr
    assert texts(tree) == before
    # A folder that cannot be made because a file has its name.
    (tree / "tests" / "network").write_text("")
    before["tests/network"] = ""
    done = call("fabric", "ring", "--folder", tree)
    assert done.exit_code == 3
    assert texts(tree) == before
    assert not (tree / "models" / "network" / "ring").exists()


def test_a_folder_that_is_no_tree_of_sunstar_is_refused(tmp_path: Path) -> None:
    for kind in KINDS:
        done = call(kind, "mine", "--folder", tmp_path)
        assert done.exit_code == 3, done.output
        assert str(tmp_path) in done.stderr
        assert "with --folder" in done.stderr
        assert list(tmp_path.iterdir()) == []
