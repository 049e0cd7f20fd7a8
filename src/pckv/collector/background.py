"""Work without requests: again and again in threads, and only by a clock that is steady where it cannot be undone."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from pckv.base.errors import PckvError
from pckv.collector.http.logs import log

SECONDS_AFTER_FAILURE = 5.0
# How long a clock must have gone on evenly until reports are deleted, or a batch is released, by it.
STEADY_SECONDS = 3600.0
SECONDS_PER_DAY = 24 * 60 * 60


class SteadyClock:
    """Whether a clock goes on as time does: what is done on a wrong day cannot be undone.

    Args:
        seconds: Seconds on the clock that days are read from.
        tolerance: How many seconds it may gain or lose before that counts as a jump.
        elapsed: Seconds on a clock that no one sets.
    """

    def __init__(
        self, seconds: Callable[[], float], tolerance: float, elapsed: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds, self._tolerance, self._elapsed = seconds, tolerance, elapsed
        self._first, self._first_elapsed = seconds(), elapsed()

    @property
    def is_steady(self) -> bool:
        """Whether the clock has gone on without a jump for an hour."""
        now, passed = self._seconds(), self._elapsed() - self._first_elapsed
        if abs(now - self._first - passed) > self._tolerance:
            # No time finer than a day is logged.
            log("clock_jumped", day_before=_day_of(self._first), day=_day_of(now))
            self._first, self._first_elapsed = now, self._elapsed()
            passed = 0.0
        return passed >= STEADY_SECONDS


class SteadyDay(SteadyClock):
    """A steady clock of which only the days are known.

    Args:
        today: The day that the clock shows.
        elapsed: Seconds on a clock that no one sets.
    """

    def __init__(self, today: Callable[[], str], elapsed: Callable[[], float] = time.monotonic) -> None:
        def seconds() -> float:
            return float(dt.date.fromisoformat(today()).toordinal() - _FIRST_DAY) * SECONDS_PER_DAY

        super().__init__(seconds, SECONDS_PER_DAY, elapsed)


_FIRST_DAY = dt.date(1970, 1, 1).toordinal()


def _day_of(seconds: float) -> str:
    return dt.date.fromordinal(_FIRST_DAY + int(seconds // SECONDS_PER_DAY)).isoformat()


class BackgroundWork:
    """Does some works in threads, again and again; no error ends it."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads

    async def repeat(self, seconds: float, *works: Callable[[], object]) -> None:
        """Do some works in order until cancelled, with a pause after the last one."""
        while True:
            succeeded = [await self.succeeds(work) for work in works]
            await asyncio.sleep(seconds if all(succeeded) else SECONDS_AFTER_FAILURE)

    async def succeeds(self, work: Callable[[], object]) -> bool:
        """Do some work in a thread, and log what goes wrong."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except Exception as error:  # noqa: BLE001
            # Our own errors say what to do; the text of any other could hold what people sent.
            reason = str(error) if isinstance(error, PckvError) else type(error).__name__
            log("maintenance_failed", reason=reason)
            return False
        return True
