"""The participant's page of a repeated survey: one link for all rounds, without an app."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pckv
from pckv.base.days import days_after, utc_today
from support.browser import SET_CLOCK
from support.people import HOSTILE, KEYS, PHONE, VALUES, Person, ask
from support.serving import ServeProcess

PERIOD = 7


def add_series(server: ServeProcess, name: str, **members: Any) -> pckv.Series:
    """Add a series whose first round opened today, unless said otherwise."""
    task = pckv.Task(name=name, keys=KEYS, values=VALUES, epsilon=1)
    given: dict[str, Any] = {"first": utc_today(), "period": PERIOD, "panels": 1} | members
    series = pckv.Series(task=task, **given)
    ask(server, "POST", "/series", content=series.to_json().encode(), media="application/json")
    return series


def in_words(day: str) -> str:
    return f"{date.fromisoformat(day):%B %-d, %Y}"


def rate(person: Person, key: str) -> None:
    person.page.get_by_role("group", name=key).get_by_role("radio", name="4").check()


def unfolded(calendar: str) -> list[str]:
    """Return the lines of a calendar, each whole."""
    lines = calendar.split("\r\n")
    assert lines.pop() == ""
    assert all(len(line.encode()) <= 75 for line in lines)
    return "\n".join(lines).replace("\n ", "").split("\n")


def download(person: Person, name: str) -> list[str]:
    with person.page.expect_download() as waiting:
        person.press(name)
    return unfolded(Path(waiting.value.path()).read_bytes().decode())


def test_a_round_is_answered_once_and_the_next_one_is_told(people: Any, server: ServeProcess) -> None:
    series = add_series(server, f"weekly, films; {HOSTILE} Café am Ring")
    person = people(PHONE)
    page = person.page
    person.go(f"/join/{series.id}")
    assert "A round takes 7 days" in page.locator("#repeats").inner_text()
    rate(person, "Alien")
    page.locator("#how > summary").click()
    page.locator("#example > summary").click()
    page.locator("#example .leaves").wait_for()
    person.check()
    person.press("Send my answers")
    person.state("sent")
    assert "Alien: 4" in page.locator(".compare").inner_text()
    # The first day after this round is the first one of the next.
    second = series.opens(2)
    assert in_words(second) in page.locator("#next-turn").inner_text()
    lines = download(person, "Put my next turns in a calendar")
    starts = [line.rpartition(":")[2] for line in lines if line.startswith("DTSTART;VALUE=DATE:")]
    # A report of ε = 1 was made, of 10 in all.
    assert starts == [series.opens(number).replace("-", "") for number in range(2, 11)]
    assert f"DTEND;VALUE=DATE:{str(days_after(second, 1)).replace('-', '')}" in lines
    assert lines.count(f"UID:{series.id}-2@127.0.0.1:{server.port}") == 1
    # Others may read the calendar.
    assert f"SUMMARY:Take part in a survey (127.0.0.1:{server.port})" in lines
    assert "films" not in str(lines)
    assert "answer each round only once" in page.locator("#forgetful").inner_text()
    assert re.fullmatch(r"DTSTAMP:\d{8}T\d{6}Z", lines[5])
    person.check()
    # It remembers.
    page.reload()
    person.state("sent")
    assert "was already answered on this device" in page.locator(".panel").inner_text()
    assert "Another person" not in page.locator(".panel").inner_text()
    assert page.locator("#next-turn button").count() == 1
    [listed] = [one for one in ask(server, "GET", "/series").json()["series"] if one["id"] == series.id]
    assert (listed["last_round"]["reports"], len(person.sent)) == (1, 1)
    # Once the survey is closed as a whole, there is no next turn.
    ask(server, "POST", f"/series/{series.id}/close")
    page.reload()
    person.state("sent")
    assert page.locator("#next-turn").inner_text() == "This survey has ended. No further round opens."
    ask(server, "POST", f"/series/{series.id}/reopen")
    # The link of the round itself leads to the survey.
    another = people()
    another.go(f"/join/{series.task_of(1).id}")
    another.press("Open the repeated survey", "link")
    another.page.locator("#repeats").wait_for()
    # A round that was closed by itself says when the next one begins.
    ask(server, "POST", f"/tasks/{series.task_of(1).id}/close")
    another.page.reload()
    another.state("round_closed")
    assert f"Your next turn is on {in_words(second)} (world time, UTC)." in another.page.locator(".panel").inner_text()
    assert another.page.locator(".calendar").count() == 1
    another.check()
    another.forgive("403")


def test_a_device_whose_turn_comes_later_is_told_when(people: Any, server: ServeProcess) -> None:
    first = days_after(utc_today(), 3)
    series = add_series(server, "from next week", first=first, panels=2, rounds=3)
    person = people(PHONE, locale="de-DE")
    page = person.page
    person.go(f"/join/{series.id}")
    person.state("not_due")
    assert "nur in einer von 2 Runden" in page.locator(".panel").inner_text()
    assert page.locator("form").count() == 0
    starts = {
        line for line in download(person, "Meine Termine in den Kalender eintragen") if line.startswith("DTSTART")
    }
    of_panels = [{series.opens(1), series.opens(3)}, {series.opens(2)}]
    assert starts in [{f"DTSTART;VALUE=DATE:{day.replace('-', '')}" for day in days} for days in of_panels]
    person.check()
    # The panel is drawn once.
    shown = page.locator(".panel").inner_text()
    page.reload()
    person.state("not_due")
    assert page.locator(".panel").inner_text() == shown
    # Where every device is asked in every round, it is not about turns.
    person.go(f"/join/{add_series(server, 'all from next week', first=first).id}")
    person.state("not_due")
    assert page.locator(".panel h2").inner_text() == "Diese Umfrage hat noch nicht begonnen"
    assert (person.sent, person.asked) == ([], [])
    ask(server, "POST", f"/series/{series.id}/close")
    person.go(f"/join/{series.id}")
    person.state("closed")
    assert page.locator(".calendar").count() == 0


def test_a_round_that_ended_while_the_page_was_open_takes_nothing(people: Any, server: ServeProcess) -> None:
    series = add_series(server, "ends meanwhile", rounds=1)
    person = people()
    person.go(f"/join/{series.id}")
    rate(person, "Heat")
    person.page.evaluate(SET_CLOCK, f"{series.closes(1)}T00:00:01Z")
    person.press("Send my answers")
    # The page is loaded again, by the true clock.
    person.page.locator("#chosen", has_text="Nothing chosen yet").wait_for()
    assert person.sent == []
    ask(server, "POST", f"/series/{series.id}/close")
    person.go(f"/join/{series.id}")
    person.state("closed")
    person.check()
    person.forgive("403")
