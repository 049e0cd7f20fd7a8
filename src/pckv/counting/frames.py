"""Counting the reports of a table in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from pckv.base.errors import DataError, first_line, require
from pckv.contract.task import Task
from pckv.counting.batches import CountResult, count_batch
from pckv.files.pairs.tables import as_table, is_pandas
from pckv.files.reports.columns import ID_COLUMN, column_to_ids
from pckv.files.reports.format import ID_MEMBER, check_columns, check_owner, report_schema
from pckv.tally import Tally


def tally_frame(task: Task, frame: Any) -> Tally:
    """Return the tally of a table of reports, such as `perturb_frame` makes it.

    Args:
        task: The contract of the collection.
        frame: A DataFrame or an Arrow table with the columns `report_id` and `word` (`body` for the mechanism `ue`);
            others are ignored.

    Returns:
        The counts of all reports, to estimate from or to merge with others.

    Raises:
        DataError: if a row is not a report of the task, an id appears twice, or the table says that it belongs to
            another task; nothing was counted.
        ParameterError: if `frame` is not a table.
    """
    table, name = _report_table(task, frame)
    result = CountResult(Tally(task))
    for batch in table.combine_chunks().to_batches():
        count_batch(result, batch, name, skip_bad=False)
        _check_ids(column_to_ids(batch.column(ID_COLUMN)), name)
    return result.tally


def _report_table(task: Task, frame: Any) -> tuple[Any, str]:
    """Return a table's columns of reports in the types that report files have, and what messages call it."""
    name = "DataFrame" if is_pandas(frame) else "table"
    table = _from_pandas(task, frame, name) if is_pandas(frame) else as_table(frame)
    check_owner(name, table.schema.metadata or {}, task, required=False)
    check_columns(name, table.schema, task)
    return table.select(report_schema(task).names), name


def _from_pandas(task: Task, frame: Any, name: str) -> Any:
    arrow, schema = require("pyarrow", extra="files"), report_schema(task)
    known = frame[[column for column in schema.names if column in frame.columns]]
    try:
        table = arrow.Table.from_pandas(known, preserve_index=False)
        # Without "not null": a missing value is named later, with its row.
        types = [arrow.field(column, schema.field(column).type) for column in table.column_names]
        table = table.cast(arrow.schema(types))
    except (arrow.ArrowException, UnicodeError, OverflowError) as error:
        raise DataError(f"cannot be read ({first_line(error)})", place=name) from None
    return table.replace_schema_metadata(
        {key: str(text) for key, text in frame.attrs.items() if key == ID_MEMBER}
    )


def _check_ids(ids: np.ndarray, name: str) -> None:
    """Refuse an id that appears twice: the same report would be counted twice."""
    values = np.ascontiguousarray(ids).view(f"V{ids.shape[1]}").reshape(-1)
    _, first, counts = np.unique(values, return_index=True, return_counts=True)
    if (counts > 1).any():
        row = int(first[np.argmax(counts > 1)])
        raise DataError(f"the id of report {row} appears twice", place=name)
