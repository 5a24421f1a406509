# SPDX-License-Identifier: MIT
"""The experiments of Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel file
systems" (Duke CS-1995-22, 1995), its figures 4 to 11 and some more on the same machine, and what it says about them
(sections 4.1, 5.1 to 5.3 and 6). We set the bounds from the paper's words: a single figure is met within 5 %, "almost
always" is nine in ten, "most" is more than half, "a large majority" two thirds, "many" and "often" a third,
"comfortably" and "markedly" a tenth. The paper's MB and MB/s are 2^20 bytes, as its disks' 2.34 MB/s show; here they
are written MiB and MiB/s. Its traces are not available: what we replay is ours.

The number of flushes follows from the sizes of caches and data alone: tests count them, and no statement does. The
figure of a known shortfall is that of five trials with seed 1.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer

from sunstar.console import milliseconds, percent
from sunstar.errors import FileError, UsageError
from sunstar.files import writing
from sunstar.study.cases import Cases, Found, Key, Settings, methods_of, points_of, transfer, variation
from sunstar.study.command import Call, DocumentOption, command
from sunstar.study.experiments import conduct, figures_of, study_of
from sunstar.study.statements import Sentences, Verdict, average, data_of, each

METHODS, OPTIONS = methods_of("enwrich"), methods_of("enwrich", "options")
points = partial(points_of, "enwrich")
"""64 MiB of data, or 8 MiB where each call writes 8 bytes, since an array is cyclic along its rows. The x of a point of
figure 6 is the size of a cache in MiB; traditional caching has none."""
TWO_ARRAYS = ("wrnnbb", "wrnncc", "wrnbbn", "wrbccb", "wpnnbb", "wpnncc", "wpnbbn", "wpbccb")
"""In turn (wr), or each in a partition of its own (wp). Of those with nn, one processor holds half of the data."""
READ_OF_SYSTEM = r"^/(proc|sys)/|^/dev/urandom$|^namelist\.input$"
"""Files that the traced program only reads: files of its system, and its input."""
FEW_ENTRIES = ("wbn", "wcn", "wbb")
MANY_ENTRIES = ("wnc", "wbc", "wcc", "wss")  # The paper makes this distinction in figure 6
OPTION_WORKLOADS = {
    "wnn": Key("enwrich", "wnn", "contiguous", 8192),
    "wbn": Key("enwrich", "wbn", "contiguous", 8192),
    "wbn random": Key("enwrich", "wbn", "random-blocks", 8192),
    "wcc 512 B": Key("enwrich", "wcc", "contiguous", 512),
    "wcc 8 B": Key("enwrich", "wcc", "contiguous", 8),
}
COMPUTING = "computing"  # The trace of make_computing()
Records = Literal["8192", "512", "8", "8192,512", "all"]
RECORDS = {"all": (8192, 512, 8), "8192,512": (8192, 512), "8192": (8192,), "512": (512,), "8": (8,)}
say = Sentences("enwrich")
Tell = Callable[[Found, Mapping[str, Key]], str]
"""A column's cell for a row, whose points come by their methods or sizes."""


@dataclass(frozen=True)
class Choice:
    records: tuple[int, ...] = (8192, 512)
    trace: Path | None = None
    exclude: str = READ_OF_SYSTEM
    folder: Path = Path()  # The folder for a workload that is made here; it must last as long as the runs


def base(layout: str) -> Callable[[Choice], Cases]:
    """Figures 4 and 5: every pattern and record size."""
    return lambda choice: points("base", layouts=(layout,), record_sizes=choice.records)


def listed(experiment: str, *layouts: str) -> Callable[[Choice], Cases]:
    return lambda _: points(experiment, layouts=layouts) if layouts else points(experiment)


def replay(trace: Path, exclude: str, pacing: str) -> Settings:
    own = {"kind": "trace", "trace": str(trace.resolve()), "exclude": exclude, "pacing": pacing}
    return {f"workload.{name}": value for name, value in own.items()}


