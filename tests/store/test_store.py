"""One set of promises, and every store keeps them."""

from __future__ import annotations

import itertools
import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import apsw
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pckv import Tally, Task
from pckv.errors import MissingExtra, ParameterError, ReportError, StoreError, TaskGone
from pckv.store import migrations, open_store, postgres, sql
from pckv.store.base import SESSION_KEY_BYTES, Deletion, ReportOutcome, Role, Store, Upload
from pckv.store.checks import check_store
from pckv.store.memory import MemoryStore
from pckv.store.parts import choose_parts_to_merge
from pckv.store.postgres import PostgresStore
from pckv.store.sql import SqlStore
from pckv.store.sqlite import SqliteStore
from pckv.store.transactions import Transaction, TransactionConflict
from pckv.wire import Report
from support.stores import (
    ENDING,
    KINDS,
    OTHER,
    PLANES,
    SPARSE,
    TASK,
    add,
    invitation,
    opened,
    postgres_server,
    postgres_url,
    report,
    some_reports,
    store_url,
    stored_reports,
    tally,
    total,
)

STORED, KNOWN, CONFLICT = ReportOutcome.STORED, ReportOutcome.KNOWN, ReportOutcome.CONFLICT
UNKNOWN, SPENT = ReportOutcome.INVITATION_UNKNOWN, ReportOutcome.INVITATION_SPENT
CLOSED, GONE = ReportOutcome.TASK_CLOSED, ReportOutcome.TASK_GONE
DAY = "2031-05-06"


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with opened(store_url(request.param, tmp_path)) as store:
        store.add_task(TASK)
        yield store


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqliteStore]:
    with opened(f"sqlite:///{tmp_path}/pckv.db") as store:
        assert isinstance(store, SqliteStore)
        store.add_task(TASK)
        yield store


@pytest.fixture
def shared() -> Iterator[tuple[PostgresStore, PostgresStore]]:
    """Two collectors on one PostgreSQL."""
    url = postgres_url()
    with opened(url) as one, opened(url) as two:
        assert isinstance(one, PostgresStore)
        assert isinstance(two, PostgresStore)
        one.add_task(TASK)
        yield one, two


# Tasks


def test_tasks_are_found_listed_and_added_once(store: Store) -> None:
    assert not store.add_task(TASK)
    # Many ids, so that an order that heeds language would show.
    tasks = [Task(name=f"task {number}", keys=3, values=(0, 1), epsilon=1) for number in range(30)]
    assert all(store.add_task(task) for task in tasks)
    ids = sorted(task.id for task in [TASK, *tasks])
    assert [stored.task.id for stored in store.list_tasks(100)] == ids
    assert [stored.task.id for stored in store.list_tasks(7, after=ids[4])] == ids[5:12]
    assert store.list_tasks(7, after=ids[-1]) == []
    found = store.find_task(TASK.id)
    assert found is not None
    assert (found.task, found.closed, found.by_invitation, found.reports_forgotten) == (
        TASK,
        None,
        False,
        None,
    )
    assert store.find_task("nobody") is None
    assert store.find_deletion(TASK.id) is None


def test_more_tasks_than_are_kept_ready(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "MAX_CACHED_TASKS", 2)
    for task in (TASK, OTHER, PLANES, SPARSE):
        store.add_task(task)
    for _ in range(2):
        assert {stored.task for stored in store.list_tasks(9)} == {TASK, OTHER, PLANES, SPARSE}


def test_a_closed_task_takes_nothing(store: Store) -> None:
    add(store, report(1))
    assert store.close_task(TASK.id, DAY)
    assert store.close_task(TASK.id, "2031-05-07")
    found = store.find_task(TASK.id)
    assert found is not None
    assert found.closed == DAY
    assert add(store, report(1), report(2)) == [CLOSED, CLOSED]
    assert total(store) == tally([report(1)])
    assert not store.close_task("nobody", DAY)


def test_a_deleted_task_leaves_its_day_and_count(store: Store) -> None:
    store.add_task(OTHER)
    add(store, *some_reports(range(5), OTHER), task=OTHER)
    add(store, *some_reports(range(3)))
    add(store, *some_reports(range(7)))
    store.add_invitations(TASK.id, [invitation(1)])
    deletion = Deletion(TASK.id, DAY, 7)
    assert store.delete_task(TASK.id, DAY) == deletion
    assert store.delete_task(TASK.id, "2031-05-07") == deletion == store.find_deletion(TASK.id)
    assert store.find_task(TASK.id) is None
    assert store.parts(TASK.id) == []
    assert stored_reports(store) == []
    assert add(store, report(1)) == [GONE]
    assert not store.close_task(TASK.id, DAY)
    assert not store.add_invitations(TASK.id, [invitation(2)])
    assert store.forget_reports(TASK.id, DAY) == store.compact(TASK.id) == 0
    with pytest.raises(TaskGone, match=f"task {TASK.id} was deleted"):
        store.add_task(TASK)
    assert store.delete_task("nobody", DAY) is None
    assert total(store, OTHER) == tally(some_reports(range(5), OTHER), OTHER)
    assert check_store(store) == []


