# SPDX-License-Identifier: MIT
"""sunstar import fio and sunstar fio: loads on NVMe drives, from job files of the I/O tester fio, and results in its
form."""

import json
import math
import re
import shlex
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
import polars as pl
import typer

from sunstar.commands import warn
from sunstar.console import console
from sunstar.drives import known as drive_of
from sunstar.errors import FileError, check_suffix, in_words, meant
from sunstar.files import Outputs, read_bytes, write_json
from sunstar.quantities import Quantity, quantity
from sunstar.runs.simulator import Point, Run, carry_out

LISTED: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text())
"""fio's options: other names, those with a default that must stay and why, and those that change nothing here."""
DIRECTIONS = {"read": 1.0, "write": 0.0, "rw": None}
UNITS = "kmgtp"
SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "msec": 1e-3, "us": 1e-6, "usec": 1e-6}
PERCENTILES = (1, 5, *range(10, 100, 10), 95, 99, 99.5, 99.9, 99.95, 99.99)
Options = dict[str, str]


@dataclass
class Group:
    """The jobs that run at the same time."""

    names: list[str] = field(default_factory=list)
    options: list[Options] = field(default_factory=list)
    """By entry of workload.jobs."""
    workload: dict[str, Any] = field(default_factory=lambda: {"kind": "queues", "jobs": []})


@dataclass(frozen=True)
class Job:
    """A section of a job file, with the global options."""

    file: str
    name: str
    options: Options

    def error(self, option: str, sentence: str) -> FileError:
        return FileError(f"{self.file}, [{self.name}]: {option}={self.options.get(option, '')}: {sentence}")

    def value(self, option: str, default: str = "") -> str:
        return self.options.get(option, default)

    def count(self, option: str, default: int = 1) -> int:
        if not re.fullmatch("[0-9]{1,15}", text := self.value(option, str(default))):
            raise self.error(option, "it must be a whole number")
        return int(text)

    def bytes(self, option: str, text: str) -> int:
        """fio's units mean powers of 1024, and with an i powers of 1000; with kb_base=1000 the other way round."""
        found = re.fullmatch(r"(\d{1,15}(?:\.\d+)?|0x[0-9a-f]{1,15})(?:([kmgtp])(i?))?b?", text.strip().lower())
        if not found:
            raise self.error(option, "it must be bytes such as 4096, 4k or 1g")
        base = 1000 if (found[3] == "i") == (self.value("kb_base", "1024") != "1000") else 1024
        number = int(found[1], 16) if found[1].startswith("0x") else float(found[1])
        return round(number * float(base ** (UNITS.index(found[2]) + 1 if found[2] else 0)))

    def seconds(self, option: str, unit: str = "s") -> float:
        found = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)([a-z]*)", self.value(option, "0").lower())
        if not found or (found[2] or unit) not in SECONDS:
            raise self.error(option, f"it must be a time with {in_words(SECONDS)} as unit")
        return float(found[1]) * SECONDS[found[2] or unit]

    def of_direction(self, option: str, write: bool, default: str) -> str:
        """fio gives values for reads, writes and trims, divided by commas; one value is for all."""
        parts = self.value(option, default).split(",")
        return (parts[min(int(write), len(parts) - 1)] or default).strip()

    def sizes(self, write: bool) -> list[dict[str, Any]]:
        if split := self.value("bssplit"):
            parts = [part.partition("/") for part in self.of_direction("bssplit", write, split).split(":")]
            shares = [float(share) if re.fullmatch(r"\d{1,3}", share) else math.nan for _, _, share in parts]
            rest = (100 - np.nansum(shares)) / max(1, int(np.isnan(shares).sum()))
            found = {self.bytes("bssplit", size): share for (size, _, _), share in zip(parts, shares, strict=True)}
            shared = {size: float(rest if math.isnan(share) else share) for size, share in found.items()}
            return [{"size": f"{size}B", "share": share} for size, share in shared.items() if share > 0]
        if span := self.value("bsrange"):
            ends = [self.bytes("bsrange", end) for end in self.of_direction("bsrange", write, span).split("-")]
            if len(ends) != 2 or not 0 < ends[0] <= ends[1] < 1024 * ends[0]:
                raise self.error("bsrange", "it must be two sizes, such as 4k-16k")
            return [{"size": f"{size}B"} for size in range(ends[0], ends[1] + 1, ends[0])]
        return [{"size": f"{self.bytes('bs', self.of_direction('bs', write, '4k'))}B"}]

    def check(self) -> list[str]:
        """The options that change nothing here."""
        idle = [option for option in self.options if option in LISTED["without_effect"]]
        for option, value in self.options.items():
            default, why = LISTED["refused"].get(option, (value, ""))
            if value.lower() not in (default, "none"):
                raise self.error(option, f"{why}; leave it out")
            if option not in (known := [*LISTED["read"], *LISTED["refused"], *LISTED["without_effect"]]):
                raise self.error(option, f"it is no option of fio that Sunstar knows{meant(option, known)}")
        return idle


