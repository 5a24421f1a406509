# SPDX-License-Identifier: MIT
"""The page of sunstar show in headless Chromium, from disk and without a network."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser, browser
from typer.testing import CliRunner

from sunstar.cli import app
from sunstar.places import executable
from sunstar.programs import run_program

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (apt-get install chromium)")

SETTINGS = (
    "machine.compute_processors=2",
    "machine.io_processors=1",
    "machine.disks=2",
    "machine.network.shape=6x6",
    "workload.file_size=256KiB",
)
WIDTHS = {"desktop": 1280, "phone": 390}
FILLS = "[...document.querySelectorAll('#machine rect:not(.frame)')].map(r => getComputedStyle(r).fill).join()"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("show")
    words = [word for setting in SETTINGS for word in ("--set", setting)]
    waves, path = folder / "w.vcd", folder / "m.html"
    assert run_program([str(executable("torus")), *words, "--vcd", str(waves)]).returncode == 0
    options = ["--timeline", str(waves), "--windows", "40", "--output", str(path)]
    done = CliRunner().invoke(app, ["show", "torus", *words, *options])
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
def test_the_machine_is_drawn(width: int, dark: bool, tab: Browser, page: Path) -> None:
    tab.open(page, width, dark=dark)
    # Nodes, and 33 routers without one, of 6 x 6.
    assert tab.evaluate("document.querySelectorAll('#machine rect.frame').length") == 36
    assert tab.evaluate("document.querySelectorAll('#machine rect.disk').length") == 2
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def test_the_slider_shows_other_windows(tab: Browser, page: Path) -> None:
    tab.open(page)
    seen = set()
    for window in (0, 10, 20, 39):
        tab.evaluate(
            f"{{const w = document.getElementById('window'); w.value = {window}; w.dispatchEvent(new Event('input'))}}"
        )
        seen.add((tab.evaluate("document.getElementById('when').textContent"), tab.evaluate(FILLS)))
    assert len({when for when, _ in seen}) == 4
    assert len({fills for _, fills in seen}) > 1


def test_it_plays_to_the_end_and_again(tab: Browser, page: Path) -> None:
    tab.open(page)
    wait = "new Promise(done => setTimeout(done, {}))"
    tab.evaluate("document.getElementById('pace').value = '30'; document.getElementById('play').click()")
    assert tab.evaluate("document.getElementById('play').textContent") == "Pause"
    tab.evaluate(wait.format(2500))  # 40 windows at 30 a second
    assert tab.evaluate("document.getElementById('play').textContent") == "Play"
    assert tab.evaluate("document.getElementById('window').value") == "39"
    tab.evaluate("document.getElementById('play').click()")
    tab.evaluate(wait.format(500))
    assert 0 < int(tab.evaluate("document.getElementById('window').value")) < 39
    tab.evaluate("document.getElementById('play').click()")
    stopped = tab.evaluate("document.getElementById('window').value")
    tab.evaluate(wait.format(300))
    assert tab.evaluate("document.getElementById('window').value") == stopped


def test_a_chosen_resource_is_named_with_its_share(tab: Browser, page: Path) -> None:
    tab.open(page)
    tab.evaluate("document.querySelector('#machine rect.disk').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    words = tab.evaluate("document.getElementById('chosen').textContent")
    assert words.startswith("machine.iop0_scsi0.disk0: ") and words.endswith(" %")


def test_the_drawing_is_zoomed_at_the_pointer_and_moved(tab: Browser, page: Path) -> None:
    tab.open(page)
    tab.evaluate("picture = document.querySelector('#machine svg'), frame = picture.getBoundingClientRect()")
    whole = tab.evaluate("picture.getAttribute('viewBox')")
    at = "clientX: frame.x + frame.width / 4, clientY: frame.y + frame.height / 4"
    under = f"(({{clientX, clientY}}) => document.elementFromPoint(clientX, clientY).getAttribute('y'))({{{at}}})"
    before = tab.evaluate(under)
    for ctrl, zooms in (("false", False), ("true", True)):
        tab.evaluate(f"picture.dispatchEvent(new WheelEvent('wheel', {{deltaY: -300, ctrlKey: {ctrl}, {at}}}))")
        assert (tab.evaluate("picture.getAttribute('viewBox')") != whole) is zooms
    assert tab.evaluate(under) == before
    left, _, width, _ = map(float, tab.evaluate("picture.getAttribute('viewBox')").split())
    assert width == pytest.approx(float(whole.split()[2]) / 1.003**300)
    tab.evaluate("picture.dispatchEvent(new PointerEvent('pointermove', {buttons: 1, movementX: 10}))")
    assert float(tab.evaluate("picture.getAttribute('viewBox')").split()[0]) < left
    tab.evaluate("picture.dispatchEvent(new MouseEvent('dblclick'))")
    assert tab.evaluate("picture.getAttribute('viewBox')") == whole