# Reports and parts


@pytest.mark.parametrize("task", [TASK, OTHER, PLANES, SPARSE], ids=lambda task: task.name)
def test_every_batch_adds_one_part_of_what_is_new(store: Store, task: Task) -> None:
    store.add_task(task)
    reports = some_reports(range(60), task)
    assert add(store, *reports[:40], task=task) == [STORED] * 40
    assert add(store, *reports[20:], task=task) == [KNOWN] * 20 + [STORED] * 20
    assert add(store, *reports, task=task) == [KNOWN] * 60
    assert add(store, task=task) == []
    assert sorted(part.reports for part in store.parts(task.id)) == [20, 40]
    assert total(store, task) == tally(reports, task)
    assert stored_reports(store, task) == sorted(reports)
    assert check_store(store) == []


def test_the_first_of_an_id_stays(store: Store) -> None:
    first, second = report(1, 1), report(1, 2)
    assert add(store, first, second, first, second) == [STORED, CONFLICT, KNOWN, CONFLICT]
    assert add(store, second, report(2), first) == [CONFLICT, STORED, KNOWN]
    uploads = [
        Upload(TASK.id, [report(3, 1)]),
        Upload(TASK.id, [report(3, 2)]),
        Upload(TASK.id, [report(3, 1)]),
    ]
    assert store.add_reports(uploads) == [[STORED], [CONFLICT], [KNOWN]]
    assert stored_reports(store) == sorted([first, report(2), report(3, 1)])
    assert check_store(store) == []


def test_a_transaction_of_many_tasks(store: Store) -> None:
    store.add_task(OTHER)
    store.add_task(ENDING)
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
    assert store.add_reports(uploads) == [
        [STORED] * 3, [STORED], [GONE], [CLOSED], [STORED, KNOWN], [], [STORED, KNOWN],
    ]  # fmt: skip
    assert store.add_reports([]) == []
    assert len(store.parts(TASK.id)) == len(store.parts(OTHER.id)) == 1
    assert check_store(store) == []


def test_one_id_in_two_tasks_is_two_reports(store: Store) -> None:
    store.add_task(ENDING)
    assert add(store, report(1, 1)) == add(store, report(1, 2), task=ENDING) == [STORED]
    assert check_store(store) == []


def test_what_is_no_report_changes_nothing(store: Store) -> None:
    store.add_task(OTHER)
    limit = TASK.word_limit or 0
    beyond = Report(bytes(16), limit.to_bytes(8, "little"))
    with pytest.raises(ReportError):
        store.add_reports(
            [Upload(OTHER.id, some_reports(range(3), OTHER)), Upload(TASK.id, [report(1), beyond])]
        )
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
    monkeypatch.setattr(sql, "PARTS_PER_PAGE", 3)
    store.add_task(OTHER)
    for number in range(10):
        add(store, report(number))
    before = total(store)
    assert store.tasks_to_compact(10) == [TASK.id]
    assert store.tasks_to_compact(11) == []
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
def test_folding_leaves_few_parts_and_writes_little_again(sizes: list[int]) -> None:
    """What is left at least doubles, and a part is only written again with as much beside it."""
    parts: dict[int, int] = {}
    written = 0
    for number, size in enumerate(sizes):
        parts[number] = size
        folded = choose_parts_to_merge(parts, fully=False)
        taken = [parts.pop(each) for each in folded]
        assert not taken or max(taken) <= sum(taken) - max(taken)
        written += sum(taken)
        if taken:
            parts[-1 - number] = sum(taken)
        left = sorted(parts.values())
        assert all(each > sum(left[:place]) for place, each in enumerate(left))
    assert sum(parts.values()) == sum(sizes)
    assert written <= sum(sizes) * math.log2(max(2, sum(sizes) / 100))


def test_forgotten_reports_leave_their_tally(store: Store) -> None:
    store.add_task(ENDING)
    for task in (TASK, ENDING):
        add(store, *some_reports(range(5), task), task=task)
    with pytest.raises(ParameterError, match="is open"):
        store.forget_reports(TASK.id, DAY)
    with pytest.raises(ParameterError, match="is open"):
        store.forget_reports(ENDING.id, "2030-01-31")
    store.close_task(TASK.id, DAY)
    for task, day in ((TASK, DAY), (ENDING, "2030-02-01")):
        assert store.forget_reports(task.id, day) == 5
        assert store.forget_reports(task.id, "2040-01-01") == 0
        found = store.find_task(task.id)
        assert found is not None
        assert found.reports_forgotten == day
        assert list(store.reports(task.id)) == []
        assert total(store, task) == tally(some_reports(range(5), task), task)
        # Nobody could tell a repeated report any more.
        assert add(store, report(1, task=task), task=task) == [CLOSED]
    assert check_store(store) == []
    assert store.delete_task(TASK.id, DAY) == Deletion(TASK.id, DAY, 5)


