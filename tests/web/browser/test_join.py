"""The participant's page in a browser."""

from __future__ import annotations

from typing import Any

import pytest

from support.people import (
    HOSTILE,
    KEYS,
    PHONE,
    add_task,
    answer,
    chances_in,
    check_odds,
    count,
    fill_in,
)
from support.serving import ServeProcess


def test_a_report_by_keyboard_alone(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="by keyboard", keys=["Alien", "Heat"])
    person = people()
    person.go(f"/join/{task.id}")
    person.page.get_by_role("button", name="Send my report").wait_for()
    keys = person.page.keyboard
    # Past what the page says about where it remembers.
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Enter")
    person.page.locator("#example .leaves").wait_for()
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowRight")
    assert person.page.locator("input:checked").get_attribute("value") == "2"
    for _ in range(10):
        keys.press("Tab")
        if person.page.evaluate("document.activeElement.textContent") == "Send my report":
            break
    keys.press("Enter")
    person.state("sent")
    assert person.page.evaluate("document.activeElement.textContent") == "Sent"
    assert "has arrived" in person.page.locator("#status").inner_text()
    assert count(server, task.id) == 1


def test_many_keys_can_be_searched_and_wide_ranges_have_a_slider(people: Any, server: ServeProcess) -> None:
    keys = [f"film {number}" for number in range(3000)] + [HOSTILE]
    task = add_task(server, name="many", keys=keys, values=(0, 100), padding=2)
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page = person.page
    page.get_by_label("Search for what applies").fill("SCRIPT")
    person.press(f"Add {HOSTILE}")
    person.press("Send my report")
    page.get_by_text("Choose a value for").wait_for()
    person.press(f"Give {HOSTILE} a value")
    page.get_by_role("spinbutton").fill("101")
    person.press("Send my report")
    page.get_by_text("Choose a value for").wait_for()
    page.get_by_role("spinbutton").fill("12.5")
    assert page.get_by_role("slider").input_value() == "12.5"
    page.get_by_label("Search for what applies").fill("film 29")
    person.press("Add film 29")
    person.press("Remove film 29")
    person.check()
    person.press("Send my report")
    person.state("sent")
    assert f"{HOSTILE}: 12.5" in page.locator(".compare").inner_text()
    person.check()


def test_ratings_do_not_disturb_each_other(people: Any, server: ServeProcess) -> None:
    """Keys are added and removed; every key keeps its own stars."""
    task = add_task(server, name="stars", keys=[f"film {number}" for number in range(100)])
    person = people()
    person.go(f"/join/{task.id}")
    rated = person.page.get_by_role("list", name="Answers").get_by_role("group")

    def rate(key: str, value: int) -> None:
        person.page.get_by_label("Search for what applies").fill(key)
        person.press(f"Add {key}")
        rated.filter(has_text=key).get_by_role("radio", name=str(value)).check()

    rate("film 11", 1)
    rate("film 22", 2)
    person.press("Remove film 11")
    rate("film 33", 3)
    assert [box.input_value() for box in person.page.locator("input:checked").all()] == ["2", "3"]
    person.press("Send my report")
    person.state("sent")
    entered = person.page.locator(".compare > div").first.locator("li").all_inner_texts()
    assert entered == ["film 22: 2", "film 33: 3"]


def test_the_page_on_a_phone_with_a_dark_theme(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="dark", keys=KEYS, closes="2099-01-01")
    person = people(PHONE, color_scheme="dark")
    person.go(f"/join/{task.id}")
    person.page.get_by_role("button", name="Send my report").wait_for()
    assert "2099-01-01" in person.page.locator("main").inner_text()
    check_odds(task, person.page.locator("#odds").inner_text())
    person.check()
    operator = people(PHONE, color_scheme="dark")
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    operator.page.locator(".chart svg").wait_for()
    operator.check()
    operator.go("/#/new")
    operator.page.get_by_label("Keys, one per line").fill("a\nb")
    operator.page.get_by_label("Pairs per person: typical").fill("1")
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
    check_odds(task, page.locator("#odds").inner_text())
    chosen = page.locator("#chosen")
    assert chosen.inner_text() == "0 of 2 chosen."
    for star in stars[:2]:
        star.check()
    assert chosen.inner_text() == "2 of 2 chosen. To choose another, remove one first."
    assert [star.is_enabled() for star in stars] == [True, True, False, False]
    person.check()
    person.press(f"Remove {KEYS[0]}")
    assert [star.is_enabled() for star in stars] == [True] * 4
    stars[3].check()
    person.press("Send my report")
    person.state("sent")
    entered = page.locator(".compare > div").first.inner_text()
    assert [key in entered for key in KEYS] == [False, True, False, True]


