"""A new survey in a browser: from what is asked to the page of the survey."""

from __future__ import annotations

import re
from typing import Any

import pckv
from support.collectors import wait_until
from support.people import (
    DESK,
    HOSTILE,
    KEYS,
    PHONE,
    ask,
    count,
    create_task,
    fill_task,
    has_address,
    open_step,
    publish_form,
    task_id_of,
)
from support.serving import ServeProcess
from support.task_forms import check_refused, focused, open_form, problems_at, saved

QUESTION = "Which of these films have you seen, and how did you like them?"


def test_the_form_plans_for_what_it_says(server: ServeProcess, people: Any) -> None:
    operator = people(PHONE)
    open_form(operator, planned=True)
    page = operator.page
    plan = page.get_by_role("region", name="Forecast", exact=True)
    plan.get_by_text("Answer options: Name at least one.").wait_for()
    fill_task(operator, "refusing", [f"key {number}" for number in range(12)], users="500")
    # The light says in words what its colour says, and no specialist's word stands beside it.
    plan.locator(".light.red").wait_for()
    assert plan.locator(".light.red").inner_text() == "Too few people"
    verdict = plan.locator(".verdict").inner_text()
    assert "With 500 people, " in verdict
    assert "You can publish if that is enough for you" in verdict
    plan.get_by_text("More people: with about ").wait_for()
    plan.get_by_text("No ratings: people only choose. Then an answer stands out if at least ").wait_for()
    # Less privacy is the last resort.
    lighter = "Only if the question allows it, a lighter privacy level: Light."
    assert plan.get_by_role("listitem").last.inner_text().startswith(lighter)
    assert not re.search(r"\bkey|padding|report|ε|pairs", verdict)
    assert page.locator(".chart").count() == 0
    # As a number field takes it, too.
    page.get_by_label("People expected").fill("5e6")
    plan.locator(".light.green", has_text="Enough people").wait_for()
    operator.press("Change what is assumed")
    assert focused(page) == "How many answers a person chooses on average"
    page.get_by_label("At most (optional)").fill("2")
    plan.get_by_text("“At most” must be at least the average, 3, and at most the number of answer options (").wait_for()
    operator.forgive("400")
    page.get_by_label("At most (optional)").fill("")
    any_held = page.get_by_label("People who choose any answer, in % (optional)")
    any_held.fill("140")
    plan.get_by_text("People who choose any answer, in % (optional): This must be at most 100.").wait_for()
    any_held.fill("60")
    page.get_by_label("At most a certain number").check()
    plan.get_by_text("At most how many: Say how many answers a person may choose.").wait_for()
    page.get_by_label("At most how many").fill("4")
    page.get_by_label("Another scale").check()
    page.get_by_label("one of several levels").check()
    plan.locator(".light.green").wait_for()
    operator.check(DESK)
    plan.locator("summary", has_text="Details").click()
    plan.get_by_text("of whom 60 % choose any: 1 to 4").wait_for()
    plan.get_by_text("With 5 levels (1, 2, 3, 4, 5) instead of two, ").wait_for()
    plan.locator(".chart").nth(1).scroll_into_view_if_needed()
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
        "The middle means": "fair",
        "Highest value means": "great",
        "Who may take part": "Adults.",
        "Consent": "I agree to this.",
        "Contact": "films@example.org",
    }
    for step, labels in {1: 2, 2: 4, 3: 3}.items():
        open_step(operator, step)
        for label in list(texts)[sum((2, 4, 3)[: step - 1]) :][:labels]:
            page.get_by_label(label, exact=True).fill(texts[label])
    open_step(operator, 4)
    page.get_by_label("Light").check()
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert list(task.about.to_dict().values()) == [*texts.values(), "en", {}]
    assert task.epsilon == 3


