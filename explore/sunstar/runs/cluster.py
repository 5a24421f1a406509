# SPDX-License-Identifier: MIT
"""Runs on the workers of a Dask cluster. Only this program writes the store, so that a worker or scheduler may die."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from distributed import CancelledError, Client, Future, KilledWorker, as_completed

from sunstar.errors import MissingExecutableError, SchedulerError
from sunstar.places import executable
from sunstar.runs.runner import Keep
from sunstar.runs.simulator import FAILED, Outcome, Point, carry_out, digest_of_program

AHEAD = 4  # Runs queued for each thread of a worker: enough to keep it busy, few enough to lose little
LEAST_AHEAD = 64
PATIENCE_S = 20  # How long to wait for a scheduler that does not answer


class Cluster:
    """The workers of the Dask scheduler at this address, as in tcp://login1:8786."""

    def __init__(self, address: str) -> None:
        self.address = address

    def carry_out(self, points: Mapping[str, Point], keep: Keep, ended: Callable[[str], None]) -> None:
        if not points:
            return
        digests = {point.platform: digest_of_program(executable(point.platform)) for point in points.values()}
        with self._client() as client, self._told():
            name_of: dict[str, str] = {}

            def submitted() -> Iterator[Future[Outcome]]:
                for name, point in points.items():
                    future = client.submit(carry_out_there, point, digests[point.platform], key=f"sunstar-{name}")
                    name_of[future.key] = name
                    yield future

            waiting = submitted()
            ahead = max(LEAST_AHEAD, AHEAD * sum(client.nthreads().values()))
            under_way = as_completed(list(islice(waiting, ahead)), loop=client.loop)
            for future in under_way:
                name = name_of[future.key]
                keep(name, self._outcome(future))
                future.release()
                ended(name)
                for another in islice(waiting, 1):
                    under_way.add(another)

    def _client(self) -> Client:
        try:
            return Client(self.address, set_as_default=False, timeout=PATIENCE_S)
        except (OSError, ValueError) as error:
            raise SchedulerError(f"there is no Dask scheduler at {self.address}: {error}") from error

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tells the user what to do when the scheduler is lost, in whichever way Dask notices."""
        try:
            yield
        except (CancelledError, OSError, TimeoutError) as error:
            raise SchedulerError(
                f"the Dask scheduler at {self.address} has gone; nothing that was finished is lost: start it and its "
                "workers anew, and call the same command again"
            ) from error

    def _outcome(self, future: Future[Outcome]) -> Outcome:
        try:
            found = future.result()
        except KilledWorker as error:
            return Outcome(FAILED, f"every worker that tried this run has died: {error}")
        assert isinstance(found, Outcome)
        return found


def carry_out_there(point: Point, digest: str) -> Outcome:
    """The work of a worker. Its simulator must be the sweep's, or its results would pass for another's."""
    program = executable(point.platform)
    if digest_of_program(program) != digest:
        raise MissingExecutableError(f"{program} of a worker is not the executable of the sweep; build the same there")
    return carry_out(point)
