"""Collectors that are killed, stopped, out of space or two at once, and clients that die: nothing is lost or doubled."""

from __future__ import annotations

import itertools
import json
import random
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from pckv import Task
from pckv.base.days import utc_today
from pckv.base.wire import Report
from pckv.client import Client, RetryPolicy, Status
from pckv.client.folder import StateFolder
from pckv.client.outbox import Outbox
from pckv.store.checks import check_store
from pckv.store.sqlite import SqliteStore
from pckv.store.store import Store
from support.crash_collectors import (
    ARROW,
    JSON,
    TASK,
    CollectorProcess,
    HttpReply,
    Serve,
    as_arrow,
    as_json,
    ask,
    collector,
    collector_in_thread,
    connect,
    serve_before_commit,
    serve_logging,
    serve_spending_later,
)
from support.crash_senders import (
    BY_COIN,
    INVITED,
    AcknowledgedReportMissing,
    InvitationOutOfStep,
    InvitedUploads,
    Senders,
    SentUpload,
    open_uploads,
)
from support.parts import SUPPORT
from support.stores import opened, postgres_server, postgres_url, report, stored_reports, tally, total

OK = HttpReply(200, {"refused": []})
PATH = f"/tasks/{TASK.id}/reports"
CHILDREN = SUPPORT / "client_children.py"
MOVIES = ["alien", "heat", "brazil"]
# Each planted fault must be caught within the kills of a default run.
KILLS, SLOW_KILLS = 20, 1000


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A SQLite store with a task."""
    address = f"sqlite:///{tmp_path}/pckv.db"
    with opened(address) as store:
        store.add_task(TASK, utc_today())
    return address


def kill_again_and_again(
    store: Store, url: str, folder: Path, senders: Senders, kills: int, how: Serve = serve_logging
) -> None:
    """Kill collectors under load; after every restart all acknowledged reports must be stored."""
    chance = random.Random(9)
    for number in range(kills):
        serving = CollectorProcess(url, folder / "log", how)
        try:
            if number % 10 == 9:
                # Some are killed before they serve.
                time.sleep(chance.random() * 0.05)
                continue
            port = serving.wait()
            senders.check(store)
            with senders.sending(port):
                senders.wait_for(chance.randrange(20))
                time.sleep(chance.random() * 0.01)
                serving.kill()
        finally:
            serving.kill()


def uneven_senders(store: Store, invitations: int) -> Senders:
    """Return senders for a task that every participant may report to, one by invitation, and one with coins."""
    sizes = random.Random(8)
    invited = (InvitedUploads(store, task, invitations) for task in (INVITED, BY_COIN))
    return Senders(4, open_uploads(lambda: sizes.choice((1, 1, 5, 20))), *map(iter, invited))


def test_killed_collectors_keep_every_acknowledged_report(
    url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    kills = SLOW_KILLS if request.config.getoption("--slow") else KILLS
    with opened(url) as store:
        senders = uneven_senders(store, 40 * kills)
        kill_again_and_again(store, url, tmp_path, senders, kills)
        assert not senders.unexpected
        with collector(url, tmp_path / "log") as serving:
            senders.finish(serving.wait())
            senders.check(store)
        assert sorted(upload.body for upload in senders.acknowledged) == sorted(upload.body for upload in senders.sent)
        assert check_store(store) == []


@pytest.mark.parametrize(
    ("fault", "caught"),
    [(serve_before_commit, AcknowledgedReportMissing), (serve_spending_later, InvitationOutOfStep)],
)
def test_kills_catch_planted_faults(url: str, tmp_path: Path, fault: Serve, caught: type[AssertionError]) -> None:
    with opened(url) as store, pytest.raises(caught):
        kill_again_and_again(store, url, tmp_path, uneven_senders(store, 40 * KILLS), KILLS, fault)


class UnfinishedRequest:
    """A request whose headers the collector has read, and whose body it waits for."""

    def __init__(self, port: int, upload: SentUpload) -> None:
        self.upload, self._body = upload, upload.body
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        head = (
            f"POST {PATH} HTTP/1.1\r\nHost: collector\r\nContent-Type: {JSON}\r\n"
            f"Content-Length: {len(self._body)}\r\nExpect: 100-continue\r\n\r\n"
        )
        self._socket.sendall(head.encode())
        self._file = self._socket.makefile("rb")
        assert b" 100 " in self._file.readline()
        assert self._file.readline() == b"\r\n"

    def end(self) -> bytes:
        """Send the body; return the first line of the answer."""
        with self._socket, self._file:
            self._socket.sendall(self._body)
            return self._file.readline()


def test_a_stopping_collector_answers_requests_in_progress(url: str, tmp_path: Path) -> None:
    senders = Senders(4, open_uploads(lambda: 3))
    with opened(url) as store, collector(url, tmp_path / "log") as serving:
        port = serving.wait()
        with senders.sending(port):
            requests = [UnfinishedRequest(port, senders.next_upload()) for _ in range(16)]
            serving.terminate()
            # New connections are refused, and requests in progress are still answered.
            while _accepts(port):
                time.sleep(0.005)
            answers = [request.end() for request in requests]
        assert answers == [b"HTTP/1.1 200 OK\r\n"] * len(requests)
        assert serving.exit_code() == 0
        assert serving.events[-1] == {"event": "stopped"}
        assert not senders.unexpected
        senders.acknowledged += [request.upload for request in requests]
        senders.check(store)
        assert check_store(store) == []


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


def test_an_idle_collector_stops_at_once(url: str, tmp_path: Path) -> None:
    with collector(url, tmp_path / "log") as serving:
        connection = connect(serving.wait())
        assert ask(connection, "GET", "/readyz").status == 200
        serving.terminate()
        assert serving.exit_code() == 0
        connection.close()


def test_a_full_disk_is_an_overload_that_passes(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path}/pckv.db") as store, collector_in_thread(store) as port:
        assert isinstance(store, SqliteStore)
        store.add_task(TASK, utc_today())
        connection = connect(port)
        first = [report(number, task=TASK) for number in range(10)]
        assert ask(connection, "POST", PATH, as_json(first)) == OK
        more = [report(number, task=TASK) for number in range(10, 5000)]

        limit_pages(store, 0)
        full = ask(connection, "POST", PATH, as_json(more))
        assert (full.status, full.body["type"]) == (503, "urn:pckv:problem:overloaded")
        # Nothing of it was written, and readers are not affected.
        assert sorted(stored_reports(store, TASK)) == sorted(first)
        assert ask(connection, "GET", "/readyz").status == 200
        assert ask(connection, "POST", PATH, as_json(more)).status == 503

        limit_pages(store, 10_000)
        assert ask(connection, "POST", PATH, as_json(more)) == OK
        connection.close()
        assert total(store, TASK) == tally(first + more, TASK)
        assert check_store(store) == []


def limit_pages(store: SqliteStore, more: int) -> None:
    """Let the database grow by at most `more` pages."""
    with store._writing:
        assert store._writer is not None
        pages = int(str(store._writer.execute("PRAGMA page_count").get))
        store._writer.execute(f"PRAGMA max_page_count = {pages + more}").fetchall()


def test_two_collectors_share_a_database(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Any two uploads have about five reports in common; with `--slow` there are more uploads, and larger ones."""
    slow, connections = request.config.getoption("--slow"), 8
    distinct, batch = (100_000, 1000) if slow else (36_000, 600)
    chance = random.Random(10)
    reports = [report(number, task=TASK) for number in range(distinct)]
    # Three sends in ten are replays: before, after or at the same time as the first, at either collector.
    sends = reports + chance.choices(reports, k=distinct * 3 // 7)
    chance.shuffle(sends)
    uploads = [
        list(dict.fromkeys(upload))
        for upload in (sends[start : start + batch] for start in range(0, len(sends), batch))
    ]
    address = postgres_url()
    with opened(address) as store:
        store.add_task(TASK, utc_today())
        before = deadlocks()
        with (
            collector(address, tmp_path / "one") as one,
            collector(address, tmp_path / "two") as two,
            ThreadPoolExecutor(connections) as pool,
        ):
            ports = itertools.cycle((one.wait(), two.wait()))

            def send(share: list[list[Report]], port: int) -> list[HttpReply]:
                connection = connect(port)
                # Most are batches as gateways send them, some are plain uploads.
                replies = [
                    ask(connection, "POST", PATH, as_json(upload), JSON)
                    if index % 8 == 7
                    else ask(connection, "POST", PATH, as_arrow(upload), ARROW)
                    for index, upload in enumerate(share)
                ]
                connection.close()
                return replies

            shares = [uploads[start::connections] for start in range(connections)]
            for replies in pool.map(send, shares, ports):
                assert replies == [OK] * len(replies)
        assert deadlocks() == before
        assert total(store, TASK) == tally(reports, TASK)
        assert sorted(stored_reports(store, TASK)) == sorted(reports)
        assert check_store(store) == []


def deadlocks() -> int:
    """Return how often the server had to break a deadlock."""
    sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    with psycopg.connect(postgres_server()) as connection:
        row = connection.execute(sql).fetchone()
    assert row is not None
    return int(row[0])


def movies(name: str) -> Task:
    return Task(name=name, keys=MOVIES, values=(1, 5), epsilon=1, mechanism="ue-compact")


def test_killed_clients_leave_one_report(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/pckv.db"
    tasks = [movies(f"killed {number}") for number in range(40)]
    file = tmp_path / "tasks"
    file.write_text("".join(task.to_json() + "\n" for task in tasks), encoding="utf-8")
    with opened(address) as store, collector(address, tmp_path / "log") as serving:
        for task in tasks:
            store.add_task(task, utc_today())
        command = [sys.executable, str(CHILDREN), "kill", f"http://127.0.0.1:{serving.wait()}"]
        printed = subprocess.run(
            [*command, str(tmp_path / "states"), str(file), "250"],
            stdout=subprocess.PIPE,
            text=True,
            timeout=100,
            check=True,
        ).stdout
        rounds = [json.loads(line) for line in printed.splitlines()]
        assert len(rounds) > 10
        for task, line in zip(tasks, rounds, strict=False):
            assert line["sound"]
            stored = Outbox(StateFolder(tmp_path / "states" / task.name)).find(task.id)
            assert stored is not None
            assert stored_reports(store, task) == [stored.report]
            assert total(store, task).reports == 1
        assert check_store(store) == []


def test_many_participants_are_all_counted(tmp_path: Path) -> None:
    participants, threads = 200, 8
    address, task = f"sqlite:///{tmp_path}/pckv.db", movies("many")
    with opened(address) as store, collector(address, tmp_path / "log") as serving:
        store.add_task(task, utc_today())
        collector_url = f"http://127.0.0.1:{serving.wait()}"

        def take_part(number: int) -> Report:
            client = Client(collector_url, tmp_path / "states" / str(number), retry_policy=RetryPolicy(seconds=60))
            receipt = client.submit(task.id, {MOVIES[number % 3]: 1.0 + number % 5})
            assert receipt.status is Status.SENT
            stored = Outbox(StateFolder(tmp_path / "states" / str(number))).find(task.id)
            assert stored is not None
            assert isinstance(stored.report, Report)
            return stored.report

        with ThreadPoolExecutor(threads) as pool:
            reports = list(pool.map(take_part, range(participants)))
        assert sorted(stored_reports(store, task)) == sorted(reports)
        assert total(store, task) == tally(reports, task)
        assert check_store(store) == []
