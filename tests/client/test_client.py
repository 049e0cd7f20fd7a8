"""The client: one report a task, the same bytes, whatever fails in between."""

from __future__ import annotations

import datetime as dt
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import pckv.client
import pckv.client.folder as folders
from pckv import Report, Task
from pckv.canonical import from_base64url
from pckv.cli import main
from pckv.cli.submit import default_state
from pckv.client import Client, Patience, Status
from pckv.errors import ClientError, DataError, PairsError, ParameterError
from support.client_collector import LOST, Double, Reply, problem
from support.parts import SUPPORT

KEYS = ["alien", "heat"]
MOVIES = Task(name="movies", keys=KEYS, values=(1, 5), epsilon=1)
OTHERS = Task(name="others", keys=KEYS, values=(1, 5), epsilon="0.500000001", mechanism="ue")
PILOT = Task(name="movies", keys=KEYS, values=(1, 5), epsilon=1, padding=8, kind="sizes")
PAIRS = {"alien": 5.0}
QUICK = Patience(tries=3, seconds=2.0, first_pause=0.001, timeout=0.3)
CHILDREN = SUPPORT / "client_children.py"


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def double() -> Iterator[Double]:
    with Double(MOVIES, OTHERS, PILOT).serving() as serving:
        yield serving


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Report]:
    """All reports that were perturbed."""
    reports: list[Report] = []

    def watched(task: Task, pairs: dict[str, float]) -> Report:
        reports.append(pckv.perturb(task, pairs))
        return reports[-1]

    monkeypatch.setattr(pckv.client, "perturb", watched)
    return reports


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which nobody waits for."""
    taken: list[float] = []
    monkeypatch.setattr("pckv.client.transport.time.sleep", taken.append)
    return taken


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "some" / "state"


def device(double: Double, state: Path, **options: Any) -> Client:
    return Client(double.url, state, **({"patience": QUICK} | options))


def files(state: Path) -> dict[str, bytes]:
    return {place.name: place.read_bytes() for place in state.iterdir()} if state.exists() else {}


# --- what is sent ---


def test_a_report_is_sent(double: Double, state: Path, made: list[Report]) -> None:
    client = device(double, state)
    receipt = client.submit(MOVIES.id, PAIRS)
    epsilon = Decimal(repr(MOVIES.realised_epsilon))
    assert (receipt.task, receipt.status, receipt.epsilon) == (MOVIES.id, "sent", epsilon)
    assert (receipt.perturbed, receipt.reason) == (True, "")
    fetched, sent = double.received
    assert (fetched.method, fetched.path) == ("GET", f"/tasks/{MOVIES.id}")
    assert (sent.method, sent.path) == ("POST", f"/tasks/{MOVIES.id}/reports")
    [report] = json.loads(sent.body)["reports"]
    # The collector decodes strictly: any other way to write these bytes would be refused.
    assert made == [Report(from_base64url(report["id"]), from_base64url(report["body"]))]
    MOVIES.channel.message_format.decode(made[0].body)
    assert client.ledger == {MOVIES.id: epsilon}
    assert client.spent == epsilon


def test_a_request_says_nothing_about_the_device(double: Double, state: Path) -> None:
    device(double, state).submit(MOVIES.id, PAIRS)
    fetched, sent = ({name.lower(): value for name, value in r.headers.items()} for r in double.received)
    common = {
        "host": double.url.removeprefix("http://"),
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": "pckv",
    }
    size = str(len(double.sent[0]))
    assert fetched == common
    assert sent == common | {"content-type": "application/json", "content-length": size}
    assert json.loads(double.sent[0]).keys() == {"reports"}


@pytest.mark.parametrize("pairs", [PAIRS, {"heat": 1.0}, {"no such key": 99.0}])
def test_a_task_is_perturbed_once(
    double: Double, state: Path, made: list[Report], pairs: dict[str, float]
) -> None:
    device(double, state).submit(MOVIES.id, PAIRS)
    seen = len(double.received)
    again = device(double, state).submit(MOVIES.id, pairs)
    assert (again.status, again.perturbed) == ("sent", False)
    assert (len(made), len(double.received)) == (1, seen)


def test_bad_pairs_cost_nothing(double: Double, state: Path) -> None:
    client = device(double, state)
    with pytest.raises(PairsError, match="no such key"):
        client.submit(MOVIES.id, {"no such key": 1})
    assert client.spent == 0
    assert double.sent == []
    assert client.submit(MOVIES.id, PAIRS).perturbed


def test_offline_first_sent_later(double: Double, state: Path, made: list[Report]) -> None:
    with Double(MOVIES).serving() as gone:
        url, port = gone.url, int(gone.url.rpartition(":")[2])
        Client(url, state).task(MOVIES.id)
    client = Client(url, state, patience=QUICK)
    receipt = client.submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed) == ("waiting", True)
    assert "refused" in receipt.reason  # The connection was.
    assert client.ledger == {MOVIES.id: receipt.epsilon}
    assert client.submit(MOVIES.id, {}).status == "waiting"
    assert [waiting.status for waiting in client.flush()] == ["waiting"]
    with Double(MOVIES).serving(port) as back:
        [receipt] = Client(url, state, patience=QUICK).flush()
        assert (receipt.status, receipt.perturbed) == ("sent", False)
        assert client.flush() == []
        assert client.submit(MOVIES.id, {}).status == "sent"
        assert len(back.sent) == 1
    assert len(made) == 1
    assert double.received == []


def test_offline_without_the_task_nothing_is_perturbed(state: Path, made: list[Report]) -> None:
    with Double().serving() as gone:
        url = gone.url
    with pytest.raises(ClientError, match="nothing was perturbed") as caught:
        Client(url, state, patience=QUICK).submit(MOVIES.id, PAIRS)
    assert (caught.value.code, made, files(state)) == ("not_sent", [], {})


# --- what the collector answers ---

REFUSED = b'{"refused":[{"id":"ID","reason":"conflict"}]}'
PASSING = [
    LOST,
    Reply(500),
    Reply(502, b"<h1>Bad gateway", "text/html"),
    problem(503, "overloaded"),
    problem(429, "too-often"),
    problem(408, "slow"),
    Reply(200, b'{"refused":[]}', claimed=99),
]
LASTING = [
    problem(401, "bad-token"),
    problem(403, "not-open", "it opens on 2999-01-01"),
    problem(403, "forbidden"),
    Reply(404, b"<h1>Not found", "text/html"),
    Reply(403, b'{"type":"urn:pckv:problem:closed"}'),
    Reply(400, b"[]", "application/problem+json"),
    Reply(200, b"<h1>Welcome to the hotel", "text/html"),
    Reply(200, b'{"refused":[]}', "text/html"),
    Reply(200, b"not JSON"),
    Reply(200, b"[" * 60_000),
    Reply(200, b"{}"),
    Reply(200, b'{"refused":null}'),
    Reply(200, b'{"refused":[{"id":"another","reason":"conflict"}]}'),
    Reply(200, b'{"refused":[{"id":"ID"}]}'),
    Reply(204),
    Reply(302, headers={"Location": "/elsewhere"}),
    Reply(307, headers={"Location": "/elsewhere"}),
]
FINAL = {
    "conflict": Reply(200, REFUSED),
    "an unknown reason": Reply(200, REFUSED.replace(b"conflict", b"\\u001b[2J")),
    "malformed: detail here": problem(400, "malformed", "detail\n\x1bhere"),
    "unknown": problem(404, "unknown"),
    "closed": problem(403, "closed"),
    "deleted": problem(410, "deleted"),
    "too-large": problem(413, "too-large"),
    "unsupported-media": problem(415, "unsupported-media"),
    "HTTP 410": problem(410, "\x1b[2J"),
}


def tell(double: Double, reply: Reply, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> None:
    """Have uploads answered so often in this way; ID stands for the report's id."""
    usual, left = double.answer, [reply] * times

    def answer(request: Any) -> Reply:
        if request.method != "POST" or not left:
            return usual(request)
        told = left.pop()
        if told is LOST:
            double.answers.append(LOST)
            return usual(request)
        double.received.append(request)
        report_id = json.loads(request.body)["reports"][0]["id"].encode()
        headers = told.headers
        return Reply(
            told.status, told.body.replace(b"ID", report_id), told.media, headers, told.claimed, told.drip
        )

    monkeypatch.setattr(double, "answer", answer)


