# SPDX-License-Identifier: MIT
"""Run many programs at once, end them together; signals that end this program end its children first, and its files."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TypeVar

from sunstar.errors import FileError

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGQUIT, signal.SIGTERM)
Task = TypeVar("Task")
Outcome = TypeVar("Outcome")
Done = subprocess.CompletedProcess[str]
DoneInBytes = subprocess.CompletedProcess[bytes]
Folder = str | Path | None
GRACE_S = 5.0  # Seconds that a program may take to end after SIGTERM


class Interrupted(BaseException):
    """A signal has arrived. Like KeyboardInterrupt, this is no Exception: no handler takes it for a failed run."""


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """The first signal raises Interrupted in this block. After the block the program ends by that signal, even if
    another error was raised on the way, so that the caller sees the usual status."""
    came: list[int] = []
    inside = True

    def interrupt(number: int, _: FrameType | None) -> None:
        came.append(number)
        if inside and len(came) == 1:  # others would interrupt the clearing up
            raise Interrupted

    # Python itself ignores SIGPIPE. Any other ignored signal the caller wants to be ignored, as nohup does.
    before = {
        number: signal.signal(number, interrupt)
        for number in ENDING
        if number == signal.SIGPIPE or signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        inside = False
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.signal(came[0], signal.SIG_DFL)
            signal.raise_signal(came[0])


@contextmanager
def held() -> Iterator[None]:
    """Signals wait until the end of this block."""
    if threading.current_thread() is not threading.main_thread():  # Python handles signals in the main thread only
        yield
        return
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in ENDING
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for each in came:
            signal.raise_signal(each)


class Programs:
    """Programs that are ended together, each with the processes that it has started itself."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: list[subprocess.Popen[bytes]] = []
        self._ended = False

    def run(self, command: Sequence[str], cwd: Folder, env: Mapping[str, str] | None, given: bytes) -> DoneInBytes:
        with self._changed:
            if self._ended:
                raise CancelledError
            stdin, pipe = subprocess.PIPE if given else subprocess.DEVNULL, subprocess.PIPE
            try:  # in a group of its own, so that end() reaches what it starts, and nothing but end() passes Ctrl-C on
                process = subprocess.Popen(
                    command, stdin=stdin, stdout=pipe, stderr=pipe, cwd=cwd, env=env, process_group=0
                )
            except OSError as error:
                raise FileError(f"cannot start {command[0]}: {error.strerror}") from error
            self._running.append(process)
        try:
            out, err = process.communicate(given or None)
        finally:
            with self._changed:
                self._running.remove(process)
                self._changed.notify()
        if self._ended:  # how it ended says nothing about the program
            raise CancelledError
        return DoneInBytes(command, process.returncode, out, err)

    def end(self) -> None:
        """Ends all running programs, and lets no other start."""
        with self._changed:
            self._ended = True
            for number in (signal.SIGTERM, signal.SIGKILL):
                for process in self._running:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, number)
                if self._changed.wait_for(lambda: not self._running, GRACE_S):
                    return


current: ContextVar[Programs | None] = ContextVar("current", default=None)
"""The programs that in_parallel() ends together, in the threads that it makes; None in others."""


def run_program(command: Sequence[str], *, cwd: Folder = None, env: Mapping[str, str] | None = None) -> Done:
    """Runs a program and returns its exit code and its output. If the main thread is interrupted, it ends."""
    done = run_for_bytes(command, cwd=cwd, env=env)
    return Done(command, done.returncode, *(text.decode(errors="replace") for text in (done.stdout, done.stderr)))


def run_for_bytes(
    command: Sequence[str], *, cwd: Folder = None, env: Mapping[str, str] | None = None, given: bytes = b""
) -> DoneInBytes:
    """The same for a program that reads `given` and prints more than text for people."""
    programs = current.get()
    if programs is None:
        # In another thread: a signal cannot interrupt it between starting a program and recording it.
        return in_parallel(partial(run_for_bytes, cwd=cwd, env=env, given=given), [command], jobs=1)[0]
    return programs.run(command, cwd, env, given)


def processors() -> int:
    return len(os.sched_getaffinity(0))


def in_parallel(
    work: Callable[[Task], Outcome],
    tasks: Sequence[Task],
    *,
    jobs: int = 0,
    on_result: Callable[[int, Outcome], None] | None = None,
    seconds: float | None = None,
) -> list[Outcome]:
    """The results, in order, of tasks that run programs, `jobs` at a time (0: one for each processor). on_result is
    called in this thread with the index of each task as it ends. The first task that fails ends all: programs that run
    are ended, tasks not yet started are not done, and its error is raised. The same happens if this thread is
    interrupted, and after `seconds`, with a TimeoutError."""
    programs = Programs()
    results: dict[int, Outcome] = {}
    with ThreadPoolExecutor(jobs or processors(), initializer=current.set, initargs=(programs,)) as pool:
        try:
            index: dict[Future[Outcome], int] = {pool.submit(work, task): i for i, task in enumerate(tasks)}
            for future in as_completed(index, seconds):
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
