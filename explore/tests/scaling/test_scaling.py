# SPDX-License-Identifier: MIT
"""sunstar scaling: the machines of a curve, where it stops, why, and its page."""

import csv
import json
import math
from html import unescape
from pathlib import Path

import pytest
from browser import CHROMIUM, browser
from conftest import Pretend, Sunstar
from recorded import machine_document

from sunstar.reports.curves import plotly_curves
from sunstar.scaling.command import Curve, Design, Sample, Scaled, box, drawings

WEAK = Curve("weak", "contiguous", "disk-directed")
STRONG = Curve("strong", "contiguous", "disk-directed")
DESIGN = Design(256, 65536, 16, "16MiB", 64, 2, "rb", ("disk-directed",))


def sample(mib_per_s: float, **path: float) -> Sample:
    return Sample(1, [mib_per_s], [7], 0.5, 30.0, path or {"disk_seek": 1.0}, "iop0 90 %", "It is slow.")


def scaled(*throughputs: float, curve: Curve = WEAK, least_gain: float = 0.5) -> Scaled:
    """A curve with these throughputs at 16, 32, ... processors; NaN was not measured."""
    at = {16 << i: value for i, value in enumerate(throughputs)}
    samples = {size: sample(value) for size, value in at.items() if not math.isnan(value)}
    return Scaled(curve, samples, dict.fromkeys(set(at) - set(samples), "not run: too large"), least_gain)


# The machines ---------------------------------------------------------------------------------------------------------


def test_compute_processors_double_up_to_the_most() -> None:
    assert DESIGN.sizes() == [16, 32, 64, 128, 256]


@pytest.mark.parametrize(
    ("nodes", "dimensions", "sides"),
    [(17, 2, [5, 4]), (36, 2, [6, 6]), (17408, 2, [132, 132]), (17, 3, [3, 3, 2]), (64, 3, [4, 4, 4]), (5, 1, [5])],
)
def test_a_torus_has_room_for_all_nodes_and_nearly_equal_sides(nodes: int, dimensions: int, sides: list[int]) -> None:
    assert box(nodes, dimensions) == sides
    assert math.prod(sides) >= nodes


def test_under_weak_scaling_data_and_io_part_grow_with_the_processors() -> None:
    small, large = DESIGN.settings(WEAK, 16), DESIGN.settings(WEAK, 256)
    assert (small["machine.io_processors"], large["machine.io_processors"], large["machine.disks"]) == (1, 16, 16)
    assert (small["workload.file_size"], large["workload.file_size"]) == ("1048576B", "16777216B")


def test_under_strong_scaling_they_stay_the_same() -> None:
    small, large = DESIGN.settings(STRONG, 16), DESIGN.settings(STRONG, 256)
    differing = {path for path in small if small[path] != large[path]}
    assert differing == {"machine.compute_processors", "machine.network.shape"}


# Where a curve stops --------------------------------------------------------------------------------------------------


def test_a_curve_stops_where_no_further_doubling_gains_half_of_what_it_could() -> None:
    # gains: 2, 1.9, 1.4, 1.1
    assert scaled(1, 2, 3.8, 5.32, 5.852).stop == 64
    assert scaled(1, 2, 3.8, 5.32, 5.852, least_gain=0.3).stop == 128


def test_a_single_bad_doubling_is_no_end() -> None:
    curve = scaled(1, 1.2, 2.4)
    assert (curve.stop, curve.stops) == (None, "above 64")


def test_a_curve_that_never_gains_stops_at_its_first_machine() -> None:
    assert scaled(4, 4, 3).stop == 16


def test_a_doubling_counts_only_if_both_its_ends_were_measured() -> None:
    curve = scaled(1, 2, math.nan, 2, math.nan)
    assert curve.gain(128) is None
    assert (curve.stop, curve.judged) == (None, 32)
    assert "64 compute processors were not run: too large." in curve.why()


def test_a_curve_of_one_machine_has_no_verdict() -> None:
    assert scaled(1).stops == "-"
    assert scaled(1).why() == "No doubling was measured."


@pytest.mark.parametrize(("curve", "seek", "network"), [(WEAK, 0.1, 0.6), (STRONG, 0.6, 0.8)])
def test_the_reason_is_the_stage_that_most_exceeds_a_perfect_doubling(
    curve: Curve, seek: float, network: float
) -> None:
    # From 1 s of seeks and 0.4 s of network to 1.1 s and 1.0 s. Weak: a perfect doubling takes as long, so 0.1 s and
    # 0.6 s too much; strong: half as long, so 0.6 s and 0.8 s.
    before, after = sample(10, disk_seek=1.0, network=0.4), sample(12, disk_seek=1.1, network=1.0)
    found = Scaled(curve, {16: before, 32: after}, {}, 0.5)
    assert dict(found.grown(32)) == pytest.approx({"disk_seek": seek, "network": network})
    assert found.why() == (
        "Scaling stops at 16 compute processors: 32 give 1.20 times the throughput. "
        f"It takes {1000 * (seek + network):.3g} ms longer than a perfect doubling would; on the critical path, "
        f"network exceeds that most, by {1000 * network:.3g} ms. On the critical path: disk_seek 52 %, network 48 %. "
        'Busiest: iop0 90 %. The run with 32 says: "It is slow."'
    )


def test_a_ring_marks_the_end_on_the_curve_of_throughput_only() -> None:
    [[throughput, *others]] = drawings([scaled(1, 2, 2.2)]).values()
    assert [(mark.x, mark.y) for mark in throughput.marks] == [(32, 2)]
    assert not any(each.marks for each in others)
    graph_objects = pytest.importorskip("plotly.graph_objects")
    for each in (throughput, *others):
        drawn = graph_objects.Figure(plotly_curves(each))  # refuses what Plotly does not know
        assert (drawn.layout.xaxis.type, drawn.layout.yaxis.type) == ("log", "log")


