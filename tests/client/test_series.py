"""Reports to series: by turns, once per round of the panel, in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import pckv.client.panel
from pckv import Report, Task
from pckv.base.errors import ClientError, DataError, PairsError, ParameterError
from pckv.client import Client, LedgerEntry, RoundReceipt, RoundStatus, Status
from pckv.client.folder import _sealed
from pckv.client.panel import Panel
from pckv.contract.series import Series
from support.client_collector import Reply, problem
from support.client_devices import QUICK, reply_with, stored_files
from support.client_series import FIRST, PAIRS, PERIOD, TASK, SeriesCollector, a_series, during
from support.collectors import running
from support.stores import stored_reports

WEEKLY = a_series(2, 6)
SECRET = bytes(range(16))


@pytest.fixture
def weekly() -> Iterator[SeriesCollector]:
    with SeriesCollector(WEEKLY, 6).serving() as serving:
        yield serving


@pytest.fixture(autouse=True)
def _panel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every device be in panel 1: it reports in rounds 1, 3 and 5."""
    monkeypatch.setattr(pckv.client.panel, "_draw", lambda _: Panel(1, SECRET))


class Phone:
    """A device whose clock and whose collector's clock show the same time, unless they are set apart."""

    def __init__(self, collector: SeriesCollector, state: Path) -> None:
        self.collector, self.state = collector, state
        self.set_to(during(1))

    def set_to(self, time: dt.datetime) -> None:
        self.time = self.collector.now = time

    def client(self, **options: Any) -> Client:
        """Return the client of a process that has just started."""
        given: dict[str, Any] = {"retry_policy": QUICK, "clock": lambda: self.time} | options
        return Client(self.collector.url, self.state, **given)

    def report(self, number: int | None = None, **options: Any) -> RoundReceipt:
        if number is not None:
            self.set_to(during(number))
        return self.client().report(WEEKLY.id, PAIRS, **options)


@pytest.fixture
def phone(weekly: SeriesCollector, state: Path) -> Phone:
    return Phone(weekly, state)


def test_a_device_reports_by_turns(phone: Phone, perturbed_reports: list[Report]) -> None:
    opens = [FIRST + dt.timedelta(days=PERIOD * number) for number in range(6)]
    receipts = [phone.report(number) for number in range(8)]
    id_, one, nothing = WEEKLY.id, Decimal(1), Decimal(0)
    assert receipts == [
        RoundReceipt(id_, RoundStatus.NOT_STARTED, 1, opens[0]),
        RoundReceipt(id_, RoundStatus.SENT, 1, opens[0], one, perturbed=True),
        RoundReceipt(id_, RoundStatus.NOT_DUE, 3, opens[2], nothing),
        RoundReceipt(id_, RoundStatus.SENT, 3, opens[2], one, perturbed=True),
        RoundReceipt(id_, RoundStatus.NOT_DUE, 5, opens[4]),
        RoundReceipt(id_, RoundStatus.SENT, 5, opens[4], one, perturbed=True),
        RoundReceipt(id_, RoundStatus.OVER),
        RoundReceipt(id_, RoundStatus.OVER),
    ]
    assert len(perturbed_reports) == len(phone.collector.sent) == 3
    assert [str(status) for status in RoundStatus] == [
        "sent", "waiting", "refused", "not_due", "delayed", "unreachable", "not_started", "over",
    ]  # fmt: skip


def test_the_ledger_explains_rounds(phone: Phone) -> None:
    for number in (1, 3):
        phone.report(number)
    assert phone.client().ledger() == [
        LedgerEntry("ratings", WEEKLY.task_of(number).id, Decimal(1), Status.SENT, day, WEEKLY.id, number)
        for number, day in ((1, "2030-01-10"), (3, "2030-01-24"))
    ]
    assert phone.client().ledger()[1].text == (
        "On 2030-01-24, a report for round 3 of “ratings” spent ε = 1; the collector has the report."
    )


