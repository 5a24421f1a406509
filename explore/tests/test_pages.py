# SPDX-License-Identifier: MIT
"""Every kind of page in headless Chromium at three widths: no text overlaps another one, lies under a drawing, or
leaves its drawing or the page."""

import shutil
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from browser import CHROMIUM, Browser, browser
from typer.testing import CliRunner

from sunstar.advising import page as advice
from sunstar.advising.candidates import Change, Machine
from sunstar.advising.command import Advice, Base, Ranking, Tried
from sunstar.cli import app
from sunstar.explaining import Explanation
from sunstar.places import executable, project
from sunstar.programs import run_program
from sunstar.scaling.command import FILE_SYSTEMS, Curve, Design, Sample, Scaled
from sunstar.scaling.command import page as scaling

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (apt-get install chromium)")

WIDTHS = {"phone": 400, "laptop": 1280, "wide": 1920}
OVERLAPS = (Path(__file__).parent / "overlaps.js").read_text()
NODES = ("machine.compute_processors", "machine.io_processors", "machine.disks")
MACHINES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "large-torus": ("torus", {**dict(zip(NODES, (512, 64, 64), strict=True)), "machine.network.shape": "24x24"}),
    "fat-tree": ("sp2", {"machine.network.kind": "fat-tree", "machine.network.switch_ports": 8}),
    "dragonfly": ("cluster", {"base": "nvme-cluster", "machine.network.kind": "dragonfly"}),
    "hub": ("cluster", {}),
    "drive": ("disk", {}),
}
TORUS = {**dict(zip(NODES, (2, 1, 2), strict=True)), "machine.network.shape": "6x6", "machine.node.cores": 2}
TURNED = """<svg width=200 height=100><text transform='translate(20 20) rotate(45)'>a label</text>
<text transform='translate(20 20) translate({}) rotate(45)'>another</text></svg>"""
REQUESTS = "".join(f"{i % 16},{'write' if i % 3 else 'read'},f,{i},1,{i / 7},{i / 6}\n" for i in range(200))
LONG = (
    "file_system.cache.buffers_per_cp_per_disk", "machine.network.link_bandwidth", "machine.disk.immediate_reporting",
    "machine.disk.overheads.read_miss_after_write", "machine.bus.disconnect_threshold", "file_system.queue_order",
)  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The pages by name."""
    folder = tmp_path_factory.mktemp("pages")

    def sunstar(*arguments: object) -> None:
        done = CliRunner().invoke(app, list(map(str, arguments)))
        assert done.exit_code == 0, done.output

    (folder / "advice.html").write_text(advice.page(advice_of_18_changes(), "torus", 18))
    (folder / "scaling.html").write_text(scaling_page())
    (folder / "app.csv").write_text(f"rank,op,file,offset,length,start,end\n{REQUESTS}")
    sunstar("trace", "show", folder / "app.csv", "--time-unit", "s", "--output", folder / "trace.html")
    lines(folder / "lines.parquet")
    sunstar("report", folder / "lines.parquet", "--output", folder / "lines.html")
    results = ("--results", folder / "results")
    sunstar("sweep", project() / "explore" / "examples" / "disks.json", *results)
    pareto = "result.throughput.mib_per_s:max,machine.disks:min"
    sunstar("report", "disks", *results, "--pareto", pareto, "--output", folder / "sweep.html")
    for name, (platform, settings) in MACHINES.items():
        sunstar("show", platform, *words(settings), "--output", folder / f"{name}.html")
    asked = words({**TORUS, "workload.file_size": "256KiB", "run.interval": "5ms"})
    waves, result = folder / "t.vcd", folder / "t.json"
    call = [str(executable("torus")), *asked, "--explain", "--vcd", str(waves), "--output", str(result)]
    assert run_program(call).returncode == 0
    sunstar("show", result, "--timeline", waves, "--output", folder / "playing.html")
    names = [str(shutil.copy(result, folder / f"a_run_with_a_long_name_{i}.json")) for i in range(16)]
    sunstar("report", *names, "--details", 3, "--output", folder / "runs.html")
    return {each.stem: each for each in sorted(folder.glob("*.html"))}


def words(settings: Mapping[str, object]) -> list[str]:
    return [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]


def advice_of_18_changes() -> Advice:
    before = dict.fromkeys(range(3), 1.0)
    tried = []
    for i in range(18):
        name = f"{LONG[i % len(LONG)]}{i // len(LONG) or ''}"
        change = Change(name, "traditional-caching", "disk-directed", {name: "x" * 90}, "part" if i % 2 else "setting")
        tried.append(Tried(change, before, {seed: 1 / (1.1 + 0.2 * i + 0.01 * seed) for seed in before}))
    why = Explanation.model_construct(elapsed_ps=1, critical_path=[], resources=[], sentences=[], text="")
    base = Base(why, until_medium=True, behind=1.0, elapsed_s=1.0, price=None, seconds=before)
    machine = Machine("torus", {}, Path("machine.json"), True, True)
    return Advice(machine, Ranking(0.05), base, tried, tried[::-1], (), tried[:1], tried[:2], {tried[0].change: "no"})


def scaling_page() -> str:
    """Of curves that lie on each other."""
    design = Design(16384, 65536, 16, "128MiB", 64, 2, "rb", FILE_SYSTEMS)
    path = {"disk_rotation": 1.0, "network_wait": 0.5}
    found = [
        Scaled(
            curve,
            {
                n: Sample(1, [n / 16, n / 15], [7, 8], 0.5, 30.0, path, "iop0_scsi0.disk0 90 %", "It is slow.")
                for n in design.sizes()
            },
            {},
            0.5,
        )
        for curve in (Curve("weak", "contiguous", kind) for kind in FILE_SYSTEMS)
    ]
    return scaling(design, found, 0.5, "sunstar-torus, pattern rb, a torus of 2 dimensions, 2 trials each.")


def lines(path: Path) -> None:
    """A table of 16 lines with long names."""
    kinds, drives = (
        ("traditional-caching", "disk-directed", "two-phase", "enwrich"),
        ("HP 97560", "Samsung PM9A3 3.84 TB"),
    )
    named = enumerate(product(kinds, ("contiguous", "random-blocks"), drives), start=1)
    rows = [
        {"file_system.kind": kind, "file_system.layout": layout, "machine.disk": drive, "machine.disks": disks,
         "result.throughput.mib_per_s": 0.7 * i * disks}
        for (i, (kind, layout, drive)), disks in product(named, (2, 4, 8, 16, 32))
    ]  # fmt: skip
    pl.DataFrame(rows).write_parquet(path)


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_no_text_overlaps_another_one_or_leaves_the_page(width: int, tab: Browser, pages: Mapping[str, Path]) -> None:
    wrong = []
    for name, page in pages.items():
        tab.open(page, width, rest_ms=50)
        found = tab.evaluate(OVERLAPS)
        assert found["texts"] > 5, name
        wrong += [f"{name}: {sentence}" for sentence in found["wrong"]]
    assert not wrong, "\n".join(wrong)
    assert not [each for each in tab.errors if '"source": "rendering"' not in each]  # those are of a host without a GPU


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<p>one<p style='margin-top: -2em'>two", ['"one" and "two" overlap']),
        ("<p style='width: 900px; text-align: right'>far", ['"far" leaves the page on the right']),
        ("<div style='overflow: auto'><p style='width: 900px; text-align: right'>far</div>", []),
        ("<svg width=50 height=20><text x=40 y=15>word</text></svg>", ['"word" leaves its drawing']),
        ("<svg width=50 height=50></svg><p style='margin-top: -2em'>b", ['a drawing lies on "b"']),
        ("<svg width=90 height=90><text y=15>a</text><text y=20>b</text></svg>", ['"a" and "b" overlap']),
        (TURNED.format(30), []),
        (TURNED.format(9), ['"a label" and "another" overlap']),
    ],
)
def test_what_is_wrong_with_a_page_is_said(body: str, said: list[str], tab: Browser, tmp_path: Path) -> None:
    head = "<!doctype html><meta name=viewport content=width=device-width><link rel=icon href='data:,'>"
    (tmp_path / "page.html").write_text(f"{head}<body style='margin: 0'>{body}")
    tab.open(tmp_path / "page.html", 400, rest_ms=0)
    assert tab.evaluate(OVERLAPS)["wrong"] == said
