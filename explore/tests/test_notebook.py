# SPDX-License-Identifier: MIT
"""The notebooks run from top to bottom, with real simulators: the one for beginners and the lessons for a class."""

import re
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from sunstar.places import project

EXAMPLES = project() / "explore" / "examples"
LESSONS = sorted(EXAMPLES.glob("class/*.ipynb"))
NOTEBOOKS = [EXAMPLES / "first_steps.ipynb", *LESSONS]
PRINTED = {
    "first_steps": ["every byte verified: True", "shape of the torus: [3, 4]"],
    "disk_and_queue": ["one takes 14.99 ms", "service time: 27.1 ms, c2 = 0.050"],
    "flow_of_data": ["rc            64   16384    32804          32804"],
    "day_a_disk_dies": ["raid5                     2.00    2.00                0.00    1.20", "formula: 8929 hours"],
    "gpu_node": ["cosmoflow              4.1            244", "two drives                    99.8%      60.0%"],
}
"""What cells print that others rely on, among it something that only a run that is right can give."""
PICTURES = {"first_steps": 1, "disk_and_queue": 7, "flow_of_data": 6, "day_a_disk_dies": 3, "gpu_node": 3}


def notebook(path: Path) -> nbformat.NotebookNode:
    read: nbformat.NotebookNode = nbformat.read(path, as_version=4)
    return read


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    kept = notebook(path)
    nbformat.validate(kept)
    code = [cell for cell in kept.cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path: Path, tmp_path: Path) -> None:
    folder = {"metadata": {"path": str(tmp_path)}}
    done = NotebookClient(deepcopy(notebook(path)), timeout=600, resources=folder).execute()
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    printed = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")
    assert [text for text in PRINTED[path.stem] if text not in printed] == []
    said = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stderr")
    assert all(" were finished before" in line or " of " in line for line in said.splitlines()), said
    assert "failed; the first:" not in said
    shown = [output.data for output in outputs if output.output_type in ("execute_result", "display_data")]
    assert sum("image/png" in data for data in shown) == PICTURES[path.stem]
    if path.stem == "first_steps":
        tables = [data["text/html"] for data in shown if "text/html" in data]
        assert len(tables) == 3
        assert "disk-directed" in tables[0] and "seek_time" in tables[1] and "median_ms" in tables[2]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_takes_an_hour_and_each_part_asks(path: Path) -> None:
    text = "\n".join(cell.source for cell in notebook(path).cells if cell.cell_type == "markdown")
    parts = text.split("\n## ")[1:]
    minutes = [re.match(r"\d\. .* \((\d+) minutes", part) for part in parts]
    assert sum(int(found[1]) for found in minutes if found) == 60 and all(minutes)
    assert all("Predict" in part for part in parts[:-1])
    assert all(re.search(r"^1\. .*\?$", part, re.MULTILINE | re.DOTALL) for part in parts)
    for link in re.findall(r"\]\(([^)#]*)\)", text):
        assert (path.parent / link).exists(), link
    for lesson in re.findall(r"`(\w+\.ipynb)`", text):
        assert (path.parent / lesson).exists(), lesson
