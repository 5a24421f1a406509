# SPDX-License-Identifier: MIT
"""Beside published measurements: sunstar validate io500, ior-easy and ior-hard on presets of systems that submitted
results to the IO500 list; sunstar validate mlperf, training on presets of systems that submitted to MLPerf Storage;
sunstar validate links, latency and bandwidth of messages between two nodes."""

from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from sunstar.console import percent
from sunstar.drawing import picture
from sunstar.errors import FileError
from sunstar.feeding.command import load_of
from sunstar.files import Column, Outputs, read_rows
from sunstar.results import MachineResult, NetworkResult, ior_gib_per_s
from sunstar.study.cases import Settings
from sunstar.study.command import Call, command
from sunstar.validation.comparing import Row, keep, results_of

IO500 = Path(__file__).parent / "data" / "io500.csv"
FIELDS: dict[str, Column] = dict.fromkeys(("preset", "system", "phase"), str)
FIELDS |= dict.fromkeys(("write_gib_per_s", "read_gib_per_s"), float)
HARD: Settings = {"workload.transfer_size": "47008B", "workload.block_size": "47008B"}
HARD |= {"workload.segments": 100, "workload.file_per_task": False}
PHASES: dict[str, Settings] = {"easy": {}, "hard": HARD}
"""The settings of the benchmark's phases over the preset, whose workload is ior-easy. A task of ior-hard makes 100
transfers; on the list it makes transfers for 300 s."""
WAYS: dict[str, Settings] = {"write": {"workload.read": False}, "read": {"workload.write": False}}
"""A file is written in one run and read in another: the benchmark has other phases in between, so no cache holds it."""
MLPERF = Path(__file__).parent / "data" / "mlperf.csv"
SUBMITTED: dict[str, Column] = dict.fromkeys(("preset", "load", "accelerator"), str)
SUBMITTED |= dict.fromkeys(("hosts", "a_host", "parts", "io_processors", "disks", "steps"), int)
SUBMITTED |= dict.fromkeys(("samples_per_s", "utilisation_percent"), float)
OSU = Path(__file__).parent / "data" / "osu.csv"
FIGURES = {"osu_latency": "latency_us", "osu_bw": "bandwidth_mb_per_s"}
"""The names of the measurements, and the figures of a run's ping-pong."""
DRAWN = {"osu_latency": "latency of one way (us)", "osu_bw": "bandwidth, window of 64 (MB/s)"}
LEAST_BYTES = {"osu_latency": 1, "osu_bw": 65536}
"""Shorter messages do not count for the largest error of bandwidths: it depends on how a library joins messages."""


def measurements_of_io500(path: Path, only: Sequence[str]) -> list[Row]:
    listed = read_rows(path, FIELDS)
    rows = [row for row in listed if not only or row["preset"] in only]
    if not rows:
        known = ", ".join(dict.fromkeys(str(row["preset"]) for row in listed))
        raise FileError(f"{path} has no measurement of {', '.join(only)}; it has {known or 'none'}")
    wrong = {row["phase"] for row in rows} - set(PHASES)
    if wrong:
        raise FileError(f"{path}: the phase {', '.join(sorted(wrong))} is none of {', '.join(PHASES)}")
    return rows


def compare_io500(rows: Sequence[Row], results: Sequence[MachineResult]) -> list[Row]:
    """A line for each row and direction; of a hard phase also its ratio to the easy one, over the measured one.
    `results`: of each row the run that writes, and the one that reads."""
    compared: list[Row] = []
    ways = [(row, way) for row in rows for way in WAYS]
    for (row, way), result in zip(ways, results, strict=True):
        measured, simulated = row[f"{way}_gib_per_s"], ior_gib_per_s(result.result, way)
        ratios = {"measured_gib_per_s": measured, "simulated_gib_per_s": simulated}
        named = {name: row[name] for name in ("preset", "system", "phase")}
        compared.append({**named, "way": way, **ratios, "error_percent": 100 * (simulated / measured - 1)})
    easy = {(row["preset"], row["way"]): row for row in compared if row["phase"] == "easy"}
    for row in compared:
        other = easy.get((row["preset"], row["way"]))
        if row["phase"] == "hard" and other:
            for of in ("measured", "simulated"):
                row[f"{of}_hard_over_easy"] = row[f"{of}_gib_per_s"] / other[f"{of}_gib_per_s"]
            row["factor"] = row["simulated_hard_over_easy"] / row["measured_hard_over_easy"]
    return compared


