"""The form for a discovery: its plan, the task that it becomes, and which field is wrong."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest

import pckv
from support.collectors import ADMINISTRATOR, Running, bearer, check_problem
from support.site import ask

FORM = {"kind": "discovery", "name": "terms", "epsilon": "4", "characters": 3, "alphabet": "cab"}


def create(site: Running, query: str = "", **members: Any) -> httpx2.Response:
    body = {name: value for name, value in (FORM | members).items() if value is not ...}
    return ask(site, "POST", f"/tasks/new{query}", bearer(ADMINISTRATOR), json=body)


def plan(site: Running, **values: Any) -> httpx2.Response:
    return site.get(f"/plan/discovery?{urlencode(values)}", ADMINISTRATOR)


def test_a_form_becomes_a_discovery(site: Running) -> None:
    about = {"question": "What do you search for?"}
    created = create(site, groups=2, padding=3, coin="server", opens="2030-01-01", about=about)
    assert created.status_code == 201
    task = pckv.Task.from_json(site.client.get(f"/tasks/{created.json()['id']}").content)
    assert task == pckv.Task.discovery(
        name="terms",
        epsilon=4,
        characters=3,
        alphabet="abc",
        groups=2,
        padding=3,
        coin="server",
        opens="2030-01-01",
        about=about,
    )
    usual = create(site, "?preview=true", characters=..., alphabet=...)
    assert usual.json()["task"] == pckv.Task.discovery(name="terms", epsilon=4).to_json()


def test_a_plan_is_that_of_the_library(site: Running) -> None:
    shown = plan(site, users=10_000, epsilon="4", characters=3, alphabet="abc", groups=1)
    expected = pckv.plan_discovery(users=10_000, epsilon=4, characters=3, alphabet="abc", groups=1)
    sections = [section.to_dict() for section in expected.sections()]
    assert shown.json() == expected.to_dict() | {"sections": sections}
    assert plan(site, users=1, epsilon="0.1").json()["frequency"] == 1
    lights = [
        plan(site, users=users, epsilon="2").json()["sections"][0]["light"] for users in (10_000, 100_000, 1_000_000)
    ]
    assert lights == ["red", "amber", "green"]
    check_problem(plan(site, users=10, epsilon="4", characters=8, groups=1), 400, "malformed", "groups")
    check_problem(plan(site, users=0, epsilon="4"), 400, "malformed", "users")
    check_problem(plan(site, users=10, epsilon="0"), 400, "malformed", "epsilon")


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("name", "", "the name"),
        ("characters", 0, "from 1 to 64"),
        ("characters", 65, "from 1 to 64"),
        ("characters", "3", "from 1 to 64"),
        ("alphabet", "a", "from 2 to 255 characters"),
        ("alphabet", "a\u0301b", "changes the character before it"),
        ("alphabet", "aba", "it appears twice"),
        ("alphabet", "a\tb", "control character"),
        ("alphabet", 5, "from 2 to 255 characters"),
        ("groups", 4, "from 1 to 3"),
        ("groups", 1.5, "from 1 to the number of characters"),
        ("padding", 0, "from 1 to 1,000"),
        ("epsilon", "20.5", "epsilon must be"),
        ("epsilon", "much", "ε must be"),
        ("closes", "2030-02-30", "closes"),
        ("question", "?", "question"),
        ("low", "0", "low"),
        ("kind", "discover", "the kind must be pairs or discovery"),
        ("kind", ["discovery"], "the kind must be pairs or discovery"),
    ],
)
def test_the_field_that_is_wrong_is_named(site: Running, field: str, value: Any, says: str) -> None:
    answer = create(site, **{field: value})
    check_problem(answer, 400, "malformed")
    assert says in answer.json()["detail"]
    assert answer.json()["field"] == field


def test_too_few_groups_are_refused(site: Running) -> None:
    answer = create(site, characters=24, alphabet=..., groups=2)
    check_problem(answer, 400, "malformed", "groups")
    assert "continuations" in answer.json()["detail"]
