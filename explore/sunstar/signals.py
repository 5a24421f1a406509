# SPDX-License-Identifier: MIT
"""Signals that end a program: first it ends what it has started and removes its temporary files."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGQUIT, signal.SIGTERM)


class Interrupted(BaseException):
    """A signal has arrived. Like KeyboardInterrupt, this is no Exception, so that nothing takes it for a failed run."""


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """The first signal raises Interrupted in this block. After the block the program ends by that signal, whatever else
    was raised on the way, so that the caller sees the usual status."""
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
