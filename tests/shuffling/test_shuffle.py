"""A shuffled batch: the same reports, and no trace of how they came."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pckv import Task
from pckv.base.arrays import Bytes, Messages
from pckv.base.errors import DataError
from pckv.counting.run import NamedStream
from pckv.files import spill
from pckv.files.reports import writer
from pckv.files.reports.columns import column_to_ids, message_column
from pckv.files.reports.writer import ReportArrays, stream_reports, write_reports
from pckv.shuffling import shuffle
from pckv.shuffling.shuffle import report_blocks, shuffled
from support.counting import collect
from support.sample_reports import (
    COLLISION,
    GRR,
    TASKS,
    UE,
    damage,
    report_file,
    reports_table,
    some_ids,
    some_messages,
)
from support.shuffling import (
    check_drawn_ids,
    check_fresh_ids,
    check_same_messages,
    check_tells_nothing_else,
    read_back,
    shuffle_to,
)

OUT = Path("out.parquet")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Several row groups from few rows.
    monkeypatch.setattr(writer, "ROWS_PER_GROUP", 64)


def some_files(task: Task, *sizes: tuple[int, ...]) -> list[Path]:
    """Write one report file per tuple, with row groups of these sizes."""
    seeds = count(1)
    return [
        report_file(
            Path(f"in-{number}.parquet"),
            task,
            *(some_messages(task, size, next(seeds)) for size in groups),
            seed=number + 2,
        )
        for number, groups in enumerate(sizes)
    ]


def stream_of(task: Task, batches: Iterable[ReportArrays]) -> bytes:
    file = io.BytesIO()
    stream_reports(file, task, batches)
    return file.getvalue()


def named(stream: bytes) -> NamedStream:
    return NamedStream(io.BytesIO(stream), "the stream")


def refusal(paths: Iterable[Path], **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        shuffle_to(OUT, list(paths), **options)
    assert not OUT.exists()
    return str(caught.value)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_shuffled_batch_has_the_same_reports_and_estimates(task: Task) -> None:
    paths = some_files(task, (70, 0, 31), (1,), (), (55, 55))
    assert shuffle_to(OUT, paths) == task
    check_same_messages(task, OUT, paths)
    check_fresh_ids(task, OUT, paths)
    check_tells_nothing_else(task, OUT)
    assert bytes(collect(task, OUT).tally) == bytes(collect(task, *paths).tally)
    sizes = [pq.read_metadata(OUT).row_group(group).num_rows for group in range(4)]
    assert sizes == [64, 64, 64, 20]


@pytest.mark.parametrize("task", [GRR, UE])
def test_a_stream_is_shuffled_like_a_file(task: Task) -> None:
    paths = some_files(task, (40, 50))
    batches = [(some_ids(size, seed), some_messages(task, size, seed)) for seed, size in enumerate((3, 0, 7))]
    write_reports(Path("streamed.parquet"), task, batches)
    shuffle_to(OUT, paths, stream=named(stream_of(task, batches)))
    check_same_messages(task, OUT, [*paths, Path("streamed.parquet")])
    shuffle_to(OUT, [], stream=named(stream_of(task, batches)))
    check_same_messages(task, OUT, [Path("streamed.parquet")])
    with shuffled(paths) as batch:
        written = stream_of(batch.task, batch.blocks())
    parts = [part.columns for part in pa.ipc.open_stream(written)]
    assert [len(ids) for ids, _ in parts] == [64, 26]
    again = [(column_to_ids(ids), message_column(task).to_messages(column)) for ids, column in parts]
    assert stream_of(task, again) == written


@pytest.mark.parametrize("task", [GRR, UE])
def test_ids_are_bytes_of_the_source_and_nothing_else(task: Task) -> None:
    check_drawn_ids(report_blocks, task, 150)


def test_columns_and_metadata_of_the_inputs_are_left_behind() -> None:
    table = reports_table(GRR, [3, 4, 5], [bytes([number]) * 16 for number in range(3)])
    table = table.append_column("received", pa.array(["10:01", "10:02", "10:03"]))
    with pq.ParquetWriter("in.parquet", table.schema) as file:
        file.write_table(table)
        file.add_key_value_metadata(
            {"pckv.task": GRR.to_json(), "pckv.task_id": GRR.id, "front": "collector-7.example"}
        )
    shuffle_to(OUT, [Path("in.parquet")])
    check_tells_nothing_else(GRR, OUT)
    assert pq.read_schema(OUT).names == ["report_id", "word"]
    assert set(pq.read_metadata(OUT).metadata) == {b"pckv.task", b"pckv.task_id", b"ARROW:schema"}


def copies(sizes: Iterable[int]) -> Iterator[ReportArrays]:
    """Yield reports of which the last of one batch are the first of the next."""
    ids, messages = some_ids(10_000), some_messages(COLLISION, 10_000)
    start = 0
    for size in sizes:
        yield ids[start : start + size], messages[start : start + size]
        start += size // 2


@pytest.mark.parametrize("group_bytes", [2**26, 200], ids=["in memory", "split"])
def test_copies_are_written_once(group_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "MAX_GROUP_BYTES", group_bytes)
    write_reports(Path("in.parquet"), COLLISION, copies([1000] * 5))
    with shuffled([Path("in.parquet")]) as batch:
        assert (batch.reports, batch.repeated) == (3000, 2000)
        write_reports(OUT, batch.task, batch.blocks())
    words = some_messages(COLLISION, 10_000)[:3000]
    assert Counter(read_back(OUT, COLLISION)[1].tolist()) == Counter(words.tolist())


def test_very_many_copies_of_one_report_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """No hash divides copies: they are removed part by part."""
    monkeypatch.setattr(spill, "MAX_GROUP_BYTES", 240)
    monkeypatch.setattr(spill, "BYTES_PER_WRITE", 240)
    ids = np.zeros((5000, 16), np.uint8)
    ids[0] = 1
    write_reports(Path("in.parquet"), GRR, [(ids, np.full(5000, 3))])
    with shuffled([Path("in.parquet")]) as batch:
        assert (batch.reports, batch.repeated) == (2, 4998)
        assert [part.tolist() for _, part in batch.blocks()] == [[3, 3]]


def test_two_bodies_under_one_id_are_an_error() -> None:
    ids = some_ids(2)
    write_reports(Path("a.parquet"), GRR, [(ids, np.array([1, 2]))])
    write_reports(Path("b.parquet"), GRR, [(ids[1:], np.array([3]))])
    assert refusal([Path("a.parquet"), Path("b.parquet")]) == (
        f"report id {ids[1].tobytes().hex()} has different bodies: a.parquet, row group 0, report 1, "
        "and b.parquet, row group 0, report 0"
    )


def test_inputs_that_are_refused() -> None:
    good = report_file(Path("good.parquet"), GRR, some_messages(GRR, 5))
    empty = report_file(Path("empty.parquet"), GRR)
    other = report_file(Path("other.parquet"), UE, some_messages(UE, 5))
    bad = report_file(Path("bad.parquet"), GRR, np.array([3, 99]))
    text = Path("text.csv")
    text.write_text("user,key,value\n")
    holed = damage(report_file(Path("holed.parquet"), GRR, some_messages(GRR, 5)), 0)
    assert refusal([empty]) == "there are no reports to shuffle"
    assert refusal([]) == "there is nothing to shuffle"
    assert refusal([good, other]) == f"other.parquet: reports of another task ({UE.id!r})"
    assert refusal([good], task=UE) == f"good.parquet: reports of another task ({GRR.id!r})"
    assert refusal([bad]) == "bad.parquet, row group 0: report 1: word 99 is not below 28"
    assert refusal([text]).startswith("text.csv: not a report file (")
    assert refusal([good, text]).startswith("text.csv: not a report file (")
    assert refusal([holed]).startswith("holed.parquet, row group 0: ")
    assert refusal([good, good]) == "good.parquet: given twice, and would be counted twice"
    assert refusal([good], at_least=6) == "a batch of 5 reports is too small: at least 6 are wanted"
    shuffle_to(OUT, [good, empty], at_least=5)


def test_a_task_that_a_file_names_is_checked() -> None:
    table = reports_table(GRR, [3], [bytes(16)])
    for text, message in [(None, "it names no task"), ("{}", "the task that it names: ")]:
        about = {"pckv.task_id": GRR.id} | ({} if text is None else {"pckv.task": text})
        with pq.ParquetWriter("in.parquet", table.schema) as file:
            file.write_table(table)
            file.add_key_value_metadata(about)
        assert refusal([Path("in.parquet")]).startswith(f"in.parquet: not a report file ({message}")


def test_spilled_reports_are_on_disk_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed leaves nothing behind."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    paths = some_files(GRR, (500,))
    with shuffled(paths) as batch:
        for _ in batch.blocks():
            assert not list(temporary.iterdir())


# Planted faults


def uneven_blocks(_task: Task, parts: Iterable[Messages], _source: Any) -> Iterator[ReportArrays]:
    """Row groups are as large as the parts that messages come in; two of these are made for certain."""
    messages = np.concatenate(list(parts))
    for part in (messages[:10], messages[10:]):
        yield np.random.default_rng(1).integers(0, 256, (len(part), 16), np.uint8), part


def test_row_groups_that_tell_something_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups as they come, whether one per input file or one per part of the shuffle."""
    paths = some_files(GRR, (70,), (90,))
    check = pytest.raises(AssertionError)
    write_reports(OUT, GRR, [read_back(path, GRR) for path in paths])
    with check:
        check_tells_nothing_else(GRR, OUT)
    monkeypatch.setattr(shuffle, "report_blocks", uneven_blocks)
    monkeypatch.setattr(writer, "ROWS_PER_GROUP", 16)
    shuffle_to(OUT, paths)
    with check:
        check_tells_nothing_else(GRR, OUT)


