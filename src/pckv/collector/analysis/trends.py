"""Trends of stored series and their route: what changed over the rounds.

A round is decoded once per number of reports, and a trend computed once per state of its rounds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from pckv.base.arrays import Integers
from pckv.base.limits import MAX_ROUNDS
from pckv.base.spreadsheet import XLSX_TYPE
from pckv.base.words import ENGLISH
from pckv.collector.analysis.estimates import MAX_KEYS_PER_REQUEST
from pckv.collector.analysis.tallies import MAX_RESULT_BYTES, Compactor, result_bytes
from pckv.collector.computations import AnalysisThreads, Computations
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http import downloads
from pckv.collector.http.auth import Account
from pckv.collector.http.bodies import JSON_TYPE
from pckv.collector.http.policy import Access, Policy, part
from pckv.collector.http.problem_details import malformed_input
from pckv.contract.series import Series
from pckv.estimators.results.trend import Trend
from pckv.estimators.trends.rounds import RoundCounts
from pckv.estimators.trends.trend import decoded_keys, trend
from pckv.statistics.detection import DEFAULT_FLAG_RATE
from pckv.store.base import StoredRound
from pckv.store.parts import merge_parts

DEFAULT_ROUNDS, MAX_ROUNDS_PER_TREND = 104, 1000
# The memory that decoded rounds may take together, of which a key takes three integers.
MAX_COUNTS_BYTES = 2**27
BYTES_PER_ROUND, BYTES_PER_KEY = 4096, 24
# How long a request waits for reports that have come since; then it gets what was computed last.
MAX_WAIT_SECONDS = 1.0

# The rounds that a trend is computed from, each by its number and how many reports it has.
SeriesState = tuple[tuple[int, int], ...]

# The round that is open and the one after it may have no reports yet: neither is one of the last rounds of a
# trend.
EMPTY_ROUNDS = 2


class TrendOptions(NamedTuple):
    """What to estimate: the last rounds, at a level, with flags at a false discovery rate.

    The keys are those asked for; they matter only where not all can be estimated at once.
    """

    rounds: int
    level: float
    false_discovery_rate: float
    keys: tuple[str, ...] | None = None


class TrendResult(NamedTuple):
    """A trend, and what it was computed from."""

    state: SeriesState
    trend: Trend


class TrendCache:
    """The trends that were computed last from the tallies of rounds.

    Reports are only ever added to a round: as many reports mean the same reports.
    """

    def __init__(self, contracts: Contracts, compactor: Compactor, threads: AnalysisThreads) -> None:
        self.contracts, self.threads = contracts, threads
        self._store, self._compactor = contracts.store, compactor
        self._counts: Computations[RoundCounts] = Computations(
            MAX_COUNTS_BYTES, lambda counts: BYTES_PER_ROUND + BYTES_PER_KEY * counts.keys.size
        )
        self._trends: Computations[TrendResult] = Computations(
            MAX_RESULT_BYTES, lambda result: result_bytes(result.trend)
        )

    async def find(self, account: bytes, series: Series, options: TrendOptions) -> TrendResult:
        """Return the trend of a series, of all keys if these can be estimated at once.

        While reports come, every request would have to wait for a new trend. So there is at most one
        computation for the same options, and one that takes long is the answer to a later request. A trend
        states how many reports it counts.
        """
        listed = await asyncio.to_thread(self._store.rounds, series.id, options.rounds + EMPTY_ROUNDS)
        rounds = [one for one in listed if one.reports][-options.rounds :]
        with malformed_input():
            asked = options.keys
            numbers = None if asked is None else np.array([series.task.key_index(key) for key in asked], np.int64)
            keys = decoded_keys(series, len(rounds), numbers)
        if keys.size == series.task.key_count:
            options = options._replace(keys=None)
        state, key = tuple((one.number, one.reports) for one in rounds), (series.id, options)
        start = partial(self.threads.start, account, partial(self._compute, series, options, rounds, keys))

        async def known_or_renewed() -> TrendResult:
            # Nothing may be waited for between looking at what is kept and joining what is being computed: a
            # computation that ended in between would be done once more.
            kept = self._trends.known(key)
            if kept is not None and kept.value.state == state:
                return kept.value
            # A trend that counts a round which was deleted since is not shown any more.
            usable = kept is not None and dict(kept.value.state).keys() <= dict(state).keys()
            return await self._trends.renew(key, None, start, MAX_WAIT_SECONDS if usable else None)

        with malformed_input():
            return await self.threads.wait(known_or_renewed())

    def _compute(self, series: Series, options: TrendOptions, rounds: list[StoredRound], keys: Integers) -> TrendResult:
        counts = [self._decoded(series, one, keys) for one in rounds]
        rate = options.false_discovery_rate
        found = trend(series, counts, options.level, options.keys, false_discovery_rate=rate)
        return TrendResult(tuple((one.number, one.reports) for one in counts), found)

    def _decoded(self, series: Series, one: StoredRound, keys: Integers) -> RoundCounts:
        kept = self._counts.known(one.task)
        if kept is not None and kept.value.reports == one.reports and np.array_equal(kept.value.keys, keys):
            return kept.value
        self._compactor.count_waiting(one.task)
        contents = [stored.content for stored in self._store.parts(one.task)]
        counts = RoundCounts.of(series, merge_parts(series.task_of(one.number), contents), keys)
        self._counts.keep(one.task, counts)
        return counts


router = APIRouter(tags=["series"])

FORMATS: dict[str, Callable[[Trend], str | bytes]] = {
    JSON_TYPE: Trend.to_json,
    downloads.CSV_TYPE: Trend.to_csv,
    downloads.PARQUET_TYPE: Trend.to_parquet,
    XLSX_TYPE: Trend.to_xlsx,
}


def parse_options(
    level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    false_discovery_rate: Annotated[float, Query(gt=0, lt=1)] = DEFAULT_FLAG_RATE,
    limit: Annotated[int, Query(ge=1, le=MAX_ROUNDS_PER_TREND)] = DEFAULT_ROUNDS,
    keys: Annotated[list[str] | None, Query(max_length=MAX_KEYS_PER_REQUEST)] = None,
) -> TrendOptions:
    """Return what to estimate, according to a query string."""
    return TrendOptions(limit, level, false_discovery_rate, None if keys is None else tuple(dict.fromkeys(keys)))


QueryTrend = Annotated[TrendOptions, Depends(parse_options)]


@router.get(
    "/series/{series_id}/trend",
    summary="Say what changed over the rounds of a series",
    response_class=Response,
    responses=downloads.download_responses(
        "Frequency and, of keys with values, mean of every key by round, smoothed and pooled, and when it changed.",
        FORMATS,
    )
    | downloads.NOT_MODIFIED,
)
@Policy(Access.ANALYSTS)
async def get_trend(
    series_id: str,
    request: Request,
    cache: Annotated[TrendCache, part("trends")],
    account: Account,
    options: QueryTrend,
    top: Annotated[int | None, Query(ge=1)] = None,
    since: Annotated[int | None, Query(ge=1, le=MAX_ROUNDS)] = None,
    language: downloads.QueryLanguage = ENGLISH,
) -> Response:
    """Return the trend over the last rounds with reports (`limit`): of all keys, some (`keys`), or the `top`.

    The `top` keys are those whose change is largest relative to the noise. All neighbouring windows of rounds are
    compared, or the last round with an earlier one alone (`since`); keys are flagged as changed at a
    `false_discovery_rate`. The Accept header chooses JSON, CSV, XLSX (for people, with headings in words of a
    `language`) or Parquet.
    """
    media = downloads.accepted_format(request, tuple(FORMATS), "trends")
    stored = await cache.contracts.find_series(series_id)
    result = await cache.find(account, stored.series, options)
    today = cache.contracts.today()
    name = downloads.file_stem(stored.series.task, today, "trend")
    write = (FORMATS | downloads.for_reader(stored.series.task, language, today))[media]
    headers = downloads.download_headers(name, media, series_id, result.state, request.url.query)
    if downloads.unchanged(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)

    def render() -> bytes:
        found = result.trend
        if since is not None:
            found = found.since(since, options.false_discovery_rate)
        if options.keys is not None:
            found = found.only(list(options.keys))
        if top is not None:
            found = found.moved_most(top)
        return downloads.encoded(write(found))

    with malformed_input():
        # Of many keys it takes seconds.
        content = await cache.threads.run(account, render)
    return Response(content, headers=headers, media_type=media)
