"""Keys without values in a browser: from the form to the results, people only choose."""

from __future__ import annotations

import re
from typing import Any

import pytest

import pckv
from pckv.tally.decode.support import key_support
from support.people import (
    DESK,
    HOSTILE,
    KEYS,
    PHONE,
    PRECISION,
    Person,
    add_task,
    ask,
    check_odds,
    count,
    create_task,
    download,
    explanation,
    fill_task,
    open_step,
    send_reports,
    sent_bodies,
    shown_body,
)
from support.serving import ServeProcess
from support.task_forms import open_form

# Words that nothing on a page of such a task has.
OF_VALUES = re.compile(r"\b(mean|means|value|values|rating|pairs?|Wert|Werte)\b", re.IGNORECASE)


def check_words(page: Any, *, allowed: tuple[str, ...] = ()) -> None:
    """Check that a page says nothing of values, but for these sentences."""
    text = str(page.locator("main").inner_text())
    for sentence in allowed:
        text = text.replace(sentence, "")
    assert OF_VALUES.findall(text) == []


def tick(person: Person, *keys: str) -> None:
    for key in keys:
        person.page.get_by_role("checkbox", name=key, exact=True).check()


def claims(task: pckv.Task, body: str) -> list[str]:
    """Return the keys that a report supports."""
    tally = pckv.Tally(task)
    tally.add(pckv.Report(bytes(16), bytes.fromhex(body)))
    return [task.key_name(int(key)) for key in key_support(tally).counts.sum(axis=0).nonzero()[0]]


def make_task(server: ServeProcess, operator: Person) -> pckv.Task:
    """Make a task in the form, which begins with what people do."""
    page = operator.page
    open_form(operator, planned=True)
    assert page.get_by_label("People choose", exact=False).first.is_checked()
    fill_task(operator, "seen", KEYS, pairs="1.5", rated=False)
    plan = page.get_by_role("region", name="Forecast", exact=True)
    plan.locator(".light").wait_for()
    assert OF_VALUES.findall(plan.inner_text()) == []
    for label in ("Lowest value", "Unit of the values", "A response tells a value as", "What matters"):
        assert page.get_by_text(label, exact=True).is_hidden()
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (task.has_values, task.about.unit) == (False, "")
    page.get_by_role("heading", name="seen").wait_for()
    operator.press("Results", "link")
    return task


def take_part(person: Person, task: pckv.Task) -> None:
    page = person.page
    person.go(f"/join/{task.id}")
    tick(person, "Alien", HOSTILE)
    assert page.locator("#chosen").inner_text() == "2 chosen"
    check_odds(task, explanation(person, "odds"))
    check_words(page)
    person.check(DESK)
    person.press("Send my answers")
    person.state("sent")
    assert page.locator(".compare > div").first.locator("li").all_inner_texts() == ["Alien", HOSTILE]
    assert sent_bodies(person) == [shown_body(person)]
    check_words(page)
    person.check()


def check_results(operator: Person) -> None:
    """Check the page of a task and of a key: shares of people, and nothing else."""
    page = operator.page
    page.get_by_text("From 2,001 responses.").wait_for()
    page.get_by_role("columnheader", name="Chosen by").wait_for()
    assert page.locator(".estimates thead th").all_inner_texts() == ["Answer option", "Chosen by ▼"]
    operator.unfold(PRECISION)
    page.get_by_text("For an answer chosen by 5 % of people, the range reaches about").wait_for()
    check_words(page)
    operator.check(PHONE)
    assert "mean" not in download(page, "CSV").read_text(encoding="utf-8").partition("\n")[0]
    page.get_by_role("link", name="Alien", exact=True).click()
    page.get_by_role("region", name="How sure that is").locator("table").wait_for()
    page.locator(".chart svg").first.wait_for()
    check_words(page)
    operator.check(PHONE)


