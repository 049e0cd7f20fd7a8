"""Computations that several requests share: none is started twice, and none that came too late is lost."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

from pckv.collector.analysis.waiting import AnalysisThreads
from pckv.collector.http.problem_details import ProblemDetails

MAX_LATE = 16

V = TypeVar("V")


class SharedComputations(Generic[V]):
    """What is being computed for analysts, and results that came too late for those who asked."""

    def __init__(self, threads: AnalysisThreads) -> None:
        self._threads = threads
        # By what was asked for, and what it is computed from.
        self.in_progress: dict[tuple[Hashable, Hashable], asyncio.Future[V]] = {}
        self.late: OrderedDict[Hashable, V] = OrderedDict()

    async def get(self, question: Hashable, state: Hashable, account: bytes, compute: Callable[[], V]) -> V:
        """Return the answer to a question about something in a state.

        A request for what is being computed already waits for that, without a thread of its own: a page asks for
        the same several times at once, and large tasks take long.
        """
        key = (question, state)
        future = self.in_progress.get(key)
        if future is None:
            future = self._threads.start(account, compute)
            self.in_progress[key] = future
            future.add_done_callback(lambda _: self.in_progress.pop(key))
        try:
            return await self._threads.wait(future)
        except ProblemDetails:
            future.add_done_callback(partial(self._keep_late, question))
            raise

    def take_late(self, question: Hashable) -> V | None:
        """Return the answer that came too late for whoever asked before, although reports may have come since."""
        return self.late.pop(question, None)

    def _keep_late(self, question: Hashable, future: asyncio.Future[V]) -> None:
        if not future.cancelled() and future.exception() is None:
            self.late[question] = future.result()
            while len(self.late) > MAX_LATE:
                self.late.popitem(last=False)
