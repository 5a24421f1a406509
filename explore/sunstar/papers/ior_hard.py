# SPDX-License-Identifier: MIT
"""ior-hard of the IO500 under file systems with locks, with versions, and under collective I/O. The study is ours; so
are the bounds that are not the list's."""

from sunstar.study.cases import Found, Key
from sunstar.study.described import reproduction, study_of
from sunstar.study.statements import data_of

RECORDS = data_of("points/ior-hard")["records"]["record_sizes"]


def messages(found: Found, key: Key) -> float:
    """For each record."""
    result = found[key].result
    return float(result.messages / (result.ior.write.transfers + result.ior.read.transfers))


def place_of_record(key: Key) -> float:
    """The place on an axis of sizes, where some are nearly equal."""
    return float(RECORDS.index(key.record_bytes))


STUDY = study_of("ior-hard", globals())
reproduce_ior_hard = reproduction(STUDY)
