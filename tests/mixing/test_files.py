"""The files of a mixer's store: what they show of arrival until the release, and that nothing is left after the end.

SECURITY.md lists what they show.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from pckv import Task
from pckv.base.errors import StoreError
from pckv.mixing.sqlite import SqliteMixerStore
from pckv.mixing.store import MixerStore
from pckv.mixing.transactions import BatchState
from pckv.store import sqlite as sqlite_module
from pckv.store.base import ReportOutcome, Upload
from support.erasure import check_rewrite, overwrite_log, rewrite, server_files
from support.faults import Fault, PatchedFault, in_place, replaced
from support.mixer_checks import released
from support.mixers import CLOSES, DAY, accept, add, entry, mixed_task, new_store, opened, sealed
from support.stores import invitation, store_url
from support.tiers import wide
from support.write_ahead_log import links

STORED = ReportOutcome.STORED
PAGE_BYTES = 4096
# The kinds of b-tree pages of SQLite that hold rows without row numbers: their headers, and what precedes a row.
INTERIOR, LEAF = 2, 10
PAGE_COUNT = slice(28, 32)
HEADER_BYTES, CHILD_BYTES = {INTERIOR: 12, LEAF: 8}, {INTERIOR: 4, LEAF: 0}


# --- until the release ---


def columns(store: MixerStore) -> set[str]:
    query = (
        "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema"
    )
    if isinstance(store, SqliteMixerStore):
        query = "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'"
    return {".".join(row) for row in store._write(lambda tx: tx.rows(query))}


def test_no_column_holds_an_order_a_time_or_an_address(store: MixerStore) -> None:
    """What is stored of a sealed report is its digest and its bytes; days are those of tasks and batches."""
    found = columns(store)
    tables: dict[str, set[str]] = {}
    for name in found:
        table, _, column = name.partition(".")
        tables.setdefault(table, set()).add(column)
    assert tables.pop("reports") == {"task", "id", "body"}
    assert tables.pop("pages") == {"task", "number", "content"}
    assert tables.pop("invitations") == {"task", "hash", "spent", "coin"}
    assert tables.keys() == {
        *("tasks", "series", "surveys", "recipients", "batches", "deletions", "erasures", "tokens", "sessions"),
        "mixer_schema_version",
    }
    assert tables["batches"] == {
        *("task", "name", "least", "entries", "published", "published_day", "state", "released", "count", "sha256"),
        *("page_entries", "acknowledged"),
    }
    if isinstance(store, SqliteMixerStore):
        for table in ("reports", "pages", "invitations"):
            with pytest.raises(StoreError, match="rowid"):
                store._write(lambda tx, table=table: tx.rows(f"SELECT rowid FROM {table}"))  # type: ignore[misc]  # noqa: S608


def test_rows_are_the_same_whatever_the_order(tmp_path: Path) -> None:
    dumps = []
    for numbers in ((1, 2, 3, 4), (3, 1, 4, 2)):
        with new_store("sqlite", tmp_path) as store:
            task = mixed_task(2, name="rows")
            accept(store, task)
            store.add_invitations(task.id, [invitation(number) for number in range(5)])
            for number in numbers:
                upload = Upload(task.id, [entry(task, number)], [invitation(number)])
                assert store.add_sealed([upload], DAY, 4) == [[STORED]]

            def dump(tx: Any) -> list[list[Any]]:
                tables = ("tasks", "batches", "reports", "invitations", "surveys", "deletions", "erasures")
                return [tx.rows(f"SELECT * FROM {table}") for table in tables]  # noqa: S608

            dumps.append(store._read(dump))
    assert dumps[0] == dumps[1]


def test_the_log_links_invitations_and_entries_until_it_is_emptied(sqlite: SqliteMixerStore) -> None:
    task = mixed_task(2)
    accept(sqlite, task)
    guests = [invitation(number) for number in range(8)]
    sqlite.add_invitations(task.id, guests)
    sqlite.erase_deleted()
    for number, guest in enumerate(guests):
        assert sqlite.add_sealed([Upload(task.id, [entry(task, number)], [guest])], DAY, 4) == [[STORED]]
    log = Path(f"{sqlite.path}-wal")
    entries = {entry(task, number).id for number in range(8)}
    # The control: what came together is in the log, but for the first commit, whose pages it does not have before.
    expected = [({guest}, {entry(task, number).id}) for number, guest in enumerate(guests)]
    assert links(log, set(guests), entries)[1:] == expected[1:]
    # The log's index holds no rows.
    index = Path(f"{sqlite.path}-shm").read_bytes()
    assert not [one for one in (*entries, *guests) if one[:16] in index]
    sqlite.erase_deleted()
    assert links(log, set(guests), entries) == []
    assert not log.read_bytes()


def send(store: MixerStore, task: Task, numbers: Sequence[int]) -> None:
    """Send sealed reports in one commit, each with an invitation."""
    uploads = [Upload(task.id, [entry(task, number)], [invitation(number)]) for number in numbers]
    assert store.add_sealed(uploads, DAY, 1000) == [[STORED]] * len(numbers)


def filled_file(folder: Path, commits: Sequence[Sequence[int]]) -> tuple[list[bytes], set[int]]:
    """Return the pages of the file after these commits, and which of them are those of sealed reports."""
    with new_store("sqlite", folder) as store:
        assert isinstance(store, SqliteMixerStore)
        task = mixed_task(2, name="files")
        accept(store, task)
        store.add_invitations(task.id, [invitation(number) for number in range(400)])
        store.erase_deleted()
        for numbers in commits:
            send(store, task, numbers)
        store.erase_deleted()
        content = store.path.read_bytes()
        query = "SELECT pageno FROM dbstat WHERE name = 'reports'"
        connection = apsw.Connection(str(store.path))
        own = {int(str(number)) - 1 for (number,) in connection.execute(query).fetchall()}
        connection.close()
    return [content[start : start + PAGE_BYTES] for start in range(0, len(content), PAGE_BYTES)], own


def rows_in(page: bytes) -> list[bytes]:
    """Return the rows of a b-tree page in the order of their keys, which is not that in which they lie."""
    kind, count = page[0], int.from_bytes(page[3:5], "big")
    start = HEADER_BYTES[kind]
    places = [int.from_bytes(page[start + 2 * row : start + 2 * row + 2], "big") for row in range(count)]
    begins = [place + CHILD_BYTES[kind] for place in places]
    # A length of less than 128 is one byte.
    assert all(page[begin] < 128 for begin in begins)
    return [page[begin + 1 : begin + 1 + page[begin]] for begin in begins]


def shuffled(seed: int, count: int) -> list[int]:
    return random.Random(seed).sample(range(count), count)


def test_one_page_shows_the_order_of_arrival_only_in_where_its_rows_lie(tmp_path: Path) -> None:
    """All other pages are the same byte by byte, those of spent invitations among them, and so are the rows."""
    orders = [[[number] for number in shuffled(seed, 30)] for seed in (1, 2)]
    (first, own), (second, _) = (filled_file(tmp_path, commits) for commits in orders)
    differing = {number for number, pages in enumerate(zip(first, second, strict=True)) if pages[0] != pages[1]}
    # The control: it does show in this page.
    assert differing == own
    [page] = own
    assert rows_in(first[page]) == rows_in(second[page])
    free = slice(HEADER_BYTES[LEAF] + 2 * 30, int.from_bytes(first[page][5:7], "big"))
    assert len(rows_in(first[page])) == 30
    assert not any(first[page][free])
    assert not any(second[page][free])


def test_many_pages_show_the_order_in_themselves_alone(tmp_path: Path) -> None:
    """Which page was split from which depends on arrival too; no page but those of sealed reports does.

    A split leaves no copy of a row behind.
    """
    shown, task = [], mixed_task(2, name="files")
    for commits in ([shuffled(1, 400)], [[number] for number in shuffled(2, 400)], [[each] for each in range(400)]):
        pages, own = filled_file(tmp_path, commits)
        rows = sorted(row for number in own for row in rows_in(pages[number]))
        assert {b"".join(pages).count(entry(task, number).id) for number in range(400)} == {1}
        # The first page says how many there are.
        pages[0] = pages[0][: PAGE_COUNT.start] + pages[0][PAGE_COUNT.stop :]
        shown.append((rows, [page for number, page in enumerate(pages) if number not in own]))
    assert shown[0] == shown[1] == shown[2]


@pytest.mark.verify
def test_postgresql_shows_order_and_transactions_until_the_stated_rewrite(tmp_path: Path) -> None:
    url = store_url("postgres", tmp_path)
    with opened(url) as store:
        task, numbers = mixed_task(2), shuffled(3, 8)
        accept(store, task)
        store.add_invitations(task.id, [invitation(number) for number in range(8)])
        for number in numbers:
            send(store, task, [number])
    guests = [invitation(number) for number in numbers]
    came = {"reports": [entry(task, number).id for number in numbers], "invitations": guests}
    check_rewrite(url, "pckv.mixing", came)


# --- after the end ---


def files_of(store: SqliteMixerStore) -> bytes:
    """Return all files of a store: the database with its free pages, the log, and the log's index."""
    return b"".join(path.read_bytes() for path in store.path.parent.glob(f"{store.path.name}*"))