def load_of(job: Job) -> tuple[dict[str, Any], list[str]]:
    """An entry of workload.jobs, and the options that change nothing."""
    idle, rw = job.check(), job.value("rw", "read").lower()
    direction = rw.removeprefix("rand").replace("readwrite", "rw")
    if direction not in DIRECTIONS:
        raise job.error("rw", "it must be read, write, rw, randread, randwrite or randrw")
    mixed = 100 - job.count("rwmixwrite", 50) if "rwmixwrite" in job.options else job.count("rwmixread", 50)
    share = {"read": 1.0, "write": 0.0}.get(direction, mixed / 100)
    used = [write for write, part in ((False, share), (True, 1 - share)) if part > 0]
    sizes = job.sizes(used[0])
    if sizes != job.sizes(used[-1]):
        raise job.error("bs", "reads and writes have other sizes; they must be two jobs")
    engine = job.value("ioengine", "psync").lower()
    if engine not in LISTED["one_command"] + LISTED["queued"]:
        raise job.error("ioengine", f"it must be {in_words(LISTED['one_command'] + LISTED['queued'])}")
    if engine in LISTED["one_command"] and "iodepth" in job.options:
        idle.append("iodepth")
    load: dict[str, Any] = {"number": job.count("numjobs"), "reads": share, "sizes": sizes}
    load["depth"] = 1 if engine in LISTED["one_command"] else job.count("iodepth")
    load |= places_of(job, random=rw.startswith("rand"))
    parts = [(float(each["size"][:-1]), each.get("share", 1)) for each in sizes]
    if not parts or not all(size for size, _ in parts):
        raise job.error("bs", "it must be at least a byte")
    mean = sum(size * part for size, part in parts) / sum(part for _, part in parts)
    rates = [rate_of(job, write, mean) for write in used]
    if any(rates):
        if not all(rates):
            raise job.error("rate" if "rate" in job.options else "rate_iops", "reads and writes must both have one")
        load |= {"pacing": "poisson" if job.value("rate_process") == "poisson" else "paced"}
        load |= {"rate": sum(rates) * load["number"], "reads": rates[0] / sum(rates) if used[1:] else share}
    if pause := job.seconds("thinktime", "us"):
        load["pause"] = str(Quantity(pause, "s"))
    load["offset"] = f"{job.bytes('offset', job.value('offset', '0'))}B"
    size = job.value("size", "100%")
    if size != "100%":
        load["span"] = f"{job.bytes('size', size)}B"
    amount = job.bytes("io_size", job.value("io_size", "0" if size == "100%" else size)) * job.count("loops")
    amount = job.count("number_ios") * round(mean) if "number_ios" in job.options else amount
    if job.value("time_based", "0") == "0" and amount:
        load["amount"] = f"{amount}B"
    elif not job.seconds("runtime"):
        raise job.error("runtime", "without one a job needs a size, or it would not end")
    return load, idle


def places_of(job: Job, *, random: bool) -> dict[str, Any]:
    if not random:
        return {"places": "sequential"}
    law, _, number = job.value("random_distribution", "random").partition(":")
    if law == "random":
        return {"places": "uniform"}
    if law not in ("zipf", "pareto") or not re.fullmatch(r"\d*\.?\d+|", number):
        raise job.error("random_distribution", "it must be random, zipf:EXPONENT or pareto:SHARE")
    return {"places": law, "skew": float(number or {"zipf": 1.1, "pareto": 0.2}[law])}


