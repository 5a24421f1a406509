# SPDX-License-Identifier: MIT
import json
import textwrap
import time
from pathlib import Path

import pytest
from conftest import Pretend, Waiting

from sunstar import FileError, MissingExecutableError, Point, Result, RunError, programs, run, sweep
from sunstar.run import effective_config


def test_a_short_run_of_the_real_simulator_is_verified_and_repeatable() -> None:
    point = Point({"workload.pattern": "rcc", "workload.file_size": "1MiB"}, seed=3, trials=2)
    first, second = run(point), run(point, jobs=1)
    assert first.verified
    assert len(first.trials) == 2
    assert first.mib_per_s == pytest.approx(sum(first.trials_mib_per_s) / 2)
    assert first.trials == second.trials
    assert first.messages > 0
    assert first.config["workload"]["pattern"] == "rcc"


def test_waveforms_are_written_to_the_given_file(tmp_path: Path) -> None:
    run(Point({"workload.file_size": "512KiB"}), vcd=tmp_path / "short.vcd")
    assert "$enddefinitions" in (tmp_path / "short.vcd").read_text()


def test_the_effective_configuration_spells_defaults_out() -> None:
    config = effective_config(Point({"run.seed": 9}))
    assert config["run"]["seed"] == 9
    assert config["machine"]["disks"] == 16


def test_the_simulators_own_sentence_and_exit_code_come_through() -> None:
    with pytest.raises(
        RunError, match=r'workload.pattern is "rq"; .*did you mean "ra"\?\n\(sunstar-torus .* exit code 3\)'
    ) as e:
        run(Point({"workload.pattern": "rq"}))
    assert e.value.exit_code == 3


def test_a_simulator_ended_by_a_signal_is_reported_as_such(pretend: Pretend) -> None:
    pretend("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with pytest.raises(RunError, match="was ended by SIGKILL"):
        run(Point())


def test_a_result_that_cannot_be_read_is_an_error(pretend: Pretend) -> None:
    pretend("pass\n")
    with pytest.raises(RunError, match="left no result that can be read"):
        run(Point())


def test_a_missing_executable_says_to_call_run_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNSTAR_BIN", str(tmp_path))
    with pytest.raises(MissingExecutableError, match=r"call \./run first"):
        run(Point())


def test_an_executable_that_cannot_be_started_is_an_error(pretend: Pretend) -> None:
    pretend("pass\n").write_text("no program")
    with pytest.raises(FileError, match=r"cannot start .*/sunstar-torus: Exec format error"):
        run(Point())


def test_settings_become_options_and_those_of_other_types_than_text_become_json(tmp_path: Path) -> None:
    point = Point({"a.b": "8KiB", "c": True, "d": 2}, config=tmp_path / "c.json", seed=1, trials=5)
    expected = f"--config {tmp_path}/c.json --set a.b=8KiB --set c=true --set d=2 --seed 1 --trials 5"
    assert " ".join(point.arguments()) == expected


ECHO = """
import time
x = next(a for a in arguments if a.startswith("x=")).removeprefix("x=")
if x == "bad":
    sys.exit("x is bad")
time.sleep(0.2 if x == "0" else 0)
result(float(x))
"""


def test_a_sweep_returns_results_in_the_order_of_its_points_however_they_end(pretend: Pretend) -> None:
    pretend(ECHO)
    ended: list[int] = []
    results = sweep([Point({"x": x}) for x in range(4)], jobs=2, on_result=lambda i, _: ended.append(i))
    assert [r.mib_per_s for r in results] == [0, 1, 2, 3]
    assert sorted(ended) == [0, 1, 2, 3]


def test_the_first_point_that_fails_ends_a_sweep(pretend: Pretend, tmp_path: Path) -> None:
    pretend(f"open({json.dumps(str(tmp_path / 'calls'))}, 'a').write('.')\n" + ECHO)
    points = [Point({"x": "bad"})] + [Point({"x": x}) for x in range(50)]
    with pytest.raises(RunError, match="x is bad"):
        sweep(points, jobs=1)
    assert len((tmp_path / "calls").read_text()) < 10


WAIT_OR_END = """
x = settings["x"]
if x == "end":
    while len(os.listdir({pids!r})) < 2:
        time.sleep(0.02)
    sys.exit("x is end") if {fails} else result(1)
"""


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("stubborn", [False, True])
def test_the_end_of_a_sweep_ends_the_points_under_way(
    pretend: Pretend, waiting: Waiting, monkeypatch: pytest.MonkeyPatch, fails: bool, stubborn: bool
) -> None:
    ignoring = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if stubborn else ""
    monkeypatch.setattr(programs, "GRACE_S", 0.5)
    head = "import os, time\n" + WAIT_OR_END.format(pids=str(waiting.pids), fails=fails)
    wait = textwrap.indent(textwrap.dedent(waiting.body), "    ")
    pretend(f"{ignoring}{head}else:{wait}")

    def interrupt(_: int, __: Result) -> None:
        raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(RunError if fails else KeyboardInterrupt):
        sweep([Point({"x": "end"}), Point({"x": "wait"}), Point({"x": "wait"})], jobs=2, on_result=interrupt)
    assert time.monotonic() - start < 30
    assert waiting.all_gone()
    assert len(waiting.processes()) == 2  # the third point has not been started
