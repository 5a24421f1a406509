# SPDX-License-Identifier: MIT
"""What imports what: packages without circles, and a command line that starts without the libraries of its commands."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import sunstar

PACKAGE = Path(sunstar.__file__).parent
HEAVY = {"darshan", "distributed", "duckdb", "matplotlib", "netCDF4", "numpy", "optuna", "pandas", "plotly", "polars"}
HEAVY |= {"pydantic", "pywellen", "scipy"}
OF_SWEEP = {"duckdb", "numpy", "polars", "pydantic"}


def imports_of(source: str) -> Iterator[str]:
    """The modules of sunstar that a text imports anywhere, as in runs.point, which is in a package, or errors."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sunstar":
            _, _, module = (node.module or "").partition(".")
            yield from [module] if module else [alias.name for alias in node.names]


def packages(modules: dict[str, str]) -> dict[str, set[str]]:
    """What each package or module directly below sunstar imports, of these modules' texts by name."""
    found: dict[str, set[str]] = {}
    for name, source in modules.items():
        own = name.partition(".")[0]
        others = {module.partition(".")[0] for module in imports_of(source)}
        found.setdefault(own, set()).update(others - {own})
    return found


def check_order(graph: dict[str, set[str]]) -> None:
    list(TopologicalSorter(graph).static_order())


def test_packages_do_not_import_each_other_in_a_circle() -> None:
    names = {path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py")}
    modules = {name: path.read_text() for path, name in names.items() if name not in ("__init__", "cli")}
    check_order(packages(modules))


def test_a_circle_is_found() -> None:
    modules = {"runs.store": "from sunstar.results import read", "results": "if True:\n    from sunstar import runs"}
    with pytest.raises(CycleError, match="cycle"):
        check_order(packages(modules))


@pytest.mark.parametrize("arguments", ["--help", "sweep --help"])
def test_help_imports_no_heavy_library_of_another_command(arguments: str) -> None:
    call = f"app({arguments.split()!r}, standalone_mode=False)"
    code = f"import sys; from sunstar.cli import app; {call}; print(*sys.modules)"
    heavy = HEAVY - OF_SWEEP if "sweep" in arguments else HEAVY | {"rich", "sqlite3"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "sunstar.cli" in loaded
    assert heavy & loaded == set()
