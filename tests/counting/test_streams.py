"""Counting Arrow streams of reports: like files, and refused unless they are complete."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pckv import Task
from pckv.base.arrays import Messages
from pckv.base.errors import DataError
from pckv.files.reports.writer import stream_reports, write_reports
from support.counting import OTHER, collect, refusal
from support.sample_reports import GRR, TASKS, UE, direct_tally, reports_table, some_ids, some_messages


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def stream(task: Task, *batches: Messages, ids: Callable[[int, int], Any] = some_ids) -> bytes:
    file = io.BytesIO()
    stream_reports(file, task, ((ids(len(batch), seed), batch) for seed, batch in enumerate(batches)))
    return file.getvalue()


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
@pytest.mark.parametrize("sizes", [(), (0,), (7,), (5, 0, 1000, 3)], ids=str)
def test_a_stream_is_counted_like_a_file(task: Task, sizes: tuple[int, ...]) -> None:
    batches = [some_messages(task, size, seed) for seed, size in enumerate(sizes)]
    write_reports(Path("a.parquet"), task, ((some_ids(len(part), seed), part) for seed, part in enumerate(batches)))
    expected = bytes(collect(task, "a.parquet").tally)
    for dedupe in (False, True):
        result = collect(task, stream=stream(task, *batches), dedupe=dedupe)
        assert bytes(result.tally) == expected == direct_tally(task, *batches)
    both = collect(task, "a.parquet", stream=stream(task, *batches), dedupe=True)
    assert (bytes(both.tally), both.repeated) == (expected, sum(sizes))


def test_a_stream_that_breaks_off_anywhere_is_refused() -> None:
    for task in (GRR, UE):
        complete = stream(task, some_messages(task, 3), some_messages(task, 4), some_messages(task, 1))
        for length in range(len(complete)):
            part = complete[:length]
            assert refusal(task, stream=part).startswith("the stream")
            assert refusal(task, stream=part, skip_bad=True, dedupe=True).startswith("the stream")
        assert collect(task, stream=complete).tally.reports == 8


def test_a_stream_that_goes_on_after_its_end() -> None:
    one = stream(GRR, some_messages(GRR, 3))
    for more in (one, b"\n"):
        assert refusal(GRR, stream=one + more) == "the stream: goes on after its end"


def test_a_writer_that_fails_leaves_an_incomplete_stream() -> None:
    def failing() -> Iterator[tuple[Any, Messages]]:
        yield some_ids(3), some_messages(GRR, 3)
        raise OSError("no more power")

    file = io.BytesIO()
    with pytest.raises(OSError, match="no more power"):
        stream_reports(file, GRR, failing())
    assert refusal(GRR, stream=file.getvalue()) == "the stream: breaks off after 1 batches"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the stream: not an Arrow stream ("),
        (b"user,key,value\nann,alien,4\n", "the stream: not an Arrow stream ("),
        (b"\xff" * 100, "the stream: not an Arrow stream ("),
        (stream(OTHER, np.array([1])), "the stream: reports of another task ("),
        (stream(UE, some_messages(UE, 3)), "the stream: reports of another task ("),
        (stream(GRR, np.array([3, 4]), np.array([3, 28])), "the stream, batch 1: report 1: word 28 is not"),
        (stream(GRR, np.array([-1])), "the stream, batch 0: report 0: word -1 is not below 28"),
    ],
)
def test_streams_that_are_refused(data: bytes, message: str) -> None:
    assert refusal(GRR, stream=data).startswith(message)


def forged_stream(table: Any, task: Task | None) -> bytes:
    about = {"pckv.task": task.to_json(), "pckv.task_id": task.id} if task else {}
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema.with_metadata(about)) as writer:
        writer.write_table(table)
    return file.getvalue()


@pytest.mark.parametrize(
    ("table", "task", "message"),
    [
        (reports_table(GRR, [3], [bytes(16)]), None, ": not a report file (it names no task)"),
        (reports_table(UE, [bytes(4)], [bytes(16)]), GRR, ": column 'word' is missing"),
        (reports_table(GRR, [3], [bytes(16)], pa.int32()), GRR, ": column 'word' is int32, not int64"),
        (reports_table(GRR, [3, None], [bytes(16)] * 2), GRR, ", batch 0: report 1: no word"),
        (reports_table(GRR, [3, 4], [None, bytes(16)]), GRR, ", batch 0: report 0: no report_id"),
        (
            reports_table(UE, [bytes(4), b""], [bytes(16)] * 2),
            UE,
            ", batch 0: report 1: a body has 4 bytes, not 0",
        ),
    ],
)
def test_streams_of_something_else(table: Any, task: Task | None, message: str) -> None:
    assert refusal(task or GRR, stream=forged_stream(table, task)).startswith(f"the stream{message}")


def test_bad_reports_of_a_stream_are_skipped() -> None:
    data = forged_stream(reports_table(GRR, [3, None, 99, 4], [bytes(16)] * 4), GRR)
    result = collect(GRR, stream=data, skip_bad=True)
    assert bytes(result.tally) == direct_tally(GRR, np.array([3, 4]))
    assert [bad.where for bad in result.skipped] == ["the stream, batch 0"] * 2


def test_a_stream_with_damaged_bytes_is_refused_or_read_as_it_stands() -> None:
    """Whatever byte is changed, bodies are never read from beyond their buffer."""
    bodies = some_messages(UE, 6)
    complete = stream(UE, bodies)
    expected = {direct_tally(UE, bodies)}
    start = complete.index(bodies.tobytes()) - 64
    outcomes = set()
    for position in range(start, len(complete)):
        damaged = complete[:position] + bytes([complete[position] ^ 0x41]) + complete[position + 1 :]
        try:
            tally = collect(UE, stream=damaged).tally
        except DataError:
            outcomes.add("refused")
        else:
            assert tally.reports == 6
            outcomes.add("same" if bytes(tally) in expected else "other bodies")
    # Reports have no checksum: a changed body that is valid is counted. Ids and padding do not matter.
    assert outcomes == {"refused", "same", "other bodies"}


def test_two_bodies_in_a_stream_are_an_error() -> None:
    same = lambda count, _: np.zeros((count, 16), np.uint8)  # noqa: E731
    data = stream(GRR, np.array([3]), np.array([4]), ids=same)
    assert refusal(GRR, stream=data, dedupe=True).startswith(f"report id {'00' * 16} has different bodies")
