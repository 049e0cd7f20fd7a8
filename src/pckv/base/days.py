"""Days: YYYY-MM-DD in UTC, as texts, which compare as the days do."""

from __future__ import annotations

import datetime as dt
import time
from enum import StrEnum

from pckv.base.errors import ParameterError


class Phase(StrEnum):
    """Whether something takes reports on a day."""

    WAITING = "waiting"
    OPEN = "open"
    CLOSED = "closed"


def utc_today() -> str:
    """Return the current day in UTC."""
    return utc_day(time.time())


def utc_day(seconds: float) -> str:
    """Return the day in UTC of a time in seconds since 1970."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).date().isoformat()


def phase_on(day: str, opens: str | None, closes: str | None) -> Phase:
    """Return the phase on a day of what takes reports from `opens` on, and before `closes`."""
    if closes is not None and day >= closes:
        return Phase.CLOSED
    return Phase.WAITING if opens is not None and day < opens else Phase.OPEN


def is_day(day: object) -> bool:
    """Whether something is a day, written in the one plain way."""
    try:
        return isinstance(day, str) and dt.date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False


def checked_days(opens: str | None, closes: str | None) -> tuple[str | None, str | None]:
    """Return the first day, and the first one after the last."""
    for what, day in (("opens", opens), ("closes", closes)):
        if day is not None:
            check_day(day, what)
    if opens is not None and closes is not None and not opens < closes:
        raise ParameterError(f"a task that opens on {opens} cannot close on {closes}")
    return opens, closes


def check_day(day: object, what: str) -> str:
    """Return a day, or refuse what is none."""
    if not isinstance(day, str) or not is_day(day):
        raise ParameterError(f"{what} must be a day as YYYY-MM-DD, not {day!r}")
    return day


def days_after(day: str, count: int) -> str | None:
    """Return the day that is a number of days after another; None after the year 9999."""
    try:
        return (dt.date.fromisoformat(day) + dt.timedelta(days=count)).isoformat()
    except OverflowError:
        return None


def days_between(first: str, second: str) -> int:
    """Return how many days the second day is after the first."""
    return (dt.date.fromisoformat(second) - dt.date.fromisoformat(first)).days
