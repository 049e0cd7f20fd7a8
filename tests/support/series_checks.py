"""What every JavaScript client of series keeps: checks that run on the client and on mutants."""

from __future__ import annotations

from pathlib import Path

from pckv import Task
from pckv.base.errors import AuditFailure
from support.series_calls import TASK, ask, report, results_of, series_node, statuses, submit, weekly

ONE = 1 << 64
OTHER, THIRD = (
    Task(name=name, keys=["alien"], values=(1, 5), epsilon=1, mechanism="grr", padding=1)
    for name in ("others", "third")
)


def require(holds: bool, fault: str) -> None:
    if not holds:
        raise AuditFailure(fault)


def check_panels(client: Path) -> None:
    """Check that every panel has the same number of draws: the draw's remainder, where incomplete runs are drawn again."""
    process = series_node(client)
    for panels in (1, 2, 3, 4, 7, 1000):
        accepted = ONE - ONE % panels
        draws = [[draw] for draw in range(min(panels, 9))] + [[accepted - 1], [accepted - panels]]
        expected = [[draw % panels, 1, True] for [draw] in draws]
        for refused in {accepted, ONE - 1} - {ONE, accepted - 1}:
            draws.append([refused, refused, panels + 1])
            expected.append([1 % panels, 3, True])
        request = {
            "do": "panels",
            "series": weekly(panels, None).to_json(),
            "draws": [[str(d) for d in ds] for ds in draws],
        }
        [drawn] = process.ask(request)
        require(drawn == expected, f"panels: {drawn} of {panels}")


def check_schedules(client: Path, case: tuple[int, int, int] = (3, 4, 1), *, trusting: bool = False) -> None:
    """Check all schedules of some panels and rounds, each with at most a number of faults."""
    panels, rounds, faults = case
    request = {"do": "walk", "series": weekly(panels, rounds).to_json(), "rounds": rounds, "faults": faults}
    process = series_node(client)
    [walked] = process.ask(request | {"trusting": trusting})
    require("fault" not in walked, f"schedules: {walked}")
    require(walked["states"] > panels * rounds, "schedules: the walk went nowhere")


def check_two_panels(client: Path) -> None:
    """Check that the ledger refuses a round too early: two tabs are in two panels, and the collector takes any round."""
    series = weekly(4)
    # The second answer to a new device is that the collector would take its report.
    overtaken = {"overtakenOn": "answer 2", "otherClock": 2, "forgetsPanel": True}
    process = series_node(client)
    calls = [report(series, 1, tab=overtaken, set={"trusting": True}), ask(2, "ledger")]
    result, ledger = results_of(process, series, calls)
    require(result.get("code") == "not_due", f"ledger: {result}")
    require([entry["round"] for entry in ledger] == [2], f"ledger: {ledger}")


def check_caps_in_time(client: Path) -> None:
    """Check a cap per period, at most ε = 2 in 20 days, counted by days that never go back."""
    cap, series = {"capPerPeriod": {"epsilon": 2, "days": 20}}, weekly(1)
    process = series_node(client)
    days = ("01-07", "01-14", "01-21", "01-26", "01-27", "01-28", "02-03")
    calls = [report(series, f"2030-{day}T12:00Z", options=cap if day == "01-07" else {}) for day in days]
    found = statuses(results_of(process, series, calls))
    # A report does not count from 20 days after it on.
    expected = ["sent", "sent", "over_budget", "over_budget", "sent", "over_budget", "sent"]
    require(found == expected, f"caps: {found}")
    # The clock is set back: the day of the second report is that of the first.
    calls = [submit(TASK, "2030-01-31T12:00Z", options=cap), submit(OTHER, "2030-01-01T12:00Z")]
    calls += [submit(THIRD, f"2030-02-{day}T12:00Z") for day in (19, 20)]
    *results, ledger = results_of(process, series, [*calls, ask(1, "ledger")], TASK, OTHER, THIRD)
    require(statuses(results) == ["sent", "sent", "over_budget", "sent"], f"caps: {results}")
    found = [entry.get("day") for entry in ledger]
    require(found == ["2030-01-31", "2030-01-31", "2030-02-20"], f"caps: {found}")
