# SPDX-License-Identifier: MIT
"""The page of a report in headless Chromium, from disk and without a network."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser, browser
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.places import project

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (apt-get install chromium)")

WIDTHS = {"desktop": 1280, "phone": 390}
RUNS = 12


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    results, path = str(folder / "results"), folder / "report.html"
    pareto = "result.throughput.mib_per_s:max,machine.disks:min"
    spec = project() / "explore" / "examples" / "disks.json"
    for arguments in (
        ["sweep", str(spec), "--results", results],
        ["report", "disks", "--results", results, "--output", str(path), "--pareto", pareto],
    ):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, done.output
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Browser]:
    """The browser; in every test, the page must not complain or ask the network."""
    chromium.errors.clear()
    yield chromium
    assert not chromium.errors


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_everything_is_drawn(width: int, dark: bool, tab: Browser, page: Path) -> None:
    tab.open(page, width, dark=dark)
    assert tab.evaluate("document.querySelectorAll('.plot .main-svg').length > 0")
    assert tab.evaluate("[...document.querySelectorAll('.plot')].map(p => p.querySelectorAll('.point').length)") == [
        12,
        12,
    ]
    assert tab.evaluate("document.querySelectorAll('#plot-0 .errorbar').length") == RUNS
    assert tab.evaluate("document.querySelectorAll('#machine rect.frame').length") == 6
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 23, 27)" if dark else "rgb(255, 255, 255)")
    ink = tab.evaluate("getComputedStyle(document.querySelector('#plot-0 .xtitle')).fill")
    assert ink == ("rgb(230, 233, 237)" if dark else "rgb(29, 33, 38)")


def test_a_heading_sorts_the_runs_up_and_down(tab: Browser, page: Path) -> None:
    tab.open(page)
    column = "[...document.querySelectorAll('#overview tbody tr')].map(row => Number(row.cells[4].dataset.sort))"
    for expected in ("ascending", "descending"):
        tab.evaluate("document.querySelectorAll('#overview th')[4].click()")
        values = tab.evaluate(column)
        assert values == sorted(values, reverse=expected == "descending")
        assert tab.evaluate("document.querySelectorAll('#overview th')[4].ariaSort") == expected


def test_the_machine_follows_the_chosen_run_and_tells_of_the_chosen_resource(tab: Browser, page: Path) -> None:
    tab.open(page)
    assert tab.evaluate("document.querySelectorAll('#machine rect.disk').length") == 2
    choose(tab, "machine-run", RUNS - 1)
    assert tab.evaluate("document.querySelectorAll('#machine rect.disk').length") == 4
    tab.evaluate("document.querySelector('#machine rect.disk').dispatchEvent(new Event('click'))")
    told = tab.evaluate("document.getElementById('machine-chosen').textContent")
    assert told.startswith("machine.iop0_scsi0.disk0: ") and "heads" in told
    fills = "[...document.querySelectorAll('#machine rect.cpu')].map(box => box.style.fill).join()"
    before = tab.evaluate(fills)
    choose(tab, "machine-scale", "busiest")
    assert tab.evaluate(fills) != before


def test_two_runs_stand_side_by_side(tab: Browser, page: Path) -> None:
    tab.open(page)
    choose(tab, "difference-a", 0)
    choose(tab, "difference-b", 1)
    cells = "[...document.querySelectorAll('#difference table')[0].rows].map(r => [...r.cells].map(c => c.textContent))"
    assert tab.evaluate(cells) == [["parameter", "run 0", "run 1"], ["workload.record_size", "512B", "2KiB"]]
    choose(tab, "difference-b", 0)
    assert "The configurations are the same." in tab.evaluate("document.getElementById('difference').textContent")


def test_a_configuration_is_folded_until_it_is_asked_for(tab: Browser, page: Path) -> None:
    tab.open(page)
    assert tab.evaluate("document.querySelectorAll('details[data-run]').length") == RUNS
    tab.evaluate("document.querySelector('details[data-run]').open = true; new Promise(d => setTimeout(d, 100))")
    text = tab.evaluate("document.querySelector('details[data-run] table').textContent")
    assert "machine.nodes.0.role" in text and "run.seed" in text


def test_the_page_prints(tab: Browser, page: Path, tmp_path: Path) -> None:
    tab.open(page, dark=True)
    tab.print(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    tab.open(page, 794, dark=True, media="print")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def choose(tab: Browser, name: str, value: object) -> None:
    tab.evaluate(
        f"{{ const s = document.getElementById('{name}'); s.value = '{value}'; s.dispatchEvent(new Event('change')); }}"
    )
