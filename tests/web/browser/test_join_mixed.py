"""What the participant's page says about a mixed task: who mixes, what each party can learn, and under which condition."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from typing import Any

import pytest

from pckv import Task
from pckv.contract.mixer import Mixer
from support.mixed import MIXER
from support.people import DESK, HOSTILE, KEYS, PHONE, VALUES, Person, explanation, shown_body, spent

JSON = "application/json"
ANY_ORIGIN = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
LANGUAGES = ("en-US", "de-AT")
LOCAL = 5
# What a sentence with the central ε names besides, and one with that of a report.
CONDITIONS = {
    "en-US": ("If Example Foundation follows the protocol and at least 7,500 of the reports are honest", "noise"),
    "de-AT": (
        "Hält sich Example Foundation an das Protokoll und sind mindestens 7.500 der Berichte ehrlich",
        "Rauschen",
    ),
}
NO_X25519 = """
const generate = SubtleCrypto.prototype.generateKey;
SubtleCrypto.prototype.generateKey = function (algorithm, ...rest) {
    if (algorithm === "X25519") throw new DOMException("Unrecognized name.", "NotSupportedError");
    return generate.call(this, algorithm, ...rest);
};
"""


def mixed_task(name: str, mixer: Mixer = MIXER) -> Task:
    members: dict[str, Any] = {"epsilon": LOCAL, "mechanism": "grr", "padding": 1, "size_share": 0, "more": "refuse"}
    return Task(name=name, keys=KEYS, values=VALUES, mixer=mixer, closes="2099-01-01", **members)


def open_page(person: Person, task: Task, invitation: str = "", problem: str = "") -> None:
    """Open the page of a task, and answer in its mixer's place: it would take a report unless there is a problem."""
    page = person.page
    refusal = response(404, "application/problem+json", json.dumps({"type": problem}))
    admitted = refusal if problem else response(200, JSON, '{"coin":null}')
    accepted = refusal if problem else response(200, JSON, task.to_json())
    page.route("**/admission", lambda route: route.fulfill(**admitted, headers=ANY_ORIGIN))
    page.route(f"**/tasks/{task.id}", lambda route: route.fulfill(**accepted, headers=ANY_ORIGIN))
    # A page with the task in it, for which no collector has to fetch the batch afterwards.
    page.route(f"**/join/{task.id}", lambda route: route.fulfill(**page_with(route.fetch(), task)))
    person.go(f"/join/{task.id}{invitation and f'#invitation={invitation}'}")


def response(status: int, content_type: str, body: str) -> dict[str, Any]:
    return {"status": status, "content_type": content_type, "body": body}


def page_with(answer: Any, task: Task) -> dict[str, Any]:
    meta = f'<meta name="task" content="{escape(task.to_json())}"><meta name="epsilon-of-few" content="2.5">'
    return response(200, "text/html; charset=utf-8", answer.text().replace("</head>", f"{meta}</head>"))


def texts(person: Person, selector: str) -> list[str]:
    return [str(element.text_content()) for element in person.page.locator(selector).all()]