@pytest.mark.parametrize("reply", PASSING, ids=str)
@pytest.mark.usefixtures("pauses")
def test_what_passes_is_tried_again(
    double: Double, state: Path, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, reply, monkeypatch, 2)
    receipt = device(double, state).submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed) == ("sent", True)
    assert len(double.sent) == 3
    assert len(set(double.sent)) == 1
    assert len(double.reports[MOVIES.id]) == 1


@pytest.mark.parametrize("reply", PASSING, ids=str)
@pytest.mark.usefixtures("pauses")
def test_what_does_not_pass_waits(
    double: Double, state: Path, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, reply, monkeypatch, 3)
    client = device(double, state)
    assert client.submit(MOVIES.id, PAIRS).status == "waiting"
    assert [receipt.status for receipt in client.flush()] == ["sent"]
    assert len(set(double.sent)) == 1


@pytest.mark.parametrize("reply", LASTING, ids=str)
def test_what_needs_time_waits_without_trying_on(
    double: Double, state: Path, reply: Reply, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, reply, monkeypatch)
    client = device(double, state)
    receipt = client.submit(MOVIES.id, PAIRS)
    assert receipt.status == "waiting"
    assert receipt.reason
    assert (len(double.sent), pauses) == (1, [])
    assert all(request.path != "/elsewhere" for request in double.received)
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert len(set(double.sent)) == 1


