"""The JavaScript client in a browser: the vectors, and one report a task whatever happens to its pages."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from client.test_client import FINAL, LASTING, PASSING
from pckv import Report, Task
from pckv.channels import MECHANISMS
from pckv.client.ledger import realised
from support.browser import INSECURE, OPTIONS, Tab, chromium, pages
from support.client_collector import LOST, Reply, problem
from support.collectors import JSON, Running, as_items, new_task, running
from support.node import CLIENT
from support.stores import stored_reports
from web.test_javascript import check_answers, vectors

PAIRS = {"1": 1, "4": 0.25}
TASK_PLACE = re.compile("/tasks/[^/]+$")
QUICK = {"patience": {"tries": 2, "seconds": 2, "firstPause": 0.001, "timeout": 1}}


@pytest.fixture(scope="module")
def browsers() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def launched(browsers: Any) -> Iterator[Any]:
    browser = browsers.launch(**OPTIONS)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with pages() as serving:
        yield serving


@pytest.fixture(scope="module")
def collector() -> Iterator[Running]:
    with running() as started:
        yield started


@pytest.fixture
def context(launched: Any) -> Iterator[Any]:
    """A browser of somebody who was never here before."""
    made = launched.new_context()
    yield made
    made.close()


def url(collector: Running) -> str:
    return f"http://127.0.0.1:{collector.port}"


def as_report(receipt: dict[str, Any]) -> Report:
    return Report(bytes(receipt["report"]["id"]), bytes(receipt["report"]["body"]))


def check_one(collector: Running, task: Task, receipt: dict[str, Any]) -> None:
    """The collector has one report of a task, byte for byte the receipt's."""
    collector.check(task, as_report(receipt))


def test_vectors_in_a_browser(context: Any, port: int) -> None:
    tab = Tab(context, port)
    given = vectors()
    answers = tab.page.evaluate(
        "async (given) => (await import('/javascript/answers.mjs')).answers('/client', given)", given
    )
    check_answers(given, answers)
    assert tab.errors == []


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_submit(context: Any, port: int, collector: Running, mechanism: str) -> None:
    task = collector.add_task(mechanism=mechanism, kind=MECHANISMS[mechanism].kind)
    tab = Tab(context, port)
    receipt = tab.call(url(collector), {}, "submit", task.id, PAIRS)
    epsilon = f"{realised(task):f}"
    expected = {"task": task.id, "status": "sent", "epsilon": epsilon, "perturbed": True, "reason": ""}
    assert {name: receipt[name] for name in expected} == expected
    task.channel.message_format.decode(as_report(receipt).body)
    check_one(collector, task, receipt)
    again = tab.call(url(collector), {}, "submit", task.id, {"no such key": 7})
    assert again == receipt | {"perturbed": False}
    assert tab.call(url(collector), {}, "ledger") == {task.id: epsilon}
    assert tab.call(url(collector), {}, "spent") == epsilon
    assert tab.errors == []


