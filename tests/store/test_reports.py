"""Every store keeps the same promises about reports and the parts that count them."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Task
from pckv.base.errors import ReportError
from pckv.base.wire import Report
from pckv.store import store as sql
from pckv.store.base import PartSummary, Upload
from pckv.store.checks import check_store
from pckv.store.parts import choose_compaction
from pckv.store.sql.contracts import find_row
from pckv.store.sql.transactions import Transaction
from pckv.store.store import Store
from support.memory_store import MemoryStore
from support.stores import (
    CLOSED,
    CONFLICT,
    DAY,
    ENDING,
    GONE,
    HASHED,
    KNOWN,
    OTHER,
    PLANES,
    SPARSE,
    STORED,
    TASK,
    TEXTS,
    WITH_OTHER,
    add,
    report,
    some_reports,
    stored_reports,
    tally,
    total,
)


@pytest.mark.parametrize("task", [TASK, OTHER, PLANES, SPARSE, HASHED, TEXTS, WITH_OTHER], ids=lambda task: task.name)
def test_every_batch_adds_one_part_of_what_is_new(store: Store, task: Task) -> None:
    store.add_task(task, DAY)
    reports = some_reports(range(60), task)
    assert add(store, *reports[:40], task=task) == [STORED] * 40
    assert add(store, *reports[20:], task=task) == [KNOWN] * 20 + [STORED] * 20
    assert add(store, *reports, task=task) == [KNOWN] * 60
    assert add(store, task=task) == []
    assert sorted(part.reports for part in store.parts(task.id)) == [20, 40]
    assert total(store, task) == tally(reports, task)
    assert stored_reports(store, task) == sorted(reports)
    assert check_store(store) == []


def test_the_first_report_of_an_id_stays(store: Store) -> None:
    first, second = report(1, 1), report(1, 2)
    assert add(store, first, second, first, second) == [STORED, CONFLICT, KNOWN, CONFLICT]
    assert add(store, second, report(2), first) == [CONFLICT, STORED, KNOWN]
    uploads = [
        Upload(TASK.id, [report(3, 1)]),
        Upload(TASK.id, [report(3, 2)]),
        Upload(TASK.id, [report(3, 1)]),
    ]
    assert store.add_reports(uploads, DAY) == [[STORED], [CONFLICT], [KNOWN]]
    assert stored_reports(store) == sorted([first, report(2), report(3, 1)])
    assert check_store(store) == []


def test_a_transaction_of_many_tasks(store: Store) -> None:
    store.add_task(OTHER, DAY)
    store.add_task(ENDING, DAY)
    store.close_task(ENDING.id, DAY)
    uploads = [
        Upload(OTHER.id, some_reports(range(3), OTHER)),
        Upload(TASK.id, [report(1)]),
        Upload("nobody", [report(9)]),
        Upload(ENDING.id, [report(9)]),
        Upload(TASK.id, [report(2), report(1)]),
        Upload(TASK.id, []),
        Upload(OTHER.id, some_reports([3, 0], OTHER)),
    ]
    assert store.add_reports(uploads, DAY) == [
        [STORED] * 3, [STORED], [GONE], [CLOSED], [STORED, KNOWN], [], [STORED, KNOWN],
    ]  # fmt: skip
    assert store.add_reports([], DAY) == []
    assert len(store.parts(TASK.id)) == len(store.parts(OTHER.id)) == 1
    assert check_store(store) == []


def test_one_id_in_two_tasks_is_two_reports(store: Store) -> None:
    store.add_task(ENDING, DAY)
    assert add(store, report(1, 1)) == add(store, report(1, 2), task=ENDING) == [STORED]
    assert check_store(store) == []


def test_an_invalid_report_changes_nothing(store: Store) -> None:
    store.add_task(OTHER, DAY)
    limit = TASK.word_limit or 0
    beyond = Report(bytes(16), limit.to_bytes(8, "little"))
    with pytest.raises(ReportError):
        store.add_reports([Upload(OTHER.id, some_reports(range(3), OTHER)), Upload(TASK.id, [report(1), beyond])], DAY)
    assert store.parts(TASK.id) == store.parts(OTHER.id) == []
    assert stored_reports(store) == []
    assert add(store, report(1)) == [STORED]


def test_reports_come_in_pages(store: Store) -> None:
    reports = sorted(some_reports(range(25)))
    add(store, *reports)
    pages = list(store.reports(TASK.id, batch=10))
    assert [len(page) for page in pages] == [10, 10, 5]
    assert list(itertools.chain(*pages)) == reports
    assert list(store.reports("nobody")) == []


def test_compaction_keeps_the_sum(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "PARTS_PER_READ", 3)
    store.add_task(OTHER, DAY)
    for number in range(10):
        add(store, report(number))
    before = total(store)
    assert store.tasks_to_compact(10, 1) == [TASK.id]
    assert store.tasks_to_compact(11, 1) == []
    assert store.compact(TASK.id) == 10
    assert [part.reports for part in store.parts(TASK.id)] == [10]
    assert total(store) == before == tally(some_reports(range(10)))
    assert store.compact(TASK.id) == store.compact(OTHER.id) == store.compact("nobody") == 0
    add(store, report(10))
    assert store.compact(TASK.id) == 0
    assert store.compact(TASK.id, fully=True) == 2
    assert store.compact(TASK.id, fully=True) == 0
    assert total(store) == tally(some_reports(range(11)))
    assert check_store(store) == []


@given(st.lists(st.integers(100, 10**6), max_size=40))
def test_compaction_leaves_few_parts_and_rewrites_little(sizes: list[int]) -> None:
    """The sizes of the remaining parts at least double, and a part is rewritten only with as many bytes again."""
    parts: dict[int, PartSummary] = {}
    written = 0
    for number, size in enumerate(sizes):
        parts[number] = PartSummary(number, 0, size)
        chosen = choose_compaction(TASK, list(parts.values()))
        taken = [parts.pop(part).size for part in chosen.numbers]
        assert chosen.size == sum(taken)
        assert not taken or max(taken) <= sum(taken) - max(taken)
        written += sum(taken)
        if taken:
            parts[-1 - number] = PartSummary(-1 - number, 0, sum(taken))
        remaining = sorted(part.size for part in parts.values())
        assert all(size > sum(remaining[:index]) for index, size in enumerate(remaining))
    assert sum(part.size for part in parts.values()) == sum(sizes)
    assert written <= sum(sizes) * math.log2(max(2, sum(sizes) / 100))


def test_report_counts(store: Store) -> None:
    store.add_task(OTHER, DAY)
    add(store, *some_reports(range(30)))
    add(store, *some_reports(range(20, 40)))
    task_ids = [TASK.id, OTHER.id, PLANES.id]
    assert store.report_counts(task_ids) == {TASK.id: 40, OTHER.id: 0, PLANES.id: 0}
    summaries = [(part.number, 0, len(part.content)) for part in store.parts(TASK.id)]
    assert store.part_summaries(TASK.id) == summaries
    store.compact(TASK.id, fully=True)
    assert len(store.part_summaries(TASK.id)) == 1
    assert store.report_counts(task_ids[:1]) == {TASK.id: 40}
    assert store.report_counts([]) == {}


def test_the_bodies_of_some_ids(store: Store) -> None:
    store.add_task(OTHER, DAY)
    stored, unknown, of_other_task = some_reports(range(30)), report(30), report(1, task=OTHER)
    add(store, *stored)
    add(store, of_other_task, task=OTHER)
    ids = sorted(report.id for report in (*stored[5:9], unknown, of_other_task))
    if isinstance(store, MemoryStore):
        return

    def bodies(tx: Transaction, wanted: list[bytes]) -> dict[bytes, bytes]:
        row = find_row(tx, TASK.id)
        assert row is not None
        return tx.bodies(row.number, wanted)

    assert store._read(bodies, ids) == dict(stored[5:9])
    assert store._read(bodies, []) == {}


def test_readers_page_through_a_growing_store(store: Store) -> None:
    first = some_reports(range(50))
    add(store, *first)
    seen: list[Report] = []
    for number, page in enumerate(store.reports(TASK.id, batch=5)):
        seen += page
        add(store, report(1000 + number))
        store.compact(TASK.id)
    assert set(first) <= set(seen)
    assert seen == sorted(seen)