def traced(choice: Choice) -> Cases:
    """Figure 11; nothing without a trace."""
    if choice.trace is None:
        return {}
    return {key: {**sets, **replay(choice.trace, choice.exclude, key.x)} for key, sets in points("11").items()}


def options(choice: Choice) -> Cases:
    found: dict[Key, Settings] = {}
    programs = {COMPUTING: replay(make_computing(choice.folder / "computing.csv"), "", "think-times")}
    if choice.trace is not None:
        machine = data_of("points/enwrich")["11"]["settings"][0]
        programs["trace"] = {**machine, **replay(choice.trace, choice.exclude, "think-times")}
    for option, own in OPTIONS.items():
        for name, key in OPTION_WORKLOADS.items():
            size = "2MiB" if key.record_bytes == 8 else "64MiB"
            point = {**transfer(key, METHODS["enwrich"]), "workload.file_size": size, **own}
            found[key._replace(pattern=name, x=option)] = point
        for name, program in programs.items():
            key = Key("enwrich", name, "contiguous", 0, option)
            found[key] = {**METHODS["enwrich"], **program, **own}
    return found


def make_computing(path: Path) -> Path:
    """Writes a trace of 16 ranks that write 64 MiB to one file, 8 KiB at a time in turns, and compute for 4 ms before
    each write: 2 s in total, as long as the disks need."""
    ranks, calls, block, think_us = 16, 512, 8192, 4000
    with writing(path), path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["rank", "op", "file", "offset", "length", "start_s", "end_s"])
        for call in range(calls):
            at = f"{(call + 1) * think_us / 1e6:.6f}"
            for rank in range(ranks):
                lines.writerow([rank, "write", "out", (call * ranks + rank) * block, block, at, at])
    return path


def latency(_: Choice) -> Cases:
    wanted = (("wbb", 8192), ("wcc", 8192), ("wcc", 512), ("wss", 512), ("wrnncc", 512))
    return {
        key: sets
        for pattern, record_bytes in wanted
        for key, sets in points("latency", patterns=(pattern,), record_sizes=(record_bytes,)).items()
    }


def flushes(found: Found, key: Key, reason: str | None = None) -> float:
    """The flushes of all caches or, with a reason, how often a processor asked for a flush for that reason."""
    return found[key].statistic(f"enwrich.{reason}_flushes" if reason else "enwrich.flushes")


def large(found: Found, method: str) -> list[Key]:
    return [key for key in found.select(method) if key.record_bytes > 8]


def within(found: Found, keys: Iterable[Key], low: float, high: float) -> dict[str, float]:
    """The margins of throughput that should lie between two values."""
    of = {key: found.mib(key) for key in keys}
    return {f"{key.pattern} {key.record_bytes} B ({mib:.1f})": min(mib - low, high - mib) for key, mib in of.items()}


def figure_4(found: Found) -> Iterator[Verdict]:
    if {8192, 512} <= set(found.record_sizes):
        keys = [key for key in large(found, "enwrich") if key.pattern != "wnn"]
        yield say("7-to-8", within(found, keys, 6.95, 8.05))


def figure_5(found: Found) -> Iterator[Verdict]:
    if {8192, 512} <= set(found.record_sizes):
        keys = [key for key in large(found, "enwrich") if key.pattern != "wnn"]
        yield say("around-30", within(found, keys, 27, 1.05 * 34.1))
        yield say("caching-9-to-10", within(found, large(found, "tc"), 8.5, 10.5))
    if {8192, 8} <= set(found.record_sizes):
        small = [found.one("enwrich", pattern=pattern, record_bytes=8) for pattern in ("wcc", "wpbccb")]
        yield say("small-lose", {of.pattern: found.mib(of) / found.mib(of._replace(record_bytes=8192)) for of in small})


def caching_on_two_arrays(found: Found) -> Iterator[Verdict]:
    if caching := large(found, "tc"):
        one, two = (
            average(found.mib(key) for key in caching if (key.pattern in TWO_ARRAYS) == two_arrays)
            for two_arrays in (False, True)
        )
        yield say("caching-two-arrays", {f"{two:.1f} over {one:.1f} MiB/s": two / one})


