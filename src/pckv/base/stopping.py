"""Long computations that can be stopped: no thread can be, so they look themselves whether they are still wanted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_stop: ContextVar[Event | None] = ContextVar("stop", default=None)


class Stopped(Exception):
    """A computation was stopped: no error, since nothing was wrong with it."""


@contextmanager
def stoppable_by(stop: Event) -> Iterator[None]:
    """Let what this context computes end by `Stopped` soon after the event is set."""
    check_stop(stop)
    token = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(token)


def check_stop(stop: Event | None = None) -> None:
    """Raise `Stopped` if the computation of this context is not wanted any more; long loops call it."""
    stop = stop or _stop.get()
    if stop is not None and stop.is_set():
        raise Stopped
