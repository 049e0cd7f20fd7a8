"""Threads that send reports to collectors that are killed, and what must be stored then."""

from __future__ import annotations

import http.client
import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from pckv import Task
from pckv.base.days import utc_today
from pckv.base.wire import Report
from pckv.collector.http.auth import token_hash
from pckv.contract.coins import coin_choice
from pckv.store.sql.transactions import NO_COIN
from pckv.store.store import Store
from support.crash_collectors import ANSWER_SECONDS, TASK, HttpReply, as_json, ask, connect
from support.stores import report, stored_reports, tally, total
from support.tasks import a_task

INVITED = Task(name="invited", keys=2**16, values=(0, 1), epsilon=1, mechanism="grr")
BY_COIN = a_task(name="by coin", keys=50, mechanism="ue-compact", coin="server", size_share=0)


class AcknowledgedReportMissing(AssertionError):
    """A collector acknowledged a report that it does not have."""


class InvitationOutOfStep(AssertionError):
    """An invitation is spent without its report, or a report is stored without its invitation being spent."""


class SentUpload(NamedTuple):
    """The reports of one request, and the invitation of each if the task needs them."""

    task: Task
    reports: list[Report]
    invitations: list[str]

    @property
    def body(self) -> bytes:
        """Return the request's body, the same whenever it is sent again."""
        return as_json(self.reports, self.invitations)


def open_uploads(sizes: Callable[[], int]) -> Iterator[SentUpload]:
    """Yield uploads of as many new reports as `sizes` says, each with its own word."""
    numbers = itertools.count()
    while True:
        yield SentUpload(TASK, [report(next(numbers), task=TASK) for _ in range(sizes())], [])


class InvitedUploads:
    """New reports for a task by invitation; coins are handed out while collectors are killed."""

    def __init__(self, store: Store, task: Task, count: int) -> None:
        self._store, self._task = store, task
        self.texts = [f"{task.name} {number}" for number in range(count)]
        store.add_task(task, utc_today())
        store.add_invitations(task.id, [token_hash(text) for text in self.texts])
        self.coins: dict[bytes, bytes] = {}

    def __iter__(self) -> Iterator[SentUpload]:
        """Yield uploads of one to three reports; they end with the invitations."""
        sizes, texts = random.Random(7), iter(self.texts)
        while chosen := list(itertools.islice(texts, sizes.choice((1, 1, 3)))):
            yield SentUpload(self._task, [self._report(text) for text in chosen], chosen)

    def _report(self, text: str) -> Report:
        number = self.texts.index(text)
        if self._task.coin != "server":
            return report(number, task=self._task)
        coin = report(number, task=self._task).id
        # A lost answer: the same coin again, whatever is offered.
        issued = [self._store.issue_coin(self._task.id, token_hash(text), one) for one in (coin, bytes(15) + b"1")]
        assert issued == [coin, coin]
        self.coins[token_hash(text)] = coin
        assert self._task.word_limit is not None
        symbols = self._task.word_limit // (self._task.law.functions or 1)
        word = coin_choice(self._task, coin).function * symbols + number % symbols
        return Report(coin, word.to_bytes(8, "little"))


class Senders:
    """Threads that send new reports, and remember which of them were acknowledged."""

    def __init__(self, threads: int, *sources: Iterator[SentUpload]) -> None:
        self._threads = threads
        self._uploads: Iterator[SentUpload] = itertools.chain.from_iterable(zip(*sources, strict=False))
        self._lock = threading.Lock()
        self.sent: list[SentUpload] = []
        self.acknowledged: list[SentUpload] = []
        # What was not answered is sent again as it is.
        self._waiting: list[SentUpload] = []
        self.unexpected: list[HttpReply] = []

    @contextmanager
    def sending(self, port: int) -> Iterator[None]:
        """Send to a collector until it hangs up, or until the context ends."""
        stopping = threading.Event()
        running = [threading.Thread(target=self._send, args=(port, stopping)) for _ in range(self._threads)]
        for thread in running:
            thread.start()
        try:
            yield
        finally:
            stopping.set()
            for thread in running:
                thread.join(ANSWER_SECONDS)

    def wait_for(self, more: int) -> None:
        """Wait until this many more uploads are acknowledged."""
        goal, deadline = len(self.acknowledged) + more, time.monotonic() + ANSWER_SECONDS
        while len(self.acknowledged) < goal:
            assert time.monotonic() < deadline, "no answers"
            time.sleep(0.001)

    def _send(self, port: int, stopping: threading.Event) -> None:
        connection = connect(port)
        try:
            while not stopping.is_set():
                upload = self.next_upload()
                try:
                    reply = ask(connection, "POST", f"/tasks/{upload.task.id}/reports", upload.body)
                except (OSError, http.client.HTTPException, ValueError):
                    self._waiting.append(upload)
                    return
                if reply == (200, {"refused": []}):
                    self.acknowledged.append(upload)
                else:
                    self._waiting.append(upload)
                    self.unexpected.append(reply)
        finally:
            connection.close()

    def next_upload(self) -> SentUpload:
        """Return what to send next: what was not answered, or new reports."""
        with self._lock:
            if self._waiting:
                return self._waiting.pop()
            upload = next(self._uploads)
            self.sent.append(upload)
            return upload

    def finish(self, port: int) -> None:
        """Send what was not answered once more."""
        connection = connect(port)
        for upload in self._waiting:
            path = f"/tasks/{upload.task.id}/reports"
            assert ask(connection, "POST", path, upload.body) == (200, {"refused": []})
            self.acknowledged.append(upload)
        self._waiting.clear()
        connection.close()

    def check(self, store: Store) -> None:
        """Check that every acknowledged report is stored exactly once, and nothing that was not sent."""
        for task in {upload.task for upload in self.sent}:
            stored = stored_reports(store, task)
            assert len(stored) == len(set(stored))
            missing = reports_of(self.acknowledged, task) - set(stored)
            if missing:
                raise AcknowledgedReportMissing(f"{len(missing)} acknowledged reports are missing")
            assert set(stored) <= reports_of(self.sent, task)
            assert total(store, task) == tally(stored, task)
            self._check_invitations(store, task, set(stored))

    def _check_invitations(self, store: Store, task: Task, stored: set[Report]) -> None:
        """Check that exactly the invitations of stored reports are spent, and that the others keep their coins."""
        uploads = [upload for upload in self.sent if upload.task == task]
        pairs = [pair for upload in uploads for pair in zip(upload.reports, upload.invitations, strict=False)]
        sql = "SELECT hash, spent, coin FROM invitations JOIN tasks ON number = task WHERE id = $1"
        rows = store._read(lambda tx: tx.rows(sql, task.id))
        invitations = {token: (spent, coin) for token, spent, coin in rows}
        for sent, text in pairs:
            coin = sent.id if task.coin == "server" else NO_COIN
            if invitations.pop(token_hash(text)) != ((1, NO_COIN) if sent in stored else (0, coin)):
                raise InvitationOutOfStep(f"{text}: stored {sent in stored}")
        assert not any(spent for spent, _ in invitations.values())


def reports_of(uploads: list[SentUpload], task: Task) -> set[Report]:
    """Return the reports of a task."""
    return {report for upload in uploads if upload.task == task for report in upload.reports}
