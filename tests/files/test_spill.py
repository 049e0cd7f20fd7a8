"""Records on disk come back in their groups, and large groups in smaller ones."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pckv.files import spill
from pckv.files.spill import SpilledRecords

KINDS = {
    "words": np.dtype(np.int64),
    "rows of bytes": np.dtype((np.uint8, (5,))),
    "fields": np.dtype([("id", np.uint64, (2,)), ("message", np.uint8, (3,))]),
}


def some_records(kind: np.dtype[Any], count: int) -> NDArray[Any]:
    records = np.empty(count, kind)
    records.reshape(-1).view(np.uint8)[:] = np.arange(records.nbytes) * 7 % 251
    return records


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_records_come_back_group_by_group_in_the_order_of_adding(
    kind: np.dtype[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spill, "BYTES_PER_WRITE", 100)
    records = some_records(kind, 400)
    hashes = np.arange(400) * 97
    with closing(SpilledRecords(kind)) as spilled:
        for start in range(0, 400, 30):
            spilled.add(records[start : start + 30], hashes[start : start + 30])
        expected = records[np.argsort(hashes.astype(np.uint8), kind="stable")]
        # A second reading gives the same records.
        for _ in range(2):
            assert np.concatenate(list(spilled.read())).tobytes() == expected.tobytes()


def test_a_large_group_is_split_until_its_parts_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "MAX_GROUP_BYTES", 8 * 10)
    levels = []

    def split(records: NDArray[Any], level: int) -> tuple[NDArray[Any], NDArray[Any]]:
        levels.append(level)
        assert len(records) <= 10
        return records, records // 4**level

    with closing(SpilledRecords(np.dtype(np.int64))) as spilled:
        # The lowest byte says nothing, and neither does that of a quarter.
        rows = np.arange(100) * 1024
        spilled.add(rows, rows)
        parts = list(spilled.read(split))
    assert sorted(np.concatenate(parts)) == rows.tolist()
    assert max(map(len, parts)) <= 10
    assert set(levels) == {1, 2, 3}


def test_splitting_ends_where_it_does_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "MAX_GROUP_BYTES", 8 * 2)
    with closing(SpilledRecords(np.dtype(np.int64))) as spilled:
        spilled.add(np.arange(9), np.zeros(9, np.uint8))
        parts = list(spilled.read(lambda records, _: (records, np.zeros(len(records), np.uint8))))
    assert [part.tolist() for part in parts] == [list(range(9))]
