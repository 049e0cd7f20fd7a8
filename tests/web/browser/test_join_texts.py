"""What the operator wrote on the participant's page: in the browser's language, by its organisation, and undisguised."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from support.people import PHONE, add_task, ask, sent_bodies, shown_body
from support.serving import ServeProcess

GERMAN = {
    "name": "Mängel",
    "question": "Was ist in Ihrer Wohnung kaputt?",
    "consent": "Mein Bericht zählt.",
    "keys": ["Schimmel", "Lärm"],
}
ABOUT = {"question": "What is broken in your flat?", "description": "For our meeting."} | {
    "translations": {"de": GERMAN, "fr": {"question": "Qu'est-ce qui ne va pas ?"}}
}
# A character that turns the direction of writing.
OVERRIDE = "\u202e"


@pytest.mark.parametrize(
    ("locale", "page_language", "question", "keys"),
    [
        ("de-CH", "de", GERMAN["question"], GERMAN["keys"]),
        ("en-US", "en", ABOUT["question"], ["mould", "noise"]),
        # The page has no French, the operator's texts have.
        ("fr-FR", "en", "Qu'est-ce qui ne va pas ?", ["mould", "noise"]),
    ],
)
def test_texts_come_in_the_language_of_the_browser(
    people: Any, server: ServeProcess, locale: str, page_language: str, question: str, keys: list[str]
) -> None:
    members: dict[str, Any] = {"keys": ["mould", "noise"], "values": None, "padding": 2, "about": ABOUT}
    task = add_task(server, name=f"flats {locale}", mechanism="grr", epsilon=8, **members)
    person = people(PHONE, locale=locale)
    page = person.page
    person.go(f"/join/{task.id}")
    heading = page.locator("h1")
    heading.wait_for()
    assert heading.inner_text() == question
    assert page.locator("html").get_attribute("lang") == page_language
    assert heading.get_attribute("lang") == ("fr" if locale == "fr-FR" else None)
    # What a translation leaves out stands in the task's own language.
    description = page.locator("#description")
    assert (description.inner_text(), description.get_attribute("lang")) == (
        ABOUT["description"],
        None if page_language == "en" else "en",
    )
    boxes = page.locator(".tick .name")
    # In the order of the task.
    assert boxes.all_inner_texts() == keys
    page.get_by_role("checkbox", name=keys[0]).check()
    person.check()
    page.locator(".send button").click()
    person.state("sent")
    page.locator(".compare").wait_for()
    assert page.locator(".compare > div").first.locator("li").all_inner_texts() == keys[:1]
    # Reports name keys by their numbers: they are those of the task.
    assert sent_bodies(person) == [shown_body(person)]
    said = page.locator(".leaves li").all_inner_texts()
    assert set(said) <= set(keys)
    person.check()


def test_the_organisation_is_named_and_without_one_the_host(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="who asks")
    person = people(PHONE)
    page = person.page
    person.go(f"/join/{task.id}")
    page.get_by_text(f"Run by 127.0.0.1:{server.port}.").wait_for()
    assert "not even the organisation behind this survey" in page.locator("#sent-how").inner_text()
    png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    named = {"name": "Mieterverein \u202eNord <b> e. V.", "logo": png}
    try:
        ask(server, "PUT", "/organisation", json.dumps(named).encode(), "application/json")
        page.reload()
        # It ends with a full stop already.
        page.get_by_text("Run by Mieterverein \ufffdNord <b> e. V.", exact=True).wait_for()
        assert "not even Mieterverein" in page.locator("#sent-how").inner_text()
        assert page.locator("#run-by img").evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
        person.check()
        german = people(PHONE, locale="de-DE")
        german.go(f"/join/{task.id}")
        german.page.get_by_text("Durchgeführt von Mieterverein \ufffdNord <b> e. V.").wait_for()
        german.check()
    finally:
        nothing = json.dumps({"name": None, "logo": None}).encode()
        ask(server, "PUT", "/organisation", nothing, "application/json")


def test_direction_overrides_disguise_no_key(people: Any, server: ServeProcess) -> None:
    """What is read is what counts: characters that turn the direction are shown as such, to all who read them."""
    disguised = "mould \u202efdp.exe"
    arabic = "عفن"
    segment = {"name": "who \u202e?", "labels": ["some \u202e", "others"]}
    task = add_task(server, name="turned \u202e", keys=[disguised, arabic], values=None, padding=2, segment=segment)
    person = people(PHONE)
    page = person.page
    person.go(f"/join/{task.id}")
    page.locator(".tick").first.wait_for()
    assert page.locator(".tick .name").all_inner_texts() == ["mould \ufffdfdp.exe", arabic]
    assert page.locator("bdi.name").count() == 2
    assert OVERRIDE not in (page.locator("body").text_content() or "") + page.title()
    for box in page.locator(".tick input").all():
        box.check()
    page.get_by_label("some \ufffd").check()
    person.press("Send my answers")
    person.state("sent")
    page.locator(".compare").wait_for()
    assert OVERRIDE not in page.locator("main").inner_text()
    person.check()
    ask(server, "PATCH", f"/tasks/{task.id}", b'{"public_results": true}', "application/json")
    person.sign_in()
    for path, place in (
        ("/#/", "tbody a"),
        (f"/#/tasks/{task.id}", ".segments td"),
        (f"/#/tasks/{task.id}/keys/{quote(disguised)}", ".levels td"),
        (f"/results/{task.id}", ".within td"),
    ):
        person.go(path)
        page.locator(place).first.wait_for()
        page.locator("main", has_text="\ufffd").wait_for()
        assert OVERRIDE not in page.locator("body").inner_html() + page.title()
