"""How the JavaScript client handles a collector's answers."""

from __future__ import annotations

import json
from typing import Any

from pckv import Task
from pckv.client.transport import explain
from support.browser import PAIRS, QUICK, Tab, as_report
from support.client_collector import LOST, Reply, problem
from support.client_devices import FINAL_REFUSALS, LASTING_FAILURES, TEMPORARY_FAILURES
from support.collectors import JSON, as_items, new_task


class ScriptedCollector:
    """A tab whose collector, at the page's own address, gives scripted replies to uploads, then accepts them."""

    def __init__(self, context: Any, port: int) -> None:
        self.sent: list[bytes] = []
        self._task = new_task()
        self._replies: list[Reply] = []
        self._url = f"http://localhost:{port}"
        self._tab = Tab(context, port)
        self._tab.page.route("**/tasks/**", self._answer)

    def _answer(self, route: Any) -> Any:
        if route.request.method == "GET":
            return route.fulfill(status=200, content_type=JSON, body=self._task.to_json())
        if route.request.url.endswith("/admission"):
            return route.fulfill(status=200, content_type=JSON, body='{"coin":null}')
        self.sent.append(route.request.post_data_buffer)
        reply = self._replies.pop(0) if self._replies else Reply(200, b'{"refused":[]}')
        # A browser treats a truncated answer as no answer.
        if reply is LOST or reply.claimed is not None:
            return route.abort()
        body = reply.body.replace(b"ID", json.loads(self.sent[-1])["reports"][0]["id"].encode())
        headers = reply.headers | {"Content-Type": reply.media}
        return route.fulfill(status=reply.status, headers=headers, body=body)

    def submit(self, task: Task, *replies: Reply) -> Any:
        """Submit to a task whose collector gives these replies; `sent` is all that was sent."""
        self._task, self._replies, self.sent = task, list(replies), []
        return self._tab.call(self._url, QUICK | {"cap": 1000}, "submit", task.id, PAIRS)


def test_temporary_failures_are_retried(context: Any, port: int) -> None:
    scripted = ScriptedCollector(context, port)
    for reply in TEMPORARY_FAILURES:
        for replies, status in ((1, "sent"), (2, "waiting")):
            receipt = scripted.submit(new_task(), *[reply] * replies)
            assert (receipt["status"], len(scripted.sent), len(set(scripted.sent))) == (status, 2, 1), reply


def test_lasting_failures_are_not_retried_at_once(context: Any, port: int) -> None:
    scripted = ScriptedCollector(context, port)
    for reply in LASTING_FAILURES:
        task = new_task()
        waiting = scripted.submit(task, reply)
        assert (waiting["status"], bool(waiting["reason"]), len(scripted.sent)) == ("waiting", True, 1), reply
        before = scripted.sent
        receipt = scripted.submit(task)
        assert (receipt["status"], receipt["perturbed"], scripted.sent) == ("sent", False, before), reply


def test_a_refusal_is_final(context: Any, port: int) -> None:
    scripted = ScriptedCollector(context, port)
    for reason, reply in FINAL_REFUSALS.items():
        task = new_task()
        for uploads in (1, 0):
            refused = scripted.submit(task, reply)
            assert refused["message"] == f"the report of task {task.id} was refused: {explain(reason)}"
            assert (refused["code"], len(scripted.sent)) == ("refused", uploads)


def test_retry_after_is_respected(context: Any, port: int) -> None:
    scripted = ScriptedCollector(context, port)
    for retry_after, status in (("3600", "waiting"), ("nonsense", "sent"), ("-5", "sent"), ("0", "sent")):
        assert scripted.submit(new_task(), problem(503, "overloaded", Retry_After=retry_after))["status"] == status


def test_a_report_travels_as_the_python_client_sends_it(context: Any, port: int) -> None:
    scripted, task = ScriptedCollector(context, port), new_task()
    receipt = scripted.submit(task)
    assert [json.loads(body) for body in scripted.sent] == [{"reports": as_items(as_report(receipt))}]
