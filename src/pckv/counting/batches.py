"""Record batches of reports: read with their place in messages, checked, and counted or refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from pckv.base.arrays import Messages
from pckv.base.errors import DataError, ReportError, first_line, require
from pckv.contract.task import Task
from pckv.counting.job import BadReports, CountResult, Job
from pckv.files.pairs.sources import as_table, is_pandas
from pckv.files.reports.columns import (
    ID_COLUMN,
    ID_MEMBER,
    InvalidRows,
    check_columns,
    check_owner,
    column_to_ids,
    message_column,
    report_schema,
)
from pckv.files.reports.reader import ReportFile
from pckv.tally import Tally


def count_batch(result: CountResult, batch: Any, where: str, start: int = 0, *, skip_bad: bool) -> None:
    """Count the reports of a record batch; bad ones are an error, or noted as skipped.

    `where` is the batch's place in messages, and `start` the number of its first report there.
    """
    task = result.tally.task
    if not any(column.null_count for column in batch.columns):
        # Which report is bad is looked for only where one is.
        with suppress(require("pyarrow", extra="files").ArrowInvalid, ReportError):
            result.tally.add_many(batch_messages(task, batch))
            return
    valid, bad = check_batch(task, batch, where, start)
    if not skip_bad:
        raise bad[0].to_error()
    result.skipped += bad
    result.tally.add_many(batch_messages(task, batch.filter(valid)))


def batch_messages(task: Task, batch: Any) -> Messages:
    """Return the messages of a record batch that has no nulls and no bodies of another length."""
    column = message_column(task)
    return column.to_messages(batch.column(column.name))


def check_batch(task: Task, batch: Any, where: str, start: int = 0) -> tuple[Any, list[BadReports]]:
    """Return which reports of a record batch are valid, and what is wrong with the others."""
    valid = np.ones(len(batch), np.bool_)
    bad = []
    nulls = {name: batch.column(name).is_null().to_numpy(zero_copy_only=False) for name in batch.schema.names}
    column = message_column(task)
    faults = (InvalidRows(rows, f"no {name}") for name, rows in nulls.items())
    for invalid in chain(faults, column.invalid_rows(batch.column(column.name))):
        rows = np.flatnonzero(invalid.rows & valid)
        if rows.size:
            reason = f"report {start + rows[0]}: {invalid.describe(int(rows[0]))}"
            bad.append(BadReports(where, reason, rows.size))
            valid[rows] = False
    return require("pyarrow", extra="files").array(valid), bad


class PlacedBatch(NamedTuple):
    """A record batch, its place in messages, and the number of its first report there."""

    where: str
    start: int
    batch: Any


def read_groups(job: Job, file: ReportFile, groups: Iterable[int], skipped: list[BadReports]) -> Iterator[PlacedBatch]:
    """Yield the record batches of row groups; one that cannot be read is an error, or noted as skipped."""
    arrow = require("pyarrow", extra="files")
    for group in groups:
        where = f"{file.path}, row group {group}"
        start = 0
        try:
            for batch in file.batches(group, ids=job.dedupe):
                yield PlacedBatch(where, start, batch)
                start += len(batch)
        except (arrow.ArrowException, OSError) as error:
            bad = BadReports(where, first_line(error), file.group_rows(group) - start)
            if not job.skip_bad:
                raise bad.to_error() from None
            skipped.append(bad)


def read_stream(job: Job) -> Iterator[PlacedBatch]:
    """Yield the record batches of a job's stream, if it has one."""
    if job.stream is not None:
        for number, batch in enumerate(job.stream.batches()):
            yield PlacedBatch(f"{job.stream.name}, batch {number}", 0, batch)


def read_all(job: Job, skipped: list[BadReports]) -> Iterator[PlacedBatch]:
    """Yield all record batches of a job, one file after another, and report progress."""
    done = 0
    in_files = (read_groups(job, file, range(file.groups), skipped) for file in job.files)
    for placed in chain(chain.from_iterable(in_files), read_stream(job)):
        yield placed
        done += len(placed.batch)
        job.progress(done)


def tally_frame(task: Task, frame: Any) -> Tally:
    """Return the tally of a table of reports, such as `perturb_frame` makes it.

    Args:
        task: The contract of the collection.
        frame: A DataFrame or Arrow table with columns `report_id` and `word` (`body` for `ue`); no others are read.

    Returns:
        The counts of all reports, to estimate from or to merge with others.

    Raises:
        DataError: if a row is not a report of the task, an id appears twice, or the table says that it
            belongs to another task; nothing was counted.
        ParameterError: if `frame` is not a table.
    """
    name = "DataFrame" if is_pandas(frame) else "table"
    table = _from_pandas(task, frame, name) if is_pandas(frame) else as_table(frame)
    check_owner(name, table.schema.metadata or {}, task, required=False)
    check_columns(name, table.schema, task)
    table = table.select(report_schema(task).names)
    result = CountResult(Tally(task))
    for batch in table.combine_chunks().to_batches():
        count_batch(result, batch, name, skip_bad=False)
        _check_ids(column_to_ids(batch.column(ID_COLUMN)), name)
    return result.tally


def _from_pandas(task: Task, frame: Any, name: str) -> Any:
    """Return the columns of reports in the types that report files have."""
    arrow, schema = require("pyarrow", extra="files"), report_schema(task)
    known = frame[[column for column in schema.names if column in frame.columns]]
    try:
        table = arrow.Table.from_pandas(known, preserve_index=False)
        # Without "not null": a missing value is named later, with its row.
        types = [arrow.field(column, schema.field(column).type) for column in table.column_names]
        table = table.cast(arrow.schema(types))
    except (arrow.ArrowException, UnicodeError, OverflowError) as error:
        raise DataError(f"cannot be read ({first_line(error)})", place=name) from None
    return table.replace_schema_metadata({key: str(text) for key, text in frame.attrs.items() if key == ID_MEMBER})


def _check_ids(ids: np.ndarray, name: str) -> None:
    """Refuse an id that appears twice: the same report would be counted twice."""
    values = np.ascontiguousarray(ids).view(f"V{ids.shape[1]}").reshape(-1)
    _, first, counts = np.unique(values, return_index=True, return_counts=True)
    if (counts > 1).any():
        row = int(first[np.argmax(counts > 1)])
        raise DataError(f"the id of report {row} appears twice", place=name)
