"""The page of a discovery: the keys found, the tree of prefixes as it grows, and the task that is made from the keys."""

from __future__ import annotations

from typing import Any

import pytest

import pckv
from support.browser import wait_for
from support.collectors import perturbed
from support.people import (
    DESK,
    PHONE,
    ask,
    create_task,
    download,
    fill_task,
    is_within_the_width,
    open_step,
    publish_form,
    send_reports,
)
from support.serving import ServeProcess
from support.task_forms import check_refused, open_form, problems_at


@pytest.fixture(scope="module")
def terms(server: ServeProcess) -> pckv.Task:
    """A discovery with as many reports as groups, less one."""
    task = pckv.Task.discovery(name="terms", epsilon=4, alphabet="ab<>", characters=3)
    ask(server, "POST", "/tasks", content=task.to_json().encode(), media="application/json")
    send_reports(server, task, perturbed(task, {"ab": 1}, times=2))
    return task


def test_a_discovery_shows_what_it_finds(people: Any, server: ServeProcess, terms: pckv.Task) -> None:
    operator = people(PHONE)
    operator.sign_in()
    operator.go("/#/")
    page = operator.page
    page.get_by_role("row", name="terms finds unknown answers").get_by_role("link", name="terms").click()
    page.get_by_text("2 responses so far. At least 3 are needed").wait_for()
    assert page.locator(".title").get_by_text("finds unknown answers").is_visible()
    held: list[dict[str, float]] = [{"ab": 1}, {"ab": 1}, {"a<b": 1}, {"b": 1}]
    send_reports(server, terms, perturbed(terms, *held, times=150)[2:])

    def add_nodes(route: Any) -> None:
        answer = route.fetch().json()
        first = min(answer["tree"], key=lambda node: node["length"])
        more = {"length": first["length"], "frequency": 0.9, "frequency_low": 0.9, "frequency_high": 0.9, "ended": True}
        answer["tree"] += [
            first | more | {"prefix": "zz", "leads_to_key": False},
            first | more | {"prefix": "<ababababab>", "leads_to_key": True, "frequency": 0.1234, "frequency_low": 0.1},
        ]
        route.fulfill(json=answer)

    page.route("**/discovery", add_nodes)
    found = page.get_by_role("region", name="Answers found")
    found.get_by_role("row").nth(3).wait_for()
    answer = ask(server, "GET", f"/tasks/{terms.id}/discovery").json()
    assert {row["key"]: row["is_cut"] for row in answer["keys"]} == {"ab": False, "b": False, "a<b": True}
    assert found.locator("tbody th").all_inner_texts() == [
        row["key"] + (" (may be longer)" if row["is_cut"] else "") for row in answer["keys"]
    ]
    # The server's sentence in everyday words.
    told = answer["verdict"][0].replace("keys found among 600 reports", "answers found among 600 responses")
    # It fits on one page, without a search.
    assert page.get_by_label("Search").is_hidden()
    page.get_by_text(told.replace("A key of", "An answer of").replace("the people hold", "the people give")).wait_for()
    tree = page.get_by_role("region", name="Tree of beginnings")
    operator.unfold("Details: how the answers were found")
    rows = tree.locator("tbody tr").locator("th").all_inner_texts()
    # Nothing that leads nowhere, and no share is cut off on a phone.
    assert rows == ["a", "├ ab (ends here)", "├ a<b", "b (ends here)", "<ababababab>"]
    assert all(is_within_the_width(cell) for table in (found, tree) for cell in table.locator("td").all())
    page.unroute("**/discovery")
    assert "unknown; found up to 3 characters of these: “<>ab”" in page.locator(".facts").text_content()
    assert 'submit("' + terms.id + '", ["any text"])' in page.locator("textarea.code").first.input_value()
    assert page.get_by_role("region", name="Publication").count() == 0
    assert download(page, "Answers, one per line").read_text().splitlines() == [row["key"] for row in answer["keys"]]
    operator.check_in_both_colours(DESK)


def test_what_was_found_before_the_last_responses_is_followed_by_another(people: Any, server: ServeProcess) -> None:
    created = pckv.Task.discovery(name="late", epsilon=4, alphabet="ab", characters=2)
    ask(server, "POST", "/tasks", content=created.to_json().encode(), media="application/json")
    send_reports(server, created, perturbed(created, {"ab": 1}, times=200))
    operator = people(DESK)
    operator.sign_in()
    page, asked = operator.page, []

    # The first answer is an earlier one; the next one waits until that was seen.
    def answer(route: Any) -> None:
        asked.append(route)
        if len(asked) == 1:
            found = route.fetch().json()
            route.fulfill(json=found | {"reports": found["reports"] - 50})

    page.route("**/discovery", answer)
    operator.go(f"/#/tasks/{created.id}")
    page.get_by_text("From 150 responses. 50 more responses since").wait_for()
    wait_for(page, lambda: len(asked) > 1)
    asked[1].continue_()
    page.get_by_text("From 200 responses.").wait_for()
    operator.check()


