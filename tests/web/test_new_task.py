"""The form for a new task: its plan, the task that it becomes, and that both are what the command line gives."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import pckv
from pckv.base.stopping import check_stop
from pckv.cli import main
from pckv.collector.computations import MAX_STOPPABLE
from pckv.planning.planner import plan
from pckv.web import new_task
from pckv.web.task_form import PlanInputs
from support.collectors import ADMINISTRATOR, Running, bearer, check_problem, wait_until
from support.site import FORM, HOSTILE, ask


def values(panel: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows that a panel and its layers draw."""
    layers = [panel, *panel["layer"]]
    return [row for layer in layers for row in layer.get("data", {}).get("values", [])]


@pytest.mark.parametrize(("more", "levels"), [("sample", 2), ("refuse", 2), ("sample", [1, 1.5, 5])], ids=str)
def test_the_plan_is_that_of_the_library(site: Running, more: str, levels: int | list[float]) -> None:
    text = str(levels).strip("[]").replace(" ", "")
    query = f"keys=500&users=20000&epsilon=1.5&pairs=3&objective=mean&low=1&high=5&more={more}&levels={text}"
    answer = site.get(f"/plan?{query}", ADMINISTRATOR).json()
    expected = plan(500, 20_000, "1.5", 3, objective="mean", more=more, values=(1, 5), levels=levels)
    assert answer["plan"] == json.loads(json.dumps(expected.to_dict()))
    assert answer["sections"] == [section.to_dict() for section in expected.sections()]
    assert answer["sections"][0]["light"] == expected.light
    chosen = next(option for option in expected.options if option.mechanism == expected.mechanism)
    for curve in (answer["by_epsilon"], answer["by_users"]):
        marked = [row for panel in curve["hconcat"] for row in values(panel) if row["series"] == "this plan"]
        assert marked
        for row in marked:
            assert row["frequency"] == pytest.approx(1.96 * chosen.frequency_error, rel=1e-4)
            assert chosen.mean_error is not None
            assert row["mean"] == pytest.approx(1.96 * chosen.mean_error, rel=1e-4)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ("keys=0", "keys"),
        ("keys=2147483649", "keys"),
        ("keys=hash", "keys"),
        ("pairs=6", "pairs"),
        ("pairs=nan", "pairs"),
        ("pairs=0", "pairs"),
        ("most_pairs=6", "most_pairs"),
        ("pairs=3&most_pairs=2", "most_pairs"),
        ("holding=0", "holding"),
        ("holding=1.5", "holding"),
        ("holding=nan", "holding"),
        ("pairs=0.3&holding=0.4", "holding"),
        ("pairs=3&holding=0.4", "holding"),
        ("pairs=1&holding=0.4&most_pairs=2", "most_pairs"),
        ("more=other", "more"),
        ("coin=other", "coin"),
        ("epsilon=99", "epsilon"),
        ("epsilon=0", "epsilon"),
        ("epsilon=x", "epsilon"),
        ("low=5&high=1", "high"),
        ("low=1", "high"),
        ("high=1", "low"),
        ("objective=mean", "objective"),
        ("low=inf", "low"),
        ("levels=1", "levels"),
        ("levels=17", "levels"),
        ("levels=x", "levels"),
        ("levels=-1,1,0", "levels"),
        ("low=-1&high=1&levels=-1,0,0.5", "levels"),
        ("objective=none", "objective"),
        ("other=1", "other"),
    ],
)
def test_what_cannot_be_planned_is_refused(site: Running, wrong: str, field: str) -> None:
    query = {"keys": "5", "epsilon": "1", "users": "100"} | dict(part.split("=") for part in wrong.split("&"))
    text = "&".join(f"{name}={value}" for name, value in query.items())
    check_problem(site.get(f"/plan?{text}", ADMINISTRATOR), 400, "malformed", field)


