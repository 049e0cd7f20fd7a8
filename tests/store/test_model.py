"""Databases behave like the store in memory, whatever the sequence of operations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pckv import Series, Task
from pckv.base.days import Phase
from pckv.base.errors import ParameterError, TaskGone
from pckv.store import parts, sqlite
from pckv.store.base import AlarmCheck, Deletion, Draft, Logo, Role, Session, StoredTask, TaskFilter, Upload
from pckv.store.checks import check_store
from pckv.store.postgres import PostgresStore
from pckv.store.store import Store
from support.memory_store import MemoryStore
from support.stores import (
    BY_COIN,
    COUNTED_LATER,
    DAY,
    ENDING,
    TASK,
    invitation,
    opened,
    report,
    store_url,
    stored_reports,
    total,
)

# Two have one name, unless one is in the bin.
NAMESAKE = Task(name=" ONE", keys=5, values=(0, 1), epsilon=1, mechanism="grr")
TASKS = [TASK, ENDING, COUNTED_LATER, BY_COIN]
# Two rounds, of which the first is open on most days, and over on the last one.
SERIES = Series(task=Task(name="repeated", keys=5, values=(0, 1), epsilon=1), first="2030-01-01", period=22, panels=1)
ROUNDS = [SERIES.task_of(number) for number in (1, 2)]


numbers = st.integers(0, 5)


tasks = st.sampled_from(TASKS)


hashes = st.sampled_from([b"a", b"b", b"c"])


days = st.sampled_from(["2030-01-15", "2030-02-15"])


# Within seven days of the first of these, and after.
later_days = st.sampled_from(["2030-01-15", "2030-01-22", "2030-01-23"])


drafts = st.builds(
    Draft, st.sampled_from("ab"), st.sampled_from(["", "\0ü"]), st.just(DAY), st.sampled_from(["{}", '{"a":1}'])
)


def deletion_facts(deletion: Deletion | None) -> tuple[str, int] | None:
    """Return what all stores agree on: PostgreSQL takes longer to erase."""
    return None if deletion is None else (deletion.day, deletion.reports)


class StoreModel(RuleBasedStateMachine):
    """The same steps in memory and in databases: all results must be the same."""

    urls: ClassVar[Callable[[], list[str]]]

    def __init__(self) -> None:
        super().__init__()
        self.contexts = [opened(url) for url in type(self).urls()]
        self.stores = [MemoryStore(), *(context.__enter__() for context in self.contexts)]
        self.same(lambda store: [store.add_task(task, DAY) for task in TASKS])
        self.same(lambda store: [store.add_series(SERIES, DAY), *(store.add_round(task, DAY) for task in ROUNDS)])

    def teardown(self) -> None:
        self.same(lambda store: [stored_reports(store, task) for task in TASKS])
        assert [check_store(store) for store in self.stores] == [[]] * len(self.stores)
        for context in self.contexts:
            context.__exit__(None, None, None)

    def same(self, step: Callable[[Store], Any]) -> Any:
        answers = []
        for store in self.stores:
            try:
                answers.append(step(store))
            except (TaskGone, ParameterError) as error:
                answers.append(str(error))
        assert all(answer == answers[0] for answer in answers), answers
        return answers[0]

    @rule(
        uploads=st.lists(st.tuples(tasks, st.lists(st.tuples(numbers, st.integers(0, 1), numbers | st.none())))),
        day=days,
    )
    def upload(self, uploads: list[tuple[Task, list[tuple[int, int, int | None]]]], day: str) -> None:
        batch = [
            Upload(
                task.id,
                [report(number, word) for number, word, _ in rows],
                [None if token is None else invitation(token) for _, _, token in rows],
            )
            for task, rows in uploads
        ]
        self.same(lambda store: store.add_reports(batch, day))

    @rule(task=tasks, hashes=st.lists(numbers, max_size=4))
    def invite(self, task: Task, hashes: list[int]) -> None:
        self.same(lambda store: store.add_invitations(task.id, [invitation(number) for number in hashes]))

    @rule(task=tasks, token=numbers, number=numbers)
    def issue(self, task: Task, token: int, number: int) -> None:
        coin = report(number, task=TASK).id
        self.same(lambda store: store.issue_coin(task.id, invitation(token), coin))

    @rule(task=tasks, token=numbers)
    def look_at_invitation(self, task: Task, token: int) -> None:
        self.same(lambda store: store.invitation_state(task.id, invitation(token)))
        self.same(lambda store: store.invitation_counts(task.id))

    @rule(task=tasks, fully=st.booleans())
    def compact(self, task: Task, fully: bool) -> None:
        self.same(lambda store: store.compact(task.id, fully=fully))

    @rule(task=tasks, at_least=st.integers(1, 3))
    def find_parts(self, task: Task, at_least: int) -> None:
        self.same(
            lambda store: (
                store.tasks_to_compact(at_least, 4),
                sorted((part.uncounted, part.size) for part in store.part_summaries(task.id)),
            )
        )

    @rule(task=tasks, wanted=numbers | st.none(), public=st.booleans())
    def change(self, task: Task, wanted: int | None, public: bool) -> None:
        self.same(lambda store: store.change_task(task.id, {"target": wanted}))
        self.same(lambda store: store.change_task(task.id, {"public_results": public}))

    @rule(
        limit=numbers,
        search=st.sampled_from(["", "E", "in"]),
        phase=st.none() | st.sampled_from(Phase),
        day=days,
    )
    def list_newest(self, limit: int, search: str, phase: Phase | None, day: str) -> None:
        chosen = TaskFilter(search, phase, day)

        def pages(store: Store) -> list[StoredTask]:
            first = store.newest_tasks(limit, chosen=chosen)
            return first + (store.newest_tasks(limit, first[-1].number, chosen) if first else [])

        self.same(pages)

    @rule(task=tasks, day=days)
    def close(self, task: Task, day: str) -> None:
        self.same(lambda store: store.close_task(task.id, day))

    @rule(task=tasks, day=later_days)
    def reopen(self, task: Task, day: str) -> None:
        self.same(lambda store: store.reopen_task(task.id, day))

    @rule(task=st.sampled_from(ROUNDS), day=later_days)
    def close_round(self, task: Task, day: str) -> None:
        self.same(lambda store: store.close_task(task.id, day))

    @rule(day=later_days)
    def close_series(self, day: str) -> None:
        self.same(lambda store: store.close_series(SERIES.id, day))

    @rule(day=later_days)
    def reopen_series(self, day: str) -> None:
        self.same(lambda store: store.reopen_series(SERIES.id, day))

    @rule(task=tasks | st.just(NAMESAKE), day=later_days)
    def put_into_bin(self, task: Task, day: str) -> None:
        self.same(lambda store: store.bin_task(task.id, day))

    @rule(task=tasks | st.just(NAMESAKE), day=later_days)
    def restore(self, task: Task, day: str) -> None:
        self.same(lambda store: store.restore_task(task.id, day))

    @rule(task=tasks, day=st.sampled_from(["2030-01-22", "2030-03-01"]))
    def delete_what_is_expired(self, task: Task, day: str) -> None:
        self.same(lambda store: deletion_facts(store.delete_task(task.id, day, expired=True)))

    @rule(one=drafts, limit=numbers)
    def keep_draft(self, one: Draft, limit: int) -> None:
        self.same(lambda store: (store.add_draft(one, limit), store.find_draft(one.id)))

    @rule(one=drafts)
    def change_draft(self, one: Draft) -> None:
        self.same(lambda store: (store.change_draft(one), store.find_draft(one.id)))

    @rule(one=drafts)
    def delete_draft(self, one: Draft) -> None:
        self.same(lambda store: store.delete_draft(one.id))

    @rule(name=st.none() | st.just("x"), logo=st.none() | st.just(Logo("image/png", b"\0")), keep=st.booleans())
    def name_organisation(self, name: str | None, logo: Logo | None, keep: bool) -> None:
        self.same(lambda store: store.set_organisation(name, logo=logo, keep_logo=keep))

    @rule(task=tasks, day=days)
    def forget(self, task: Task, day: str) -> None:
        self.same(lambda store: store.forget_reports(task.id, day))

    @rule(task=tasks, day=st.just("2030-03-01"))
    def delete(self, task: Task, day: str) -> None:
        self.same(lambda store: deletion_facts(store.delete_task(task.id, day)))

    @rule(task=tasks | st.just(NAMESAKE), day=days)
    def add(self, task: Task, day: str) -> None:
        self.same(lambda store: store.add_task(task, day))

    @rule(role=st.sampled_from(Role), token=hashes)
    def set_token(self, role: Role, token: bytes) -> None:
        self.same(lambda store: store.set_token(role, token))

    @rule(token=hashes)
    def revoke_token(self, token: bytes) -> None:
        self.same(lambda store: (store.revoke_token(token), store.find_role(token)))

    @rule(one=hashes, token=hashes, role=st.sampled_from(Role), expires=numbers)
    def sign_in(self, one: bytes, token: bytes, role: Role, expires: int) -> None:
        self.same(lambda store: store.add_session(Session(one, token, role, expires)))

    @rule(one=hashes)
    def sign_out(self, one: bytes) -> None:
        self.same(lambda store: (store.find_session(one), store.end_session(one)))

    @rule(now=numbers)
    def end_sessions(self, now: int) -> None:
        self.same(lambda store: store.end_expired_sessions(now))

    @rule(task=tasks, now=numbers, recorded=st.booleans())
    def check_for_alarms(self, task: Task, now: int, recorded: bool) -> None:
        self.same(lambda store: store.claim_alarm_check(task.id, now, 2))
        if recorded:
            self.same(lambda store: store.record_alarm_check(task.id, AlarmCheck(now, 9, "{}")))

    @rule()
    def erase(self) -> None:
        for store in self.stores:
            store.erase_deleted()
            # No reader is open, so that only PostgreSQL waits, for its files to be rewritten.
            assert isinstance(store, PostgresStore) or store.pending_erasures() == []

    @invariant()
    def all_stores_have_the_same_contents(self) -> None:
        self.same(
            lambda store: (
                store.list_tasks(9),
                (store.find_series(SERIES.id), store.rounds(SERIES.id, 9)),
                store.binned_tasks(),
                store.list_drafts(),
                (store.find_organisation(), store.find_logo()),
                [store.report_days(task.id) for task in TASKS],
                store.last_report_days([task.id for task in TASKS]),
                store.tokens(),
                store.count_sessions(0),
                store.alarm_checks([task.id for task in TASKS]),
                [deletion_facts(store.find_deletion(task.id)) for task in TASKS],
                [bytes(total(store, task)) for task in TASKS],
            )
        )


def test_databases_behave_like_the_store_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Twenty sequences of 25 operations by default, with `--all` a hundred."""
    # So that words are merged in some compactions, and counted in others.
    monkeypatch.setattr(parts, "MIN_REPORTS_TO_COUNT", 4)
    # What a crash would lose is tested elsewhere.
    monkeypatch.setattr(sqlite, "_SETTINGS", sqlite._SETTINGS.replace("= FULL", "= OFF"))

    class DatabaseModel(StoreModel):
        urls = staticmethod(lambda: [store_url(kind, tmp_path) for kind in ("sqlite", "postgres")])

    sequences = 100 if request.config.getoption("--all") else 20
    run_state_machine_as_test(DatabaseModel, settings=settings(max_examples=sequences, stateful_step_count=25))
