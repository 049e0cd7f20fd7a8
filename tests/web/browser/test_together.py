"""Keys that are chosen together, from the form to the results."""

from __future__ import annotations

import csv
import random
from typing import Any

import pytest

import pckv
from support.people import (
    DESK,
    KEYS,
    PHONE,
    add_task,
    ask,
    count,
    create_task,
    download_of,
    fill_task,
    is_within_the_width,
    open_step,
    send_reports,
)
from support.serving import ServeProcess
from support.task_forms import open_form, problems_at

BOX = "Also learn which are chosen together"


def test_a_task_with_keys_together_is_made_and_answered(server: ServeProcess, people: Any) -> None:
    """The box is for people who choose from a list; what does not go with it is told in a line."""
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "chosen together", KEYS, rated=False)
    open_step(operator, 2)
    box = page.get_by_label(BOX)
    box.check()
    for label, undo, says in (
        (
            "count as one more answer",
            "are not taken",
            "Leave out the answer for all that are not listed: it has no partners.",
        ),
        ("One choice", "All that apply", "People who make one choice have nothing together."),
    ):
        page.get_by_label(label).check()
        operator.press("Next")
        [told] = problems_at(page).values()
        assert told == says
        page.get_by_label(undo).check()
    open_step(operator, 1)
    page.get_by_label("People choose and rate").check()
    open_step(operator, 2)
    assert not box.is_visible()
    open_step(operator, 1)
    page.get_by_label("People choose", exact=False).first.check()
    open_step(operator, 2)
    page.get_by_label("Answer options, one per line").fill("\n".join(f"key {number}" for number in range(501)))
    operator.press("Next")
    assert list(problems_at(page).values()) == ["There are 501 answer options, of at most 500."]
    page.get_by_label("Answer options, one per line").fill("\n".join(KEYS))
    operator.check(DESK)
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert task.domain.together
    for locale, send in (("en-US", "Send my answers"), ("de-DE", "Antworten absenden")):
        person = people(PHONE, locale=locale)
        person.go(f"/join/{task.id}")
        person.page.locator("#together").wait_for()
        for key in KEYS[:2]:
            person.page.get_by_role("checkbox", name=key).check()
        person.check()
        person.press(send)
        person.state("sent")
    assert count(server, task.id) == 2
    operator.go(f"/#/new?from={task.id}")
    page.get_by_text("Filled in from “chosen together”.").wait_for()
    assert box.is_checked()


@pytest.fixture(scope="module")
def task(server: ServeProcess) -> pckv.Task:
    """A task where people hold the first two keys, or the third one."""
    created = add_task(server, name="pairs", values=None, epsilon=8, more="refuse", padding=2, together=True)
    drawn = random.Random(1)
    held = [KEYS[:2] if drawn.random() < 0.3 else KEYS[2:3] for _ in range(2000)]
    send_reports(server, created, [pckv.perturb(created, keys) for keys in held])
    ask(server, "PATCH", f"/tasks/{created.id}", b'{"public_results": true}', "application/json")
    return created


def test_results_tell_which_keys_go_together(people: Any, task: pckv.Task) -> None:
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    section = operator.page.get_by_role("region", name="Chosen together", exact=True)
    section.scroll_into_view_if_needed()
    section.locator(".chart svg").wait_for()
    listed = section.get_by_role("region", name="Answers chosen together")
    first = listed.locator("tbody tr").first
    assert first.locator("th").inner_text() == f"{KEYS[0]} and {KEYS[1]}"
    assert first.locator("td").nth(1).inner_text() == "more often than by chance"
    # A pair that nobody holds stands out from chance, and its lift has an upper end only.
    apart = listed.locator("tbody tr", has_text="less often than by chance").first
    assert "not distinguishable from noise" in apart.locator("td").nth(2).inner_text()
    assert apart.locator("td").first.inner_text().startswith("at most ")
    assert is_within_the_width(listed.get_by_role("columnheader", name="Times chance"))
    section.get_by_text("at most 5 % of the claims of either kind are false").wait_for()
    rows = list(csv.DictReader(download_of(operator.page, section.get_by_role("group", name="Download"), "CSV")))
    assert (rows[0]["first"], rows[0]["relation"]) == (KEYS[0], "together")
    operator.check_in_both_colours(DESK)


def test_a_key_tells_its_partners_and_the_public_page_all(people: Any, task: pckv.Task) -> None:
    reader = people(PHONE)
    reader.sign_in()
    reader.go(f"/#/tasks/{task.id}/keys/{KEYS[1]}")
    partners = reader.page.get_by_role("region", name="Chosen with it", exact=True)
    partners.get_by_role("link", name=KEYS[0]).wait_for()
    reader.check(DESK)
    reader.go(f"/results/{task.id}")
    reader.page.get_by_role("heading", name="Chosen together").scroll_into_view_if_needed()
    reader.page.locator(".heat-map svg").wait_for()
    reader.check_in_both_colours(DESK)
