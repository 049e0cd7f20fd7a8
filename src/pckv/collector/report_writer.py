"""Group commit: reports of all connections in one transaction, and nobody answered before it is on disk."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from pckv.collector.logs import log
from pckv.collector.problem_details import Problem, ProblemKind
from pckv.errors import StoreError
from pckv.store.base import Outcome, Upload

Write = Callable[[list[Upload]], list[list[Outcome]]]


class Waiting(NamedTuple):
    """An upload, and who waits for its outcome."""

    upload: Upload
    outcome: asyncio.Future[list[Outcome]]


class Batcher:
    """A bounded queue of uploads and the one thread that writes them.

    While a batch is being written the next one gathers: the busier the collector, the larger its
    batches. Batches begin at least `delay` apart, since a commit costs nearly the same for one report as for
    many; after a quiet moment nobody waits.
    """

    def __init__(self, write: Write, *, most_reports: int, delay: float, most_waiting: int) -> None:
        self._write = write
        self._most_reports, self._delay, self._most_waiting = most_reports, delay, most_waiting
        self._queue: deque[Waiting] = deque()
        self._news = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "commit")
        self._runner: asyncio.Task[None] | None = None
        self._ending = False
        self.waiting = 0

    def start(self) -> None:
        """Begin to write."""
        self._runner = asyncio.create_task(self._run())

    async def drain(self) -> None:
        """Write what waits, and end."""
        self._ending = True
        self._news.set()
        if self._runner is not None:
            await self._runner
        self._thread.shutdown()

    async def add(self, upload: Upload) -> list[Outcome]:
        """What became of an upload's reports, once that is on disk."""
        if self._ending:
            # Nobody would write it any more.
            raise Problem(ProblemKind.OVERLOADED, "the collector is stopping")
        if self.waiting + len(upload.reports) > self._most_waiting:
            raise Problem(ProblemKind.OVERLOADED, "too many reports wait to be written")
        outcome: asyncio.Future[list[Outcome]] = asyncio.get_running_loop().create_future()
        self.waiting += len(upload.reports)
        self._queue.append(Waiting(upload, outcome))
        self._news.set()
        return await outcome

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        next_begin = loop.time()
        while True:
            await self._news.wait()
            pause = next_begin - loop.time()
            if pause > 0 and self.waiting < self._most_reports and not self._ending:
                await asyncio.sleep(pause)
            next_begin = loop.time() + self._delay
            if self._queue:
                await self._commit(self._take())
            if self._queue:
                continue
            if self._ending:
                return
            self._news.clear()

    def _take(self) -> list[Waiting]:
        batch = [self._queue.popleft()]
        reports = len(batch[0].upload.reports)
        while self._queue and reports + len(self._queue[0].upload.reports) <= self._most_reports:
            batch.append(self._queue.popleft())
            reports += len(batch[-1].upload.reports)
        return batch

    async def _commit(self, batch: list[Waiting]) -> None:
        uploads = [waiting.upload for waiting in batch]
        loop = asyncio.get_running_loop()
        try:
            outcomes = await loop.run_in_executor(self._thread, self._write, uploads)
        except StoreError as error:
            self._settle(batch, error)
        except Exception as error:  # noqa: BLE001
            # A fault of ours must not leave anybody waiting, now or later.
            log("commit_failed", kind=type(error).__name__)
            self._settle(batch, error)
        else:
            for waiting, outcome in zip(batch, outcomes, strict=True):
                if not waiting.outcome.done():
                    waiting.outcome.set_result(outcome)
        finally:
            self.waiting -= sum(len(upload.reports) for upload in uploads)

    @staticmethod
    def _settle(batch: list[Waiting], error: Exception) -> None:
        for waiting in batch:
            # Whoever hung up has cancelled already.
            if not waiting.outcome.done():
                waiting.outcome.set_exception(error)