def test_the_lines_for_apps_come_with_the_limit_of_the_task(people: Any, server: ServeProcess) -> None:
    operator = people()
    operator.sign_in()
    for more, words in (("refuse", "at most 2 where they enter"), ("sample", "Pass all pairs")):
        task = add_task(server, name=f"lines {more}", padding=2, more=more)
        operator.go(f"/#/tasks/{task.id}")
        operator.page.get_by_role("heading", name=task.name).wait_for()
        operator.page.get_by_role("region", name="Take part").get_by_text(words).wait_for()


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "searched"])
def test_a_value_out_of_range_counts_as_chosen(people: Any, server: ServeProcess, listed: bool) -> None:
    keys = [f"film {number}" for number in range(5 if listed else 50)]
    task = add_task(
        server, name=f"choose one of {len(keys)}", keys=keys, values=(0, 100), padding=1, more="refuse"
    )
    person = people()
    person.go(f"/join/{task.id}")
    page = person.page
    search = page.get_by_label("Search for what applies")
    if not listed:
        search.fill("film 1")
        person.press("Add film 1")
    person.press("Give film 1 a value")
    page.get_by_role("spinbutton").fill("101")
    if listed:
        other = page.get_by_role("button", name="Give film 2 a value")
    else:
        search.fill("film 2")
        other = page.get_by_role("button", name="Add film 2", exact=True)
    other.wait_for()
    assert other.is_disabled()
    person.press("Remove film 1")
    assert other.is_enabled()
    other.click()
    assert page.locator("#chosen").inner_text().startswith("1 of 1 chosen.")


# What the browser's randomness gives in every byte, and what the report then is.
SIZE_IS_ANSWERED, PAIRS_ARE_REPORTED = 0, 0xC0


def with_randomness(person: Any, byte: int) -> None:
    person.context.add_init_script(f"crypto.getRandomValues = (data) => data.fill({byte});")


def test_a_report_that_tells_only_the_number_of_answers_says_so(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="how many", padding=2, size_share="0.5")
    question = task.size_question
    assert question is not None
    person = people(PHONE)
    with_randomness(person, SIZE_IS_ANSWERED)
    shown = answer(person, task.id, {"Alien": 1, "Heat": 2, HOSTILE: 3})
    page = person.page
    assert task.message_format.decode(bytes.fromhex(shown)) == (task.channel.word_limit or 0) + 1
    leaves = page.locator(".leaves").inner_text()
    assert "It claims that their number is about 3." in leaves
    assert "and not which" in leaves
    assert "Alien" not in leaves
    chances = [100 * float(chance) for chance in (question.true_chance, question.other_chance)]
    assert chances_in(leaves) == pytest.approx(chances, rel=0.005)
    check_odds(task, page.locator("#odds").inner_text())
    sizes = page.locator("#sizes").inner_text()
    assert "(at most 2, about 3 or about 4)" in sizes
    assert chances_in(sizes) == pytest.approx([50, *chances], rel=0.005)
    person.check()
    assert count(server, task.id) == 1


def test_more_answers_than_the_padding_are_explained(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="which of them", padding=2, size_share="0.5")
    person = people()
    with_randomness(person, PAIRS_ARE_REPORTED)
    answer(person, task.id, {"Alien": 1, "Heat": 2, HOSTILE: 3})
    leaves = person.page.locator(".leaves").inner_text()
    assert "made from at most 2 of your 3 answers" in leaves
    assert "how many" not in leaves
    another = people()
    another.go(f"/join/{task.id}")
    instruction = another.page.locator("#instruction")
    instruction.wait_for()
    assert "If there are more than 2, this device picks 2 of them at random" in instruction.inner_text()