def test_metadata_of_an_input_is_caught() -> None:
    shuffle_to(OUT, some_files(GRR, (70,)))
    check_tells_nothing_else(GRR, OUT)
    table = pq.read_table(OUT)
    with pq.ParquetWriter(OUT, table.schema) as file:
        file.write_table(table)
        file.add_key_value_metadata({"pckv.task": GRR.to_json(), "pckv.task_id": GRR.id, "files": "1"})
    with pytest.raises(AssertionError):
        check_tells_nothing_else(GRR, OUT)


def test_ids_that_are_kept_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = some_files(GRR, (50,))
    ids = read_back(paths[0], GRR)[0]
    monkeypatch.setattr(shuffle, "report_blocks", lambda _task, parts, _: [(ids, np.concatenate(list(parts)))])
    shuffle_to(OUT, paths)
    with pytest.raises(AssertionError):
        check_fresh_ids(GRR, OUT, paths)


def numbered(messages: Messages) -> Bytes:
    return np.arange(2 * len(messages)).view(np.uint8).reshape(-1, 16)


def hashed(messages: Messages) -> Bytes:
    digests = b"".join(hashlib.md5(row.tobytes(), usedforsecurity=False).digest() for row in messages)
    return np.frombuffer(digests, np.uint8).reshape(-1, 16)


