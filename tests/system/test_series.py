"""A whole repeated collection: real devices report to a real collector over four rounds, and the trend counts them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from pckv import Series
from pckv.client import Client
from support.collectors import Running, new_task, running

DEVICES, PANELS, ROUNDS = 5, 2, 4


def test_everybody_is_counted_once_per_window(tmp_path: Path) -> None:
    task = new_task(keys=["alien", "heat"], values=(1, 5), size_share=0)
    series = Series(task=task, first="2030-01-07", period=7, panels=PANELS, rounds=ROUNDS)
    now = [dt.datetime(2030, 1, 1, tzinfo=dt.UTC)]
    with running(clock=lambda: now[0].date().isoformat()) as collector:
        assert collector.administer("POST", "/series", series.to_json().encode()).status_code == 201
        url = f"http://127.0.0.1:{collector.port}"
        devices = [Client(url, tmp_path / str(number), cap=100, clock=lambda: now[0]) for number in range(DEVICES)]
        assert devices[0].report(series.id, {"alien": 4}).status.value == "not_started"
        sent: dict[int, list[int]] = {}
        for number in range(1, ROUNDS + 1):
            now[0] = dt.datetime.fromisoformat(f"{series.opens(number)}T12:00+00:00")
            collector.app.state.collector.contracts.rounds.add_due(series.opens(number))
            for name, device in enumerate(devices):
                receipts = [device.report(series.id, {"alien": 4}) for _ in range(2)]
                assert len({receipt.status for receipt in receipts}) == 1
                if receipts[0].perturbed:
                    sent.setdefault(name, []).append(number)
        assert set(sent) == set(range(DEVICES))
        assert all(rounds in ([1, 3], [2, 4]) for rounds in sent.values())
        check_trend(collector, series, sent)
        now[0] = dt.datetime(2030, 2, 4, tzinfo=dt.UTC)
        assert devices[0].report(series.id, {"alien": 4}).status.value == "over"


def check_trend(collector: Running, series: Series, sent: dict[int, list[int]]) -> None:
    """Check that each round counts those who reported in it, and the last rounds together every participant once."""
    expected = {number: sum(number in rounds for rounds in sent.values()) for number in range(1, ROUNDS + 1)}
    trend = collector.get(f"/series/{series.id}/trend").json()
    assert {each["round"]: each["reports"] for each in trend["rounds"]} == {
        number: count for number, count in expected.items() if count
    }
    assert trend["pooled"]["reports"] == DEVICES
