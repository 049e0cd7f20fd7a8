"""The JavaScript client asks its collector before it perturbs, and perturbs by the collector's coin where a task says so."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from pckv import Task
from pckv.base.canonical import base64url, from_base64url
from pckv.base.errors import AuditFailure
from pckv.client.transport import explain
from pckv.contract.coins import follows_coin
from support.browser import PAIRS, QUICK, ScriptedBrowser, Tab, as_report, pages
from support.client_collector import LOST, Reply, problem
from support.faults import faulty_client

REFUSALS = {
    "closed": problem(403, "closed"),
    "not_open": problem(403, "not-open", "it opens on 2999-01-01"),
    "unknown": problem(404, "unknown"),
    "deleted": problem(410, "deleted"),
    "invitation_unknown": problem(403, "invitation-unknown"),
    "invitation_spent": problem(403, "invitation-spent"),
    "malformed": problem(400, "malformed"),
    "HTTP 403": problem(403, "\x1b[2J"),
}
# What only a collector decides by.
SILENCES = (
    LOST,
    Reply(500),
    problem(503, "overloaded"),
    problem(429, "too-often"),
    Reply(404, b"<h1>Not found", "text/html"),
    Reply(200, b"<h1>Welcome to the hotel", "text/html"),
    Reply(200, b'{"coin":null}', "text/html"),
    Reply(200, b"{}"),
    Reply(200, b"null"),
    Reply(403, b'{"type":"urn:pckv:problem:closed"}'),
)
COIN = bytes(range(16))
NO_COINS = ("A" * 21, "A" * 23, "A" * 21 + "B", "A" * 21 + "=", "", None, 5, ["A" * 22])
# Notes what arrays of bytes are filled with: a report is made of such, and nothing else is.
NOTE_RANDOMNESS = """() => {
    const fill = crypto.getRandomValues.bind(crypto);
    window.made = 0;
    crypto.getRandomValues = (data) => {
        if (data instanceof Uint8Array) window.made++;
        return fill(data);
    };
}"""

_numbers = itertools.count()


def new_task(coin: str = "device", **members: Any) -> Task:
    """Return a task of a survey of its own, that costs little."""
    given: dict[str, Any] = {
        "keys": 11,
        "values": (0, 1),
        "epsilon": "0.05",
        "mechanism": "collision",
    } | members
    return Task(name=f"survey {next(_numbers)}", coin=coin, **given)  # fmt: skip


def coin_reply(coin: object = base64url(COIN)) -> Reply:
    return Reply(200, json.dumps({"coin": coin}).encode())


class AskingBrowser(ScriptedBrowser):
    """A browser whose client asks for admission."""

    hanging_path = "/admission"

    def open(self) -> Tab:
        tab = super().open()
        tab.page.evaluate(NOTE_RANDOMNESS)
        return tab

    def call(self, method: str, task: Task, *given: Any, reply: Reply | None = None) -> Any:
        """Call a client whose collector answers every request for admission; twice, since the client tries twice."""
        self.collector.tasks[task.id] = task.to_json().encode()
        self.collector.admissions.extend([] if reply is None else [reply] * 2)
        result = self.tab.call(self.address, QUICK, method, task.id, *given)
        self.collector.admissions.clear()
        return result

    def submit(self, task: Task, reply: Reply | None = None, **options: str) -> Any:
        return self.call("submit", task, PAIRS, options, reply=reply)

    def die_while_asking(self, task: Task, **options: str) -> None:
        """Submit, and end the page at once when it asked for admission."""
        self.collector.tasks[task.id] = task.to_json().encode()
        self.die(task, PAIRS, options, lambda: bool(self.asked(task)))

    def asked(self, task: Task) -> list[bytes]:
        """Return what was sent to ask for admission to a task."""
        path = f"/tasks/{task.id}/admission"
        return [request.body for request in self.collector.received if request.path == path]

    def check_nothing_happened(self, task: Task) -> None:
        """Check that nothing was perturbed, stored, spent or sent."""
        made = self.tab.page.evaluate("window.made")
        ledger = self.tab.call(self.address, QUICK, "ledger")
        sent = [request for request in self.collector.received if request.path.endswith("/reports")]
        if made or ledger or sent or self.call("receipt", task) is not None:
            raise AuditFailure(f"admission: {made} reports made, {len(ledger)} recorded, {len(sent)} sent")


def check_refusals(context: Any, port: int) -> None:
    """Check that nothing is perturbed where the collector would take no report."""
    browser, task = AskingBrowser(context, port), new_task()
    for code, reply in REFUSALS.items():
        for method, given in (("check", ()), ("submit", (PAIRS,))):
            refused = browser.call(method, task, *given, {"invitation": "an invitation"}, reply=reply)
            browser.check_nothing_happened(task)
            if not refused or refused["code"] != code:
                raise AuditFailure(f"admission: {refused} after {reply}")
            words = f"no report of task {task.id} can be made: {explain(code)}"
            assert refused["message"].startswith(words)
            assert refused["message"].endswith("; nothing was perturbed")
    if set(browser.asked(task)) != {b'{"invitation":"an invitation"}'}:
        raise AuditFailure("admission: asked without the invitation")
    # What was refused can be made later, once.
    assert browser.submit(task)["status"] == "sent"
    assert browser.tab.page.evaluate("window.made") == 2, "an id and a block of draws"
    asked = len(browser.asked(task))
    assert browser.submit(task, REFUSALS["closed"])["perturbed"] is False
    assert len(browser.asked(task)) == asked
    assert browser.tab.errors == []


def check_coins(context: Any, port: int) -> None:
    """Check that a report is made by the collector's coin, and none without."""
    browser = AskingBrowser(context, port)
    for share in ("0", "0.5"):
        task = new_task("server", size_share=share, padding=2)
        for reply in (*SILENCES, *map(coin_reply, NO_COINS)):
            refused = browser.submit(task, reply, invitation="one")
            if refused.get("code") != "not_sent":
                raise AuditFailure(f"coins: {refused} after {reply}")
        receipt = browser.submit(task, coin_reply(), invitation="one")
        report = as_report(receipt)
        if report.id != COIN or not follows_coin(task, COIN, task.message_format.decode(report.body)):
            raise AuditFailure("coins: the report does not follow its coin")
        [item] = json.loads(browser.collector.sent[-1])["reports"]
        assert (from_base64url(item["id"]), item["invitation"]) == (COIN, "one")