@pytest.mark.parametrize(("reason", "reply"), FINAL.items(), ids=list(FINAL))
def test_what_is_refused_stays_refused(
    double: Double,
    state: Path,
    reason: str,
    reply: Reply,
    made: list[Report],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tell(double, reply, monkeypatch)
    for _ in range(3):
        client = device(double, state)
        with pytest.raises(ClientError) as caught:
            client.submit(MOVIES.id, PAIRS)
        assert caught.value.code == "refused"
        assert str(caught.value) == f"the collector refuses the report of {MOVIES.id}: {reason}"
        assert client.flush() == []
    assert (len(made), len(double.sent)) == (1, 1)
    assert client.spent > 0


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        (Reply(200, bytes(2**16 + 1)), "more than 65,536 bytes"),
        (Reply(200, b'{"refused":[]}', drip=0.1), "takes too long"),
        (Reply(200, b'{"refused":[]}', drip=0.5), "timed out"),
    ],
    ids=["large", "slow", "silent"],
)
def test_answers_are_bounded(
    double: Double, state: Path, reply: Reply, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, reply, monkeypatch, 9)
    patience = Patience(tries=2, seconds=0.6, first_pause=0.001, timeout=0.3)
    began = time.monotonic()
    receipt = device(double, state, patience=patience).submit(MOVIES.id, PAIRS)
    assert receipt.status == "waiting"
    assert note in receipt.reason
    assert time.monotonic() - began < 5


def test_pauses_double_and_are_drawn_at_random(
    double: Double, state: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, Reply(500), monkeypatch, 1000)
    patience = Patience(tries=5, seconds=1000, first_pause=1.0)
    client = device(double, state, patience=patience)
    client.submit(MOVIES.id, PAIRS)
    for _ in range(19):
        client.flush()
    assert len(pauses) == 20 * 4
    for place in range(4):
        drawn = pauses[place::4]
        assert len(set(drawn)) == 20
        # All 20 in one half of their range: 2 · 2^-20 for each place, 8e-6 in all.
        assert 0 <= min(drawn) < 2**place / 2 < max(drawn) < 2**place


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("7", [7.0]),
        ("0", [0.0]),
        ("nonsense", [0.0]),
        ("a minute ago", [0.0]),
        ("3600", []),
        ("9" * 400, []),
        ("in an hour", []),
    ],
)
def test_a_collector_says_when_to_come_back(
    double: Double,
    state: Path,
    pauses: list[float],
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    expected: list[float],
) -> None:
    days = {"a minute ago": time.time() - 60, "in an hour": time.time() + 3600}
    header = formatdate(days[said], usegmt=True) if said in days else said
    tell(double, problem(503, "overloaded", Retry_After=header), monkeypatch)
    patience = Patience(tries=2, seconds=60, first_pause=1e-9)
    receipt = device(double, state, patience=patience).submit(MOVIES.id, PAIRS)
    assert pauses == pytest.approx(expected, abs=1e-6)
    assert receipt.status == ("sent" if expected else "waiting")


# --- the task ---


def test_a_task_is_fetched_once(double: Double, state: Path) -> None:
    assert device(double, state).task(MOVIES.id) == MOVIES
    double.tasks.clear()
    assert device(double, state).task(MOVIES.id) == MOVIES
    assert len(double.received) == 1


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
def test_another_task_is_refused(double: Double, state: Path, text: str, made: list[Report]) -> None:
    double.tasks[MOVIES.id] = text.encode(errors="surrogateescape")
    with pytest.raises(ClientError) as caught:
        device(double, state).submit(MOVIES.id, PAIRS)
    assert caught.value.code == "wrong_task"
    assert "\n" not in str(caught.value)
    assert (made, double.sent, files(state)) == ([], [], {})


@pytest.mark.parametrize(
    "task_id", ["", "../../../etc/passwd", MOVIES.id[:-1], MOVIES.id + "=", "é" * 43, None]
)
def test_only_an_id_is_asked_for(double: Double, state: Path, task_id: Any) -> None:
    for call in (device(double, state).task, lambda asked: device(double, state).submit(asked, PAIRS)):
        with pytest.raises(ClientError, match="is not a task's id") as caught:
            call(task_id)
        assert caught.value.code == "wrong_task"
    assert (double.received, files(state)) == ([], {})


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "ftp://example.org", "file:///etc/passwd", "http://", "http://a b", "http://a:x", "http://ä",
     "http://user:word@host", "http://host?query", "http://host#part", "http://[::1", "http://host/\n"],
)  # fmt: skip
def test_only_a_collectors_address(url: str, state: Path) -> None:
    with pytest.raises(ParameterError, match="is not a collector's address"):
        Client(url, state)


def test_an_address_may_have_a_path(state: Path) -> None:
    assert Client("https://example.org/collect/", state).url == "https://example.org/collect"


# --- the state folder ---


