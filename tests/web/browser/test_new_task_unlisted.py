"""The page for a new task: unlisted keys, from the form to the page of the task and to another run of it."""

from __future__ import annotations

from typing import Any

import pckv
from support.people import DESK, KEYS, PHONE, ask, create_task, fill_task, open_step, publish_form
from support.serving import ServeProcess
from support.task_forms import check_refused, focused, open_form, problems_at, saved


def keys_fact(page: Any) -> str:
    """Return what the page of a task says of its keys."""
    page.get_by_role("link", name="Details", exact=True).click()
    return str(page.locator("dl.facts div", has=page.get_by_text("Keys", exact=True)).locator("dd").inner_text())


def test_a_key_for_all_that_are_not_listed(server: ServeProcess, people: Any) -> None:
    """It has a name that no listed key has; a draft, a preview and a copy keep it."""
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "with others", KEYS)
    open_step(operator, 2)
    name = page.get_by_label("Its name")
    assert not name.is_visible()
    page.get_by_label("count as one more answer").check()
    assert name.input_value() == "other"
    name.fill("")
    operator.press("Next")
    assert problems_at(page) == {"Its name": "Give the answer for all others a name."}
    assert focused(page) == "Its name"
    name.fill(KEYS[1])
    publish_form(operator)
    check_refused(operator, "Its name", f"The answer for all others has the name of an answer option: '{KEYS[1]}'.")
    name.fill("another film")
    operator.check(DESK)
    saved(operator)
    page.reload()
    page.get_by_role("heading", name="What do you ask?").wait_for()
    open_step(operator, 5)
    assert name.input_value() == "another film"
    with page.expect_popup() as opened:
        operator.press("Preview")
    opened.value.get_by_label("Something else?").wait_for()
    opened.value.close()
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (task.keys, task.other) == (tuple(KEYS), "another film")
    assert keys_fact(page) == "5, of which “another film” stands for all that are not listed"
    operator.go(f"/#/new?from={task.id}")
    page.get_by_text("Filled in from “with others”.").wait_for()
    assert name.input_value() == "another film"


def test_any_text(server: ServeProcess, people: Any) -> None:
    """Nothing is listed, and nothing is left that is not."""
    operator = people(DESK)
    open_form(operator, planned=True)
    page = operator.page
    fill_task(operator, "any text", KEYS, users="1000000")
    open_step(operator, 2)
    page.get_by_label("count as one more answer").check()
    page.get_by_label("Any text, which I name afterwards").check()
    for label in ("Answer options, one per line", "Number of answer options", "Its name", "count as one more answer"):
        assert not page.get_by_label(label).is_visible()
    plan = page.get_by_role("region", name="Forecast", exact=True)
    plan.locator(".verdict").wait_for()
    operator.check(PHONE)
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (task.keys, task.other, task.mechanism) == ("hashed", None, "collision")
    assert keys_fact(page) == "any text; those to estimate are named afterwards"
    operator.go(f"/#/new?from={task.id}")
    page.get_by_text("Filled in from “any text”.").wait_for()
    assert page.get_by_label("Any text, which I name afterwards").is_checked()