# Tokens and invitations


def test_report_counts(store: Store) -> None:
    store.add_task(OTHER)
    add(store, *some_reports(range(30)))
    add(store, *some_reports(range(20, 40)))
    wanted = [TASK.id, OTHER.id, PLANES.id]
    assert store.report_counts(wanted) == {TASK.id: 40, OTHER.id: 0, PLANES.id: 0}
    assert store.part_numbers(TASK.id) == [part.number for part in store.parts(TASK.id)]
    store.compact(TASK.id, fully=True)
    assert len(store.part_numbers(TASK.id)) == 1
    assert store.report_counts(wanted[:1]) == {TASK.id: 40}
    assert store.report_counts([]) == {}


def test_the_bodies_of_some_ids(store: Store) -> None:
    store.add_task(OTHER)
    kept, stranger, elsewhere = some_reports(range(30)), report(30), report(1, task=OTHER)
    add(store, *kept)
    add(store, elsewhere, task=OTHER)
    wanted = sorted(each.id for each in (*kept[5:9], stranger, elsewhere))
    assert store.bodies(TASK.id, wanted) == dict(kept[5:9])
    assert store.bodies(TASK.id, []) == store.bodies(PLANES.id, wanted) == {}


def test_the_session_key_is_made_once(store: Store) -> None:
    found: list[bytes] = []
    together(4, lambda _: found.append(store.session_key()))
    assert len(set(found)) == 1
    assert len(found[0]) == SESSION_KEY_BYTES


def test_tokens(store: Store) -> None:
    assert store.tokens() == []
    for role, token in (
        (Role.ADMINISTRATOR, b"a"),
        (Role.ANALYST, b"c"),
        (Role.ANALYST, b"b"),
        (Role.ADMINISTRATOR, b"d"),
        (Role.ADMINISTRATOR, b"d"),
        (Role.ANALYST, b"b"),
    ):
        store.set_token(role, token)
    assert store.tokens() == [(Role.ADMINISTRATOR, b"d"), (Role.ANALYST, b"b"), (Role.ANALYST, b"c")]


def invited(store: Store, *pairs: tuple[Report, int | None]) -> list[ReportOutcome]:
    hashes = [None if number is None else invitation(number) for _, number in pairs]
    return store.add_reports([Upload(TASK.id, [report for report, _ in pairs], hashes)])[0]


def test_an_invitation_admits_one_report(store: Store) -> None:
    add(store, report(0))
    assert store.add_invitations(TASK.id, [invitation(1), invitation(2), invitation(3), invitation(3)])
    found = store.find_task(TASK.id)
    assert found is not None
    assert found.by_invitation
    assert invited(store, (report(1), None), (report(1), 9)) == [UNKNOWN, UNKNOWN]
    assert add(store, report(1)) == [UNKNOWN]
    assert invited(store, (report(1), 1), (report(2), 1), (report(2), 2)) == [STORED, SPENT, STORED]
    # A known report is looked at before its invitation, whatever that is.
    assert invited(store, (report(1), 1), (report(1), None), (report(2), 9), (report(0), 3)) == [KNOWN] * 4
    assert invited(store, (report(1, 5), 3), (report(3), 3)) == [CONFLICT, STORED]
    # Adding a spent one again does not make it good.
    assert store.add_invitations(TASK.id, [invitation(1)])
    assert invited(store, (report(4), 1)) == [SPENT]
    assert stored_reports(store) == sorted(some_reports(range(4)))
    assert check_store(store) == []


def test_invitations_belong_to_their_task(store: Store) -> None:
    store.add_task(ENDING)
    store.add_invitations(TASK.id, [])
    store.add_invitations(ENDING.id, [invitation(1)])
    assert invited(store, (report(1), 1)) == [UNKNOWN]
    assert not store.add_invitations("nobody", [invitation(1)])


def test_invitations_are_one_a_report(store: Store) -> None:
    with pytest.raises(ValueError):
        store.add_reports([Upload(TASK.id, [report(1), report(2), report(1)], [invitation(1)])])
    assert stored_reports(store) == []