NO_VALUES = {"low": None, "high": None}
SURVEYS: list[dict[str, Any]] = [
    {"keys": 12, "users": 500, "epsilon": "2", "pairs": 3, **NO_VALUES},
    {"keys": 100, "users": 20_000, "epsilon": "1", "pairs": 2.5, "more": "refuse", "most_pairs": 6, **NO_VALUES},
    {"keys": "hashed", "users": 1_000_000, "epsilon": "2", "pairs": 3, **NO_VALUES},
    {"keys": 12, "users": 500, "epsilon": "2", "pairs": 3},
    {"keys": 12, "users": 500, "epsilon": "2", "pairs": 3, "more": "refuse"},
    {"keys": 12, "users": 500, "epsilon": "2", "pairs": 3, "most_pairs": 12},
    {"keys": 100, "users": 20_000, "epsilon": "1", "pairs": 3, "most_pairs": 5},
    {"keys": 100, "users": 20_000, "epsilon": "1", "pairs": 2.5, "more": "refuse", "most_pairs": 6},
    {"keys": 3, "users": 1000, "epsilon": "0.5", "pairs": 3},
    {"keys": 100, "users": 20_000, "epsilon": "2", "pairs": 1, "holding": 0.4},
    {"keys": 100, "users": 20_000, "epsilon": "2", "pairs": 0.4},
    {"keys": 12, "users": 500, "epsilon": "2", "most_pairs": 1, "more": "refuse", "holding": 0.4},
    {"keys": 5000, "users": 100_000, "epsilon": "4", "pairs": 20, "objective": "frequency"},
    {"keys": 100, "users": 20_000, "epsilon": "1"},
    {"keys": 12, "users": 500, "epsilon": "2", "pairs": 3, "levels": 5},
    # Without a coin this would be grr, which has no functions that a coin could choose.
    {"keys": 100, "users": 20_000, "epsilon": "4", "pairs": 3, "coin": "server"},
    {"keys": "hashed", "users": 1_000_000, "epsilon": "2", "pairs": 3, "levels": 3},
]
CONTRACT = ("mechanism", "parameters", "padding", "more", "size_share", "coin")


def test_without_a_range_keys_have_no_values(site: Running) -> None:
    """The plan is that of the library, its curves have one panel, and the task has no trace of values."""
    answer = site.get("/plan?keys=500&users=20000&epsilon=1.5&pairs=3", ADMINISTRATOR).json()
    expected = plan(500, 20_000, "1.5", 3)
    assert answer["plan"] == json.loads(json.dumps(expected.to_dict()))
    assert (answer["plan"]["values"], answer["plan"]["objective"]) == (None, "frequency")
    assert "mean" not in json.dumps(answer["sections"])
    for curve in (answer["by_epsilon"], answer["by_users"]):
        [panel] = curve["hconcat"]
        assert panel["layer"]
        assert "mean" not in json.dumps(curve)
    survey = {name: value for name, value in FORM.items() if name not in NO_VALUES} | {"name": "keys alone"}
    created = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=survey)
    task = pckv.Task.from_json(created.json()["task"])
    assert (task.has_values, task.level_count, task.between) == (False, 1, None)
    shown = site.get(f"/tasks/{task.id}/overview").json()
    assert (shown["low"], shown["high"], shown["levels"], shown["between"]) == (None, None, 1, None)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_options(survey: dict[str, Any]) -> list[str]:
    return [
        text for name, value in survey.items() if name != "keys" for text in (f"--{name.replace('_', '-')}", str(value))
    ]


def keys_options(keys: int | str) -> list[str]:
    """Return the options of keys, which a new task and a plan have in common."""
    return ["--hashed"] if keys == "hashed" else ["--keys", str(keys)]


