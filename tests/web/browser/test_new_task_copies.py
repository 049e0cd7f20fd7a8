"""A new survey that begins with a template, or as a copy of another one."""

from __future__ import annotations

import json
from typing import Any

import pckv
from support.collectors import wait_until
from support.people import (
    DESK,
    KEYS,
    PHONE,
    add_task,
    ask,
    create_task,
    fill_task,
    open_step,
    task_id_of,
)
from support.serving import ServeProcess
from support.task_forms import open_form, saved

QUESTION = "Which of these films have you seen, and how did you like them?"


def test_a_template_fills_in_what_it_is_for(people: Any, server: ServeProcess) -> None:
    operator = people(PHONE, locale="de-DE")
    operator.page.route("**/plan?*", lambda _: None)
    operator.sign_in()
    operator.go("/#/new")
    page = operator.page
    page.get_by_role("link", name="Symptome und ihre Stärke").click()
    page.get_by_label("Frage", exact=True).fill("Welche Symptome?")
    page.get_by_label("Name", exact=True).fill("Symptome im Test")
    operator.check(DESK)
    operator.press("Weiter")
    page.get_by_label("Antwortmöglichkeiten, eine je Zeile").fill("Husten\nFieber")
    assert page.get_by_label("drei Stufen (1 bis 3)").is_checked()
    # The same in English, with as many answer options.
    page.get_by_text("Sprachen Ihrer Texte").click()
    page.get_by_label("Sprache hinzufügen").select_option("en")
    english = page.get_by_role("group", name="Englisch")
    english.get_by_label("Frage", exact=True).fill("Which symptoms?")
    english.get_by_label("Antwortmöglichkeiten").fill("Cough")
    operator.check(PHONE)
    operator.press("Weiter")
    page.get_by_text("Zeilen: 1; Antwortmöglichkeiten: 2.").wait_for()
    english.get_by_label("Antwortmöglichkeiten").fill("Cough\nFever")
    operator.press("Weiter")
    page.get_by_label("Erwartete Personen").fill("500")
    operator.press("Weiter")
    operator.press("Weiter")
    assert page.get_by_text("Ist das so gemeint?").count() == 0
    # Its name and what its levels mean are left to the German ones.
    page.get_by_text("Deutsch, Englisch (noch fehlende Texte: Name, Der niedrigste Wert bedeutet, ").wait_for()
    assert "1 (leicht) bis 3 (stark); in der Mitte „mittel“" in page.locator(".check-list").inner_text()
    # Where a survey asks about health, most is hidden.
    assert "Stark" in page.locator(".check-list").inner_text()
    operator.check_in_both_colours(DESK)
    operator.press("Umfrage veröffentlichen")
    asked = page.get_by_role("dialog").locator("strong").all_inner_texts()
    assert asked[:2] == ["Welche Symptome?", "Which symptoms?"]
    operator.press("Umfrage jetzt veröffentlichen")
    page.wait_for_url("**/#/tasks/**")
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{task_id_of(page)}").content)
    assert (task.about.language, task.about.translations["en"].keys) == ("de", ("Cough", "Fever"))
    named = (task.about.low_label, task.about.middle_label, task.about.high_label)
    assert (named, task.domain.values.levels) == (("leicht", "mittel", "stark"), 3)


def test_a_task_is_duplicated(people: Any, server: ServeProcess) -> None:
    """With every digit of its ε."""
    epsilon = "2.5000000000000000000000001"
    about = {"question": QUESTION, "unit": "stars", "middle_label": "fair", "consent": "I agree.\nYes."}
    members: dict[str, Any] = {"more": "refuse", "padding": 2, "levels": [1, 2.5, 5], "between": "refuse"}
    task = add_task(server, name="first run", epsilon=epsilon, about=about, **members)
    operator = people()
    open_form(operator)
    operator.go(f"/#/new?from={task.id}")
    page = operator.page
    page.get_by_text("Filled in from “first run”.").wait_for()
    assert page.get_by_label("Name", exact=True).input_value() == "first run (copy)"
    assert page.get_by_label("Level as a number").input_value() == epsilon
    # From here on it is a draft as any other.
    page.get_by_label("Name", exact=True).fill("second run")
    open_step(operator, 3)
    page.get_by_label("People expected").fill("2000")
    saved(operator)
    page.reload()
    wait_until(lambda: page.get_by_label("Name", exact=True).input_value() == "second run")
    copied = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (copied.name, copied.keys, copied.more) == ("second run", task.keys, "refuse")
    assert json.loads(copied.to_json())["epsilon"] == epsilon
    assert (copied.about, copied.domain.values) == (task.about, task.domain.values)
    assert copied.between == "refuse"
    operator.go(f"/#/new?from={'x' * 43}")
    page.get_by_role("alert").get_by_text("The survey cannot be copied.").wait_for()
    operator.forgive("404")


def test_a_copy_keeps_the_invitations_and_the_last_day(people: Any, server: ServeProcess) -> None:
    """A last day that is past is left out and named; and what the operator typed as a number of invitations stays."""
    invited = add_task(server, name="invited", closes="2091-01-01")
    ask(server, "POST", f"/tasks/{invited.id}/invitations?count=3")
    over = add_task(server, name="over", closes="2020-01-02")
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    operator.go(f"/#/new?from={invited.id}")
    said = "Filled in from “invited”. Not taken over: how many answers people typically choose; how many people you expect."
    page.get_by_text(f"{said} That survey stays open until you close it").wait_for()
    fill_task(operator, "invited again", KEYS, users="420")
    number = page.get_by_label("Number of invitations")
    assert page.get_by_label("Last day").input_value() == "2090-12-31"
    assert page.get_by_label("By invitation").is_checked()
    assert number.input_value() == "3"
    number.fill("")
    number.fill("420")
    page.get_by_label("People expected").fill("300")
    assert number.input_value() == "420"
    operator.go(f"/#/new?from={over.id}")
    page.get_by_text("the last day, which is past (January 1, 2020).").wait_for()
    open_step(operator, 1)
    assert page.get_by_label("Last day").input_value() == ""
    assert page.get_by_label("By one open link").is_checked()


def test_options_that_differ_in_capital_letters_are_asked_about(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    fill_task(operator, "Damp homes", ["Mould", "Noise", "mould"])
    open_step(operator, 5)
    operator.page.get_by_text("“Mould” and “mould” are two different options. Is that meant?").wait_for()
    # The page of participants has this answer by itself.
    for name, is_asked in (("None of these", True), ("None", True), ("None of my windows close", False)):
        fill_task(operator, "Damp homes", ["Mould", "Noise", name])
        open_step(operator, 5)
        operator.page.locator(".check-list").get_by_text(name).first.wait_for()
        assert operator.page.get_by_text(f"“{name}”: the survey's page adds").count() == is_asked
    operator.check(DESK)
