"""Series in JavaScript: the vectors, the panel, every schedule of a device, and what a call says."""

from __future__ import annotations

import pytest

from pckv.client.ledger import _STATES
from pckv.client.panel import Panel
from support.node import CLIENT, NodeProcess
from support.series_calls import (
    PAIRS,
    ask,
    report,
    results_of,
    series_node,
    statuses,
    submit,
    time_of,
    vectors,
    weekly,
)
from support.series_checks import check_panels, check_schedules
from support.tasks import a_task
from support.tiers import wide

SAME_NAME = a_task(name="Ratings ", keys=["alien", "heat"], values=(1, 5), mechanism="grr", padding=1)


@pytest.fixture(scope="module")
def process() -> NodeProcess:
    """The client of series in Node."""
    return series_node()


def test_vectors(process: NodeProcess) -> None:
    cases = vectors()
    for case, answer in zip(cases, process.ask(*({"do": "vector", **case} for case in cases)), strict=True):
        if "fails_at" in case:
            assert answer["code"] == "bad_series", (case, answer)
            assert answer["message"].startswith("not a series: ")
        else:
            assert answer == {name: case[name] for name in ("id", "rounds", "days", "next")}


def test_every_panel_has_the_same_number_of_draws() -> None:
    check_panels(CLIENT)


# Panels, rounds, and the faults of a schedule at most. With one panel every round may be reported in: there
# are most states. With more there are at least two windows of rounds; `--all` has eight rounds, and two
# faults.
SCHEDULES = [(1, 8, 0), (1, 3, 1), (2, 4, 1), (3, 6, 1), (4, 8, 1)]
MORE_SCHEDULES = wide((1, 8, 1), (2, 3, 2), (2, 8, 1), (3, 4, 2), (3, 8, 1))


@pytest.mark.parametrize("case", SCHEDULES + MORE_SCHEDULES, ids=str)
def test_a_window_of_rounds_holds_one_report_in_every_schedule(case: tuple[int, int, int]) -> None:
    check_schedules(CLIENT, case)


@pytest.mark.parametrize("case", [(3, 4, 1), *wide((2, 4, 2))], ids=str)
def test_rounds_only_go_up_even_if_the_collector_takes_any(case: tuple[int, int, int]) -> None:
    check_schedules(CLIENT, case, trusting=True)


def test_what_a_call_says(process: NodeProcess) -> None:
    """One device of panel 1 of 4, week by week; the collector is away at first, and loses an answer."""
    series = weekly(4)
    calls = [
        report(series, 0, set={"reachable": False}),
        report(series, 0, set={"reachable": True}),
        report(series, 1, set={"reachable": False}),
        report(series, 1, set={"reachable": True, "loses": True}),
        report(series, 1),
        report(series, 2, set={"loses": False}),
        report(series, 5, set={"now": 4}),
        report(series, 5),
        report(series, 6),
        report(series, 9),
        ask(9, "ledger"),
    ]
    *results, ledger = results_of(process, series, calls)
    assert statuses(results) == [
        "unreachable",
        "not_started",
        "unreachable",
        "waiting",
        "waiting",
        "not_due",
        "refused",
        "sent",
        "over",
        "over",
    ]
    assert results[0]["reason"].startswith(f"http://collector.test/series/{series.id}: no answer")
    assert "round" not in results[0]
    first = {"series": series.id, "round": 1, "due": "2030-01-07T00:00:00.000Z"}
    waiting = first | {"epsilon": "1", "reason": "no answer (no answer)"}
    assert results[1] == first | {"status": "not_started", "epsilon": "0", "perturbed": False, "reason": ""}
    assert results[3] == waiting | {"status": "waiting", "perturbed": True}
    assert results[4] == waiting | {"status": "waiting", "perturbed": False}
    assert (results[5]["round"], results[5]["due"]) == (5, "2030-02-04T00:00:00.000Z")
    assert (results[6]["reason"], results[6]["epsilon"]) == ("not-open", "0")
    sentence = "On {}, a report for round {} of “ratings” spent ε = 1; {}."
    states = {str(status): words.format(holder="collector") for status, words in _STATES.items()}
    assert [entry["text"] for entry in ledger] == [
        sentence.format("2030-01-10", 1, states["waiting"]),
        sentence.format("2030-02-07", 5, states["sent"]),
    ]


def test_reports_are_due_at_a_random_moment_of_a_round(process: NodeProcess) -> None:
    """By the same draw as in Python: within the share of the round that is given, and from the secret alone."""
    series, spread = weekly(1), 0.25
    opens, due = time_of("2030-01-07T00:00Z"), {}
    for clock in ("2030-01-07T00:00:00Z", "2030-01-08T18:00:00Z"):
        calls = [report(series, clock, report={"spread": share}) for share in (spread, 0)]
        request = {"do": "calls", "series": series.to_json(), "rounds": 8, "panel": 0}
        for call in calls:
            call["set"] = {"now": 1}
        [answer] = process.ask(request | {"calls": calls})
        late, now = answer["results"]
        panel = Panel(0, bytes.fromhex(answer["secret"]))
        assert time_of(late["due"]) == panel.due(series, 1, spread)
        assert 0 <= (time_of(late["due"]) - opens).total_seconds() < spread * 7 * 86_400
        assert time_of(now["due"]) == opens
        due[clock] = late["status"]
        assert now["status"] == "sent"
    assert due == {"2030-01-07T00:00:00Z": "delayed", "2030-01-08T18:00:00Z": "sent"}


