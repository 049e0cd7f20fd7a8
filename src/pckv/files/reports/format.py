"""What report files and streams have in common: their columns, and metadata that names their task.

A report file is Parquet that explains itself, with the task's JSON in its metadata. A stream is Arrow's, with the
same columns and the task in the metadata of its schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pckv.base.errors import DataError, TaskError, require
from pckv.base.limits import REPORT_ID_BYTES
from pckv.contract.task import Task
from pckv.files.reports.columns import ID_COLUMN, message_column

TASK_MEMBER, ID_MEMBER = "pckv.task", "pckv.task_id"


def report_schema(task: Task) -> Any:
    """Return the columns of a task's reports."""
    arrow = require("pyarrow", extra="files")
    column = message_column(task)
    return arrow.schema(
        [
            arrow.field(ID_COLUMN, arrow.binary(REPORT_ID_BYTES), nullable=False),
            arrow.field(column.name, column.arrow_type, nullable=False),
        ]
    )


def report_metadata(task: Task) -> dict[str, str]:
    """Return the metadata of a task's report files and streams."""
    return {TASK_MEMBER: task.to_json(), ID_MEMBER: task.id}


def read_named_task(place: object, metadata: Mapping[bytes, bytes]) -> Task:
    """Return the task that a file or stream of reports names."""
    text = metadata.get(TASK_MEMBER.encode())
    if text is None:
        raise DataError("not a report file (it names no task)", place=place)
    try:
        return Task.from_json(text)
    except TaskError as error:
        raise DataError(f"not a report file (the task that it names: {error})", place=place) from None


def check_reports(place: object, schema: Any, metadata: Mapping[bytes, bytes], task: Task) -> None:
    """Refuse a file or stream that does not hold reports of this task."""
    check_owner(place, metadata, task, required=True)
    check_columns(place, schema, task)


def check_owner(place: object, metadata: Mapping[bytes, bytes], task: Task, *, required: bool) -> None:
    """Refuse reports whose metadata names another task or, where one is required, none."""
    owner = metadata.get(ID_MEMBER.encode())
    if owner is None and required:
        raise DataError("not a report file (it names no task)", place=place)
    if owner is not None and owner != task.id.encode():
        raise DataError(f"reports of another task ({owner.decode(errors='replace')!r})", place=place)


def check_columns(place: object, schema: Any, task: Task) -> None:
    """Refuse a table without the columns of a task's reports."""
    for wanted in report_schema(task):
        if wanted.name not in schema.names:
            raise DataError(f"column {wanted.name!r} is missing", place=place)
        # In SQL, WORD is a word too.
        if sum(name.lower() == wanted.name for name in schema.names) > 1:
            raise DataError(f"column {wanted.name!r} is there twice", place=place)
        kind = schema.field(wanted.name).type
        if kind != wanted.type:
            raise DataError(f"column {wanted.name!r} is {kind}, not {wanted.type}", place=place)
