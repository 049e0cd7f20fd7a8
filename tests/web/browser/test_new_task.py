"""The page for a new task in a browser: from what is asked to the page of the task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pckv
from support.collectors import ADMINISTRATOR, wait_until
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
    fill_task,
    task_id_of,
)
from support.serving import ServeProcess
from support.task_forms import check_refused, draft, focused, open_form, problems_at

QUESTION = "Which of these films have you seen, and how did you like them?"


def forget(operator: Person, status: str) -> None:
    """Forget that the browser itself logged an answer with this status."""
    operator.forgive(status)


def test_the_form_plans_for_what_it_says(server: ServeProcess, people: Any) -> None:
    operator = people(PHONE)
    open_form(operator, planned=True)
    page = operator.page
    plan = page.get_by_role("region", name="Plan", exact=True)
    plan.get_by_text("Keys: name at least one key.").wait_for()
    fill_task(operator, "refusing", [f"key {number}" for number in range(12)], users="500")
    plan.get_by_text("1 to 9 pairs per person, 3 on average").wait_for()
    # The light says in words what its colour says.
    assert plan.locator(".light.red").inner_text() == "Too few people"
    assert "For all of them to stand out even at 5.5 %, you need about " in plan.locator(".verdict").inner_text()
    assert page.locator(".chart").count() == 0
    # As a number field takes it, too.
    page.get_by_label("People expected").fill("5e6")
    plan.locator(".light.green", has_text="Enough people").wait_for()
    plan.get_by_text("In all cases considered that is all of these 10 keys.").wait_for()
    page.get_by_label("one of several levels").check()
    plan.get_by_text("5 levels (1, 2, 3, 4, 5) instead of two, each with its best setting").wait_for()
    operator.check(DESK)
    operator.press("Change what is assumed")
    assert focused(page) == "Typical number per person"
    page.get_by_label("At most (optional)").fill("2")
    plan.get_by_text("most pairs must be at least the 3 pairs of the average").wait_for()
    forget(operator, "400")
    page.get_by_label("At most (optional)").fill("")
    any_held = page.get_by_label("People who hold any of the keys, in % (optional)")
    any_held.fill("40")
    plan.get_by_text("of whom 40 % hold any pair: 1 to 12 pairs, 7.5 on average (3 over all people)").wait_for()
    page.get_by_label("Typical number per person").fill("0.3")
    plan.get_by_text("pairs must be at least the share of people who hold any (0.4), not 0.3").wait_for()
    forget(operator, "400")
    any_held.fill("")
    plan.get_by_text("of whom 15 % hold any pair: 1 to 6 pairs, 2 on average (0.3 over all people)").wait_for()
    operator.check(DESK)
    any_held.fill("140")
    plan.get_by_text("People who hold any of the keys, in % (optional): this must be at most 100.").wait_for()
    any_held.fill("60")
    page.get_by_label("Up to a number").check()
    plan.get_by_text("Up to how many: say how many of the keys a person may name.").wait_for()
    page.get_by_label("Up to how many").fill("4")
    operator.unfold("Details")
    plan.get_by_text("of whom 60 % hold any pair: 1 to 4 pairs, 2.5 on average (1.5 over all people)").wait_for()
    plan.get_by_text("People may hold at most 4 pairs: they choose up to that many.").wait_for()
    plan.locator(".chart svg").nth(1).wait_for()
    operator.check(DESK)
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (task.padding, task.more, task.size_share, task.domain.values.levels) == (4, "refuse", 0, 5)
    assert ask(server, "GET", f"/tasks/{task.id}/overview").json()["target"] == 5_000_000


def test_what_participants_read_is_part_of_the_task(server: ServeProcess, people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    fill_task(operator, "read by participants", KEYS)
    texts = {
        "Question": QUESTION,
        "Description": f"We run a cinema.\n{HOSTILE}",
        "Unit of the values": "stars",
        "Lowest value means": "awful",
        "Highest value means": "great",
        "Who may take part": "Adults.",
        "Consent": "I agree to this.",
        "Contact": "films@example.org",
    }
    for label, text in texts.items():
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_label("Light (ε = 3)").check()
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert list(task.about.to_dict().values()) == [*texts.values(), "en", {}]
    assert task.epsilon == 3


def test_what_is_wrong_is_told_at_its_field(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    operator.press("Create the task")
    assert focused(page) == "Name"
    assert problems_at(page) == {
        "Name": "Give the task a name.",
        "Keys, one per line": "Name at least one key.",
        "Typical number per person": "Say how many of the keys people typically hold.",
        "People expected": "Say how many people you expect.",
    }
    operator.check()
    fill_task(operator, "wrong", ["a", "b", "", "a", "c", "x" * 300, "b"], users="2.5")
    operator.press("Create the task")
    assert focused(page) == "Keys, one per line"
    assert problems_at(page) == {
        "Keys, one per line": "Line 6 is longer than 256 bytes, line 4 repeats “a” of line 1 and line 7 repeats “b” of line 2.",
        "People expected": "This must be a whole number.",
    }
    page.get_by_text("4 keys. Line 3 is empty and is left out.").wait_for()
    operator.press("Remove repeated and empty lines")
    assert page.get_by_label("Keys, one per line").input_value().split("\n") == ["a", "b", "c", "x" * 300]


def test_what_the_collector_refuses_is_told_at_its_field(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "wrong", KEYS)
    page.get_by_label("First day").fill("2030-01-02")
    for label, wrong, right, says in (
        ("Question", "é" * 129, "", "Question is longer than 256 bytes."),
        ("Highest value", "1", "5", "Low must be below high: 1 ≥ 1."),
        ("Closes on", "2030-01-02", "", "A task that opens on 2030-01-02 cannot close on 2030-01-02."),
    ):
        field = page.get_by_label(label, exact=True)
        field.fill(wrong)
        operator.press("Create the task")
        check_refused(operator, label, says)
        field.fill(right)
        assert problems_at(page) == {}


def test_levels_with_names_are_the_range_and_what_participants_choose_from(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "levels", KEYS)
    page.get_by_label("one of several levels").check()
    page.get_by_label("Number of levels").fill("17")
    operator.press("Create the task")
    assert problems_at(page) == {"Number of levels": "This must be at most 16."}
    page.get_by_label("Number of levels").fill("5")
    page.get_by_label("one of the values that you name").check()
    named = page.get_by_label("Values, from the lowest to the highest")
    label = "Values, from the lowest to the highest"
    operator.press("Create the task")
    assert problems_at(page) == {label: "Name the values, such as 1, 2, 3."}
    expected = "The levels must be a whole number from 2 to 16, or that many numbers in plain digits, such as 1 or 0.5."
    for text, problem in {
        "1, two, 3": expected,
        "1, 3, 2": "Levels must ascend: 3 is followed by 2.",
        # The range is that of the values.
        "3, 1": "Low must be below high: 3 ≥ 1.",
        "1": expected,
    }.items():
        named.fill(text)
        operator.press("Create the task")
        check_refused(operator, label, problem)
    named.fill("0, 0.5; 10")
    page.get_by_text("With 3 levels you see how many people give each of them.").wait_for()
    assert page.get_by_label("Lowest value", exact=True).is_hidden()
    operator.check(DESK)
    with operator.context.expect_page() as opened:
        operator.press("Preview as participant")
    shown = opened.value.get_by_role("group", name=KEYS[0]).get_by_role("radio")
    shown.first.wait_for()
    assert [button.get_attribute("value") for button in shown.all()] == ["0", "0.5", "10"]


def test_what_only_the_collector_knows_is_told_at_the_field(people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    refused = {
        "title": "The request cannot be read.",
        "detail": "most pairs must be few",
        "field": "most_pairs",
    }
    page.route("**/tasks/new", lambda route: route.fulfill(status=400, json=refused))
    fill_task(operator, "refused", KEYS)
    operator.press("Create the task")
    page.get_by_text("Most pairs must be few.").wait_for()
    assert focused(page) == "At most (optional)"
    page.unroute("**/tasks/new")
    refused |= {"detail": "holding must be larger", "field": "holding"}
    page.route("**/tasks/new", lambda route: route.fulfill(status=400, json=refused))
    operator.press("Create the task")
    page.get_by_text("Holding must be larger.").wait_for()
    assert focused(page) == "People who hold any of the keys, in % (optional)"
    page.unroute("**/tasks/new")
    page.route("**/tasks/new", lambda route: route.fulfill(status=503, json={"title": "Come back later."}))
    operator.press("Create the task")
    page.get_by_role("alert").get_by_text("Come back later.").wait_for()
    forget(operator, "400")
    forget(operator, "503")


FILES = {
    "keys.txt": (b"Alien, the film\r\nHeat\r\n", "Alien, the film\nHeat\n"),
    "keys.csv": ('\ufeffAlien;8\n"Heat; ""1995""";9\n'.encode(), 'Alien\nHeat; "1995"'),
    "one column.csv": (b"Alien\nHeat, and more\n", "Alien\nHeat, and more"),
}
BAD_FILES = {
    "latin.txt": (b"caf\xe9", "it is not text in UTF-8"),
    "open.csv": (b'"Alien\nHeat', "a quotation mark of the file is not closed"),
    "lines.csv": (b'"Ali\nen",1\n', "the file has a name with a line break: “Ali"),
}