@pytest.mark.parametrize("survey", SURVEYS, ids=str)
def test_form_plan_and_commands_agree(site: Running, survey: dict[str, Any], tmp_path: Path) -> None:
    """For every way to ask, the same people lead to the same padding, mechanism and size question."""
    name = f"survey {survey}"
    survey = {each: value for each, value in ({"low": "1", "high": "5"} | survey).items() if value is not None}
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=survey | {"name": name})
    assert answer.status_code == 201, answer.text
    task = pckv.Task.from_json(answer.json()["task"])
    query = "&".join(f"{each}={value}" for each, value in survey.items())
    shown = site.get(f"/plan?{query}", ADMINISTRATOR).json()["plan"]
    assert {each: shown[each] for each in CONTRACT} == {each: getattr(task, each) for each in CONTRACT}
    options = as_options(survey)
    keys = keys_options(survey["keys"])
    assert json.loads(run("plan", *keys, *options, "--json")) == shown
    contract = ["--name", name, "--out"]
    for number, command in enumerate((("task", "new", *keys), ("plan", *keys))):
        out = tmp_path / f"{number}.json"
        run(*command, *options, *contract, str(out))
        assert out.read_text(encoding="utf-8") == task.to_json()


def test_a_form_becomes_a_task(site: Running) -> None:
    headers = bearer(ADMINISTRATOR)
    answer = ask(site, "POST", "/tasks/new", headers, json=FORM)
    assert answer.status_code == 201
    task = pckv.Task.from_json(answer.json()["task"])
    assert (task.name, task.keys, task.padding, task.more) == ("movies", ("Alien", HOSTILE), 2, "sample")
    assert answer.headers["location"] == f"/tasks/{task.id}"
    assert site.get(f"/tasks/{task.id}", None).text == answer.json()["task"]
    assert ask(site, "POST", "/tasks/new", headers, json=FORM).status_code == 200
    site.administer("DELETE", f"/tasks/{task.id}?now=true")
    check_problem(ask(site, "POST", "/tasks/new", headers, json=FORM), 410, "deleted")


MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    ({"name": ""}, "name", "the name is empty"),
    ({"name": 3}, "name", "the name must be text"),
    ({"keys": []}, "keys", "a task needs at least one key"),
    ({"keys": ["a", "a"]}, "keys", "key 'a' appears twice"),
    (
        {"keys": ["a", 1]},
        "keys",
        "the keys must be a list of names, a whole number from 1 to 2^31, or 'hashed'",
    ),
    ({"other": HOSTILE}, "other", "other must not have the name of a listed key"),
    ({"other": "a\tb"}, "other", "other 'a\\tb' holds a control character"),
    ({"other": 1}, "other", "the name of the key for all that are not listed must be text"),
    ({"keys": "hashed", "other": "x"}, "other", "other must be left out where keys are hashed"),
    ({"low": "5"}, "high", "low must be below high: 5 ≥ 5"),
    ({"low": None}, "low", "name both the lowest and the highest value, or neither: keys then have no values"),
    ({"high": None}, "high", "name both the lowest and the highest value, or neither: keys then have no values"),
    ({**NO_VALUES, "levels": 2}, "levels", "keys without values have no levels, and nothing between them"),
    ({**NO_VALUES, "between": "round"}, "between", "keys without values have no levels, and nothing between them"),
    (
        {**NO_VALUES, "objective": "mean"},
        "objective",
        "objective 'mean' needs values: without them, choose from frequency, mse",
    ),
    ({"low": "five"}, "low", "the lowest value must be a number in plain digits, such as 1 or 0.5"),
    ({"levels": 17}, "levels", "the levels must be a whole number from 2 to 16, or that many numbers"),
    ({"levels": ["1", *["3"] * 15, "5"]}, "levels", "the levels must be a whole number from 2 to 16"),
    ({"levels": ["1", "4", "3", "5"]}, "levels", "levels must ascend: 4 is followed by 3"),
    ({"levels": ["1", "3"]}, "levels", "the levels must begin with 1 and end with 5"),
    (
        {"levels": ["1", "x", "5"]},
        "levels",
        "the levels must be a whole number from 2 to 16, or that many numbers in plain digits, such as 1 or 0.5",
    ),
    ({"between": "drop"}, "between", "between: Input should be 'round' or 'refuse'"),
    ({"epsilon": "0"}, "epsilon", "epsilon must be above 0 and at most 20, not 0"),
    ({"epsilon": "1e3"}, "epsilon", "ε must be a number above 0 and at most 20, such as 1 or 0.5"),
    ({"users": 0}, "users", "the number of people must be a whole number from 1 to 10^15"),
    ({"opens": "soon"}, "opens", "opens must be a day as YYYY-MM-DD, not 'soon'"),
    (
        {"opens": "2030-02-02", "closes": "2030-02-01"},
        "closes",
        "a task that opens on 2030-02-02 cannot close on 2030-02-01",
    ),
    ({"holding": 0}, "holding", "the share of people who hold any pair must be a number above 0 and at most 1"),
    (
        {"pairs": 0.3, "holding": 0.4},
        "holding",
        "pairs must be at least the share of people who hold any (0.4), not 0.3: each of those holds one or more",
    ),
    ({"pairs": 3}, "pairs", "pairs must be at most the number of keys (2), not 3"),
    (
        {"most_pairs": 3},
        "most_pairs",
        "most pairs must be at least 1 and at most the number of keys (2), not 3",
    ),
    ({"more": "drop"}, "more", "more: Input should be 'sample' or 'refuse'"),
    ({"coin": "none"}, "coin", "coin: Input should be 'device' or 'server'"),
    ({"about": {"unit": "x" * 257}}, "unit", "unit is longer than 256 bytes"),
    ({"about": {"colour": "red"}}, "colour", "about has no member 'colour'"),
    ({"about": {"unit": 3}}, "unit", "unit must be text, not 3"),
    ({"x": 1}, "x", "x: Extra inputs are not permitted"),
]