def test_a_task_is_made_from_the_keys_found(people: Any, server: ServeProcess) -> None:
    """The form has all keys found, and one for all others; a key that may go on is told."""
    found = pckv.Task.discovery(name="found", epsilon=4, alphabet="ab", characters=2)
    ask(server, "POST", "/tasks", content=found.to_json().encode(), media="application/json")
    send_reports(server, found, perturbed(found, {"ab": 1}, {"b": 1}, times=100))
    operator = people(DESK)
    operator.page.route("**/plan?*", lambda _: None)
    operator.sign_in()
    operator.go(f"/#/tasks/{found.id}")
    operator.press("Make a survey of these answers", "link")
    page = operator.page
    page.get_by_text("Filled in with 2 answer options that “found” found").wait_for()
    assert "Some may be longer: complete them if you can." in page.locator(".note").first.inner_text()
    open_step(operator, 2)
    assert sorted(page.get_by_label("Answer options, one per line").input_value().split()) == ["ab", "b"]
    page.get_by_label("How many answers a person chooses on average").fill("1")
    open_step(operator, 3)
    page.get_by_label("People expected").fill("1000")
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (task.name, task.other) == ("found: answers found", "other")
    assert sorted(map(str, task.key_names([0, 1]))) == ["ab", "b"]


def check_letters(page: Any) -> None:
    """Check that letters are those of the language of the texts, until others are chosen; and leave others chosen."""
    for tag, letters in (("fr", "French, with"), ("de", "German, with")):
        page.get_by_label("Language of your texts").select_option(tag)
        assert page.get_by_label(letters).is_checked()
    page.get_by_label("Others", exact=True).check()
    page.get_by_label("Language of your texts").select_option("en")
    assert page.get_by_label("Others", exact=True).is_checked()
    assert page.locator(".steps .step").all_inner_texts() == ["1", "2", "3", "4", "5"]


def test_the_form_makes_discoveries(people: Any, server: ServeProcess) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "new terms", ["left alone"])
    page.get_by_label("again in every round").check()
    page.get_by_label("Days per round").fill("1")
    open_step(operator, 2)
    page.get_by_label("Find unknown answers").check()
    for label in (
        "Answer options, one per line",
        "Lowest value",
        "Unit of the values",
        "Its name",
    ):
        assert not page.get_by_label(label, exact=False).first.is_visible()
    forecast = page.get_by_role("region", name="Forecast")
    forecast.get_by_text("This is for answers of 12 letters").or_(forecast.get_by_text("no answer is sure")).wait_for()
    assert forecast.locator(".light.red").is_visible()
    characters = page.get_by_label("Letters that are found", exact=True)
    characters.fill("65")
    operator.press("Next")
    assert problems_at(page) == {"Letters that are found": "This must be at most 64."}
    characters.fill("24")
    check_letters(page)
    # What only the collector knows is told at its field.
    for label, text, says in (
        ("Groups (optional)", "25", "Groups must be from 1 to 24, not 25."),
        ("These characters", "aba", "Alphabet must not have 'a': it appears twice."),
    ):
        field = page.get_by_label(label, exact=True)
        before = field.input_value()
        field.fill(text)
        publish_form(operator)
        check_refused(operator, label, says)
        field.fill(before)
    page.get_by_label("Letters that are found", exact=True).fill("4")
    page.get_by_label("Answers per response").fill("2")
    page.get_by_label("These characters").fill(" ab")
    page.get_by_label("These characters").fill(" ab\u0327")
    publish_form(operator)
    page.locator(".field-problem", has_text="changes the character before it").wait_for()
    page.get_by_label("These characters").fill(" ab")
    operator.check(DESK)
    open_step(operator, 5)
    with page.expect_popup() as opened:
        operator.press("Preview")
    opened.value.get_by_label("What applies to you").wait_for()
    opened.value.close()
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert task == pckv.Task.discovery(name="new terms", epsilon=task.epsilon, characters=4, alphabet=" ab", padding=2)
    operator.go(f"/#/new?from={task.id}")
    page.get_by_text("Filled in from “new terms”.").wait_for()
    assert page.get_by_label("Find unknown answers").is_checked()
    assert page.get_by_label("These characters").input_value() == " ab"
    assert page.get_by_label("Groups (optional)").input_value() == "4"
    assert page.get_by_label("Answers per response").input_value() == "2"
    operator.forgive("400")
