"""The participant's page in a browser."""

from __future__ import annotations

from typing import Any

import pytest

import pckv
from support.browser import SET_CLOCK
from support.people import (
    HOSTILE,
    KEYS,
    PHONE,
    VALUES,
    add_task,
    answer,
    chances_in,
    check_odds,
    count,
    explanation,
    fill_in,
    fill_task,
    plant,
    send_reports,
)
from support.serving import ServeProcess


def test_a_report_by_keyboard_alone(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="by keyboard", keys=["Alien", "Heat"])
    person = people()
    person.go(f"/join/{task.id}")
    person.page.get_by_role("button", name="Send my answers").wait_for()
    person.page.locator("#example").wait_for(state="attached")
    keys = person.page.keyboard
    # Behind the choice of the language: what the page says about the protection, then the example in it.
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Enter")
    keys.press("Tab")
    keys.press("Enter")
    person.page.locator("#example .leaves").wait_for()
    # The bytes of the example, and the link to the help.
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowRight")
    assert person.page.locator("input:checked").get_attribute("value") == "2"
    assert person.page.locator("#chosen").inner_text() == "1 chosen"
    for _ in range(10):
        keys.press("Tab")
        if person.page.evaluate("document.activeElement.textContent") == "Send my answers":
            break
    keys.press("Enter")
    person.state("sent")
    assert person.page.evaluate("document.activeElement.textContent") == "Thank you"
    assert "has arrived" in person.page.locator("#status").inner_text()
    assert count(server, task.id) == 1


def test_many_keys_are_searched_and_wide_ranges_have_a_slider(people: Any, server: ServeProcess) -> None:
    keys = [f"film {number}" for number in range(12_000)] + [HOSTILE]
    task = add_task(server, name="many", keys=keys, values=(0, 100), padding=2)
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page = person.page
    only = page.get_by_role("button", name="Only my answers")
    page.get_by_label("Search").fill("SCRIPT")
    page.locator(".range", has_text="1–1 of 1").wait_for()
    box = page.get_by_role("spinbutton", name=HOSTILE)
    # An untouched slider is no answer.
    assert (box.input_value(), page.locator("#chosen").inner_text()[:7]) == ("", "Nothing")
    box.fill("101")
    page.get_by_label("Search").fill("")
    page.locator(".range", has_text="1–10 of 12,001").wait_for()
    person.press("Send my answers")
    page.get_by_text("a value from 0 to 100, or remove it").wait_for()
    # What is missing is brought back into sight.
    assert (box.is_visible(), only.get_attribute("aria-pressed")) == (True, "true")
    box.fill("12.5")
    assert page.get_by_role("slider").input_value() == "12.5"
    only.click()
    page.get_by_label("Search").fill("film 299")
    page.locator(".range", has_text="1–10 of 11").wait_for()
    page.get_by_role("slider", name="film 2990, slider").press("ArrowRight")
    assert page.locator("#chosen").inner_text() == "2 chosen"
    person.press("Remove film 2990")
    assert page.locator("#chosen").inner_text() == "1 chosen"
    person.check()
    person.press("Send my answers")
    person.state("sent")
    assert f"{HOSTILE}: 12.5" in page.locator(".compare").inner_text()
    person.check()


def test_long_lists_can_be_browsed(people: Any, server: ServeProcess) -> None:
    """In pages and by letter; every key keeps its own value."""
    keys = [f"{letter}-film {number}" for letter in "zab" for number in range(12)]
    task = add_task(server, name="browsed", keys=keys)
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page = person.page
    names = page.get_by_role("list", name="Answers").locator(".name")

    def rate(key: str, value: int) -> None:
        page.get_by_role("group", name=key).get_by_role("radio", name=str(value)).check()

    page.locator(".range", has_text="1–10 of 36").wait_for()
    assert names.all_inner_texts() == [f"a-film {number}" for number in range(10)]
    rate("a-film 3", 1)
    person.press("Next")
    assert names.first.inner_text() == "a-film 10"
    rate("b-film 1", 2)
    page.get_by_label("Letter").select_option("Z")
    assert names.first.inner_text() == "z-film 0"
    rate("z-film 2", 3)
    page.get_by_label("Letter").select_option("A")
    assert page.locator("input:checked").input_value() == "1"
    person.press("Remove a-film 3")
    page.get_by_role("button", name="Only my answers (2)").click()
    assert names.all_inner_texts() == ["b-film 1", "z-film 2"]
    assert [box.input_value() for box in page.locator("input:checked").all()] == ["2", "3"]
    # The button is in sight wherever the page is.
    for script in ("scrollTo(0, 0)", "scrollTo(0, document.body.scrollHeight)"):
        page.evaluate(script)
        button = page.get_by_role("button", name="Send my answers").bounding_box()
        assert 0 <= button["y"] <= PHONE["height"] - button["height"]
    person.check()
    person.press("Send my answers")
    person.state("sent")
    entered = page.locator(".compare > div").first.locator("li").all_inner_texts()
    assert entered == ["b-film 1: 2", "z-film 2: 3"]


