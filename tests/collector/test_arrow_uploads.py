"""Reports as Arrow streams."""

from __future__ import annotations

import io
import itertools
import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from pckv import Task
from pckv.base.canonical import base64url
from pckv.collector.http.problem_details import ProblemDetails
from pckv.collector.ingest.decoding import decode_arrow
from pckv.files.reports.columns import report_schema
from support.collectors import ARROW, Running, check_problem, new_task, refusals, report, some_reports
from support.uploads import arrow_body


def table_body(table: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as stream:
        stream.write_table(table)
    return sink.getvalue()


def table(task: Task, ids: list[Any], messages: list[Any]) -> Any:
    schema = report_schema(task)
    nullable = pa.schema([pa.field(column.name, column.type) for column in schema])
    return pa.table({"report_id": ids, schema.names[1]: messages}, nullable)


@pytest.mark.parametrize("mechanism", ["grr", "ue-compact", "collision", "ue"])
def test_arrow_streams(collector: Running, mechanism: str) -> None:
    task = collector.add_task(mechanism=mechanism)
    reports = some_reports(range(500), task)
    for _ in range(2):
        assert refusals(collector.post(task, arrow_body(task, *reports), ARROW)) == {}
    collector.check(task, *reports)


def test_bad_rows_of_a_stream_are_named_and_all_others_are_stored(collector: Running) -> None:
    task = collector.add_task()
    assert task.word_limit is not None
    ids = [report(number, task=task).id for number in range(6)]
    words = [0, 1, -1, task.word_limit, None, 2**63 - 1]
    body = table_body(table(task, [*ids, None, ids[0]], [*words, 3, 4]))
    assert refusals(collector.post(task, body, ARROW)) == {
        base64url(ids[2]): "out_of_range",
        base64url(ids[3]): "out_of_range",
        base64url(ids[4]): "bad_encoding",
        base64url(ids[5]): "out_of_range",
        "": "bad_id",
        base64url(ids[0]): "duplicate_in_request",
    }
    collector.check(task, report(0, 0, task), report(1, 1, task))


BAD_STREAMS: dict[str, tuple[int, Callable[[Task, bytes], bytes]]] = {
    "empty": (400, lambda _, __: b""),
    "json": (400, lambda _, __: b'{"reports":[]}'),
    "cut-in-schema": (400, lambda _, body: body[:50]),
    "cut-in-batch": (400, lambda _, body: body[: len(body) // 2]),
    "cut-before-the-end": (400, lambda _, body: body[:-9]),
    "names-not-text": (400, lambda _, body: body.replace(b"word", b"\xff\xff\xff\xff")),
    "trailing": (400, lambda _, body: body + b"garbage"),
    "twice": (400, lambda _, body: body + body),
    "another-task": (400, lambda task, _: arrow_body(new_task(), report(1, task=task))),
    "other-names": (400, lambda _, __: table_body(pa.table({"id": [bytes(16)], "word": [1]}))),
    "other-types": (400, lambda _, __: table_body(pa.table({"report_id": [bytes(16)], "word": [1]}))),
    "one-column": (400, lambda task, _: table_body(table(task, [bytes(16)], [1]).select([0]))),
    "other-order": (400, lambda task, _: table_body(table(task, [bytes(16)], [1]).select([1, 0]))),
    "more-columns": (
        400,
        lambda task, _: table_body(table(task, [bytes(16)], [1]).append_column("x", pa.array([1]))),
    ),
    "dictionary": (
        400,
        lambda task, _: table_body(
            table(task, [bytes(16)], [1]).set_column(1, "word", pa.array([1]).dictionary_encode())
        ),
    ),
    "lz4": (415, lambda task, _: table_body(table(task, [bytes(16)], [1]), compression="lz4")),
    "zstd": (
        415,
        lambda task, _: table_body(table(task, [bytes(16)] * 10_000, [0] * 10_000), compression="zstd"),
    ),
    "no-end": (400, lambda _, body: body[:-8]),
    "too-many": (413, lambda task, _: arrow_body(task, *some_reports(range(10_001), task))),
}


@pytest.mark.parametrize("kind", BAD_STREAMS)
def test_a_bad_stream_changes_nothing(small: Running, kind: str) -> None:
    task = small.add_task()
    status, make = BAD_STREAMS[kind]
    body = make(task, arrow_body(task, *some_reports(range(100), task)))
    name = {400: "malformed", 413: "too-large", 415: "unsupported-media"}[status]
    check_problem(small.post(task, body, ARROW), status, name)
    small.check(task)


@pytest.mark.parametrize("mechanism", ["grr", "ue"])
def test_damaged_streams_are_refused_and_never_a_fault(mechanism: str) -> None:
    """Hostile offsets, lengths, types and counts: numbers of every size at every position of a small stream."""
    task = new_task(mechanism=mechanism)
    body = arrow_body(task, *some_reports(range(3), task))
    hostile = [
        b"\0",
        b"\x7f",
        b"\x80",
        b"\xff",
        *(struct.pack("<q", n) for n in (-1, 2**31 - 1, 2**40, 2**63 - 1)),
    ]
    outcomes = set()
    for position, piece in itertools.product(range(len(body)), hostile):
        try:
            decode_arrow(task, body[:position] + piece + body[position + len(piece) :])
            outcomes.add(200)
        except ProblemDetails as problem:
            outcomes.add(problem.kind.value.status)
    assert {200, 400} <= outcomes <= {200, 400, 413, 415}
