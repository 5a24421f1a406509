# SPDX-License-Identifier: MIT
"""The notebook for beginners runs from top to bottom, with real simulators."""

import time
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from sunstar.places import project

NOTEBOOK = project() / "explore" / "examples" / "first_steps.ipynb"
MOST_S = 60


@pytest.fixture(scope="module")
def notebook() -> nbformat.NotebookNode:
    read: nbformat.NotebookNode = nbformat.read(NOTEBOOK, as_version=4)
    return read


def test_the_notebook_is_kept_without_outputs(notebook: nbformat.NotebookNode) -> None:
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)


def test_the_notebook_runs_from_top_to_bottom(notebook: nbformat.NotebookNode, tmp_path: Path) -> None:
    start = time.monotonic()
    done = NotebookClient(deepcopy(notebook), timeout=MOST_S, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert time.monotonic() - start < MOST_S
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    printed = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")
    assert "every byte verified: True" in printed
    assert "shape of the torus: [3, 4]" in printed
    shown = [output.data for output in outputs if output.output_type == "execute_result"]
    assert sum("image/png" in data for data in shown) == 1
    tables = [data["text/html"] for data in shown if "text/html" in data]
    assert len(tables) == 3
    assert "disk-directed" in tables[0] and "seek_time" in tables[1] and "median_ms" in tables[2]
