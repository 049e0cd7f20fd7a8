"""The precision of a task on its page: the ranges that more reports would bring, and what none can show."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pckv import Task
from pckv.planning.prediction import predict, users_for
from pckv.planning.sections import HALF_RANGE
from pckv.statistics.moments import CountMoments, Scale
from support.collectors import Running, report, some_reports
from support.stores import add


def get(site: Running, task: Task, query: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = site.get(f"/tasks/{task.id}/precision?{query}").json()
    return answer


def test_precision_is_what_plans_predict_where_nobody_can_hold_more(site: Running) -> None:
    task = site.add_task(values=(0, 10), more="refuse")
    empty = get(site, task)
    assert (empty["half_range"], empty["half_range_of_mean"]) == (None, None)
    assert empty["needed"] == users_for(task.law, 0.05, 0.01 / HALF_RANGE)
    add(site.store, *some_reports(range(50), task), task=task)
    precision = get(site, task, "frequency=0.2&wanted=0.1")
    squares = predict(CountMoments.of(task.law.count_law), 50, 0.2)
    assert precision["half_range"] == min(1, HALF_RANGE * math.sqrt(squares.frequency))
    assert precision["hidden"] == 0
    assert precision["needed"] == precision["needed_for_noise"] == users_for(task.law, 0.2, 0.1 / HALF_RANGE)
    [panel] = precision["chart"]["hconcat"]
    assert panel["layer"][0]["encoding"]["y"]["field"] == "frequency"
    [today] = [row for row in precision["chart"]["data"]["values"] if row["series"] == "today"]
    assert (today["reports"], today["frequency"]) == (50, precision["half_range"])


def test_the_range_of_a_mean_depends_on_what_levels_are_worth(site: Running) -> None:
    task = site.add_task(name="levels", values=(0, 10), levels=[0, 9, 10], more="refuse")
    add(site.store, *some_reports(range(50), task), task=task)
    assert get(site, task, "frequency=0.2")["half_range_of_mean"] is None
    add(site.store, *some_reports(range(50, 5000), task), task=task)
    scale = Scale.of_values((0, 9, 10))
    squares, equal = (predict(CountMoments.of(task.law.count_law, scale=each), 5000, 0.2) for each in (scale, None))
    found = get(site, task, "frequency=0.2")["half_range_of_mean"]
    assert found == pytest.approx(5 * HALF_RANGE * math.sqrt(squares.mean))
    assert found != pytest.approx(5 * HALF_RANGE * math.sqrt(equal.mean), rel=0.01)


def test_noise_is_that_of_the_reports_about_pairs(site: Running) -> None:
    task = site.add_task(padding=3, size_share="0.2")
    first = task.law.word_limit
    assert first is not None
    sizes = [report(100 + number, first, task) for number in range(20)]
    add(site.store, *(report(number, 1, task) for number in range(80)), *sizes, task=task)
    precision = get(site, task, "frequency=0.3&wanted=0.1")
    squares = predict(CountMoments.of(task.law.count_law, left_out=0.2), 80, 0.3)
    assert precision["half_range"] == pytest.approx(min(1, HALF_RANGE * math.sqrt(squares.frequency)))
    assert (precision["reports"], precision["size_answers"]) == (100, 20)
    limit = site.get(f"/tasks/{task.id}/estimates").json()["sizes"]["hidden_high"]
    assert precision["hidden"] == min(limit, 0.3 * (1 - 3 / 11))


def test_nothing_is_promised_where_sizes_are_unknown_or_hide_more(site: Running) -> None:
    """Twelve keys and a padding of 1, where people hold 4 pairs: no number of reports is enough."""
    task = site.add_task(keys=12, epsilon=2, padding=1)
    before = get(site, task)
    assert (before["needed"], before["asks_sizes"], before["size_answers"]) == (None, True, 0)
    assert before["needed_for_noise"] > 0
    first = task.law.word_limit
    assert first is not None
    sizes = [report(number, first + 2, task) for number in range(100)]
    add(site.store, *sizes, *(report(1000 + number, 1, task) for number in range(1000)), task=task)
    precision = get(site, task)
    assert precision["needed"] is None
    assert precision["hidden"] == precision["surely_hidden"] == 0.05 * 11 / 12
    silent = get(site, site.add_task(keys=12, epsilon=2, padding=1, size_share=0))
    assert (silent["needed"], silent["asks_sizes"]) == (None, False)