@pytest.mark.parametrize(("wrong", "field", "detail"), MISTAKES, ids=[str(each[0]) for each in MISTAKES])
def test_a_problem_names_the_field(site: Running, wrong: dict[str, Any], field: str, detail: str) -> None:
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=FORM | wrong)
    check_problem(answer, 400, "malformed", field)
    assert answer.json()["detail"].startswith(detail)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"name": "\\ud800"}'])
def test_what_is_wrong_with_the_whole_form_is_a_sentence(site: Running, body: bytes) -> None:
    answer = site.administer("POST", "/tasks/new", body)
    check_problem(answer, 400, "malformed")
    assert answer.json()["detail"][0].isalpha()


def test_a_preview_is_the_task_and_is_not_stored(site: Running) -> None:
    survey = FORM | {"name": "previewed", "about": {"question": "Which films have you seen?"}}
    answer = ask(site, "POST", "/tasks/new?preview=true", bearer(ADMINISTRATOR), json=survey)
    assert answer.status_code == 200
    task = pckv.Task.from_json(answer.json()["task"])
    assert (answer.json()["id"], task.about.question) == (task.id, "Which films have you seen?")
    check_problem(site.get(f"/tasks/{task.id}", None), 404, "unknown")
    created = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=survey)
    assert (created.status_code, created.json()) == (201, answer.json())


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ({}, {"epsilon": "1.1234567890123456789", "low": "-0.30000000000000000000000001", "high": "5"}),
        ({}, {"epsilon": f"0.{'0' * 5}{'3' * 33}", "low": "1", "high": f"1{'0' * 39}"}),
        ({"kind": "discovery"}, {"epsilon": "2.0000000000000001"}),
    ],
    ids=["pairs", "as many digits as a task may have", "discovery"],
)
def test_a_task_with_many_digits_can_be_duplicated(
    site: Running, kind: dict[str, str], numbers: dict[str, str]
) -> None:
    """A form takes every number that a task may have."""
    common = {"name": f"digits {numbers}", "keys": 5, "users": 100, "pairs": 1} if not kind else {"name": "digits"}
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=common | kind | numbers)
    assert answer.status_code == 201, answer.text
    task = json.loads(answer.json()["task"])
    assert {name: task[name] for name in numbers} == numbers
    query = f"epsilon={numbers['epsilon']}&users=100" + ("" if kind else "&keys=5")
    assert site.get(f"/plan{'/discovery' if kind else ''}?{query}", ADMINISTRATOR).status_code == 200
    more = numbers | {"epsilon": f"1.{'1' * 39}"}
    check_problem(
        ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=common | kind | more),
        400,
        "malformed",
        "epsilon",
    )


