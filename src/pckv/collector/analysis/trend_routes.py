"""The route of trends: what changed over the rounds of a series."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from pckv.base.errors import PckvError, StoreError
from pckv.base.limits import MAX_ROUNDS
from pckv.collector.analysis.estimate_routes import (
    CSV_TYPE,
    JSON_TYPE,
    MAX_KEYS_PER_REQUEST,
    PARQUET_TYPE,
    SUFFIXES,
    accepted_format,
    entity_tag,
)
from pckv.collector.analysis.trend_cache import TrendOptions, TrendResult
from pckv.collector.contracts.task_routes import ADMIN_PROBLEMS
from pckv.collector.http.download_names import attachment, file_stem
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.state import Account, Collector, CurrentCollector, unchanged
from pckv.contract.series import Series
from pckv.estimators.results.trend import Trend
from pckv.statistics.detection import DEFAULT_FLAG_RATE

DEFAULT_ROUNDS, MAX_ROUNDS_PER_TREND = 104, 1000

router = APIRouter(tags=["series"])

FORMATS: dict[str, Callable[[Trend], str | bytes]] = {
    JSON_TYPE: Trend.to_json,
    CSV_TYPE: Trend.to_csv,
    PARQUET_TYPE: Trend.to_parquet,
}


def parse_options(
    level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    rate: Annotated[float, Query(gt=0, lt=1)] = DEFAULT_FLAG_RATE,
    limit: Annotated[int, Query(ge=1, le=MAX_ROUNDS_PER_TREND)] = DEFAULT_ROUNDS,
    keys: Annotated[list[str] | None, Query(max_length=MAX_KEYS_PER_REQUEST)] = None,
) -> TrendOptions:
    """Return what to estimate, according to a query string."""
    return TrendOptions(limit, level, rate, None if keys is None else tuple(dict.fromkeys(keys)))


QueryTrend = Annotated[TrendOptions, Depends(parse_options)]


@router.get(
    "/series/{series_id}/trend",
    summary="Say what changed over the rounds of a series",
    response_class=Response,
    responses={
        200: {
            "description": "Frequency and mean of every key in every round, smoothed, pooled and compared.",
            "content": {media: {"schema": {}} for media in FORMATS},
        },
        304: {"description": "Nothing has changed since."},
        **problem_responses(
            ProblemKind.MALFORMED, *ADMIN_PROBLEMS, ProblemKind.UNKNOWN, ProblemKind.NOT_ACCEPTABLE
        ),
    },
)
async def get_trend(
    series_id: str,
    request: Request,
    collector: CurrentCollector,
    account: Account,
    options: QueryTrend,
    top: Annotated[int | None, Query(ge=1)] = None,
    since: Annotated[int | None, Query(ge=1, le=MAX_ROUNDS)] = None,
) -> Response:
    """Return the trend over the last rounds with reports (`limit`): all keys, some by name (`keys`), or the `top` ones.

    The `top` keys are those whose change is largest relative to the noise. The last round is compared with the one
    before, or with an earlier one (`since`); keys are flagged as changed at a false discovery rate (`rate`). The Accept
    header chooses JSON, CSV or Parquet.
    """
    media = accepted_format(request, tuple(FORMATS), "trends")
    stored = await collector.series_cache.find(series_id)
    result = await find_trend(collector, account, stored.series, options)
    name = file_stem(stored.series.task, collector.today(), "trend")
    headers = {
        "ETag": entity_tag(series_id, result.state, media, request.url.query),
        "Cache-Control": "private, no-cache",
        "Vary": "Accept",
        "Content-Disposition": attachment(f"{name}.{SUFFIXES[media]}"),
    }
    if unchanged(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    found = chosen_trend(result.trend, options, top, since)
    content = await collector.analysis_threads.run_short(lambda: FORMATS[media](found))
    return Response(content, headers=headers, media_type=media)


async def find_trend(
    collector: Collector, account: bytes, series: Series, options: TrendOptions
) -> TrendResult:
    """Return the trend of a series; options that do not fit it are malformed."""
    try:
        return await collector.trend_cache.get(series, options, account)
    except StoreError:
        raise
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None


def chosen_trend(found: Trend, options: TrendOptions, top: int | None, since: int | None) -> Trend:
    """Return the keys and the comparison that are asked for."""
    try:
        if since is not None:
            found = found.since(since, options.rate)
        if options.keys is not None:
            found = found.only(list(options.keys))
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None
    return found if top is None else found.moved_most(top)
