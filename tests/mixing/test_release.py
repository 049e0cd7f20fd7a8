"""The batch of a mixer: a function of the set of sealed reports and its own randomness, released once."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pckv.base.errors import ParameterError, StoreError, TaskGone
from pckv.base.seeded import seeded_source
from pckv.collector.http.auth import token_hash
from pckv.contract.mixer import entry_bytes
from pckv.mixing import transactions
from pckv.mixing.store import MixerStore
from pckv.mixing.transactions import BatchState
from pckv.shuffling.permutation import random_order
from pckv.store import open_store
from pckv.store.base import ReportOutcome, Upload
from support.faults import Fault, in_place
from support.mixer_checks import (
    TAKEN_AFTERWARDS,
    check_all_orders,
    check_claims,
    check_claims_of_series,
    check_closing_day,
    check_copies,
    check_one_set,
    check_series_names,
    check_survey_names,
    check_tapes,
    check_too_few,
    released,
    weekly,
)
from support.mixers import (
    CLOSES,
    DAY,
    RECIPIENT_TOKEN,
    accept,
    add,
    batch_bytes,
    entries_of,
    entry,
    mixed_task,
    new_store,
    opened,
    sealed,
)
from support.stores import invitation, store_url, together
from support.tiers import wide

STORED, KNOWN, CLOSED = ReportOutcome.STORED, ReportOutcome.KNOWN, ReportOutcome.TASK_CLOSED
KINDS = ("sqlite", "postgres")
CHECKS: tuple[Callable[[MixerStore], None], ...] = (
    check_all_orders,
    check_too_few,
    check_closing_day,
    check_one_set,
    check_copies,
    check_survey_names,
    check_series_names,
    check_tapes,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_what_a_mixer_keeps_to(store: MixerStore, check: Callable[[MixerStore], None]) -> None:
    check(store)


def test_claims_are_computed_again(sqlite: MixerStore) -> None:
    check_claims(sqlite)
    check_claims_of_series(sqlite)


TRANSACTIONS = "mixing/transactions.py"
FAULTS = (
    in_place(
        "no permutation is drawn",
        TRANSACTIONS,
        {"order = random_order(len(digests) // DIGEST_BYTES, source)": "order = range(len(digests) // DIGEST_BYTES)"},
        check_tapes,
        "the same order",
    ),
    in_place(
        "a batch that is one short",
        TRANSACTIONS,
        {"if count < task.mixer.batch:": "if count < task.mixer.batch - 1:"},
        check_too_few,
        "too small",
    ),
    in_place(
        "a batch leaves a day early",
        TRANSACTIONS,
        {"or day < task.closes:": "or days_after(day, 1) < task.closes:"},
        check_closing_day,
        "a day early",
    ),
    in_place(
        "bytes are taken after the release",
        TRANSACTIONS,
        TAKEN_AFTERWARDS,
        check_one_set,
        "after the release",
    ),
    in_place(
        "a second batch",
        TRANSACTIONS,
        {"if row is None or find_state(tx, row) is not BatchState.COLLECTING:": "if row is None:"},
        check_one_set,
    ),
    in_place(
        "a second task of one survey",
        TRANSACTIONS,
        {"        if other != contract:": "        if not other:"},
        check_survey_names,
        "a second task",
    ),
    in_place(
        "a task of the name of a series",
        TRANSACTIONS,
        {"    elif (series := _series_of(survey)) is not None:": "    elif (series := None) is not None:"},
        check_series_names,
        "beside a series",
    ),
    in_place(
        "a series of the name of a task",
        TRANSACTIONS,
        {"    if is_series:": "    if not survey:"},
        check_series_names,
        "beside a task",
    ),
    in_place(
        "the claim of a series is not computed",
        "mixing/acceptance.py",
        {"    series.task.check_claim()\n": ""},
        check_claims_of_series,
        "does not hold",
    ),
    in_place(
        "the claim is not computed",
        "mixing/acceptance.py",
        {"    task.check_claim()\n\n": "\n"},
        check_claims,
        "does not hold",
    ),
    in_place(
        "the claim is computed at the batch",
        "contract/mixer.py",
        {"_bound(reporting, self.honest)": "_bound(reporting, self.batch)"},
        check_claims,
        "does not hold",
    ),
)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(sqlite: MixerStore, fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, sqlite, raises=(AssertionError, StoreError))


@pytest.mark.parametrize("kind", ["sqlite", *wide("postgres")])
@settings(max_examples=10)
@given(
    order=st.permutations(range(50)),
    cuts=st.lists(st.integers(0, 50), max_size=5),
    seed=st.integers(0, 3),
    page=st.sampled_from([1, 7, 50]),
)
def test_neither_order_nor_commits_show_in_a_batch(
    tmp_path_factory: pytest.TempPathFactory, kind: str, order: list[int], cuts: list[int], seed: int, page: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, new_store(kind, tmp_path_factory.mktemp("mixer")) as store:
        patch.setattr(transactions, "MAX_PAGE_ENTRIES", page)
        patch.setattr(transactions, "DIGESTS_PER_READ", page)
        task = mixed_task(50)
        accept(store, task)
        for start, end in itertools.pairwise(sorted({0, 50, *cuts})):
            add(store, task, *order[start:end])
        in_order = sorted((entry(task, number) for number in range(50)), key=lambda one: one.id)
        ranks = random_order(50, seeded_source(seed))
        assert entries_of(task, released(store, task, seed)) == [in_order[rank].body for rank in ranks]


def test_pages_are_the_batch_in_pieces(store: MixerStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "MAX_PAGE_ENTRIES", 4)
    monkeypatch.setattr(transactions, "DIGESTS_PER_READ", 3)
    task = mixed_task(2)
    accept(store, task)
    add(store, task, *range(7))
    whole = released(store, task)
    pages = [store.find_page(task.id, number) for number in range(3)]
    size = entry_bytes(task)
    assert [None if page is None else len(page) // size for page in pages] == [4, 3, None]
    assert sorted(entries_of(task, whole)) == sorted(sealed(task, number) for number in range(7))


def test_a_task_holds_four_batches(store: MixerStore) -> None:
    task = mixed_task(2)
    accept(store, task)
    assert add(store, task, *range(7)) == [STORED] * 7
    assert add(store, task, 7, 8, 3) == [STORED, ReportOutcome.TASK_FULL, KNOWN]
    assert add(store, task, 9, 7) == [ReportOutcome.TASK_FULL, KNOWN]
    assert len(entries_of(task, released(store, task))) == 8


def test_reports_are_taken_on_the_days_of_the_task_alone(store: MixerStore) -> None:
    task = mixed_task(2)
    assert add(store, task, 1) == [ReportOutcome.TASK_GONE]
    accept(store, task)
    assert add(store, task, 1, day="2030-01-09") == [CLOSED]
    assert add(store, task, 1, day=CLOSES) == [CLOSED]
    assert add(store, task, 1, day="2030-01-19") == [STORED]


def test_an_acknowledged_batch_is_gone(store: MixerStore) -> None:
    task = mixed_task(2)
    accept(store, task)
    add(store, task, 1, 2)
    assert not store.acknowledge(task.id, hashlib.sha256(b"").hexdigest())
    right = hashlib.sha256(released(store, task)).hexdigest()
    assert not store.acknowledge(task.id, hashlib.sha256(b"").hexdigest())
    assert batch_bytes(store, task)
    for _ in range(2):
        assert store.acknowledge(task.id, right)
    batch = store.find_batch(task.id)
    assert batch is not None
    assert (batch.state, batch.acknowledged, batch_bytes(store, task)) == (BatchState.DONE, True, b"")
    assert store.release(task.id, CLOSES) is None
    assert add(store, task, 3) == [CLOSED]


def test_a_batch_is_kept_for_30_days(store: MixerStore) -> None:
    task = mixed_task(2)
    accept(store, task)
    add(store, task, 1, 2)
    released(store, task)
    assert not store.expire(task.id, "2030-02-18")
    assert batch_bytes(store, task)
    assert store.expire(task.id, "2030-02-19")
    assert not store.expire(task.id, "2030-02-19")
    batch = store.find_batch(task.id)
    assert batch is not None
    assert (batch.state, batch.acknowledged, batch_bytes(store, task)) == (BatchState.DONE, False, b"")


def test_invitations_admit_one_report_each(store: MixerStore) -> None:
    task = mixed_task(2)
    accept(store, task)
    store.add_invitations(task.id, [invitation(1), invitation(2)])

    def send(number: int, guest: bytes | None) -> ReportOutcome:
        [[outcome]] = store.add_sealed([Upload(task.id, [entry(task, number)], [guest])], DAY, 4)
        return outcome

    assert send(1, invitation(1)) is STORED
    assert send(1, invitation(1)) is KNOWN
    assert send(2, invitation(1)) is ReportOutcome.INVITATION_SPENT
    assert send(2, None) is send(2, invitation(9)) is ReportOutcome.INVITATION_UNKNOWN
    assert send(2, invitation(2)) is STORED
    assert len(entries_of(task, released(store, task))) == 2
    # What was spent is not needed any more, and tells who took part.
    assert store._read(lambda tx: tx.rows("SELECT count(*) FROM invitations")) == [(0,)]


def test_withdrawn_tasks_stay_away(store: MixerStore) -> None:
    task = mixed_task(2)
    accept(store, task)
    add(store, task, 1, 2)
    assert store.withdraw(task.id, DAY)
    assert not store.withdraw(task.id, DAY)
    assert add(store, task, 1) == [ReportOutcome.TASK_GONE]
    assert store.release(task.id, CLOSES) is None
    with pytest.raises(TaskGone):
        accept(store, task)


def test_a_recipient_has_a_token_of_their_own(store: MixerStore) -> None:
    task, other = mixed_task(2), mixed_task(2)
    accept(store, task)
    assert store.accept_task(other, DAY, token_hash("another"))
    assert store.is_recipient(task.id, token_hash(RECIPIENT_TOKEN))
    assert not store.is_recipient(other.id, token_hash(RECIPIENT_TOKEN))
    assert not store.accept_task(task, DAY, token_hash("third"))
    assert store.is_recipient(task.id, token_hash(RECIPIENT_TOKEN))
    assert store.accept_task(task, DAY, token_hash("third"), renew=True)
    assert not store.is_recipient(task.id, token_hash(RECIPIENT_TOKEN))


def test_rounds_follow_their_series(store: MixerStore) -> None:
    template = mixed_task(2, opens=None, closes=None)
    series = weekly(template)
    assert store.accept_series(series, DAY, token_hash(RECIPIENT_TOKEN))
    one = series.task_of(1)
    assert store.add_round(one, DAY)
    assert not store.add_round(one, DAY)
    assert store.is_recipient(one.id, token_hash(RECIPIENT_TOKEN))
    assert add(store, one, 1, 2) == [STORED, STORED]
    assert store.release(one.id, one.closes or "") is BatchState.RELEASED


def test_uploads_and_a_release_at_the_same_time(store: MixerStore) -> None:
    """Whatever comes first: what was acknowledged is in the batch, and what was refused is not."""
    task = mixed_task(2)
    accept(store, task)
    add(store, task, 0, 1)

    def work(number: int) -> Any:
        return store.release(task.id, CLOSES) if number == 3 else add(store, task, number + 10)[0]

    results = together(7, work)
    taken = [number + 10 for number, result in enumerate(results) if result is STORED]
    assert {result for number, result in enumerate(results) if number != 3} <= {STORED, CLOSED}
    content = entries_of(task, batch_bytes(store, task))
    assert sorted(content) == sorted(sealed(task, number) for number in [0, 1, *taken])


def test_only_one_of_two_accepts_a_survey(store: MixerStore) -> None:
    tasks = [mixed_task(batch, name="the same") for batch in (2, 3, 4, 5)]

    def work(number: int) -> bool:
        try:
            accept(store, tasks[number])
        except ParameterError:
            return False
        return True

    assert sum(together(4, work)) == 1


def test_counts_are_renewed_once_per_day(store: MixerStore) -> None:
    task = mixed_task(2)
    accept(store, task)

    def published() -> tuple[int, str]:
        batch = store.find_batch(task.id)
        assert batch is not None
        return batch.published, batch.published_day

    add(store, task, 1, 2)
    store.publish_counts(DAY)
    assert published() == (0, DAY)
    store.publish_counts("2030-01-16")
    add(store, task, 3)
    store.publish_counts("2030-01-16")
    assert published() == (2, "2030-01-16")


def test_stores_of_mixers_and_collectors_are_apart(tmp_path: Path) -> None:
    for kind in KINDS:
        url = store_url(kind, tmp_path)
        with opened(url) as store:
            store.ping()
            store.check_writable()
        other = open_store(url)
        with pytest.raises(StoreError, match=r"has a table|already exists"):
            other.prepare()
        other.close()
