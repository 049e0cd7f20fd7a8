"""The facts of a task: the same members and words wherever a task is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pckv import Series, Task
from pckv.contract.facts import fact_members, said
from pckv.contract.task import MEMBERS
from support.tasks import a_task

LISTED = Task(
    name="movies",
    keys=["alien", "heat", "up"],
    values=("0.5", "1234567.5"),
    epsilon=1,
    padding=2,
    mechanism="grr",
    size_share="0.2",
    about={"question": "Which?", "unit": "stars", "low_label": "awful", "high_label": "great"},
)
TASKS = {
    "listed": LISTED,
    "other": Task(
        name="t", keys=["a"], other="rest", values=(0, 1), epsilon=1, levels=3, about={"middle_label": "so so"}
    ),
    "numbered": a_task(keys=2**31, padding=1, mechanism="grr", size_share=0),
    "refused": Task(name="t", keys=9, values=(0, 1), epsilon=1, padding=2, more="refuse", between="refuse"),
    "named": Task(
        name="t",
        keys=9,
        values=(0, 9),
        levels=(0, 2, 9),
        epsilon=1,
        about={"low_label": "none", "middle_label": "some"},
    ),
    "hashed": Task(name="t", keys="hashed", values=(0, 1), epsilon=1),
    "coins": Task(name="t", keys=9, values=(0, 1), epsilon=4, coin="server", closes="2030-01-02"),
    "discovery": Task.discovery(name="t", epsilon=1, characters=3, alphabet="ab", opens="2030-01-01"),
    "round": Series(task=LISTED, first="2030-01-07", period=7, panels=4).task_of(3),
}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_facts_have_every_member_of_the_contract_once(task: Task) -> None:
    facts = task.facts()
    members = fact_members(facts)
    assert sum(len(fact.members) for fact in facts) == len(members)
    assert members.keys() >= set(MEMBERS) - {"version"}
    assert members == task.members(*members)
    assert json.loads(json.dumps(members)) == members
    names = [name for name, _ in said(facts)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "listed",
            {
                "question": "Which?",
                "keys": "3",
                "first keys": "alien, heat, up",
                "values": "from 0.5 (awful) to 1234567.5 (great) stars",
                "pairs per report": "at most 2; of participants with more, a random choice of their pairs is reported",
                "size question": "20 % of the reports say about how many pairs a participant holds, instead of which",
                "days": "no days set",
            },
        ),
        (
            "other",
            {
                "keys": "2, of which “rest” stands for all that are not listed",
                "first keys": "a",
                "values": "from 0 to 1; halfway is “so so”",
                "levels": "3: 0, 0.5, 1; a value in between is reported as one of the two next to it, at random, "
                "so that means are right on average",
            },
        ),
        (
            "numbered",
            {
                "first keys": "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, and 2,147,483,636 more",
                "size question": "not asked: no report says how many pairs a participant holds",
            },
        ),
        (
            "refused",
            {
                "levels": "2: 0, 1; nothing in between is taken",
                "pairs per report": "at most 2; more are refused where pairs are entered",
                "size question": None,
            },
        ),
        ("named", {"values": "from 0 (none) to 9; 2 is “some”", "levels": "3: 0, 2, 9; nothing in between is taken"}),
        ("hashed", {"keys": "any text; those to estimate are named afterwards", "first keys": None}),
        ("coins", {"days": "last day 2030-01-01"}),
        (
            "discovery",
            {
                "keys": "unknown; found up to 3 characters of these: “ab”, from 3 groups of people",
                "first keys": None,
                "values": None,
                "levels": None,
                "texts per report": "at most 1; of participants with more, a random choice of their texts is reported",
                "days": "opens on 2030-01-01",
            },
        ),
        ("round", {"days": "opens on 2030-01-21, last day 2030-01-27"}),
    ],
)
def test_facts_in_words(name: str, expected: dict[str, Any]) -> None:
    words = dict(said(TASKS[name].facts()))
    assert {fact: words.get(fact) for fact in expected} == expected


def test_every_pair_fits_into_a_report_with_a_place_per_key() -> None:
    task = Task(name="t", keys=3, values=(0, 1), epsilon=1, padding=3)
    words = dict(said(task.facts()))
    assert words["pairs per report"] == "at most 3, which is one per key"
    assert "size question" not in words


@pytest.mark.parametrize("epsilon", ["1", "0.123456789", "0.000001", "20"])
def test_the_realised_epsilon_is_never_shown_above_the_one_asked_for(epsilon: str) -> None:
    task = Task(name="t", keys=3, values=(0, 1), epsilon=epsilon, padding=1, mechanism="ue")
    asked, realised = dict(said(task.facts()))["ε of a report"].split(" (realised ")
    assert asked == epsilon
    assert task.realised_epsilon <= float(realised.rstrip(")")) <= float(epsilon)


def test_a_series_has_the_facts_of_its_task_but_those_of_one_round() -> None:
    series = Series(task=LISTED, first="2030-01-07", period=7, panels=4, rounds=52)
    words = dict(said(series.facts()))
    assert words["rounds"] == "52 rounds of 7 days from 2030-01-07 on"
    assert words["panels"] == "4; a device reports in one round out of 4"
    assert (words["name"], words["id"], words["keys"]) == ("movies", series.id, "3")
    assert "days" not in words
    assert LISTED.id not in words.values()