@pytest.mark.parametrize(
    ("days", "message"),
    [({"closes": "2020-01-01"}, "This survey is over"), ({"opens": "2099-01-01"}, "opens on 2099-01-01")],
)
def test_no_report_is_created_outside_the_days_of_a_task(
    people: Any, server: ServeProcess, days: dict[str, str], message: str
) -> None:
    task = add_task(server, name=f"days {message}", **days)
    person = people()
    person.go(f"/join/{task.id}")
    person.page.get_by_role("status").get_by_text(message).first.wait_for()
    assert person.page.get_by_role("button").count() == 0


def test_an_unknown_task_is_an_alert(people: Any) -> None:
    person = people()
    person.go("/join/" + "A" * 43)
    person.page.get_by_role("alert").wait_for()
    person.problems = [problem for problem in person.problems if "404" not in problem]


def test_the_example_depends_on_nobodys_answers(people: Any, server: ServeProcess) -> None:
    """It is drawn before anything is entered, is not sent, and goes when the report is made."""
    task = add_task(server, name="example", padding=2)
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page, example = person.page, person.page.locator("#example")
    page.get_by_text("What a report looks like").click()
    example.locator(".leaves").wait_for()
    assert "nothing to do with you or your answers" in example.inner_text()
    assert [f"{key}: " in example.inner_text() for key in KEYS[:2]] == [True, True]
    drawn = example.locator(".body").inner_text()
    before = example.inner_text()
    page.get_by_role("group", name="Heat").get_by_role("radio", name="5").check()
    assert example.inner_text() == before
    person.check()
    person.press("Send my report")
    person.state("sent")
    assert example.count() == 0
    # The two bodies may be equal by chance, the random numbers in front of them not.
    number = page.locator(".leaves code").first.inner_text()
    assert (number in before, drawn in before) == (False, True)
    assert "Nothing is perturbed again" in page.get_by_role("region", name="Your report").inner_text()
    assert (count(server, task.id), len(person.sent)) == (1, 1)


def test_the_page_states_what_was_spent_and_the_cap(people: Any, server: ServeProcess) -> None:
    tasks = [add_task(server, name=f"spending {epsilon}", epsilon=epsilon) for epsilon in (6, 3, 4)]
    person = people()
    budget = person.page.locator("#budget")
    for task, spent in zip(tasks, ("0", "6"), strict=False):
        person.go(f"/join/{task.id}")
        person.page.get_by_role("button", name="Send my report").wait_for()
        assert f"at most ε = 10 on this device; ε = {spent} is spent so far" in budget.inner_text()
        person.press("Send my report")
        person.state("sent")
    person.go(f"/join/{tasks[2].id}")
    alert = person.page.get_by_role("alert")
    alert.wait_for()
    assert "ε = 4 on top of 9 is over the cap of 10 in all" in alert.inner_text()
    assert "ε = 9 is spent so far" in budget.inner_text()
    assert person.page.get_by_role("button").count() == 0
    person.check()


def test_a_survey_under_another_id_is_not_answered_again(people: Any, server: ServeProcess) -> None:
    first = add_task(server, name="weekly", closes="2099-01-01")
    again = add_task(server, name="Weekly ", closes="2099-01-08")
    person = people(PHONE)
    person.go(f"/join/{again.id}")
    button = person.page.get_by_role("button", name="Send my report")
    button.wait_for()
    other = person.context.new_page()
    other.goto(f"{person.origin}/join/{first.id}")
    other.get_by_role("button", name="Send my report").click()
    other.locator("[data-state=sent]").wait_for()
    # Also where the form was opened before.
    for _ in range(2):
        if button.count():
            button.click()
        person.page.get_by_role("alert").get_by_text("has answered this survey before").wait_for()
        person.check()
        person.page.reload()
    assert (count(server, first.id), count(server, again.id)) == (1, 0)


def test_a_page_that_was_open_when_the_task_closed_sends_nothing(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="closes soon", closes="2099-01-01")
    person = people()
    fill_in(person, task.id, {"Alien": 1})
    person.page.clock.set_fixed_time("2099-01-01T00:00:01Z")
    person.press("Send my report")
    person.page.get_by_role("alert").get_by_text("closed on 2099-01-01; nothing was perturbed").wait_for()
    assert person.sent == []
