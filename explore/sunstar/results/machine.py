# SPDX-License-Identifier: MIT
"""Results of whole machines: sunstar-torus."""

from typing import Literal

from sunstar.errors import UnmeasuredError
from sunstar.results.common import Document, Model


class TrialThroughput(Model):
    mib_per_s: float
    """MiB/s, from the first request to the file system's own end."""
    medium_mib_per_s: float
    """MiB/s, until the last byte is on the medium."""


class Throughput(TrialThroughput):
    """Means of the trials."""

    coefficient_of_variation: float


class Latency(Model):
    """How long each call of the file system, or each collective, took, in seconds."""

    p50_s: float
    p90_s: float
    p99_s: float
    max_s: float


class NoLatency(Model):
    """In the place of Latency in a run without calls."""

    count: Literal[0]


class Memory(Model):
    """Bytes that the file system took, beside the applications' buffers, on the node that took most."""

    compute_processor: float
    io_processor: float


class CacheUse(Model):
    """What the caches of all application nodes did, in blocks."""

    hits: float
    joined: float
    """Found under way: another request had asked for them."""
    misses: float
    written: float
    waits: float
    """Times that a request found no free block."""
    stale_reads: float


class Job(Model):
    """One of several applications at once."""

    elapsed_s: float | None = None
    alone_s: float | None = None
    """None if the run did not compare it with itself alone; likewise below."""
    slowdown: float | None = None
    """How many times as long it took as alone."""


class Sharing(Model):
    """How several applications shared the machine."""

    fairness: float
    """Jain's index of their speeds."""


class Figures(Model):
    throughput: Throughput
    elapsed_s: float
    application_s: float | None = None
    """From the applications' first request to the return of their last one; None if the run did not time that."""
    verified: bool
    bytes_moved: float
    """Bytes of all calls or collectives."""
    messages: float
    """Network messages, with acknowledgements."""
    message_bytes: float
    """Data in the messages."""
    header_bytes: float
    """Their headers, and the lists of pieces that they carry."""
    network_bytes: float
    """Both together."""
    memory: Memory
    warnings: tuple[str, ...]
    latency: Latency | NoLatency
    cache: CacheUse | None = None
    """None without caches on application nodes."""
    job0: Job | None = None
    job1: Job | None = None
    """The first two of several applications; None if the run has fewer."""
    sharing: Sharing | None = None


class Trial(Model):
    seed: int
    throughput: TrialThroughput
    elapsed_s: float
    messages: float
    message_bytes: float


class MachineResult(Document):
    """The figures of one run, means of its trials unless said otherwise."""

    result: Figures
    trials: tuple[Trial, ...]

    @property
    def mib_per_s(self) -> float:
        return self.result.throughput.mib_per_s

    @property
    def medium_mib_per_s(self) -> float:
        """Throughput until the last byte is on the medium."""
        return self.result.throughput.medium_mib_per_s

    @property
    def coefficient_of_variation(self) -> float:
        return self.result.throughput.coefficient_of_variation

    @property
    def trials_mib_per_s(self) -> tuple[float, ...]:
        """Throughput of each trial."""
        return tuple(trial.throughput.mib_per_s for trial in self.trials)

    @property
    def elapsed_s(self) -> float:
        return self.result.elapsed_s

    @property
    def verified(self) -> bool:
        return self.result.verified

    @property
    def messages(self) -> float:
        return self.result.messages

    @property
    def message_bytes(self) -> float:
        return self.result.message_bytes

    @property
    def header_bytes(self) -> float:
        return self.result.header_bytes

    @property
    def network_bytes(self) -> float:
        return self.result.network_bytes

    @property
    def memory(self) -> Memory:
        return self.result.memory

    @property
    def latency(self) -> Latency:
        """The latency of calls; UnmeasuredError if the run had none."""
        found = self.result.latency
        if isinstance(found, NoLatency):
            raise UnmeasuredError(f"{self.platform} timed no call of the file system")
        return found
