"""The estimates and discoveries of stored tasks and their routes; the route of report files."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import methodcaller
from typing import Annotated, Any, BinaryIO, NamedTuple

import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse

from pckv.base.arrays import Flags, Integers
from pckv.base.canonical import MAX_NAME_BYTES, check_names
from pckv.base.errors import ParameterError
from pckv.base.limits import DISCOVERY
from pckv.base.spreadsheet import XLSX_TYPE
from pckv.base.words import ENGLISH, Language
from pckv.collector.analysis.tallies import MAX_RESULT_BYTES, TallyCache, TallyResults
from pckv.collector.computations import AnalysisThreads, Computations
from pckv.collector.contracts.contracts import Contracts
from pckv.collector.http import downloads
from pckv.collector.http.auth import Account
from pckv.collector.http.bodies import JSON_TYPE, check_json, json_body
from pckv.collector.http.policy import Access, Policy, part
from pckv.collector.http.problem_details import ProblemDetails, ProblemKind, malformed_input, problem_responses
from pckv.contract.task import Task
from pckv.estimators.discovery import discover
from pckv.estimators.estimate import default_method, estimate
from pckv.estimators.results.columns import ColumnTable
from pckv.estimators.results.discovery import Discovery
from pckv.estimators.results.estimates import Estimates
from pckv.estimators.results.workbooks import PeopleTable
from pckv.files.reports.writer import as_arrays, write_reports
from pckv.planning.discovery import DEFAULT_FOUND_RATE

MAX_KEYS_PER_REQUEST = 10_000
# Writing a table with more keys, counted once more for each level, takes as long as estimating them.
MAX_SHORT_CELLS = 2**17
# The number of rows of all pages together.
ROWS_HEADER = "X-Total-Count"
# The checksum of the tally that an answer is from; as `snapshot` it asks for more from the same one.
SNAPSHOT_HEADER = "X-Snapshot"
CHUNK_BYTES = 2**20


class EstimateOptions(NamedTuple):
    """How to estimate; without a method, by the task's default."""

    method: str | None
    level: float
    post: tuple[str, ...]
    # A number of reports, or a share of them such as "1%".
    hostile: str = "0"
    # The keys that are asked for; None if all are.
    keys: tuple[str, ...] | None = None
    # Of hashed keys; None for the usual one.
    false_discovery_rate: float | None = None
    # The checksum of the tally to estimate from; None for that of all reports.
    snapshot: str | None = None

    def resolved(self, task: Task) -> EstimateOptions:
        """Return the options with the method named, and without keys where all are estimated in any case."""
        keys = self.keys if task.is_hashed or not task.law.decodes_all else None
        return self._replace(method=self.method or default_method(task), keys=keys)

    def arguments(self) -> dict[str, Any]:
        """Return what `estimate` takes besides a tally."""
        return {name: value for name, value in self._asdict().items() if name != "snapshot"}


# About what the text of a key takes, and a place in a list.
BYTES_PER_NAME = 80


class EstimateCache:
    """The estimates that were computed last from the tallies of tasks."""

    def __init__(self, contracts: Contracts, tallies: TallyCache, threads: AnalysisThreads) -> None:
        self.contracts, self.threads = contracts, threads
        self._results: TallyResults[EstimateOptions, Estimates] = TallyResults(
            contracts.store, tallies, threads, lambda tally, asked: estimate(tally, **asked.arguments())
        )
        self._key_names: Computations[list[str]] = Computations(
            MAX_RESULT_BYTES, lambda names: BYTES_PER_NAME * len(names)
        )

    async def find(self, account: bytes, task: Task, options: EstimateOptions) -> tuple[str, Estimates]:
        """Return the checksum of a task's tally and its estimates; options that do not fit are malformed."""
        digest, [found] = await self.find_all(account, task, [options])
        return digest, found

    async def find_all(
        self, account: bytes, task: Task, options: Sequence[EstimateOptions]
    ) -> tuple[str, list[Estimates]]:
        """Return the checksum of a task's tally and several estimates from this one tally, that of the first."""
        if task.kind == DISCOVERY:
            raise ProblemDetails(
                ProblemKind.MALFORMED,
                f"task {task.name!r} is a discovery, which has no list of keys: /tasks/{task.id}/discovery finds them",
            )
        with malformed_input():
            asked = [each.resolved(task)._replace(snapshot=None) for each in options]
            return await self._results.get(task, asked, account, options[0].snapshot)

    def search(self, estimates: Estimates, text: str, options: EstimateOptions) -> Flags:
        """Return which keys have a text in their names, ignoring case; the options made the estimates."""
        asked = (estimates.task, options.keys)
        known = self._key_names.known(asked)
        names = known.value if known else [key.casefold() for key in estimates.key]
        self._key_names.keep(asked, names)
        folded = text.casefold()
        return np.fromiter((folded in name for name in names), np.bool_, len(names))


