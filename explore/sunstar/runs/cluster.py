# SPDX-License-Identifier: MIT
"""Runs on the workers of a Dask cluster. The workers know nothing but the command; this program alone writes the
store, so that a worker or the scheduler may die at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from distributed import CancelledError, Client, Future, KilledWorker, as_completed

from sunstar.errors import MissingExecutableError, SchedulerError
from sunstar.places import executable
from sunstar.runs.simulator import FAILED, Command, Outcome, carry_out, digest_of_program

AHEAD = 4  # Runs queued for each thread of a worker: enough to keep it busy, few enough to lose little
LEAST_AHEAD = 64
PATIENCE_S = 20  # How long to wait for a scheduler that does not answer


class Cluster:
    """The workers of the Dask scheduler at this address, as in tcp://login1:8786."""

    trials_alone = 1  # A worker's threads run side by side

    def __init__(self, address: str) -> None:
        self.address = address

    def carry_out(
        self, commands: Mapping[str, Command], keep: Callable[[str, Outcome], None], ended: Callable[[str], None]
    ) -> None:
        if not commands:
            return
        digests = {command.platform: digest_of_program(executable(command.platform)) for command in commands.values()}
        with self._client() as client, self._told():
            name_of: dict[str, str] = {}

            def submitted() -> Iterator[Future[Outcome]]:
                for name, command in commands.items():
                    future = client.submit(carry_out_there, command, digests[command.platform], key=f"sunstar-{name}")
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
                for another in waiting:
                    under_way.add(another)
                    break

    def _client(self) -> Client:
        try:
            return Client(self.address, set_as_default=False, timeout=PATIENCE_S)
        except (OSError, ValueError) as error:
            raise SchedulerError(f"there is no Dask scheduler at {self.address}: {error}") from error

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tells the user what to do when the scheduler is lost, however Dask notices."""
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


def carry_out_there(command: Command, digest: str) -> Outcome:
    """The work of a worker. Its simulator must be the sweep's, or its results would pass for another's."""
    program = executable(command.platform)
    if digest_of_program(program) != digest:
        raise MissingExecutableError(f"{program} of a worker is not the executable of the sweep; build the same there")
    return carry_out(command)
