"""Threads for what analysts ask: however much of it waits or computes, uploads do not wait for it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pckv.collector.http.problem_details import ProblemDetails, ProblemKind

# What one account may have computed at once; the same estimates that are asked for several times count once.
MAX_PER_ACCOUNT = 4

T = TypeVar("T")


class AnalysisThreads:
    """A small pool of threads, and how much of it one account may use.

    Args:
        threads: The pool.
        seconds: How long a request waits for its result. The work goes on, since no thread can be stopped.
    """

    def __init__(self, threads: ThreadPoolExecutor, seconds: float) -> None:
        self._threads, self._seconds = threads, seconds
        self._started: Counter[bytes] = Counter()

    async def run(self, account: bytes, work: Callable[[], T]) -> T:
        """Return the result of some work that may take long."""
        return await self.wait(self.start(account, work))

    async def run_short(self, work: Callable[[], T]) -> T:
        """Return the result of work that takes a moment, and so counts for nobody."""
        return await self.wait(self._submit(work))

    def start(self, account: bytes, work: Callable[[], T]) -> asyncio.Future[T]:
        """Start some work for an account, which counts until it has ended, whether or not anybody waits for it."""
        if self._started[account] >= MAX_PER_ACCOUNT:
            raise ProblemDetails(
                ProblemKind.TOO_OFTEN, f"at most {MAX_PER_ACCOUNT} long computations per token run at once"
            )
        self._started[account] += 1
        future = self._submit(work)
        future.add_done_callback(lambda _: self._end(account))
        return future

    async def wait(self, future: asyncio.Future[T]) -> T:
        """Return the result of work that was started, which a client that disconnects does not cancel for others."""
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._seconds)
        except TimeoutError:
            raise ProblemDetails(
                ProblemKind.OVERLOADED,
                f"computing this takes more than {self._seconds:g} s: it goes on, so ask again later",
            ) from None

    def _submit(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _end(self, account: bytes) -> None:
        self._started[account] -= 1
        if not self._started[account]:
            del self._started[account]