def traces(task: Task, numbers: Sequence[int]) -> list[bytes]:
    """Return parts of sealed reports and of their digests, which are in no other bytes."""
    found = []
    for number in numbers:
        whole = sealed(task, number)
        found += [whole[:16], whole[16:32], whole[-16:], entry(task, number).id[:16]]
    return found


def left(content: bytes, task: Task, numbers: Sequence[int]) -> list[bytes]:
    return [trace for trace in traces(task, numbers) if trace in content]


def check_erased(store: SqliteMixerStore, end: str, count: int = 300, **members: Any) -> None:
    """Check that nothing of sealed reports is left in the files, and nothing of their digests after the release."""
    task, third = mixed_task(count + 1 if end == "too few" else count // 3, **members), count // 3
    accept(store, task)
    for start in (0, third, 2 * third):
        add(store, task, *range(start, start + third))
    assert len(left(files_of(store), task, range(count))) == 4 * count
    if end == "withdrawn":
        assert store.withdraw(task.id, DAY)
    elif end == "too few":
        assert store.release(task.id, CLOSES) is BatchState.TOO_FEW
    else:
        content = released(store, task)
        store.erase_deleted()
        # The digests told the order of the table: they are gone with the release.
        now = files_of(store)
        assert not [number for number in range(count) if entry(task, number).id in now], "digests are left"
        assert sealed(task, 7)[:16] in now
        if end == "acknowledged":
            assert store.acknowledge(task.id, hashlib.sha256(content).hexdigest())
        else:
            assert store.expire(task.id, "2031-01-01")
    store.erase_deleted()
    assert store.pending_erasures() == []
    assert not left(files_of(store), task, range(count)), "sealed reports are left"


@pytest.mark.parametrize("end", ["acknowledged", *wide("too few", "expired", "withdrawn")])
def test_nothing_of_the_entries_is_left_in_the_files(sqlite: SqliteMixerStore, end: str) -> None:
    check_erased(sqlite, end)


@pytest.mark.verify
def test_nothing_of_entries_is_left_that_are_larger_than_a_page(sqlite: SqliteMixerStore) -> None:
    check_erased(sqlite, "acknowledged", 60, keys=20_000, mechanism="ue")


def check_erased_in_postgresql(folder: Path) -> None:
    """Check that an erasure is pending until no file of the server holds anything of the sealed reports."""
    # Other tests leave other sealed reports on the same server.
    first = next(_unused)
    url, numbers, searched = store_url("postgres", folder), range(first, first + 40), range(first, first + 4)
    with opened(url) as store:
        # The batch is larger than a row may be, and lies in a table of its own.
        task = mixed_task(40)
        accept(store, task)
        store.add_invitations(task.id, [invitation(number) for number in numbers])
        for number in numbers:
            send(store, task, [number])
        content = released(store, task)
        assert store.acknowledge(task.id, hashlib.sha256(content).hexdigest())
        store.erase_deleted()
        assert len(found_on_server(url, task, searched)) == 4 * len(searched)
        assert store.pending_erasures() == [task.id], "not pending, but left"
        rewrite(url, "reports", "pages", "invitations")
        store.erase_deleted()
        assert store.pending_erasures() == [task.id], "the log was forgotten"
        overwrite_log(url, store)
        assert not found_on_server(url, task, searched), "sealed reports are left"


_unused = itertools.count(10**6, 1000)


def found_on_server(url: str, task: Task, numbers: Sequence[int]) -> set[bytes]:
    """Return the traces of sealed reports and of invitations that are in any file of a server."""
    wanted, found = {*traces(task, numbers)}, set()
    for path in server_files(url):
        # The server renames and removes files of its own meanwhile.
        content = b""
        with suppress(FileNotFoundError):
            content = path.read_bytes()
        found |= {trace for trace in wanted if trace in content}
    return found


@pytest.mark.verify
def test_nothing_of_the_entries_is_left_in_postgresql_after_a_rewrite(tmp_path: Path) -> None:
    check_erased_in_postgresql(tmp_path)


TRANSACTIONS = "mixing/transactions.py"
FAULTS = (
    in_place("sealed reports outlive the release", TRANSACTIONS, {'for table in ("reports", "invitations"):': 'for table in ("invitations",):'}, lambda store, _: check_erased(store, "acknowledged"), "digests are left"),
    in_place("the batch outlives its acknowledgement", TRANSACTIONS, {'    tx.change("DELETE FROM pages WHERE task = $1", row.number)\n': ""}, lambda store, _: check_erased(store, "acknowledged"), "reports are left"),
    in_place("the log is not emptied", "store/sqlite.py", {"    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)\n                    if self._log_is_empty():\n": "    if True:\n"}, lambda store, _: check_erased(store, "acknowledged"), "are left"),
    in_place("an erasure in PostgreSQL is not noted", TRANSACTIONS, {"    mark_erasure(tx, task_id)\n    return state\n": "    return state\n", "    mark_erasure(tx, row.id)\n": ""}, lambda _, folder: check_erased_in_postgresql(folder), "not pending"),
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_is_caught(sqlite: SqliteMixerStore, fault: Fault, tmp_path: Path) -> None:
    fault.check_caught(tmp_path, sqlite, tmp_path, raises=AssertionError)


KEPT = PatchedFault(
    "deleted rows stay in the file",
    replaced(sqlite_module, "_SETTINGS", lambda text: text.replace("secure_delete = ON", "secure_delete = OFF")),
    check_erased,
)


@pytest.mark.verify
def test_rows_that_stay_in_the_file_are_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    KEPT.plant(monkeypatch)
    with new_store("sqlite", tmp_path) as store, pytest.raises(AssertionError, match="are left"):
        KEPT.caught_by(store, "acknowledged")
