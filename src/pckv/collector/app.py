"""The application: the parts of one collector, put together, and their routes behind the gateway."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from fastapi import Depends, Request

from pckv.base.days import utc_today
from pckv.collector.analysis import estimates, trends
from pckv.collector.analysis.estimates import DiscoveryCache, EstimateCache
from pckv.collector.analysis.tallies import Compactor, TallyCache
from pckv.collector.analysis.trends import TrendCache
from pckv.collector.computations import ANALYSIS, AnalysisThreads
from pckv.collector.contracts import bin as deleted
from pckv.collector.contracts import drafts, organisation, series, tasks
from pckv.collector.contracts.contracts import Contracts, RecipientDuties
from pckv.collector.contracts.organisation import Organisations
from pckv.collector.http.auth import Guard
from pckv.collector.http.settings import Settings
from pckv.collector.ingest import admission
from pckv.collector.ingest import routes as reports
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.collector.ingest.routes import Ingest
from pckv.collector.recipient import routes as recipient_keys
from pckv.collector.recipient.batches import BatchFetcher
from pckv.collector.recipient.checks import check_mixed, forget_key
from pckv.collector.recipient.keys import MixerKeys
from pckv.collector.service import Service, ServiceApp
from pckv.collector.upkeep import AlarmWatch, Maintenance
from pckv.collector.workers import ONLY_WORKER, Worker
from pckv.store.store import Store


class CollectorThreads:
    """A small pool per kind of work, so that none waits for another.

    That of the report writer is its own, since it ends only after the last commit.
    """

    def __init__(self) -> None:
        # What the store says of tasks, tokens and invitations: uploads wait for it.
        self.lookups = ThreadPoolExecutor(4, "lookup")
        self.task_texts = ThreadPoolExecutor(1, "text")
        self.large_bodies = ThreadPoolExecutor(1, "decode")
        self.analysis = ThreadPoolExecutor(2, ANALYSIS)
        # Compacting may take seconds, while erasing must not wait.
        self.maintenance = ThreadPoolExecutor(4, "maintenance")

    def close(self) -> None:
        """End the threads once they have done what was asked of them; what analysts wait for is given up."""
        for pool in vars(self).values():
            pool.shutdown(wait=False, cancel_futures=pool is self.analysis)


class Collector(Service):
    """The parts of one collector, or of one of its workers, over a store whose schema is ready.

    Args:
        store: The store.
        settings: The settings.
        today: The day in UTC.
        worker: Which of its processes this is.
        now: Seconds since 1970, by which batches are asked for.
    """

    store: Store
    settings: Settings
    writer: ReportWriter
    maintenance: Maintenance

    def __init__(
        self,
        store: Store,
        settings: Settings,
        today: Callable[[], str],
        worker: Worker,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.threads = CollectorThreads()
        super().__init__(store, settings, worker, Guard(store, self.threads.lookups))
        self.compactor = Compactor(store)
        self.mixer_keys = keys = MixerKeys(settings.mixer_keys)
        recipient = RecipientDuties(
            lambda contract: check_mixed(contract, store, keys), lambda task: forget_key(task, store, keys, today())
        )
        self.contracts = Contracts(
            store, today, self.compactor.prepare, self.threads.lookups, self.threads.task_texts, recipient
        )
        self.organisations = Organisations(self.contracts)
        self.writer = ReportWriter(
            lambda uploads: store.add_reports(uploads, today()),
            self.metrics,
            max_batch=settings.batch_reports,
            delay=settings.batch_delay / 1000,
            max_pending=settings.queue_reports,
        )
        self.ingest = Ingest(
            self.contracts, self.writer, self.budget, self.metrics, settings.body_bytes, self.threads.large_bodies
        )
        self.analysis_threads = AnalysisThreads(self.threads.analysis, settings.analysis_seconds)
        tallies = TallyCache(store, self.compactor)
        self.estimates = EstimateCache(self.contracts, tallies, self.analysis_threads)
        self.discoveries = DiscoveryCache(self.contracts, tallies, self.analysis_threads)
        self.trends = TrendCache(self.contracts, self.compactor, self.analysis_threads)
        self.alarm_watch = AlarmWatch(store, self.metrics)
        self.fetcher = BatchFetcher(store, keys, today, now)
        self.maintenance = Maintenance(
            self.contracts,
            self.compactor,
            self.alarm_watch,
            self.threads.maintenance,
            keep_days=settings.keep_reports,
            fetcher=self.fetcher,
        )


def get_collector(request: Request) -> Collector:
    """Return the collector that a request came to."""
    collector: Collector = request.app.state.collector
    return collector


CurrentCollector = Annotated[Collector, Depends(get_collector)]


class CollectorApp(ServiceApp):
    """The application of a collector."""

    def attach(self, service: Service) -> None:
        """Answer all further requests with the parts of a collector."""
        super().attach(service)
        self.state.collector = service


def create_app(
    store: Store,
    settings: Settings,
    worker: Worker = ONLY_WORKER,
    clock: Callable[[], str] = utc_today,
    now: Callable[[], float] = time.time,
) -> CollectorApp:
    """Return the application of a collector, or of one of its workers, over a store whose schema is ready."""
    app = CollectorApp("pckv collector", Collector(store, settings, clock, worker, now))
    for part in (reports, admission, tasks, recipient_keys, estimates, series, trends, deleted, drafts, organisation):
        app.include_router(part.router)
    return app
