"""The JavaScript client in a browser: the vectors, and one report per task whatever happens to its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pckv import Report, Task
from pckv.base.canonical import from_base64url
from pckv.client.ledger import realised_epsilon
from pckv.mechanisms.registry import LAWS
from support.browser import INSECURE, OPTIONS, PAIRS, QUICK, Tab, as_report, check_one, url, wait_for
from support.client_vectors import check_answers, vectors
from support.collectors import Running, as_items
from support.stores import stored_reports


def test_vectors_in_a_browser(context: Any, port: int, covers_all: bool) -> None:
    """Every fifth of each kind by default, since Node answers all of them; with `--all` all."""
    tab = Tab(context, port)
    step = 1 if covers_all else 5
    cases = {name: given[::step] for name, given in vectors().items()}
    answers = tab.page.evaluate(
        "async (given) => (await import('/javascript/answers.mjs')).answers('/client', given)", cases
    )
    check_answers(cases, answers)
    assert tab.errors == []


@pytest.mark.parametrize("mechanism", LAWS)
def test_submit(context: Any, port: int, collector: Running, mechanism: str) -> None:
    task = collector.add_task(mechanism=mechanism)
    tab = Tab(context, port)
    receipt = tab.call(url(collector), {}, "submit", task.id, PAIRS)
    epsilon = f"{realised_epsilon(task):f}"
    expected = {"task": task.id, "status": "sent", "epsilon": epsilon, "perturbed": True, "reason": ""}
    assert {name: receipt[name] for name in expected} == expected
    task.message_format.decode(as_report(receipt).body)
    check_one(collector, task, receipt)
    again = tab.call(url(collector), {}, "submit", task.id, {"no such key": 7})
    assert again == receipt | {"perturbed": False}
    [entry] = tab.call(url(collector), {}, "ledger")
    text = f"On {entry['day']}, a report for “{task.name}” spent ε = {epsilon}; the collector has the report."
    given = {"survey": task.name, "task": task.id, "epsilon": epsilon, "status": "sent"}
    assert entry == given | {"day": entry["day"], "text": text}
    assert tab.call(url(collector), {}, "spent") == epsilon
    assert tab.errors == []


def test_more_pairs_than_a_task_takes_are_refused_before_anything_is_perturbed(
    context: Any, port: int, collector: Running
) -> None:
    task = collector.add_task(padding=1, more="refuse")
    tab = Tab(context, port)
    refused = tab.call(url(collector), {}, "submit", task.id, PAIRS)
    assert (refused["code"], len(PAIRS)) == ("bad_pairs", 2)
    assert tab.call(url(collector), {}, "ledger") == []
    key, value = next(iter(PAIRS.items()))
    check_one(collector, task, tab.call(url(collector), {}, "submit", task.id, {key: value}))


def made_offline(tab: Tab, collector: Running, task: Task) -> dict[str, Any]:
    """Let a page make a report that does not reach the collector; return the receipt."""
    tab.page.route("**/reports", lambda route: route.abort())
    receipt = tab.call(url(collector), QUICK, "submit", task.id, PAIRS)
    tab.page.unroute("**/reports")
    assert (receipt["status"], receipt["perturbed"]) == ("waiting", True)
    return dict(receipt)


def test_a_report_is_shown_once_it_was_sent(context: Any, port: int, collector: Running) -> None:
    """No page shows a report that might still be kept back."""
    task = collector.add_task()
    tab = Tab(context, port)
    assert tab.call(url(collector), {}, "receipt", task.id) is None
    waiting = made_offline(tab, collector, task)
    assert waiting["report"] is None
    assert tab.call(url(collector), {}, "receipt", task.id) == waiting | {"perturbed": False}
    sent = Tab(context, port).call(url(collector), {}, "send", task.id)
    assert (sent["status"], sent["perturbed"]) == ("sent", False)
    check_one(collector, task, sent)
    assert tab.call(url(collector), {}, "receipt", task.id) == sent


def test_send_needs_a_report(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    assert Tab(context, port).call(url(collector), {}, "send", task.id)["code"] == "not_sent"


def test_bad_pairs_spend_nothing(context: Any, port: int, collector: Running) -> None:
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
    assert {(receipt["status"], receipt["perturbed"]) for receipt in receipts} == {("waiting", True)}
    assert all(receipt["reason"].startswith("no answer") for receipt in receipts)
    assert {receipt["status"] for receipt in tab.call(url(collector), QUICK, "flush")} == {"waiting"}
    context.set_offline(False)
    # No report waits for another collector.
    assert tab.call("http://127.0.0.1:1", QUICK, "flush") == []
    tab.page.reload()
    assert {receipt["status"] for receipt in tab.call(url(collector), QUICK, "flush")} == {"sent"}
    assert tab.call(url(collector), QUICK, "flush") == []
    for task in tasks:
        check_one(collector, task, tab.call(url(collector), QUICK, "receipt", task.id))


GONE_OFFLINE = """address => fetch(address, { cache: "no-store", mode: "no-cors" }).then(
    () => false, () => !navigator.onLine)"""


def test_offline_without_the_task_nothing_is_perturbed(context: Any, port: int, collector: Running) -> None:
    tab = Tab(context, port)
    tab.page.evaluate("() => import('/client/index.js')")
    context.set_offline(True)
    # On a busy machine the browser goes offline a moment later.
    tab.page.wait_for_function(GONE_OFFLINE, arg=f"{url(collector)}/healthz")
    refused = tab.call(url(collector), QUICK, "submit", collector.add_task().id, PAIRS)
    assert refused["code"] == "not_sent"
    assert tab.call(url(collector), QUICK, "spent") == "0"


def test_a_closed_task_spends_nothing(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task(closes="2020-01-01")
    tab = Tab(context, port)
    refused = tab.call(url(collector), {}, "submit", task.id, PAIRS)
    assert refused["code"] == "not_sent"
    assert refused["message"] == f"task {task.id} closed on 2020-01-01; nothing was perturbed"
    assert tab.call(url(collector), {}, "spent") == "0"


def test_a_report_from_before_the_end_is_sent_after_it(context: Any, port: int, collector: Running) -> None:
    """The collector decides: it closes by its own clock."""
    task = collector.add_task(closes="2999-01-01")
    tab = Tab(context, port)
    made_offline(tab, collector, task)
    tab.set_clock("2999-01-02T00:00:00Z")
    sent = tab.call(url(collector), {}, "submit", task.id, {})
    assert (sent["status"], sent["perturbed"]) == ("sent", False)
    check_one(collector, task, sent)


def test_a_refusal_is_final(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    made_offline(tab, collector, task)
    collector.administer("POST", f"/tasks/{task.id}/close")
    for method, *given in (("submit", PAIRS), ("send",), ("submit", PAIRS)):
        refused = tab.call(url(collector), {}, method, task.id, *given)
        assert refused["code"] == "refused"
        assert "takes no more reports" in refused["message"]
    assert tab.call(url(collector), {}, "flush") == []
    assert tab.call(url(collector), {}, "spent") == f"{realised_epsilon(task):f}"
    assert stored_reports(collector.store, task) == []


def test_a_conflict_is_final(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    taken: list[Report] = []

    def overtake(route: Any) -> None:
        [item] = route.request.post_data_json["reports"]
        body = from_base64url(item["body"])
        taken.append(Report(from_base64url(item["id"]), bytes([body[0] ^ 1]) + body[1:]))
        collector.upload(task, *taken)
        route.continue_()

    tab.page.route("**/reports", overtake)
    refused = tab.call(url(collector), {}, "submit", task.id, PAIRS)
    assert (refused["code"], "another report with the same id" in refused["message"]) == ("refused", True)
    collector.check(task, *taken)


def test_an_invitation_travels_with_its_report(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    [token] = collector.administer("POST", f"/tasks/{task.id}/invitations").json()["invitations"]
    tab = Tab(context, port)
    for options in ({"invitation": "mistyped"}, {}):
        refused = tab.call(url(collector), {}, "submit", task.id, PAIRS, options)
        assert refused["code"] == "invitation_unknown"
    receipt = tab.call(url(collector), {}, "submit", task.id, PAIRS, {"invitation": token})
    assert (receipt["status"], receipt["perturbed"]) == ("sent", True)
    check_one(collector, task, receipt)
    other = Tab(context.browser.new_context(), port)
    spent = other.call(url(collector), {}, "submit", task.id, PAIRS, {"invitation": token})
    assert (spent["code"], other.call(url(collector), {}, "spent")) == ("invitation_spent", "0")
    other.page.context.close()
    assert tab.call(url(collector), {}, "submit", task.id, {}, {"invitation": ""})["code"] == "bad_parameter"


def test_the_answer_of_a_network_portal_decides_nothing(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    tab.call(url(collector), {}, "task", task.id)
    waiting = tab.call(f"http://localhost:{port}", QUICK, "submit", task.id, PAIRS)
    assert (waiting["status"], waiting["reason"]) == ("waiting", "HTTP 300")
    sent = tab.call(url(collector), {}, "submit", task.id, {})
    assert (sent["status"], sent["perturbed"]) == ("sent", False)
    check_one(collector, task, sent)


def test_a_page_killed_before_it_sends_loses_nothing(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)
    held: list[Any] = []
    tab.page.route("**/reports", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    tab.start(url(collector), {}, "submit", task.id, PAIRS)
    wait_for(tab.page, lambda: bool(held))
    body = held[0].request.post_data_json["reports"]
    tab.page.close()
    after = Tab(context, port)
    assert after.call(url(collector), {}, "receipt", task.id)["status"] == "waiting"
    [sent] = after.call(url(collector), {}, "flush")
    assert (sent["status"], sent["perturbed"]) == ("sent", False)
    check_one(collector, task, sent)
    assert body == as_items(as_report(sent))


def test_a_report_whose_answer_is_lost_is_sent_again(context: Any, port: int, collector: Running) -> None:
    task = collector.add_task()
    tab = Tab(context, port)

    def lose(route: Any) -> None:
        route.fetch()
        route.abort()

    tab.page.route("**/reports", lose)
    waiting = tab.call(url(collector), QUICK, "submit", task.id, PAIRS)
    assert waiting["status"] == "waiting"
    tab.page.unroute("**/reports")
    sent = tab.call(url(collector), QUICK, "submit", task.id, PAIRS)
    assert (sent["status"], sent["perturbed"]) == ("sent", False)
    check_one(collector, task, sent)


def test_a_report_survives_a_restart_of_the_browser(
    browsers: Any, tmp_path: Path, port: int, collector: Running
) -> None:
    task = collector.add_task()
    first = browsers.launch_persistent_context(str(tmp_path), **OPTIONS)
    made_offline(Tab(first, port), collector, task)
    first.close()
    second = browsers.launch_persistent_context(str(tmp_path), **OPTIONS)
    sent = Tab(second, port).call(url(collector), {}, "submit", task.id, {})
    second.close()
    assert sent["perturbed"] is False
    check_one(collector, task, sent)


def test_an_insecure_page_is_told_why(context: Any, port: int, collector: Running) -> None:
    refused = Tab(context, port, INSECURE).call(url(collector), {}, "submit", collector.add_task().id, PAIRS)
    assert refused["code"] == "no_crypto"
    assert "https" in refused["message"]
