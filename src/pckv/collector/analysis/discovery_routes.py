"""The route of discoveries: the texts that many people hold, and the prefixes that led to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from pckv.base.errors import PckvError, StoreError
from pckv.collector.analysis.discovery_cache import CachedDiscovery, DiscoveryOptions
from pckv.collector.analysis.estimate_routes import CSV_TYPE, JSON_TYPE, SUFFIXES, accepted_format, entity_tag
from pckv.collector.contracts.task_routes import ADMIN_PROBLEMS, TASK_PROBLEMS
from pckv.collector.http.download_names import attachment, file_stem
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.state import Account, Collector, CurrentCollector, unchanged
from pckv.contract.task import Task
from pckv.estimators.results.discovery import Discovery
from pckv.planning.discovery import DEFAULT_FOUND_RATE

TEXT_TYPE = "text/plain"

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
    responses={
        200: {
            "description": "The keys found, with frequencies and intervals, and the prefixes that led to them.",
            "content": {media: {"schema": {}} for media in FORMATS},
        },
        304: {"description": "Nothing has changed since."},
        **problem_responses(
            ProblemKind.MALFORMED, *ADMIN_PROBLEMS, *TASK_PROBLEMS, ProblemKind.NOT_ACCEPTABLE
        ),
    },
)
async def get_discovery(
    task_id: str,
    request: Request,
    collector: CurrentCollector,
    account: Account,
    options: Annotated[DiscoveryOptions, Depends(parse_options)],
    top: Annotated[int | None, Query(ge=1)] = None,
) -> Response:
    """Return the texts that many people hold, the most frequent ones first, or only the `top` ones.

    Each has its frequency with an interval at a `level`. Of those found, a share of at most `false_discovery_rate` is held
    by nobody, on average. The `tree` has all prefixes that were followed, from the shortest to the longest, with the
    frequencies of texts that begin so. The Accept header chooses JSON, CSV (the keys), or plain text: the keys one per
    line, as a new task takes them. There must be at least as many reports as groups.
    """
    media = accepted_format(request, tuple(FORMATS), "discoveries")
    stored = await collector.find(task_id)
    result = await find_discovery(collector, account, stored.task, options)
    name = file_stem(stored.task, collector.today(), "keys" if media == TEXT_TYPE else "discovery")
    headers = {
        "ETag": entity_tag(result.digest, media, request.url.query),
        "Cache-Control": "private, no-cache",
        "Vary": "Accept",
        "Content-Disposition": attachment(f"{name}.{SUFFIXES.get(media, 'txt')}"),
    }
    if unchanged(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    shown = result.found if top is None else result.found.top(top)
    content = await collector.analysis_threads.run_short(lambda: FORMATS[media](shown))
    return Response(content, headers=headers, media_type=media)


async def find_discovery(
    collector: Collector, account: bytes, task: Task, options: DiscoveryOptions
) -> CachedDiscovery:
    """Return what was found for a task; one that is no discovery, or has too few reports, is a malformed question."""
    try:
        # Before a large tally is counted for nothing.
        task.tree  # noqa: B018
        return await collector.discovery_cache.get(task, options, account)
    except StoreError:
        raise
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None