CHECKS = (check_refusals, check_coins)


@pytest.mark.parametrize("check", CHECKS)
def test_the_client_passes(context: Any, port: int, check: Any) -> None:
    check(context, port)


FAULTS: dict[str, tuple[dict[str, str], Any]] = {
    "problems are ignored": ({"requireAnswer(answer, !kind || temporary": "requireAnswer(answer, true"}, check_refusals),
    "spent invitations are ignored": (
        {"requireAnswer(answer, !kind ||": 'requireAnswer(answer, !kind || kind === "invitation-spent" ||'},
        check_refusals,
    ),
    "the invitation is not shown": ({'"admission", { invitation }': '"admission", {}'}, check_refusals),
    "perturbed before it asks": ({"checkHeld();": "checkHeld(); perturb(task, {});"}, check_refusals),
    "a coin of its own where none comes": (
        {"return coinOf(task, fromBase64url(said.coin));": "return coinOf(task, crypto.getRandomValues(new Uint8Array(16)));"},
        check_coins,
    ),
    "any text is a coin": ({"text?.length === 22 &&": "text?.length > 0 ||"}, check_coins),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mutant_is_caught(context: Any, tmp_path: Path, fault: str) -> None:
    faults, check = FAULTS[fault]
    with pages(faulty_client(tmp_path, "index.js", faults)) as port, pytest.raises(AuditFailure):
        check(context, port)


def test_without_an_answer_the_days_of_a_task_decide(context: Any, port: int) -> None:
    browser = AskingBrowser(context, port)
    for days, message in (
        ({"opens": "2999-01-01"}, "opens on 2999-01-01"),
        ({"closes": "2020-01-01"}, "closed on 2020-01-01"),
    ):
        task = new_task(**days)
        for refused in (browser.submit(task, LOST), browser.call("check", task)):
            browser.check_nothing_happened(task)
            assert refused["code"] == "not_sent"
            assert refused["message"] == f"task {task.id} {message}; nothing was perturbed"
    for reply in SILENCES:
        receipt = browser.submit(new_task(), reply)
        assert (receipt["status"], receipt["perturbed"]) == ("sent", True), reply


def test_a_page_that_dies_while_it_asks_gets_its_coin_again(context: Any, port: int) -> None:
    browser, task = AskingBrowser(context, port), new_task("server")
    browser.die_while_asking(task, invitation="one")
    browser.check_nothing_happened(task)
    receipt = browser.submit(task, coin_reply(), invitation="one")
    assert (receipt["perturbed"], as_report(receipt).id) == (True, COIN)
    assert browser.asked(task) == [b'{"invitation":"one"}'] * 2


def test_nobody_is_asked_about_what_cannot_be_reported(context: Any, port: int) -> None:
    browser, task = AskingBrowser(context, port), new_task(padding=1, more="refuse")
    refused = browser.submit(task)
    assert refused["code"] == "bad_pairs"
    again = Task.from_json(task.to_json().replace('"opens":null', '"opens":"2020-01-01"'))
    assert browser.call("submit", task, {"1": 1})["status"] == "sent"
    asked = browser.asked(task)
    for method, given in (("check", ()), ("submit", (PAIRS,))):
        assert browser.call(method, again, *given)["code"] == "answered"
    assert (asked, browser.asked(again)) == ([b"{}"], [])
    assert browser.submit(new_task(), invitation="")["code"] == "bad_parameter"
    assert browser.call("check", new_task(), {"invitation": ""})["code"] == "bad_parameter"


def test_a_report_that_was_made_with_a_coin_keeps_its_invitation(context: Any, port: int) -> None:
    browser, task = AskingBrowser(context, port), new_task("server")
    browser.collector.replies.append(problem(401, "bad-token"))
    assert browser.submit(task, coin_reply(), invitation="one")["status"] == "waiting"
    assert browser.submit(task, invitation="another")["status"] == "sent"
    invitations = [json.loads(body)["reports"][0]["invitation"] for body in browser.collector.sent]
    assert invitations == ["one", "one"]


def test_the_browser_is_asked_not_to_forget(context: Any, port: int) -> None:
    """When a report is made, whatever the browser answers; reading a task, asking and sending again is no reason."""
    browser = AskingBrowser(context, port)
    for answer in ("Promise.resolve(true)", "Promise.resolve(false)", "Promise.reject(new Error())", "new Promise(() => {})"):  # fmt: skip
        browser.tab.page.evaluate(
            f"() => {{ window.asked = 0; StorageManager.prototype.persist = () => (window.asked++, {answer}); }}"
        )
        task = new_task()
        browser.call("task", task)
        browser.call("check", task)
        assert browser.submit(task, REFUSALS["closed"])["code"] == "closed"
        assert browser.tab.page.evaluate("window.asked") == 0
        assert [browser.submit(task)["status"] for _ in range(2)] == ["sent", "sent"]
        assert browser.tab.page.evaluate("window.asked") == 1
    assert browser.tab.errors == []
