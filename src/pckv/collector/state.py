"""What the routes of one collector share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from pckv.base.days import Phase, utc_today
from pckv.collector.analysis.discovery_cache import DiscoveryCache
from pckv.collector.analysis.estimate_cache import EstimateCache
from pckv.collector.analysis.trend_cache import TrendCache
from pckv.collector.analysis.waiting import AnalysisThreads
from pckv.collector.contracts.rounds import RoundMaker
from pckv.collector.contracts.task_cache import SeriesCache, TaskCache
from pckv.collector.http.byte_budget import ByteBudget
from pckv.collector.http.metrics import Metrics
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind
from pckv.collector.http.settings import Settings
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.collector.threads import CollectorThreads
from pckv.collector.upkeep.alarms import AlarmWatch
from pckv.collector.upkeep.compaction import Compactor
from pckv.contract.facts import task_members
from pckv.store.base import Store, StoredTask

# What lists of tasks tell of each.
LISTED_MEMBERS = (
    "id",
    "name",
    "kind",
    "more",
    "size_share",
    "mechanism",
    "keys",
    "other",
    "epsilon",
    "opens",
    "closes",
)


@dataclass
class Collector:
    """Store, settings, clock and the components between them and the routes."""

    store: Store
    threads: CollectorThreads
    settings: Settings
    report_writer: ReportWriter
    metrics: Metrics
    task_cache: TaskCache
    compactor: Compactor
    analysis_threads: AnalysisThreads
    estimate_cache: EstimateCache
    discovery_cache: DiscoveryCache
    budget: ByteBudget
    alarm_watch: AlarmWatch
    series_cache: SeriesCache
    round_maker: RoundMaker
    trend_cache: TrendCache
    today: Callable[[], str] = utc_today

    async def find(self, task_id: str) -> StoredTask:
        """Return a task, or raise the problem that it is unknown or deleted."""
        return await self.task_cache.find(task_id)

    def check_open(self, stored: StoredTask) -> None:
        """Refuse reports outside the task's days: the day of receipt decides."""
        phase = stored.phase(self.today())
        if phase is Phase.CLOSED:
            raise ProblemDetails(ProblemKind.CLOSED)
        if phase is Phase.WAITING:
            raise ProblemDetails(ProblemKind.NOT_OPEN, f"it opens on {stored.task.opens}")


def get_collector(request: Request) -> Collector:
    """Return the collector that a request came to."""
    collector: Collector = request.app.state.collector
    return collector


def get_account(request: Request) -> bytes:
    """Return whose request it is: the hash of the token that authorises it."""
    account: bytes = request.scope["account"]
    return account


CurrentCollector = Annotated[Collector, Depends(get_collector)]
Account = Annotated[bytes, Depends(get_account)]


def unchanged(request: Request, tag: str) -> bool:
    """Return whether the client already has what the entity tag names."""
    tags = [part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")]
    return tag in tags or "*" in tags


def task_facts(stored: StoredTask) -> dict[str, object]:
    """Return a stored task as plain values."""
    return task_members(stored.task, *LISTED_MEMBERS) | {
        "closed": stored.closed,
        "by_invitation": stored.by_invitation,
        "created": stored.created,
        "number": stored.number,
        "target": stored.target,
        "public_results": stored.public_results,
    }
