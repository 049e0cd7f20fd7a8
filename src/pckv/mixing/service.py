"""The mixer as a service: its parts, put together, and their routes behind the gateway."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from fastapi import Depends, Request

from pckv.base.canonical import is_id
from pckv.base.days import utc_day
from pckv.collector.background import SteadyClock
from pckv.collector.contracts.contracts import ContractCache
from pckv.collector.http.auth import Guard, token_hash
from pckv.collector.http.policy import Access
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.collector.service import Service
from pckv.collector.workers import Worker
from pckv.mixing.settings import MixerSettings
from pckv.mixing.store import MixerStore
from pckv.mixing.upkeep import CLOCK_TOLERANCE_SECONDS, MixerMaintenance
from pckv.store.base import StoredTask


class MixerThreads:
    """A small pool per kind of work, so that none waits for another."""

    def __init__(self) -> None:
        # What the store says of tasks, tokens and invitations: uploads wait for it.
        self.lookups = ThreadPoolExecutor(4, "lookup")
        self.task_texts = ThreadPoolExecutor(1, "text")
        # A release may take a minute, while erasing must not wait.
        self.maintenance = ThreadPoolExecutor(4, "maintenance")

    def close(self) -> None:
        """End the threads once they have done what was asked of them."""
        for pool in (self.lookups, self.task_texts, self.maintenance):
            pool.shutdown(wait=False)


class RecipientGuard(Guard):
    """Checks tokens: the operator's, and on routes of a batch that of the task's recipient alone."""

    def __init__(self, store: MixerStore, threads: ThreadPoolExecutor) -> None:
        super().__init__(store, threads)
        self._mixer_store = store

    async def authorise(self, access: Access, request: Request) -> None:
        """Admit a request to a route that is not public from its head, or refuse it."""
        if access is not Access.RECIPIENT:
            await super().authorise(access, request)
            return
        task_id = request.path_params["task_id"]
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        right = is_id(task_id) and await self.in_thread(
            self._mixer_store.is_recipient, task_id, token_hash(token.strip())
        )
        if scheme.lower() != "bearer" or not right:
            # That a task was withdrawn is public, and a withdrawn round does not know the token of its series.
            if is_id(task_id) and await self.in_thread(self._mixer_store.find_deletion, task_id) is not None:
                raise ProblemDetails(ProblemKind.DELETED)
            raise ProblemDetails(ProblemKind.BAD_TOKEN)


class MixerContracts(ContractCache):
    """The tasks and series that a mixer accepted, and which of them hold as many sealed reports as they may."""

    store: MixerStore
    full: frozenset[str] = frozenset()

    def note_full(self, task_id: str) -> None:
        """Refuse reports of a task from now on."""
        self.full |= {task_id}

    def check_open(self, stored: StoredTask) -> None:
        """Refuse reports outside the task's days, or beyond what the mixer holds of it."""
        super().check_open(stored)
        if stored.task.id in self.full:
            raise ProblemDetails(ProblemKind.CLOSED, "the mixer holds as many of its reports as it may")


class MixerService(Service):
    """The parts of one mixer, or of one of its workers, over a store whose schema is ready.

    Args:
        store: The store.
        settings: The settings.
        worker: Which of its processes this is.
        now: Seconds since 1970, on a clock that people set.
        elapsed: Seconds on one that no one sets.
    """

    store: MixerStore
    settings: MixerSettings
    writer: ReportWriter
    maintenance: MixerMaintenance

    def __init__(
        self,
        store: MixerStore,
        settings: MixerSettings,
        worker: Worker,
        now: Callable[[], float] = time.time,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self.threads = MixerThreads()
        super().__init__(store, settings, worker, RecipientGuard(store, self.threads.lookups))

        def today() -> str:
            return utc_day(now())

        self.contracts = MixerContracts(store, today, lambda _: None, self.threads.lookups, self.threads.task_texts)
        self.writer = ReportWriter(
            lambda uploads: store.add_sealed(uploads, today(), settings.batches_held),
            self.metrics,
            max_batch=settings.batch_reports,
            delay=settings.batch_delay / 1000,
            max_pending=settings.queue_reports,
        )
        clock = SteadyClock(now, CLOCK_TOLERANCE_SECONDS, elapsed)
        self.maintenance = MixerMaintenance(store, self.contracts, self.threads.maintenance, clock)


def get_mixer(request: Request) -> MixerService:
    """Return the mixer that a request came to."""
    mixer: MixerService = request.app.state.service
    return mixer


CurrentMixer = Annotated[MixerService, Depends(get_mixer)]
