"""The device's clock, which may be wrong: it may be set back or forward at any time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from pckv.base.errors import ParameterError

# Returns the time, with a time zone.
Clock = Callable[[], dt.datetime]


def utc_now() -> dt.datetime:
    """Return the time of the system's clock, in UTC."""
    return dt.datetime.now(dt.UTC)


def read_clock(clock: Clock) -> dt.datetime:
    """Return the time of a clock in UTC; one without a time zone is refused."""
    now = clock()
    if not isinstance(now, dt.datetime) or now.tzinfo is None:
        raise ParameterError(f"the clock must return a time with a time zone, not {now!r}")
    return now.astimezone(dt.UTC)


def day_of(time: dt.datetime) -> str:
    """Return the day of a time in UTC."""
    return time.date().isoformat()
