# SPDX-License-Identifier: MIT
"""Get the outcomes of points: from the store of finished runs, or by running them.

The store is an SQLite database in the folder of results, which all commands share. A run is in it as a whole or not at
all, however the program or the computer ends. Its name in the store is its identity (sunstar.runs.simulator), so it is
never out of date. The database may be deleted at any time when no command runs.
"""

import sqlite3
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, Self, TypeVar

from sunstar.errors import FileError, RunError
from sunstar.files import make_folder
from sunstar.programs import Interrupted, in_parallel
from sunstar.results import Document, read
from sunstar.runs.simulator import Identities, Outcome, Plan, Point, Run, carry_out, identified, indices_of, planned

FILE = "runs.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    identity TEXT PRIMARY KEY,
    platform TEXT NOT NULL,
    finished REAL NOT NULL,  -- seconds since 1970
    exit_code INTEGER NOT NULL,
    message TEXT NOT NULL,
    document BLOB NOT NULL,  -- the result file, compressed by zlib; empty if the run failed
    figures BLOB NOT NULL,  -- its sections `result` and `host`, as JSON
    records BLOB  -- what the run wrote beside it, compressed
)
"""
COLUMNS = ["identity", "platform", "finished", "exit_code", "message", "document", "figures", "records"]
PATIENCE_S = 60.0  # How long to wait for another command that is writing
MOST_WAITING = 64  # Runs that may wait for the disk before their makers have to wait, too
QUICKLY = 1  # The level of compression; higher ones cost more time than they save
AT_ONCE = 500  # Identities in one question; SQLite has a limit
Form = TypeVar("Form", bound=Document)
Keep = Callable[[str, Outcome], None]


class Store:
    """The finished runs of a folder of results. Any thread may use it."""

    def __init__(self, folder: Path) -> None:
        self.path = make_folder(folder) / FILE
        self._lock = threading.Lock()
        self._waiting: list[tuple[str, str, float, int, str, bytes, bytes, bytes | None]] = []
        self._committed: Future[None] | None = None
        with self._told():
            self._database = sqlite3.connect(self.path, timeout=PATIENCE_S, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")  # readers do not wait for writers
            self._database.execute("PRAGMA synchronous = FULL")  # a transaction is on the disk when it ends
            self._database.execute(SCHEMA)
            names = [name for _, name, *_ in self._database.execute("PRAGMA table_info(runs)")]
        if names != COLUMNS:
            raise FileError(f"the store of finished runs {self.path} has another form than this version's; remove it")
        # One thread writes. While it waits for the disk, others add, and the next transaction takes all of them.
        self._writer = ThreadPoolExecutor(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        try:
            self.flush()
        finally:
            self._writer.shutdown()
            self._database.close()

    def add(self, identity: str, platform: str, outcome: Outcome) -> None:
        """Adds a run, or replaces one that failed. It is on the disk as soon as the disk takes it."""
        records = None if outcome.records is None else zlib.compress(outcome.records, QUICKLY)
        document = zlib.compress(outcome.document, QUICKLY)
        ended = (outcome.exit_code, outcome.message, document, outcome.figures)
        row = (identity, platform, time.time(), *ended, records)
        with self._lock:
            if self._committed is not None and self._committed.done():
                self._committed.result()  # raises the thread's error
            self._waiting.append(row)
            self._committed = committed = self._writer.submit(self._commit)
            many = len(self._waiting) > MOST_WAITING
        if many:
            committed.result()

    def flush(self) -> None:
        """Returns when everything that was added is on the disk."""
        if self._committed is not None:
            self._committed.result()

    def endings(self, identities: Iterable[str]) -> dict[str, tuple[int, str, bool]]:
        """The exit codes and messages of those runs that are in the store, and whether they have kept their records."""
        found = self._select("identity, exit_code, message, records IS NOT NULL", identities)
        return {identity: (exit_code, message, bool(kept)) for identity, exit_code, message, kept in found}

    def outcomes(self, identities: Iterable[str]) -> Iterator[tuple[str, Outcome]]:
        """Those runs that are in the store, in any order."""
        columns = "identity, exit_code, message, document, figures, records"
        for identity, exit_code, message, document, figures, records in self._select(columns, identities):
            with self._told():
                kept = None if records is None else zlib.decompress(records)
                outcome = Outcome(exit_code, message, zlib.decompress(document), figures, kept)
            yield identity, outcome

    def figures(self, identities: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        yield from self._select("identity, figures", identities)

    def outcome(self, identity: str) -> Outcome | None:
        return next((outcome for _, outcome in self.outcomes([identity])), None)

    def _select(self, columns: str, identities: Iterable[str]) -> Iterator[tuple]:  # type: ignore[type-arg]
        wanted = list(dict.fromkeys(identities))
        with self._told(), closing(sqlite3.connect(self.path, timeout=PATIENCE_S)) as database:
            for start in range(0, len(wanted), AT_ONCE):
                some = wanted[start : start + AT_ONCE]
                question = f"SELECT {columns} FROM runs WHERE identity IN ({', '.join('?' * len(some))})"
                yield from database.execute(question, some)

    def _commit(self) -> None:
        with self._lock:
            rows, self._waiting = self._waiting, []
        if rows:
            with self._told(), self._database as transaction:
                transaction.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Gives errors of the database the name of its file."""
        try:
            yield
        except (sqlite3.Error, zlib.error, TypeError) as error:
            raise FileError(f"the store of finished runs {self.path} cannot be used: {error}") from error