def test_the_page_on_a_phone_with_a_dark_theme(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="dark", keys=KEYS, closes="2099-01-01")
    person = people(PHONE, color_scheme="dark")
    person.go(f"/join/{task.id}")
    person.page.get_by_role("button", name="Send my answers").wait_for()
    assert "until the end of December 31, 2098 (world time, UTC)" in person.page.locator("main").inner_text()
    check_odds(task, explanation(person, "odds"))
    person.check()
    send_reports(server, task, [pckv.perturb(task, {"Heat": 3}) for _ in range(200)])
    operator = people(PHONE, color_scheme="dark")
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    operator.page.locator(".bars").first.wait_for()
    operator.check()
    operator.go("/#/new?template=rate")
    fill_task(operator, "dark form", ["a", "b"])
    operator.page.locator(".plan .light").wait_for()
    operator.page.get_by_role("region", name="Forecast").locator("summary", has_text="Details").click()
    operator.page.locator(".chart").nth(1).scroll_into_view_if_needed()
    operator.page.locator(".chart svg").nth(1).wait_for()
    operator.check()


def test_a_task_that_refuses_takes_as_many_answers_as_its_padding(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="choose two", padding=2, more="refuse")
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page = person.page
    stars = [page.get_by_role("group", name=key).get_by_role("radio", name="3") for key in KEYS]
    stars[0].wait_for()
    assert page.locator("#instruction").inner_text().startswith("Choose up to 2 that apply to you")
    assert page.locator("#sizes").count() == 0
    check_odds(task, explanation(person, "odds"))
    chosen = page.locator("#chosen")
    assert chosen.inner_text() == "Nothing chosen yet."
    for star in stars[:2]:
        star.check()
    assert chosen.inner_text() == "2 of 2 chosen. Remove one to choose another."
    assert [star.is_enabled() for star in stars] == [True, True, False, False]
    person.check()
    person.press(f"Remove {KEYS[0]}")
    assert [star.is_enabled() for star in stars] == [True] * 4
    stars[3].check()
    person.press("Send my answers")
    person.state("sent")
    entered = page.locator(".compare > div").first.inner_text()
    assert [key in entered for key in KEYS] == [False, True, False, True]


def test_the_lines_for_apps_come_with_the_limit_of_the_task(people: Any, server: ServeProcess) -> None:
    operator = people()
    operator.sign_in()
    for more, words in (
        ("refuse", "at most 2 where they enter"),
        ("sample", "Pass all answers of a participant with their values"),
    ):
        task = add_task(server, name=f"lines {more}", padding=2, more=more)
        operator.go(f"/#/tasks/{task.id}/share")
        operator.page.get_by_role("heading", name=task.name).wait_for()
        operator.page.get_by_text("Ask from an app or a page").click()
        operator.page.get_by_text(words).wait_for()


@pytest.mark.parametrize("keys", [5, 50], ids=["listed", "in pages"])
def test_a_value_out_of_range_counts_as_chosen(people: Any, server: ServeProcess, keys: int) -> None:
    names = [f"film {number}" for number in range(keys)]
    task = add_task(server, name=f"choose one of {keys}", keys=names, values=(0, 100), padding=1, more="refuse")
    person = people()
    person.go(f"/join/{task.id}")
    page = person.page
    one, other = (page.get_by_role("spinbutton", name=f"film {number},") for number in (1, 2))
    one.fill("101")
    assert (one.get_attribute("aria-invalid"), other.is_disabled()) == ("true", True)
    person.press("Remove film 1")
    assert (one.input_value(), other.is_enabled()) == ("", True)
    other.fill("7")
    assert page.locator("#chosen").inner_text().startswith("1 of 1 chosen.")
    # An empty box is no answer.
    other.fill("")
    assert page.locator("#chosen").inner_text() == "Nothing chosen yet."


# What the browser's randomness gives in every byte, and what the report then is.
SIZE_IS_ANSWERED, PAIRS_ARE_REPORTED = 0, 0xC0


def with_randomness(person: Any, byte: int) -> None:
    person.alter(f"crypto.getRandomValues = (data) => data.fill({byte});")


def test_a_report_that_tells_only_the_number_of_answers_says_so(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="how many", padding=2, size_share="0.5")
    question = task.size_question
    assert question is not None
    person = people(PHONE)
    with_randomness(person, SIZE_IS_ANSWERED)
    shown = answer(person, task.id, {"Alien": 1, "Heat": 2, HOSTILE: 3})
    page = person.page
    assert task.message_format.decode(bytes.fromhex(shown)) == (task.law.word_limit or 0) + 1
    leaves = page.locator(".leaves").inner_text()
    assert "The number that it names: about 3." in leaves
    assert "and not which" in leaves
    assert "Alien" not in leaves
    chances = [100 * float(chance) for chance in (question.true_chance, question.other_chance)]
    assert chances_in(leaves) == pytest.approx(chances, rel=0.005)
    person.check()
    assert count(server, task.id) == 1
    another = people()
    another.go(f"/join/{task.id}")
    another.page.locator("#instruction").wait_for()
    check_odds(task, explanation(another, "odds"))
    sizes = explanation(another, "sizes")
    assert "(at most 2, about 3, or about 4)" in sizes
    assert chances_in(sizes) == pytest.approx([50, *chances], rel=0.005)


