"""The parts of one collector, put together."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
from pckv.collector.upkeep.alarms import AlarmWatch
from pckv.collector.upkeep.maintenance import Maintenance
from pckv.collector.workers import Worker
from pckv.store.base import Store


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


@dataclass(kw_only=True)
class Collector:
    """The parts of one collector, which its routes use."""

    store: Store
    settings: Settings
    threads: CollectorThreads
    metrics: Metrics
    budget: ByteBudget
    guard: Guard
    contracts: Contracts
    ingest: Ingest
    compactor: Compactor
    analysis_threads: AnalysisThreads
    estimates: EstimateCache
    discoveries: DiscoveryCache
    trends: TrendCache
    alarm_watch: AlarmWatch
    maintenance: Maintenance


def create_collector(store: Store, settings: Settings, today: Callable[[], str], worker: Worker) -> Collector:
    """Return a collector, or one of its workers, over a store whose schema is ready."""
    threads, metrics = CollectorThreads(), Metrics(worker.cells, worker.number)
    budget = ByteBudget(settings.budget_bytes)
    compactor, alarm_watch = Compactor(store), AlarmWatch(store, metrics)
    contracts = Contracts(store, today, compactor.prepare, threads.lookups, threads.task_texts)
    writer = ReportWriter(
        lambda uploads: store.add_reports(uploads, today()),
        metrics,
        max_batch=settings.batch_reports,
        delay=settings.batch_delay / 1000,
        max_pending=settings.queue_reports,
    )
    tallies = TallyCache(store, compactor)
    analysis_threads = AnalysisThreads(threads.analysis, settings.analysis_seconds)
    return Collector(
        store=store,
        settings=settings,
        threads=threads,
        metrics=metrics,
        budget=budget,
        guard=Guard(store, threads.lookups),
        contracts=contracts,
        ingest=Ingest(contracts, writer, budget, metrics, settings.body_bytes, threads.large_bodies),
        compactor=compactor,
        analysis_threads=analysis_threads,
        estimates=EstimateCache(contracts, tallies, analysis_threads),
        discoveries=DiscoveryCache(contracts, tallies, analysis_threads),
        trends=TrendCache(contracts, compactor, analysis_threads),
        alarm_watch=alarm_watch,
        maintenance=Maintenance(
            contracts, compactor, alarm_watch, threads.maintenance, keep_days=settings.keep_reports
        ),
    )


def get_collector(request: Request) -> Collector:
    """Return the collector that a request came to."""
    collector: Collector = request.app.state.collector
    return collector


CurrentCollector = Annotated[Collector, Depends(get_collector)]
