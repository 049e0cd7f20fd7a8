"""Many threads, connections and processes at the same time."""

from __future__ import annotations

import itertools
import random
import threading
import time

import pytest

from pckv.store.base import ReportOutcome, Upload
from pckv.store.checks import check_store
from pckv.store.postgres import PostgresStore
from pckv.store.sqlite import SqliteStore
from pckv.store.store import Store
from support.stores import (
    CLOSED,
    DAY,
    GONE,
    KNOWN,
    OTHER,
    SPENT,
    STORED,
    TASK,
    add,
    invitation,
    invited,
    opened,
    report,
    some_reports,
    tally,
    together,
    total,
)


def race(stores: list[Store]) -> None:
    """Run overlapping uploads, compactions and readers; every report is stored by exactly one upload."""
    for store in stores:
        store.add_task(OTHER, DAY)
    batches = [range(start, start + 30) for start in range(0, 200, 10)]
    sums: list[int] = []

    def work(number: int) -> int:
        store = stores[number % len(stores)]
        rng = random.Random(number)
        stored = 0
        for batch in rng.sample(batches, len(batches)):
            numbers = rng.sample(batch, len(batch))
            uploads = [Upload(task.id, some_reports(numbers, task)) for task in rng.sample([TASK, OTHER], 2)]
            stored += sum(outcome is STORED for outcomes in store.add_reports(uploads, DAY) for outcome in outcomes)
            if number == 0:
                sums.append(total(store).reports)
            else:
                store.compact(rng.choice([TASK.id, OTHER.id]))
        return stored

    reports = batches[-1].stop
    assert sum(together(4, work)) == 2 * reports
    assert sums == sorted(sums)
    for store in stores:
        for task in (TASK, OTHER):
            assert total(store, task) == tally(some_reports(range(reports), task), task)
        assert check_store(store) == []


def test_threads_share_a_store(store: Store) -> None:
    race([store])


def test_two_collectors_share_a_database(shared: tuple[PostgresStore, PostgresStore]) -> None:
    race(list(shared))


def test_two_processes_share_a_file(sqlite: SqliteStore) -> None:
    with opened(f"sqlite:///{sqlite.path}") as other:
        race([sqlite, other])


def test_one_invitation_is_spent_once(store: Store) -> None:
    store.add_invitations(TASK.id, [invitation(number) for number in range(60)])
    rounds = threading.Barrier(4)

    def work(thread: int) -> list[ReportOutcome]:
        outcomes = []
        for start in range(0, 60, 3):
            pairs = [(report(100 * thread + number), number) for number in range(start, start + 3)]
            random.Random(thread).shuffle(pairs)
            rounds.wait()
            outcomes += invited(store, *pairs)
        return outcomes

    outcomes = list(itertools.chain(*together(4, work)))
    assert (outcomes.count(STORED), outcomes.count(SPENT)) == (60, 180)
    assert total(store).reports == 60
    assert check_store(store) == []


def test_a_repeated_report_is_known_while_its_first_upload_is_in_progress(store: Store) -> None:
    store.add_invitations(TASK.id, [invitation(number) for number in range(80)])
    same = [(report(number), number) for number in range(20)]
    outcomes = list(itertools.chain(*together(4, lambda _: invited(store, *same))))
    assert (outcomes.count(STORED), outcomes.count(KNOWN)) == (20, 60)
    # The same report with another invitation must not spend it.
    others = together(4, lambda thread: invited(store, (report(50), 20 + thread)))
    assert sorted(itertools.chain(*others)) == sorted([STORED, KNOWN, KNOWN, KNOWN])
    used = [invited(store, (report(60 + thread), 20 + thread))[0] for thread in range(4)]
    assert sorted(used) == sorted([STORED, STORED, STORED, SPENT])


@pytest.mark.parametrize("end", ["close", "delete"])
def test_closing_and_deleting_cannot_race_an_upload(store: Store, end: str) -> None:
    """Reports that were acknowledged before the end are counted, and no others."""
    ended = threading.Event()
    late: list[ReportOutcome] = []

    def work(thread: int) -> int:
        if thread == 0:
            time.sleep(0.02)
            deletion = store.delete_task(TASK.id, DAY) if end == "delete" else None
            store.close_task(TASK.id, DAY)
            ended.set()
            return -deletion.reports if deletion else -total(store).reports
        stored = 0
        for number in range(300):
            was_over = ended.is_set()
            (outcome,) = add(store, report(1000 * thread + number))
            if was_over:
                late.append(outcome)
            stored += outcome is STORED
            if len(late) > 2:
                break
        return stored

    assert sum(together(3, work)) == 0
    assert set(late) <= {GONE if end == "delete" else CLOSED}
    assert check_store(store) == []
