"""Estimates and report files for those who may see them."""

from __future__ import annotations

import asyncio
import hashlib
import io
import tempfile
from collections.abc import Callable, Iterator
from typing import Annotated, BinaryIO

import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse

from pckv.channels import BucketsChannel
from pckv.collector.problem_details import Problem, ProblemKind, documented
from pckv.collector.state import Collector, collector, unchanged
from pckv.collector.tallies import Question
from pckv.collector.tasks import ADMINISTRATION, OF_A_TASK
from pckv.errors import PckvError, require
from pckv.estimators.estimate import default_method
from pckv.estimators.result import Estimates
from pckv.estimators.set_sizes import bucket_rows
from pckv.files.reports.format import as_arrays, write_reports
from pckv.task import Task

JSON_TYPE, CSV_TYPE, PARQUET_TYPE = "application/json", "text/csv", "application/vnd.apache.parquet"
SORTS = ("key", "frequency", "-frequency", "mean", "-mean")
MOST_ROWS = 10_000
# How many rows there are to page through.
ROWS_HEADER = "X-Total-Count"
CHUNK_BYTES = 2**20


def question(
    method: Annotated[str | None, Query(max_length=32)] = None,
    level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    post: Annotated[list[str] | None, Query(max_length=8)] = None,
) -> Question:
    """How estimates are to be made, as an address says it."""
    return Question(method, level, tuple(post or ()))


Here = Annotated[Collector, Depends(collector)]
Asked = Annotated[Question, Depends(question)]

router = APIRouter(tags=["estimates"])


def _parquet(estimates: Estimates) -> bytes:
    sink = io.BytesIO()
    require("pyarrow.parquet", extra="files").write_table(estimates.to_arrow(), sink)
    return sink.getvalue()


FORMS: dict[str, Callable[[Estimates], str | bytes]] = {
    JSON_TYPE: Estimates.to_json,
    CSV_TYPE: Estimates.to_csv,
    PARQUET_TYPE: _parquet,
}


@router.get(
    "/tasks/{task_id}/estimates",
    summary="Estimate frequencies and means",
    response_class=Response,
    responses={
        200: {
            "description": "Frequency and mean of every key, with intervals.",
            "content": {form: {"schema": {}} for form in FORMS},
        },
        304: {"description": "Nothing has changed since."},
        **documented(ProblemKind.MALFORMED, *ADMINISTRATION, *OF_A_TASK, ProblemKind.NOT_ACCEPTABLE),
    },
)
async def estimates(
    task_id: str,
    request: Request,
    here: Here,
    asked: Asked,
    top: Annotated[int | None, Query(ge=1)] = None,
    keys: Annotated[list[str] | None, Query(max_length=MOST_ROWS)] = None,
    search: Annotated[str, Query(max_length=256)] = "",
    sort: Annotated[str, Query(max_length=32)] = "key",
    limit: Annotated[int | None, Query(ge=1)] = None,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Estimates of all keys, or of those wanted: by name (`keys`), by a part of it (`search`), the `top` ones.

    `sort` is key, frequency, -frequency, mean or -mean; `limit` and `offset` page through the result, whose length
    is in the header X-Total-Count. `post=consistent` makes the frequencies add up to what they can. The form
    follows the Accept header: JSON, CSV or Parquet. Of a pilot the rows are its buckets, and `frequency` is the share
    of people in each.
    """
    form = _form(request)
    if sort not in SORTS:
        raise Problem(ProblemKind.MALFORMED, f"sort must be one of {', '.join(SORTS)}")
    found = await here.find(task_id)
    digest, made = await estimated(here, found.task, asked)
    tag = f'"{hashlib.sha256(f"{digest} {form} {request.url.query}".encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept"}
    if unchanged(request, tag):
        return Response(status_code=304, headers=headers)

    def written() -> str | bytes:
        rows = _wanted(found.task, made, keys)
        if search:
            rows = rows[here.tallies.search(made, search)[rows]]
        chosen = _sorted(made, rows, sort if top is None else "-frequency")[:top]
        headers[ROWS_HEADER] = str(len(chosen))
        return FORMS[form](made.take(chosen[offset:][:limit]))

    return Response(await asyncio.to_thread(written), headers=headers, media_type=form)


async def estimated(here: Collector, task: Task, asked: Question) -> tuple[str, Estimates]:
    """The estimates of a task and the hash of their tally; what cannot be estimated is the asker's mistake.

    Who asks for what is being made already waits for it, without a thread: a page asks for the same
    several times at once, and large tasks take long.
    """
    # Named or not, the same is made once.
    asked = asked._replace(method=asked.method or default_method(task))
    numbers = await asyncio.to_thread(here.store.part_numbers, task.id)
    wanted = (task.id, asked, *numbers)
    making = here.estimating.get(wanted)
    if making is None:
        work = asyncio.to_thread(here.tallies.estimate, task, asked)
        making = here.estimating[wanted] = asyncio.ensure_future(work)
        making.add_done_callback(lambda _: here.estimating.pop(wanted))
    try:
        # Whoever hangs up does not take it from the others.
        return await asyncio.shield(making)
    except PckvError as error:
        if error.code == "store_unavailable":
            raise
        raise Problem(ProblemKind.MALFORMED, str(error)) from None


def _form(request: Request) -> str:
    """The first form of those that the asker likes best."""
    parts = [part.split(";") for part in request.headers.get("accept", "*/*").lower().split(",")]
    accepted = [(_liking(options), wanted.strip()) for wanted, *options in parts]
    for liking, wanted in sorted(accepted, key=lambda each: -each[0]):
        for form in FORMS:
            if liking > 0 and wanted in (form, "*/*", form.partition("/")[0] + "/*"):
                return form
    raise Problem(ProblemKind.NOT_ACCEPTABLE, f"estimates come as {', '.join(FORMS)}")


def _liking(options: list[str]) -> float:
    for name, _, value in (option.partition("=") for option in options):
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0


def _wanted(task: Task, made: Estimates, keys: list[str] | None) -> np.ndarray:
    if keys is not None:
        try:
            if isinstance(task.channel, BucketsChannel):
                return bucket_rows(task.channel, keys)
            return np.array([task.key_index(key) for key in keys], np.int64)
        except PckvError as error:
            raise Problem(ProblemKind.MALFORMED, str(error)) from None
    return np.arange(len(made))


def _sorted(made: Estimates, rows: np.ndarray, sort: str) -> np.ndarray:
    if sort == "key":
        return rows
    column = getattr(made, sort.removeprefix("-"))[rows]
    return rows[np.argsort(-column if sort.startswith("-") else column, kind="stable")]


@router.get(
    "/tasks/{task_id}/reports",
    summary="Download the reports",
    response_class=StreamingResponse,
    responses={
        200: {"description": "A report file.", "content": {PARQUET_TYPE: {"schema": {}}}},
        **documented(*ADMINISTRATION, *OF_A_TASK),
    },
)
async def reports(task_id: str, here: Here) -> StreamingResponse:
    """All reports as one report file, in the order of their random ids."""
    found = await here.find(task_id)
    file = await asyncio.to_thread(_report_file, here, found.task)
    name = f'attachment; filename="{task_id}.parquet"'
    return StreamingResponse(_chunks(file), media_type=PARQUET_TYPE, headers={"Content-Disposition": name})


def _report_file(here: Collector, task: Task) -> BinaryIO:
    """A report file in a temporary place: it is whole before its first byte is sent."""
    file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
    write_reports(file, task, (as_arrays(task, batch) for batch in here.store.reports(task.id)))
    file.seek(0)
    return file


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