# Many at once


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Run some work in many threads that start at one moment."""
    start = threading.Barrier(count)

    def run(number: int) -> Any:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def race(stores: list[Store]) -> None:
    """Overlapping uploads, compaction and readers: every report is stored by exactly one."""
    for store in stores:
        store.add_task(OTHER)
    batches = [range(start, start + 30) for start in range(0, 200, 10)]
    sums: list[int] = []

    def work(number: int) -> int:
        store = stores[number % len(stores)]
        rng = random.Random(number)
        stored = 0
        for batch in rng.sample(batches, len(batches)):
            numbers = rng.sample(batch, len(batch))
            uploads = [Upload(task.id, some_reports(numbers, task)) for task in rng.sample([TASK, OTHER], 2)]
            stored += sum(
                outcome is STORED for outcomes in store.add_reports(uploads) for outcome in outcomes
            )
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


def test_a_repeated_report_is_known_while_its_first_is_under_way(store: Store) -> None:
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
def test_an_end_cannot_race_an_upload(store: Store, end: str) -> None:
    """Whatever was acknowledged before the end is counted, and nothing after it."""
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


# All stores against the one in memory

TASKS = [TASK, ENDING]
numbers = st.integers(0, 5)
tasks = st.sampled_from(TASKS)


class Model(RuleBasedStateMachine):
    """The same steps in memory and in databases; all they say must be the same."""

    urls: ClassVar[Callable[[], list[str]]]

    def __init__(self) -> None:
        super().__init__()
        self.contexts = [opened(url) for url in type(self).urls()]
        self.stores = [MemoryStore(), *(context.__enter__() for context in self.contexts)]
        self.same(lambda store: [store.add_task(task) for task in TASKS])

    def teardown(self) -> None:
        assert [check_store(store) for store in self.stores] == [[]] * len(self.stores)
        for context in self.contexts:
            context.__exit__(None, None, None)

    def same(self, step: Callable[[Store], Any]) -> Any:
        said = []
        for store in self.stores:
            try:
                said.append(step(store))
            except (TaskGone, ParameterError) as error:
                said.append(str(error))
        assert all(answer == said[0] for answer in said), said
        return said[0]

    @rule(
        uploads=st.lists(
            st.tuples(tasks, st.lists(st.tuples(numbers, st.integers(0, 1), numbers | st.none())))
        )
    )
    def upload(self, uploads: list[tuple[Task, list[tuple[int, int, int | None]]]]) -> None:
        made = [
            Upload(
                task.id,
                [report(number, word) for number, word, _ in rows],
                [None if token is None else invitation(token) for _, _, token in rows],
            )
            for task, rows in uploads
        ]
        self.same(lambda store: store.add_reports(made))

    @rule(task=tasks, hashes=st.lists(numbers, max_size=4))
    def invite(self, task: Task, hashes: list[int]) -> None:
        self.same(lambda store: store.add_invitations(task.id, [invitation(number) for number in hashes]))

    @rule(task=tasks)
    def compact(self, task: Task) -> None:
        self.same(lambda store: store.compact(task.id))

    @rule(task=tasks, at_least=st.integers(1, 3))
    def find_parts(self, task: Task, at_least: int) -> None:
        self.same(lambda store: (store.tasks_to_compact(at_least), len(store.parts(task.id))))

    @rule(task=tasks, day=st.sampled_from(["2030-01-15", "2030-02-15"]))
    def close(self, task: Task, day: str) -> None:
        self.same(lambda store: store.close_task(task.id, day))

    @rule(task=tasks, day=st.sampled_from(["2030-01-15", "2030-02-15"]))
    def forget(self, task: Task, day: str) -> None:
        self.same(lambda store: store.forget_reports(task.id, day))

    @rule(task=tasks, day=st.just("2030-03-01"))
    def delete(self, task: Task, day: str) -> None:
        self.same(lambda store: store.delete_task(task.id, day))

    @rule(task=tasks)
    def add(self, task: Task) -> None:
        self.same(lambda store: store.add_task(task))

    @rule(role=st.sampled_from(Role), token=st.binary(min_size=1, max_size=1))
    def hand_token(self, role: Role, token: bytes) -> None:
        self.same(lambda store: store.set_token(role, token))

    @invariant()
    def all_look_the_same(self) -> None:
        self.same(
            lambda store: (
                store.list_tasks(9),
                store.tokens(),
                [store.find_deletion(task.id) for task in TASKS],
                [(stored_reports(store, task), bytes(total(store, task))) for task in TASKS],
            )
        )


def test_databases_do_as_memory_does(tmp_path: Path) -> None:
    class Databases(Model):
        urls = staticmethod(lambda: [store_url(kind, tmp_path) for kind in ("sqlite", "postgres")])

    run_state_machine_as_test(Databases, settings=settings(max_examples=40, stateful_step_count=25))


# Faults

CRASHING = """
import sys
from support.stores import TASK, some_reports
from pckv.store import open_store
from pckv.store.base import Upload