def test_prepare_shows_what_send_sends(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    prepared = tab.call(url(collector), {}, "prepare", task.id, PAIRS)
    assert (prepared["status"], prepared["perturbed"]) == ("prepared", True)
    assert tab.call(url(collector), {}, "prepare", task.id, {}) == prepared | {"perturbed": False}
    assert tab.call(url(collector), {}, "flush") == []
    assert stored_reports(collector.store, task) == []
    sent = Tab(context, port).call(url(collector), {}, "send", task.id)
    assert sent == prepared | {"status": "sent", "perturbed": False}
    check_one(collector, task, prepared)


def test_send_needs_a_report(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    assert Tab(context, port).call(url(collector), {}, "send", task.id)["code"] == "not_sent"


def test_bad_pairs_cost_nothing(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    for bad in ({"99": 1}, {"1": 2}, {"1": None}, {"1": "1"}, {"01": 1}):
        assert tab.call(url(collector), {}, "submit", task.id, bad)["code"] == "bad_pairs"
    assert tab.call(url(collector), {}, "spent") == "0"
    check_one(collector, task, tab.call(url(collector), {}, "submit", task.id, {}))
    assert tab.errors == []


def test_offline_then_flush(context: Any, port: int, collector: Running) -> None:
    tasks = [collector.add_task() for _ in range(3)]
    tab = Tab(context, port)
    for task in tasks:
        assert tab.call(url(collector), QUICK, "task", task.id) == task.id
    tab.page.evaluate("() => import('/client/mechanisms/grr.js')")
    context.set_offline(True)
    receipts = [tab.call(url(collector), QUICK, "submit", task.id, PAIRS) for task in tasks]
    assert {(each["status"], each["perturbed"]) for each in receipts} == {("waiting", True)}
    assert all(each["reason"].startswith("no answer") for each in receipts)
    assert {each["status"] for each in tab.call(url(collector), QUICK, "flush")} == {"waiting"}
    context.set_offline(False)
    # Elsewhere nothing waits.
    assert tab.call("http://127.0.0.1:1", QUICK, "flush") == []
    tab.page.reload()
    assert {each["status"] for each in tab.call(url(collector), QUICK, "flush")} == {"sent"}
    assert tab.call(url(collector), QUICK, "flush") == []
    for task, receipt in zip(tasks, receipts, strict=True):
        check_one(collector, task, receipt)


def test_offline_without_the_task_nothing_is_perturbed(context: Any, port: int, collector: Running) -> None:
    tab = Tab(context, port)
    tab.page.evaluate("() => import('/client/index.js')")
    context.set_offline(True)
    refused = tab.call(url(collector), QUICK, "submit", collector.add_task().id, PAIRS)
    assert refused["code"] == "not_sent"
    assert tab.call(url(collector), QUICK, "spent") == "0"


def wait_for(tab: Tab, holds: Callable[[], bool]) -> None:
    """Let a browser work until something holds, which is soon."""
    for _ in range(4000):
        if holds():
            return
        tab.page.wait_for_timeout(5)
    raise AssertionError


def pilot_of(collector: Running, task: Task) -> Task:
    """A task of sizes of the same survey."""
    return collector.add_task(name=task.name, kind="sizes", mechanism="buckets", padding=8)


Raced = list[tuple[Task, list[dict[str, Any]]]]


def race(context: Any, port: int, collector: Running, rounds: int, *, with_pilot: bool = False) -> Raced:
    """Two tabs that submit at the same time: both wait for the task, or its pilot, and get it together."""
    tabs = [Tab(context, port), Tab(context, port)]
    held: list[Any] = []
    context.route(TASK_PLACE, lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    found = []
    for _ in range(rounds):
        task = collector.add_task()
        for tab, each in zip(tabs, (task, pilot_of(collector, task) if with_pilot else task), strict=True):
            tab.start(url(collector), {}, "submit", each.id, PAIRS)
        wait_for(tabs[0], lambda: len(held) == 2)
        while held:
            held.pop().continue_()
        found.append((task, [tab.result() for tab in tabs]))
    assert [tab.errors for tab in tabs] == [[], []]
    return found


def test_two_tabs_send_one_report(context: Any, port: int, collector: Running) -> None:
    for task, (first, second) in race(context, port, collector, 5):
        assert sorted((first["perturbed"], second["perturbed"])) == [False, True]
        assert first["report"] == second["report"]
        check_one(collector, task, first)


def changed(folder: Path, faults: dict[str, str]) -> Path:
    """A copy of the client with other lines in it."""
    copy = folder / "client"
    shutil.copytree(CLIENT, copy)
    text = (copy / "index.js").read_text(encoding="utf-8")
    for right, wrong in faults.items():
        assert right in text
        text = text.replace(right, wrong)
    (copy / "index.js").write_text(text, encoding="utf-8")
    return copy


def test_the_same_race_catches_a_client_that_looks_first_and_writes_later(
    context: Any, collector: Running, tmp_path: Path
) -> None:
    """The control: without the check inside the transaction both tabs perturb."""
    hasty = {"if (kept) {": "if (kept && !task) {", 'reports("add"': 'reports("put"'}
    with pages(changed(tmp_path, hasty)) as port:
        raced = race(context, port, collector, 2)
    assert all(first["perturbed"] and second["perturbed"] for _, (first, second) in raced)


@pytest.mark.parametrize("pilot_first", [True, False])
def test_nobody_serves_in_a_pilot_and_its_main_task(
    context: Any, port: int, collector: Running, pilot_first: bool
) -> None:
    task = collector.add_task()
    first, second = (pilot_of(collector, task), task) if pilot_first else (task, pilot_of(collector, task))
    tab = Tab(context, port)
    prepared = tab.call(url(collector), {}, "prepare", first.id, PAIRS)
    for sent in (False, True):
        if sent:
            check_one(collector, first, tab.call(url(collector), {}, "submit", first.id, PAIRS))
        refused = tab.call(url(collector), {}, "submit", second.id, PAIRS)
        assert refused["code"] == "already_served"
        assert refused["message"] == (
            f"this device served in the {first.kind} task {first.id} of {task.name}: nobody serves in both"
        )
    assert tab.call(url(collector), {}, "ledger") == {first.id: prepared["epsilon"]}
    assert stored_reports(collector.store, second) == []
    # Another task of the same kind is no other half.
    members = {"name": task.name, "kind": first.kind, "mechanism": first.mechanism, "epsilon": 2}
    assert tab.call(url(collector), {}, "submit", collector.add_task(**members).id, PAIRS)["perturbed"]


def test_two_tabs_serve_in_a_pilot_or_its_main_task(context: Any, port: int, collector: Running) -> None:
    for _, results in race(context, port, collector, 5, with_pilot=True):
        assert sorted(str(each.get("code", each.get("status"))) for each in results) == [
            "already_served",
            "sent",
        ]


def test_the_same_race_catches_a_client_that_looks_for_pilots_too_early(
    context: Any, collector: Running, tmp_path: Path
) -> None:
    """The control: looked for before the transaction, neither is there yet."""
    early = {
        "const task = checkedId": "const before = await this.#all(), task = checkedId",
        "all.find((each) => each.name": "before.find((each) => each.name",
    }
    with pages(changed(tmp_path, early)) as port:
        raced = race(context, port, collector, 2, with_pilot=True)
    assert all(first["perturbed"] and second["perturbed"] for _, (first, second) in raced)


def test_the_cap_is_kept_among_tabs(context: Any, port: int, collector: Running) -> None:
    tasks = [collector.add_task() for _ in range(5)]
    one = realised(tasks[0])
    options = {"cap": str(3 * one)}
    tabs = [Tab(context, port) for _ in tasks]
    for tab, task in zip(tabs, tasks, strict=True):
        tab.start(url(collector), options, "submit", task.id, PAIRS)
    results = [tab.result() for tab in tabs]
    assert (
        sorted(each.get("status", each.get("code")) for each in results) == ["over_budget"] * 2 + ["sent"] * 3
    )
    assert "over the cap" in next(each["message"] for each in results if "message" in each)
    assert tabs[0].call(url(collector), options, "spent") == str(3 * one)
    just_short = {"cap": str(4 * one - Decimal("1e-15"))}
    left = tasks[[each.get("code") for each in results].index("over_budget")]
    assert tabs[0].call(url(collector), just_short, "submit", left.id, PAIRS)["code"] == "over_budget"
    assert tabs[0].call(url(collector), {"cap": str(4 * one)}, "submit", left.id, PAIRS)["status"] == "sent"


@pytest.mark.parametrize("cap", [-1, "much", "1.0", True])
def test_a_cap_is_a_number(context: Any, port: int, collector: Running, cap: Any) -> None:
    assert Tab(context, port).call(url(collector), {"cap": cap}, "spent")["code"] == "bad_parameter"


def test_refused_stays_refused(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    prepared = tab.call(url(collector), {}, "prepare", task.id, PAIRS)
    collector.administer("POST", f"/tasks/{task.id}/close")
    for method in ("send", "submit"):
        refused = tab.call(url(collector), {}, method, task.id, PAIRS)
        assert refused["code"] == "refused"
        assert "closed" in refused["message"]
    assert tab.call(url(collector), {}, "flush") == []
    assert tab.call(url(collector), {}, "prepare", task.id, {})["report"] == prepared["report"]
    assert tab.call(url(collector), {}, "spent") == prepared["epsilon"]
    assert stored_reports(collector.store, task) == []


def test_a_conflict_is_final(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    mine = as_report(tab.call(url(collector), {}, "prepare", task.id, PAIRS))
    taken = Report(mine.id, bytes([mine.body[0] ^ 1]) + mine.body[1:])
    collector.upload(task, taken)
    refused = tab.call(url(collector), {}, "send", task.id)
    assert (refused["code"], "conflict" in refused["message"]) == ("refused", True)
    collector.check(task, taken)


def test_an_invitation_travels_with_its_report(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    [token] = collector.administer("POST", f"/tasks/{task.id}/invitations").json()["invitations"]
    tab = Tab(context, port)
    for given in ({"invitation": "mistyped"}, {}):
        refused = tab.call(url(collector), {}, "submit", task.id, PAIRS, given)
        assert "invitation_unknown" in refused["message"]
    receipt = tab.call(url(collector), {}, "submit", task.id, PAIRS, {"invitation": token})
    assert (receipt["status"], receipt["perturbed"]) == ("sent", False)
    check_one(collector, task, receipt)
    assert tab.call(url(collector), {}, "submit", task.id, {}, {"invitation": ""})["code"] == "bad_parameter"


def test_a_portal_decides_nothing(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    tab.call(url(collector), {}, "task", task.id)
    waiting = tab.call(f"http://localhost:{port}", QUICK, "submit", task.id, PAIRS)
    assert (waiting["status"], waiting["reason"]) == ("waiting", "HTTP 300")
    sent = tab.call(url(collector), {}, "submit", task.id, {})
    assert (sent["status"], sent["report"]) == ("sent", waiting["report"])
    check_one(collector, task, sent)


class Told:
    """A tab whose collector, at the page's own address, answers uploads as it is told, and else takes them."""

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
        self.sent.append(route.request.post_data_buffer)
        reply = self._replies.pop(0) if self._replies else Reply(200, b'{"refused":[]}')
        # A browser sees an answer that is cut off as none.
        if reply is LOST or reply.claimed is not None:
            return route.abort()
        body = reply.body.replace(b"ID", json.loads(self.sent[-1])["reports"][0]["id"].encode())
        headers = reply.headers | {"Content-Type": reply.media}
        return route.fulfill(status=reply.status, headers=headers, body=body)

    def submit(self, task: Task, *replies: Reply) -> Any:
        """What submitting ends with after these answers; `sent` is all that was sent."""
        self._task, self._replies, self.sent = task, list(replies), []
        return self._tab.call(self._url, QUICK, "submit", task.id, PAIRS)


def test_what_passes_is_tried_again(context: Any, port: int) -> None:
    told = Told(context, port)
    for reply in PASSING:
        for replies, status in ((1, "sent"), (2, "waiting")):
            receipt = told.submit(new_task(), *[reply] * replies)
            assert (receipt["status"], len(told.sent), len(set(told.sent))) == (status, 2, 1), reply


def test_what_needs_time_waits_without_trying_on(context: Any, port: int) -> None:
    told = Told(context, port)
    for reply in LASTING:
        task = new_task()
        waiting = told.submit(task, reply)
        assert (waiting["status"], bool(waiting["reason"]), len(told.sent)) == ("waiting", True, 1), reply
        before = told.sent
        receipt = told.submit(task)
        assert (receipt["status"], receipt["perturbed"], told.sent) == ("sent", False, before), reply


def test_what_is_refused_by_an_answer_stays_refused(context: Any, port: int) -> None:
    told = Told(context, port)
    for reason, reply in FINAL.items():
        task = new_task()
        for uploads in (1, 0):
            refused = told.submit(task, reply)
            assert refused["message"] == f"the collector refuses the report of {task.id}: {reason}"
            assert (refused["code"], len(told.sent)) == ("refused", uploads)


def test_a_collector_says_when_to_come_back(context: Any, port: int) -> None:
    told = Told(context, port)
    for said, status in (("3600", "waiting"), ("nonsense", "sent"), ("-5", "sent"), ("0", "sent")):
        assert told.submit(new_task(), problem(503, "overloaded", Retry_After=said))["status"] == status


def test_a_report_travels_as_the_python_client_sends_it(context: Any, port: int) -> None:
    told, task = Told(context, port), new_task()
    receipt = told.submit(task)
    assert [json.loads(body) for body in told.sent] == [{"reports": as_items(as_report(receipt))}]


def test_a_page_killed_before_it_sends_loses_nothing(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    held: list[Any] = []
    tab.page.route("**/reports", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    tab.start(url(collector), {}, "submit", task.id, PAIRS)
    wait_for(tab, lambda: bool(held))
    body = held[0].request.post_data_json["reports"]
    tab.page.close()
    after = Tab(context, port)
    waiting = after.call(url(collector), {}, "prepare", task.id, {})
    assert (waiting["status"], waiting["perturbed"]) == ("waiting", False)
    [sent] = after.call(url(collector), {}, "flush")
    assert sent == waiting | {"status": "sent"}
    check_one(collector, task, sent)
    assert body == as_items(as_report(sent))


def test_a_lost_answer_costs_nothing(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)

    def lose(route: Any) -> None:
        route.fetch()
        route.abort()

    tab.page.route("**/reports", lose)
    waiting = tab.call(url(collector), QUICK, "submit", task.id, PAIRS)
    assert waiting["status"] == "waiting"
    tab.page.unroute("**/reports")
    assert tab.call(url(collector), QUICK, "submit", task.id, PAIRS)["status"] == "sent"
    check_one(collector, task, waiting)


def test_a_browser_that_ends_remembers(browsers: Any, tmp_path: Path, port: int, collector: Running) -> None:
    task = collector.add_task()
    first = browsers.launch_persistent_context(str(tmp_path), **OPTIONS)
    made = Tab(first, port).call(url(collector), {}, "prepare", task.id, PAIRS)
    first.close()
    second = browsers.launch_persistent_context(str(tmp_path), **OPTIONS)
    sent = Tab(second, port).call(url(collector), {}, "submit", task.id, {})
    second.close()
    assert (sent["perturbed"], sent["report"]) == (False, made["report"])
    check_one(collector, task, made)


def test_an_insecure_page_is_told_why(context: Any, port: int, collector: Running) -> None:
    refused = Tab(context, port, INSECURE).call(url(collector), {}, "submit", collector.add_task().id, PAIRS)
    assert refused["code"] == "no_crypto"
    assert "https" in refused["message"]
