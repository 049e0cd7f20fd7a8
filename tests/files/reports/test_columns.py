"""The column that holds the messages of reports."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pyarrow as pa

from pckv.base.wire import MessageFormat
from pckv.files.reports.columns import COLUMNS, message_column
from support.sample_reports import TASKS, some_messages


def test_the_message_column_follows_the_mechanism() -> None:
    assert {name: message_column(task).name for name, task in TASKS.items()} == {
        name: "body" if name == "ue" else "word" for name in TASKS
    }


def test_every_message_format_has_a_column() -> None:
    assert COLUMNS.keys() == {kind.column for kind in get_args(MessageFormat)}


def test_messages_survive_a_column() -> None:
    for task in TASKS.values():
        column = message_column(task)
        for size in (0, 1, 30):
            messages = some_messages(task, size)
            arrow = column.to_column(messages)
            assert arrow.type == column.arrow_type
            assert (column.to_messages(arrow) == messages).all()
            # A part of a column has an offset into its buffer.
            assert (column.to_messages(arrow.slice(size // 2)) == messages[size // 2 :]).all()
            assert not any(invalid.rows.any() for invalid in column.invalid_rows(arrow))


def test_buffers_may_be_longer_than_their_words() -> None:
    """An uploaded column can bring any buffer that is long enough."""
    column = message_column(TASKS["grr"])
    words = np.arange(5)
    for spare in (b"", bytes(3), bytes(64)):
        data = pa.py_buffer(words.tobytes() + spare)
        for offset in range(6):
            part = pa.Array.from_buffers(pa.int64(), 5 - offset, [None, data], offset=offset)
            assert column.to_messages(part).tolist() == words[offset:].tolist()
    assert column.to_messages(pa.Array.from_buffers(pa.int64(), 0, [None, None])).size == 0