store = open_store(sys.argv[1])
store.prepare()
for batch in range(int(sys.argv[2]), 10**9):
    store.add_reports([Upload(TASK.id, some_reports(range(batch * 5, batch * 5 + 5)))])
    print(batch, flush=True)
    if batch % 7 == 0:
        store.compact(TASK.id)
"""


def test_a_killed_writer_loses_nothing(sqlite: SqliteStore) -> None:
    url = f"sqlite:///{sqlite.path}"
    rng = random.Random(1)
    acknowledged: list[int] = []
    # The child imports what this process does.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(12):
        start = acknowledged[-1] + 1 if acknowledged else 0
        command = [sys.executable, "-c", CRASHING, url, str(start)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            acknowledged.append(int(process.stdout.readline()))
            time.sleep(rng.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            acknowledged += map(int, process.stdout.read().split())
        stored = set(stored_reports(sqlite))
        assert set(some_reports(range(5 * acknowledged[-1] + 5))) <= stored
        assert check_store(sqlite) == []
    assert acknowledged == list(range(len(acknowledged)))
    assert total(sqlite).reports == len(stored)


def test_a_full_disk_is_said_and_survived(sqlite: SqliteStore) -> None:
    add(sqlite, report(1))
    writer = sqlite._writer
    assert writer is not None
    pages = int(writer.execute("PRAGMA page_count").get)
    writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    many = some_reports(range(5000))
    with pytest.raises(StoreError, match=f"^{re.escape(str(sqlite.path))}: the disk is full$"):
        add(sqlite, *many)
    assert stored_reports(sqlite) == [report(1)]
    assert check_store(sqlite) == []
    writer.execute("PRAGMA max_page_count = 1000000")
    assert add(sqlite, *many).count(STORED) == 4999
    assert check_store(sqlite) == []


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"nothing like a database " * 1000)
    store = open_store(f"sqlite:///{path}")
    for attempt in (store.prepare, store.ping):
        with pytest.raises(StoreError, match=r"x\.db: this is not a SQLite database$"):
            attempt()
    assert check_store(store) == [f"{path}: this is not a SQLite database"] * 2


def test_a_database_of_something_else(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "x.db"))
    connection.execute("CREATE TABLE songs (name)")
    with pytest.raises(StoreError, match=r"x\.db is a database of something else: it has a table 'songs'$"):
        open_store(f"sqlite:///{tmp_path}/x.db").prepare()
    assert list(connection.execute("SELECT name FROM sqlite_schema")) == [("songs",)]


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    with pytest.raises(StoreError, match="there is no such store"):
        store.ping()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(StoreError, match="No such file or directory"):
        open_store(f"sqlite:///{tmp_path}/folder/x.db").prepare()


def test_a_locked_file_is_said(sqlite: SqliteStore) -> None:
    assert sqlite._writer is not None
    sqlite._writer.set_busy_timeout(10)
    other = apsw.Connection(str(sqlite.path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="another process holds the database"):
        add(sqlite, report(1))
    assert stored_reports(sqlite) == []
    other.execute("ROLLBACK")
    assert add(sqlite, report(1)) == [STORED]


def test_an_old_sqlite_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    with pytest.raises(StoreError, match=r"^SQLite 3\.51\.2 can corrupt .*: 3\.51\.3 or newer is needed$"):
        open_store(f"sqlite:///{tmp_path}/x.db")


def test_sqlite_is_set_up_to_lose_nothing(sqlite: SqliteStore) -> None:
    writer = sqlite._writer
    assert writer is not None
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "trusted_schema": 0,
        "journal_size_limit": 2**26,
        "cache_size": -24_576,
        "query_only": 0,
    }
    assert {name: writer.execute(f"PRAGMA {name}").get for name in wanted} == wanted
    with sqlite._read_transaction() as tx:
        wanted |= {"cache_size": -2048, "query_only": 1}
        assert {name: tx.rows(f"PRAGMA {name}")[0][0] for name in wanted} == wanted
    for name in (sqlite.path, Path(f"{sqlite.path}-wal")):
        assert name.stat().st_mode & 0o777 == 0o600


def test_an_unreachable_server_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "WAIT_SECONDS", 0.3)
    store = open_store("postgresql://someone:secret@127.0.0.1:1/pckv")
    for attempt in (store.prepare, store.ping, store.snapshot().__enter__):
        with pytest.raises(StoreError, match=r"^PostgreSQL at 127\.0\.0\.1: .*$") as refusal:
            attempt()
        assert "\n" not in str(refusal.value)
        assert "secret" not in str(refusal.value)
    store.close()


def test_lost_connections_are_replaced(shared: tuple[PostgresStore, PostgresStore]) -> None:
    store, _ = shared
    add(store, report(0))
    # More than a transaction has attempts.
    with ExitStack() as held:
        for _ in range(postgres.MAX_CONNECTIONS):
            held.enter_context(store.snapshot())
    with psycopg.connect(postgres_server(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'pckv' AND pid <> pg_backend_pid()"
        )
    assert add(store, report(4), report(0)) == [STORED, KNOWN]
    assert check_store(store) == []


@pytest.mark.parametrize(
    "fault", [psycopg.errors.DeadlockDetected, psycopg.errors.AdminShutdown, TransactionConflict]
)
def test_what_may_help_is_done_again(
    shared: tuple[PostgresStore, PostgresStore], monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    store, _ = shared
    faults = iter([fault("once"), fault("twice")])
    add_part = sql._add_part

    def failing(*arguments: Any) -> None:
        for error in faults:
            raise error
        add_part(*arguments)

    monkeypatch.setattr(sql, "_add_part", failing)
    assert add(store, report(1)) == [STORED]
    assert check_store(store) == []
    faults = itertools.repeat(fault("always"))
    with pytest.raises(StoreError, match=r"add reports: given up after 6 attempts: always$"):
        add(store, report(2))
    assert stored_reports(store) == [report(1)]


def test_a_lost_answer_to_a_commit_counts_nothing_twice(
    shared: tuple[PostgresStore, PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = shared
    commit = psycopg.Connection.commit
    faults = iter([psycopg.OperationalError("the connection was lost")])

    def lossy(connection: psycopg.Connection[Any]) -> None:
        commit(connection)
        for error in faults:
            raise error

    monkeypatch.setattr(psycopg.Connection, "commit", lossy)
    assert add(store, report(1)) == [KNOWN]
    assert total(store) == tally([report(1)])


def test_what_no_retry_can_help_is_said(shared: tuple[PostgresStore, PostgresStore]) -> None:
    store, _ = shared
    store._run("break", lambda tx: tx.script("DROP TABLE reports"))
    with pytest.raises(StoreError, match='add reports: relation "reports" does not exist'):
        add(store, report(1))


# Schemas


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_first_schema_is_brought_up_to_date(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = store_url(kind, tmp_path)
    scripts = migrations.load_scripts
    with monkeypatch.context() as older:
        older.setattr(migrations, "load_scripts", lambda dialect: scripts(dialect)[:1])
        with opened(url) as store:
            store.add_task(TASK)
            add(store, report(1))
    with opened(url) as store:
        assert len(store.session_key()) == SESSION_KEY_BYTES
        assert store.report_counts([TASK.id]) == {TASK.id: 1}


def next_release(monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = migrations.load_scripts
    added = "ALTER TABLE tasks ADD COLUMN colour text; CREATE TABLE colours (name text);"
    monkeypatch.setattr(migrations, "load_scripts", lambda dialect: [*scripts(dialect), added])


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_older_schema_is_brought_up_to_date(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = store_url(kind, tmp_path)
    with opened(url) as store:
        store.add_task(TASK)
        add(store, report(1))
        next_release(monkeypatch)
        with pytest.raises(StoreError, match="the store has schema 2, and this release needs 3"):
            store.ping()
    with opened(url) as store, opened(url):
        store.ping()
        assert stored_reports(store) == [report(1)]
        assert isinstance(store, SqlStore)
        versions = store._run("read", lambda tx: tx.rows("SELECT version FROM schema_version"))
        assert sorted(versions) == [(1,), (2,), (3,)]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_newer_schema_is_refused(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = store_url(kind, tmp_path)
    with monkeypatch.context() as newer:
        next_release(newer)
        with opened(url):
            pass
    store = open_store(url)
    for attempt in (store.prepare, store.ping):
        with pytest.raises(StoreError, match="the store has schema 3, and this release knows 2: use a newer"):
            attempt()
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_migration_that_fails_leaves_the_old_schema(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = store_url(kind, tmp_path)
    with monkeypatch.context() as broken:
        scripts = migrations.load_scripts
        broken.setattr(
            migrations, "load_scripts", lambda dialect: [*scripts(dialect), "CREATE TABLE tasks (x text)"]
        )
        store = open_store(url)
        with pytest.raises(StoreError, match="already exists"):
            store.prepare()
        store.close()
    with opened(url) as store:
        store.ping()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_collectors_that_start_together_wait_for_each_other(kind: str, tmp_path: Path) -> None:
    url = store_url(kind, tmp_path)

    def start(_: int) -> None:
        with opened(url) as store:
            store.ping()

    together(4, start)


# Addresses


def test_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opened("sqlite:///here.db"), opened(f"sqlite:////{tmp_path}/there.db"):
        assert {"here.db", "there.db"} <= {path.name for path in tmp_path.iterdir()}
    assert isinstance(open_store("memory:"), MemoryStore)
    for wrong in ("", "sqlite:///", "pckv.db", "mysql://u:secret@h/d", "memory:x", "postgresql:x"):
        with pytest.raises(
            ParameterError, match=r"^a store is sqlite:///PATH, postgresql://... or memory:, not '"
        ):
            open_store(wrong)
    with pytest.raises(ParameterError, match=r"^not an address of a PostgreSQL database: ") as refusal:
        open_store("postgresql://u:secret@h/d?colour=red")
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "module", "extra"),
    [("sqlite:///x.db", "apsw", "serve"), ("postgresql://h/d", "psycopg_pool", "postgres")],
)
def test_a_missing_extra_is_one_line(
    monkeypatch: pytest.MonkeyPatch, url: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"this needs '{module}': pip install 'pckv\[{extra}\]'"):
        open_store(url)


# Damage


def change(store: Store, statement: str, *values: object) -> None:
    """Do to a database what no collector does."""
    assert isinstance(store, SqlStore)
    assert store._run("damage", lambda tx: tx.change(statement, *values)) == 1


FORGED = bytes(Tally(OTHER))
DAMAGE: dict[str, tuple[str, tuple[object, ...], str]] = {
    "a report is missing": (
        "DELETE FROM reports WHERE id = $1",
        (report(3).id,),
        "its parts count 20 reports, and it has 19",
    ),
    "a report is too many": (
        "INSERT INTO reports SELECT number, $1, $2 FROM tasks",
        tuple(report(99)),
        "its parts count 20 reports, and it has 21",
    ),
    "a report was changed": (
        "UPDATE reports SET body = $1 WHERE id = $2",
        (report(4).body, report(3).id),
        "its parts are not the tally of its 20 reports",
    ),
    "a report is no report": (
        "UPDATE reports SET body = $1 WHERE id = $2",
        (b"x", report(3).id),
        f"report {report(3).id.hex()}: a body has 8 bytes, not 1",
    ),
    "an id is no id": (
        "UPDATE reports SET id = $1 WHERE id = $2",
        (b"x", report(3).id),
        "report 78: a report id has 16 bytes, not 1",
    ),
    "a part is missing": (
        "DELETE FROM parts WHERE number = (SELECT max(number) FROM parts)",
        (),
        "its parts count 10 reports, and it has 20",
    ),
    "a part is another task's": (
        "UPDATE parts SET tally = $1 WHERE number = (SELECT max(number) FROM parts)",
        (FORGED,),
        "a tally of another task",
    ),
    "a part is cut off": (
        "UPDATE parts SET tally = $1 WHERE number = (SELECT max(number) FROM parts)",
        (bytes(tally([report(1)]))[:-1],),
        "not a tally: truncated or edited",
    ),
    "a part counts wrong": (
        "UPDATE parts SET reports = 11 WHERE number = (SELECT max(number) FROM parts)",
        (),
        "counts 10 reports, not 11",
    ),
    "forgotten reports are there": (
        "UPDATE tasks SET reports_forgotten = $1",
        (DAY,),
        "20 reports are left that were to be forgotten",
    ),
    "a task is another": (
        "UPDATE tasks SET json = $1",
        (OTHER.to_json(),),
        f"its text is that of {OTHER.id}",
    ),
    "a task is none": ("UPDATE tasks SET json = $1", ("{}",), "is damaged: not a task: "),
}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("planted", DAMAGE)
def test_planted_damage_is_found(kind: str, planted: str, tmp_path: Path) -> None:
    url = store_url(kind, tmp_path)
    with opened(url) as store:
        store.add_task(TASK)
        add(store, *some_reports(range(10)))
        add(store, *some_reports(range(10, 20)))
        assert check_store(store) == []
        statement, values, said = DAMAGE[planted]
        change(store, statement, *values)
    with opened(url) as store:
        (problem,) = check_store(store)
        assert problem.startswith(f"task {TASK.id}")
        assert said in problem
        assert "\n" not in problem


def test_a_damaged_page_is_found(sqlite: SqliteStore) -> None:
    add(sqlite, *some_reports(range(3000)))
    url = f"sqlite:///{sqlite.path}"
    sqlite.close()
    data = bytearray(sqlite.path.read_bytes())
    place = data.index(min(some_reports(range(3000))).id)
    data[place - 100 : place + 2000] = bytes(2100)
    sqlite.path.write_bytes(data)
    with opened(url) as store:
        assert any(str(sqlite.path) in problem for problem in check_store(store))


def test_a_row_without_its_task_is_found(sqlite: SqliteStore) -> None:
    assert sqlite._writer is not None
    sqlite._writer.execute("PRAGMA foreign_keys = OFF; INSERT INTO reports VALUES (99, x'00', x'00')")
    assert check_store(sqlite) == [f"{sqlite.path}: a row of reports has no task"]


# Nothing about people but the report


def dump(store: SqlStore) -> dict[str, list[Any]]:
    """All rows as they lie, but for the random numbers of parts."""

    def work(tx: Transaction) -> dict[str, list[Any]]:
        tables = ("tasks", "deletions", "reports", "invitations", "tokens", "schema_version")
        found = {table: tx.rows(f"SELECT * FROM {table}") for table in tables}  # noqa: S608
        found["parts"] = sorted(tx.rows("SELECT task, reports, tally FROM parts"))
        return found

    return store._run("dump", work, write=False)


def fill(store: Store, order: random.Random, *, together: bool) -> None:
    """Fill a store with the same reports in some order, and compact it."""
    store.add_task(TASK)
    store.add_invitations(TASK.id, [invitation(number) for number in order.sample(range(40), 40)])
    pairs = [(report(number), number) for number in order.sample(range(30), 30)]
    for start in range(0, 30, 30 if together else 1):
        invited(store, *pairs[start : start + (30 if together else 1)])
    store.compact(TASK.id)


def test_a_file_does_not_tell_who_came_first(tmp_path: Path) -> None:
    dumps = []
    for seed, together in ((1, True), (2, True), (3, False), (4, False)):
        with opened(f"sqlite:///{tmp_path}/{seed}.db") as store:
            assert isinstance(store, SqliteStore)
            fill(store, random.Random(seed), together=together)
            dumps.append(dump(store))
            # No row has a number of its own, which would tell its place in time.
            for table in ("reports", "invitations", "parts"):
                with pytest.raises(StoreError, match="rowid"):
                    change(store, f"DELETE FROM {table} WHERE rowid = 1")  # noqa: S608
    assert all(other == dumps[0] for other in dumps)


def test_a_batch_lies_in_postgres_in_the_order_of_its_ids() -> None:
    dumps = []
    for seed in (1, 2):
        with opened(postgres_url()) as store:
            assert isinstance(store, PostgresStore)
            store.add_task(TASK)
            add(store, *random.Random(seed).sample(some_reports(range(50)), 50))
            dumps.append(dump(store))
    assert dumps[0] == dumps[1]


def test_parts_lie_in_no_order(store: Store) -> None:
    for number in range(12):
        add(store, *some_reports(range(100 * number, 101 * number + 1)))
    parts = store.parts(TASK.id)
    assert [part.number for part in parts] == sorted(part.number for part in parts)
    # By chance in one of 12! cases.
    assert [part.reports for part in parts] != list(range(1, 13))


def columns(url: str) -> set[str]:
    with opened(url) as store:
        assert isinstance(store, SqlStore)
        if isinstance(store, SqliteStore):
            query = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        else:
            query = "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema"
        return {".".join(row) for row in store._run("look", lambda tx: tx.rows(query))}


def test_days_are_all_that_is_known_of_time(tmp_path: Path) -> None:
    assert columns(store_url("sqlite", tmp_path)) == columns(postgres_url())
    assert columns(store_url("sqlite", tmp_path)) == {
        "schema_version.version",
        *(
            f"tasks.{name}"
            for name in ("number", "id", "json", "closed", "by_invitation", "reports_forgotten")
        ),
        *(f"deletions.{name}" for name in ("task", "day", "reports")),
        *(f"reports.{name}" for name in ("task", "id", "body")),
        *(f"parts.{name}" for name in ("task", "number", "reports", "tally")),
        *(f"invitations.{name}" for name in ("task", "hash", "spent")),
        *(f"tokens.{name}" for name in ("role", "hash")),
        *(f"session_keys.{name}" for name in ("number", "key")),
    }
    with opened(f"sqlite:///{tmp_path}/pckv.db") as store:
        store.add_task(TASK)
        add(store, *some_reports(range(10)))
        store.close_task(TASK.id, DAY)
    content = b"".join(path.read_bytes() for path in tmp_path.glob("pckv.db*"))
    assert re.findall(rb"\d\d\d\d-\d\d-\d\d", content) == [DAY.encode()]
    assert time.strftime("%H:%M").encode() not in content


@pytest.mark.parametrize("end", ["delete", "forget"])
def test_deleted_means_gone_from_the_file(sqlite: SqliteStore, end: str) -> None:
    reports = some_reports(range(3000))
    add(sqlite, *reports[:1500])
    add(sqlite, *reports[1500:])
    files = [sqlite.path, Path(f"{sqlite.path}-wal")]
    assert any(reports[7].id in path.read_bytes() for path in files)
    sqlite.close_task(TASK.id, DAY)
    assert sqlite.delete_task(TASK.id, DAY) if end == "delete" else sqlite.forget_reports(TASK.id, DAY)
    content = b"".join(path.read_bytes() for path in files if path.exists())
    assert not [report for report in reports if report.id in content]
