# SPDX-License-Identifier: MIT
"""The experiments of D. Kotz, "Expanding the potential for disk-directed I/O", 1995 (sections 3.2, 4.2 and 5.2, figures
2 to 4), and one more on its records.

The paper draws its measures and gives few numbers. We set the bounds of statements from its words: "similarly" is
within 5 %, "leaves alone" within 2 %, "never slower" allows 1.1 %, which its predecessor's own tables do (TR94-226),
and "dramatically" is half as much again. The figure of a known shortfall is the worst one of five trials with seed 1.
"""

from collections.abc import Callable, Iterator

from sunstar.errors import UnmeasuredError
from sunstar.quantities import size_in_bytes
from sunstar.results import MachineResult
from sunstar.study.cases import Found, Key, variation
from sunstar.study.experiments import reproduction, study_of
from sunstar.study.statements import Measure, Measures, Sentences, Verdict

say = Sentences("expanding")

# tc and tc-share redirect records. tc-share is ours, for what it tells about tc with records as large as a block. So is
# ddio-at-cp, which filters where tc does; it differs from ddio only if records are thrown away: their share is the x of
# a point of figure 3. A subset is 22 % of the blocks of a file (x), as even over CPs and disks as the defaults make it.


def disks_bytes_per_s(result: MachineResult) -> float:
    """The peak rate of all drives together: the sectors of a track in the outermost zone in each revolution. The HP
    97560 has 72 of 512 bytes and 4002 revolutions a minute: 2.345 MiB/s, the 2.34 of the papers."""
    machine = result.config.get("machine", {})
    groups = [
        group for node in machine.get("nodes", []) for bus in node.get("buses", []) for group in bus.get("drives", [])
    ]
    if not groups:
        raise UnmeasuredError("the peak rate of the drives is not known: the result names none")
    total = 0.0
    for group in groups:
        drive = {**machine["disk"], **(group["disk"] or {})}
        sectors = max(zone["sectors_per_track"] for zone in drive["zones"])
        total += group["count"] * sectors * size_in_bytes(drive["sector_size"]) * drive["rpm"] / 60
    return total


def bytes_needed(result: MachineResult) -> float:
    """Each of the paper's measures is over the best possible value, so that 1 is best: for time, these bytes over the
    peak rate of all drives; for data and network, these bytes sent once, without a header; one message for each record,
    or for each block of a subset. They are the whole file, filtered or not, since the disks read it all and the paper
    compares traffic with that without a filter; of a subset the requested blocks."""
    workload = result.config["workload"]
    return size_in_bytes(workload["file_size"]) if workload["kind"] == "records" else result.result.bytes_moved


def time(found: Found, key: Key) -> float:
    result = found[key]
    return result.elapsed_s * disks_bytes_per_s(result) / bytes_needed(result)


def sent(figure: str) -> Callable[[Found, Key], float]:
    return lambda found, key: getattr(found[key], figure) / bytes_needed(found[key])


def messages(found: Found, key: Key) -> float:
    workload = found[key].config["workload"]
    unit = size_in_bytes(workload["record_size" if workload["kind"] == "records" else "chunk_size"])
    return found[key].messages / (bytes_needed(found[key]) / unit)


def largest_variation(found: Found, key: Key) -> float:
    """The largest coefficient of variation of the run's measures over its trials: time, data, messages."""
    names = ("elapsed_s", "message_bytes", "messages")
    return max(variation([getattr(trial, name) for trial in found[key].trials]) for name in names)


def variation_in_percent(found: Found, key: Key) -> float:
    return 100 * largest_variation(found, key)


def ddio_over(found: Found, key: Key) -> float:
    """The time of disk-directed I/O over that of this method."""
    return found[key._replace(method="ddio")].elapsed_s / found[key].elapsed_s


def similarly(found: Found) -> Iterator[Verdict]:
    """The time of each system over that of each other one."""
    systems, measures = ("tc", "tc-direct", "ddio"), Measures()
    for other in systems:
        for key in found.select(*systems, record_bytes=8192, layout="contiguous"):
            ratio = found[key].elapsed_s / found[key._replace(method=other)].elapsed_s
            measures.append(Measure(ratio, f"{key} over {other}"))
    yield say("similar", measures)


def discarded(key: Key) -> str:
    return f"{100 * float(key.x):.0f} %"


STUDY = study_of("expanding", globals())
reproduce_expanding = reproduction(STUDY)