CurrentEstimates = Annotated[EstimateCache, part("estimates")]


MAX_ASKED_KEYS = 100_000
# A list of anything but texts could take far more memory than the body that it is parsed from.
_LIST_OF_TEXTS = re.compile(rb'\s*\{\s*"keys"\s*:\s*\[\s*(?:"(?:[^"\\]++|\\.)*+"\s*,?\s*)*+\]\s*\}\s*', re.DOTALL)

ASKED_KEYS_BODY = json_body(
    {
        "type": "object",
        "properties": {
            "keys": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": MAX_NAME_BYTES},
                "minItems": 1,
                "maxItems": MAX_ASKED_KEYS,
                "uniqueItems": True,
            }
        },
        "required": ["keys"],
        "additionalProperties": False,
    }
)


async def read_asked_keys(request: Request) -> tuple[str, ...]:
    """Return the keys that the body of a request names, or raise the problem with it."""
    check_json(request, "a list of keys")
    if "keys" in request.query_params:
        raise ProblemDetails(
            ProblemKind.MALFORMED, "the body names the keys: leave keys out of the address", field="keys"
        )
    return await asyncio.to_thread(parse_asked_keys, await request.body())


AskedKeys = Annotated[tuple[str, ...], Depends(read_asked_keys)]


def parse_asked_keys(body: bytes) -> tuple[str, ...]:
    """Return the keys of a body: texts that may be keys, no two of them the same."""
    too_many = ProblemDetails(ProblemKind.TOO_LARGE, f"a request names at most {MAX_ASKED_KEYS:,} keys")
    # Counted before anything is parsed, which would hold the interpreter for seconds.
    if body.count(b'"') - body.count(b'\\"') > 2 * (MAX_ASKED_KEYS + 1):
        raise too_many
    try:
        keys = json.loads(body)["keys"] if _LIST_OF_TEXTS.fullmatch(body) else None
    except ValueError:
        keys = None
    if not keys:
        raise ProblemDetails(ProblemKind.MALFORMED, 'the body must be {"keys": […]}, a list of texts')
    if len(keys) > MAX_ASKED_KEYS:
        raise too_many
    try:
        return check_names(keys, "key")
    except ParameterError as error:
        raise ProblemDetails(ProblemKind.MALFORMED, str(error), field="keys") from None


# In this order, keys that stand out from the noise come first, and the most frequent first among those and
# the others.
DETECTED, MEAN = "detected", "mean"
SORTS = ("key", "frequency", "-frequency", MEAN, f"-{MEAN}", DETECTED)
# How many quantiles, or shares above or below a value, a request may ask for.
MAX_QUESTIONS = 16


# The tables of a result besides that of keys: labels of a segment, keys within them, and which of these differ; and
# keys that are held together.
ESTIMATES, LABELS, SEGMENTS, DIFFERENCES, PAIRS = "estimates", "labels", "segments", "differences", "pairs"
TableName = Annotated[str, Query(pattern=f"^({ESTIMATES}|{LABELS}|{SEGMENTS}|{DIFFERENCES}|{PAIRS})$")]


