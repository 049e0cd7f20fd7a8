"""The routes of estimates and report files."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any, BinaryIO

import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse

from pckv import __version__
from pckv.base.arrays import Integers
from pckv.base.errors import PckvError
from pckv.base.limits import DISCOVERY
from pckv.collector.analysis.estimate_cache import EstimateOptions
from pckv.collector.analysis.estimate_rows import (
    ASKED_KEYS_BODY,
    AskedKeys,
    WantedRows,
    parse_rows,
    sorted_rows,
    top_rows,
)
from pckv.collector.contracts.task_routes import ADMIN_PROBLEMS, TASK_PROBLEMS
from pckv.collector.http.download_names import attachment, file_stem
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, problem_responses
from pckv.collector.state import Account, Collector, CurrentCollector, unchanged
from pckv.contract.task import Task
from pckv.estimators.results.estimates import Estimates
from pckv.files.reports.writer import as_arrays, write_reports

JSON_TYPE, CSV_TYPE, PARQUET_TYPE = "application/json", "text/csv", "application/vnd.apache.parquet"
MAX_KEYS_PER_REQUEST = 10_000
# Writing a table with more keys, counted once more for each level, takes as long as estimating them.
MAX_SHORT_CELLS = 2**17
# The number of rows of all pages together.
ROWS_HEADER = "X-Total-Count"
CHUNK_BYTES = 2**20


def parse_options(
    method: Annotated[str | None, Query(max_length=32)] = None,
    level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    post: Annotated[list[str] | None, Query(max_length=8)] = None,
    hostile: Annotated[str, Query(max_length=32)] = "0",
    false_discovery_rate: Annotated[float | None, Query(gt=0, lt=1)] = None,
) -> EstimateOptions:
    """Return how to estimate, according to a query string."""
    return EstimateOptions(
        method, level, tuple(post or ()), hostile, false_discovery_rate=false_discovery_rate
    )


QueryOptions = Annotated[EstimateOptions, Depends(parse_options)]

router = APIRouter(tags=["estimates"])

QueryRows = Annotated[WantedRows, Depends(parse_rows)]

FORMATS: dict[str, Callable[[Estimates], str | bytes]] = {
    JSON_TYPE: Estimates.to_json,
    CSV_TYPE: Estimates.to_csv,
    PARQUET_TYPE: Estimates.to_parquet,
}
SUFFIXES = {JSON_TYPE: "json", CSV_TYPE: "csv", PARQUET_TYPE: "parquet"}
ESTIMATE_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Frequency and mean of every key, and the shares of more than two levels, with intervals.",
        "content": {media: {"schema": {}} for media in FORMATS},
    }
}


@router.get(
    "/tasks/{task_id}/estimates",
    summary="Estimate frequencies and means",
    response_class=Response,
    responses={
        **ESTIMATE_RESPONSES,
        304: {"description": "Nothing has changed since."},
        **problem_responses(
            ProblemKind.MALFORMED, *ADMIN_PROBLEMS, *TASK_PROBLEMS, ProblemKind.NOT_ACCEPTABLE
        ),
    },
)
async def get_estimates(
    task_id: str,
    request: Request,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
    wanted: QueryRows,
    keys: Annotated[list[str] | None, Query(max_length=MAX_KEYS_PER_REQUEST)] = None,
) -> Response:
    """Return estimates of all keys, or of some: by name (`keys`), by a part of it (`search`), or the `top` ones.

    Where keys are hashed, they must be named; they are told from noise at a `false_discovery_rate`, by default 0.05.
    `sort` is key (the default: the order of the task, or of the keys named), frequency, -frequency, mean, -mean or detected:
    those that stand out from the noise first, by frequency. It cannot be combined with `top`, which
    returns the keys of the largest frequencies in that order. The key for all that are not listed, whose name is the
    member `other`, comes last in any order, and besides the top ones. `limit` and `offset` page through the result, whose
    length is in the header X-Total-Count. `post=consistent` makes the frequencies add up to what they can.
    Where the task has more than two levels, `quantile=0.5` adds the median of every key's values, and `above=3` or
    `below=3` the share of its holders with higher or lower ones; each may be repeated.
    `hostile=1000` or `hostile=1%` gives intervals that hold whatever this many of the reports say. The Accept header
    chooses JSON, CSV or Parquet, and the header Content-Disposition names the file: task, day and method.
    """
    asked = None if keys is None else tuple(keys)
    return await _answer(request, collector, account, task_id, options._replace(keys=asked), wanted)


@router.post(
    "/tasks/{task_id}/estimates",
    summary="Estimate frequencies and means of the keys named",
    response_class=Response,
    responses=ESTIMATE_RESPONSES
    | problem_responses(
        ProblemKind.MALFORMED,
        *ADMIN_PROBLEMS,
        *TASK_PROBLEMS,
        ProblemKind.NOT_ACCEPTABLE,
        ProblemKind.TOO_LARGE,
        ProblemKind.MEDIA,
    ),
    openapi_extra=ASKED_KEYS_BODY,
)
async def ask_estimates(
    task_id: str,
    request: Request,
    collector: CurrentCollector,
    account: Account,
    options: QueryOptions,
    wanted: QueryRows,
    keys: AskedKeys,
) -> Response:
    """Return estimates of the keys that the body names, each once: up to 100,000 of them.

    Where keys are hashed, only this tells which texts are there. Everything else is as with GET.
    """
    return await _answer(request, collector, account, task_id, options._replace(keys=keys), wanted)


async def _answer(
    request: Request,
    collector: Collector,
    account: bytes,
    task_id: str,
    options: EstimateOptions,
    wanted: WantedRows,
) -> Response:
    """Return the estimates that a request asks for, in the format that it accepts."""
    media = accepted_format(request, tuple(FORMATS), "estimates")
    order = wanted.order
    stored = await collector.find(task_id)
    digest, estimates = await find_estimates(collector, account, stored.task, options)
    resolved = options.resolved(stored.task)
    headers = {
        "ETag": entity_tag(digest, media, resolved.method, request.url.query),
        "Cache-Control": "private, no-cache",
        "Vary": "Accept",
        "Content-Disposition": attachment(
            f"{file_stem(stored.task, collector.today(), estimates.method)}.{SUFFIXES[media]}"
        ),
    }
    if request.method != "GET":
        # What a body asks for, no cache can tell by the address.
        del headers["ETag"]
    elif unchanged(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)

    def serialise() -> str | bytes:
        # Without keys in the resolved options, all were estimated.
        keys = None if resolved.keys is not None else options.keys
        rows = _requested_rows(stored.task, estimates, keys)
        if wanted.search:
            rows = rows[collector.estimate_cache.search(estimates, wanted.search, resolved)[rows]]
        rows = sorted_rows(estimates, rows, order)
        if wanted.top is not None:
            rows = top_rows(estimates, rows, wanted.top)
        headers[ROWS_HEADER] = str(len(rows))
        shown = estimates.take(rows[wanted.offset :][: wanted.limit])
        return FORMATS[media](_asked(shown, wanted))

    threads = collector.analysis_threads
    most = min(each for each in (len(estimates), wanted.top, wanted.limit) if each is not None)
    is_short = most * (1 + len(estimates.level_values)) <= MAX_SHORT_CELLS
    content = await (threads.run_short(serialise) if is_short else threads.run(account, serialise))
    return Response(content, headers=headers, media_type=media)


def _asked(estimates: Estimates, wanted: WantedRows) -> Estimates:
    try:
        return estimates.ask(wanted.quantiles, wanted.above, wanted.below)
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None


def entity_tag(*parts: object) -> str:
    """Return a tag that changes with the release too, which may estimate or write the same tally differently."""
    text = " ".join(map(str, (__version__, *parts)))
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


async def find_estimates(
    collector: Collector, account: bytes, task: Task, options: EstimateOptions
) -> tuple[str, Estimates]:
    """Return the checksum of a task's tally and its estimates; options that do not fit the task are malformed."""
    if task.kind == DISCOVERY:
        raise ProblemDetails(
            ProblemKind.MALFORMED,
            f"task {task.name!r} is a discovery, which has no list of keys: /tasks/{task.id}/discovery finds them",
        )
    try:
        return await collector.estimate_cache.get(task, options, account)
    except PckvError as error:
        if error.code == "store_unavailable":
            raise
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None


