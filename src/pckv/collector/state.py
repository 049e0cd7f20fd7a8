"""The parts of one collector, put together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from fastapi import Depends, Request

from pckv.collector.analysis.discoveries import DiscoveryCache
from pckv.collector.analysis.estimates import EstimateCache
from pckv.collector.analysis.tallies import Compactor, TallyCache
from pckv.collector.analysis.trends import TrendCache
from pckv.collector.computations import AnalysisThreads
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http.auth import Guard
from pckv.collector.http.bodies import ByteBudget
from pckv.collector.http.metrics import Metrics
from pckv.collector.http.settings import Settings
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.collector.ingest.routes import Ingest
from pckv.collector.upkeep import AlarmWatch, Maintenance
from pckv.collector.workers import Worker
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
        self.analysis = ThreadPoolExecutor(2, "analysis")
        # Compacting may take seconds, while erasing must not wait.
        self.maintenance = ThreadPoolExecutor(4, "maintenance")

    def close(self) -> None:
        """End the threads once they have done what was asked of them; what analysts wait for is given up."""
        for pool in vars(self).values():
            pool.shutdown(wait=False, cancel_futures=pool is self.analysis)


class Collector:
    """The parts of one collector, or of one of its workers, over a store whose schema is ready."""

    def __init__(self, store: Store, settings: Settings, today: Callable[[], str], worker: Worker) -> None:
        self.store, self.settings = store, settings
        self.threads = CollectorThreads()
        self.metrics = Metrics(worker.cells, worker.number)
        self.budget = ByteBudget(settings.budget_bytes)
        self.guard = Guard(store, self.threads.lookups)
        self.compactor = Compactor(store)
        self.contracts = Contracts(
            store, today, self.compactor.prepare, self.threads.lookups, self.threads.task_texts
        )
        writer = ReportWriter(
            lambda uploads: store.add_reports(uploads, today()),
            self.metrics,
            max_batch=settings.batch_reports,
            delay=settings.batch_delay / 1000,
            max_pending=settings.queue_reports,
        )
        self.ingest = Ingest(
            self.contracts, writer, self.budget, self.metrics, settings.body_bytes, self.threads.large_bodies
        )
        self.analysis_threads = AnalysisThreads(self.threads.analysis, settings.analysis_seconds)
        tallies = TallyCache(store, self.compactor)
        self.estimates = EstimateCache(self.contracts, tallies, self.analysis_threads)
        self.discoveries = DiscoveryCache(self.contracts, tallies, self.analysis_threads)
        self.trends = TrendCache(self.contracts, self.compactor, self.analysis_threads)
        self.alarm_watch = AlarmWatch(store, self.metrics)
        self.maintenance = Maintenance(
            self.contracts,
            self.compactor,
            self.alarm_watch,
            self.threads.maintenance,
            keep_days=settings.keep_reports,
        )


def get_collector(request: Request) -> Collector:
    """Return the collector that a request came to."""
    collector: Collector = request.app.state.collector
    return collector


CurrentCollector = Annotated[Collector, Depends(get_collector)]
