"""What hostile participants, recipients, clocks, disks and a second mixer on the same store cannot do to a mixer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pckv.base.errors import StoreError
from pckv.mixing.sqlite import SqliteMixerStore
from pckv.mixing.transactions import BatchState
from pckv.store.base import ReportOutcome
from support.collectors import check_problem
from support.faults import Fault, in_place
from support.mixer_checks import CLOSING
from support.mixers import (
    CLOSES,
    DAY,
    SECONDS_PER_DAY,
    RunningMixer,
    accept,
    add,
    batch_bytes,
    entries_of,
    mixed_task,
    new_store,
    opened,
    running_mixer,
    sealed,
)
from support.stores import store_url, together
from support.tiers import wide


@contextmanager
def two_mixers(kind: str, folder: Path) -> Iterator[tuple[RunningMixer, RunningMixer]]:
    """Run two mixers on one store, by one clock."""
    url = store_url(kind, folder)
    with (
        opened(url) as first,
        opened(url) as second,
        running_mixer(first) as one,
        running_mixer(second, one.clock) as other,
    ):
        # Their routes are made with the first request.
        for mixer in (one, other):
            mixer.accepted(mixed_task(3))
        yield one, other


@pytest.mark.parametrize("kind", ["sqlite", *wide("postgres")])
def test_two_mixers_on_one_store_are_one(kind: str, tmp_path: Path) -> None:
    with two_mixers(kind, tmp_path) as mixers:
        names = [mixed_task(3, name=f"one survey {kind}", closes=f"2030-01-2{day}") for day in range(4)]
        accepted = together(4, lambda number: mixers[number % 2].accept(names[number]).status_code)
        assert sorted(accepted) == [201, 400, 400, 400]
        task = mixed_task(3)
        token = mixers[0].accepted(task)
        for number in range(6):
            assert mixers[number % 2].send(task, sealed(task, number % 4)).status_code == 200
        mixers[0].clock.pass_days(5)
        together(2, lambda number: mixers[number].do_due())
        told = [mixer.fetch(task, token).json() for mixer in mixers]
        assert told[0] == told[1]
        assert (told[0]["state"], told[0]["count"]) == ("released", 4)
        pages = {mixer.fetch(task, token, "/0").content for mixer in mixers}
        assert len(pages) == 1
        wrong = "0" * 64
        answers = together(
            6, lambda number: mixers[number % 2].acknowledge(task, token, told[0]["sha256"] if number else wrong)
        )
        assert [answer.status_code for answer in answers] == [400] + [200] * 5


@pytest.mark.parametrize("kind", ["sqlite", *wide("postgres")])
def test_a_task_that_is_withdrawn_while_it_is_released_leaves_nothing(kind: str, tmp_path: Path) -> None:
    with opened(store_url(kind, tmp_path)) as store:
        for _ in range(5):
            task = mixed_task(3)
            accept(store, task)
            add(store, task, *range(4))
            works = (
                lambda task=task: store.release(task.id, CLOSES),
                lambda task=task: store.withdraw(task.id, DAY),
                lambda task=task: add(store, task, 5),
                lambda task=task: store.find_page(task.id, 0),
            )
            together(len(works), lambda number, works=works: works[number]())  # type: ignore[misc]
            assert (store.find_batch(task.id), batch_bytes(store, task)) == (None, b"")
            assert add(store, task, 6) == [ReportOutcome.TASK_GONE]
        for table in ("reports", "pages", "batches"):
            assert store._read(lambda tx, table=table: tx.rows(f"SELECT count(*) FROM {table}")) == [(0,)]  # type: ignore[misc] # noqa: S608


def check_midnight(store: Any) -> None:
    """Uploads at the first moments of the closing day are refused, or in the batch if they were taken."""
    for _ in range(5):
        task = mixed_task(3)
        accept(store, task)
        add(store, task, *range(3))
        days = ["2030-01-19", CLOSES]

        def work(number: int, task: Any = task, days: list[str] = days) -> Any:
            return add(store, task, 10 + number, day=days[number % 2]) if number else store.release(task.id, CLOSES)

        released, *outcomes = together(5, work)
        assert released is BatchState.RELEASED
        taken = [10 + number for number, (outcome,) in enumerate(outcomes, 1) if outcome is ReportOutcome.STORED]
        assert not any(number % 2 for number in taken), "taken on the closing day"
        expected = sorted(sealed(task, number) for number in [*range(3), *taken])
        assert sorted(entries_of(task, batch_bytes(store, task))) == expected, "taken and not in the batch"


@pytest.mark.parametrize("kind", ["sqlite", *wide("postgres")])
def test_uploads_at_midnight_are_in_the_batch_or_refused(kind: str, tmp_path: Path) -> None:
    with opened(store_url(kind, tmp_path)) as store:
        check_midnight(store)


def check_clock_back(folder: Path) -> None:
    """After a release, no clock makes a mixer admit a report that it would refuse."""
    with new_store("sqlite", folder) as store, running_mixer(store) as own:
        task = mixed_task(3)
        token = own.accepted(task)
        own.send_all(task, range(4))
        own.clock.pass_days(5)
        own.do_due()
        before = own.fetch(task, token).json()
        own.clock.jump_days(-4)
        with running_mixer(store, own.clock) as again:
            again.do_due()
            check_problem(again.client.post(f"/tasks/{task.id}/admission", json={}), 403, "closed")
            check_problem(again.send(task, sealed(task, 9)), 403, "closed")
            assert again.fetch(task, token).json() == before


def test_a_clock_that_goes_back_opens_nothing_again(tmp_path: Path) -> None:
    check_clock_back(tmp_path)


def check_counts(folder: Path) -> None:
    """A clock that goes back and forth over midnight publishes no count twice."""
    with new_store("sqlite", folder) as store, running_mixer(store) as own:
        task = mixed_task(3)
        own.accepted(task)
        own.do_due()
        published = set()
        for number in range(6):
            own.send_all(task, range(number, number + 1))
            own.clock.seconds += SECONDS_PER_DAY * (-1) ** number
            own.service.maintenance.do_due()
            published.add(own.client.get("/tasks").json()["tasks"][0]["waiting"])
        assert published == {0}, "single arrivals are shown"


def test_a_clock_that_goes_back_and_forth_shows_no_arrivals(tmp_path: Path) -> None:
    check_counts(tmp_path)


def test_a_full_disk_delays_the_release(tmp_path: Path) -> None:
    with new_store("sqlite", tmp_path) as store, running_mixer(store) as own:
        assert isinstance(store, SqliteMixerStore)
        task = mixed_task(2000)
        token = own.accepted(task)
        add(store, task, *range(2000))
        own.clock.pass_days(5)
        limit_pages(store, 0)
        with pytest.raises(StoreError, match="the disk is full"):
            own.do_due()
        assert own.fetch(task, token).json()["state"] == "collecting"
        check_problem(own.fetch(task, token, "/0"), 404, "unknown")
        limit_pages(store, 10_000)
        own.do_due()
        assert own.fetch(task, token).json()["count"] == 2000


def limit_pages(store: SqliteMixerStore, more: int) -> None:
    """Let the database grow by at most `more` pages."""
    with store._writing:
        assert store._writer is not None
        pages = int(str(store._writer.execute("PRAGMA page_count").get))
        store._writer.execute(f"PRAGMA max_page_count = {pages + more}").fetchall()


FAULTS = (
    in_place(
        "a released task may open again",
        "mixing/transactions.py",
        {CLOSING: ""},
        check_clock_back,
    ),
    in_place(
        "counts are published by any clock",
        "mixing/upkeep.py",
        {"        if is_steady:\n": "        self._store.publish_counts(day)\n        if is_steady:\n"},
        check_counts,
        "single arrivals",
    ),
)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, tmp_path, raises=AssertionError)
