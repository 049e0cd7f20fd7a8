"""The Python client as a device that lives for years: two clients on one state folder, and a collector called directly."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.canonical import base64url
from pckv.base.errors import PckvError
from pckv.base.randomness import Tape, fixed_source
from pckv.client import Client, outbox
from pckv.client.ledger import Spending
from pckv.client.outbox import OUTCOME_SUFFIX, REPORT_SUFFIX, StoredReport
from pckv.client.panel import PANEL_SUFFIX
from pckv.contract.series import Series
from support.client_collector import LOST, FakeCollector, ReceivedRequest, Reply, problem
from support.client_series import URL, DirectTransport, MemoryFolder, SteppedFolder
from support.ledger_life_checks import Entry, Seen
from support.ledger_lives import PAIRS, Call, Contracts, Step
from support.ledger_model import AWAY, BUSY, LOSES, REFUSES, UNADMITTED, UNSURE, Claim, Collector, Result, Sums

# Steps at which another process may run: it would wait for the lock at all others.
UNLOCKED_STEPS = {"request", "answer", "lock"}
# What is computed again and again, from the same texts.
REPEATED: tuple[tuple[Any, str], ...] = (
    (Task, "from_json"),
    (Series, "from_json"),
    (Series, "task_of"),
    (StoredReport, "from_json"),
    (Spending, "of"),
    (Spending, "to_json"),
    (outbox, "task_id_of"),
)


class LifeCollector(FakeCollector):
    """A collector that does what a step says."""

    def __init__(self, contracts: Contracts) -> None:
        super().__init__()
        self._texts, self._days = contracts.texts, contracts.days()
        self.now, self.refusal = Collector(0), (0, "")

    def answer(self, request: ReceivedRequest) -> Reply:
        if self.now.mode == AWAY:
            return LOST
        if request.method == "GET":
            return Reply(200, self._texts[request.path].encode())
        _, _, task, what = request.path.split("/")
        if what == "admission" and self.now.mode == UNADMITTED:
            return problem(410, "deleted")
        if what == "admission":
            return self._closed(task) or Reply(200, b'{"coin":null}')
        self.received.append(request)
        status, kind = self.refusal
        if what == "sealed":
            # A mixer refuses the whole request.
            listed, status = b"", 403 if status == 200 else status
            kind = "invitation-spent" if kind == "conflict" else kind
        else:
            [report] = json.loads(request.body)["reports"]
            listed = json.dumps({"refused": [{"id": report["id"], "reason": kind}]}).encode()
        replies = {
            LOSES: LOST,
            BUSY: problem(503, "overloaded"),
            UNSURE: problem(401, "bad-token"),
            REFUSES: Reply(200, listed) if status == 200 else problem(status, kind),
        }
        taken = b'{"held":true}' if what == "sealed" else b'{"refused":[]}'
        return replies.get(self.now.mode) or self._closed(task) or Reply(200, taken)

    def _closed(self, task: str) -> Reply | None:
        opens, closes = self._days[task]
        today = dt.date.fromordinal(self.now.today).isoformat()
        if self.now.trusting:
            return None
        if opens is not None and today < opens:
            return problem(403, "not-open")
        return problem(403, "closed") if closes is not None and today >= closes else None


class PythonLife:
    """Two clients on one state folder, each until it is restarted."""

    def __init__(self, contracts: Contracts, patch: pytest.MonkeyPatch, place: Path | None = None) -> None:
        self._collector = LifeCollector(contracts)
        # In memory, unless a place on disk is given.
        self._folder = MemoryFolder({}, self._pass_step) if place is None else SteppedFolder(place, self._pass_step)
        self._clients: dict[int, Client] = {}
        self._clocks: dict[int, dt.datetime] = {}
        self._on_step: Callable[[str], None] = _ignore
        self._caller, self._draws = 0, {0: 0}
        patch.setattr("pckv.client.client.StateFolder", lambda _: self._folder)
        patch.setattr("pckv.client.client.Transport", lambda *_: DirectTransport(self._collector, self._pass_step))
        patch.setattr("pckv.client.panel.Tape", lambda _: Tape(1, fixed_source(bytes(16) + self._drawn())))
        # The same texts are read again and again.
        for owner, name in REPEATED:
            patch.setattr(owner, name, cache(getattr(owner, name)))

    def _pass_step(self, kind: str) -> None:
        self._on_step(kind)

    def _drawn(self) -> bytes:
        return self._draws[self._caller].to_bytes(8, "little")

    def take(self, step: Step) -> Seen:
        """Take a step, and return what it shows."""
        self._collector.now, self._collector.refusal = step.collector, step.refusal
        self._draws = {client: step.draw_of(client) for client in range(2)}
        self._collector.received.clear()
        for suffix in (".series", PANEL_SUFFIX) if step.forgotten else ():
            self._folder.remove(f"{step.forgotten}{suffix}")
        for suffix in (REPORT_SUFFIX, OUTCOME_SUFFIX) if step.removed else ():
            self._folder.remove(f"{step.removed}{suffix}")
        results = [self._call(step.call)] if step.overtaken is None else self._race(step.call, *step.overtaken)
        return self._seen(results)

    def _race(self, call: Call, at: int, other: Call) -> list[Any]:
        """Let a call be overtaken at a step of its own, or follow it if it has fewer."""
        results: list[Any] = []
        places = count()

        def overtake(kind: str) -> None:
            if kind in UNLOCKED_STEPS and next(places) == at:
                self._on_step = _ignore
                results.append(self._call(other))
                self._caller = call.client

        self._on_step = overtake
        first = self._call(call)
        self._on_step = _ignore
        return [first, *(results or [self._call(other)])]

    def _call(self, call: Call) -> Any:
        self._clocks[call.client] = dt.datetime.combine(dt.date.fromordinal(call.clock), dt.time(12), dt.UTC)
        if call.restarted or call.client not in self._clients:
            clock = partial(self._clocks.__getitem__, call.client)
            self._clients[call.client] = Client(
                URL,
                "/nowhere",
                cap=call.caps.in_all,
                cap_per_period=call.caps.per_period,
                local_cap=call.caps.local,
                clock=clock,
            )
        client, self._caller = self._clients[call.client], call.client
        if call.method == "flush":
            return [(receipt.task, str(receipt.status)) for receipt in client.flush()]
        try:
            receipt = (
                client.report(call.contract, PAIRS) if call.method == "report" else client.submit(call.contract, PAIRS)
            )
        except PckvError as error:
            return Result(error.code)
        return Result(str(receipt.status), receipt.perturbed, getattr(receipt, "round", None))

    def _seen(self, results: list[Any]) -> Seen:
        client = Client(URL, "/nowhere")
        uploads = []
        for request in self._collector.received:
            task = request.path.split("/")[2]
            if request.path.endswith("/sealed"):
                uploads.append((task, "", base64url(request.body)))
                continue
            [report] = json.loads(request.body)["reports"]
            uploads.append((task, report["id"], report["body"]))
        reports = {}
        for task in self._folder.names(REPORT_SUFFIX):
            stored = json.loads(self._folder.get(task + REPORT_SUFFIX) or "")
            reports[task] = (stored["id"] or "", stored["sealed"] or stored["body"])
        ledger = [
            Entry(e.survey, e.task, e.epsilon, str(e.status), e.day, e.series, e.round, e.claim and Claim(*e.claim))
            for e in client.ledger()
        ]
        sums = Sums(client.spent, client.spent_delta, client.local_spent)
        return Seen(results, uploads, reports, ledger, sums, client.cap, client.local_cap, client.cap_per_period)


def _ignore(_: str) -> None:
    pass
