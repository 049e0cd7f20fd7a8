"""Sample reports, and good and bad files of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pckv import Segment, Tally, Task
from pckv.base.arrays import Bytes, Messages
from pckv.base.wire import Words
from pckv.counting.job import Job
from pckv.files.reports.columns import message_column, report_schema
from pckv.files.reports.reader import ReportFile
from pckv.files.reports.writer import write_reports


def make_task(mechanism: str, keys: int = 11, padding: int = 1) -> Task:
    return Task(name="t", keys=keys, values=(0, 1), epsilon=1, padding=padding, mechanism=mechanism)


GRR, UE, COMPACT, COLLISION = map(make_task, ("grr", "ue", "ue-compact", "collision"))
# More words than are counted in one array.
SPARSE = make_task("grr", 2**24)
GROUPED = Task(name="t", keys=11, values=(0, 1), epsilon=1, padding=1, segment=Segment("group", ["a", "b"]))
TOGETHER = Task(name="t", keys=11, epsilon=1, padding=3, together=True)
TASKS = {
    "grr": GRR,
    "ue": UE,
    "ue-compact": COMPACT,
    "collision": COLLISION,
    "sparse": SPARSE,
    "by group": GROUPED,
    "together": TOGETHER,
}


def some_messages(task: Task, count: int, seed: int = 1) -> Messages:
    rng = np.random.default_rng(seed)
    message_format = task.message_format
    if isinstance(message_format, Words):
        words = rng.integers(0, message_format.limit, count)
        # Answers to the size question, which would be rare among very many words.
        words[::7] = message_format.limit - 1 - rng.integers(0, 4, words[::7].size)
        return words
    shape = (count, message_format.plane_bytes)
    presence = rng.integers(0, 256, shape, np.uint8)
    presence[:, -1] &= 0xFF >> (-task.key_count % 8)
    return np.concatenate([presence, presence & rng.integers(0, 256, shape, np.uint8)], axis=1)


def some_ids(count: int, seed: int = 2) -> Bytes:
    return np.random.default_rng(seed).integers(0, 256, (count, 16), np.uint8)


def direct_tally(task: Task, *groups: Messages) -> bytes:
    """Return the bytes that every way to count these messages must give."""
    tally = Tally(task)
    for group in groups:
        tally.add_many(group)
    return bytes(tally)


def report_file(path: Path, task: Task, *groups: Messages, seed: int = 2) -> Path:
    """Write a report file with one row group per group of messages, and ids that depend on the seed."""
    schema = report_schema(task)
    tables = [
        reports_table(task, message_list(task, group), id_list(some_ids(len(group), seed * 1000 + number)))
        for number, group in enumerate(groups)
    ]
    return forged_file(path, task, *(table.cast(schema) for table in tables or [schema.empty_table()]))


def id_list(ids: Bytes) -> list[bytes]:
    return [row.tobytes() for row in ids]


def message_list(task: Task, messages: Messages) -> list[Any]:
    values: list[Any] = message_column(task).to_column(messages).to_pylist()
    return values


def reports_table(task: Task, values: Iterable[Any], ids: Iterable[bytes | None], kind: Any = None) -> Any:
    """Return a table with the columns of reports and any contents."""
    column = message_column(task)
    messages = pa.array(values, kind or column.arrow_type)
    return pa.table({"report_id": pa.array(ids, pa.binary(16)), column.name: messages})


def forged_table(column: str, values: list[Any], kind: Any) -> Any:
    ids = pa.array([bytes(16)] * len(values), pa.binary(16))
    return pa.table({"report_id": ids, column: pa.array(values, kind)})


def forged_file(path: Path, task: Task, *tables: Any, owner: str | None = None, **options: Any) -> Path:
    """Write a file like a report file, with one row group per table (empty where a table is empty)."""
    with pq.ParquetWriter(path, tables[0].schema, **options) as writer:
        for table in tables:
            writer.write_table(table)
        writer.add_key_value_metadata({"pckv.task": task.to_json(), "pckv.task_id": owner or task.id})
    return path


def damage(path: Path, group: int) -> Path:
    """Overwrite a part of the messages of a row group."""
    chunk = pq.read_metadata(path).row_group(group).column(1)
    return make_hole(path, chunk.dictionary_page_offset or chunk.data_page_offset)


def make_hole(path: Path, offset: int) -> Path:
    data = bytearray(path.read_bytes())
    data[offset : offset + 16] = b"\xff" * 16
    path.write_bytes(data)
    return path


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# Many reports


FILES, GROUPS = 4, 5
# Several batches per file for every engine, and very many.
MANY, TEN_MILLION = 200_000, 10**7


@dataclass(frozen=True)
class ReportCollection:
    """Report files of a task, and the bytes of the tally that every engine must give."""

    task: Task
    paths: tuple[Path, ...]
    expected: bytes

    def job(self) -> Job:
        return Job(self.task, tuple(ReportFile(path, self.task) for path in self.paths))


MECHANISMS = ["ue", "grr", "ue-compact"]
CollectionFactory = Callable[[str], ReportCollection]


def make_collection(folder: Path, mechanism: str, reports: int) -> ReportCollection:
    """Write this many reports, which four files with five row groups each share evenly."""
    # Words of `collision` support many keys each, and more of them with fewer symbols.
    task = make_task(mechanism, 1000, 5) if mechanism == "collision" else make_task(mechanism, 100)
    direct, rows_per_group = Tally(task), reports // (FILES * GROUPS)

    def batches(file: int) -> Iterator[tuple[Any, Messages]]:
        for group in range(GROUPS):
            seed = file * GROUPS + group
            messages = some_messages(task, rows_per_group, seed)
            direct.add_many(messages)
            yield some_ids(rows_per_group, 1000 + seed), messages

    paths = tuple(folder / f"{mechanism}-{number}.parquet" for number in range(FILES))
    assert sum(write_reports(path, task, batches(n)) for n, path in enumerate(paths)) == reports
    return ReportCollection(task, paths, bytes(direct))
