# SPDX-License-Identifier: MIT
"""ior-hard of the IO500 under file systems with locks, with versions, and under collective I/O. The study is ours."""

from sunstar.console import throughput
from sunstar.study.cases import Found, Key
from sunstar.study.described import reproduction, study_of
from sunstar.study.views import Quantity

MIB = 1 << 20


def phase(found: Found, key: Key, way: str) -> float:
    figure: float = getattr(found[key].result.ior, way).mib_per_s
    return figure


def share(found: Found, key: Key, way: str) -> float | None:
    """Of the throughput that the same method has with large transfers."""
    easy = key._replace(pattern="easy")
    return phase(found, key, way) / phase(found, easy, way) if easy in found.results else None


def messages(found: Found, key: Key) -> float:
    result = found[key].result
    figure: float = result.messages / (result.ior.write.transfers + result.ior.read.transfers)
    return figure


def memory(found: Found, key: Key) -> float:
    return float(found[key].memory.io_processor) / MIB


def three_digits(value: float) -> str:
    return f"{value:.3f}"


WRITTEN = Quantity("written, MiB/s", lambda found, key: phase(found, key, "write"), throughput)
READ = Quantity("read, MiB/s", lambda found, key: phase(found, key, "read"), throughput)
SHARE = Quantity("hard over easy", lambda found, key: share(found, key, "write"), three_digits)
SHARE_READ = Quantity("hard over easy, read", lambda found, key: share(found, key, "read"), three_digits)
MESSAGES = Quantity("messages for each record", messages, throughput)
MEMORY = Quantity("memory of a server, MiB", memory, throughput)
STUDY = study_of("ior-hard", globals())
reproduce_ior_hard = reproduction(STUDY)
