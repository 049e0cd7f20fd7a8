"""Group commit: reports of all connections in one transaction, each answered once they are on disk."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from pckv.base.errors import StoreError
from pckv.collector.http.logs import log
from pckv.collector.http.metrics import Metrics
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.store.base import ReportOutcome, Upload

WriteUploads = Callable[[list[Upload]], list[list[ReportOutcome]]]


class _PendingUpload(NamedTuple):
    upload: Upload
    outcomes: asyncio.Future[list[ReportOutcome]]


class ReportWriter:
    """A bounded queue of uploads and the one thread that writes them.

    While a batch is being written the next one accumulates: the busier the collector, the larger its batches.
    Batches begin at least `delay` seconds apart, since a commit costs nearly the same for one report as for
    many; after an idle period no upload waits.
    """

    def __init__(
        self, write: WriteUploads, metrics: Metrics, *, max_batch: int, delay: float, max_pending: int
    ) -> None:
        self._write, self._metrics = write, metrics
        self._max_batch, self._delay, self._max_pending = max_batch, delay, max_pending
        self._queue: deque[_PendingUpload] = deque()
        self._wake = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "commit")
        self._runner: asyncio.Task[None] | None = None
        self._stopping = False
        self.pending_reports = 0

    def start(self) -> None:
        """Begin to write."""
        self._runner = asyncio.create_task(self._run())

    async def drain(self) -> None:
        """Write everything that is pending, and stop."""
        self._stopping = True
        self._wake.set()
        if self._runner is not None:
            await self._runner
        self._thread.shutdown()

    async def add(self, upload: Upload) -> list[ReportOutcome]:
        """Return the outcomes of an upload's reports, once they are on disk."""
        if self._stopping:
            # It would not be written any more.
            raise ProblemDetails(ProblemKind.OVERLOADED, "the service is stopping")
        if self.pending_reports + len(upload.reports) > self._max_pending:
            raise ProblemDetails(ProblemKind.OVERLOADED, "too many reports wait to be written")
        outcomes: asyncio.Future[list[ReportOutcome]] = asyncio.get_running_loop().create_future()
        self._add_pending(len(upload.reports))
        self._queue.append(_PendingUpload(upload, outcomes))
        self._wake.set()
        return await outcomes

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        next_start = loop.time()
        while True:
            await self._wake.wait()
            pause = next_start - loop.time()
            if pause > 0 and self.pending_reports < self._max_batch and not self._stopping:
                await asyncio.sleep(pause)
            next_start = loop.time() + self._delay
            if self._queue:
                await self._commit(self._next_batch())
            if self._queue:
                continue
            if self._stopping:
                return
            self._wake.clear()

    def _next_batch(self) -> list[_PendingUpload]:
        batch = [self._queue.popleft()]
        reports = len(batch[0].upload.reports)
        while self._queue and reports + len(self._queue[0].upload.reports) <= self._max_batch:
            batch.append(self._queue.popleft())
            reports += len(batch[-1].upload.reports)
        return batch

    async def _commit(self, batch: list[_PendingUpload]) -> None:
        uploads = [pending.upload for pending in batch]
        loop = asyncio.get_running_loop()
        try:
            outcomes = await loop.run_in_executor(self._thread, self._timed_write, uploads)
        except StoreError as error:
            self._fail(batch, error)
        except Exception as error:  # noqa: BLE001
            # A bug must not leave a request waiting, now or later.
            log("commit_failed", kind=type(error).__name__)
            self._fail(batch, error)
        else:
            for pending, upload_outcomes in zip(batch, outcomes, strict=True):
                if not pending.outcomes.done():
                    pending.outcomes.set_result(upload_outcomes)
        finally:
            self._add_pending(-sum(len(upload.reports) for upload in uploads))

    def _timed_write(self, uploads: list[Upload]) -> list[list[ReportOutcome]]:
        start = time.perf_counter()
        outcomes = self._write(uploads)
        self._metrics.observe_commit(time.perf_counter() - start)
        return outcomes

    def _add_pending(self, reports: int) -> None:
        self.pending_reports += reports
        self._metrics.set_queue(self.pending_reports)

    @staticmethod
    def _fail(batch: list[_PendingUpload], error: Exception) -> None:
        for pending in batch:
            # A client that disconnected has cancelled its future already.
            if not pending.outcomes.done():
                pending.outcomes.set_exception(error)
