"""The participant's page in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from support.people import (
    HOSTILE,
    KEYS,
    PHONE,
    add_task,
    answer,
    ask,
    check_odds,
    count,
)
from support.serving import ServeProcess


def test_a_report_by_keyboard_alone(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="by keyboard", keys=["Alien", "Heat"])
    person = people()
    person.go(f"/join/{task.id}")
    person.page.get_by_role("button", name="Make my report").wait_for()
    keys = person.page.keyboard
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowRight")
    assert person.page.locator("input:checked").get_attribute("value") == "2"
    for _ in range(10):
        keys.press("Tab")
        if person.page.evaluate("document.activeElement.textContent") == "Make my report":
            break
    keys.press("Enter")
    person.state("prepared")
    assert person.page.evaluate("document.activeElement.textContent") == "Look before you send"
    keys.press("Tab")
    keys.press("Enter")
    person.state("sent")
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
    person.press("Make my report")
    page.get_by_text("Choose a value for").wait_for()
    person.press(f"Give {HOSTILE} a value")
    page.get_by_role("spinbutton").fill("101")
    person.press("Make my report")
    page.get_by_text("Choose a value for").wait_for()
    page.get_by_role("spinbutton").fill("12.5")
    assert page.get_by_role("slider").input_value() == "12.5"
    page.get_by_label("Search for what applies").fill("film 29")
    person.press("Add film 29")
    person.press("Remove film 29")
    person.check()
    person.press("Make my report")
    person.state("prepared")
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
    person.press("Make my report")
    person.state("prepared")
    entered = person.page.locator(".compare > div").first.locator("li").all_inner_texts()
    assert entered == ["film 22: 2", "film 33: 3"]


def test_the_page_on_a_phone_with_a_dark_theme(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="dark", keys=KEYS, closes="2099-01-01")
    person = people(PHONE, color_scheme="dark")
    person.go(f"/join/{task.id}")
    person.page.get_by_role("button", name="Make my report").wait_for()
    assert "2099-01-01" in person.page.locator("main").inner_text()
    check_odds(task, person.page.locator("#odds").inner_text())
    person.check()
    operator = people(PHONE, color_scheme="dark")
    operator.sign_in()
    operator.go(f"/#/tasks/{task.id}")
    operator.page.locator(".chart svg").nth(1).wait_for()
    operator.check()
    operator.go("/#/new")
    operator.page.get_by_label("Keys, one per line").fill("a\nb")
    operator.page.locator(".chart svg").nth(1).wait_for()
    operator.check()


def test_a_pilot_states_its_question_and_excludes_its_main_task(people: Any, server: ServeProcess) -> None:
    survey = {"name": "pilot first", "keys": KEYS}
    pilot = add_task(server, **survey, kind="sizes", padding=4)
    person = people(PHONE)
    person.go(f"/join/{pilot.id}")
    page = person.page
    page.get_by_role("button", name="Make my report").wait_for()
    assert "how many of 4 things apply to you" in page.locator("#pilot").inner_text()
    assert "4 ranges: 0, 1, 2, 3+." in page.locator("#odds").inner_text()
    check_odds(pilot, page.locator("#odds").inner_text(), held_first=True)
    for key in ("Alien", HOSTILE, "Heat"):
        page.get_by_role("checkbox", name=key).check()
    page.get_by_role("checkbox", name="Heat").uncheck()
    person.check()
    person.press("Make my report")
    person.state("prepared")
    entered, leaves = (panel.inner_text() for panel in page.locator(".compare > div").all())
    assert re.findall(r"2 of them|Alien|Heat|<script>", entered) == ["2 of them", "Alien", "<script>"]
    bucket = bytes.fromhex(page.locator("#body").inner_text())[0]
    assert f"It claims that {['0', '1', '2', '3+'][bucket]} of them apply to you." in leaves
    assert "Alien" not in leaves
    assert person.sent == []
    person.check()
    person.press("Send this report")
    person.state("sent")
    assert count(server, pilot.id) == 1
    main_task = add_task(server, **survey)
    person.go(f"/join/{main_task.id}")
    person.press("Make my report")
    page.get_by_role("alert", name="").get_by_text("has taken part in the pilot").wait_for()
    assert page.get_by_role("button").count() == 0
    assert (len(person.sent), count(server, main_task.id)) == (1, 0)


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


def test_an_invitation_comes_with_the_link(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="by invitation")
    [invitation] = ask(server, "POST", f"/tasks/{task.id}/invitations").json()["invitations"]
    invited, stranger = people(), people()
    for person, fragment, state in (
        (stranger, "", "refused"),
        (invited, f"#invitation={invitation}", "sent"),
    ):
        person.go(f"/join/{task.id}{fragment}")
        person.press("Make my report")
        person.state("prepared")
        person.press("Send this report")
        person.state(state)
    assert count(server, task.id) == 1


def test_an_unknown_task_is_an_alert(people: Any) -> None:
    person = people()
    person.go("/join/" + "A" * 43)
    person.page.get_by_role("alert").wait_for()
    person.problems = [problem for problem in person.problems if "404" not in problem]


def test_a_task_closed_early_refuses_and_says_so(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="closed early")
    person = people()
    answer(person, task.id, {"Alien": 1})
    ask(server, "POST", f"/tasks/{task.id}/close")
    person.press("Send this report")
    person.state("refused")
    assert "closed" in person.page.locator("main").inner_text()
    person.problems = [problem for problem in person.problems if "403" not in problem]