def test_what_is_wrong_is_told_at_its_field(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    operator.press("Next")
    assert focused(page) == "Name"
    assert problems_at(page) == {"Name": "Give the survey a name."}
    operator.check()
    page.get_by_label("Name", exact=True).fill("wrong")
    # What is wrong before a step stands in its way, wherever it is.
    open_step(operator, 5)
    assert focused(page) == "Answer options, one per line"
    assert problems_at(page) == {"Answer options, one per line": "Name at least one."}
    names = page.get_by_label("Answer options, one per line")
    names.fill("\n".join(["a", "b", "", "a", "c", "x" * 300, "b\u202e"]))
    operator.press("Next")
    assert focused(page) == "Answer options, one per line"
    assert problems_at(page) == {
        "Answer options, one per line": "Line 6 is longer than 256 bytes, line 7 has a character that changes the "
        "direction of writing, which makes it look like another answer and line 4 repeats “a” of line 1."
    }
    page.get_by_text("5 answer options. Line 3 is empty and is left out.").wait_for()
    operator.press("Remove repeated and empty lines")
    names.fill("a\nb")
    open_step(operator, 3)
    for label, value, says in (
        ("People expected", "2.5", "This must be a whole number, in digits alone, without points or commas."),
        ("Last day", "2020-01-01", "This must be "),
    ):
        page.get_by_label(label).fill(value)
        operator.press("Next")
        assert focused(page) == label
        assert problems_at(page)[label].startswith(says)
        page.get_by_label(label).fill("2030" if label == "People expected" else "")
    operator.press("Next")
    page.get_by_role("heading", name="Privacy").wait_for()


def test_what_the_collector_refuses_is_told_at_its_field(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "wrong", KEYS)
    page.get_by_label("First day").fill("2030-01-02")
    for step, label, wrong, right, says in (
        (1, "Question", "é" * 129, "", "Question is longer than 256 bytes."),
        (2, "Highest value", "1", "5", "Low must be below high: 1 ≥ 1."),
    ):
        open_step(operator, step)
        if step == 2:
            page.get_by_label("Another scale").check()
        field = page.get_by_label(label, exact=True)
        field.fill(wrong)
        publish_form(operator)
        check_refused(operator, label, says)
        field.fill(right)
        assert problems_at(page) == {}


def test_levels_with_names_are_the_range_and_what_participants_choose_from(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "levels", KEYS)
    open_step(operator, 2)
    page.get_by_label("Another scale").check()
    page.get_by_label("one of several levels").check()
    page.get_by_label("Number of levels").fill("17")
    operator.press("Next")
    assert problems_at(page) == {"Number of levels": "This must be at most 16."}
    page.get_by_label("Number of levels").fill("5")
    page.get_by_label("one of the values that you name").check()
    named = page.get_by_label("Values, from the lowest to the highest")
    label = "Values, from the lowest to the highest"
    operator.press("Next")
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
        publish_form(operator)
        check_refused(operator, label, problem)
    named.fill("0, 0.5; 10")
    page.get_by_text("With 3 levels you see how many people give each of them.").wait_for()
    assert page.get_by_label("Lowest value", exact=True).is_hidden()
    operator.check(DESK)
    open_step(operator, 5)
    with operator.context.expect_page() as opened:
        operator.press("Preview")
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
    publish_form(operator)
    page.get_by_text("Most pairs must be few.").wait_for()
    assert focused(page) == "At most (optional)"
    page.unroute("**/tasks/new")
    refused |= {"detail": "holding must be larger", "field": "holding"}
    page.route("**/tasks/new", lambda route: route.fulfill(status=400, json=refused))
    publish_form(operator)
    page.get_by_text("Holding must be larger.").wait_for()
    assert focused(page) == "People who choose any answer, in % (optional)"
    page.unroute("**/tasks/new")
    page.route("**/tasks/new", lambda route: route.fulfill(status=503, json={"title": "Come back later."}))
    publish_form(operator)
    page.get_by_role("alert").get_by_text("Come back later.").wait_for()
    operator.forgive("400")
    operator.forgive("503")


def test_presets_of_privacy_are_explained_by_odds(people: Any) -> None:
    operator = people(PHONE)
    open_form(operator)
    page = operator.page
    fill_task(operator, "private", KEYS)
    open_step(operator, 4)
    assert page.get_by_label("Balanced (the usual choice)").is_checked()
    page.get_by_label("Strong").check()
    page.get_by_text("A single response then says little about the person").wait_for()
    page.locator(".presets summary", has_text="Details").click()
    strong = page.locator(".presets li", has_text="Strong").inner_text()
    assert "the odds of an answer by at most 2.72 times" in strong
    assert "right in at most 74 of 100 cases" in strong
    page.get_by_label("Another level").check()
    page.get_by_label("Level as a number").fill("10")
    page.get_by_text("by at most 22,100 times").wait_for()
    page.get_by_text("all but certain. This is weak protection.").wait_for()
    warning = page.get_by_text("For this level your app needs a higher limit")
    assert warning.is_hidden()
    page.get_by_label("Level as a number").fill("10.5")
    warning.wait_for()
    page.get_by_label("Level as a number").fill("20.5")
    page.get_by_label("Level as a number").blur()
    assert problems_at(page)["Level as a number"] == "This must be at most 20."
    assert warning.is_hidden()


def test_a_plan_that_is_overtaken_is_given_up_and_the_last_is_shown(people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    held: list[Any] = []
    gone: list[str] = []
    page.route("**/plan?*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    page.on("requestfailed", lambda request: gone.append(request.url))
    fill_task(operator, "typed slowly", KEYS, users="500")
    users = page.get_by_label("People expected")
    wait_until(lambda: page.evaluate("1") and len(held) == 1)
    # Nothing is named as missing any more, and what a plan does not depend on asks for no other one.
    assert "Say how many people you expect" not in page.locator(".plan").inner_text()
    page.get_by_label("Contact", exact=True).fill("me")
    page.wait_for_timeout(400)
    assert len(held) == 1
    # What is typed quickly is asked for once, and what was asked for before is given up.
    for number in ("600", "700", "5000000"):
        users.fill(number)
    wait_until(lambda: page.evaluate("1") and len(held) == 2)
    assert "users=5000000" in held[1].request.url
    assert [url for url in gone if "users=500&" in url]
    # A collector with too much to do is asked again, and nobody reads of it.
    held[1].fulfill(status=429, json={"title": "Too many at once.", "detail": "at most 4 long computations per token"})
    wait_until(lambda: page.evaluate("1") and len(held) == 3)
    assert "computations" not in page.locator(".plan").inner_text()
    held[2].continue_()
    page.locator(".light.green", has_text="Enough people").wait_for()
    operator.forgive("429")
    page.unroute("**/plan?*")


def test_a_draft_is_kept_by_the_collector(people: Any) -> None:
    """It is saved while people write, survives the end of a session, and ends by publishing or by two presses."""
    operator = people()
    open_form(operator)
    page = operator.page
    page.get_by_label("Name", exact=True).fill("a draft")
    page.locator(".saved", has_text="Saved").wait_for()
    page.wait_for_url("**/#/new?draft=*")
    fill_task(operator, "a draft", KEYS, pairs="1.5")
    open_step(operator, 4)
    page.get_by_label("Strong").check()
    saved(operator)
    page.reload()
    page.get_by_role("heading", name="What do you ask?").wait_for()
    wait_until(lambda: page.get_by_label("Name", exact=True).input_value() == "a draft")
    open_step(operator, 4)
    assert page.get_by_label("Strong").is_checked()
    open_step(operator, 3)
    operator.context.clear_cookies()
    page.get_by_label("Contact", exact=True).fill("me")
    operator.fill_in_token()
    page.get_by_role("heading", name="What do you ask?").wait_for()
    operator.forgive("401")
    open_step(operator, 3)
    assert page.get_by_label("Contact", exact=True).input_value() == "me"
    # Enter sends nothing and leads nowhere, on any step.
    for number in (1, 2, 3, 5):
        open_step(operator, number)
        for field in page.locator("[data-step]:not([hidden]) input:visible").all()[:4]:
            field.press("Enter")
    assert "/#/new?draft=" in page.url
    assert not page.locator("dialog").is_visible()
    operator.press("Publish the survey")
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    page.keyboard.press("Enter")
    assert not page.locator("dialog").is_visible()
    operator.check()
    create_task(operator)
    with page.expect_response("**/drafts"):
        operator.go("/#/new")
    assert page.get_by_role("link", name="a draft").count() == 0
    page.get_by_role("link", name="One choice").click()
    page.get_by_label("Name", exact=True).fill("not wanted")
    operator.go("/#/new")
    page.get_by_role("link", name="not wanted").wait_for()
    operator.check_in_both_colours(PHONE)
    operator.press("Delete draft: not wanted")
    page.route("**/drafts/*", lambda route: route.fulfill(status=503, json={"title": "Not now."}))
    operator.press("Delete for good: not wanted")
    page.locator(".drafts").get_by_role("alert").get_by_text("Not now.").wait_for()
    operator.forgive("503")
    page.unroute("**/drafts/*")
    operator.press("Delete for good: not wanted")
    page.get_by_role("link", name="not wanted").wait_for(state="detached")


def test_the_last_step_has_all_that_is_fixed_by_publishing(people: Any, server: ServeProcess) -> None:
    """With the last day, after which the contract closes, the number of answers that count, and what is missing."""
    operator = people(PHONE)
    open_form(operator, planned=True)
    page = operator.page
    fill_task(operator, "looked over", [f"key {number}" for number in range(12)], users="300", rated=False)
    texts = {"Contact": "ask@example.org", "Who may take part": "Our members.", "Consent": "I agree."}
    open_step(operator, 3)
    page.get_by_label("First day").fill("2090-12-02")
    page.get_by_label("Last day").fill("2090-12-01")
    operator.press("Next")
    assert problems_at(page) == {"Last day": "This must be December 2, 2090 or later."}
    page.get_by_label("Last day").fill("2090-12-14")
    page.get_by_label("By invitation").check()
    for label, text in texts.items():
        page.get_by_label(label, exact=True).fill(text)
    open_step(operator, 5)
    facts = page.locator(".check-list")
    facts.get_by_text("At most 4 of them count. If someone gives more, these are chosen at random.").wait_for()
    shown = facts.inner_text()
    for text in (
        *texts.values(),
        "By invitation: 300 links",
        "from December 2, 2090 until the end of December 14, 2090",
    ):
        assert text in shown
    assert "Balanced (the usual choice)" in shown
    # The collector of this test has neither a name nor an address for others.
    page.get_by_text("Without a name they read the address “127.0.0.1:").wait_for()
    page.get_by_text("there is no link to share yet").wait_for()
    operator.check_in_both_colours(DESK)
    operator.stop_clock("2090-12-15T00:00:01Z")
    operator.press("Publish the survey")
    assert problems_at(page) == {"Last day": "This must be December 15, 2090 or later."}
    page.get_by_label("Last day").fill("2090-12-15")
    open_step(operator, 5)
    page.get_by_label("Name of your organisation").fill("Tenants' association")
    operator.press("Save the name")
    page.get_by_role("link", name="Tenants' association").wait_for()
    ask(server, "PUT", "/organisation", b'{"name": null}', "application/json")
    page.get_by_role("button", name="Change: Time").click()
    page.get_by_label("By one open link").check()
    task = pckv.Task.from_json(ask(server, "GET", f"/tasks/{create_task(operator)}").content)
    assert (task.opens, task.closes, task.padding) == ("2090-12-02", "2090-12-16", 4)


# A number as English writes it, which German reads as another one or not at all.
ENGLISH_NUMBER = re.compile(r"(?<![\d.,])(\d+\.\d(?!\d\d(?!\d))|[1-9]\d{0,2},\d{3}(?!\d))")


def test_a_german_form_names_all_that_is_fixed_in_german(people: Any) -> None:
    operator = people(PHONE, locale="de-DE")
    operator.sign_in()
    operator.go("/#/new?template=rate")
    page = operator.page
    plan = page.get_by_role("region", name="Vorhersage", exact=True)
    page.get_by_label("Name", exact=True).fill("alles auf Deutsch")
    # What operators write is checked in the language of the survey.
    question = page.get_by_label("Frage", exact=True)
    assert [question.get_attribute(name) for name in ("spellcheck", "lang")] == ["true", "de"]
    open_step(operator, 2)
    names = page.get_by_label("Antwortmöglichkeiten, eine je Zeile")
    names.fill("\n".join(f"Kurs {number}, abends" for number in range(26)))
    page.get_by_label("Sprache Ihrer Texte").select_option("fr")
    assert names.get_attribute("lang") == "fr"
    open_step(operator, 3)
    page.get_by_label("Erwartete Personen").fill("600")
    plan.locator(".light.red", has_text="Zu wenige Personen").wait_for()
    plan.locator("summary", has_text="Details").click()
    plan.get_by_role("cell", name="0,1 %").wait_for()
    assert not ENGLISH_NUMBER.search(plan.inner_text())
    open_step(operator, 5)
    facts = page.locator(".check-list")
    shown = facts.inner_text()
    for text in ("Kurs 24, abends", "und 1 weitere", "1 (schlecht) bis 5 (großartig)", "Sterne", "Keine Gruppen"):
        assert text in shown
    assert "Kurs 25" not in shown
    assert re.search(r"Wer teilnehmen darf\s+\(weggelassen\)", shown)
    facts.get_by_text("und 1 weitere").click()
    facts.get_by_text("Kurs 25, abends").wait_for()
    operator.check(DESK)
    # What the forecast says against it is said again.
    operator.press("Umfrage veröffentlichen")
    page.get_by_role("dialog").get_by_text("Zu wenige Personen").wait_for()
    assert "Die Vorhersage sagt:" in page.get_by_role("dialog").inner_text()
    operator.check(DESK)
    operator.press("Abbrechen")
    open_step(operator, 2)
    page.get_by_label("zählen als eine weitere Antwort").check()
    page.get_by_label("Nach der Antwort auf eine weitere Frage").check()
    page.get_by_label("Die Frage nach der Gruppe").fill("Wie alt sind Sie?")
    page.get_by_label("Die Antworten darauf, eine je Zeile").fill("unter 30\nüber 30")
    open_step(operator, 5)
    shown = facts.inner_text()
    assert "zählen als eine weitere Antwort: andere" in shown
    assert re.search(r"Wie alt sind Sie\?\s+unter 30\s+über 30", shown)
    # A plan that is not there yet says nothing for it.
    operator.press("Umfrage veröffentlichen")
    page.get_by_role("dialog").get_by_text("Es gibt noch keine Vorhersage.").wait_for()


def test_signing_out_deletes_the_preview(people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    page.evaluate("localStorage.setItem('pckv-preview', 'a preview')")
    operator.press("Sign out")
    page.get_by_label("Token").wait_for()
    assert page.evaluate("localStorage.length") == 0


def test_a_preview_shows_the_page_of_participants_and_makes_no_report(people: Any) -> None:
    operator = people()
    open_form(operator)
    page = operator.page
    fill_task(operator, "previewed", KEYS)
    open_step(operator, 1)
    page.get_by_label("Question", exact=True).fill(QUESTION)
    open_step(operator, 5)
    with operator.context.expect_page() as opened:
        operator.press("Preview")
    shown = opened.value
    shown.get_by_text("Preview: this is what participants will see. Nothing is sent.").wait_for()
    shown.get_by_role("button", name="Send my answers").wait_for()
    shown.get_by_role("heading", name=QUESTION).wait_for()
    assert KEYS[0] in shown.locator("main").inner_text()
    shown.locator(".none input").check()
    shown.get_by_role("button", name="Send my answers").click()
    shown.get_by_role("heading", name="This is a preview: nothing was sent").wait_for()
    shown.get_by_role("button", name="Try again").click()
    shown.get_by_role("button", name="Send my answers").wait_for()
    # The form saves its draft and plans in its own time; nothing else is sent.
    assert [text for text in operator.sent if '"name"' not in text] == []
    assert operator.asked == []
    # Those who are invited will read what that means for them.
    assert "You answer by invitation" not in shown.locator("main").text_content()
    open_step(operator, 3)
    page.get_by_label("By invitation").check()
    open_step(operator, 5)
    with operator.context.expect_page() as opened:
        operator.press("Preview")
    opened.value.get_by_text("You answer by invitation").wait_for(state="attached")


def test_a_step_can_be_left_while_something_in_it_is_wrong(people: Any) -> None:
    """What is wrong in one step may come from another: only what was not open before, and the last, has to wait."""
    operator = people()
    open_form(operator)
    page = operator.page
    fill_task(operator, "stepping back", KEYS)
    open_step(operator, 4)
    open_step(operator, 2)
    page.get_by_label("Answer options, one per line").fill("")
    open_step(operator, 4)
    page.get_by_role("heading", name="Privacy").wait_for()
    open_step(operator, 5)
    assert focused(page) == "Answer options, one per line"
    # "Next" checks what it leaves, as always.
    operator.press("Next")
    assert focused(page) == "Answer options, one per line"


def test_a_task_whose_functions_the_collector_draws(people: Any, server: ServeProcess) -> None:
    """From the form, with invitations that are shown once, to a report."""
    operator = people()
    open_form(operator)
    page = operator.page
    fill_task(operator, "by coins", KEYS, pairs="1.5")
    open_step(operator, 4)
    page.get_by_label("the collector draws the random function").check()
    open_step(operator, 3)
    assert page.get_by_label("By invitation").is_checked()
    assert page.get_by_label("By one open link").is_disabled()
    # As many as people are expected, unless another number is named.
    assert page.get_by_label("Number of invitations").input_value() == "2000"
    page.get_by_label("Number of invitations").fill("")
    operator.press("Next")
    assert problems_at(page) == {"Number of invitations": "Say how many invitations you need; more can be made later."}
    page.get_by_label("Number of invitations").fill("2")
    operator.check()
    # Links that cannot work are not made.
    open_step(operator, 5)
    operator.press("Publish the survey")
    page.locator(".field-problem", has_text="Invitations are links, and there is no address yet").wait_for()
    assert list(problems_at(page)) == ["Number of invitations"]
    page.route("**/address", lambda route: route.fulfill(status=503, json={"title": "Not now."}))
    open_step(operator, 5)
    operator.press("Publish the survey")
    page.get_by_role("alert").get_by_text("Not now.").wait_for()
    assert "by coins" not in [each["name"] for each in ask(server, "GET", "/overview").json()["tasks"]]
    operator.forgive("503")
    has_address(operator)
    operator.press("Try again")
    operator.press("Publish the survey now")
    page.get_by_role("heading", name="“by coins” is published").wait_for()
    links = page.get_by_label("Links to hand out", exact=True).input_value().split()
    assert len(set(links)) == 2
    operator.check()
    with page.expect_download():
        operator.press("Download all links")
    person = people()
    person.page.goto(links[0])
    person.hold_nothing()
    person.press("Send my answers")
    person.state("sent")
    operator.press("Open the page of the survey", "link")
    page.locator("#reports", has_text="1").wait_for()
    assert "invitation=invitation" in page.get_by_label("In an app, with Python", exact=True).input_value()
    assert count(server, task_id_of(page)) == 1