def repeated_half(ids: Bytes) -> Bytes:
    ids = ids.copy()
    ids[:, 8:] = ids[:, :8]
    return ids


@pytest.mark.parametrize(
    "ids_of",
    [
        lambda _, messages: numbered(messages),
        lambda _, messages: hashed(messages),
        lambda ids, _: repeated_half(ids),
        lambda ids, _: ids[::-1],
    ],
    ids=["numbered", "hash of the message", "repeated half", "another order"],
)
def test_ids_that_are_not_drawn_are_caught(ids_of: Callable[[Bytes, Messages], Bytes]) -> None:
    def faulty(*arguments: Any) -> Iterator[ReportArrays]:
        for ids, messages in report_blocks(*arguments):
            yield ids_of(ids, messages), messages

    with pytest.raises(AssertionError):
        check_drawn_ids(faulty, GRR, 150)


def test_lost_and_doubled_messages_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = some_files(GRR, (70, 30))
    original = shuffle.report_blocks
    for wrong in (lambda part: part[1:], lambda part: np.concatenate([part, part[:1]])):
        monkeypatch.setattr(
            shuffle,
            "report_blocks",
            lambda task, parts, source, wrong=wrong: original(task, map(wrong, parts), source),
        )
        shuffle_to(OUT, paths)
        with pytest.raises(AssertionError):
            check_same_messages(GRR, OUT, paths)
