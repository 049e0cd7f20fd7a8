"""Series: their rounds, the tasks of these, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pckv import Series, Task
from pckv.base.days import Phase, days_after
from pckv.base.errors import ParameterError, SeriesError

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "v1" / "series.json").read_text())
TASK = Task(name="ratings", keys=3, values=(1, 5), epsilon=1, padding=2, mechanism="grr", size_share=0)


@pytest.mark.parametrize("case", [case for case in VECTORS if "id" in case], ids=lambda case: case["id"][:6])
def test_vectors(case: dict[str, Any]) -> None:
    series = Series.from_json(case["json"])
    assert series.id == case["id"]
    for number, expected in case["rounds"].items():
        task = series.task_of(int(number))
        assert {"id": task.id, "opens": task.opens, "closes": task.closes} == expected
        assert Task.from_json(task.to_json()) == task
    assert {day: series.round_on(day) for day in case["days"]} == case["days"]
    assert [[p, after, series.next_round(p, after)] for p, after, _ in case["next"]] == case["next"]


@pytest.mark.parametrize("case", [case for case in VECTORS if "reason" in case], ids=lambda case: case["reason"])
def test_refused(case: dict[str, Any]) -> None:
    with pytest.raises(SeriesError, match=case["reason"]):
        Series.from_json(case["json"])


@given(
    st.integers(1, 400),
    st.integers(1, 60),
    st.integers(1, 60),
    st.integers(-1000, 30_000),
    st.integers(0, 59),
)
def test_days_and_rounds_agree(period: int, panels: int, more: int, offset: int, panel: int) -> None:
    series = Series(task=TASK, first="2030-01-07", period=period, panels=panels, rounds=panels + more)
    day = days_after("2030-01-07", offset)
    assert day is not None
    number, begun = series.round_on(day), series.last_round_by(day)
    if number is None:
        over = day >= series.closes(panels + more)
        assert over or day < series.first
        assert begun == (panels + more if over else 0)
        assert series.phase(day) is (Phase.CLOSED if over else Phase.WAITING)
    else:
        assert series.opens(number) <= day < series.closes(number)
        assert (number, series.phase(day)) == (begun, Phase.OPEN)
        assert series.task_of(number).dates.phase(day) is Phase.OPEN
    following = series.next_round(panel % panels, begun)
    candidates = [r for r in range(begun + 1, panels + more + 1) if r % panels == panel % panels]
    assert following == (candidates[0] if candidates else None)


def test_rounds_without_end() -> None:
    series = Series(task=TASK, first="2030-01-07", period=7, panels=4)
    assert series.round_on("9999-12-25") == 415_853
    assert series.round_on("9999-12-31") is None
    with pytest.raises(ParameterError, match="after the year 9999"):
        series.task_of(415_854)


def test_a_round_is_bound_to_its_series() -> None:
    one, other = (Series(task=TASK, first="2030-01-07", period=7, panels=w) for w in (1, 2))
    assert one.task_of(1).id != other.task_of(1).id
    assert one.task_of(1).law is one.task.law


COINS = Task(name="coins", keys=3, values=(0, 1), epsilon=1, padding=1, mechanism="ue-compact", coin="server")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"period": 0}, "period must be at least 1"),
        ({"panels": 0}, "panels must be at least 1"),
        ({"panels": 1001}, "at most 1,000"),
        ({"rounds": 3}, "devices would never report"),
        ({"first": "today"}, "first must be a day"),
        ({"task": TASK.to_json()}, "must be a task"),
        ({"task": COINS}, "draws its coins on the device"),
    ],
)
def test_wrong_parameters(given: dict[str, Any], reason: str) -> None:
    whole: dict[str, Any] = {"task": TASK, "first": "2030-01-07", "period": 7, "panels": 4}
    with pytest.raises(ParameterError, match=reason):
        Series(**(whole | given))


@pytest.mark.parametrize("number", [0, -1, 11, True, "1"])
def test_a_round_that_does_not_exist(number: Any) -> None:
    series = Series(task=TASK, first="2030-01-07", period=7, panels=4, rounds=10)
    with pytest.raises(ParameterError, match="round must be"):
        series.task_of(number)