def together(choice: Choice) -> Cases:
    """Figures 4 and 5: the runs are theirs."""
    return {**base("random-blocks")(choice), **base("contiguous")(choice)}


def in_one_case(found: Found) -> Iterator[Verdict]:
    if found.select("enwrich", record_bytes=8):
        yield say("in-one-case", found.over(found.select("enwrich"), "tc").largest())


def two_to_three(found: Found) -> Iterator[Verdict]:
    ratios = found.over(found.select("enwrich"), "tc")
    yield say("two-to-three", {f"{ratio.where} ({ratio.value:.1f})": 0.5 - abs(ratio.value - 2.5) for ratio in ratios})


def exploits(found: Found) -> Iterator[Verdict]:
    gains = {
        method: average(found.mib(key) / found.mib(key._replace(layout="random-blocks")) for key in keys)
        for method in ("enwrich", "tc")
        for keys in [found.select(method, layout="contiguous")]
    }
    own, other = gains["enwrich"], gains["tc"]
    yield say("contiguous-higher", {f"{method}, contiguous over random-blocks": gain for method, gain in gains.items()})
    yield say("exploits", {f"{own:.2f} times over {other:.2f} times": own / other})


def coefficient(found: Found, key: Key) -> float:
    return variation(found[key].trials_mib_per_s)


def gains(found: Found, pattern: str) -> tuple[float, float]:
    """The gain of a 1 MiB cache over one of 0.5 MiB, and of a 2 MiB cache over one of 1 MiB, as fractions."""
    small, middle, big = (found.mib(found.one("enwrich", pattern=pattern, x=x)) for x in ("0.5", "1", "2"))
    return middle / small - 1, big / middle - 1


def figure_6(found: Found) -> Iterator[Verdict]:
    gained = {pattern: gains(found, pattern) for pattern in found.patterns}
    diminishing = {f"{p} ({100 * a:+.1f} %, then {100 * b:+.1f} %)": (p, a - b) for p, (a, b) in gained.items()}
    caching = {key.pattern: found.mib(key) for key in found.select("tc")}
    better = {key.pattern: found.mib(key) / caching[key.pattern] - 1.1 for key in found.select("enwrich", x="0.5")}
    yield say("cache-better", better)
    ends = {p: found.mib(found.one("enwrich", pattern=p, x="2")) for p in found.patterns}
    larger = {p: end / found.mib(found.one("enwrich", pattern=p, x="0.5")) - 1 for p, end in ends.items()}
    yield say("cache-larger", each(larger, larger.__getitem__, "gain"))
    yield say("cache-first-step", {name: less for name, (_, less) in diminishing.items()})
    of_many = {name: less for name, (pattern, less) in diminishing.items() if pattern in MANY_ENTRIES}
    yield say("cache-diminish", of_many)
    many, few = (average(gained[pattern][1] for pattern in group) for group in (MANY_ENTRIES, FEW_ENTRIES))
    yield say("cache-many", {"difference": 100 * (many - few)})


def ends(found: Found, method: str, low: int, high: int) -> dict[str, float]:
    """The throughput at an x over that at another one, by pattern; over the least x if that is larger."""
    of = found.curves(method)
    return {
        f"{p} {method}, {high} over {max(low, c.first)}": c[high] / c[max(low, c.first)] for p, c in of.items() if c
    }


def figure_7(found: Found) -> Iterator[Verdict]:
    # A partition needs two CPs.
    fall = {p: values[2] / values[1] for p, values in found.curves("enwrich").items() if not p.startswith("wp")}
    yield say("cps-fall", {f"{p} ({value:.2f})": 1 - value for p, value in fall.items()})
    yield say("cps-scale", ends(found, "enwrich", 2, 32))
    caching = ends(found, "tc", 1, 32)
    yield say("cps-caching", caching)
    place = sorted((name for name in caching if name.endswith("over 1")), key=caching.__getitem__)[1]
    yield say("cps-tremendous", {place: caching[place]})