@pytest.mark.parametrize("invited", [False, True], ids=["open", "invited"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_epsilon_has_its_condition(people: Any, language: str, invited: bool) -> None:
    german = language == LANGUAGES[1]
    task = mixed_task(f"parties {language} {invited}")
    person = people(PHONE, locale=language, color_scheme="dark" if german else "light")
    open_page(person, task, "one" if invited else "")
    page = person.page
    page.locator(".send button").wait_for()
    [how] = texts(person, "#sent-how")
    assert MIXER.operator in how
    assert ("9.999" if german else "9,999") in how
    assert MIXER.operator in " ".join(texts(person, "#invited")) if invited else not texts(person, "#invited")
    page.locator("#how > summary").click()
    parties = texts(person, "#parties li")
    assert [(MIXER.operator in party, "mix.example" in party) for party in parties] == [
        (True, True), (True, False), (True, False), (True, False), (False, False),
    ]  # fmt: skip
    whole, local = CONDITIONS[language]
    central = [text for text in texts(person, ".privacy p, .privacy li") if re.search(r"ε = 1\b", text)]
    assert central == [party for party in parties if whole in party]
    assert [re.search(r"δ = 0[.,]0000005", text) is not None for text in central] == [True]
    assert all(local in text for text in texts(person, "#parties li, #honest") if f"(ε = {LOCAL})" in text)
    # It is told which case holds.
    [honest] = texts(person, "#honest")
    assert (
        ("Einladungen" if german else "invitations") in honest
        if invited
        else "jede Person" in honest or "anyone" in honest
    )
    # e^5 is 148.4, and rounded up.
    assert re.search(r" 149( times likelier|-mal so wahrscheinlich)\. [^.]*ε = 5", explanation(person, "factor"))
    [left] = re.findall(r"1[.,]875 [^.]+ 12[.,]2[^(]+\(ε = 2[.,]5, ([^)]+)\)", honest)
    assert "δ" in left
    page.locator("#example > summary").click()
    page.locator("#example .leaves").wait_for()
    assert texts(person, "#example .leaves h3") == [
        "Was auf dem Gerät versiegelt werden könnte" if german else "What could be sealed on their device"
    ]
    person.check(DESK)
    assert (spent(person), person.sent) == ("0", [])
    person.forgive(f"a request to {MIXER.url}")


def test_any_name_of_a_mixer_fits_a_phone_and_is_text(people: Any) -> None:
    mixer = replace(MIXER, operator=HOSTILE + "x" * 200, url=f"https://{'m' * 60}.{'i' * 60}.example")
    person = people(PHONE)
    open_page(person, mixed_task("long", mixer))
    person.page.locator("#how > summary").click()
    assert mixer.operator in str(person.page.locator("#parties li").first.text_content())
    person.check_width()
    person.forgive(f"a request to {mixer.url}")


def test_what_was_sealed_is_shown_after_it_was_sent(people: Any) -> None:
    task = mixed_task("sealed")
    person = people(PHONE)
    sent: list[Any] = []

    def take(route: Any) -> None:
        sent.append((route.request.url, route.request.post_data_buffer))
        route.fulfill(**response(200, JSON, '{"held":true}'), headers=ANY_ORIGIN)

    person.page.route("**/sealed", take)
    open_page(person, task)
    person.page.get_by_role("group", name="Alien").get_by_role("radio", name="4").check()
    person.press("Send my answers")
    person.state("sent")
    assert MIXER.operator in person.page.locator(".panel").inner_text()
    person.page.locator(".leaves").wait_for()
    [(url, sealed)] = sent
    assert url == f"{MIXER.url}/tasks/{task.id}/sealed"
    shown = bytes.fromhex(shown_body(person))
    assert len(sealed) == len(shown) + 48
    assert f"{len(sealed)} sealed bytes" in person.page.locator("#sealed").inner_text()
    assert texts(person, ".leaves h3") == ["What was sealed"]
    # There is no id, and what is shown is not what was sent.
    assert person.page.locator(".leaves code").count() == 1
    assert shown not in sealed
    [budget, *_] = texts(person, "#budget p")
    assert re.search(r"ε = 1 is spent so far, if .+ honest\..+ε = 5 is spent so far", budget)
    person.check(DESK)
    person.forgive(f"a request to {MIXER.url}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_browser_that_cannot_seal_is_told_before_anything_is_chosen(people: Any, language: str) -> None:
    person = people(PHONE, locale=language)
    person.alter(NO_X25519)
    open_page(person, mixed_task(f"seals {language}"))
    person.state("cannot_seal")
    assert "X25519" in person.page.locator(".panel").inner_text()
    assert person.page.locator("form").count() == 0
    person.check()
    assert (spent(person), person.sent) == ("0", [])
    person.forgive(f"a request to {MIXER.url}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_task_that_its_mixer_did_not_accept_is_not_answered(people: Any, language: str) -> None:
    person = people(PHONE, locale=language)
    open_page(person, mixed_task(f"accepted {language}"), problem="urn:pckv:problem:unknown")
    person.state("not_accepted")
    assert MIXER.operator in person.page.locator(".panel").inner_text()
    assert person.page.locator("form").count() == 0
    person.check()
    person.forgive("Failed to load resource", f"a request to {MIXER.url}")