def test_a_round_is_sent_once_and_resent_as_it_was(
    phone: Phone, monkeypatch: pytest.MonkeyPatch, perturbed_reports: list[Report]
) -> None:
    reply_with(phone.collector, Reply(500), monkeypatch, 3)
    receipt = phone.report(1)
    assert (receipt.status, receipt.perturbed, receipt.reason) == ("waiting", True, "HTTP 500")
    receipt = phone.report()
    assert (receipt.status, receipt.perturbed, receipt.round) == ("sent", False, 1)
    assert len(set(phone.collector.sent)) == len(perturbed_reports) == 1


def test_an_earlier_round_that_waits_is_left_to_flush(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    reply_with(phone.collector, Reply(500), monkeypatch, 3)
    assert phone.report(1).status == "waiting"
    assert phone.report(2).status == "not_due"
    assert phone.report(3).status == "sent"
    [receipt] = phone.client().flush()
    assert (receipt.task, receipt.status) == (WEEKLY.task_of(1).id, "refused")


def test_a_refused_report_is_a_status(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    reply_with(phone.collector, problem(403, "closed"), monkeypatch)
    receipt = phone.report(1)
    assert (receipt.status, receipt.epsilon, receipt.reason) == ("refused", Decimal(1), "closed")
    assert phone.report() == RoundReceipt(WEEKLY.id, RoundStatus.REFUSED, 1, FIRST, Decimal(1), reason="closed")


def test_nothing_is_spent_on_a_round_that_the_collector_does_not_take(
    phone: Phone, perturbed_reports: list[Report]
) -> None:
    for shown, true, reason in ((1, 2, "closed"), (3, 2, "not-open")):
        phone.time, phone.collector.now = during(shown), during(true)
        receipt = phone.report()
        assert (receipt.status, receipt.round, receipt.epsilon) == ("refused", shown, Decimal(0))
        assert (receipt.reason, receipt.perturbed) == (reason, False)
    assert (perturbed_reports, phone.client().spent) == ([], Decimal(0))
    assert phone.report(3).status == "sent"


@pytest.mark.usefixtures("pauses")
def test_nothing_is_perturbed_without_an_answer(phone: Phone, perturbed_reports: list[Report]) -> None:
    phone.collector.reachable = False
    for fetched in (False, True):
        receipt = phone.report(1)
        assert (receipt.status, receipt.epsilon, receipt.round) == (
            "unreachable",
            Decimal(0),
            1 if fetched else None,
        )
        assert "no answer" in receipt.reason
        phone.collector.reachable = True
        assert phone.report(0).status == "not_started"
        phone.collector.reachable = False
    assert (perturbed_reports, phone.collector.sent) == ([], [])


def test_a_report_is_delayed_within_its_share_of_the_round(phone: Phone) -> None:
    week, due = dt.timedelta(days=PERIOD), None
    for spread in (0.0, 0.25, 1, 1.0):
        phone.set_to(FIRST - week)
        due = phone.report(spread=spread).due
        assert due is not None
        assert FIRST <= due <= FIRST + spread * week
        if spread:
            phone.set_to(due - dt.timedelta(seconds=1))
            delayed = phone.report(spread=spread)
            assert (delayed.status, delayed.round, delayed.due) == ("delayed", 1, due)
    assert due is not None
    phone.set_to(due)
    assert phone.report(spread=1.0).status == "sent"


def test_delays_are_spread_evenly_and_differ_between_rounds_and_devices() -> None:
    """2,000 delays in 10 tenths of a round: chi-squared with 9 degrees of freedom, α = 10^-6 (about 45)."""
    series = a_series(1, None)
    counts = [0] * 10
    for number in range(1, 2001):
        delay = Panel(0, SECRET).due(series, number, 1.0) - Panel(0, SECRET).due(series, number, 0.0)
        counts[int(delay / dt.timedelta(days=PERIOD) * 10)] += 1
    assert sum((count - 200) ** 2 / 200 for count in counts) < 45
    assert Panel(0, bytes(16)).due(series, 1, 1.0) != Panel(0, SECRET).due(series, 1, 1.0)


@pytest.mark.parametrize("spread", [-0.1, 1.1, float("nan"), float("inf"), "1", None, True])
def test_a_spread_is_a_share(phone: Phone, spread: Any) -> None:
    with pytest.raises(ParameterError, match=r"spread must be a number within \[0, 1\]"):
        phone.report(spread=spread)
    assert (phone.collector.seen, stored_files(phone.state)) == ([], {})


@pytest.mark.parametrize("series_id", ["", "../x", WEEKLY.id[:-1], None])
def test_only_ids_of_series_are_requested(phone: Phone, series_id: Any) -> None:
    with pytest.raises(ClientError, match="is not the id of a series") as caught:
        phone.client().report(series_id, PAIRS)
    assert caught.value.code == "wrong_series"
    assert (phone.collector.seen, stored_files(phone.state)) == ([], {})


def test_the_id_of_something_else_is_refused(phone: Phone) -> None:
    other = a_series(3, 6)
    with pytest.raises(ClientError, match="there is no such series; nothing was perturbed") as caught:
        phone.client().report(TASK.id, PAIRS)
    assert caught.value.code == "unknown"
    for text in (TASK.to_json(), WEEKLY.to_json(), "{}", ""):
        phone.collector.series[other.id] = text.encode()
        with pytest.raises(ClientError) as caught:
            phone.client().report(other.id, PAIRS)
        assert (caught.value.code, "\n" in str(caught.value)) == ("wrong_series", False)
    assert stored_files(phone.state) == {}


def test_another_series_or_task_of_the_name_is_answered(phone: Phone, perturbed_reports: list[Report]) -> None:
    again = Series(
        task=Task(name="Ratings ", keys=["alien"], values=(1, 5), epsilon=2, mechanism="grr", padding=1),
        first=WEEKLY.first, period=PERIOD, panels=2,
    )  # fmt: skip
    phone.collector.series[again.id] = again.to_json().encode()
    assert phone.report(1).status == "sent"
    phone.set_to(during(3))
    with pytest.raises(ClientError, match="has answered the survey 'ratings'") as caught:
        phone.client().report(again.id, PAIRS)
    assert caught.value.code == "answered"
    phone.collector.rounds[TASK.id], phone.collector.tasks[TASK.id] = TASK, TASK.to_json().encode()
    with pytest.raises(ClientError, match="has answered the survey 'ratings'"):
        phone.client().submit(TASK.id, PAIRS)
    assert len(perturbed_reports) == 1
    assert phone.report().status == "sent"


def test_a_series_is_refused_after_a_task_of_the_name(phone: Phone) -> None:
    phone.collector.rounds[TASK.id], phone.collector.tasks[TASK.id] = TASK, TASK.to_json().encode()
    assert phone.client().submit(TASK.id, PAIRS).status == "sent"
    with pytest.raises(ClientError, match="has answered the survey 'ratings'"):
        phone.report(1)
    assert phone.report(2).status == "not_due"


def test_a_round_cannot_be_submitted_to(phone: Phone, perturbed_reports: list[Report]) -> None:
    task = WEEKLY.task_of(1)
    phone.collector.tasks[task.id] = task.to_json().encode()
    for _ in range(2):
        with pytest.raises(ClientError, match="is a round of a series") as caught:
            phone.client().submit(task.id, PAIRS)
        assert caught.value.code == "series"
        phone.report(1)
    assert len(perturbed_reports) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"panel":2,"secret":"AAECAwQFBgcICQoLDA0ODw","version":1}',
        '{"panel":-1,"secret":"AAECAwQFBgcICQoLDA0ODw","version":1}',
        '{"panel":true,"secret":"AAECAwQFBgcICQoLDA0ODw","version":1}',
        '{"panel":1,"secret":"AAEC","version":1}',
        '{"panel":1,"secret":"AAECAwQFBgcICQoLDA0ODw","version":2}',
    ],
)
def test_a_damaged_panel_is_refused(phone: Phone, text: str, perturbed_reports: list[Report]) -> None:
    phone.report(0)
    place = phone.state / f"{WEEKLY.id}.panel"
    for data in (_sealed(text), text.encode()):
        place.write_bytes(data)
        with pytest.raises(DataError) as caught:
            phone.report(1)
        assert str(caught.value).startswith(f"{place}: ")
    assert (perturbed_reports, place.read_bytes()) == ([], text.encode())