def rate_of(job: Job, write: bool, mean: float) -> float:
    """Commands a second of one job in a direction; 0: as many as it can."""
    if "rate_iops" in job.options:
        return float(job.bytes("rate_iops", job.of_direction("rate_iops", write, "0")))
    return job.bytes("rate", job.of_direction("rate", write, "0")) / mean


def sections(text: str, file: str) -> list[Job]:
    """The jobs, each with the global options above it."""
    common, jobs = Options(), list[Job]()
    options: Options | None = None
    for number, whole in enumerate(text.splitlines(), 1):
        line = re.split("[;#]", whole)[0].strip()
        where = f"{file}, line {number}: {line}:"
        if not line:
            continue
        if "${" in line or line.startswith("include "):
            raise FileError(f"{where} it stands for something outside the file; put that in its place")
        if found := re.fullmatch(r"\[(.*)\]", line):
            options = common if found[1] == "global" else dict(common)
            if options is not common:
                jobs.append(Job(file, found[1], options))
        elif options is None:
            raise FileError(f"{where} it must stand below [global] or the name of a job, such as [reads]")
        else:
            key, equals, value = (part.strip() for part in line.partition("="))
            options[LISTED["aliases"].get(key, key)] = value if equals else "1"
    if not jobs:
        raise FileError(f"{file}: it must be a job file of fio, with at least one section, such as [reads]")
    return jobs


def jobs_of(job: str) -> list[Job]:
    """Of a job file, or of a command line, where each --name begins a job."""
    if not job.startswith("fio "):
        return sections(read_bytes(Path(job)).decode("utf-8-sig", "replace"), job)
    words = [word[2:] for word in shlex.split(job) if word.startswith("--")]
    words = [word for word in words if not re.match("output|eta|status|minimal|terse|runtime-|append", word)]
    lines = [f"[{word[5:]}]" if word.startswith("name=") else word for word in words]
    return sections("\n".join(["[global]", *lines]), "the command line")


def groups_of(job: str) -> tuple[list[Group], list[str]]:
    """The jobs of each time, since stonewall begins a new one, and the options that change nothing."""
    groups, idle = [Group()], list[str]()
    for each in jobs_of(job):
        if each.value("stonewall", "0") != "0" and groups[-1].names:
            groups.append(Group())
        load, without_effect = load_of(each)
        step, number = each.bytes("offset_increment", each.value("offset_increment", "0")), load["number"]
        if not 0 < number <= 1024:
            raise each.error("numjobs", "it must be from 1 to 1024")
        begin = int(load["offset"][:-1])
        alone = {"number": 1} | ({"rate": load["rate"] / number} if "rate" in load else {})
        clones = [load | alone | {"offset": f"{begin + i * step}B"} for i in range(number)] if step else [load]
        group, limit = groups[-1], each.seconds("runtime")
        times = {"warm_up": each.seconds("ramp_time"), "duration": limit or 1000.0}
        for name, seconds in times.items():
            text = str(Quantity(seconds, "s"))
            if group.workload.setdefault(name, text) != text:
                raise each.error("runtime", "jobs that run at the same time must have equal times")
        files = {options["filename"] for options in [*group.options, each.options] if "filename" in options}
        if len(files) > 1 or any(re.search(r"[^\\]:", name) for name in files):
            raise each.error("filename", "there is one drive; jobs on several must be several files")
        group.workload["jobs"] += clones
        group.names += [each.name] * len(clones)
        group.options += [each.options] * len(clones)
        idle += without_effect
    return groups, list(dict.fromkeys(idle))


JobArgument = Annotated[str, typer.Argument(metavar="JOB", help="A job file of fio, or its command line, in quotes.")]


def import_fio(job: JobArgument, output: Annotated[Path, typer.Option(metavar="CONFIG.json")]) -> None:
    check_suffix(output, [".json"])
    groups, idle = groups_of(job)
    with Outputs() as outputs:
        for number, group in enumerate(groups, 1):
            path = output.with_stem(f"{output.stem}-{number}") if groups[1:] else output
            write_json(outputs, path, {"schema": "sunstar/1", "workload": group.workload})
        written = " ".join(map(str, outputs.paths()))
    without_effect = f"; without effect here: {' '.join(idle)}" if idle else ""
    console().print(f"written: {written}{without_effect}", soft_wrap=True)


