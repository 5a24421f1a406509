# SPDX-License-Identifier: MIT
"""TR94-226's patterns on a cluster of today: which findings of the report hold there. The experiment is ours; so are
the bounds, which are wide enough to show the direction.

ddio-16 is disk-directed I/O with buffers enough for drives that take several commands at a time. On `b` patterns the
file's order is that of the clients: going through the file in order serves one client after the other.
"""

from sunstar.study.cases import Found, Key
from sunstar.study.described import reproduction, study_of


def messages(found: Found, key: Key) -> float:
    """For each MiB."""
    result = found[key].result
    return float(result.messages * (1 << 20) / result.bytes_moved)


def contiguous_over(found: Found, key: Key) -> float:
    """The throughput of the contiguous layout over that of this one."""
    return found.mib(key._replace(layout="contiguous")) / found.mib(key)


STUDY = study_of("nvme-cluster", globals())
reproduce_nvme_cluster = reproduction(STUDY)
