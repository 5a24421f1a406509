# SPDX-License-Identifier: MIT
"""Run programs, many at the same time, and end them together."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import TypeVar

from sunstar.errors import FileError
from sunstar.signals import held

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")
Done = subprocess.CompletedProcess[str]

GRACE_S = 5.0
"""How long a program may take to end when it is asked to."""


class Programs:
    """Programs that are ended together, each with the processes that it has started itself."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: list[subprocess.Popen[str]] = []
        self._ended = False

    def run(self, command: Sequence[str], cwd: Path | None, env: Mapping[str, str] | None) -> Done:
        with self._changed:
            if self._ended:
                raise CancelledError
            process = start(command, cwd, env)
            self._running.append(process)
        try:
            out, err = process.communicate()
        finally:
            with self._changed:
                self._running.remove(process)
                self._changed.notify()
        return Done(command, process.returncode, out, err)

    def end(self) -> None:
        """Ends all that run, and lets no other start."""
        with self._changed:
            self._ended = True
            for number in (signal.SIGTERM, signal.SIGKILL):
                for process in self._running:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, number)
                if self._changed.wait_for(lambda: not self._running, GRACE_S):
                    return


def start(command: Sequence[str], cwd: Path | None, env: Mapping[str, str] | None) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env=env,
            process_group=0,  # so that end() reaches what it starts itself, and nothing but end() passes Ctrl-C on
        )
    except OSError as error:
        raise FileError(f"cannot start {command[0]}: {error.strerror}") from error


current: ContextVar[Programs | None] = ContextVar("current", default=None)
"""What in_parallel() ends together with the programs of this thread; None in a thread that it has not made."""


def run_program(command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Done:
    """Runs a program and returns its exit code and what it prints. If the main thread is interrupted, it ends."""
    programs = current.get()
    if programs is None:
        # In another thread, which no signal can interrupt between the start of a program and the note of it.
        return in_parallel(partial(run_program, cwd=cwd, env=env), [command], jobs=1)[0]
    return programs.run(command, cwd, env)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


def in_parallel(
    work: Callable[[Task], Outcome],
    tasks: Sequence[Task],
    *,
    jobs: int = 0,
    on_result: Callable[[int, Outcome], None] | None = None,
) -> list[Outcome]:
    """Does tasks that run programs, `jobs` at a time (0: as many as there are processors), and returns their results in
    order.

    on_result is called in this thread with the index of each task as it ends. The first task that fails ends all:
    programs that run are ended, tasks not yet started are not done, and its error is raised. The same happens if this
    thread is interrupted.
    """
    programs = Programs()
    results: dict[int, Outcome] = {}
    with ThreadPoolExecutor(jobs or processors(), initializer=current.set, initargs=(programs,)) as pool:
        try:
            index: dict[Future[Outcome], int] = {pool.submit(work, task): i for i, task in enumerate(tasks)}
            for future in as_completed(index):
                i = index[future]
                results[i] = future.result()
                if on_result is not None:
                    on_result(i, results[i])
        except BaseException:
            with held():
                pool.shutdown(wait=False, cancel_futures=True)
                programs.end()
            raise
    return [results[i] for i in range(len(tasks))]