class WantedRows(NamedTuple):
    """Some rows of a table, and columns besides."""

    top: int | None
    search: str
    order: str
    limit: int | None
    offset: int
    quantiles: Sequence[float]
    above: Sequence[float]
    below: Sequence[float]
    table: str = ESTIMATES


def parse_rows(
    top: Annotated[int | None, Query(ge=1)] = None,
    search: Annotated[str, Query(max_length=256)] = "",
    sort: Annotated[str | None, Query(max_length=32)] = None,
    limit: Annotated[int | None, Query(ge=1)] = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    quantile: Annotated[list[float] | None, Query(max_length=MAX_QUESTIONS)] = None,
    above: Annotated[list[float] | None, Query(max_length=MAX_QUESTIONS)] = None,
    below: Annotated[list[float] | None, Query(max_length=MAX_QUESTIONS)] = None,
    table: TableName = ESTIMATES,
) -> WantedRows:
    """Return which rows to show, according to a query string."""
    return WantedRows(top, search, _order(sort, top), limit, offset, quantile or (), above or (), below or (), table)


def _order(sort: str | None, top: int | None) -> str:
    if sort is not None and sort not in SORTS:
        raise ProblemDetails(ProblemKind.MALFORMED, f"sort must be one of {', '.join(SORTS)}")
    if top is None:
        return sort or "key"
    if sort is not None:
        raise ProblemDetails(ProblemKind.MALFORMED, "sort cannot be combined with top, which sorts by frequency")
    return "-frequency"


def sorted_rows(estimates: Estimates, rows: Integers, order: str) -> Integers:
    """Return rows in an order; the key for all that are not listed comes last, whatever its numbers."""
    if order == "key":
        return rows
    if order == DETECTED:
        rows = rows[np.lexsort((-estimates.frequency[rows], ~estimates.detected[rows]))]
    else:
        column = getattr(estimates, order.removeprefix("-"))[rows]
        rows = rows[np.argsort(-column if order.startswith("-") else column, kind="stable")]
    return top_rows(estimates, rows, rows.size)


def top_rows(estimates: Estimates, rows: Integers, count: int) -> Integers:
    """Return the first rows of listed keys, and after them that of all others where it is among the rows."""
    listed = is_listed(estimates, rows)
    return np.concatenate([rows[listed][:count], rows[~listed]])


def is_listed(estimates: Estimates, rows: Integers) -> Flags:
    """Return which of some rows are those of listed keys: all but the one of the key for all others."""
    if estimates.other is None:
        return np.ones(rows.size, np.bool_)
    return np.asarray(rows != estimates.key.index(estimates.other))


def parse_options(
    method: Annotated[str | None, Query(max_length=32)] = None,
    level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    post: Annotated[list[str] | None, Query(max_length=8)] = None,
    hostile: Annotated[str, Query(max_length=32)] = "0",
    false_discovery_rate: Annotated[float | None, Query(gt=0, lt=1)] = None,
    snapshot: Annotated[str | None, Query(pattern="^[0-9a-f]{64}$")] = None,
) -> EstimateOptions:
    """Return how to estimate, according to a query string."""
    return EstimateOptions(
        method, level, tuple(post or ()), hostile, false_discovery_rate=false_discovery_rate, snapshot=snapshot
    )


QueryOptions = Annotated[EstimateOptions, Depends(parse_options)]

router = APIRouter()

QueryRows = Annotated[WantedRows, Depends(parse_rows)]

FORMATS: dict[str, Callable[[PeopleTable], str | bytes]] = {
    JSON_TYPE: methodcaller("to_json"),
    downloads.CSV_TYPE: methodcaller("to_csv"),
    downloads.PARQUET_TYPE: methodcaller("to_parquet"),
    XLSX_TYPE: methodcaller("to_xlsx"),
}
# What a `snapshot` leads to that is no longer kept.
NO_SNAPSHOT = problem_responses(ProblemKind.OUTDATED)
ESTIMATE_RESPONSES = NO_SNAPSHOT | downloads.download_responses(
    "Frequency and, of keys with values, mean of every key, and the shares of more than two levels, with intervals.",
    FORMATS,
)