@pytest.mark.verify
def test_people_choose(server: ServeProcess, people: Any) -> None:
    """An operator makes a task in the form, a person answers it on a phone, and the results are shares alone."""
    operator = people()
    task = make_task(server, operator)
    take_part(people(PHONE), task)
    send_reports(server, task, [pckv.perturb(task, [KEYS[n % 4 % 3]]) for n in range(2000)])
    check_results(operator)
    # Another run has no values either.
    page = operator.page
    operator.go(f"/#/new?from={task.id}")
    page.get_by_text("Filled in from “seen”.").wait_for()
    open_step(operator, 2)
    page.get_by_label("How many answers a person chooses on average").fill("1.5")
    open_step(operator, 3)
    page.get_by_label("People expected").fill("2000")
    copied = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (copied.name, copied.domain) == ("seen (copy)", task.domain)

    ask(server, "PATCH", f"/tasks/{task.id}", b'{"public_results": true}', "application/json")
    reader = people(PHONE)
    reader.go(f"/results/{task.id}")
    reader.page.get_by_role("region", name="How to read this").wait_for()
    check_words(reader.page)
    reader.check(DESK)


def test_a_limit_other_keys_and_german(server: ServeProcess, people: Any) -> None:
    """Up to two of a list with other keys, on a German phone; what the page says is what the collector counts."""
    keys, other = [f"Film {number}" for number in range(1, 6)], "other"
    members: dict[str, Any] = {"keys": keys, "values": None, "epsilon": 4, "mechanism": "collision"}
    task = add_task(server, name="up to two", more="refuse", padding=2, other=other, **members)
    person = people(PHONE, locale="de-DE")
    page = person.page
    person.go(f"/join/{task.id}")
    tick(person, "Film 1")
    instruction = page.locator("#instruction").inner_text()
    assert instruction.startswith("Wählen Sie bis zu 2 Möglichkeiten, die auf Sie zutreffen. Treffen mehr zu")
    own = page.get_by_label("Etwas anderes?")
    for text in ("Solaris", "Stalker"):
        own.fill(text)
        person.press("Hinzufügen")
    assert page.locator(".own li").all_inner_texts() == ["Solaris\n×", "Stalker\n×"]
    full = "2 von 2 gewählt. Wählen Sie etwas ab, um anderes zu wählen."
    assert page.locator("#chosen").inner_text() == full
    assert page.get_by_role("checkbox", name="Film 2").is_disabled()
    check_words(page)
    person.check(DESK)
    person.press("Antworten absenden")
    person.state("sent")
    assert page.locator(".compare > div").first.locator("li").all_inner_texts() == ["Film 1", "Solaris", "Stalker"]
    assert page.locator(".leaves li").all_inner_texts() == claims(task, shown_body(person))
    check_words(page)
    assert count(server, task.id) == 1


@pytest.mark.verify
def test_any_text_and_nothing_are_answers_too(server: ServeProcess, people: Any) -> None:
    """A key that a participant writes is theirs without a value; to choose nothing is an answer."""
    task = add_task(server, name="any text alone", keys="hashed", values=None, epsilon=4)
    listed = add_task(server, name="many alone", keys=[f"key {number}" for number in range(50)], values=None)
    person = people(PHONE)
    page = person.page
    person.go(f"/join/{task.id}")
    page.get_by_label("What applies to you").fill("Solaris")
    person.press("Add")
    page.get_by_role("button", name="Remove Solaris").wait_for()
    check_words(page)
    person.press("Send my answers")
    person.state("sent")
    assert page.locator(".compare > div").first.locator("li").all_inner_texts() == ["Solaris"]
    person.go(f"/join/{listed.id}")
    tick(person, "key 3")
    page.get_by_label("Search").fill("key 4")
    page.get_by_role("checkbox", name="key 41").check()
    person.press("Only my answers (2)")
    page.get_by_text("1–2 of 2").wait_for()
    for key in ("key 3", "key 41"):
        page.get_by_role("checkbox", name=key).uncheck()
    assert page.get_by_role("button", name="Send my answers").is_disabled()
    person.hold_nothing()
    assert page.locator("#chosen").inner_text() == "None of these. That is an answer too."
    person.check()
    person.press("Send my answers")
    person.state("sent")
    page.get_by_text("None of these. A report is made all the same").wait_for()
    assert [count(server, each.id) for each in (task, listed)] == [1, 1]