@command(trials=1)
def validate_io500(
    call: Call,
    reference: Annotated[Path, typer.Option(metavar="FILE", help="The measurements.")] = IO500,
    only: Annotated[list[str] | None, typer.Option(metavar="PRESET", help="Only this system; repeatable.")] = None,
) -> bool:
    rows = measurements_of_io500(reference, only or [])
    call.folder()
    runs = [(row, way) for row in rows for way in WAYS]
    settings: list[Settings] = [{"base": row["preset"], **PHASES[row["phase"]], **WAYS[way]} for row, way in runs]
    points = [call.conditions.point(of, platform="cluster") for of in settings]
    names = [f"{row['preset']}, {row['phase']}, {way}" for row, way in runs]
    compared = compare_io500(rows, results_of(call, "IO500", MachineResult, names, points)[0])
    keep(call, "io500", compared)
    return False


def training_of(row: Row, a_host: int) -> Settings:
    """So many accelerators a host on a part of a row's preset. Each has as many files as it reads, and the first fifth
    of the steps warms up."""
    of, hosts = load_of(row["load"], row["accelerator"], None).workload, row["hosts"] // row["parts"]
    samples = (row["steps"] + 2 * of["readers"]) * of["batch_size"]
    own = {"kind": "training", "accelerators": a_host, "prefetch": 2}
    own |= {"steps": row["steps"], "warm_up": row["steps"] // 5}
    own |= {"files": hosts * a_host * -(-samples // of["samples_per_file"])}
    part = {"compute_processors": hosts, **{name: row[name] for name in ("io_processors", "disks")}}
    settings = {f"workload.{name}": value for name, value in {**of, **own}.items()}
    return {"base": row["preset"], **{f"machine.{name}": of for name, of in part.items()}, **settings}


def counts(submitted: int) -> Generator[int, bool, int]:
    """Numbers of accelerators a host, each answered by whether it meets the threshold. Returns the largest that does,
    or that does to a tenth of the submitted number, up to a quarter more than that."""
    near, low = max(1, submitted // 10), 0
    for high in dict.fromkeys((submitted, submitted + near, submitted + max(1, submitted // 4))):
        if not (yield high):
            break
        low = high
    else:
        return low
    while high - low > near:
        middle = (low + high) // 2
        low, high = (middle, high) if (yield middle) else (low, middle)
    return low


def searched(rows: Sequence[Row], run: Callable[[Mapping[int, int]], Sequence[MachineResult]]) -> list[Row]:
    """The rows with what was found; `run` makes a run of each of these rows with so many accelerators a host."""
    searches, found = [counts(row["a_host"]) for row in rows], [dict(row) for row in rows]
    wanted = {i: next(each) for i, each in enumerate(searches)}
    while wanted:
        for i, made in zip(list(wanted), run(wanted), strict=True):
            row, of = found[i], made.result.training
            if wanted[i] == row["a_host"]:
                rate = row["parts"] * of.samples_per_s
                row |= {"simulated_samples_per_s": rate, "simulated_percent": 100 * of.utilisation}
                row |= {"error_percent": 100 * (rate / row["samples_per_s"] - 1)}
            if not (meets := of.utilisation >= load_of(row["load"], row["accelerator"], None).threshold):
                busy = {name: each["value"] for name, each in made.statistics.items() if name.endswith("utilisation")}
                row["limit"] = f"{(first := max(busy, key=busy.__getitem__))} {percent(busy[first])}"
            try:
                wanted[i] = searches[i].send(meets)
            except StopIteration as end:
                row["most"] = row["hosts"] * end.value
                del wanted[i]
    return found


@command(trials=1)
def validate_mlperf(
    call: Call,
    reference: Annotated[Path, typer.Option(metavar="FILE", help="The measurements.")] = MLPERF,
    only: Annotated[list[str] | None, typer.Option(metavar="PRESET", help="Only this system; repeatable.")] = None,
) -> bool:
    rows = [row for row in read_rows(reference, SUBMITTED) if not only or row["preset"] in only]
    if not rows:
        raise FileError(f"{reference} has no measurement" + (f" of {', '.join(only)}" if only else ""))
    call.folder()

    def run(wanted: Mapping[int, int]) -> list[MachineResult]:
        points = [call.conditions.point(training_of(rows[i], of), platform="cluster") for i, of in wanted.items()]
        names = [f"{rows[i]['preset']}, {rows[i]['load']}, {rows[i]['hosts']} x {of}" for i, of in wanted.items()]
        return results_of(call, "MLPerf Storage", MachineResult, names, points)[0]

    keep(call, "mlperf", searched(rows, run))
    return False


def measurements_of_links(path: Path, only: Sequence[str]) -> list[Row]:
    kinds = {**dict.fromkeys(("link", "network", "metric"), str), "message_bytes": int, "value": float}
    rows = [row for row in read_rows(path, kinds) if row["metric"] in FIGURES and (not only or row["link"] in only)]
    if not rows:
        raise FileError(f"{path} has no measurement" + (f" of {', '.join(only)}" if only else ""))
    return rows


def compare_links(rows: Sequence[Row], results: Mapping[tuple[str, int], NetworkResult]) -> list[Row]:
    compared = []
    for row in rows:
        simulated = getattr(results[row["link"], row["message_bytes"]].result.ping_pong, FIGURES[row["metric"]])
        compared.append({**row, "simulated": simulated, "error_percent": 100 * (simulated / row["value"] - 1)})
    return compared


def summarise(compared: Sequence[Row]) -> list[Row]:
    """For each series its largest error, and at which length."""
    error, size = pl.col("error_percent"), pl.col("message_bytes")
    worst = error.abs().arg_max()
    return (
        pl.DataFrame(compared)
        .filter(size >= pl.col("metric").replace_strict(LEAST_BYTES))
        .group_by("link", "network", "metric", maintain_order=True)
        .agg(sizes=pl.len(), mean_percent=error.abs().mean(), worst_percent=error.get(worst), worst_at=size.get(worst))
        .to_dicts()
    )


def draw(files: Outputs, path: Path, compared: pl.DataFrame) -> None:
    with picture(files, path, 9, 4) as canvas:
        for axes, (metric, what) in zip(canvas.subplots(1, 2), DRAWN.items(), strict=True):
            series = compared.filter(pl.col("metric") == metric).group_by("network", "link", maintain_order=True)
            for number, ((network, _), rows) in enumerate(series):
                sizes, colour = rows["message_bytes"], f"C{number}"
                axes.plot(sizes, rows["value"], "o", color=colour, markersize=4, label=network)
                axes.plot(sizes, rows["simulated"], "-", color=colour, linewidth=1)
            axes.set_xscale("log", base=2)
            axes.set(yscale="log", xlabel="bytes of a message", ylabel=what)
            axes.grid(alpha=0.3)
            axes.legend(fontsize=6)
        canvas.suptitle("points: measured; lines: simulated", fontsize=10)


@command(trials=1)
def validate_links(
    call: Call,
    reference: Annotated[Path, typer.Option(metavar="FILE", help="The measurements.")] = OSU,
    only: Annotated[list[str] | None, typer.Option(metavar="PRESET", help="Only this link; repeatable.")] = None,
) -> bool:
    rows = measurements_of_links(reference, only or [])
    folder = call.folder()
    runs = list(dict.fromkeys((row["link"], row["message_bytes"]) for row in rows))
    settings = [{"base": link, "workload.kind": "ping-pong", "workload.bytes": f"{size}B"} for link, size in runs]
    points = [call.conditions.point(of, platform="network") for of in settings]
    names = [f"{link}, {size} bytes" for link, size in runs]
    documents, _ = results_of(call, "links", NetworkResult, names, points)
    compared = compare_links(rows, dict(zip(runs, documents, strict=True)))
    keep(call, "links", compared, series=summarise(compared))
    draw(call.files, folder / "links.png", pl.DataFrame(compared))
    return False