def figure_8(found: Found) -> Iterator[Verdict]:
    own, caching = ends(found, "enwrich", 1, 16), ends(found, "tc", 1, 16)
    ((name, wnc),) = ((name, gain) for name, gain in caching.items() if name.startswith("wnc "))
    others = {name: gain for name, gain in caching.items() if not name.startswith("wnc ")}
    yield say("iops-both", {**own, **others})
    yield say("iops-improve", {a: own[a] / others[b] for a, b in zip(own, others, strict=True)})
    yield say("iops-wnc", {f"{name} ({wnc:.2f}), over the most of others": wnc / max(others.values())})


def disks_grow(found: Found) -> Iterator[Verdict]:
    for method, name in (("enwrich", "ENWRICH"), ("tc", "traditional caching")):
        yield say("disks-grow", ends(found, method, 8, 40), name=name)
    own, caching = (max(found.mib(key) for key in found.select(method, x="40")) for method in ("enwrich", "tc"))
    yield say("disks-ahead", {f"{own:.1f} over {caching:.1f} MiB/s": own / caching})


def diluted(found: Found) -> Iterator[Verdict]:
    growth = {pattern: curve[40] / curve[8] for pattern, curve in found.curves("enwrich").items()}
    own = growth.pop("wpnncc")
    yield say("disks-diluted", {f"{own:.2f} times over {p}'s": own / value for p, value in growth.items()})


def scheduler(found: Found) -> Iterator[Verdict]:
    scattered = {method: found.select(method, layout="random-blocks") for method in ("tc-sstf", "tc-cscan")}
    best = max(average(found.ratio(key, "tc") for key in keys) for keys in scattered.values())
    yield say("scheduler", {"over first-come-first-served": best})


def short_of_enwrich(found: Found, key: Key) -> float:
    return 1 - found.ratio(key, "enwrich")


def over(method: str) -> Tell:
    return lambda found, of: f"{found.ratio(of['enwrich'], method):.2f}"


def counted(name: str) -> Callable[[Found, Key], float | None]:
    """A figure that only ENWRICH has."""
    return lambda found, key: found[key].statistic(f"enwrich.{name}") if key.method == "enwrich" else None


def flushed(name: str) -> Tell:
    return lambda found, of: f"{counted(name)(found, of['enwrich']):.0f}"


def step(number: int) -> Tell:
    return lambda found, of: percent(gains(found, of["tc"].pattern)[number], sign=True)


def cache_size(key: Key) -> str:
    return f"{key.x} MiB" if key.x else key.method


def gained(found: Found, key: Key) -> float:
    return 100 * (found.mib(key) / found.mib(key._replace(x="none")) - 1)


def gain_or_plain(found: Found, key: Key) -> str:
    return f"{found.mib(key):.2f}" if key.x == "none" else f"{gained(found, key):+.1f} %"


def wait(found: Found, key: Key) -> str:
    of = found[key].latency
    times = ", ".join(milliseconds(time) for time in (of.p50_s, of.p99_s, of.max_s))
    return f"{times}; {flushes(found, key):.0f}"


STUDY = study_of("enwrich", globals())


@command(trials=5)
def reproduce_enwrich(
    call: Call,
    figure: Annotated[list[str] | None, figures_of(STUDY)] = None,
    records: Records = "8192,512",
    trace: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    exclude: Annotated[str, typer.Option(metavar="REGEX")] = READ_OF_SYSTEM,
    document: DocumentOption = None,
) -> bool:
    if "11" in (figure or []) and trace is None:
        raise UsageError("--figure 11 replays a trace; name it with --trace")
    wanted = [each for each in STUDY.choose(figure or []) if each.name != "11" or trace is not None]
    if trace is not None and not trace.is_file():
        raise FileError(f"--trace {trace}: there is no such file")
    with TemporaryDirectory(prefix="sunstar-") as made:
        choice = Choice(RECORDS[records], trace, exclude, Path(made))
        return conduct(STUDY, wanted, choice, call, call.folder(STUDY.name), document, bool(figure))