def test_a_damaged_series_is_refused(phone: Phone) -> None:
    phone.report(0)
    (phone.state / f"{WEEKLY.id}.series").write_bytes(_sealed(a_series(3, 6).to_json()))
    with pytest.raises(DataError, match="damaged or edited"):
        phone.report(1)


def test_pairs_are_checked_before_anybody_is_asked(phone: Phone) -> None:
    phone.report(0)
    seen = len(phone.collector.seen)
    for number in (1, 2):
        phone.set_to(during(number))
        with pytest.raises(PairsError):
            phone.client().report(WEEKLY.id, {"up": 5.0})
    assert len(phone.collector.seen) == seen


def test_a_series_keeps_the_caps(phone: Phone, perturbed_reports: list[Report]) -> None:
    phone.client(cap_per_period=(1, 21)).report(WEEKLY.id, PAIRS)
    for number, code in ((3, "over_budget"), (4, None), (5, None)):
        phone.set_to(during(number))
        if code is None:
            assert phone.report().status in {"not_due", "sent"}
            continue
        with pytest.raises(ClientError, match="over the cap of 1 per 21 days") as caught:
            phone.report()
        assert caught.value.code == code
    assert len(perturbed_reports) == 2


@pytest.mark.parametrize("clock", [lambda: FIRST.replace(tzinfo=None), lambda: 5])
def test_a_clock_has_a_time_zone(phone: Phone, clock: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError, match="the clock must return a time with a time zone"):
        phone.client(clock=clock).report(WEEKLY.id, PAIRS)


