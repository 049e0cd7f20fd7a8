"""Mixers in processes that are killed, on a clock that tests set, and what their answers may be."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import random
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pckv.base.days import days_after, days_between, utc_day
from pckv.collector.ingest.report_writer import ReportWriter
from pckv.collector.server import serve
from pckv.contract.mixer import KEPT_DAYS, entry_bytes
from pckv.mixing import transactions, upkeep
from pckv.mixing.app import create_mixer
from pckv.mixing.open_store import open_mixer_store
from pckv.mixing.settings import MixerSettings
from pckv.mixing.store import MixerStore
from pckv.store.base import ReportOutcome, Upload
from support.crash_collectors import ANSWER_SECONDS, TOKEN, CollectorProcess, connect
from support.mixers import DAY, OPERATOR, ORIGIN, SECONDS_PER_DAY, Clock, entries_of, mixed_task, sealed

# More entries than on one page, so that a batch has several.
PAGE_ENTRIES = 4
SENDERS, READERS = 2, 1
LOST = (OSError, http.client.HTTPException, ValueError)


class SharedClock(Clock):
    """A clock that processes read from a file: what it shows, and seconds on one that nothing sets."""

    def __init__(self, file: Path, day: str = DAY) -> None:
        super().__init__(day)
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT)
        # True time, from which what is shown may differ for less than an hour.
        self.truth = self.seconds
        # The latest day, true and shown: an answer may be read after the clock was set back.
        self.latest_day = self.latest_shown_day = self.day
        self.write()

    def write(self) -> None:
        self.latest_day = max(self.latest_day, self.day)
        self.latest_shown_day = max(self.latest_shown_day, utc_day(self.seconds))
        os.pwrite(self._handle, struct.pack("<dd", self.seconds, self.elapsed), 0)

    def pass_time(self, seconds: float) -> None:
        # Processes see what is true already.
        self.truth += seconds
        super().pass_time(seconds)
        self.write()

    def jump_days(self, days: float) -> None:
        super().jump_days(days)
        self.write()

    @property
    def day(self) -> str:
        return utc_day(self.truth)

    def close(self) -> None:
        os.close(self._handle)


def serve_mixer(settings: MixerSettings, log: str) -> None:
    """Serve by the clock in the file beside the log, with maintenance without pauses and small pages."""
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.environ["PCKV_ADMIN_TOKEN"] = TOKEN
    upkeep.SECONDS_BETWEEN_RELEASES = 0.002
    transactions.MAX_PAGE_ENTRIES = PAGE_ENTRIES
    handle = os.open(Path(log).with_name("clock"), os.O_RDONLY)

    def shown(place: int) -> float:
        return float(struct.unpack("<dd", os.pread(handle, 16, 0))[place])

    def create(store: Any, chosen: Any, worker: Any) -> Any:
        return create_mixer(store, chosen, worker, lambda: shown(0), lambda: shown(1))

    serve(settings, create, opening=open_mixer_store)


def serve_before_commit(settings: MixerSettings, log: str) -> None:
    """Serve with a planted fault: uploads are answered before they are on disk."""
    add, tasks = ReportWriter.add, set()

    async def adding(self: ReportWriter, upload: Upload) -> list[ReportOutcome]:
        tasks.add(asyncio.create_task(add(self, upload)))
        return [ReportOutcome.STORED]

    ReportWriter.add = adding  # type: ignore[method-assign]
    serve_mixer(settings, log)


def serve_releasing_in_parts(settings: MixerSettings, log: str) -> None:
    """Serve with a planted fault: a release has two transactions, and reports are in neither table between them."""
    release = transactions.release

    def take(tx: Any, task_id: str, day: str) -> list[Any]:
        batch = transactions.find_batch(tx, task_id)
        if batch is None or batch.state != "collecting" or day < batch.closes:
            return []
        number = tx.rows("SELECT number FROM tasks WHERE id = $1", task_id)[0][0]
        rows: list[Any] = tx.rows("SELECT task, id, body FROM reports WHERE task = $1", number)
        tx.change("DELETE FROM reports WHERE task = $1", number)
        return rows

    def put(tx: Any, rows: list[Any], task_id: str, day: str) -> Any:
        for row in rows:
            tx.change("INSERT INTO reports (task, id, body) VALUES ($1, $2, $3)", *row)
        return release(tx, task_id, day)

    def releasing(self: MixerStore, task_id: str, day: str) -> Any:
        rows = self._write(take, task_id, day)
        time.sleep(0.01 if rows else 0)
        return self._write(put, rows, task_id, day)

    MixerStore.release = releasing  # type: ignore[assignment]
    serve_mixer(settings, log)


Serve = Callable[[MixerSettings, str], None]


class MixerProcess(CollectorProcess):
    """A mixer in a forked process."""

    def __init__(self, store: str, log: Path, how: Serve = serve_mixer) -> None:
        super().__init__(store, log, how, MixerSettings(store=store, port=0, origin=ORIGIN, operator=OPERATOR))


class Promises:
    """A task at a mixer that is killed: what was sent and acknowledged, and all that was ever served of it."""

    def __init__(self, clock: SharedClock, batch: int, days: int) -> None:
        self.clock, self.batch = clock, batch
        self.task = mixed_task(batch, opens=None, closes=days_after(clock.day, days))
        self.closes = str(self.task.closes)
        self.token = ""
        self.sent: set[int] = set()
        self.taken: set[int] = set()
        self.states = ["collecting"]
        self.told: dict[str, Any] | None = None
        self.pages: dict[int, bytes] = {}
        self.acknowledging = False

    @property
    def is_over(self) -> bool:
        return self.states[-1] in {"too few", "done"}

    def see(self, told: dict[str, Any]) -> None:
        """Check an answer about the batch."""
        state = told["state"]
        if state != self.states[-1]:
            self.states.append(state)
        assert self.states[1:] in ([], ["released"], ["too few"], ["released", "done"], ["done"]), self.states
        if state == "collecting":
            return
        assert self.clock.latest_day >= self.closes, "before the closing day"
        if state == "released":
            assert told["count"] >= self.batch, "too small"
            assert self.told in (None, told), "another batch"
            self.told = told
        if state == "done" and not self.acknowledging:
            # A mixer keeps a batch by the days that its clock shows.
            kept = days_between(self.closes, self.clock.latest_shown_day)
            assert kept >= KEPT_DAYS, "deleted without an acknowledgement"

    def see_page(self, number: int, content: bytes) -> None:
        """Check a page that was served."""
        assert self.told is not None, "a page of a batch that is not released"
        assert self.pages.setdefault(number, content) == content, "a set that changes"

    @property
    def content(self) -> bytes | None:
        """The whole batch, once all of its pages were served."""
        if self.told is None or sum(map(len, self.pages.values())) < self.told["count"] * self.told["entry_bytes"]:
            return None
        return b"".join(self.pages[number] for number in sorted(self.pages))

    def check(self) -> None:
        """Check what was served in all, while nothing is being sent."""
        if self.states[-1] == "too few":
            assert len(self.taken) < self.batch, "acknowledged reports were deleted as too few"
        if self.content is None:
            return
        entries = entries_of(self.task, self.content)
        assert len(entries) == len(set(entries)) == self.told["count"]  # type: ignore[index]
        missing = {sealed(self.task, number) for number in self.taken} - set(entries)
        assert not missing, f"{len(missing)} acknowledged reports are missing"
        assert set(entries) <= {sealed(self.task, number) for number in self.sent}, "entries that were not sent"


class Requests:
    """Threads that send sealed reports and fetch batches at the same time, until the mixer is killed."""

    def __init__(self, tasks: Sequence[Promises], seed: int) -> None:
        self._tasks, self._seed = [one for one in tasks if one.token], seed
        self._stopping = threading.Event()
        self.answered = 0
        self.wrong: list[Exception] = []

    def wait_for(self, more: int) -> None:
        """Wait until this many more requests are answered."""
        goal, deadline = self.answered + more, time.monotonic() + ANSWER_SECONDS
        while self.answered < goal and not self.wrong:
            assert time.monotonic() < deadline, "no answers"
            time.sleep(0.001)

    @contextmanager
    def running(self, port: int) -> Iterator[None]:
        works = [self._send] * SENDERS + [self._fetch] * READERS
        threads = [
            threading.Thread(target=self._repeat, args=(work, port, random.Random(f"{self._seed} {number}")))
            for number, work in enumerate(works)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stopping.set()
            for thread in threads:
                thread.join(ANSWER_SECONDS)
            if self.wrong:
                raise self.wrong[0]

    def _repeat(self, work: Callable[..., None], port: int, chance: random.Random) -> None:
        connection = connect(port)
        try:
            while not self._stopping.is_set():
                work(connection, chance.choice(self._tasks), chance)
                self.answered += 1
        except LOST:
            pass
        except Exception as error:  # noqa: BLE001 - told by the thread of the test
            self.wrong.append(error)
        finally:
            connection.close()

    def _send(self, connection: http.client.HTTPConnection, one: Promises, chance: random.Random) -> None:
        # Some are copies; a task holds 4 batches at most, and some get too few.
        number = chance.randrange(2 * one.batch)
        one.sent.add(number)
        content = sealed(one.task, number)
        status, _ = ask(connection, "POST", f"/tasks/{one.task.id}/sealed", content, "application/octet-stream")
        if status == 200:
            one.taken.add(number)
        else:
            assert status == 403, status
            time.sleep(0.001)

    def _fetch(self, connection: http.client.HTTPConnection, one: Promises, chance: random.Random) -> None:
        path = f"/tasks/{one.task.id}/batch"
        status, content = ask(connection, "GET", path, token=one.token)
        assert status == 200, content
        one.see(json.loads(content))
        if one.states[-1] != "released":
            time.sleep(0.001)
            return
        for number in range(-(-one.told["count"] // PAGE_ENTRIES)):  # type: ignore[index]
            status, content = ask(connection, "GET", f"{path}/{number}", token=one.token)
            if b"the batch is in state 'done'" in content:
                # Deleted since it was asked about; the next answer must say so, too.
                return
            assert status == 200, content
            assert len(content) % entry_bytes(one.task) == 0
            one.see_page(number, content)
        one.check()
        if chance.random() < 0.2:
            one.acknowledging = True
            body = json.dumps({"sha256": one.told["sha256"]}).encode()  # type: ignore[index]
            assert ask(connection, "POST", f"{path}/acknowledge", body, token=one.token)[0] == 200


def ask(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes = b"",
    media: str = "application/json",
    token: str = TOKEN,
) -> tuple[int, bytes]:
    connection.request(method, path, body, {"Content-Type": media, "Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    return answer.status, answer.read()


class KilledMixers:
    """One store, and mixers that are killed one after the other while they take, release and hand over."""

    def __init__(self, url: str, folder: Path, how: Serve = serve_mixer) -> None:
        self._url, self._folder, self._how = url, folder, how
        self.clock = SharedClock(folder / "clock")
        self.tasks: list[Promises] = []
        self._chance = random.Random(11)
        self.released = self.too_few = 0

    def run(self, kills: int) -> None:
        """Kill as many mixers, leave one alone, and check that it has ended all batches as it must."""
        try:
            for number in range(kills):
                self._live(number)
            self._end()
        finally:
            self.clock.close()

    def _live(self, number: int) -> None:
        mixer = MixerProcess(self._url, self._folder / "log", self._how)
        try:
            if number % 10 == 9:
                # Some are killed before they serve.
                time.sleep(self._chance.random() * 0.05)
                return
            port = mixer.wait()
            self._accept(port)
            requests = Requests(self.tasks, number)
            with requests.running(port):
                for _ in range(self._chance.randrange(1, 6)):
                    requests.wait_for(self._chance.randrange(15))
                    self._turn_clock()
                time.sleep(self._chance.random() * 0.01)
                mixer.kill()
        finally:
            mixer.kill()
        for one in self.tasks:
            one.check()
        over = [one for one in self.tasks if one.is_over]
        self.tasks = [one for one in self.tasks if not one.is_over]
        self._count(over)

    def _count(self, over: Sequence[Promises]) -> None:
        for one in over:
            self.released += "released" in one.states
            self.too_few += "too few" in one.states

    def _accept(self, port: int) -> None:
        """Have a task that collects, and tokens for all; a lost answer is asked for again."""
        if not any(one.closes > self.clock.day for one in self.tasks):
            self.tasks.append(Promises(self.clock, self._chance.choice((3, 10, 40)), self._chance.randint(1, 2)))
        for one in self.tasks:
            if not one.token:
                connection = connect(port)
                text = one.task.to_json().encode()
                status, answer = ask(connection, "POST", "/tasks?new_recipient=true", text)
                assert status == 201, answer
                one.token = json.loads(answer)["token"]
                connection.close()

    def _turn_clock(self) -> None:
        """Let time pass, or the clock jump and be set right within the hour."""
        if self._chance.random() < 0.3:
            days = self._chance.choice((-400, -1, 1, 5, 400))
            self.clock.jump_days(days)
            time.sleep(0.005)
            self.clock.pass_time(self._chance.choice((0, 3500)))
            time.sleep(0.005)
            self.clock.jump_days(-days)
        else:
            self.clock.pass_time(self._chance.choice((3700, SECONDS_PER_DAY / 4, SECONDS_PER_DAY)))

    def _end(self) -> None:
        mixer = MixerProcess(self._url, self._folder / "log")
        try:
            port = mixer.wait()
            with suppress(*LOST), Requests(self.tasks, -1).running(port):
                deadline = time.monotonic() + ANSWER_SECONDS
                while not all(one.is_over for one in self.tasks if one.token):
                    assert time.monotonic() < deadline, [one.states for one in self.tasks]
                    self.clock.pass_time(SECONDS_PER_DAY / 4)
                    time.sleep(0.01)
        finally:
            mixer.kill()
        for one in self.tasks:
            one.check()
        self._count(self.tasks)
