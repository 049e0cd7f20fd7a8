"""Several processes on one socket: what they take is one collection, and a dead one is replaced."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from pckv import Task
from pckv.base.errors import ParameterError
from pckv.base.wire import Report
from pckv.collector import workers
from pckv.collector.http.metrics import Metrics
from pckv.collector.http.settings import Settings
from pckv.collector.server import listen
from pckv.collector.workers import MAX_PAUSE_SECONDS, Supervisor, accepting_sockets, check_workers, pause_before_start
from support.collectors import as_items, bearer, new_task, some_reports, wait_until
from support.pid_worker import answer_with_pid
from support.serving import ServeProcess, refusal, serving
from support.stores import opened, store_url, stored_reports, tally, total

# How often a worker is killed while another one answers: usually, and with `--slow`.
RESTARTS, SLOW_RESTARTS = 10, 50
TOKEN = "the administrator's token of a collector with workers"  # noqa: S105


def test_sqlite_takes_one_worker(tmp_path: Path) -> None:
    line = refusal(tmp_path, "--workers", "2", admin_token=TOKEN)
    assert line == "pckv: several workers need a store in PostgreSQL: SQLite has one writing process\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", [0, 65])
def test_there_is_at_least_one_worker_and_not_very_many(workers: int) -> None:
    with pytest.raises(ParameterError, match=f"there are 1 to 64 workers, not {workers}"):
        check_workers(Settings(store="postgresql://db", workers=workers))


def test_a_worker_that_dies_again_and_again_is_started_ever_later() -> None:
    pauses = [pause_before_start(deaths) for deaths in range(1, 12)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[1], pauses[-1]) == (0.5, 1.0, MAX_PAUSE_SECONDS)


def test_any_process_shows_the_sums_of_all() -> None:
    cells = [[0.0] * len(Metrics()._own) for _ in range(2)]
    first, second = Metrics(cells, 0), Metrics(cells, 1)
    first.count_accepted(3)
    second.count_accepted(4)
    second.count_refused("conflict")
    second.set_queue(5)
    first.observe_commit(0.002)
    second.observe_commit(60)
    # Both look at the same tasks.
    first.set_alarms(2)
    second.set_alarms(2)
    assert first.page() == second.page()
    page = first.page().decode()
    for line in (
        "pckv_reports_accepted_total 7.0",
        'pckv_reports_refused_total{reason="conflict"} 1.0',
        "pckv_queue_reports 5.0",
        "pckv_task_alarms 2.0",
        'pckv_commit_seconds_bucket{le="0.001"} 0.0',
        'pckv_commit_seconds_bucket{le="0.0025"} 1.0',
        'pckv_commit_seconds_bucket{le="+Inf"} 2.0',
        "pckv_commit_seconds_count 2.0",
        "pckv_commit_seconds_sum 60.002",
    ):
        assert f"\n{line}\n" in f"\n{page}"
    # A worker that takes a dead one's place goes on with its counts, but not with its queue.
    Metrics(cells, 1)
    assert b"pckv_reports_accepted_total 7.0" in first.page()
    assert b"pckv_queue_reports 0.0" in first.page()


def worker_pids(collector: ServeProcess) -> list[int]:
    """Return the process of each worker, as the log names them."""
    lines = [json.loads(line) for line in collector.errors.read_text().splitlines()]
    started = {line["worker"]: line["pid"] for line in lines if line["event"] == "worker_started"}
    return [started[worker] for worker in sorted(started)]


def events(collector: ServeProcess, name: str) -> int:
    return collector.errors.read_text().count(f'"event": "{name}"')


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Keep a worker from accepting connections while the context lasts."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def accepted(collector: ServeProcess) -> float:
    page = collector.ask("GET", "/metrics", headers=bearer(TOKEN)).decode()
    return float(next(line for line in page.splitlines() if line.startswith("pckv_reports_accepted_total")).split()[1])


def upload(collector: ServeProcess, task: Task, *reports: Report) -> None:
    body = json.dumps({"reports": as_items(*reports)}).encode()
    assert json.loads(collector.ask("POST", f"/tasks/{task.id}/reports", body)) == {"refused": []}


def upload_until_acknowledged(collector: ServeProcess, task: Task, report: Report) -> None:
    """Send a report as clients do: again, the same bytes, if there is no answer."""
    while True:
        try:
            upload(collector, task, report)
        except (TimeoutError, http.client.HTTPException, OSError):
            continue
        return


def test_two_workers_are_one_collector_and_one_may_be_killed(tmp_path: Path) -> None:
    url, task = store_url("postgres", tmp_path), new_task()
    reports = some_reports(range(225), task)
    with serving(tmp_path, "--workers", "2", store=url, admin_token=TOKEN) as collector:
        wait_until(lambda: events(collector, "ready") == 2)
        collector.ask("POST", "/tasks", task.to_json().encode(), headers=bearer(TOKEN))
        first, second = worker_pids(collector)
        with stopped(second):
            upload(collector, task, *reports[:10])
        with stopped(first):
            upload(collector, task, *reports[10:25])
            assert accepted(collector) == 25
        with stopped(second):
            assert accepted(collector) == 25
        halfway = threading.Semaphore(0)

        def send(report: Report) -> None:
            upload_until_acknowledged(collector, task, report)
            halfway.release()

        with ThreadPoolExecutor(16) as threads:
            sending = [threads.submit(send, report) for report in reports[25:]]
            for _ in range(50):
                halfway.acquire()
            os.kill(second, signal.SIGKILL)
            for sent in sending:
                sent.result()
        # Everything was acknowledged, so everything is there, once; what the dead worker counted still counts.
        wait_until(lambda: events(collector, "ready") == 3)
        assert events(collector, "worker_died") == 1
        with stopped(first):
            assert accepted(collector) >= 200
        with opened(url) as store:
            assert sorted(stored_reports(store, task)) == sorted(reports)
            assert bytes(total(store, task)) == bytes(tally(reports, task))
    assert events(collector, "stopped") == 3


class WatchedSocket(socket.socket):
    """A socket that notes, after each duplicate of it, whether accepting blocks."""

    blocks: list[bool]

    def dup(self) -> WatchedSocket:
        duplicate = super().dup()
        self.blocks.append(os.get_blocking(self.fileno()))
        return duplicate


def test_a_starting_worker_never_makes_others_wait_to_accept() -> None:
    """The operating system keeps one flag for all duplicates, and a duplicate of a blocking socket cleared it."""
    with listen("127.0.0.1", 0) as listening:
        os.set_blocking(listening.fileno(), False)
        # As a worker gets it.
        with WatchedSocket(fileno=os.dup(listening.fileno())) as received:
            assert received.gettimeout() is None
            received.blocks = []
            received.dup().close()
            os.set_blocking(listening.fileno(), False)
            for duplicate in accepting_sockets(received)[1:]:
                duplicate.close()
            faulty, *seen = received.blocks
    assert faulty
    assert seen
    assert not any(seen)


def test_workers_answer_while_others_are_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """A worker waited to accept a connection, and answered none meanwhile, in most starts of another one."""
    monkeypatch.setattr(workers, "pause_before_start", lambda _: 0.0)
    restarts = SLOW_RESTARTS if request.config.getoption("--slow") else RESTARTS
    killed: list[int] = []
    ready = tmp_path / "ready"
    with listen("127.0.0.1", 0) as listening:
        address = listening.getsockname()

        def ask(line: socket.socket) -> int:
            line.sendall(b"\n")
            return int(line.recv(20))

        def connect_to_other(pid: int) -> tuple[socket.socket, int]:
            while True:
                line = socket.create_connection(address, timeout=60)
                if (found := ask(line)) != pid:
                    return line, found
                line.close()

        def kill_again_and_again() -> None:
            try:
                first, pid = connect_to_other(0)
                for restart in range(restarts):
                    second, other = connect_to_other(pid)
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    first.close()
                    while len(ready.read_text().splitlines()) < restart + 3:
                        # A worker that accepted this one and waits for another does not answer.
                        with socket.create_connection(address, timeout=60) as line:
                            ask(line)
                        assert ask(second) == other
                    first, pid = second, other
                first.close()
            finally:
                os.kill(os.getpid(), signal.SIGTERM)

        with ThreadPoolExecutor(1) as threads:
            killing = threads.submit(kill_again_and_again)
            Supervisor(Settings(workers=2, store=str(ready)), listening, answer_with_pid).run(60)
            killing.result()
    assert len(killed) == restarts
