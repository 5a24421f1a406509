# SPDX-License-Identifier: MIT
"""The paper's patterns and systems, and the settings and measures of its experiments' points."""

from sunstar.study.cases import Found, Key, Settings

LAYOUTS = ("random-blocks", "contiguous")
METHODS: dict[str, Settings] = {
    "tc": {"file_system.kind": "traditional-caching"},
    "enwrich": {"file_system.kind": "enwrich"},
    "ddio": {"file_system.kind": "disk-directed"},
    "tc-sstf": {"file_system.kind": "traditional-caching", "file_system.queue_order": "shortest-seek-first"},
    "tc-cscan": {"file_system.kind": "traditional-caching", "file_system.queue_order": "cyclical-scan"},
}
ONE_ARRAY = ("wnn", "wnb", "wnc", "wbn", "wbb", "wbc", "wcn", "wcb", "wcc", "wss")
ROUND_ROBIN = ("wrnnbb", "wrnncc", "wrnbbn", "wrbccb")
PARTITION = ("wpnnbb", "wpnncc", "wpnbbn", "wpbccb")
TWO_ARRAYS = ROUND_ROBIN + PARTITION
DILUTED = tuple(pattern for pattern in TWO_ARRAYS if pattern[2:4] == "nn")
"""One processor holds half of the data."""
PATTERNS = ONE_ARRAY + TWO_ARRAYS


def mappings(pattern: str) -> tuple[str, ...]:
    """How the arrays of a pattern are spread: "wrnbbn" is ("nb", "bn"); wss is nc in step."""
    if pattern == "wss":
        return ("nc",)
    return (pattern[2:4], pattern[4:6]) if pattern in TWO_ARRAYS else (pattern[1:],)


def chunks_are_records(pattern: str) -> bool:
    """Whether each write of a processor is one record, because an array is cyclic along its rows."""
    return any(mapping[1] == "c" for mapping in mappings(pattern))


def settings(key: Key) -> Settings:
    """The settings of a point, except x: 64 MiB of data, or 8 MiB where each call writes 8 bytes."""
    small = key.record_bytes == 8 and chunks_are_records(key.pattern)
    return {
        **METHODS[key.method],
        "file_system.layout": key.layout,
        "workload.pattern": key.pattern,
        "workload.record_size": f"{key.record_bytes}B",
        "workload.file_size": "8MiB" if small else "64MiB",
    }


def flushes(found: Found, key: Key, reason: str | None = None) -> float:
    """The flushes of all caches or, with a reason, how often a processor asked for a flush for that reason."""
    return found.statistic(key, f"enwrich.{reason}_flushes" if reason else "enwrich.flushes")


def fetched_blocks(found: Found, key: Key) -> float:
    """Blocks that flushes had to read because the caches did not hold all of them."""
    return found.statistic(key, "enwrich.fetched_blocks")
