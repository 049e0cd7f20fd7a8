"""A simulator in the manner of Janus: random operations on a real collector and a real store.

A sequence drives the ASGI application in this process. Faults are injected around `Store.add_reports`, and the
model beside this module watches from outside. A sequence is told by its seed, which every failure names.

It is a failure if
- an acknowledged report is missing from the counts, the estimates or the stored reports,
- a report is counted twice, under one body or under two,
- something is counted that nobody sent, or that was refused,
- a report is refused for another reason than it has, or a whole request for another than the task's state,
- an acknowledged report, sent again, is not acknowledged again while its task is open,
- what was counted once is no longer counted, or something comes up later without being sent again,
- a request is never answered, even in an orderly restart,
- after the faults stop, a retry does not succeed, or what was accepted is not in the estimates exactly once,
- `pckv store check` finds anything in the end.

It is not a failure if
- an upload is answered with 503 or 500 although its reports were stored: nobody was told that they were not,
- a sender who never got an answer is told `closed`, `deleted` or `not-open` later, stored or not,
- of two bodies under one id, neither of them acknowledged, either is the one that stays.

Not the same in every run of a seed: which of several requests at once share a transaction and in which order,
how far they are when the collector crashes or restarts, and what maintenance compacts meanwhile. The
steps themselves, their tasks, reports and faults are the same.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import json
from collections.abc import Callable, Iterable
from random import Random
from typing import cast

import numpy as np
import pyarrow.parquet as pq

from pckv import estimate
from pckv.canonical import base64url
from pckv.collector import maintenance
from pckv.collector.auth import token_hash
from pckv.store.base import Role, Store
from pckv.store.checks import check_store
from pckv.store.parts import merge_parts
from pckv.wire import Report
from support.simulation_collector import ANSWER_SECONDS, TOKEN, Fault, FaultyStore, Simulated
from support.simulation_model import (
    FIRST_DAY,
    LOST,
    OK,
    OVERLOADED,
    SERVER_FAILED,
    TASKS,
    Answer,
    Book,
    Broken,
    Item,
    Request,
    arrow_request,
    json_request,
    must,
    sound,
)

STEPS = 50
KEEP_DAYS = 1


class World:
    """A collector, its store, everybody who sends to it, and a clock."""

    def __init__(self, url: str, seed: str) -> None:
        self.random = Random(seed)
        self.day = FIRST_DAY
        self.books = {task.id: Book(task) for task in TASKS}
        self.requests: list[Request] = []
        self.history: list[str] = []
        self.collector = Simulated(url, self.today)

    async def run(self) -> None:
        """One sequence, then the end that must come out right."""
        await self.collector.start()
        self.store.set_token(Role.ADMINISTRATOR, token_hash(TOKEN))
        await self.make(self.books[TASKS[0].id])
        await self.make(self.books[TASKS[1].id])
        try:
            for name in self.random.choices(list(OPERATIONS), list(OPERATIONS.values()), k=STEPS):
                self.history.append(name)
                await getattr(self, name)()
            await self.finish()
        finally:
            await self.collector.stop()
            self.store.close()

    @property
    def store(self) -> FaultyStore:
        """The store that the collector uses now."""
        return self.collector.store

    def today(self) -> str:
        """The day that it is."""
        return self.day.isoformat()

    async def restart(self) -> None:
        """Stop in an orderly way, often with requests under way; each of them is answered."""
        flying = self._launch(self.random.choice((0, 1, 3)))
        await asyncio.sleep(self.random.random() * 0.003)
        await self.collector.stop()
        for request, new, door, task in flying:
            answer = await asyncio.wait_for(task, ANSWER_SECONDS)
            must(answer.status != SERVER_FAILED, "a restart is no fault of ours")
            self._book(request).hear(request, answer, new, door)
        self.store.close()
        await self.collector.start()

    async def crash(self) -> None:
        """All at once nothing runs any more."""
        flying = self._launch(self.random.choice((0, 1, 3)))
        await asyncio.sleep(self.random.random() * 0.003)
        # Whoever already has an answer was told: that counts.
        answers = [task.result() if task.done() else LOST for *_, task in flying]
        await self.collector.drop()
        for (request, new, door, _), answer in zip(flying, answers, strict=True):
            self._book(request).hear(request, answer, new, door)
        self.store.close()
        await self.collector.start()

    def _launch(self, count: int) -> list[tuple[Request, list[Report], str | None, asyncio.Task[Answer]]]:
        flying = []
        for _ in range(count):
            request = self.make_request(book := self.choose_book())
            new, door = book.send(request), book.door(self.today())
            flying.append((request, new, door, asyncio.create_task(self.post(request))))
        return flying

    async def post(self, request: Request) -> Answer:
        """Send an upload."""
        return await self.collector.call(
            "POST", f"/tasks/{request.task.id}/reports", request.body, request.media
        )

    async def deliver(self, request: Request, *, lost: bool = False, fault: Fault | None = None) -> None:
        """Send an upload and hear the answer, unless that is lost on the way."""
        book, day = self._book(request), self.today()
        door, new = book.door(day), book.send(request)
        unknown = [report for report in new if len(book.sent[report.id].possible) == 1]
        self.store.fault = fault
        answer = await self.post(request)
        if fault is None:
            must(answer.status not in {SERVER_FAILED, OVERLOADED}, f"{answer.status} without a fault")
        elif door is None and self.store.fault is None:
            must(answer.status in {SERVER_FAILED, OVERLOADED}, f"{answer.status} though the commit failed")
        fired, self.store.fault = fault is not None and self.store.fault is None, None
        book.hear(request, LOST if lost else answer, new, door)
        if fired and fault is Fault.AFTER:
            for report in unknown:
                book.acknowledge(report)
        elif fired:
            book.withdraw(new)

    def _book(self, request: Request) -> Book:
        return self.books[request.task.id]

    def choose_book(self, among: Callable[[Book], bool] = lambda _: True) -> Book:
        """A task, mostly one that takes reports."""
        books = [book for book in self.books.values() if among(book)]
        ready = [book for book in books if book.door(self.today()) is None]
        return self.random.choice(ready if ready and self.random.random() < 0.8 else books)

    def new_report(self, book: Book) -> Report:
        """A report that was never sent."""
        return Report(self.random.randbytes(16), book.new_word())

    def make_request(self, book: Book, items: Iterable[Item] | None = None) -> Request:
        """A request in either form, remembered for replays; of new reports unless told otherwise."""
        if items is None:
            items = [sound(self.new_report(book)) for _ in range(self.random.randint(1, 4))]
        items = list(items)
        plain = all(item.report is not None for item in items)
        form = arrow_request if plain and self.random.random() < 0.4 else json_request
        self.requests.append(form(book.task, items))
        return self.requests[-1]

    async def upload(self) -> None:
        """New reports."""
        await self.deliver(self.make_request(self.choose_book()))

    async def replay(self) -> None:
        """The same bytes again."""
        if self.requests:
            await self.deliver(self.random.choice(self.requests))

    async def retry(self) -> None:
        """A report without a final answer again, in another company than before."""
        book = self.choose_book()
        waiting = list(book.unanswered)
        if waiting:
            chosen = [*self.random.sample(waiting, min(len(waiting), 3)), self.new_report(book)]
            apart = {report.id: report for report in chosen}.values()
            await self.deliver(self.make_request(book, map(sound, apart)))

    async def conflict(self) -> None:
        """A known id with another body."""
        book = self.choose_book(lambda book: bool(book.sent) or book.task == TASKS[0])
        if book.sent:
            taken = self.random.choice(list(book.sent))
            mixed = [self.new_report(book), Report(taken, book.new_word())]
            await self.deliver(self.make_request(book, map(sound, mixed)))

    async def duplicate(self) -> None:
        """An id twice in a request, with the same body or another: the first wins."""
        book = self.choose_book()
        report = self.new_report(book)
        again = report if self.random.random() < 0.5 else Report(report.id, book.new_word())
        twin = sound(again)._replace(wrong="duplicate_in_request")
        await self.deliver(self.make_request(book, [sound(report), twin, sound(self.new_report(book))]))

    async def invalid(self) -> None:
        """Reports that are none, beside one that is."""
        book = self.choose_book()
        limit = cast("int", book.task.word_limit)
        report = self.new_report(book)
        beyond = Report(self.random.randbytes(16), (limit + 1).to_bytes(8, "little"))
        wrong = [
            sound(beyond)._replace(wrong="out_of_range"),
            Item(base64url(bytes(15)), base64url(bytes(8)), None, "bad_id"),
            Item(base64url(self.random.randbytes(16)), base64url(bytes(7)), None, "wrong_length"),
            Item(base64url(self.random.randbytes(16)), "not base64", None, "bad_encoding"),
        ]
        await self.deliver(self.make_request(book, [self.random.choice(wrong), sound(report)]))

    async def malformed(self) -> None:
        """A request that cannot be read: nothing of it is written."""
        book = self.choose_book()
        request = self.make_request(book)
        self.requests.remove(request)
        cut = request._replace(body=request.body[: len(request.body) // 2])
        answer = await self.post(cut)
        due = book.door(self.today()) or "malformed"
        must(answer.kind == due, f"{answer.kind} where {due} was due")

    async def late(self) -> None:
        """New reports for a task that takes none (any more, or yet)."""
        shut = [book for book in self.books.values() if book.door(self.today())]
        if shut:
            await self.deliver(self.make_request(self.random.choice(shut)))

    async def burst(self) -> None:
        """Many at once, the same reports among them, while parts are folded."""
        book = self.choose_book()
        shared = self.new_report(book)
        rival = Report(shared.id, book.new_word())
        requests = [
            self.make_request(book, [sound(shared), sound(self.new_report(book))]),
            self.make_request(book, [sound(self.new_report(book)), sound(shared)]),
            self.make_request(book, [sound(rival)]),
            self.make_request(self.choose_book()),
        ]
        self.random.shuffle(requests)
        await asyncio.gather(*map(self.deliver, requests), self.compact())

    async def lose_answer(self) -> None:
        """An upload whose answer never arrives."""
        await self.deliver(self.make_request(self.choose_book()), lost=True)

    async def fail_before(self) -> None:
        """The store fails, and nothing is written."""
        await self.deliver(self.make_request(self.choose_book()), fault=Fault.BEFORE)

    async def fail_after(self) -> None:
        """The store fails, and everything is written."""
        await self.deliver(self.make_request(self.choose_book()), fault=Fault.AFTER)

    async def fail_oddly(self) -> None:
        """The store fails in a way that nobody thought of."""
        await self.deliver(self.make_request(self.choose_book()), fault=Fault.BUG)

    async def compact(self) -> None:
        """Compact all tasks."""
        await asyncio.to_thread(maintenance.compact_tasks, self.collector.collector, 2)

    async def advance(self) -> None:
        """A day goes by."""
        self.day += dt.timedelta(1)

    async def forget(self) -> None:
        """Reports of tasks that are over go, and their tallies stay."""
        day = self.today()
        await asyncio.to_thread(maintenance.finish_closed_tasks, self.collector.collector, KEEP_DAYS, day)
        for book in self.books.values():
            book.forget(day, KEEP_DAYS)

    async def push(self) -> None:
        """Make a task, once more perhaps."""
        await self.make(self.random.choice(list(self.books.values())))

    async def make(self, book: Book) -> None:
        """Make a task."""
        answer = await self.collector.call("POST", "/tasks", book.task.to_json().encode())
        due = 410 if book.deleted else 200 if book.made else 201
        must(answer.status == due, f"{answer.status} for a task where {due} was due")
        book.made |= not book.deleted

    async def close(self) -> None:
        """Close a task early."""
        book = self.choose_book(lambda book: book.made)
        answer = await self.collector.call("POST", f"/tasks/{book.task.id}/close")
        must(answer.status == (410 if book.deleted else OK), f"{answer.status} for closing")
        book.closed = book.closed or self.today()

    async def delete(self) -> None:
        """Delete a task; the log says how many reports it had."""
        book = self.choose_book(lambda book: book.made)
        answer = await self.collector.call("DELETE", f"/tasks/{book.task.id}")
        if not book.deleted:
            must(json.loads(answer.body)["reports"] in book.bounds(), "the deletion log has another count")
        book.deleted = True
        book.unanswered.clear()

    async def collect(self) -> None:
        """Estimates, parts and reports of a task."""
        await self._collect(self.choose_book())

    async def _collect(self, book: Book, *, thoroughly: bool = False) -> None:
        path = f"/tasks/{book.task.id}"
        answer = await self.collector.call("GET", f"{path}/estimates", query="limit=3")
        if book.deleted or not book.made:
            must(answer.kind == ("deleted" if book.deleted else "unknown"), f"{answer.kind} for estimates")
            return
        tally = merge_parts(book.task, [part.tally for part in self.store.parts(book.task.id)])
        words, times = tally.counts.nonzero()
        book.check_counts(dict(zip(words.tolist(), times.tolist(), strict=True)))
        must(json.loads(answer.body)["reports"] == tally.reports, "the estimates are of other reports")
        if thoroughly:
            due = estimate(tally).take(np.arange(3)).to_json()
            must(json.loads(answer.body) == json.loads(due), "the estimates are not those of the counts")
        file = await self.collector.call("GET", f"{path}/reports")
        table = pq.ParquetFile(io.BytesIO(file.body)).read(use_threads=False).to_pydict()
        book.check_reports(list(zip(table["report_id"], table["word"], strict=True)))

    async def finish(self) -> None:
        """The faults stop: everybody tries again, and everything comes out right."""
        await self.restart()
        while any(book.door(self.today()) == "not-open" for book in self.books.values()):
            await self._retry_all()
            await self.advance()
        await self._retry_all()
        chosen = self.choose_book()
        for _ in range(2):
            for book in self.books.values():
                await self._collect(book, thoroughly=book is chosen)
            await self.compact()
        found = await asyncio.to_thread(check_store, cast("Store", self.store))
        must(not found, f"the store is not whole: {found}")

    async def _retry_all(self) -> None:
        for book in self.books.values():
            if book.door(self.today()) is None:
                for report in list(book.unanswered):
                    await self.deliver(self.make_request(book, [sound(report)]))
                must(not book.unanswered, "a retry had no success")


# How often each operation comes up.
OPERATIONS: dict[str, int] = {
    World.upload.__name__: 12,
    World.replay.__name__: 6,
    World.retry.__name__: 4,
    World.conflict.__name__: 3,
    World.duplicate.__name__: 2,
    World.invalid.__name__: 3,
    World.malformed.__name__: 1,
    World.late.__name__: 2,
    World.burst.__name__: 4,
    World.lose_answer.__name__: 3,
    World.fail_before.__name__: 3,
    World.fail_after.__name__: 3,
    World.fail_oddly.__name__: 1,
    World.compact.__name__: 3,
    World.advance.__name__: 2,
    World.forget.__name__: 1,
    World.push.__name__: 1,
    World.close.__name__: 1,
    World.delete.__name__: 1,
    World.restart.__name__: 2,
    World.crash.__name__: 2,
    World.collect.__name__: 3,
}


def simulate(url: str, seed: str) -> None:
    """Run the sequence of a seed on an empty store; `Broken` says what went wrong, and after which steps."""
    world = World(url, seed)
    try:
        asyncio.run(world.run())
    except (Broken, TimeoutError) as error:
        steps = ", ".join(world.history)
        raise Broken(f"seed {seed!r}: {str(error) or 'no answer'}; after the steps {steps}") from error
