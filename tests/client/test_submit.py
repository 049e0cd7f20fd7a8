"""One report per task: what is perturbed, fetched and sent."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pckv import Report, Task
from pckv.base.canonical import from_base64url
from pckv.base.days import utc_today
from pckv.base.errors import ClientError, PairsError, ParameterError
from pckv.client import Client, LedgerEntry, Status
from support.client_collector import FakeCollector, problem
from support.client_devices import KEYS, MOVIES, PAIRS, QUICK, device, stored_files


def test_a_report_is_sent(collector: FakeCollector, state: Path, perturbed_reports: list[Report]) -> None:
    client = device(collector, state)
    receipt = client.submit(MOVIES.id, PAIRS)
    epsilon = Decimal(repr(MOVIES.realised_epsilon))
    assert (receipt.task, receipt.status, receipt.epsilon) == (MOVIES.id, "sent", epsilon)
    assert (receipt.perturbed, receipt.reason) == (True, "")
    fetched, asked, sent = collector.received
    assert (fetched.method, fetched.path) == ("GET", f"/tasks/{MOVIES.id}")
    assert (asked.method, asked.path, asked.body) == ("POST", f"/tasks/{MOVIES.id}/admission", b"{}")
    assert (sent.method, sent.path) == ("POST", f"/tasks/{MOVIES.id}/reports")
    [report] = json.loads(sent.body)["reports"]
    # The collector decodes strictly: any other encoding of these bytes would be refused.
    assert perturbed_reports == [Report(from_base64url(report["id"]), from_base64url(report["body"]))]
    MOVIES.message_format.decode(perturbed_reports[0].body)
    assert client.ledger() == [LedgerEntry("movies", MOVIES.id, epsilon, Status.SENT, utc_today())]
    assert (client.spent, client.cap) == (epsilon, Decimal(10))


def test_a_request_says_nothing_about_the_device(collector: FakeCollector, state: Path) -> None:
    device(collector, state).submit(MOVIES.id, PAIRS)
    fetched, asked, sent = ({name.lower(): value for name, value in r.headers.items()} for r in collector.received)
    common = {
        "host": collector.url.removeprefix("http://"),
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": "pckv",
    }
    assert fetched == common
    for posted, size in ((asked, 2), (sent, len(collector.sent[0]))):
        assert posted == common | {"content-type": "application/json", "content-length": str(size)}
    assert json.loads(collector.sent[0]).keys() == {"reports"}


@pytest.mark.parametrize("pairs", [PAIRS, {"heat": 1.0}, {"no such key": 99.0}])
def test_a_task_is_perturbed_once(
    collector: FakeCollector, state: Path, perturbed_reports: list[Report], pairs: dict[str, float]
) -> None:
    device(collector, state).submit(MOVIES.id, PAIRS)
    seen = len(collector.received)
    again = device(collector, state).submit(MOVIES.id, pairs)
    assert (again.status, again.perturbed) == ("sent", False)
    assert (len(perturbed_reports), len(collector.received)) == (1, seen)


def test_bad_pairs_spend_nothing(collector: FakeCollector, state: Path) -> None:
    client = device(collector, state)
    with pytest.raises(PairsError, match="no such key"):
        client.submit(MOVIES.id, {"no such key": 1})
    assert client.spent == 0
    assert collector.sent == []
    assert client.submit(MOVIES.id, PAIRS).perturbed


def test_offline_first_sent_later(collector: FakeCollector, state: Path, perturbed_reports: list[Report]) -> None:
    with FakeCollector(MOVIES).serving() as gone:
        url, port = gone.url, int(gone.url.rpartition(":")[2])
        Client(url, state).task(MOVIES.id)
    client = Client(url, state, retry_policy=QUICK)
    receipt = client.submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed) == ("waiting", True)
    assert "refused" in receipt.reason  # The connection was refused.
    assert client.ledger() == [LedgerEntry("movies", MOVIES.id, receipt.epsilon, Status.WAITING, utc_today())]
    assert client.submit(MOVIES.id, {}).status == "waiting"
    assert [waiting.status for waiting in client.flush()] == ["waiting"]
    with FakeCollector(MOVIES).serving(port) as back:
        [receipt] = Client(url, state, retry_policy=QUICK).flush()
        assert (receipt.status, receipt.perturbed) == ("sent", False)
        assert client.flush() == []
        assert client.submit(MOVIES.id, {}).status == "sent"
        assert len(back.sent) == 1
    assert len(perturbed_reports) == 1
    assert collector.received == []


def test_offline_without_the_task_nothing_is_perturbed(state: Path, perturbed_reports: list[Report]) -> None:
    with FakeCollector().serving() as gone:
        url = gone.url
    with pytest.raises(ClientError, match="nothing was perturbed") as caught:
        Client(url, state, retry_policy=QUICK).submit(MOVIES.id, PAIRS)
    assert (caught.value.code, perturbed_reports, stored_files(state)) == ("not_sent", [], {})


def test_a_task_that_is_not_there_is_told_in_words(collector: FakeCollector, state: Path) -> None:
    collector.tasks.clear()
    address = f"{collector.url}/tasks/{MOVIES.id}"
    for reply, code, words in (
        (None, "unknown", "there is no such task"),
        (problem(410, "deleted"), "deleted", "the task was deleted"),
        (problem(503, "overloaded"), "not_sent", "overloaded"),
    ):
        collector.answers.extend([reply] * QUICK.tries if reply else [])
        with pytest.raises(ClientError) as caught:
            device(collector, state).task(MOVIES.id)
        assert (caught.value.code, str(caught.value)) == (code, f"{address}: {words}; nothing was perturbed")
        collector.answers.clear()


def test_a_task_is_fetched_once(collector: FakeCollector, state: Path) -> None:
    assert device(collector, state).task(MOVIES.id) == MOVIES
    collector.tasks.clear()
    assert device(collector, state).task(MOVIES.id) == MOVIES
    assert len(collector.received) == 1


@pytest.mark.parametrize(
    "text",
    [
        Task(name="movies", keys=KEYS, values=(1, 5), epsilon=20).to_json(),
        MOVIES.to_json() + "\n",
        MOVIES.to_json().replace(":", ": "),
        "",
        "{}",
        "\udcff",
    ],
)
def test_another_task_is_refused(
    collector: FakeCollector, state: Path, text: str, perturbed_reports: list[Report]
) -> None:
    collector.tasks[MOVIES.id] = text.encode(errors="surrogateescape")
    with pytest.raises(ClientError) as caught:
        device(collector, state).submit(MOVIES.id, PAIRS)
    assert caught.value.code == "wrong_task"
    assert "\n" not in str(caught.value)
    assert (perturbed_reports, collector.sent, stored_files(state)) == ([], [], {})


@pytest.mark.parametrize("task_id", ["", "../../../etc/passwd", MOVIES.id[:-1], MOVIES.id + "=", "é" * 43, None])
def test_only_valid_task_ids_are_requested(collector: FakeCollector, state: Path, task_id: Any) -> None:
    for call in (
        device(collector, state).task,
        lambda task_id: device(collector, state).submit(task_id, PAIRS),
    ):
        with pytest.raises(ClientError, match="is not the id of a task") as caught:
            call(task_id)
        assert caught.value.code == "wrong_task"
    assert (collector.received, stored_files(state)) == ([], {})


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "ftp://example.org", "file:///etc/passwd", "http://", "http://a b", "http://a:x", "http://ä",
     "http://user:word@host", "http://host?query", "http://host#part", "http://[::1", "http://host/\n"],
)  # fmt: skip
def test_bad_addresses_are_refused(url: str, state: Path) -> None:
    with pytest.raises(ParameterError, match="is not a collector's address"):
        Client(url, state)


def test_an_address_may_have_a_path(state: Path) -> None:
    assert Client("https://example.org/collect/", state).url == "https://example.org/collect"


def test_a_closed_task_spends_nothing(state: Path, perturbed_reports: list[Report]) -> None:
    """On its closing day a task takes no more reports: a report would spend ε for nothing."""
    today = dt.datetime.now(dt.UTC).date()
    over, last = (
        Task(name="movies", keys=KEYS, values=(1, 5), epsilon=1, closes=str(today + dt.timedelta(days)))
        for days in (0, 2)
    )
    with FakeCollector(over, last).serving() as collector:
        client = device(collector, state)
        with pytest.raises(ClientError, match=f"closed on {today}; nothing was perturbed"):
            client.submit(over.id, PAIRS)
        assert (perturbed_reports, collector.sent, client.spent) == ([], [], Decimal(0))
        assert client.submit(last.id, PAIRS).status == "sent"


def test_a_client_loads_the_standard_library_alone() -> None:
    script = (
        "import sys, pckv.client\n"
        "loaded = {name.split('.')[0] for name in sys.modules} & {'numpy', 'click', 'rich', 'pyarrow'}\n"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_status_is_a_word() -> None:
    assert [str(status) for status in Status] == ["sent", "waiting", "refused", "removed"]


MANY = Task(name="many", keys=40, values=(0, 1), epsilon=1, padding=3, mechanism="grr", size_share=0)


@pytest.mark.parametrize("invitation", [None, "token"])
def test_whether_and_how_a_report_is_sent_does_not_depend_on_the_pairs(
    collector: FakeCollector, tmp_path: Path, invitation: str | None
) -> None:
    """No pairs, few, more than the padding, all: the same requests but for id and word, and the same files."""
    collector.tasks[MANY.id] = MANY.to_json().encode()
    seen = []
    for size in (0, 1, 3, 4, 40):
        before, state = len(collector.received), tmp_path / f"state {size}"
        pairs = {str(key): float(key % 2) for key in range(size)}
        assert device(collector, state).submit(MANY.id, pairs, invitation=invitation).status == "sent"
        requests = [
            (each.method, each.path, dict(each.headers), len(each.body)) for each in collector.received[before:]
        ]
        [report] = json.loads(collector.sent[-1])["reports"]
        files = {name: len(data) for name, data in stored_files(state).items()}
        seen.append((requests, {name: len(text) for name, text in report.items()}, files))
    assert all(each == seen[0] for each in seen)