def accepted_format(request: Request, formats: Sequence[str], what: str) -> str:
    """Return the format that the Accept header prefers."""
    parts = [part.split(";") for part in request.headers.get("accept", "*/*").lower().split(",")]
    accepted = [(_quality(options), pattern.strip()) for pattern, *options in parts]
    for quality, pattern in sorted(accepted, key=lambda item: -item[0]):
        for media in formats:
            if quality > 0 and pattern in (media, "*/*", media.partition("/")[0] + "/*"):
                return media
    raise ProblemDetails(ProblemKind.NOT_ACCEPTABLE, f"{what} come as {', '.join(formats)}")


def _quality(options: list[str]) -> float:
    for name, _, value in (option.partition("=") for option in options):
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0


def _requested_rows(task: Task, estimates: Estimates, keys: Sequence[str] | None) -> Integers:
    if keys is None:
        return np.arange(len(estimates))
    try:
        return np.array([task.key_index(key) for key in keys], np.int64)
    except PckvError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error)) from None


@router.get(
    "/tasks/{task_id}/reports",
    summary="Download the reports",
    response_class=StreamingResponse,
    responses={
        200: {"description": "A report file.", "content": {PARQUET_TYPE: {"schema": {}}}},
        **problem_responses(*ADMIN_PROBLEMS, *TASK_PROBLEMS),
    },
)
async def download_reports(task_id: str, collector: CurrentCollector, account: Account) -> StreamingResponse:
    """Return all reports as one report file, in the order of their random ids."""
    stored = await collector.find(task_id)
    file = await collector.analysis_threads.run(account, partial(_report_file, collector, stored.task))
    name = f"{file_stem(stored.task, collector.today(), 'reports')}.parquet"
    headers = {"Content-Disposition": attachment(name)}
    return StreamingResponse(_chunks(file), media_type=PARQUET_TYPE, headers=headers)


def _report_file(collector: Collector, task: Task) -> BinaryIO:
    """Write a report file to a temporary place: it is complete before its first byte is sent."""
    file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
    write_reports(file, task, (as_arrays(task, batch) for batch in collector.store.reports(task.id)))
    file.seek(0)
    return file


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
