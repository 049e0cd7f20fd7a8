"""Hashed keys at a collector: estimated once an analyst names them, and on all pages of their task."""

from __future__ import annotations

import csv
import io

import pyarrow.parquet as pq
import pytest

import pckv
from support.collectors import ANALYST, DAY, Running, bearer, check_problem, new_task, perturbed
from support.stores import add, tally

PARQUET = "application/vnd.apache.parquet"
NAMES = ["rare", "alpha", "ÄÖ 東京", "beta"]


@pytest.fixture(scope="module")
def hashed(small: Running) -> tuple[pckv.Task, list[pckv.Report]]:
    """A task that lists no key, and reports of people who hold two of the names."""
    task = small.add_task(name="hashed", keys="hashed", values=(1, 5), epsilon=4, mechanism="collision", padding=1)
    reports = perturbed(task, {"alpha": 5}, {"alpha": 4}, {"beta": 1}, times=100)
    add(small.store, *reports, task=task)
    return task, reports


def test_estimates_of_hashed_keys_are_those_of_the_library(
    small: Running, hashed: tuple[pckv.Task, list[pckv.Report]]
) -> None:
    task, reports = hashed
    expected = pckv.estimate(tally(reports, task), keys=NAMES)
    answer = small.ask(task, NAMES)
    assert (answer.text, answer.headers["x-total-count"]) == (expected.to_json(), "4")
    assert "etag" not in answer.headers
    assert expected.detected.tolist() == [False, True, False, True]
    as_csv = small.ask(task, NAMES, Accept="text/csv")
    assert as_csv.text == expected.to_csv()
    assert [row["key"] for row in csv.DictReader(io.StringIO(as_csv.text))] == NAMES
    table = pq.read_table(io.BytesIO(small.ask(task, NAMES, Accept=PARQUET).content))
    assert table.to_pydict() == expected.to_arrow().to_pydict()
    # Another list is another question, and a few may be named in the address.
    fewer = small.ask(task, NAMES[:2]).json()
    assert [row["key"] for row in fewer["estimates"]] == NAMES[:2]
    named = small.get(f"/tasks/{task.id}/estimates?keys=beta&keys=rare")
    assert [row["key"] for row in named.json()["estimates"]] == ["beta", "rare"]
    assert "etag" in named.headers


def test_false_discoveries_are_as_rare_as_asked(small: Running, hashed: tuple[pckv.Task, list[pckv.Report]]) -> None:
    task, reports = hashed
    answer = small.ask(task, NAMES, "false_discovery_rate=0.3").json()
    expected = pckv.estimate(tally(reports, task), keys=NAMES, false_discovery_rate=0.3)
    assert answer == expected.to_dict()
    assert (answer["false_discovery_rate"], answer["estimates"][0]["collides"]) == (0.3, False)
    assert small.ask(task, NAMES).json()["false_discovery_rate"] == 0.05
    check_problem(small.ask(task, NAMES, "false_discovery_rate=1"), 400, "malformed")
    listed = small.add_task()
    check_problem(small.get(f"/tasks/{listed.id}/estimates?false_discovery_rate=0.1"), 400, "malformed")
    check_problem(small.ask(task, NAMES, "post=consistent"), 400, "malformed")


def test_hashed_keys_are_sorted_searched_and_paged(small: Running, hashed: tuple[pckv.Task, list[pckv.Report]]) -> None:
    def names(query: str, keys: list[str] = NAMES) -> list[str]:
        return [row["key"] for row in small.ask(hashed[0], keys, query).json()["estimates"]]

    assert names("sort=detected")[:2] == ["alpha", "beta"]
    assert names("top=1") == names("sort=-frequency&limit=1") == ["alpha"]
    assert names("sort=detected&offset=1&limit=1") == ["beta"]
    assert names("search=BET") == ["beta"]
    # The same search of another list does not find the names of this one.
    assert names("search=bet", ["alphabet", "x"]) == ["alphabet"]


def test_the_pages_of_a_hashed_task_name_its_keys(small: Running, hashed: tuple[pckv.Task, list[pckv.Report]]) -> None:
    task = hashed[0]
    overview = small.get(f"/tasks/{task.id}/overview").json()
    assert (overview["keys"], overview["other"], overview["first_key"]) == ("hashed", None, "any text")
    assert overview["method"] == "corrected"
    chart = small.client.post(f"/tasks/{task.id}/chart", json={"keys": NAMES}, headers=bearer(ANALYST))
    assert "alpha" in chart.text
    few, many = (
        small.get(f"/tasks/{task.id}/precision?method={method}&candidates={candidates}").json()
        for method, candidates in (("corrected", 10), ("bayes", 100_000))
    )
    assert (few["reports"], few["candidates"], many["candidates"]) == (300, 10, 100_000)
    assert few["smallest"] < many["smallest"]
    found = small.get(f"/tasks/{task.id}/key?name=alpha").json()
    assert (found["estimate"]["key"], found["rank"], found["keys"]) == ("alpha", None, None)
    levels = small.get(f"/tasks/{task.id}/key/levels?name=alpha").json()
    assert {row["key"] for row in levels["levels"]} == {"alpha"}
    check_problem(small.get(f"/tasks/{task.id}/key?name=e%CC%81"), 400, "malformed")
    public = small.administer("PATCH", f"/tasks/{task.id}", b'{"public_results":true}')
    check_problem(public, 400, "malformed")
    assert "hashed keys have no public page" in public.json()["detail"]


def test_rounds_with_hashed_keys_have_no_trend(small: Running) -> None:
    """A text has another number in every round."""
    series = pckv.Series(task=new_task(keys="hashed", mechanism="collision"), first=DAY, period=7, panels=1)
    assert small.administer("POST", "/series", series.to_json().encode()).status_code == 201
    for query in ("", "?keys=alpha"):
        answer = small.get(f"/series/{series.id}/trend{query}")
        check_problem(answer, 400, "malformed")
        assert "every round hashes texts to other numbers" in answer.json()["detail"]
    [listed] = [one for one in small.get("/series").json()["series"] if one["id"] == series.id]
    assert (listed["keys"], listed["other"]) == ("hashed", None)
    round_one = small.ask(series.task_of(1), ["alpha"])
    assert round_one.json()["verdict"] == ["There are no reports yet."]
