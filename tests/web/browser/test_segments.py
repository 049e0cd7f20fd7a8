"""Groups from the form to the results: made by an operator, answered on phones in two languages, and compared."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pckv
from support.derived import labels_claimed
from support.people import (
    DESK,
    HOSTILE,
    KEYS,
    PHONE,
    Person,
    add_task,
    ask,
    count,
    create_task,
    download_of,
    fill_task,
    is_within_the_width,
    open_step,
    publish_form,
    send_reports,
    shown_body,
)
from support.serving import ServeProcess
from support.task_forms import check_refused, focused, open_form, problems_at, saved

QUESTION = "How old are you?"
LABELS = ["under 30", "over 30", f"{HOSTILE} no answer"]
LIST = "Its answers, one per line"
GERMAN: dict[str, Any] = {
    "segment_name": "Wie alt sind Sie?",
    "segment_labels": ["unter 30", "über 30", "keine Angabe"],
}


def ask_for_groups(operator: Person, labels: list[str]) -> None:
    """Fill in the question about groups."""
    page = operator.page
    open_step(operator, 2)
    page.get_by_label("By the answer to one more question").check()
    page.get_by_label("The question about groups").fill(QUESTION)
    page.get_by_label(LIST).fill("\n".join(labels))


def translate_groups(operator: Person) -> None:
    """Write the question and its answers in German; what is still missing stands in the list of what is published."""
    page = operator.page
    open_step(operator, 3)
    page.get_by_label("Contact").fill("films@example.org")
    open_step(operator, 2)
    page.get_by_label("Add a language").select_option("de")
    german = page.get_by_role("group", name="German")
    german.get_by_label("The question about groups").fill(GERMAN["segment_name"])
    open_step(operator, 5)
    page.get_by_text("English, German (texts still missing: Name, Answer options, Answers about groups)").wait_for()
    open_step(operator, 2)
    german.get_by_label("Answers about groups").fill(GERMAN["segment_labels"][0])
    operator.press("Next")
    page.get_by_text("Lines: 1; answers about groups: 3.").wait_for()
    german.get_by_label("Answers about groups").fill("\n".join(GERMAN["segment_labels"]))
    open_step(operator, 5)
    # An address needs no translation.
    page.get_by_text("English, German (texts still missing: Name, Answer options)").wait_for()


def test_a_task_by_group_is_made_and_answered(server: ServeProcess, people: Any) -> None:
    """The form says in a line what is missing; a draft and a preview keep the question; the label stays on the phone.

    People read the question in their language.
    """
    operator = people(DESK)
    open_form(operator)
    page = operator.page
    fill_task(operator, "by age", KEYS, rated=False)
    ask_for_groups(operator, LABELS[:1])
    operator.press("Next")
    assert problems_at(page) == {LIST: "List 2 to 16 answers, not 1."}
    assert focused(page) == LIST
    page.get_by_label(LIST).fill("same\nanother \u202e")
    operator.press("Next")
    assert "changes the direction of writing" in problems_at(page)[LIST]
    page.get_by_label(LIST).fill("same\nsame")
    publish_form(operator)
    check_refused(operator, LIST, "Label 'same' appears twice.")
    page.get_by_label(LIST).fill("\n".join(LABELS))
    operator.check(PHONE)
    translate_groups(operator)
    saved(operator)
    page.reload()
    page.get_by_role("heading", name="What do you ask?").wait_for()
    open_step(operator, 5)
    assert page.get_by_label(LIST).input_value() == "\n".join(LABELS)
    with page.expect_popup() as opened:
        operator.press("Preview")
    opened.value.get_by_role("group", name=QUESTION).wait_for()
    opened.value.close()
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert task.segment == pckv.Segment(QUESTION, LABELS)
    read = task.about.translations["de"]
    assert {"segment_name": read.segment_name, "segment_labels": list(read.segment_labels)} == GERMAN
    take_part(people(PHONE, locale="en-US"), task, "Send my answers", QUESTION, LABELS)
    take_part(people(PHONE, locale="de-DE"), task, "Antworten absenden", *GERMAN.values())
    assert count(server, task.id) == 2
    operator.go(f"/#/new?from={task.id}")
    page.get_by_text("Filled in from “by age”.").wait_for()
    assert page.get_by_label(LIST).input_value() == "\n".join(LABELS)
    german = page.get_by_role("group", name="German", include_hidden=True)
    answers = german.get_by_label("Answers about groups")
    assert answers.input_value() == "\n".join(GERMAN["segment_labels"])
    # Without groups nothing of them is translated.
    open_step(operator, 2)
    page.get_by_label("No groups").check()
    answers.wait_for(state="detached")
    page.get_by_label("How many answers a person chooses on average").fill("2")
    open_step(operator, 1)
    page.get_by_label("Name", exact=True).first.fill("by age, without groups")
    assert pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content).segment is None


def take_part(person: Person, task: pckv.Task, send: str, question: str, labels: list[str]) -> None:
    """Answer by the keyboard as well; no label is chosen for a participant, and none leaves their device."""
    person.go(f"/join/{task.id}")
    page = person.page
    group = page.get_by_role("group", name=question)
    group.wait_for()
    assert group.locator("label").all_inner_texts() == labels
    assert group.get_by_role("radio", checked=True).count() == 0
    page.get_by_role("checkbox", name=KEYS[0]).check()
    person.press(send)
    page.get_by_role("alert").filter(has_text=question).wait_for()
    assert page.evaluate("document.activeElement.value") == LABELS[0]
    assert person.sent == []
    page.keyboard.press("ArrowDown")
    assert group.get_by_label(labels[1]).is_checked()
    person.check()
    person.press(send)
    person.state("sent")
    entered = page.locator(".compare > div").first.inner_text()
    assert f"{question} {labels[1]}" in entered
    assert KEYS[0] in entered
    # Neither the request nor what the browser keeps has the label.
    assert not any("30" in sent for sent in (*person.sent, *person.asked))
    check_claims(person, task, labels)
    person.check()


def test_the_forecast_says_what_shows_within_a_group(people: Any) -> None:
    operator = people(DESK)
    open_form(operator, planned=True)
    fill_task(operator, "planned by group", KEYS, rated=False)
    ask_for_groups(operator, LABELS)
    words = r"Within a group of 33 % of people, an answer stands out if at least [\d.]+ % of them choose it"
    operator.page.locator(".plan").get_by_text(re.compile(words)).wait_for()
    operator.page.locator(".plan").get_by_text("percentage points apart, that is found in four of five").wait_for()


def check_claims(person: Person, task: pckv.Task, labels: list[str]) -> None:
    """Check that the page says of labels what the collector counts; a report may say how many keys are held instead."""
    said = person.page.locator("#segment-claims")
    tally = pckv.Tally(task)
    tally.add(pckv.Report(bytes(16), bytes.fromhex(shown_body(person))))
    if said.count():
        assert [label in said.inner_text() for label in labels] == labels_claimed(tally)


@pytest.fixture(scope="module")
def task(server: ServeProcess) -> pckv.Task:
    """A task where those under 30 hold the first key, and the others the second one."""
    created = add_task(
        server,
        name="groups compared",
        values=None,
        epsilon=6,
        more="refuse",
        padding=1,
        segment=pckv.Segment(QUESTION, LABELS),
        about={"translations": {"de": GERMAN}},
    )
    labels = [LABELS[number % 2] for number in range(1500)]
    reports = [pckv.perturb(created, [KEYS[LABELS.index(label)]], segment=label) for label in labels]
    send_reports(server, created, reports)
    ask(server, "PATCH", f"/tasks/{created.id}", b'{"public_results": true}', "application/json")
    return created


def test_results_tell_what_holds_within_each_group(people: Any, server: ServeProcess, task: pckv.Task) -> None:
    operator = people(PHONE)
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    section = operator.page.get_by_role("region", name="Within each group")
    section.locator(".bars").first.wait_for()
    within = section.get_by_role("region", name="Shares within each group")
    assert within.locator("thead th").all_inner_texts() == ["Answer option", *LABELS]
    answer = ask(server, "GET", f"/tasks/{task.id}/estimates").json()["segments"]
    shares = {(row["segment"], row["key"]): row for row in answer["cells"]}
    # On a phone every number is seen without scrolling, after the name of its group.
    assert all(is_within_the_width(cell) for cell in within.locator("tbody td").all())
    assert within.locator("tbody td").last.get_attribute("data-label") == LABELS[-1]
    for row in within.locator("tbody tr").all():
        key = row.locator("th").inner_text()
        for label, cell in zip(LABELS, row.locator("td").all_inner_texts(), strict=True):
            known = shares[label, key]
            if known["detected"] and known["share_low"] <= 0 and known["share_high"] >= 1:
                assert cell.startswith("above zero")
            elif known["detected"]:
                assert float(cell.partition(" ")[0]) == pytest.approx(100 * known["share"], abs=0.6)
            else:
                assert cell.startswith(("not distinguishable from noise", "unknown"))
    # All panels have one axis, from 0.
    axes = [axis.locator("text").all_text_contents() for axis in section.locator(".bar-axis").all()]
    assert len(axes) == len(LABELS)
    assert all(axis == axes[0] and axis[0] == "0 %" for axis in axes)
    differing = section.get_by_role("region", name="Which answers differ between groups")
    first = differing.locator("tbody tr").first.inner_text()
    assert any(key in first for key in KEYS[:2])
    assert is_within_the_width(differing.get_by_role("columnheader", name="Difference"))
    section.get_by_text("On average, at most 5 % of such differences are there by chance alone.").wait_for()
    rows = csv.DictReader(download_of(operator.page, section.get_by_role("group", name="Download").first, "CSV"))
    assert [row["segment"] for row in rows] == [label for label in LABELS for _ in KEYS]
    operator.check_in_both_colours(DESK)


def test_a_key_and_the_public_page_tell_of_groups(people: Any, task: pckv.Task) -> None:
    reader = people(PHONE)
    reader.sign_in()
    reader.go(f"/#/tasks/{task.id}/keys/{KEYS[0]}")
    own = reader.page.get_by_role("region", name="Groups, and what is chosen with it")
    own.get_by_text("Where it differs").wait_for()
    rows = own.get_by_role("region", name="The answer within each group").locator("tbody th")
    assert rows.all_inner_texts() == LABELS
    reader.check(DESK)
    reader.go(f"/results/{task.id}")
    reader.page.get_by_role("heading", name=f"Within each group: {QUESTION}").wait_for()
    reader.page.locator(".bars").nth(1).wait_for()
    reader.check_in_both_colours(DESK)
    german = people(DESK, locale="de-DE")
    german.go(f"/results/{task.id}")
    german.page.get_by_role("heading", name=f"Innerhalb jeder Gruppe: {GERMAN['segment_name']}").wait_for()
    names = german.page.locator(".groups tbody th").all_inner_texts()
    assert names == GERMAN["segment_labels"]
    assert german.page.locator(".within thead th").all_inner_texts()[1:] == names
    assert QUESTION not in german.page.locator("main").inner_text()
    assert not any(label in german.page.locator("main").inner_text() for label in LABELS)


def test_one_response_draws_no_share_as_if_it_were_known(people: Any, server: ServeProcess) -> None:
    """Neither page shows by a mark what a single report names, and of a closed survey no page advises to wait."""
    segment = pckv.Segment(QUESTION, LABELS)
    single = add_task(server, name="a single response", values=None, epsilon=2, segment=segment)
    send_reports(server, single, [pckv.perturb(single, [KEYS[0]], segment=LABELS[0])])
    ask(server, "PATCH", f"/tasks/{single.id}", b'{"public_results": true}', "application/json")
    ask(server, "POST", f"/tasks/{single.id}/close")
    reader = people(DESK)
    reader.sign_in()
    page = reader.page
    for path in (f"/#/tasks/{single.id}", f"/results/{single.id}"):
        reader.go(path)
        page.get_by_text("From 1 response, nothing can be said about any answer option.").wait_for()
        page.locator(".bars").nth(len(LABELS)).wait_for()
        for mark in ("bar-mark", "bar-value", "bar-fill"):
            assert page.locator(f".{mark}").count() == 0
        assert page.get_by_text("The upright line").count() == 0
        assert page.get_by_text("No answer option is clearly above zero").count() == 1
        assert page.get_by_text("more could be seen").count() == 0
    reader.check_width(PHONE)


def test_the_lines_for_an_app_pass_a_label(people: Any, server: ServeProcess, tmp_path: Path) -> None:
    """Those of Python are run as they are; those of a page name the same label, and so do those of a series."""
    segment = pckv.Segment(QUESTION, [HOSTILE, "other"])
    created = add_task(server, name="labels from an app", values=None, epsilon=6, segment=segment)
    operator = people(DESK)
    operator.sign_in()
    operator.go(f"/#/tasks/{created.id}")
    page = operator.page
    page.get_by_label("In an app, with Python", exact=True).wait_for(state="attached")
    lines = page.get_by_label("In an app, with Python", exact=True).input_value()
    subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, check=True, timeout=60)
    assert count(server, created.id) == 1
    lines = page.get_by_label("In a page, with JavaScript", exact=True).input_value()
    assert '{ segment: "\\u003cscript>alert(1)\\u003c/script>" });' in lines
    repeated = pckv.Task(name="weekly groups", keys=KEYS, epsilon=1, padding=1, segment=segment)
    series = pckv.Series(task=repeated, first="2100-01-01", period=7, panels=2)
    ask(server, "POST", "/series", series.to_json().encode(), "application/json")
    operator.go(f"/#/series/{series.id}")
    page.get_by_text("No responses yet: the trend appears here").wait_for()
    for label, said in (
        ("In an app, with Python", f'segment="{HOSTILE}"'),
        ("In a page, with JavaScript", "segment: "),
    ):
        assert said in page.get_by_label(label, exact=True).input_value()
    operator.check(PHONE)


def test_seventeen_answers_are_refused(people: Any) -> None:
    """In the words of the form; what it does not know itself, the collector says at the same place."""
    operator = people(DESK)
    open_form(operator)
    fill_task(operator, "too many groups", KEYS, rated=False)
    ask_for_groups(operator, [f"group {number}" for number in range(17)])
    operator.press("Next")
    assert problems_at(operator.page) == {LIST: "List 2 to 16 answers, not 17."}
    operator.page.get_by_label(LIST).fill("x" * 300 + "\ny")
    publish_form(operator)
    check_refused(operator, LIST, f"Label 1 '{'x' * 20}'… is longer than 256 bytes.")