@router.get(
    "/tasks/{task_id}/estimates",
    tags=["estimates"],
    summary="Estimate frequencies and means",
    response_class=Response,
    responses=ESTIMATE_RESPONSES | downloads.NOT_MODIFIED,
)
@Policy(Access.ANALYSTS)
async def get_estimates(
    task_id: str,
    request: Request,
    cache: CurrentEstimates,
    account: Account,
    options: QueryOptions,
    wanted: QueryRows,
    keys: Annotated[list[str] | None, Query(max_length=MAX_KEYS_PER_REQUEST)] = None,
    language: downloads.QueryLanguage = ENGLISH,
) -> Response:
    """Return estimates of all keys, or some: by name (`keys`), by a part of it (`search`), or the `top` ones.

    Where keys are hashed, they must be named; they are told from noise at a `false_discovery_rate`, by
    default 0.05. `sort` is key (the default: the order of the task, or of the keys named), frequency,
    -frequency, mean, -mean (where keys have values) or detected: those that stand out from the noise first, by
    frequency. It cannot be combined with `top`, which returns the keys of the largest frequencies in that
    order. The key for all that are not listed, whose name is the member `other`, comes last in any order, and
    besides the top ones.
    `limit` and `offset` page through the result, whose length is in the header X-Total-Count.
    All parts of a page are from the same reports if each names the `snapshot`, the header X-Snapshot of the first
    answer; 409 says that it is no longer kept.
    `post=consistent` makes the frequencies add up to what they can. Where the task has more than two levels,
    `quantile=0.5` adds the median of every key's values, and `above=3` or `below=3` the share of its holders
    with higher or lower ones; each may be repeated. `hostile=1000` or `hostile=1%` gives intervals that hold
    whatever this many of the reports say. Counts that are impossible whatever people hold are the member
    `impossible`, with a `warning` that the verdict begins with. Of a task with a segment, `table` chooses its
    `labels`, `segments` (the keys within each label) or the `differences` between labels; of one that asks which
    keys are held together, their `pairs`: the rows of the keys that are asked for. The Accept header chooses JSON,
    CSV, XLSX or Parquet, and the header Content-Disposition names the file: task, day, what it
    holds, and the method unless that is the default. XLSX is for people, with headings in words of a `language`; the
    other forms have all columns and digits.
    """
    asked = None if keys is None else tuple(keys)
    return await _answer(request, cache, account, task_id, options._replace(keys=asked), wanted, language)


@router.post(
    "/tasks/{task_id}/estimates",
    tags=["estimates"],
    summary="Estimate frequencies and means of the keys named",
    response_class=Response,
    responses=ESTIMATE_RESPONSES,
    openapi_extra=ASKED_KEYS_BODY,
)
@Policy(Access.ANALYSTS, max_bytes=None)
async def ask_estimates(
    task_id: str,
    request: Request,
    cache: CurrentEstimates,
    account: Account,
    options: QueryOptions,
    wanted: QueryRows,
    keys: AskedKeys,
    language: downloads.QueryLanguage = ENGLISH,
) -> Response:
    """Return estimates of the keys that the body names, each once: up to 100,000 of them.

    Where keys are hashed, only this tells which texts are there. Everything else is as with GET.
    """
    return await _answer(request, cache, account, task_id, options._replace(keys=keys), wanted, language)