def test_a_task_is_created_on_the_day_of_the_collectors_clock(site: Running) -> None:
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=FORM | {"name": "clock"})
    stored = site.store.find_task(answer.json()["id"])
    assert stored is not None
    assert stored.created == "2030-01-15"


def test_a_form_becomes_a_task_with_levels(site: Running) -> None:
    survey = FORM | {"name": "levels", "levels": ["1", "2.50", "5"], "between": "refuse"}
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=survey)
    task = pckv.Task.from_json(answer.json()["task"])
    assert (task.domain.values.levels, task.between) == (("1", "2.5", "5"), "refuse")
    shown = site.get(f"/tasks/{task.id}/overview").json()
    assert (shown["levels"], shown["level_values"], shown["between"]) == (
        ["1", "2.5", "5"],
        [1, 2.5, 5],
        "refuse",
    )


def test_a_form_becomes_a_task_with_a_key_for_all_others(site: Running) -> None:
    survey = FORM | {"name": "others", "other": "another film", "pairs": 3}
    answer = ask(site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=survey)
    task = pckv.Task.from_json(answer.json()["task"])
    assert (task.keys, task.other, task.key_count) == (("Alien", HOSTILE), "another film", 3)
    shown = site.get(f"/tasks/{task.id}/overview").json()
    assert (shown["keys"], shown["other"]) == (3, "another film")