def test_a_clock_may_be_in_any_time_zone(phone: Phone) -> None:
    zone = dt.timezone(dt.timedelta(hours=-11))
    phone.set_to(FIRST)
    receipt = phone.client(clock=lambda: FIRST.astimezone(zone)).report(WEEKLY.id, PAIRS)
    assert (receipt.status, phone.client().ledger()[0].day) == ("sent", "2030-01-07")


def test_another_address_gets_the_same_bytes(phone: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    reply_with(phone.collector, problem(403, "closed"), monkeypatch)
    assert phone.report(1).status == "refused"
    elsewhere = f"{phone.collector.url}/elsewhere"
    client = Client(elsewhere, phone.state, retry_policy=QUICK, clock=lambda: phone.time)
    assert client.report(WEEKLY.id, PAIRS).status == "sent"
    assert len(phone.collector.sent) == 2
    assert len(set(phone.collector.sent)) == 1


def test_a_real_collector_confirms_the_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, perturbed_reports: list[Report]
) -> None:
    """The first device is in the panel of round 1, the second one in that of round 2, with a clock a day early."""
    today = ["2030-01-07"]
    daily = Series(task=TASK, first=today[0], period=1, panels=2)
    with running(clock=lambda: today[0]) as real:
        assert real.administer("POST", "/series", daily.to_json().encode()).status_code == 201

        def report(device: int, number: int) -> RoundReceipt:
            monkeypatch.setattr(pckv.client.panel, "_draw", lambda _: Panel(device, SECRET))
            clock = FIRST + dt.timedelta(days=number - 1, hours=12)
            url = f"http://127.0.0.1:{real.port}"
            client = Client(url, tmp_path / str(device), retry_policy=QUICK, clock=lambda: clock)
            return client.report(daily.id, PAIRS)

        assert (report(1, 1).status, report(1, 1).status, report(0, 1).status) == ("sent", "sent", "not_due")
        early = report(0, 2)
        assert (early.status, early.reason.split(":")[0], early.perturbed) == ("refused", "not-open", False)
        today[0] = "2030-01-08"
        late = report(1, 1)
        assert (late.status, report(1, 2).status, report(0, 2).status) == ("sent", "not_due", "sent")
        assert [len(stored_reports(real.store, daily.task_of(number))) for number in (1, 2)] == [1, 1]
    assert len(perturbed_reports) == 2
