"""Signals that end a program: held until a place where it can clean up, or raised as interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import FrameType

END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class EndSignals:
    """Remember the first signal that asks the program to end, until `check` is called."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._received = threading.Event()

    def check(self) -> None:
        """Raise KeyboardInterrupt with the signal's number, if there was one."""
        if self._number is not None:
            raise KeyboardInterrupt(self._number)

    def wait(self) -> None:
        """Wait for a signal, and forget it: it was waited for."""
        self._received.wait()
        self._number = None

    def receive(self, number: int, _frame: FrameType | None) -> None:
        """Take a signal, as its handler."""
        self._number = self._number or number
        self._received.set()


@contextmanager
def held_signals() -> Iterator[EndSignals]:
    """Hold the signals that end a program: code inside ends where it checks for them, and nowhere else."""
    signals = EndSignals()
    with _handled_by(signals.receive):
        yield signals
        signals.check()


@contextmanager
def interrupting_signals() -> Iterator[None]:
    """Let every signal that ends a program raise KeyboardInterrupt, as Ctrl-C does: outputs are cleaned up.

    After the first signal others are ignored: they must not interrupt the cleaning up.
    """

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for other in handled:
            signal.signal(other, signal.SIG_IGN)
        raise KeyboardInterrupt(number)

    with _handled_by(interrupt) as handled:
        yield


@contextmanager
def _handled_by(handle: Callable[[int, FrameType | None], None]) -> Iterator[Collection[signal.Signals]]:
    """Let a function handle this thread's signals, and restore their handlers at the end."""
    before = {number: signal.signal(number, handle) for number in _own_signals()}
    try:
        yield before
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _own_signals() -> list[signal.Signals]:
    """Return the signals that this thread handles: only the main thread receives any."""
    if threading.current_thread() is not threading.main_thread():
        return []
    # A program that was started with nohup ignores hang-ups.
    return [number for number in END_SIGNALS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