def fio(
    job: JobArgument,
    drive: Annotated[str, typer.Option()],
    output: Annotated[Path | None, typer.Option(metavar="RESULT.json")] = None,
    runtime: Annotated[str | None, typer.Option(metavar="TIME")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 1,
) -> None:
    groups, idle = groups_of(job)
    if idle:
        warn(f"without effect here: {' '.join(idle)}")
    model = drive_of("nvme", drive, f"--drive {drive}")
    options = {"drive": model["name"], "without effect": " ".join(idle)}
    result: dict[str, Any] = {"fio version": "", "global options": options, "jobs": []}
    for number, group in enumerate(groups):
        document, jobs = played(group, number, model, runtime, seed)
        result["fio version"] = f"Sunstar {document['version']}"
        result["jobs"] += jobs
    with Outputs() as outputs:
        if output:
            write_json(outputs, output, result)
        else:
            typer.echo(json.dumps(result, indent=2))


def played(
    group: Group, number: int, drive: dict[str, Any], runtime: str | None, seed: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The simulator's result, and the entries of fio's "jobs": one for each section, as with group_reporting."""
    workload = group.workload | ({"duration": runtime} if runtime else {})
    settings = {"machine.nvme": drive} | {f"workload.{name}": value for name, value in workload.items()}
    point = Point(settings, platform="disk", seed=seed, records=True)
    outcome = carry_out(point)
    if not outcome.done or outcome.records is None:
        raise Run(point, "", outcome.exit_code, outcome.message).error()
    document = orjson.loads(outcome.document)
    effective = document["config"]["workload"]
    warm_up, most, submit = (
        quantity(effective[name]).value * 1e9  # type: ignore[union-attr]
        for name in ("warm_up", "duration", "submit_time")
    )
    table = pl.read_csv(BytesIO(outcome.records)).filter(pl.col("submitted_ns") >= warm_up)
    entries = []
    for name in dict.fromkeys(group.names):
        of = [i for i, each in enumerate(group.names) if each == name]
        mine = table.filter(pl.col("job").is_in(of))
        limited = all("amount" in workload["jobs"][i] for i in of)
        ends = (mine["submitted_ns"] + mine["response_ns"]).max() if limited else None
        lasted = min(most, float(ends) - warm_up) if isinstance(ends, int | float) else most
        good = mine.filter(pl.col("status") == "ok")
        entry = {"jobname": name, "groupid": number, "error": 0, "elapsed": math.ceil((warm_up + lasted) / 1e9)}
        entry |= {"job options": group.options[of[0]]}
        entry |= {
            of_kind: direction(good.filter(pl.col("kind") == kind), lasted, submit)
            for of_kind, kind in (("read", "R"), ("write", "W"), ("trim", "T"))
        }
        entries.append(entry | {"job_runtime": round(lasted / 1e6), "total_err": mine.height - good.height})
    return document, entries


def direction(commands: pl.DataFrame, lasted: float, submit: float) -> dict[str, Any]:
    """fio's figures of the reads or the writes of a job. Submission takes the host's time, completion the drive's."""
    count, moved = commands.height, int(commands["bytes"].sum())
    times = np.sort(commands["response_ns"].to_numpy().astype(float))
    rate = moved * 1e9 / lasted

    def latency(times: Any) -> dict[str, Any]:  # noqa: ANN401  an array
        if not times.size:
            return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
        least, most = round(times[0]), round(times[-1])
        return {"min": least, "max": most, "mean": times.mean(), "stddev": times.std(), "N": times.size}

    ranks = {f"{p:.6f}": round(times[math.ceil(p / 100 * count) - 1]) for p in PERCENTILES} if count else {}
    return {
        "io_bytes": moved,
        "io_kbytes": moved >> 10,
        "bw_bytes": round(rate),
        "bw": round(rate / 1024),
        "iops": count * 1e9 / lasted,
        "runtime": round(lasted / 1e6) if count else 0,
        "total_ios": count,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": latency(np.full(count, submit)),
        "clat_ns": latency(times) | ({"percentile": ranks} if count else {}),
        "lat_ns": latency(times + submit),
        "bw_mean": rate / 1024,
        "iops_mean": count * 1e9 / lasted,
    }
