# SPDX-License-Identifier: MIT
"""One run, and many, from Python."""

import json
import textwrap
import time
from pathlib import Path

import pytest
from conftest import Pretend, Waiting

from sunstar import (
    FileError,
    MachineResult,
    MissingExecutableError,
    Point,
    RunError,
    UsageError,
    programs,
    run,
    run_all,
)
from sunstar.runs.simulator import effective_config, write_waveforms

SMALL = {"workload.pattern": "rcc", "workload.file_size": "1MiB"}


def test_a_short_run_of_the_real_simulator_is_verified_and_repeatable(tmp_path: Path) -> None:
    first, second = (run("torus", SMALL, seed=3, trials=2, results=tmp_path / name) for name in "ab")
    assert first.verified
    assert len(first.trials) == 2
    assert first.mib_per_s == pytest.approx(sum(first.trials_mib_per_s) / 2)
    assert first.trials == second.trials
    assert first.messages > 0
    assert first.config["workload"]["pattern"] == "rcc"


def test_a_configuration_is_a_file_by_its_path_or_its_name_or_the_object_itself(tmp_path: Path) -> None:
    config = {"schema": "sunstar/1", "machine": {"disks": 32}, "workload": {"pattern": "rcc", "file_size": "1MiB"}}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(config))
    runs = [run("torus", {"machine.disks": 48}, config=given) for given in (file, str(file), config)]
    assert [each.config["machine"]["disks"] for each in runs] == [48, 48, 48]
    assert [each.config["workload"]["pattern"] for each in runs] == ["rcc"] * 3
    with pytest.raises(FileError, match=r"config is none.json, but there is no file none.json"):
        run("torus", config="none.json")


def test_a_run_explains_itself_if_it_is_asked_to() -> None:
    explained = run("torus", SMALL, explain=True)
    assert explained.explain is not None
    path = explained.explain["critical_path"]
    assert sum(stage["time_s"] for stage in path) == pytest.approx(explained.elapsed_s)
    plain = run("torus", SMALL)
    assert plain.explain is None
    assert plain.elapsed_s == explained.elapsed_s


def test_waveforms_are_written_to_the_given_file(tmp_path: Path) -> None:
    write_waveforms(Point({"workload.file_size": "512KiB"}), tmp_path / "short.vcd")
    assert "$enddefinitions" in (tmp_path / "short.vcd").read_text()


def test_the_effective_configuration_spells_defaults_out() -> None:
    config = effective_config(Point({"run.seed": 9}))
    assert config["run"]["seed"] == 9
    assert config["machine"]["disks"] == 16


def test_the_simulators_own_sentence_and_exit_code_come_through() -> None:
    with pytest.raises(
        RunError, match=r'workload.pattern is "rq"; .*did you mean "ra"\?\n\(sunstar-torus .* exit code 3\)'
    ) as e:
        run("torus", {"workload.pattern": "rq"})
    assert e.value.exit_code == 3


def test_a_simulator_ended_by_a_signal_is_reported_as_such(pretend: Pretend) -> None:
    pretend("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with pytest.raises(RunError, match="was ended by SIGKILL"):
        run("torus")


@pytest.mark.parametrize("printed", ["", "half of {", "[]", "{}"])
def test_a_result_that_cannot_be_read_is_an_error(pretend: Pretend, printed: str) -> None:
    pretend(f"print({printed!r})\n")
    with pytest.raises(RunError, match=r"no result (of a simulator|that can)|a file that is no result"):
        run("torus")


def test_a_missing_executable_says_what_builds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUNSTAR_BIN", str(tmp_path))
    with pytest.raises(MissingExecutableError, match=r"\./run PROGRAM builds one"):
        run("torus")


def test_an_executable_that_cannot_be_started_is_an_error(pretend: Pretend) -> None:
    pretend("pass\n").write_text("no program")
    with pytest.raises(FileError, match=r"cannot start .*/sunstar-torus: Exec format error"):
        run("torus")


def test_settings_become_options_and_those_of_other_types_than_text_become_json(tmp_path: Path) -> None:
    point = Point({"a.b": "8KiB", "c": True, "d": [2]}, config=tmp_path / "c.json", seed=1, trials=5)
    expected = f"--config {tmp_path}/c.json --set a.b=8KiB --set c=true --set d=[2] --set run.seed=1 --set run.trials=5"
    assert " ".join(point.arguments()) == expected
    with pytest.raises(UsageError, match=r"seed=1 and the setting run\.seed set the same parameter"):
        Point({"run.seed": 2}, seed=1)


ECHO = """
import time
x = settings["x"]
if x == "bad":
    sys.exit("x is bad")
time.sleep(0.2 if x == "0" else 0)
result(float(x))
"""


def throughput(result: object) -> float:
    assert isinstance(result, MachineResult)
    return result.mib_per_s


def test_results_come_in_the_order_of_the_points_however_they_end(pretend: Pretend) -> None:
    pretend(ECHO)
    assert [throughput(each) for each in run_all([Point({"x": x}) for x in range(4)], jobs=2)] == [0, 1, 2, 3]


def test_a_point_that_fails_does_not_stop_the_others(pretend: Pretend) -> None:
    pretend(ECHO)
    first, bad, last = run_all([Point({"x": 1}), Point({"x": "bad"}), Point({"x": 2})])
    assert (throughput(first), throughput(last)) == (1, 2)
    assert isinstance(bad, RunError)
    assert bad.exit_code == 1
    assert str(bad) == "x is bad\n(sunstar-torus --set x=bad ended with exit code 1)"


WAIT_OR_STOP = """
import os, time
if settings["x"] == "stop":
    while len(os.listdir({pids!r})) < 2:
        time.sleep(0.02)
    result(1)
else:
"""


@pytest.mark.parametrize("stubborn", [False, True])
def test_an_interruption_ends_the_points_under_way(
    pretend: Pretend, waiting: Waiting, monkeypatch: pytest.MonkeyPatch, stubborn: bool
) -> None:
    ignoring = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if stubborn else ""
    monkeypatch.setattr(programs, "GRACE_S", 0.5)
    wait = textwrap.indent(textwrap.dedent(waiting.body), "    ")
    program = pretend(f"{ignoring}{WAIT_OR_STOP.format(pids=str(waiting.pids))}{wait}")

    def interrupt(_: int, __: object) -> None:
        raise KeyboardInterrupt

    start = time.monotonic()
    tasks = ["stop", "wait", "wait"]
    with pytest.raises(KeyboardInterrupt):
        programs.in_parallel(
            lambda x: programs.run_program([str(program), "--set", f"x={x}"]), tasks, jobs=2, on_result=interrupt
        )
    assert time.monotonic() - start < 30
    assert waiting.all_gone()
    assert len(waiting.processes()) == 2  # the third has not been started
