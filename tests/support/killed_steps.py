"""Processes that are killed at one step of a transaction: before each statement, before and after each commit."""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from pckv import Task
from pckv.base.errors import TaskGone
from pckv.collector.http.auth import token_hash
from pckv.collector.recipient import batches
from pckv.collector.recipient.batches import BatchFetcher
from pckv.collector.recipient.keys import MixerKeys
from pckv.collector.server import serve
from pckv.mixing import transactions
from pckv.mixing.app import create_mixer
from pckv.mixing.open_store import open_mixer_store
from pckv.mixing.settings import MixerSettings
from pckv.mixing.store import MixerStore
from pckv.mixing.transactions import BatchState
from pckv.store import open_store
from pckv.store.base import ReportOutcome, Upload
from pckv.store.postgres import PostgresDatabase, PostgresTransaction
from pckv.store.sqlite import SqliteDatabase, SqliteTransaction
from support.crash_collectors import FORKS, STOP_SECONDS, TOKEN
from support.mixers import CLOSES, DAY, RECIPIENT_TOKEN, add, batch_bytes, entries_of, entry, mixed_task, opened, sealed

STATEMENTS = ("rows", "change", "script", "insert_reports", "bodies", "spend_invitations", "insert_invitations")
TAKEN = {ReportOutcome.STORED, ReportOutcome.KNOWN}


def kill_at(moment: int) -> Callable[[], None]:
    """Let this process be killed at the step of a transaction with this number; return what counts another step."""
    passed = 0

    def step() -> None:
        nonlocal passed
        passed += 1
        if passed > moment:
            os.kill(os.getpid(), signal.SIGKILL)

    for transaction in (SqliteTransaction, PostgresTransaction):
        for name in STATEMENTS:
            setattr(transaction, name, _after(step, getattr(transaction, name)))
    for database in (SqliteDatabase, PostgresDatabase):
        database._write = _committing(step, database._write)  # type: ignore[method-assign]
    return step


def _after(step: Callable[[], None], statement: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any) -> Any:
        step()
        return statement(*arguments)

    return run


def _committing(step: Callable[[], None], write: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        @functools.wraps(work)
        def ended(*given: Any, **more: Any) -> Any:
            result = work(*given, **more)
            step()
            return result

        result = write(self, ended, *arguments, **named)
        step()
        return result

    return run


def is_killed(work: Callable[..., None], *arguments: Any) -> bool:
    """Do some work in a forked process; return whether it was killed."""
    process = FORKS.Process(target=work, args=arguments, daemon=True)
    process.start()
    process.join(STOP_SECONDS)
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return process.exitcode != 0


class MixerLife:
    """Four tasks at a mixer, from acceptance to the end: acknowledged, too few, not fetched, withdrawn."""

    def __init__(self, folder: Path) -> None:
        self.whole, self.few, self.kept, self.gone = (mixed_task(3) for _ in range(4))
        self._notes = folder / "notes"
        self._notes.unlink(missing_ok=True)

    def _note(self, *words: object) -> None:
        """Remember an answer: a killed process has given those that are in the file."""
        handle = os.open(self._notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(handle, (" ".join(map(str, words)) + "\n").encode())
        os.close(handle)

    def _send(self, store: MixerStore, task: Task, count: int, *, invited: bool = False) -> None:
        for number in range(count):
            invitation = token_hash(f"invitation {number}") if invited else None
            [[outcome]] = store.add_sealed([Upload(task.id, [entry(task, number)], [invitation])], DAY, 4)
            if outcome in TAKEN:
                self._note("taken", task.id, number)

    def live(self, store: MixerStore) -> None:
        """Do everything, as far as it is not done."""
        for task in (self.whole, self.few, self.kept, self.gone):
            with suppress(TaskGone):
                store.accept_task(task, DAY, token_hash(RECIPIENT_TOKEN))
        if store.find_batch(self.kept.id).state is BatchState.COLLECTING:  # type: ignore[union-attr]
            store.add_invitations(self.kept.id, [token_hash(f"invitation {number}") for number in range(3)])
        self._send(store, self.whole, 5)
        self._send(store, self.few, 2)
        self._send(store, self.kept, 3, invited=True)
        self._send(store, self.gone, 3)
        store.withdraw(self.gone.id, DAY)
        store.publish_counts("2030-01-16")
        for task in (self.whole, self.few, self.kept):
            store.release(task.id, CLOSES)
            if content := batch_bytes(store, task):
                self._note("served", task.id, content.hex())
        batch = store.find_batch(self.whole.id)
        store.acknowledge(self.whole.id, batch.sha256 or "")  # type: ignore[union-attr]
        store.expire(self.kept.id, "2030-02-19")
        store.erase_deleted()

    def check(self, store: MixerStore) -> None:
        """Check after the end that what was taken was served once, or deleted in a way that is told."""
        batches = {task.id: store.find_batch(task.id) for task in (self.whole, self.few, self.kept)}
        told = [(batch.state.value, batch.acknowledged) for batch in batches.values() if batch is not None]
        assert told == [("done", True), ("too few", False), ("done", False)]
        assert store.find_deletion(self.gone.id) is not None
        notes = [line.split() for line in self._notes.read_text().splitlines()]
        for task in (self.whole, self.kept):
            served = {content for kind, name, content in notes if (kind, name) == ("served", task.id)}
            assert len(served) == 1, "a set that changes"
            entries = entries_of(task, bytes.fromhex(served.pop()))
            taken = {int(number) for kind, name, number in notes if (kind, name) == ("taken", task.id)}
            assert sorted(entries) == sorted(sealed(task, number) for number in taken), "lost, or twice"
        assert add(store, self.whole, 9) == add(store, self.few, 9) == [ReportOutcome.TASK_CLOSED]
        assert add(store, self.gone, 9) == [ReportOutcome.TASK_GONE]


def live_until(url: str, life: MixerLife, moment: int) -> None:
    """Live a mixer's life until a step of a transaction."""
    transactions.MAX_PAGE_ENTRIES = 2
    with opened(url) as store:
        kill_at(moment)
        life.live(store)


def serve_until(settings: MixerSettings, log: str, *, moment: int) -> None:
    """Serve a mixer until a step of a transaction that a request needs."""
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.environ["PCKV_ADMIN_TOKEN"] = TOKEN
    transactions.MAX_PAGE_ENTRIES = 3

    def create(*given: Any) -> Any:
        app = create_mixer(*given)
        app.state.service.maintains = False
        kill_at(moment)
        return app

    serve(settings, create, opening=open_mixer_store)


def fetch_until(url: str, folder: Path, day: str, seconds: int, moment: int) -> None:
    """Fetch what is due of a collector's batches until a step of a transaction, or of a file."""
    batches.ENTRIES_AT_ONCE = 4
    store = open_store(url)
    step, write = kill_at(moment), batches._write

    def torn(handle: int, content: bytes) -> None:
        step()
        write(handle, content[: len(content) // 2])
        step()
        write(handle, content[len(content) // 2 :])
        step()

    def deleting(keys: MixerKeys, name: str) -> None:
        step()
        delete(keys, name)
        step()

    delete = MixerKeys._delete
    batches._write = torn
    MixerKeys._delete = deleting  # type: ignore[method-assign, assignment]
    BatchFetcher(store, MixerKeys(str(folder)), lambda: day, lambda: float(seconds)).fetch_due()
    store.close()
