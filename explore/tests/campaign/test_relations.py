# SPDX-License-Identifier: MIT
"""Relations between runs of random machines: what changes no run, and what changes it by how much."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from sunstar.campaign.command import Config, carried_out, write
from sunstar.configurations import leaves
from sunstar.places import executable
from sunstar.programs import run_program
from sunstar.quantities import Quantity, quantity

pytestmark = pytest.mark.slow
MACHINES = 25
MOST_MESSAGES = 20_000
COUNTS = ("compute_processors", "io_processors", "combined", "disks")
KINDS = {
    # Messages of streams meet within a picosecond, to which all times are rounded: which is first may then change.
    "workload": ["pattern", "records", "subset", "forks", "sharing", "ior"],
    # Others count time in the ticks of Linux and BSD, which are no parameters.
    "machine.delivery": ["assured"],
    "machine.sockets": ["none"],
}


def run(folder: Path, config: Config, *words: str) -> Config | None:
    """The result file; None if the simulator refuses the configuration, or warns that it is hardly meant: such a hub
    may be busy with collisions for hours."""
    (folder / "config.json").write_bytes(orjson.dumps(config))
    given = ("--quiet", "--config", "config.json", "--output", "-", *words)
    done = run_program(["timeout", "60", str(executable("torus")), *given], cwd=folder)
    if "hardly meant" in done.stderr:
        return None
    assert done.returncode in (0, 3), done.stderr
    return orjson.loads(done.stdout) if done.returncode == 0 else None


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Config, Config]]:
    """Folders with the files of healthy machines, their configurations, and the results of their runs."""

    def legal() -> Iterator[tuple[Path, Config, Config]]:
        for number in range(100 * MACHINES):
            folder, (_, config) = tmp_path_factory.mktemp("machine"), carried_out(number, KINDS)
            config.pop("faults", None)
            write(folder, number, "torus", config)
            result = run(folder, config)
            if result is not None and result["result"]["messages"] < MOST_MESSAGES:
                config["machine"] |= {part: result["config"]["machine"][part] for part in COUNTS}  # some are defaults
                yield folder, config, result

    found = legal()
    return [next(found) for _ in range(MACHINES)]


def changed(value: Any, change: Callable[[str, Any], Any], name: str = "") -> Any:  # noqa: ANN401  any JSON
    if isinstance(value, Mapping):
        return {key: changed(each, change, key) for key, each in value.items()}
    if isinstance(value, list):
        return [changed(each, change, name) for each in value]
    return change(name, value)


def slowed(name: str, value: Any) -> Any:  # noqa: ANN401  any JSON
    """Twice a time, half a rate."""
    if name in ("rpm", "iops", "read_iops", "write_iops", "propagation_speed"):
        return value / 2
    if name == "lanes":  # of PCI Express: its generations have rates of their own
        return value // 2
    found = quantity(value)
    factors = {"s": 2, "B/s": 0.5, "Hz": 0.5}
    return str(Quantity(found.value * factors[found.base], found.base)) if found and found.base != "B" else value


def test_a_machine_with_all_times_doubled_takes_twice_the_time(machines: list[tuple[Path, Config, Config]]) -> None:
    compared = 0
    for folder, _, result in machines:
        slow = run(folder, changed(result["config"], slowed))
        if slow is None:  # a time is beyond its limit
            continue
        compared += 1
        # All times are rounded to picoseconds, some of which are on the way of a byte thousands of times.
        assert slow["result"]["elapsed_s"] == pytest.approx(2 * result["result"]["elapsed_s"], rel=1e-7), folder
        assert slow["result"]["messages"] == result["result"]["messages"]
    assert compared > MACHINES / 2


def by_options(_: Path, config: Config) -> tuple[Config, list[str]]:
    settings = [(path, value) for path, value in leaves(config) if path != "schema"]
    words = [word for path, value in settings for word in ("--set", f"{path}={option(value)}")]
    return {"schema": config["schema"]}, words


def option(value: object) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def by_files(folder: Path, config: Config) -> tuple[Config, list[str]]:
    named = {name: f"{name}.json" for name in ("machine", "file_system", "workload")}
    for name, file in named.items():
        (folder / file).write_bytes(orjson.dumps(config[name]))
    return config | named, []


def by_base_units(_: Path, config: Config) -> tuple[Config, list[str]]:
    return changed(config, lambda _, value: str(found) if (found := quantity(value)) else value), []


def by_lists(_: Path, config: Config) -> tuple[Config, list[str]]:
    machine = dict(config["machine"])
    compute, io, combined, disks = (machine.pop(part) for part in COUNTS)
    each, more = divmod(disks, io)
    groups = [(count, drives) for count, drives in ((more, each + 1), (io - more, each)) if count]
    role = "both" if combined else "io"
    of_io = [{"count": count, "role": role, "buses": [{"drives": [{"count": drives}]}]} for count, drives in groups]
    return config | {"machine": machine | {"nodes": [*([] if combined else [{"count": compute}]), *of_io]}}, []


@pytest.mark.parametrize("words_of", [by_options, by_files, by_base_units, by_lists])
def test_the_same_machine_in_other_words_has_the_same_result(
    machines: list[tuple[Path, Config, Config]],
    words_of: Callable[[Path, Config], tuple[Config, list[str]]],
) -> None:
    for folder, config, result in machines:
        written, words = words_of(folder, config)
        other = run(folder, written, *words)
        assert other is not None, folder
        for each in (other, result):  # they say which parameters that were set are not used
            each["result"].pop("warnings", None)
        for part in ("result", "statistics"):
            assert other[part] == result[part], folder


FASTER = (
    *("machine.bus.data_rate", "machine.node.clock", "machine.node.memory_bandwidth", "machine.disk.rpm"),
    *("machine.network.link_bandwidth", "machine.network.port_bandwidth", "machine.network.bandwidth"),
)


def test_a_doubled_rate_slows_no_run_by_a_fifth_but_for_sectors_that_have_just_passed(
    machines: list[tuple[Path, Config, Config]],
) -> None:
    compared = 0
    for folder, _, result in machines:
        values = dict(leaves(result["config"]))
        for path in FASTER:
            rate = quantity(values.get(path))
            faster = Quantity(2 * rate.value, rate.base) if rate else values.get(path) and 2 * values[path]
            if not faster or (fast := run(folder, result["config"], "--set", f"{path}={faster}")) is None:
                continue
            compared += 1
            if fast["result"]["elapsed_s"] <= 1.2 * result["result"]["elapsed_s"]:
                continue
            # Requests that come at other times wait for other sectors (docs/models/disk.md); without that, it holds.
            before, after = (
                run(folder, result["config"], "--explain", *more) for more in ((), ("--set", f"{path}={faster}"))
            )
            assert before and after
            assert without_rotation(after) <= 1.2 * without_rotation(before), f"{folder}: {path}={faster}"
    assert compared > MACHINES


def without_rotation(result: Config) -> float:
    """The time that the run would take if no drive waited for a sector."""
    spent = {stage["stage"]: stage["time_s"] for stage in result["explain"]["critical_path"]}
    return float(sum(spent.values()) - spent.get("disk_rotation", 0))