# The command ----------------------------------------------------------------------------------------------------------

QUICK = ("--quick", "--most", "64", "--file", "1MiB", "--io-processors", "4", "--per-processor", "16KiB")


def test_the_page_says_of_every_curve_where_it_stops_and_why(sunstar: Sunstar, tmp_path: Path, results: Path) -> None:
    page = tmp_path / "page.html"
    done = sunstar("scaling", *QUICK, "--trials", "2", "--output", str(page), "--figures", str(tmp_path / "drawn"))
    assert done.exit_code == 0, done.output
    assert "scaling: 48 runs" in done.stdout
    text = unescape(page.read_text())
    assert 'src="' not in text.split("<script>")[0] and "{{" not in text.split("<script>")[0]
    assert text.count("Scaling stops at") + text.count("Scaling does not stop up to 64") == 16
    assert text.count('says: "') == 16
    assert text.count('class="plot"') == 16 and len(list((tmp_path / "drawn").iterdir())) == 16
    rows = list(csv.DictReader((results / "scaling" / "points.csv").open()))
    assert len(rows) == 48
    for row in rows:
        assert 5 < float(row["host_mib"]) < 500 and float(row["host_cpu_s"]) > 0
        assert row["critical_path"]
    again = sunstar("scaling", *QUICK, "--trials", "2", "--output", str(page))
    assert "scaling: 48 runs, 48 finished before" in again.stdout
    assert unescape(page.read_text()) == text
    if CHROMIUM:
        with browser(tmp_path / "profile") as tab:
            tab.open(page)
            assert tab.evaluate("document.querySelectorAll('.plot .main-svg').length > 0")
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
            assert not tab.errors


def explained_document() -> str:
    stage = {"stage": "disk_seek", "time_s": 1.0, "time_ps": 10**12, "share": 1.0, "waits": False}
    why = {"elapsed_ps": 10**12, "critical_path": [stage], "resources": [{"name": "machine.iop0", "busy": 0.5}]}
    rest = {"sentences": ["It seeks."], "text": "It seeks."}
    host = {"seconds": 0.5, "cpu_seconds": 0.25}
    return json.dumps({**machine_document(4), "host": host, "explain": {**why, **rest}})


def test_a_machine_that_cannot_be_run_stands_on_the_page_with_the_reason(
    sunstar: Sunstar, pretend: Pretend, tmp_path: Path
) -> None:
    pretend(
        f"""
        size = int(settings["machine.compute_processors"])
        if size == 64:
            sys.exit("the host cannot map so much memory")
        if size == 128:
            os.kill(os.getpid(), 9)
        write(json.loads({explained_document()!r}))
        """
    )
    page = tmp_path / "page.html"
    call = ("scaling", "--most", "128", "--file-system", "hybrid", "--output", str(page))
    done = sunstar(*call)
    assert done.exit_code == 0, done.output
    assert "8 of 16 runs are on no curve; the page says why" in done.stdout
    text = page.read_text()
    assert text.count(">not run: the host cannot map so much memory") == 4
    assert text.count(">not run: SIGKILL ended the simulator") == 4
    assert "Scaling stops at 16 compute processors" in text
    assert "16 runs, 16 finished before" in sunstar(*call).stdout


def test_a_size_whose_processors_have_no_data_is_left_out_with_the_reason(sunstar: Sunstar, tmp_path: Path) -> None:
    # 32 blocks of 8 KiB are enough for 32 processors, not for 64.
    page = tmp_path / "page.html"
    call = ("scaling", "--quick", "--most", "64", "--file-system", "disk-directed", "--output", str(page))
    done = sunstar(*call, "--io-processors", "4", "--file", "256KiB")
    assert done.exit_code == 0, done.output
    assert "2 of 12 runs are on no curve; the page says why" in done.stdout
    text = page.read_text()
    assert (
        text.count(">left out: workload has 32 records for 64 compute processors: the others have nothing to do") == 2
    )
    assert text.count("64 compute processors were left out: workload has 32 records") == 2
    assert text.count("The run with 32 says") == 2
    nothing = sunstar(*call, "--file", "8KiB", "--per-processor", "512B")
    assert nothing.exit_code == 2 and "every size is left out: workload has" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--most", "16"], 2, "Invalid value for '--most': Input should be greater than or equal to 32"),
        (["--per-processor", "8 bits"], 2, '--per-processor 8 bits: "8 bits" is not a size'),
        (["--file", "0B"], 2, "--file 0B: it must be more than 0 bytes"),
        (["--output", "page.pdf"], 2, "--output page.pdf: its name must end in .html or .htm"),
        (["--set", "workload.file_size=1MiB"], 2, "--set workload.file_size: the command sets that itself"),
        (["--set", "machine.dicks=1"], 3, "machine.dicks"),
        (["--set", "workload.kind=records"], 2, "--set workload.kind: the command sets that itself"),
        (["--file-system", "disk-direct"], 2, "--file-system disk-direct: with pattern rb it must be one of"),
        (["--file-system", "enwrich"], 2, "--file-system enwrich: with pattern rb it must be one of"),
        (["--pattern", "xx"], 3, 'workload.pattern is "xx"'),
    ],
)
def test_a_mistake_is_answered_before_any_run(
    arguments: list[str], code: int, sentence: str, sunstar: Sunstar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = sunstar("scaling", "--quick", "--most", "32", *arguments)
    assert done.exit_code == code, done.output
    assert sentence in " ".join(done.stderr.split())
    assert not (tmp_path / "scaling.html").exists()