def test_a_form_becomes_a_task_by_coins(site: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a mechanism with functions, whatever else would be chosen; and its counting is prepared as for a task in JSON."""
    prepared: list[pckv.Task] = []
    monkeypatch.setattr(site.app.state.collector.contracts, "prepare", prepared.append)
    # Few keys and a large ε, where another mechanism is better.
    survey = FORM | {"epsilon": "6"}
    without, with_coin = (
        pckv.Task.from_json(
            ask(
                site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=survey | {"name": f"{coin} coin", "coin": coin}
            ).json()["task"]
        )
        for coin in ("device", "server")
    )
    assert without.law.functions is None
    assert (with_coin.coin, with_coin.law.functions is None) == ("server", False)
    wait_until(lambda: len(prepared) == 2)
    assert prepared == [without, with_coin]
    assert site.get(f"/tasks/{with_coin.id}/overview").json()["coin"] == "server"
    stored = site.store.find_task(with_coin.id)
    assert stored is not None
    assert stored.by_invitation


def test_a_task_is_created_while_as_many_plans_as_allowed_are_computed(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, form = threading.Event(), FORM | {"name": "created beside plans"}
    monkeypatch.setattr(new_task, "_planned", lambda _: go_on.wait(60) and {})
    with ThreadPoolExecutor(MAX_STOPPABLE + 2) as pool:
        plans = [
            pool.submit(site.get, f"/plan?keys={keys}&users=500&epsilon=1", ADMINISTRATOR)
            for keys in range(1, MAX_STOPPABLE + 2)
        ]
        wait_until(lambda: any(plan.done() for plan in plans))
        created = pool.submit(ask, site, "POST", "/tasks/new", bearer(ADMINISTRATOR), json=form)
        # Long enough for a refusal, which would come at once.
        wait([created], timeout=1)
        go_on.set()
        assert created.result().status_code == 201
        assert sorted(plan.result().status_code for plan in plans) == [200] * MAX_STOPPABLE + [429]


def plan_request(number: int) -> bytes:
    """Return the request of a plan that differs from others in its number of people."""
    query = f"keys=5&users={1000 + number}&pairs=2&epsilon=1"
    return f"GET /plan?{query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {ADMINISTRATOR}\r\n\r\n".encode()


def test_plans_that_are_given_up_stop_and_twenty_quick_changes_are_never_refused(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[int] = []

    def plan_slowly(inputs: PlanInputs) -> dict[str, Any]:
        running.append(inputs.users)
        try:
            while inputs.users < 2000:
                check_stop()
                time.sleep(0.001)
        finally:
            running.remove(inputs.users)
        return {"users": inputs.users}

    monkeypatch.setattr(new_task, "_planned", plan_slowly)

    def is_running(users: int) -> bool:
        return users in running

    # A browser closes the connection of what it aborts; whether it ends or resets it makes no difference.
    for number, linger in ((1, None), (2, struct.pack("ii", 1, 0))):
        with closing(socket.create_connection(("127.0.0.1", site.port))) as line:
            line.sendall(plan_request(number))
            wait_until(lambda: is_running(1000 + number))  # noqa: B023
            if linger is not None:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        wait_until(lambda: not running)
    # Even where no connection is closed, the last change has its plan, and later ones find all threads free.
    lines = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(20)]
    for number, line in enumerate(lines):
        line.sendall(plan_request(number))
    wait_until(lambda: len(running) == 2)
    for users in range(2000, 2000 + MAX_STOPPABLE):
        answer = site.administer("GET", f"/plan?keys=5&users={users}&pairs=2&epsilon=1")
        assert (answer.status_code, answer.json()) == (200, {"users": users})
    for line in lines:
        line.close()
    wait_until(lambda: not running)


def test_what_would_help_is_planned(site: Running) -> None:
    """Every way is a plan of its own with one thing changed, and none is named that does not help."""
    query = "users=300&epsilon=2&keys=12&pairs=3"
    now = site.get(f"/plan?{query}", ADMINISTRATOR).json()["plan"]["outlook"]
    assert now["light"] == "red"
    ways = {way["name"]: way for way in site.get(f"/plan/ways?{query}", ADMINISTRATOR).json()["ways"]}
    assert set(ways) == {"epsilon", "keys", "single", "most", "mixer", "people"}
    changed = {
        "epsilon": "users=300&epsilon=3&keys=12&pairs=3",
        "keys": "users=300&epsilon=2&keys=6&pairs=3",
        "single": "users=300&epsilon=2&keys=12&more=refuse&most_pairs=1",
        "most": "users=300&epsilon=2&keys=12&pairs=2&more=refuse&most_pairs=2",
        "mixer": f"{query}&mixed=300",
        "people": query.replace("users=300", "users=600"),
    }
    for name, way in ways.items():
        then = site.get(f"/plan?{changed[name]}", ADMINISTRATOR).json()["plan"]
        assert (way["light"], way["smallest"]) == (then["outlook"]["light"], then["smallest_frequency"])
        assert way["light"] == "amber" or then["outlook"]["reach"] <= 0.8 * now["reach"]
    # Where people rate, choosing alone is one of the ways; the lightest level has none below it.
    rated = site.get(f"/plan/ways?{query.replace('epsilon=2', 'epsilon=3')}&low=1&high=5", ADMINISTRATOR).json()["ways"]
    names = {way["name"] for way in rated}
    assert "values" in names
    assert "epsilon" not in names
    # Where neither choosing alone nor a single choice helps, both may.
    few = site.get("/plan/ways?users=60&epsilon=2&keys=12&pairs=3&low=1&high=5", ADMINISTRATOR).json()["ways"]
    assert [way["name"] for way in few] == ["both"]
    assert site.get("/plan/ways?users=5000000&epsilon=2&keys=12&pairs=3", ADMINISTRATOR).json() == {"ways": []}
    assert site.get(f"/plan/ways?{query}&mixed=300", ADMINISTRATOR).json() == {"ways": []}