def test_keys_come_from_a_file(people: Any, tmp_path: Path) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    for name, (data, shown) in FILES.items():
        (tmp_path / name).write_bytes(data)
        page.get_by_label("Or take them from a file").set_input_files(tmp_path / name)
        page.get_by_text("2 keys.").wait_for()
        assert page.get_by_label("Keys, one per line").input_value() == shown
        page.get_by_label("Keys, one per line").fill("")
    for name, (data, why) in BAD_FILES.items():
        (tmp_path / name).write_bytes(data)
        page.get_by_label("Or take them from a file").set_input_files(tmp_path / name)
        page.get_by_text(f"Nothing was taken from {name}: {why}").wait_for()
        assert page.get_by_label("Keys, one per line").input_value() == ""
    page.get_by_label("just numbers").check()
    assert page.get_by_label("Keys, one per line").count() == 0 or page.get_by_label("Keys, one per line").is_hidden()
    page.get_by_label("Number of keys").fill("0")
    operator.press("Create the task")
    assert problems_at(page)["Number of keys"] == "This must be at least 1."


def test_presets_of_privacy_are_explained_by_odds(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    strong = page.locator("label", has_text="Strong (ε = 1)").inner_text()
    assert "at most about 2.7 times surer" in strong
    assert "right in at most 73 of 100 cases" in strong
    page.get_by_label("Another value").check()
    page.get_by_label("ε", exact=True).fill("10")
    page.get_by_text("at most about 22,000 times surer").wait_for()
    page.get_by_text("all but certain. This is weak protection.").wait_for()
    warning = page.get_by_text("For this ε your app needs a higher cap")
    assert warning.is_hidden()
    page.get_by_label("ε", exact=True).fill("10.5")
    warning.wait_for()
    page.get_by_label("ε", exact=True).fill("20.5")
    page.get_by_label("ε", exact=True).blur()
    assert problems_at(page)["ε"] == "This must be at most 20."
    assert warning.is_hidden()


def test_one_plan_is_asked_for_at_a_time_and_the_last_is_shown(people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    held: list[Any] = []
    page.route("**/plan?*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    fill_task(operator, "typed slowly", KEYS, users="500")
    users = page.get_by_label("People expected")
    wait_until(lambda: page.evaluate("1") and len(held) == 1)
    for number in ("600", "700", "5000000"):
        users.fill(number)
        # Longer than the form waits for the next letter.
        page.wait_for_timeout(500)
    assert len(held) == 1
    held[0].continue_()
    wait_until(lambda: page.evaluate("1") and len(held) == 2)
    assert "users=5000000" in held[1].request.url
    held[1].continue_()
    page.locator(".light.green", has_text="Enough people").wait_for()
    page.unroute("**/plan?*")
    assert len(held) == 2


def test_a_draft_survives_a_reload_and_the_end_of_a_session(people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    fill_task(operator, "a draft", KEYS, pairs="1.5")
    page.get_by_label("Strong (ε = 1)").check()
    wait_until(lambda: '"1.5"' in draft(page))
    page.reload()
    page.get_by_text("Draft restored.").wait_for()
    assert page.get_by_label("Keys, one per line").input_value().split("\n") == KEYS
    assert page.get_by_label("Strong (ε = 1)").is_checked()
    page.get_by_label("Contact").fill("me")
    operator.context.clear_cookies()
    operator.press("Create the task")
    operator.fill_in_token()
    page.get_by_text("Draft restored.").wait_for()
    forget(operator, "401")
    assert page.get_by_label("Contact").input_value() == "me"
    operator.check()
    create_task(operator)
    operator.press("New task", "link")
    page.get_by_role("heading", name="New task").wait_for()
    assert page.get_by_label("Name", exact=True).input_value() == ""
    assert page.get_by_text("Draft restored.").count() == 0
    page.get_by_label("Name", exact=True).fill("not wanted")
    wait_until(lambda: "not wanted" in draft(page))
    page.reload()
    operator.press("Start afresh")
    assert page.get_by_label("Name", exact=True).input_value() == ""
    page.reload()
    page.get_by_role("heading", name="New task").wait_for()
    assert page.get_by_text("Draft restored.").count() == 0


def test_signing_out_deletes_the_draft_and_the_preview(people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    fill_task(operator, "a secret draft", KEYS)
    wait_until(lambda: "a secret draft" in draft(page))
    page.evaluate("localStorage.setItem('pckv-preview', 'a preview')")
    operator.press("Sign out")
    page.get_by_label("Token").wait_for()
    assert page.evaluate("localStorage.length") == 0
    page.reload()
    page.get_by_label("Token").fill(ADMINISTRATOR)
    operator.press("Sign in")
    page.get_by_role("heading", name="New task").wait_for()
    assert page.get_by_label("Name", exact=True).input_value() == ""


def test_a_draft_that_cannot_be_kept_is_said(people: Any) -> None:
    operator = people(PHONE)
    operator.alter("Storage.prototype.setItem = () => { throw new DOMException('full'); };")
    open_form(operator)
    operator.page.get_by_label("Name", exact=True).fill("too large")
    operator.page.get_by_text("This browser cannot keep the draft").wait_for()


def test_a_task_is_duplicated(people: Any, server: ServeProcess) -> None:
    """With every digit of its ε."""
    epsilon = "2.5000000000000000000000001"
    about = {"question": QUESTION, "unit": "stars", "consent": "I agree.\nYes."}
    members: dict[str, Any] = {"more": "refuse", "padding": 2, "levels": [1, 2.5, 5], "between": "refuse"}
    task = add_task(server, name="first run", epsilon=epsilon, about=about, **members)
    operator = people()
    open_form(operator)
    operator.go(f"/#/new?from={task.id}")
    page = operator.page
    page.get_by_text("Filled in from “first run”.").wait_for()
    assert page.get_by_label("Name", exact=True).input_value() == "first run (copy)"
    assert page.get_by_label("ε", exact=True).input_value() == epsilon
    # From here on it is a draft as any other.
    page.get_by_label("Name", exact=True).fill("second run")
    page.get_by_label("People expected").fill("2000")
    wait_until(lambda: "second run" in draft(page))
    page.reload()
    page.get_by_text("Draft restored.").wait_for()
    copied = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (copied.name, copied.keys, copied.more) == ("second run", task.keys, "refuse")
    assert json.loads(copied.to_json())["epsilon"] == epsilon
    assert (copied.about, copied.domain.values) == (task.about, task.domain.values)
    assert copied.between == "refuse"
    operator.go(f"/#/new?from={'x' * 43}")
    page.get_by_role("alert").get_by_text("The task cannot be copied.").wait_for()
    forget(operator, "404")


def test_a_preview_shows_the_page_of_participants_and_makes_no_report(people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    operator.press("Preview as participant")
    assert focused(page) == "Name"
    assert len(operator.context.pages) == 1
    fill_task(operator, "previewed", KEYS)
    page.get_by_label("Question", exact=True).fill(QUESTION)
    with operator.context.expect_page() as opened:
        operator.press("Preview as participant")
    shown = opened.value
    shown.get_by_text("Preview: this is what participants will see. Nothing is sent.").wait_for()
    shown.get_by_role("button", name="Send my report").wait_for()
    shown.get_by_role("heading", name=QUESTION).wait_for()
    assert KEYS[0] in shown.locator("main").inner_text()
    sent = len(operator.sent)
    shown.get_by_role("button", name="Send my report").click()
    shown.get_by_role("alert").get_by_text("This is a preview: no report is made.").wait_for()
    assert len(operator.sent) == sent
    assert operator.asked == []


def test_a_task_whose_functions_the_collector_draws(people: Any, server: ServeProcess) -> None:
    """From the form, with invitations that are shown once, to a report."""
    operator = people()
    open_form(operator)
    page = operator.page
    fill_task(operator, "by coins", KEYS, pairs="1.5")
    operator.unfold("Advanced")
    page.get_by_label("the collector draws the random function").check()
    assert page.get_by_label("By invitation").is_checked()
    assert page.get_by_label("By one open link").is_disabled()
    operator.press("Create the task")
    assert problems_at(page) == {"Number of invitations": "Say how many invitations you need; more can be made later."}
    page.get_by_label("Number of invitations").fill("2")
    operator.check()
    operator.press("Create the task")
    page.get_by_role("heading", name="“by coins” is created").wait_for()
    links = page.get_by_label("Links to hand out", exact=True).input_value().split()
    assert len(set(links)) == 2
    operator.check()
    person = people()
    person.page.goto(links[0])
    person.press("Send my report")
    person.state("sent")
    operator.press("Open the page of the task", "link")
    page.locator("#reports", has_text="1").wait_for()
    assert "invitation=invitation" in page.get_by_label("In an app, with Python", exact=True).input_value()
    assert count(server, task_id_of(page)) == 1