def test_more_answers_than_the_padding_are_explained(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="which of them", padding=2, size_share="0.5")
    person = people()
    with_randomness(person, PAIRS_ARE_REPORTED)
    answer(person, task.id, {"Alien": 1, "Heat": 2, HOSTILE: 3})
    leaves = person.page.locator(".leaves").inner_text()
    assert "made from at most 2 of the 3 answers" in leaves
    assert "how many" not in leaves
    another = people()
    another.go(f"/join/{task.id}")
    instruction = another.page.locator("#instruction")
    instruction.wait_for()
    assert "If more than 2 apply, this device picks 2 of them at random" in instruction.inner_text()


def test_the_example_depends_on_nobodys_answers(people: Any, server: ServeProcess) -> None:
    """It is drawn before anything is entered, is not sent, and goes when the report is made."""
    task = add_task(server, name="example", padding=2)
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page, example = person.page, person.page.locator("#example")
    page.get_by_text("How does this protect me?").click()
    page.get_by_text("What a report looks like").click()
    example.locator(".leaves").wait_for()
    assert "nothing to do with you or your answers" in example.inner_text()
    assert [f"{key}: " in example.inner_text() for key in KEYS[:2]] == [True, True]
    example.get_by_text("The bytes").click()
    drawn = example.locator(".body").inner_text()
    before = example.inner_text()
    page.get_by_role("group", name="Heat").get_by_role("radio", name="5").check()
    assert example.inner_text() == before
    person.check()
    person.press("Send my answers")
    person.state("sent")
    assert example.count() == 0
    # The two bodies may be equal by chance, the random numbers in front of them not.
    number = page.locator(".leaves code").first.text_content()
    assert (number in before, drawn in before) == (False, True)
    assert page.get_by_role("button").count() == 0
    assert (count(server, task.id), len(person.sent)) == (1, 1)


def test_the_page_states_what_was_spent_and_the_cap(people: Any, server: ServeProcess) -> None:
    tasks = [add_task(server, name=f"spending {epsilon}", epsilon=epsilon) for epsilon in (6, 3, 4)]
    person = people()
    budget = person.page.locator("#budget")
    for task, before in zip(tasks, ("0", "6"), strict=False):
        person.go(f"/join/{task.id}")
        person.page.get_by_role("button", name="Send my answers").wait_for()
        budget.get_by_text(f"at most ε = 10 on this device. ε = {before} is spent so far").wait_for(state="attached")
        person.hold_nothing()
        person.press("Send my answers")
        person.state("sent")
    person.go(f"/join/{tasks[2].id}")
    person.state("over_budget")
    panel = person.page.locator(".panel")
    assert "could learn more about you than this browser allows" in panel.inner_text()
    assert "ε" not in panel.inner_text()
    panel.locator("summary", has_text="In numbers").click()
    assert "at most ε = 10 on this device. ε = 9 is spent, and this survey would spend 4 more" in panel.inner_text()
    assert panel.get_by_role("link", name="More about how your answers are protected").count() == 1
    assert person.page.get_by_role("button").count() == 0
    person.check()


def test_a_survey_under_another_id_is_not_answered_again(people: Any, server: ServeProcess) -> None:
    first = add_task(server, name="weekly", closes="2099-01-01")
    # Of one collector that refuses the second, or of two at one address, one after the other.
    again = plant(server, pckv.Task(name="Weekly ", keys=KEYS, values=VALUES, epsilon=1, closes="2099-01-08"))
    person = people(PHONE)
    person.go(f"/join/{again.id}")
    button = person.page.get_by_role("button", name="Send my answers")
    button.wait_for()
    other = person.context.new_page()
    other.goto(f"{person.origin}/join/{first.id}")
    for page in (person.page, other):
        page.locator(".none input").check()
    other.get_by_role("button", name="Send my answers").click()
    other.locator("[data-state=sent]").wait_for()
    # Also where the form was opened before.
    for _ in range(2):
        if button.count():
            button.click()
        person.state("answered")
        person.check()
        person.page.reload()
    assert (count(server, first.id), count(server, again.id)) == (1, 0)


def test_a_page_that_was_open_when_the_task_closed_sends_nothing(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="closes soon", closes="2099-01-01")
    person = people()
    fill_in(person, task.id, {"Alien": 1})
    person.page.evaluate(SET_CLOCK, "2099-01-01T00:00:01Z")
    person.press("Send my answers")
    person.state("ended")
    assert "December 31, 2098" in person.page.locator(".panel").inner_text()
    assert person.sent == []
