"""Discoveries of stored tasks and their route: texts that many people hold, and prefixes that led there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from pckv.collector.analysis.tallies import TallyCache, TallyResults
from pckv.collector.computations import AnalysisThreads
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http.auth import Account
from pckv.collector.http.bodies import JSON_TYPE
from pckv.collector.http.downloads import (
    CSV_TYPE,
    NOT_MODIFIED,
    TEXT_TYPE,
    accepted_format,
    download_headers,
    download_responses,
    file_stem,
    unchanged,
)
from pckv.collector.http.policy import Access, Policy, part
from pckv.collector.http.problem_details import malformed_input
from pckv.contract.task import Task
from pckv.estimators.discovery import discover
from pckv.estimators.results.discovery import Discovery
from pckv.planning.discovery import DEFAULT_FOUND_RATE
from pckv.tally import Tally


class DiscoveryOptions(NamedTuple):
    """How keys are found: the level of their intervals, and the largest share of false ones, on average."""

    level: float
    false_discovery_rate: float


class DiscoveryCache:
    """The discoveries that were computed last from the tallies of tasks."""

    def __init__(self, contracts: Contracts, tallies: TallyCache, threads: AnalysisThreads) -> None:
        self.contracts, self.threads = contracts, threads
        self._results = TallyResults(contracts.store, tallies, threads, _discover)

    async def find(self, account: bytes, task: Task, options: DiscoveryOptions) -> tuple[str, Discovery]:
        """Return the checksum of a task's tally and what was found.

        A task that is no discovery, or has too few reports, is a malformed question.
        """
        with malformed_input():
            # Before a large tally is counted for nothing.
            task.tree  # noqa: B018
            digest, [found] = await self._results.get(task, [options], account)
        return digest, found


def _discover(tally: Tally, options: DiscoveryOptions) -> Discovery:
    return discover(tally, **options._asdict())


router = APIRouter(tags=["discovery"])

FORMATS: dict[str, Callable[[Discovery], str]] = {
    JSON_TYPE: Discovery.to_json,
    CSV_TYPE: Discovery.to_csv,
    TEXT_TYPE: Discovery.to_text,
}


def parse_options(
    level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    false_discovery_rate: Annotated[float, Query(gt=0, lt=1)] = DEFAULT_FOUND_RATE,
) -> DiscoveryOptions:
    """Return how keys are found, according to a query string."""
    return DiscoveryOptions(level, false_discovery_rate)


@router.get(
    "/tasks/{task_id}/discovery",
    summary="Find the keys of a discovery",
    response_class=Response,
    responses=download_responses(
        "The keys found, with frequencies and intervals, and the prefixes that led to them.",
        FORMATS,
    )
    | NOT_MODIFIED,
)
@Policy(Access.ANALYSTS)
async def get_discovery(
    task_id: str,
    request: Request,
    cache: Annotated[DiscoveryCache, part("discoveries")],
    account: Account,
    options: Annotated[DiscoveryOptions, Depends(parse_options)],
    top: Annotated[int | None, Query(ge=1)] = None,
) -> Response:
    """Return the texts that many people hold, the most frequent ones first, or only the `top` ones.

    Each has its frequency with an interval at a `level`. Of those found, a share of at most
    `false_discovery_rate` has no holders, on average. The `tree` has all prefixes that were followed, from
    the shortest to the longest, with the frequencies of texts that begin so. The Accept header chooses JSON,
    CSV (the keys), or plain text: the keys one per line, as a new task takes them. There must be at least as
    many reports as groups.
    """
    media = accepted_format(request, tuple(FORMATS), "discoveries")
    stored = await cache.contracts.find(task_id)
    digest, found = await cache.find(account, stored.task, options)
    what = "keys" if media == TEXT_TYPE else "discovery"
    name = file_stem(stored.task, cache.contracts.today(), what)
    headers = download_headers(name, media, digest, request.url.query)
    if unchanged(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    shown = found if top is None else found.top(top)
    content = await cache.threads.run_short(lambda: FORMATS[media](shown))
    return Response(content, headers=headers, media_type=media)
