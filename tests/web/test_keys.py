"""What the page of one key asks for: its estimate in people, its neighbours, several levels."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

import pckv
from pckv.charts.estimates import QUANTILES
from pckv.collector.analysis import estimates as estimates_part
from pckv.web.dashboard import LEVELS
from support.collectors import Running, check_problem, some_reports
from support.site import HOSTILE
from support.stores import add


@pytest.fixture(scope="module")
def task(site: Running) -> pckv.Task:
    """A task with reports about keys with unusual names."""
    created = site.add_task(keys=["a/b?c", HOSTILE, "é", "d"], values=(1, 5), epsilon=4)
    add(site.store, *some_reports(range(300), created), task=created)
    return created


def get(site: Running, task: pckv.Task, place: str, **parameters: str) -> Any:
    return site.get(f"/tasks/{task.id}/{place}?{urlencode(parameters)}")


def test_a_key_comes_with_its_people_and_its_neighbours(site: Running, task: pckv.Task) -> None:
    rows = site.get(f"/tasks/{task.id}/estimates?sort=-frequency&level=0.9").json()["estimates"]
    names = [None, *(row["key"] for row in rows), None]
    for rank, row in enumerate(rows, 1):
        found = get(site, task, "key", name=row["key"], level="0.9").json()
        assert found["estimate"] == row
        assert (found["rank"], found["keys"], found["level"]) == (rank, 4, 0.9)
        assert (found["previous"], found["next"]) == (names[rank - 1], names[rank + 1])
        people = [round(300 * min(max(row[name], 0), 1)) for name in ("frequency", "frequency_low", "frequency_high")]
        assert list(found["people"].values()) == people
        assert 0 < found["sharper"]["noise"] < 0.2
    hostile = get(site, task, "key", name="d", hostile="3").json()
    assert (hostile["hostile"], hostile["sharper"]) == (3, None)


def test_a_key_at_several_levels_is_what_estimates_say(site: Running, task: pckv.Task) -> None:
    found = get(site, task, "key/levels", name=HOSTILE, level="0.7", method="corrected").json()
    assert [row["level"] for row in found["levels"]] == sorted((*LEVELS, 0.7))
    for row in found["levels"]:
        level = row.pop("level")
        answer = get(site, task, "estimates", keys=HOSTILE, level=str(level), method="corrected").json()
        assert answer["estimates"] == [row]
    assert len(found["chart"]["data"]["values"]) == len(LEVELS) + 1
    assert found["distribution_chart"] is None
    assert found["chart"]["title"]["text"] == f"{task.name}: {HOSTILE}"


def test_all_levels_of_a_page_count_the_same_reports(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """While reports arrive, each level was estimated from another tally."""
    task = site.add_task(keys=["a", "b"], epsilon=4)
    add(site.store, *some_reports(range(10), task), task=task)
    counted: list[int] = []

    def estimate(tally: pckv.Tally, **options: Any) -> pckv.Estimates:
        counted.append(tally.reports)
        add(site.store, *some_reports([10 + len(counted)], task), task=task)
        return pckv.estimate(tally, **options)

    monkeypatch.setattr(estimates_part, "estimate", estimate)
    found = get(site, task, "key/levels", name="a").json()
    assert counted == [10] * len(LEVELS)
    assert len({row["frequency"] for row in found["levels"]}) == 1
    assert "10 reports" in found["chart"]["title"]["subtitle"]


def test_the_values_of_a_key_with_levels_are_what_estimates_say(site: Running) -> None:
    levels = site.add_task(name="levels", keys=["a", "b"], values=(1, 5), levels=[1, 2, 5], epsilon=4)
    add(site.store, *some_reports(range(300), levels), task=levels)
    found = get(site, levels, "key", name="b", level="0.9").json()
    asked = {"quantile": QUANTILES, "above": (1, 2, 5), "below": (1, 2, 5)}
    query = urlencode({"keys": "b", "level": "0.9"} | asked, doseq=True)
    [row] = site.get(f"/tasks/{levels.id}/estimates?{query}").json()["estimates"]
    assert found["estimate"] == row
    assert [len(row[name]) for name in ("shares", "quantiles", "above", "below")] == [3, 5, 3, 3]
    charts = get(site, levels, "key/levels", name="b", level="0.9").json()
    assert len(charts["distribution_chart"]["hconcat"]) == 2
    assert "90 % intervals" in charts["distribution_chart"]["title"]["subtitle"]


def test_keys_that_do_not_exist_and_tasks_without_reports(site: Running, task: pckv.Task) -> None:
    empty = site.add_task()
    for place in ("key", "key/levels"):
        check_problem(get(site, task, place, name="nobody"), 400, "malformed")
        check_problem(get(site, task, place), 400, "malformed")
        check_problem(site.get(f"/tasks/{task.id}/{place}?name=d", None), 401, "bad-token")
        assert get(site, empty, place, name="0", hostile="20").status_code == 200
    nothing = get(site, empty, "key", name="0").json()
    assert (nothing["people"], nothing["sharper"]) == ({"estimate": 0, "low": 0, "high": 0}, None)
