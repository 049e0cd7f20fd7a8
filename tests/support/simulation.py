"""A simulator in the manner of Janus: random operations on a real collector and a real store.

A sequence drives the ASGI application in this process. Faults are injected around `Store.add_reports`, and
`simulation_model` checks what can be seen from outside. A sequence is reproduced by its seed, which failures name.

It is a failure if
- an acknowledged report is missing from the counts, the estimates or the stored reports,
- a report is counted twice, or something is counted that was not sent or was refused,
- a report or a request is refused for another reason than it has,
- an acknowledged report, sent again, is not acknowledged again while its task is open,
- the counts lose a report, or gain one that was not sent again,
- a request is never answered, even in an orderly restart,
- after the faults stop, a retry fails, or an accepted report is not in the estimates exactly once,
- `pckv store check` finds damage in the end.

It is not a failure if
- an upload is answered with 503 or 500 although its reports were stored,
- a sender without an answer is refused with `closed`, `deleted` or `not-open` later, stored or not,
- of two bodies under one id, neither of them acknowledged, either is stored.

Runs of one seed have the same steps, tasks, reports and faults. They may differ in which concurrent requests share
a transaction, how far these are at a crash or restart, and what maintenance compacts meanwhile.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import json
from collections.abc import Callable, Iterable
from itertools import chain
from random import Random
from typing import cast

import numpy as np
import pyarrow.parquet as pq

from pckv import estimate
from pckv.base.canonical import base64url
from pckv.base.wire import Report
from pckv.collector.http.auth import token_hash
from pckv.store.base import Role
from pckv.store.checks import check_store
from pckv.store.parts import merge_parts
from pckv.store.store import Store
from support.simulation_collector import ANSWER_SECONDS, TOKEN, Fault, FaultyStore, SimulatedCollector
from support.simulation_model import (
    FIRST_DAY,
    LOST,
    OK,
    OVERLOADED,
    SERVER_FAILED,
    TASKS,
    HttpAnswer,
    Request,
    RequestItem,
    SimulationFailure,
    TaskModel,
    arrow_request,
    json_request,
    must,
    valid_item,
)

InFlight = tuple[Request, list[Report], str | None, asyncio.Task[HttpAnswer]]
STEPS, KEEP_DAYS = 50, 1
METHOD = "corrected"  # Faster than the default, and nothing that is simulated depends on it.


class Simulation:
    """A collector, its store, models of its tasks, and a clock."""

    def __init__(self, url: str, seed: str) -> None:
        self.random = Random(seed)
        self.day = FIRST_DAY
        self.models = {task.id: TaskModel(task) for task in TASKS}
        self.requests: list[Request] = []
        self.history: list[str] = []
        self.collector = SimulatedCollector(url, self.today)

    async def run(self) -> None:
        """Run one sequence, and check the final state."""
        await self.collector.start()
        self.store.set_token(Role.ADMINISTRATOR, token_hash(TOKEN))
        await self.create_task(self.models[TASKS[0].id])
        await self.create_task(self.models[TASKS[1].id])
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
        """Return the store that the collector uses now."""
        return self.collector.store

    def today(self) -> str:
        """Return the simulated day."""
        return self.day.isoformat()

    async def restart(self) -> None:
        """Restart in an orderly way, often with requests in flight; all of them are answered."""
        in_flight = self._launch(self.random.choice((0, 1, 3)))
        await asyncio.sleep(self.random.random() * 0.003)
        await self.collector.stop()
        for request, new, problem, task in in_flight:
            answer = await asyncio.wait_for(task, ANSWER_SECONDS)
            must(answer.status != SERVER_FAILED, "a restart caused a server error")
            self._model_of(request).judge(request, answer, new, problem)
        self.store.close()
        await self.collector.start()

    async def crash(self) -> None:
        """Crash: stop everything at once, and start again."""
        in_flight = self._launch(self.random.choice((0, 1, 3)))
        await asyncio.sleep(self.random.random() * 0.003)
        # Answers that arrived before the crash count.
        answers = [task.result() if task.done() else LOST for *_, task in in_flight]
        await self.collector.drop()
        for (request, new, problem, _), answer in zip(in_flight, answers, strict=True):
            self._model_of(request).judge(request, answer, new, problem)
        self.store.close()
        await self.collector.start()

    def _launch(self, count: int) -> list[InFlight]:
        in_flight = []
        for _ in range(count):
            request = self.make_request(model := self.choose_model())
            new, problem = model.send(request), model.problem_on(self.today())
            in_flight.append((request, new, problem, asyncio.create_task(self.post(request))))
        return in_flight

    async def post(self, request: Request) -> HttpAnswer:
        """Send an upload."""
        return await self.collector.call("POST", f"/tasks/{request.task.id}/reports", request.body, request.media)

    async def deliver(self, request: Request, *, lost: bool = False, fault: Fault | None = None) -> None:
        """Send an upload and judge the answer, unless that is lost on the way."""
        model, day = self._model_of(request), self.today()
        problem, new = model.problem_on(day), model.send(request)
        unknown = [report for report in new if len(model.sent[report.id].possible) == 1]
        self.store.fault = fault
        answer = await self.post(request)
        if fault is None:
            must(answer.status not in {SERVER_FAILED, OVERLOADED}, f"{answer.status} without a fault")
        elif problem is None and self.store.fault is None:
            must(answer.status in {SERVER_FAILED, OVERLOADED}, f"{answer.status} though the commit failed")
        fired, self.store.fault = fault is not None and self.store.fault is None, None
        model.judge(request, LOST if lost else answer, new, problem)
        if fired and fault is Fault.AFTER:
            for report in unknown:
                model.acknowledge(report)
        elif fired:
            model.withdraw(new)

    def _model_of(self, request: Request) -> TaskModel:
        return self.models[request.task.id]

    def choose_model(self, condition: Callable[[TaskModel], bool] = lambda _: True) -> TaskModel:
        """Choose a task, mostly one that takes reports."""
        models = [model for model in self.models.values() if condition(model)]
        ready = [model for model in models if model.problem_on(self.today()) is None]
        return self.random.choice(ready if ready and self.random.random() < 0.8 else models)

    def new_report(self, model: TaskModel) -> Report:
        """Return a report that was never sent."""
        return Report(self.random.randbytes(16), model.new_word())

    def make_request(self, model: TaskModel, items: Iterable[RequestItem] | None = None) -> Request:
        """Create a request in either form, by default of new reports, and remember it for replays."""
        if items is None:
            items = [valid_item(self.new_report(model)) for _ in range(self.random.randint(1, 4))]
        items = list(items)
        plain = all(item.report is not None for item in items)
        form = arrow_request if plain and self.random.random() < 0.4 else json_request
        self.requests.append(form(model.task, items))
        return self.requests[-1]

    async def upload(self) -> None:
        """Send new reports."""
        await self.deliver(self.make_request(self.choose_model()))

    async def replay(self) -> None:
        """Send the same bytes again."""
        if self.requests:
            await self.deliver(self.random.choice(self.requests))

    async def retry(self) -> None:
        """Send a report without a final answer again, together with others than before."""
        model = self.choose_model()
        waiting = list(model.unanswered)
        if waiting:
            chosen = [*self.random.sample(waiting, min(len(waiting), 3)), self.new_report(model)]
            apart = {report.id: report for report in chosen}.values()
            await self.deliver(self.make_request(model, map(valid_item, apart)))

    async def conflict(self) -> None:
        """Send a known id with another body."""
        model = self.choose_model(lambda model: bool(model.sent) or model.task == TASKS[0])
        if model.sent:
            taken = self.random.choice(list(model.sent))
            mixed = [self.new_report(model), Report(taken, model.new_word())]
            await self.deliver(self.make_request(model, map(valid_item, mixed)))

    async def duplicate(self) -> None:
        """Send an id twice in a request, with the same body or another: the first wins."""
        model = self.choose_model()
        report = self.new_report(model)
        again = report if self.random.random() < 0.5 else Report(report.id, model.new_word())
        twin = valid_item(again)._replace(wrong="duplicate_in_request")
        items = [valid_item(report), twin, valid_item(self.new_report(model))]
        await self.deliver(self.make_request(model, items))

    async def invalid(self) -> None:
        """Send an invalid report together with a valid one."""
        model = self.choose_model()
        limit = cast("int", model.task.word_limit)
        report = self.new_report(model)
        beyond = Report(self.random.randbytes(16), (limit + 1).to_bytes(8, "little"))
        wrong = [
            valid_item(beyond)._replace(wrong="out_of_range"),
            RequestItem(base64url(bytes(15)), base64url(bytes(8)), None, "bad_id"),
            RequestItem(base64url(self.random.randbytes(16)), base64url(bytes(7)), None, "wrong_length"),
            RequestItem(base64url(self.random.randbytes(16)), "not base64", None, "bad_encoding"),
        ]
        await self.deliver(self.make_request(model, [self.random.choice(wrong), valid_item(report)]))

    async def malformed(self) -> None:
        """Send a request that cannot be read: nothing of it is written."""
        model = self.choose_model()
        request = self.make_request(model)
        self.requests.remove(request)
        cut = request._replace(body=request.body[: len(request.body) // 2])
        answer = await self.post(cut)
        expected = model.problem_on(self.today()) or "malformed"
        must(answer.kind == expected, f"{answer.kind} where {expected} was due")

    async def late(self) -> None:
        """Send new reports to a task that is not open."""
        not_open = [model for model in self.models.values() if model.problem_on(self.today())]
        if not_open:
            await self.deliver(self.make_request(self.random.choice(not_open)))

    async def burst(self) -> None:
        """Send several requests at once, some with the same reports, during a compaction."""
        model = self.choose_model()
        shared = self.new_report(model)
        rival = Report(shared.id, model.new_word())
        requests = [
            self.make_request(model, [valid_item(shared), valid_item(self.new_report(model))]),
            self.make_request(model, [valid_item(self.new_report(model)), valid_item(shared)]),
            self.make_request(model, [valid_item(rival)]),
            self.make_request(self.choose_model()),
        ]
        self.random.shuffle(requests)
        await asyncio.gather(*map(self.deliver, requests), self.compact())

    async def lose_answer(self) -> None:
        """Send an upload whose answer never arrives."""
        await self.deliver(self.make_request(self.choose_model()), lost=True)

    async def fail_before(self) -> None:
        """Let the store fail before anything is written."""
        await self.deliver(self.make_request(self.choose_model()), fault=Fault.BEFORE)

    async def fail_after(self) -> None:
        """Let the store fail after everything is written."""
        await self.deliver(self.make_request(self.choose_model()), fault=Fault.AFTER)

    async def fail_oddly(self) -> None:
        """Let the store fail with an unexpected error."""
        await self.deliver(self.make_request(self.choose_model()), fault=Fault.BUG)

    async def compact(self) -> None:
        """Compact all tasks."""
        await asyncio.to_thread(self.collector.collector.compactor.compact_all, 2)

    async def advance(self) -> None:
        """Go on to the next day."""
        self.day += dt.timedelta(1)

    async def forget(self) -> None:
        """Delete the reports of tasks that ended; their tallies stay."""
        day = self.today()
        await asyncio.to_thread(self.collector.collector.maintenance.finish_closed_tasks, KEEP_DAYS, day)
        for model in self.models.values():
            model.forget(day, KEEP_DAYS)

    async def create_some_task(self) -> None:
        """Create any task, perhaps again."""
        await self.create_task(self.random.choice(list(self.models.values())))

    async def create_task(self, model: TaskModel) -> None:
        """Create a task."""
        answer = await self.collector.call("POST", "/tasks", model.task.to_json().encode())
        is_over = not model.created and model.task.closes is not None and model.task.closes <= self.today()
        expected = 410 if model.deleted else 200 if model.created else 400 if is_over else 201
        must(answer.status == expected, f"{answer.status} for a task where {expected} was due")
        model.created |= not (model.deleted or is_over)

    async def close(self) -> None:
        """Close a task early."""
        model = self.choose_model(lambda model: model.created)
        answer = await self.collector.call("POST", f"/tasks/{model.task.id}/close")
        must(answer.status == (410 if model.deleted else OK), f"{answer.status} for closing")
        model.closed = model.closed or self.today()

    async def delete(self) -> None:
        """Delete a task; the answer states how many reports it had."""
        model = self.choose_model(lambda model: model.created)
        answer = await self.collector.call("DELETE", f"/tasks/{model.task.id}", query="now=true")
        if not model.deleted:
            must(json.loads(answer.body)["reports"] in model.bounds(), "the deletion log has another count")
        model.deleted = True
        model.unanswered.clear()

    async def collect(self) -> None:
        """Check the estimates, parts and reports of a task."""
        await self._collect(self.choose_model())

    async def _collect(self, model: TaskModel, *, with_estimates: bool = False) -> None:
        path = f"/tasks/{model.task.id}"
        answer = await self.collector.call("GET", f"{path}/estimates", query=f"limit=3&method={METHOD}")
        if model.deleted or not model.created:
            must(answer.kind == ("deleted" if model.deleted else "unknown"), f"{answer.kind} for estimates")
            return
        tally = merge_parts(model.task, [part.content for part in self.store.parts(model.task.id)])
        model.check_tally(tally, chain.from_iterable(self.store.reports(model.task.id)))
        must(json.loads(answer.body)["reports"] == tally.reports, "the estimates are of other reports")
        if with_estimates:
            expected = estimate(tally, method=METHOD).take(np.arange(3)).to_json()
            must(json.loads(answer.body) == json.loads(expected), "the estimates are not those of the counts")
        file = await self.collector.call("GET", f"{path}/reports")
        table = pq.ParquetFile(io.BytesIO(file.body)).read(use_threads=False).to_pydict()
        model.check_reports(list(zip(table["report_id"], table["word"], strict=True)))

    async def finish(self) -> None:
        """Stop the faults: after all retries, everything must be correct."""
        await self.restart()
        while any(model.problem_on(self.today()) == "not-open" for model in self.models.values()):
            await self._retry_all()
            await self.advance()
        await self._retry_all()
        chosen = self.choose_model()
        for _ in range(2):
            for model in self.models.values():
                await self._collect(model, with_estimates=model is chosen)
            await self.compact()
        damage = await asyncio.to_thread(check_store, cast("Store", self.store))
        must(not damage, f"the store is damaged: {damage}")

    async def _retry_all(self) -> None:
        for model in self.models.values():
            if model.problem_on(self.today()) is None:
                for report in list(model.unanswered):
                    await self.deliver(self.make_request(model, [valid_item(report)]))
                must(not model.unanswered, "a retry had no success")


# The relative frequency of every operation.
OPERATIONS: dict[str, int] = {
    Simulation.upload.__name__: 12,
    Simulation.replay.__name__: 6,
    Simulation.retry.__name__: 4,
    Simulation.conflict.__name__: 3,
    Simulation.duplicate.__name__: 2,
    Simulation.invalid.__name__: 3,
    Simulation.malformed.__name__: 1,
    Simulation.late.__name__: 2,
    Simulation.burst.__name__: 4,
    Simulation.lose_answer.__name__: 3,
    Simulation.fail_before.__name__: 3,
    Simulation.fail_after.__name__: 3,
    Simulation.fail_oddly.__name__: 1,
    Simulation.compact.__name__: 3,
    Simulation.advance.__name__: 2,
    Simulation.forget.__name__: 1,
    Simulation.create_some_task.__name__: 1,
    Simulation.close.__name__: 1,
    Simulation.delete.__name__: 1,
    Simulation.restart.__name__: 2,
    Simulation.crash.__name__: 2,
    Simulation.collect.__name__: 3,
}


def simulate(url: str, seed: str) -> None:
    """Run the sequence of a seed on an empty store; a failure names the seed and the steps."""
    simulation = Simulation(url, seed)
    try:
        asyncio.run(simulation.run())
    except (SimulationFailure, TimeoutError) as error:
        reason, steps = str(error) or "no answer", ", ".join(simulation.history)
        raise SimulationFailure(f"seed {seed!r}: {reason}; after the steps {steps}") from error