def test_files_are_their_owners(double: Double, state: Path) -> None:
    before = os.umask(0)
    try:
        device(double, state).submit(MOVIES.id, PAIRS)
    finally:
        os.umask(before)
    assert [place.stat().st_mode & 0o777 for place in (state, state.parent)] == [0o700, 0o700]
    kinds = {"lock", f"{MOVIES.id}.task", f"{MOVIES.id}.report", f"{MOVIES.id}.outcome"}
    assert set(files(state)) == kinds
    assert {place.stat().st_mode & 0o777 for place in state.iterdir()} == {0o600}


def test_a_folder_that_others_may_write_to_is_refused(
    double: Double, state: Path, made: list[Report]
) -> None:
    state.mkdir(parents=True)
    state.chmod(0o777)
    with pytest.raises(ClientError, match="others may write") as caught:
        device(double, state).submit(MOVIES.id, PAIRS)
    assert (caught.value.code, made, double.sent) == ("not_sent", [], [])


def test_pairs_are_not_stored(double: Double, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(double, Reply(500), monkeypatch, 99)
    canary = 3.14159265358979
    client = device(double, state)
    receipt = client.submit(MOVIES.id, {"heat": canary})
    stored = b"".join(files(state).values())
    assert receipt.status == "waiting"
    assert repr(canary)[:8].encode() not in stored
    assert canary.hex()[4:12].encode() not in stored
    text = files(state)[f"{MOVIES.id}.report"].splitlines()[0]
    members = json.loads(text)
    assert members.pop("task") == MOVIES.to_json()
    assert {members.pop("id"), members.pop("body")} == set(json.loads(double.sent[0])["reports"][0].values())
    epsilon = f"{receipt.epsilon:f}"
    assert members == {"epsilon": epsilon, "invitation": None, "url": client.url, "version": 1}


def test_bytes_are_on_the_disk_before_they_are_sent(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(double, state)
    client.task(MOVIES.id)
    done: list[str] = []

    def watch(module: Any, name: str, say: Callable[..., str]) -> None:
        real = getattr(module, name)

        def watched(*arguments: Any, **options: Any) -> Any:
            done.append(say(*arguments))
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, watched)

    def synced(handle: int) -> str:
        return "sync folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "sync file"

    watch(os, "fsync", synced)
    watch(os, "link", lambda _, place: f"link {place.suffix}")
    watch(pckv.client, "perturb", lambda *_: "perturb")
    watch(client._transport, "send", lambda *_: "send")
    tell(double, problem(401, "bad-token"), monkeypatch)
    client.submit(MOVIES.id, PAIRS)
    assert done == ["perturb", "sync file", "link .report", "sync folder", "sync folder", "send"]
    done.clear()
    # Whoever stored a report may have died before its name was on the disk.
    client.submit(MOVIES.id, PAIRS)
    assert done[:2] == ["sync folder", "send"]


def test_a_full_disk_spends_nothing(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch, made: list[Report]
) -> None:
    client = device(double, state)
    client.task(MOVIES.id)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("pckv.client.folder.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            client.submit(MOVIES.id, PAIRS)
    assert client.spent == 0
    assert double.sent == []
    assert set(files(state)) == {"lock", f"{MOVIES.id}.task"}
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert json.loads(double.sent[0])["reports"][0]["id"] == pckv.canonical.base64url(made[1].id)


def test_the_first_wins_where_locks_do_not_work(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pckv.client.folder.fcntl.flock", lambda *_: None)
    first, second = device(double, state), device(double, state)

    def overtaken(task: Task, pairs: dict[str, float]) -> Report:
        monkeypatch.setattr(pckv.client, "perturb", pckv.perturb)
        assert second.submit(MOVIES.id, PAIRS).perturbed
        return pckv.perturb(task, pairs)

    monkeypatch.setattr(pckv.client, "perturb", overtaken)
    receipt = first.submit(MOVIES.id, PAIRS)
    assert (receipt.status, receipt.perturbed) == ("sent", False)
    assert len(set(double.sent)) == 1


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[:-1],
    "halved": lambda data: data[: len(data) // 2],
    "emptied": lambda _: b"",
    "edited": lambda data: data.replace(b"1", b"2"),
    "not text": lambda data: b"\xff" + data,
    "longer": lambda data: data + b"\n",
    "another version": lambda data: folders._sealed(
        data[:-66].decode().replace('"version":1', '"version":2')
    ),
    "another ε": lambda data: folders._sealed(data[:-66].decode().replace('"epsilon":"', '"epsilon":"x')),
    "lenient base64": lambda data: folders._sealed(data[:-66].decode().replace('"body":"', '"body":"=')),
    "a short id": lambda data: folders._sealed(data[:-66].decode().replace('"id":"', '"id":"","x":"')),
    "another task": lambda data: folders._sealed(data[:-66].decode().replace("movies", "moviez")),
    "no JSON": lambda _: folders._sealed("{"),
    "no object": lambda _: folders._sealed("[]"),
}
WHOLE = ["truncated", "halved", "emptied", "edited", "not text", "longer"]


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [(".report", name) for name in DAMAGE]
    + [(".outcome", name) for name in [*WHOLE, "no JSON", "no object"] if name != "edited"]
    + [(".task", name) for name in WHOLE],
)
def test_damage_is_told_and_never_mended_by_perturbing(
    double: Double, state: Path, suffix: str, damage: str, made: list[Report]
) -> None:
    client = device(double, state)
    client.submit(MOVIES.id, PAIRS)
    place = state / (MOVIES.id + suffix)
    place.write_bytes(DAMAGE[damage](place.read_bytes()))
    seen = len(double.received)
    calls: dict[str, Callable[[], object]] = {
        ".task": lambda: client.task(MOVIES.id),
        ".report": lambda: client.spent,
    }
    for call in (calls.get(suffix, client.flush), lambda: client.submit(MOVIES.id, PAIRS)):
        if suffix == ".task" and call is not calls[".task"]:
            continue  # The report holds its task: it needs no other copy.
        with pytest.raises(DataError) as caught:
            call()
        assert str(caught.value).startswith(f"{place}: ")
        assert "\n" not in str(caught.value)
    assert (len(made), len(double.received)) == (1, seen)


def test_a_report_that_was_removed_is_missed(double: Double, state: Path, made: list[Report]) -> None:
    client = device(double, state)
    client.submit(MOVIES.id, PAIRS)
    (state / f"{MOVIES.id}.report").unlink()
    with pytest.raises(DataError, match="missing, though the collector has decided"):
        client.submit(MOVIES.id, PAIRS)
    assert len(made) == 1


# --- many reports ---


@pytest.mark.usefixtures("pauses")
def test_flush_sends_what_waits_for_this_collector(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, Reply(500), monkeypatch, 6)
    client = device(double, state)
    for task in (MOVIES, OTHERS):
        assert client.submit(task.id, PAIRS).status == "waiting"
    with Double().serving() as elsewhere:
        assert device(elsewhere, state).flush() == []
        assert elsewhere.received == []
    assert [receipt.status for receipt in client.flush()] == ["sent", "sent"]
    assert len(set(double.sent)) == 2


@pytest.mark.usefixtures("pauses")
def test_flush_gives_up_on_a_collector_not_on_a_task(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(double, state)
    tell(double, problem(403, "not-open", "it opens on 2999-01-01"), monkeypatch, 3)
    for task in (MOVIES, OTHERS):
        client.submit(task.id, PAIRS)
    receipts = client.flush()
    assert [(receipt.status, receipt.reason) for receipt in receipts] == [
        ("waiting", "not-open: it opens on 2999-01-01"),
        ("sent", ""),
    ]
    others = [Task(name=f"task {place}", keys=KEYS, values=(1, 5), epsilon=1) for place in range(3)]
    double.tasks |= {task.id: task.to_json().encode() for task in others}
    tell(double, Reply(500), monkeypatch, 999)
    for task in others:
        client.submit(task.id, PAIRS)
    before = len(double.sent)
    assert {(receipt.status, receipt.reason) for receipt in client.flush()} == {("waiting", "HTTP 500")}
    assert len(double.sent) - before == QUICK.tries


@pytest.mark.usefixtures("pauses")
def test_flush_tells_refusals_and_then_damage(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(double, state)
    tell(double, Reply(500), monkeypatch, 6)
    for task in (MOVIES, OTHERS):
        client.submit(task.id, PAIRS)
    tell(double, problem(410, "deleted"), monkeypatch)
    damaged, sound = sorted((MOVIES.id, OTHERS.id))
    (state / f"{damaged}.report").write_bytes(b"")
    with pytest.raises(DataError, match=damaged):
        client.flush()
    with pytest.raises(ClientError, match=f"{sound}: deleted"):
        client.submit(sound, PAIRS)


def test_an_invitation_travels_with_its_report(
    double: Double, state: Path, made: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(double, state)
    tell(double, problem(401, "bad-token"), monkeypatch)
    client.submit(MOVIES.id, PAIRS, invitation="tokeN")
    client.flush()
    assert [json.loads(body)["reports"][0].pop("invitation") for body in double.sent] == ["tokeN"] * 2
    assert len(made) == 1
    with pytest.raises(ParameterError, match="invitation"):
        client.submit(OTHERS.id, PAIRS, invitation="")


def test_a_mistyped_invitation_loses_nothing(
    double: Double, state: Path, made: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device(double, state)
    tell(double, Reply(200, REFUSED.replace(b"conflict", b"invitation_unknown")), monkeypatch, 2)
    for given in ("mistyped", None, "mistyped"):
        with pytest.raises(ClientError, match="invitation_unknown"):
            client.submit(MOVIES.id, PAIRS, invitation=given)
    receipt = client.submit(MOVIES.id, PAIRS, invitation="right")
    assert (receipt.status, receipt.perturbed, len(made)) == ("sent", False, 1)
    reports = [json.loads(body)["reports"][0] for body in double.sent]
    assert [report.pop("invitation") for report in reports] == ["mistyped", "mistyped", "right"]
    assert reports == [reports[0]] * 3


def test_a_refusal_elsewhere_loses_nothing(double: Double, state: Path, made: list[Report]) -> None:
    client = device(double, state)
    client.task(MOVIES.id)
    with Double().serving() as elsewhere:
        elsewhere.answers.append(problem(404, "unknown"))
        with pytest.raises(ClientError, match="unknown"):
            device(elsewhere, state).submit(MOVIES.id, PAIRS)
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert [elsewhere.sent, len(made)] == [double.sent, 1]


def test_a_refusal_does_not_undo_a_success(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, other = device(double, state), device(double, state)
    client.task(MOVIES.id)
    real = client._transport.send

    def overtaken(*arguments: Any) -> Any:
        assert other.submit(MOVIES.id, PAIRS).status == "sent"
        double.answers.append(problem(403, "closed"))
        return real(*arguments)

    monkeypatch.setattr(client._transport, "send", overtaken)
    assert client.submit(MOVIES.id, PAIRS).status == "sent"
    assert other.submit(MOVIES.id, PAIRS).status == "sent"


def test_a_task_that_is_over_costs_nothing(state: Path, made: list[Report]) -> None:
    """The day that a task closes it takes no more, and a report would spend its ε for nothing."""
    today = dt.datetime.now(dt.UTC).date()
    over, last = (
        Task(name="movies", keys=KEYS, values=(1, 5), epsilon=1, closes=str(today + dt.timedelta(days)))
        for days in (0, 2)
    )
    with Double(over, last).serving() as double:
        client = device(double, state)
        with pytest.raises(ClientError, match=f"closed on {today}; nothing was perturbed"):
            client.submit(over.id, PAIRS)
        assert (made, double.sent, client.spent) == ([], [], Decimal(0))
        assert client.submit(last.id, PAIRS).status == "sent"


# --- the cap ---


def test_the_cap_is_kept(double: Double, state: Path, made: list[Report]) -> None:
    both = Decimal(repr(MOVIES.realised_epsilon)) + Decimal(repr(OTHERS.realised_epsilon))
    short = device(double, state, cap=both - Decimal("1e-18"))
    assert short.submit(MOVIES.id, PAIRS).status == "sent"
    before = files(state)
    with pytest.raises(ClientError, match="over the cap") as caught:
        short.submit(OTHERS.id, PAIRS)
    assert caught.value.code == "over_budget"
    assert len(made) == 1
    # The task was pinned, which spends nothing; nothing else was written.
    assert files(state).keys() - before.keys() == {f"{OTHERS.id}.task"}
    assert short.submit(MOVIES.id, PAIRS).status == "sent"
    enough = device(double, state, cap=both)
    assert enough.submit(OTHERS.id, PAIRS).status == "sent"
    assert enough.spent == both
    assert enough.ledger.keys() == {MOVIES.id, OTHERS.id}


@pytest.mark.parametrize("cap", [0, "0.1"])
def test_a_small_cap_lets_nothing_pass(double: Double, state: Path, cap: str, made: list[Report]) -> None:
    with pytest.raises(ClientError, match=r"over the cap of 0"):
        device(double, state, cap=cap).submit(MOVIES.id, PAIRS)
    assert (made, double.sent) == ([], [])


@pytest.mark.parametrize("cap", [-1, "much", float("nan"), True])
def test_a_cap_is_a_number(state: Path, cap: Any) -> None:
    with pytest.raises(ParameterError, match="the cap"):
        Client("http://localhost", state, cap=cap)


def test_what_cannot_be_counted_is_not_added_to(double: Double, state: Path, made: list[Report]) -> None:
    device(double, state).submit(MOVIES.id, PAIRS)
    (state / f"{MOVIES.id}.report").write_bytes(b"")
    # It may be the pilot of this very survey: there need not be a cap.
    for cap in (9, None):
        with pytest.raises(DataError, match=MOVIES.id):
            device(double, state, cap=cap).submit(OTHERS.id, PAIRS)
    assert len(made) == 1


# --- a pilot and its main task ---


@pytest.mark.parametrize(
    ("first", "second", "roles"),
    [(PILOT, MOVIES, ("pilot", "main task")), (MOVIES, PILOT, ("main task", "pilot"))],
    ids=["pilot first", "pilot second"],
)
@pytest.mark.parametrize("status", Status)
def test_nobody_serves_in_a_pilot_and_its_main_task(
    double: Double,
    state: Path,
    first: Task,
    second: Task,
    roles: tuple[str, str],
    status: Status,
    made: list[Report],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever became of the first report, its ε is spent."""
    replies = {Status.WAITING: problem(401, "bad-token"), Status.REFUSED: problem(403, "closed")}
    if status in replies:
        tell(double, replies[status], monkeypatch)
    client = device(double, state)
    with suppress(ClientError):
        client.submit(first.id, PAIRS)
    assert client._outbox.outcome(first.id).status is status
    before, sent = client.ledger, len(double.sent)
    with pytest.raises(ClientError) as caught:
        client.submit(second.id, PAIRS)
    assert caught.value.code == "already_served"
    assert str(caught.value) == (
        f"this device served in the {roles[0]} 'movies', task {first.id}: "
        f"it cannot serve in the {roles[1]} too; nothing was perturbed"
    )
    assert (len(made), len(double.sent), client.ledger) == (1, sent, before)
    # The same task again is a resend, and surveys of other names or tasks of the same kind are others.
    if status is Status.WAITING:
        assert client.submit(first.id, PAIRS).status == "sent"
    assert client.submit(OTHERS.id, PAIRS).perturbed
    again = Task.from_json(first.to_json().replace('"epsilon":"1"', '"epsilon":"2"'))
    double.tasks[again.id] = again.to_json().encode()
    assert client.submit(again.id, PAIRS).perturbed


def test_only_the_lock_keeps_a_pilot_and_its_main_task_apart(
    double: Double, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the race below: who looks first and stores later serves in both."""
    monkeypatch.setattr("pckv.client.folder.fcntl.flock", lambda *_: None)
    first, second = device(double, state), device(double, state)

    def overtaken(task: Task, pairs: dict[str, float]) -> Report:
        monkeypatch.setattr(pckv.client, "perturb", pckv.perturb)
        assert second.submit(PILOT.id, PAIRS).perturbed
        return pckv.perturb(task, pairs)

    monkeypatch.setattr(pckv.client, "perturb", overtaken)
    assert first.submit(MOVIES.id, PAIRS).perturbed
    assert first.ledger.keys() == {MOVIES.id, PILOT.id}


# --- many processes ---


def children(double: Double, root: Path, what: str, tasks: list[Task], *more: str) -> list[dict[str, Any]]:
    """What the children of another process say."""
    double.tasks |= {task.id: task.to_json().encode() for task in tasks}
    file = root / "tasks"
    file.write_text("\n".join(task.to_json() for task in tasks), encoding="utf-8")
    command = [sys.executable, str(CHILDREN), what, double.url, str(root), str(file), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def runs(count: int) -> list[Task]:
    return [Task(name=f"run-{place}", keys=KEYS, values=(1, 5), epsilon=1) for place in range(count)]


def bodies(double: Double, task_id: str) -> set[bytes]:
    """All different uploads that were ever seen for a task."""
    return {request.body for request in double.received if request.path == f"/tasks/{task_id}/reports"}


def test_killed_at_any_moment_there_is_one_report(double: Double, tmp_path: Path) -> None:
    said = children(double, tmp_path, "kill", runs(300), "35")
    assert sum(row["kills"] for row in said) >= 200
    for row in said:
        assert row["sound"]
        assert len(bodies(double, row["task"])) == 1
        assert len(double.reports[row["task"]]) == 1
    # Nothing is left of what was perturbed and never stored.
    assert not list(tmp_path.rglob("*.part"))


def test_the_same_kills_catch_a_client_that_sends_before_it_stores(double: Double, tmp_path: Path) -> None:
    said = children(double, tmp_path, "hasty", runs(60), "250")
    assert max(len(bodies(double, row["task"])) for row in said) > 1


def test_racing_processes_send_one_report(double: Double, tmp_path: Path) -> None:
    # The cap is enough for one report, and one is all there is.
    said = children(double, tmp_path, "race", [MOVIES], repr(MOVIES.realised_epsilon))
    assert [row["status"] for row in said] == ["sent"] * 8
    assert sum(row["perturbed"] for row in said) == 1
    assert len(bodies(double, MOVIES.id)) == 1


def test_racing_processes_keep_the_cap(double: Double, tmp_path: Path) -> None:
    tasks = runs(8)
    said = children(double, tmp_path, "race", tasks, "3.5")
    assert sorted(row["status"] for row in said) == ["over_budget"] * 5 + ["sent"] * 3
    assert device(double, tmp_path / "shared").spent <= Decimal("3.5")


def test_racing_processes_serve_in_a_pilot_or_its_main_task(double: Double, tmp_path: Path) -> None:
    said = children(double, tmp_path, "race", [MOVIES, PILOT])
    assert sorted(row["status"] for row in said) == ["already_served"] * 4 + ["sent"] * 4
    assert sum(row["perturbed"] for row in said) == 1
    assert len(device(double, tmp_path / "shared").ledger) == 1


def test_a_client_loads_the_standard_library_alone() -> None:
    script = (
        "import sys, pckv.client\n"
        "loaded = {name.split('.')[0] for name in sys.modules} & {'numpy', 'click', 'rich', 'pyarrow'}\n"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


# --- the command line ---


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["submit", *map(str, arguments)])


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    place = tmp_path / "pairs.json"
    place.write_text('{"alien": 5}', encoding="utf-8")
    return place


def test_submit_sends(double: Double, state: Path, pairs_file: Path) -> None:
    options = ("--url", double.url, "--task", MOVIES.id, "--state", state)
    first, again = run(pairs_file, *options), run(pairs_file, *options)
    epsilon = f"{MOVIES.realised_epsilon:g}"
    assert first.stdout == f"{MOVIES.id}  sent, ε {epsilon} of {epsilon} spent in all\n"
    assert "perturbed and stored before" in again.stdout
    assert (first.exit_code, again.exit_code, len(double.sent)) == (0, 0, 1)
    said = json.loads(run(pairs_file, *options, "--json").stdout)
    assert said == {
        "task": MOVIES.id,
        "status": "sent",
        "epsilon": epsilon,
        "perturbed": False,
        "reason": None,
        "spent": epsilon,
    }


@pytest.mark.usefixtures("pauses")
def test_submit_says_that_a_report_waits(
    double: Double, state: Path, pairs_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(double, Reply(500), monkeypatch, 8)
    place = ("--url", double.url, "--state", state)
    done = run(pairs_file, *place, "--task", MOVIES.id, "--json", "--invitation", "tokeN")
    assert (done.exit_code, json.loads(done.stdout)["status"]) == (1, "waiting")
    assert done.stderr == (
        "pckv: the report is stored and waits (HTTP 500): "
        f"send it by pckv submit --flush --url {double.url} --state {state}\n"
    )
    done = run("--flush", *place)
    assert (done.exit_code, done.stdout) == (1, f"{MOVIES.id}  waiting: HTTP 500\n")
    assert done.stderr == "pckv: not everything was sent: 1 waiting, 0 refused\n"
    done = run("--flush", *place, "--json")
    assert (done.exit_code, [row["status"] for row in json.loads(done.stdout)]) == (0, ["sent"])
    done = run("--flush", *place)
    assert (done.exit_code, done.stderr) == (0, f"nothing waits for {double.url}\n")


@pytest.mark.usefixtures("pauses")
def test_submit_says_what_is_refused(
    double: Double, state: Path, pairs_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ("--url", double.url, "--state", state)
    done = run(pairs_file, *place, "--task", MOVIES.id, "--cap", "0.5")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "over the cap of 0.5 in all" in done.stderr
    tell(double, Reply(500), monkeypatch, 4)
    run(pairs_file, *place, "--task", MOVIES.id)
    tell(double, problem(403, "closed"), monkeypatch)
    done = run("--flush", *place)
    assert (done.exit_code, done.stdout) == (1, f"{MOVIES.id}  refused: closed\n")
    assert done.stderr == "pckv: not everything was sent: 0 waiting, 1 refused\n"
    done = run(pairs_file, *place, "--task", MOVIES.id)
    assert done.stderr == f"pckv: the collector refuses the report of {MOVIES.id}: closed\n"
    done = run(pairs_file, *place, "--task", PILOT.id)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"served in the main task 'movies', task {MOVIES.id}: it cannot serve in the pilot" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"alien": 5, "alien": 5}', "key 'alien' appears twice"),
        (b'{"alien": "5"}', "the value of key 'alien' is not a number"),
        (b'{"alien": true}', "the value of key 'alien' is not a number"),
        (b'["alien"]', "not an object from keys to numbers"),
        (b"{", "at line 1, column 2"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "the JSON cannot be read"),
        (b'{"alien": ' + b"9" * 5000 + b"}", "the JSON cannot be read"),
        (b'{"alien": NaN}', "not a number within [1, 5]"),
        (b'{"alien": 6}', "not a number within [1, 5]"),
        (b'{"up": 5}', "key 'up' is not a key of task 'movies'"),
    ],
)
def test_submit_refuses_bad_pairs(
    double: Double, state: Path, pairs_file: Path, text: bytes, said: str
) -> None:
    pairs_file.write_bytes(text)
    done = run(pairs_file, "--url", double.url, "--task", MOVIES.id, "--state", state)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert said in done.stderr
    assert double.sent == []


@pytest.mark.parametrize(
    "arguments",
    [[], ["pairs.json"], ["--task", MOVIES.id], ["--flush", "pairs.json"], ["--flush", "--cap", "1"]],
)
def test_submit_is_used_in_two_ways(arguments: list[str]) -> None:
    done = run(*arguments, "--url", "http://localhost")
    assert (done.exit_code, done.exception.__class__) == (2, SystemExit)


def test_submit_remembers_where_programs_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    for given in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", given)
        assert default_state() == tmp_path / ".local" / "state" / "pckv"
    monkeypatch.setenv("XDG_STATE_HOME", "/elsewhere")
    assert default_state() == Path("/elsewhere/pckv")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_state() == tmp_path / "Library" / "Application Support" / "pckv"


def test_a_status_is_a_word() -> None:
    assert [str(status) for status in Status] == ["sent", "waiting", "refused"]
