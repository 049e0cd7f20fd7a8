"""A database holds nothing about people but their reports."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.errors import StoreError
from pckv.store import sqlite as sqlite_module
from pckv.store.postgres import PostgresStore
from pckv.store.sql.transactions import NO_COIN, Transaction
from pckv.store.sqlite import SqliteStore
from pckv.store.store import Store
from support.erasure import check_rewrite
from support.stores import (
    BY_COIN,
    DAY,
    STORED,
    TASK,
    add,
    change,
    invitation,
    invited,
    opened,
    postgres_url,
    report,
    some_reports,
    store_url,
)
from support.write_ahead_log import links

PAGE_BYTES = 4096


def dump(store: Store) -> dict[str, list[Any]]:
    """Return all rows in their stored order, without the random numbers of parts."""

    def work(tx: Transaction) -> dict[str, list[Any]]:
        tables = ("tasks", "deletions", "reports", "report_days", "invitations", "tokens", "schema_version")
        rows = {table: tx.rows(f"SELECT * FROM {table}") for table in tables}  # noqa: S608
        rows["parts"] = sorted(tx.rows("SELECT task, reports, uncounted, content FROM parts"))
        return rows

    return store._read(work)


def fill(store: Store, order: random.Random, *, together: bool) -> None:
    """Fill a store with the same reports in some order, half of them per day, and compact it."""
    store.add_task(TASK, DAY)
    store.add_invitations(TASK.id, [invitation(number) for number in order.sample(range(40), 40)])
    pairs = [(report(number), number) for number in order.sample(range(30), 30)]
    size = 15 if together else 1
    for start in range(0, 30, size):
        invited(store, *pairs[start : start + size], day=f"2031-06-0{1 + start // 15}")
    store.compact(TASK.id)


def test_a_file_does_not_show_the_order_or_the_days_of_arrival(tmp_path: Path) -> None:
    """The rows are the same whichever reports came on the first day: nothing links a report to its day."""
    dumps = []
    for seed, together in ((1, True), (2, True), (3, False), (4, False)):
        with opened(f"sqlite:///{tmp_path}/{seed}.db") as store:
            assert isinstance(store, SqliteStore)
            fill(store, random.Random(seed), together=together)
            dumps.append(dump(store))
            # No row has a row number, which would show the order of arrival.
            for table in ("reports", "invitations", "parts", "report_days"):
                with pytest.raises(StoreError, match="rowid"):
                    change(store, f"DELETE FROM {table} WHERE rowid = 1")  # noqa: S608
    assert all(other == dumps[0] for other in dumps)
    assert [row[1:] for row in dumps[0]["report_days"]] == [("2031-06-01", 15), ("2031-06-02", 15)]


def arrive_one_by_one(store: SqliteStore, seed: int, task: Task, count: int) -> list[tuple[bytes, bytes]]:
    """Hand out coins and add reports, each with the same invitation whatever the order; return the order."""
    order = random.Random(seed)
    store.add_task(task, DAY)
    store.add_invitations(task.id, [invitation(number) for number in range(count)])
    guests = random.Random(99).sample(range(count), count)
    for number in order.sample(range(count), count):
        store.issue_coin(task.id, invitation(guests[number]), report(number, task=task).id)
    store.erase_deleted()
    arrivals = order.sample(range(count), count)
    for number in arrivals:
        assert invited(store, (report(number, task=task), guests[number]), task=task) == [STORED]
    return [(invitation(guests[number]), report(number, task=task).id) for number in arrivals]


@pytest.mark.parametrize("task", [TASK, BY_COIN], ids=["device", "server"])
def test_the_log_links_what_came_together_until_it_is_emptied(sqlite: SqliteStore, task: Task) -> None:
    arrivals = arrive_one_by_one(sqlite, 1, task, 40)
    invitations, reports = ({pair[side] for pair in arrivals} for side in (0, 1))
    log = Path(f"{sqlite.path}-wal")
    # The control: the log shows all of them, in the order of arrival.
    pairs = [({one}, {other}) for one, other in arrivals]
    # The first commit in the log does not show what was in its pages before.
    assert links(log, invitations, reports)[1:] == pairs[1:]
    sqlite.erase_deleted()
    assert links(log, invitations, reports) == []
    assert not log.read_bytes()


@pytest.mark.parametrize(
    ("task", "no_coin", "same"),
    [(TASK, NO_COIN, True), (BY_COIN, NO_COIN, True), (BY_COIN, b"", False)],
    ids=["device", "server", "shrinking rows"],
)
def test_the_file_does_not_show_the_order_of_invitations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: Task, no_coin: bytes, same: bool
) -> None:
    """A row that keeps its size stays in its place: the pages are the same, byte by byte, whatever the order.

    The control: if a row shrinks when its coin is erased, it moves, and the order shows.
    """
    monkeypatch.setattr(sqlite_module, "NO_COIN", no_coin)
    pages, orders = [], []
    for seed in (1, 2):
        with opened(f"sqlite:///{tmp_path}/{seed}.db") as store:
            assert isinstance(store, SqliteStore)
            orders.append(arrive_one_by_one(store, seed, task, 80))
        content = (tmp_path / f"{seed}.db").read_bytes()
        hashes = [one for one, _ in orders[-1]]
        page_starts = range(0, len(content), PAGE_BYTES)
        all_pages = [content[start : start + PAGE_BYTES] for start in page_starts]
        pages.append([page for page in all_pages if any(one in page for one in hashes)])
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])
    assert len(pages[0]) > 1
    assert (pages[0] == pages[1]) == same


def test_postgres_stores_a_batch_in_the_order_of_its_ids() -> None:
    dumps = []
    for seed in (1, 2):
        with opened(postgres_url()) as store:
            assert isinstance(store, PostgresStore)
            store.add_task(TASK, DAY)
            add(store, *random.Random(seed).sample(some_reports(range(50)), 50))
            dumps.append(dump(store))
    assert dumps[0] == dumps[1]


def test_the_stated_rewrite_forgets_what_came_together() -> None:
    url = postgres_url()
    with opened(url) as store:
        store.add_task(TASK, DAY)
        numbers = random.Random(5).sample(range(8), 8)
        store.add_invitations(TASK.id, [invitation(number) for number in range(8)])
        for number in numbers:
            assert invited(store, (report(number), number)) == [STORED]
    guests = [invitation(number) for number in numbers]
    check_rewrite(url, "pckv.store", {"reports": [report(number).id for number in numbers], "invitations": guests})


def test_parts_are_stored_in_random_order(store: Store) -> None:
    for number in range(12):
        add(store, *some_reports(range(100 * number, 101 * number + 1)))
    parts = store.parts(TASK.id)
    assert [part.number for part in parts] == sorted(part.number for part in parts)
    # They are in order by chance in one of 12! cases.
    assert [part.reports for part in parts] != list(range(1, 13))


def columns(url: str) -> set[str]:
    with opened(url) as store:
        if isinstance(store, SqliteStore):
            query = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        else:
            query = "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema"
        return {".".join(row) for row in store._write(lambda tx: tx.rows(query))}


def test_no_times_but_days_are_stored(tmp_path: Path) -> None:
    assert columns(store_url("sqlite", tmp_path)) == columns(postgres_url())
    assert columns(store_url("sqlite", tmp_path)) == {
        "schema_version.version",
        *(f"tasks.{name}" for name in ("number", "id", "json", "closed", "by_invitation", "reports_forgotten")),
        *(f"tasks.{name}" for name in ("created", "folded_name", "opens", "closes", "target", "public_results")),
        *(f"tasks.{name}" for name in ("series", "series_round", "closed_with_series", "binned")),
        *(f"fetched_batches.{name}" for name in ("task", "key", "state", "entries", "sha256", "opened", "unreadable")),
        # Of questions to a mixer, which come whether there are reports or not.
        *(f"fetched_batches.{name}" for name in ("waiting", "asked", "reason", "failures", "next_try")),
        *(f"series.{name}" for name in ("number", "id", "json", "created", "closed")),
        *(f"surveys.{name}" for name in ("survey", "contract")),
        *(f"drafts.{name}" for name in ("id", "turn", "changed", "name", "content")),
        *(f"organisation.{name}" for name in ("number", "name", "logo_type", "logo")),
        *(f"report_days.{name}" for name in ("task", "day", "reports")),
        *(f"deletions.{name}" for name in ("task", "day", "reports")),
        *(f"reports.{name}" for name in ("task", "id", "body")),
        *(f"parts.{name}" for name in ("task", "number", "reports", "uncounted", "content")),
        *(f"invitations.{name}" for name in ("task", "hash", "spent", "coin")),
        *(f"tokens.{name}" for name in ("role", "hash")),
        *(f"erasures.{name}" for name in ("task", "mark")),
        # The only times are the ends of sessions of those who run the collection, and when its collector checked
        # for alarms, at most once per hour, with the number of all reports.
        *(f"alarm_checks.{name}" for name in ("task", "begun", "seconds", "reports", "result")),
        *(f"sessions.{name}" for name in ("hash", "token", "role", "expires")),
    }
    with opened(f"sqlite:///{tmp_path}/pckv.db") as store:
        store.add_task(TASK, "2031-05-04")
        add(store, *some_reports(range(10)), day="2031-05-05")
        add(store, *some_reports(range(10, 20)), day="2031-05-05")
        store.close_task(TASK.id, DAY)
    content = b"".join(path.read_bytes() for path in tmp_path.glob("pckv.db*"))
    assert sorted(re.findall(rb"\d\d\d\d-\d\d-\d\d", content)) == [b"2031-05-04", b"2031-05-05", DAY.encode()]
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