def test_a_survey_is_one_task_or_one_series(process: NodeProcess) -> None:
    """The name tells surveys apart, whatever its case and spaces."""
    series, other = weekly(1), weekly(2, 8, SAME_NAME)
    calls = [report(series, 1), submit(SAME_NAME, 1), ask(2, "report", other.id, PAIRS), report(series, 2)]
    found = results_of(process, series, calls, SAME_NAME, other)
    assert statuses(found) == ["sent", "answered", "answered", "sent"]
    found = results_of(process, series, [submit(SAME_NAME, 1), report(series, 1)], SAME_NAME)
    assert statuses(found) == ["sent", "answered"]


def test_a_round_is_reported_to_and_not_submitted_to(process: NodeProcess) -> None:
    series = weekly(1)
    task = series.task_of(1)
    calls = [
        submit(task, 1),
        ask(1, "check", task.id),
        report(series, 1),
        submit(task, 1),
        ask(1, "receipt", task.id),
    ]
    *refused, sent, again, receipt = results_of(process, series, calls, task)
    words = f"task {task.id} is a round of a series: use SeriesClient; nothing was perturbed"
    assert refused == [{"code": "series", "message": words}] * 2
    assert (sent["status"], again["code"]) == ("sent", "series")
    assert (receipt["series"], receipt["status"]) == (series.id, "sent")


def test_a_report_of_an_earlier_round_is_left_to_flush(process: NodeProcess) -> None:
    series = weekly(1)
    calls = [
        report(series, 1, set={"loses": True}),
        report(series, 2, set={"loses": False}),
        ask(2, "flush", set={"now": 1}),
    ]
    first, second, flushed = results_of(process, series, calls)
    assert (first["status"], second["status"], second["round"]) == ("waiting", "sent", 2)
    assert [(receipt["status"], receipt["task"]) for receipt in flushed] == [("sent", series.task_of(1).id)]


def test_bad_input_is_refused_and_nothing_is_made(process: NodeProcess) -> None:
    series, unknown, wrong = weekly(2), weekly(3), weekly(4)
    calls = [
        *(report(series, 1, report={"spread": spread}) for spread in (-0.1, 1.5, "1", None)),
        ask(1, "report", "no id", PAIRS),
        ask(1, "report", unknown.id, PAIRS),
        ask(1, "report", wrong.id, PAIRS),
        ask(1, "report", series.id, {"heat": 5}),
        report(series, "no time", set={"now": 1}),
        *(report(series, 1, edit={"panel": panel}) for panel in (2, -1, 0.5, None)),
        report(series, 1, edit={"panel": 1, "secret": []}),
        ask(1, "spent"),
    ]
    text = weekly(5).to_json()
    request = {
        "do": "calls",
        "series": series.to_json(),
        "rounds": 8,
        "panel": 1,
        "contracts": {f"/series/{wrong.id}": text},
    }
    for call in calls:
        call.setdefault("set", {"now": 1})
    [answer] = process.ask(request | {"calls": calls})
    *results, spent = answer["results"]
    codes = (
        ["bad_parameter"] * 4
        + ["wrong_series", "unknown", "wrong_series", "bad_pairs", "bad_parameter"]
        + ["bad_data"] * 5
    )
    assert statuses(results) == codes
    assert results[5]["message"].endswith(": there is no such series; nothing was perturbed")
    assert (spent, answer["reports"]) == ("0", [])


@pytest.mark.parametrize(
    "cap",
    [
        0,
        None,
        {},
        {"epsilon": 3},
        {"epsilon": -1, "days": 3},
        {"epsilon": 3, "days": 0},
        {"epsilon": 3, "days": 1.5},
    ],
)
def test_a_cap_per_period_is_a_number_in_days(process: NodeProcess, cap: object) -> None:
    series = weekly(1)
    [refused] = results_of(process, series, [report(series, 1, options={"capPerPeriod": cap})])
    assert refused["code"] == "bad_parameter"


def test_caps_are_remembered(process: NodeProcess) -> None:
    series, period = weekly(1), {"epsilon": "3", "days": 365}
    calls = [
        ask(1, "capPerPeriod"),
        ask(1, "cap", options={"cap": 7, "capPerPeriod": {"epsilon": 3, "days": 365}}),
    ]
    none, cap, remembered = results_of(process, series, [*calls, ask(1, "capPerPeriod")])
    assert (none, cap, remembered) == (None, "7", period)