async def _answer(
    request: Request,
    cache: EstimateCache,
    account: bytes,
    task_id: str,
    options: EstimateOptions,
    wanted: WantedRows,
    language: Language,
) -> Response:
    """Return the estimates that a request asks for, in the format that it accepts."""
    media = downloads.accepted_format(request, tuple(FORMATS), "estimates")
    order = wanted.order
    stored = await cache.contracts.find(task_id)
    if order.removeprefix("-") == MEAN and not stored.task.has_values:
        raise ProblemDetails(ProblemKind.MALFORMED, "sort by mean needs values: the keys of this task have none")
    digest, estimates = await cache.find(account, stored.task, options)
    resolved = options.resolved(stored.task)
    today = cache.contracts.today()
    name = file_stem(stored.task, today, estimates.method, wanted.table)
    write = (FORMATS | downloads.for_reader(stored.task, language, today))[media]
    headers = downloads.download_headers(name, media, digest, resolved.method, request.url.query)
    headers[SNAPSHOT_HEADER] = digest
    if request.method != "GET":
        # What a body asks for, no cache can tell by the address.
        del headers["ETag"]
    elif downloads.unchanged(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)

    def serialise() -> bytes:
        # Without keys in the resolved options, all were estimated.
        keys = None if resolved.keys is not None else options.keys
        rows = np.arange(len(estimates))
        if keys is not None:
            with malformed_input():
                rows = np.array([stored.task.key_index(key) for key in keys], np.int64)
        if wanted.search:
            rows = rows[cache.search(estimates, wanted.search, resolved)[rows]]
        rows = sorted_rows(estimates, rows, order)
        if wanted.top is not None:
            rows = top_rows(estimates, rows, wanted.top)
        if wanted.table != ESTIMATES:
            table = part_of(estimates.take(rows), wanted.table)
            headers[ROWS_HEADER] = str(len(table))
            return downloads.encoded(write(table.take(np.arange(len(table))[wanted.offset :][: wanted.limit])))
        headers[ROWS_HEADER] = str(len(rows))
        shown = estimates.take(rows[wanted.offset :][: wanted.limit])
        with malformed_input():
            return downloads.encoded(write(shown.ask(wanted.quantiles, wanted.above, wanted.below)))

    threads = cache.threads
    most = min(each for each in (len(estimates), wanted.top, wanted.limit) if each is not None)
    is_short = most * (1 + len(estimates.level_values)) <= MAX_SHORT_CELLS
    content = await (threads.run_short(serialise) if is_short else threads.run(account, serialise))
    return Response(content, headers=headers, media_type=media)


def file_stem(task: Task, day: str, method: str, table: str) -> str:
    """Return the name of a file of results without its extension; it names a method that is not the default."""
    named = "" if method == default_method(task) else method
    held = "" if table == ESTIMATES else table
    return downloads.file_stem(task, day, f"{held} {named}".strip() or "results")


def part_of(estimates: Estimates, table: str) -> ColumnTable:
    """Return one of the tables of a result besides that of keys, or raise the problem that there is none."""
    if table == PAIRS:
        if estimates.pairs is None:
            raise ProblemDetails(ProblemKind.MALFORMED, "this task does not ask which keys are held together")
        return estimates.pairs
    segments = estimates.segments
    if segments is None:
        raise ProblemDetails(ProblemKind.MALFORMED, "this task has no segment")
    return {LABELS: segments.labels, SEGMENTS: segments.cells, DIFFERENCES: segments.differences}[table]


@router.get(
    "/tasks/{task_id}/reports",
    tags=["estimates"],
    summary="Download the reports",
    response_class=StreamingResponse,
    responses={200: {"description": "A report file.", "content": {downloads.PARQUET_TYPE: {"schema": {}}}}},
)
@Policy(Access.ANALYSTS)
async def download_reports(task_id: str, cache: CurrentEstimates, account: Account) -> StreamingResponse:
    """Return all reports as one report file, in the order of their random ids."""
    contracts = cache.contracts
    stored = await contracts.find(task_id)
    file = await cache.threads.run(account, partial(_report_file, contracts, stored.task))
    name = f"{downloads.file_stem(stored.task, contracts.today(), 'reports')}.parquet"
    headers = {"Content-Disposition": downloads.attachment(name)}
    return StreamingResponse(_chunks(file), media_type=downloads.PARQUET_TYPE, headers=headers)


def _report_file(contracts: Contracts, task: Task) -> BinaryIO:
    """Write a report file to a temporary place: it is complete before its first byte is sent."""
    file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
    write_reports(file, task, (as_arrays(task, batch) for batch in contracts.store.reports(task.id)))
    file.seek(0)
    return file


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


