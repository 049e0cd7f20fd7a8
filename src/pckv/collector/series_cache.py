"""The texts of series that requests ask for: a series never changes and is never deleted, so that none goes stale."""

from __future__ import annotations

import asyncio

from pckv.collector.problem_details import ProblemDetails, ProblemKind
from pckv.collector.task_cache import (
    MAX_TEXT_BYTES,
    ContractText,
    RecentItems,
    check_task_id,
    contract_text,
    share,
)
from pckv.collector.threads import CollectorThreads
from pckv.store.base import Store
from pckv.store.stored_series import StoredSeries


class SeriesCache:
    """The series that requests asked for last."""

    def __init__(self, store: Store, threads: CollectorThreads) -> None:
        self._store, self._threads = store, threads
        self._texts: RecentItems[ContractText] = RecentItems(MAX_TEXT_BYTES)
        # What is being looked up: everybody who asks for the same waits for the same.
        self._lookups: dict[str, asyncio.Task[ContractText]] = {}

    async def find(self, series_id: str) -> StoredSeries:
        """Return a series as the store has it now, or raise the problem that it is unknown."""
        check_task_id(series_id)
        running = asyncio.get_running_loop().run_in_executor
        stored = await running(self._threads.lookups, self._store.find_series, series_id)
        if stored is None:
            raise ProblemDetails(ProblemKind.UNKNOWN, "no series has this id")
        return stored

    async def text(self, series_id: str) -> ContractText:
        """Return the text of a series, or raise the problem that it is unknown."""
        text = self._texts.get(series_id)
        if text is None:
            text = await asyncio.shield(share(self._lookups, series_id, lambda: self._write(series_id)))
        return text

    async def _write(self, series_id: str) -> ContractText:
        stored = await self.find(series_id)
        running = asyncio.get_running_loop().run_in_executor
        text = await running(self._threads.task_texts, contract_text, stored.series)
        self._texts.put(series_id, text, text.size)
        return text
