"""What the participant's page says before, while and after a report is sent, in both languages."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pckv import Task
from pckv.base.days import utc_today
from pckv.contract.series import Series
from support.browser import INSECURE, wait_for
from support.people import (
    DESK,
    KEYS,
    PHONE,
    VALUES,
    Person,
    add_task,
    ask,
    count,
    fill_in,
    sent_bodies,
    shown_body,
    spent,
)
from support.serving import ServeProcess

LANGUAGES = ("en-US", "de-AT")
BREAK_STORAGE = """() => {
    const { open } = IDBFactory.prototype;
    window.mend = () => { IDBFactory.prototype.open = open; };
    IDBFactory.prototype.open = () => { throw new DOMException("broken storage", "UnknownError"); };
}"""
ABOUT = {
    "question": "How did you like them?",
    "description": "The library plans its film nights.\nYour answers decide.",
    "unit": "stars",
    "low_label": "awful",
    "high_label": "great",
    "eligibility": "Everybody who is 16 or older.",
    "consent": "My report is counted.",
    "contact": "films@library.example",
}
# The panels that follow from what the collector says, and a text of each in both languages.
REFUSALS = {
    "closed": ("This survey is closed", "Diese Umfrage ist geschlossen"),
    "deleted": ("This survey was deleted", "Diese Umfrage wurde gelöscht"),
    "invitation-unknown": ("This survey is by invitation", "nur auf Einladung"),
    "invitation-spent": ("This invitation was used before", "Diese Einladung wurde schon benutzt"),
    "full": ("This survey takes no answers now", "nimmt gerade keine Antworten an"),
}


def is_seen_with_its_error(page: Any) -> bool:
    """Return whether all of what an error is about stands above the footer that says it."""
    footer = page.locator(".footer").bounding_box()
    place = page.locator(":is(li, fieldset, .row, .agree):focus-within").last.bounding_box()
    return bool(place["y"] >= 0 and place["y"] + place["height"] <= footer["y"])


def without_refusals(person: Person) -> None:
    """Leave out what a browser logs about requests that are meant to fail."""
    person.forgive("Failed to load resource")


def check_page(person: Person, *, words_only: bool) -> None:
    """Check a page; its width alone where it differs from one that is checked in its words only."""
    if words_only:
        person.check_width()
    else:
        person.check()


def problem_of(kind: str) -> dict[str, Any]:
    body = json.dumps({"type": f"urn:pckv:problem:{kind}", "title": "", "status": 403})
    return {"status": 403, "content_type": "application/problem+json", "body": body}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_way_with_what_the_task_says(people: Any, server: ServeProcess, language: str) -> None:
    german = language == LANGUAGES[1]
    task = add_task(server, name=f"about {language}", about=ABOUT, more="refuse", padding=2)
    person = people(PHONE, locale=language, color_scheme="dark" if german else "light")
    fill_in(person, task.id, {"Alien": 4})
    page = person.page
    assert page.locator("h1").inner_text() == ABOUT["question"]
    assert page.locator("html").get_attribute("lang") == language[:2]
    assert page.locator("#description").inner_text() == ABOUT["description"]
    assert page.locator("#eligibility").inner_text().endswith(ABOUT["eligibility"])
    assert page.locator("#contact a").get_attribute("href") == f"mailto:{ABOUT['contact']}"
    assert "1 (awful)" in page.locator("#scale-note").inner_text()
    assert "5 (great)" in page.get_by_role("group", name="Heat").locator("legend").text_content()
    assert page.locator(".labels").first.inner_text().split() == ["awful", "great"]
    assert page.locator("#chosen").inner_text() == ("1 von 2 gewählt" if german else "1 of 2 chosen")
    page.locator("#how > summary").click()
    page.locator("#example > summary").click()
    page.locator("#example .leaves").wait_for()
    person.check()
    send = page.locator(".send button")
    send.click()
    page.get_by_role("alert").get_by_text("Ich stimme zu" if german else "I agree").wait_for()
    assert page.evaluate("document.activeElement.type") == "checkbox"
    assert is_seen_with_its_error(page)
    assert person.sent == []
    person.check()
    page.locator("#consent input").check()
    held: list[Any] = []
    page.route("**/reports", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    send.click()
    page.locator(".progress", has_text="Wird gesendet" if german else "Sending").wait_for()
    assert (send.is_disabled(), page.locator("#consent input").is_visible()) == (True, True)
    person.check()
    wait_for(page, lambda: bool(held))
    held.pop().continue_()
    person.state("sent")
    assert ("Vielen Dank" if german else "Thank you") in page.locator(".panel").inner_text()
    assert "Alien: 4 stars" in page.locator(".compare").inner_text()
    assert page.get_by_role("button").count() == 0
    assert page.locator("form, #consent, #description").count() == 0
    person.check()
    assert count(server, task.id) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_cannot_take_part_is_told_at_once(people: Any, server: ServeProcess, language: str) -> None:
    german = language == LANGUAGES[1]
    task = add_task(server, name=f"refusals {language}", about=ABOUT)
    person = people(DESK if german else PHONE, locale=language)
    page = person.page
    said: list[str] = []
    page.route("**/admission", lambda route: route.fulfill(**problem_of(said[-1])))
    for kind, titles in REFUSALS.items():
        said.append(kind)
        person.go(f"/join/{task.id}")
        page.locator(".panel h2", has_text=titles[german]).wait_for()
        assert page.locator("form, button").count() == 0
        assert page.locator("#contact").count() == 1
        check_page(person, words_only=german or len(said) > 1)
    assert (spent(person), person.sent) == ("0", [])
    days = (
        ({"closes": "2020-01-01"}, ("ended", "December 31, 2019", "31. Dezember 2019")),
        ({"opens": "2099-03-01"}, ("not_open", "March 1, 2099", "1. März 2099")),
    )
    for members, (state, *texts) in days:
        person.go(f"/join/{add_task(server, name=f'{state} {language}', **members).id}")
        person.state(state)
        assert texts[german] in page.locator(".panel").inner_text()
        assert page.get_by_role("button").count() == 0
        check_page(person, words_only=german)
    person.go(f"/join/{add_round(server, f'round {language}').id}")
    person.state("series")
    assert ("wiederholten Umfrage" if german else "repeated survey") in page.locator(".panel").inner_text()
    assert page.locator("form, button").count() == 0
    check_page(person, words_only=german)
    without_refusals(person)


def add_round(server: ServeProcess, name: str) -> Task:
    """Add a series that starts today; return the task of its first round."""
    task = Task(name=name, keys=KEYS, values=VALUES, epsilon=1)
    series = Series(task=task, first=utc_today(), period=7, panels=2)
    ask(server, "POST", "/series", content=series.to_json().encode(), media="application/json")
    return series.task_of(1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_that_lead_nowhere_and_a_collector_that_is_gone(people: Any, server: ServeProcess, language: str) -> None:
    german = language == LANGUAGES[1]
    person = people(locale=language)
    for path in ("/join/" + "A" * 43, "/join/mistyped"):
        person.go(path)
        person.state("unknown")
        check_page(person, words_only=german)
    # A task that is too large to come with the page.
    task = add_task(server, name=f"gone {language}", keys=[f"{number:0250}" for number in range(100)])
    person.page.route(f"**/tasks/{task.id}", lambda route: route.abort())
    person.go(f"/join/{task.id}")
    person.state("unreachable")
    check_page(person, words_only=german)
    person.page.unroute(f"**/tasks/{task.id}")
    person.page.locator(".panel button").click()
    person.page.locator(".send button").wait_for()
    without_refusals(person)


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_that_cannot_protect_or_remember_say_so(people: Any, server: ServeProcess, language: str) -> None:
    task = add_task(server, name=f"where {language}")
    german = language == LANGUAGES[1]
    insecure = people(PHONE, locale=language)
    insecure.page.goto(f"http://{INSECURE}:{server.port}/join/{task.id}")
    insecure.state("no_crypto")
    assert (" „https“ " if german else " “https”") in insecure.page.locator(".panel").inner_text()
    check_page(insecure, words_only=german)
    insecure.forgive(INSECURE)
    blocked = people(PHONE, locale=language)
    denied = "throw new DOMException('denied', 'SecurityError')"
    blocked.alter(f"IDBFactory.prototype.open = () => {{ {denied}; }};")
    blocked.go(f"/join/{task.id}")
    blocked.state("storage")
    assert ("nicht privat" if german else "not private") in blocked.page.locator(".panel").inner_text()
    check_page(blocked, words_only=german)


def test_sending_says_that_it_still_tries_and_sends_the_same_bytes(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="slowly")
    person = people(PHONE)
    page = person.page
    # What waits 5 seconds waits shorter here.
    page.route(re.compile(r"/join-page\.js$"), _soon)
    held: list[Any] = []
    fill_in(person, task.id, {"Alien": 1})
    page.route("**/reports", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    person.press("Send my answers")
    page.locator(".progress", has_text="Still trying to reach").wait_for()
    assert page.get_by_role("button", name="Send my answers").is_disabled()
    # The client tries twice.
    for _ in range(2):
        wait_for(page, lambda: bool(held))
        held.pop().abort()
    person.state("waiting")
    assert "nothing is spent twice" in page.locator(".panel").inner_text()
    person.check()
    page.unroute("**/reports")
    person.press("Try now")
    person.state("sent")
    assert set(sent_bodies(person)) == {shown_body(person)}
    assert (len(person.sent), count(server, task.id)) == (3, 1)
    without_refusals(person)


def _soon(route: Any) -> None:
    _with(route, "STILL_SECONDS = 5", "STILL_SECONDS = 0.1")


def _with(route: Any, text: str, other: str) -> None:
    """Give a script with another text in it."""
    response = route.fetch()
    route.fulfill(response=response, body=response.text().replace(text, other))


def test_two_tabs_agree(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="two tabs")
    person = people()
    fill_in(person, task.id, {"Alien": 1})
    other = person.context.new_page()
    other.goto(f"{person.origin}/join/{task.id}")
    other.get_by_role("group", name="Heat").get_by_role("radio", name="5").check()
    person.press("Send my answers")
    person.state("sent")
    other.locator("[data-state=sent]").wait_for()
    assert other.get_by_role("button").count() == 0
    assert "was already answered on this device" in other.locator(".panel").inner_text()
    assert other.locator(".body").text_content() == shown_body(person)
    assert (len(person.sent), count(server, task.id)) == (1, 1)


def test_names_are_the_heading_where_there_is_no_question(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="only a name", keys=KEYS, values=(-5, 4), epsilon=5)
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page = person.page
    page.get_by_role("group", name="Heat").get_by_role("radio", name="−5").check()
    assert page.locator("h1").inner_text() == "only a name"
    assert page.locator("#consent, #contact, #eligibility, #description, .labels").count() == 0
    # Ten steps are buttons, which fit on a phone; and weak protection is said at once.
    assert page.get_by_role("group", name="Heat").get_by_role("radio").count() == 10
    assert "protection is weak" in page.locator(".privacy .note").inner_text()
    person.check()


def test_a_report_that_waits_is_sent_again_by_itself(people: Any, server: ServeProcess) -> None:
    """After pauses that grow, and the page says when; what did not change is not announced again."""
    task = add_task(server, name="by itself")
    person = people(PHONE)
    page = person.page
    # A pause of a second, and then of two.
    page.route(re.compile(r"/waiting\.js$"), lambda route: _with(route, "FIRST_PAUSE = 5", "FIRST_PAUSE = 1"))
    fill_in(person, task.id, {"Alien": 1})
    page.route("**/reports", lambda route: route.abort())
    person.press("Send my answers")
    person.state("waiting")
    following = page.locator("#next-try")
    following.get_by_text("It tries again in 1 second.").wait_for()
    page.get_by_role("button", name="Try now").focus()
    page.evaluate("document.getElementById('status').textContent = ''")
    following.get_by_text("It tries again in 2 seconds.").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Try now"
    assert page.locator("#status").text_content() == ""
    person.check()
    # Storage that fails does not end it: the next try is shown.
    with page.expect_console_message(lambda message: "broken storage" in message.text):
        page.evaluate(BREAK_STORAGE)
    following.get_by_text("It tries again in").wait_for()
    page.evaluate("mend()")
    person.forgive("broken storage")
    page.unroute("**/reports")
    person.state("sent")
    assert following.count() == 0
    assert len(set(sent_bodies(person))) == 1
    assert count(server, task.id) == 1
    without_refusals(person)


def test_nothing_is_sent_by_accident(people: Any, server: ServeProcess) -> None:
    """Something is chosen, or it is said that nothing applies; each takes the other back."""
    task = add_task(server, name="nothing applies", other="else")
    person = people(PHONE, locale="de-DE")
    page = person.page
    person.go(f"/join/{task.id}")
    none, send = page.get_by_label("Nichts davon trifft auf mich zu"), page.locator(".send button")
    none.wait_for()
    assert (send.is_disabled(), none.is_checked()) == (True, False)
    star = page.get_by_role("group", name="Heat").get_by_role("radio", name="2")
    star.check()
    page.locator("#own-key").fill("Solaris")
    assert send.is_enabled()
    send.click()
    alert = page.get_by_role("alert").get_by_text("„Solaris“ ist geschrieben")
    alert.wait_for()
    assert is_seen_with_its_error(page)
    # What was said goes once it is done.
    person.press("Hinzufügen")
    assert alert.count() == 0
    send.click()
    page.get_by_role("alert").get_by_text("Bitte geben Sie bei „Solaris“ einen Wert").wait_for()
    assert is_seen_with_its_error(page)
    none.check()
    assert (star.is_checked(), page.locator(".own li").count(), send.is_enabled()) == (False, 0, True)
    star.check()
    assert (none.is_checked(), send.is_enabled()) == (False, True)
    person.press("Heat entfernen")
    assert send.is_disabled()
    none.check()
    person.check()
    send.click()
    person.state("sent")
    assert "Nichts davon. Ein Bericht entsteht trotzdem" in page.locator(".compare").inner_text()
    assert count(server, task.id) == 1