class DiscoveryOptions(NamedTuple):
    """How keys are found: the level of their intervals, and the largest share of false ones, on average."""

    level: float
    false_discovery_rate: float


class DiscoveryCache:
    """The discoveries that were computed last from the tallies of tasks."""

    def __init__(self, contracts: Contracts, tallies: TallyCache, threads: AnalysisThreads) -> None:
        self.contracts, self.threads = contracts, threads
        self._results: TallyResults[DiscoveryOptions, Discovery] = TallyResults(
            contracts.store, tallies, threads, lambda tally, asked: discover(tally, **asked._asdict())
        )

    async def find(self, account: bytes, task: Task, options: DiscoveryOptions) -> tuple[str, Discovery]:
        """Return the checksum of a task's tally and what was found.

        A task that is no discovery, or has too few reports, is a malformed question.
        """
        with malformed_input():
            # Before a large tally is counted for nothing.
            task.tree  # noqa: B018
            digest, [found] = await self._results.get(task, [options], account)
        return digest, found


DISCOVERY_FORMATS: dict[str, Callable[[Discovery], str | bytes]] = {
    JSON_TYPE: Discovery.to_json,
    downloads.CSV_TYPE: Discovery.to_csv,
    downloads.PARQUET_TYPE: Discovery.to_parquet,
    XLSX_TYPE: Discovery.to_xlsx,
    downloads.TEXT_TYPE: Discovery.to_text,
}


def parse_discovery_options(
    level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    false_discovery_rate: Annotated[float, Query(gt=0, lt=1)] = DEFAULT_FOUND_RATE,
) -> DiscoveryOptions:
    """Return how keys are found, according to a query string."""
    return DiscoveryOptions(level, false_discovery_rate)


@router.get(
    "/tasks/{task_id}/discovery",
    tags=["discovery"],
    summary="Find the keys of a discovery",
    response_class=Response,
    responses=downloads.download_responses(
        "The keys found, with frequencies and intervals, and the prefixes that led to them.",
        DISCOVERY_FORMATS,
    )
    | downloads.NOT_MODIFIED,
)
@Policy(Access.ANALYSTS)
async def get_discovery(
    task_id: str,
    request: Request,
    cache: Annotated[DiscoveryCache, part("discoveries")],
    account: Account,
    options: Annotated[DiscoveryOptions, Depends(parse_discovery_options)],
    top: Annotated[int | None, Query(ge=1)] = None,
    language: downloads.QueryLanguage = ENGLISH,
) -> Response:
    """Return the texts that many people hold, the most frequent ones first, or only the `top` ones.

    Each has its frequency with an interval; of all intervals, a share of at most 1 - `level` does not contain the
    truth, on average (the false coverage rate). Of those found, a share of at most
    `false_discovery_rate` has no holders, on average. The `tree` has all prefixes that were followed, from
    the shortest to the longest, with the frequencies of texts that begin so. The Accept header chooses JSON,
    CSV, XLSX (for people, with headings in words of a `language`) or Parquet (the keys), or plain text: the keys one
    per line, as a new task takes them. There must be at least as many reports as groups.
    """
    media = downloads.accepted_format(request, tuple(DISCOVERY_FORMATS), "discoveries")
    stored = await cache.contracts.find(task_id)
    digest, found = await cache.find(account, stored.task, options)
    what = "keys" if media == downloads.TEXT_TYPE else "discovery"
    today = cache.contracts.today()
    name = downloads.file_stem(stored.task, today, what)
    headers = downloads.download_headers(name, media, digest, request.url.query)
    if downloads.unchanged(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    shown = found if top is None else found.top(top)
    write = (DISCOVERY_FORMATS | downloads.for_reader(stored.task, language, today))[media]
    content = await cache.threads.run_short(lambda: downloads.encoded(write(shown)))
    return Response(content, headers=headers, media_type=media)