class Scheduler(Protocol):
    """Carries runs out, on this computer or on others (sunstar.runs.cluster)."""

    def carry_out(self, points: Mapping[str, Point], keep: Keep, ended: Callable[[str], None]) -> None:
        """Carries all points out. `keep` gets each outcome at once, in any thread; then `ended` is called here."""


@dataclass(frozen=True)
class Local:
    """This computer, with `jobs` runs at the same time (0: one for each processor) or, of a single run, `jobs` trials.
    At the time `until` of the monotonic clock, it ends all running ones with a TimeoutError."""

    jobs: int = 0
    until: float | None = None

    def carry_out(self, points: Mapping[str, Point], keep: Keep, ended: Callable[[str], None]) -> None:
        names = list(points)
        trials_at_once = self.jobs if len(points) == 1 else 1

        def work(name: str) -> None:
            keep(name, carry_out(points[name], trials_at_once))

        left = None if self.until is None else max(0.0, self.until - time.monotonic())
        in_parallel(work, names, jobs=self.jobs, on_result=lambda i, _: ended(names[i]), seconds=left)


@dataclass(frozen=True)
class Runner:
    store: Store
    scheduler: Scheduler = field(default_factory=Local)
    retry_failed: bool = False  # Failed runs are repeated

    def one(self, point: Point, trials_at_once: int = 0) -> Run:
        """Gets one run, in this thread and without the scheduler."""
        plan = planned([point], identified([point], Identities()))
        if found := self.known(plan):
            return found[0]
        outcome = carry_out(point, trials_at_once)
        self.store.add(plan.identities[0], point.platform, outcome)
        self.store.flush()
        return Run(point, plan.identities[0], outcome.exit_code, outcome.message)

    def records(self, run: Run) -> bytes:
        """The file of records that a run has written; its error if it failed."""
        outcome = self.store.outcome(run.identity)
        if outcome is None or outcome.records is None:
            raise run.error() if not run.done else RunError(f"{run.point} left no records", 0)
        return outcome.records

    def known(self, plan: Plan) -> dict[int, Run]:
        """The runs that need not be made, by index: runs in the store, and points that are no configuration."""
        endings = self.store.endings(identity for identity in plan.identities if identity)
        found = dict(plan.refused)
        for index, (point, identity) in enumerate(zip(plan.points, plan.identities, strict=True)):
            if identity in endings:
                exit_code, message, kept = endings[identity]
                run = Run(point, identity, exit_code, message)
                if (kept or not point.records) if run.done else not self.retry_failed:
                    found[index] = run
        return found

    def all(self, plan: Plan, on_end: Callable[[int, Run], None]) -> list[Run]:
        """Gets all runs; the same run is made once. A run that fails does not stop the others. on_end is called in this
        thread, with an index, for each run that was not known before."""
        runs = self.known(plan)
        missing = indices_of("" if index in runs else identity for index, identity in enumerate(plan.identities))
        fullest = {
            identity: max((plan.points[index] for index in same), key=lambda point: point.records)
            for identity, same in missing.items()
        }
        endings: dict[str, tuple[int, str]] = {}

        def keep(identity: str, outcome: Outcome) -> None:
            self.store.add(identity, fullest[identity].platform, outcome)
            endings[identity] = outcome.exit_code, outcome.message

        def ended(identity: str) -> None:
            for index in missing[identity]:
                runs[index] = Run(plan.points[index], identity, *endings[identity])
                on_end(index, runs[index])

        try:
            self.scheduler.carry_out(fullest, keep, ended)
        except Interrupted:
            print(f"{len(endings)} of {len(fullest)} runs are kept; the same command goes on", file=sys.stderr)
            raise
        finally:
            self.store.flush()
        return [runs[index] for index in range(len(plan.points))]


def documents_of(form: type[Form], runs: Sequence[Run], store: Store, statistics: bool = True) -> list[Form]:
    """The results of runs in their order; the error of the first failed one. Without statistics, they are small."""
    for run in runs:
        if not run.done:
            raise run.error()
    found: dict[str, Form] = {}
    for identity, outcome in store.outcomes(run.identity for run in runs):
        document = read(outcome.document)
        assert isinstance(document, form)
        found[identity] = document if statistics else replace(document, statistics={})
    return [found[run.identity] for run in runs]
