"""Words that are explained where they stand, and the pages of the help, in a browser."""

from __future__ import annotations

from typing import Any

from pckv.web.help_pages import PAGES
from support.people import DESK, PHONE

# Puts a sentence with two explained words at both ends of a page, and one into a dialog.
SENTENCES = """async () => {
    const { term } = await $import("static/shared/glossary.js"), { make } = await $import("static/shared/page.js");
    const sentence = (name) => make("p", {}, "Here, ", term(name, name), " and ", term("noise", `noise of ${name}`));
    const tall = make("div");
    tall.style.height = "150vh";
    document.getElementById("main").replaceChildren(make("h1", {}, "Words"), sentence("padding"), tall, sentence("epsilon"));
    const dialog = make("dialog", { "aria-label": "Sure?" }, sentence("mixer"));
    document.getElementById("main").append(make("button", { onclick: () => dialog.showModal() }, "Ask"), dialog);
}"""


def beside(word: Any, box: Any) -> bool:
    """Return whether a box is near its word, does not cover it, and is on the screen."""
    first, second, size = word.bounding_box(), box.bounding_box(), word.page.viewport_size
    below = second["y"] - first["y"] - first["height"]
    above = first["y"] - second["y"] - second["height"]
    ends = (second["x"], second["y"], second["x"] + second["width"], second["y"] + second["height"])
    on_screen = min(ends) >= 0 and ends[2] <= size["width"] and ends[3] <= size["height"]
    return bool(on_screen and 0 <= max(below, above) < 10)


def test_an_address_that_leads_nowhere_shows_a_page(people: Any) -> None:
    for locale, title in (("en-US", "There is no such page"), ("de-DE", "Diese Seite gibt es nicht")):
        person = people(PHONE, locale=locale)
        for path in ("/join/", "/nowhere", "/help/nothing"):
            person.go(path)
            person.page.get_by_role("heading", name=title).wait_for()
            person.check()
        # The browser itself logs that the answer was 404.
        person.forgive("404")


def test_a_word_is_explained_where_it_stands(people: Any) -> None:
    person = people(PHONE, "dark")
    page = person.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    person.go("/")
    page.get_by_label("Token").wait_for()
    page.evaluate(SENTENCES)
    assert not [url for url in asked if "/help/" in url]
    for name in ("padding", "epsilon"):
        word = page.get_by_role("button", name=name, exact=True)
        word.focus()
        assert word.get_attribute("aria-expanded") == "false"
        page.keyboard.press("Enter")
        scrolled = page.evaluate("scrollY")
        box = page.get_by_role("dialog", name=name, exact=True)
        box.get_by_text("at most").wait_for()
        assert word.get_attribute("aria-expanded") == "true"
        assert page.locator(f"#{word.get_attribute('aria-controls')}").is_visible()
        assert beside(word, box)
        page.mouse.wheel(0, 40 if name == "padding" else -40)
        page.wait_for_function("(y) => scrollY !== y", arg=scrolled)
        assert beside(word, box)
        person.check()
        # The way on is next, and Escape leads back.
        page.keyboard.press("Tab")
        more = box.get_by_role("link", name="More")
        assert more.evaluate("(link) => link === document.activeElement")
        assert more.get_attribute("href") == f"/help/glossary?lang=en#{name}"
        page.keyboard.press("Escape")
        assert box.is_hidden()
        assert word.evaluate("(button) => button === document.activeElement")
        assert word.get_attribute("aria-expanded") == "false"
    assert len([url for url in asked if "/help/glossary.json" in url]) == 1
    # Once more closes it; what is elsewhere closes it, too, and so does the next word.
    word.click()
    box.wait_for()
    word.click()
    box.wait_for(state="hidden")
    word.click()
    page.get_by_role("button", name="noise of epsilon").click()
    box.wait_for(state="hidden")
    page.get_by_role("dialog", name="noise of epsilon").wait_for()
    page.get_by_role("heading", name="Words").click()
    page.get_by_role("dialog").wait_for(state="hidden")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("button", name="mixer", exact=True).click()
    page.get_by_role("dialog", name="mixer").get_by_role("link", name="More").wait_for()
    person.check()


def test_a_word_is_explained_in_the_language_of_the_page_and_says_what_hinders_it(people: Any) -> None:
    person = people(locale="de-DE")
    page = person.page
    person.go("/")
    page.locator("main input").first.wait_for()
    page.evaluate(SENTENCES)
    page.route("**/help/glossary.json*", lambda route: route.abort())
    page.get_by_role("button", name="padding", exact=True).click()
    page.get_by_role("dialog").get_by_role("link", name="Mehr").wait_for()
    person.forgive("ERR_FAILED")
    page.unroute_all()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="padding", exact=True).click()
    page.get_by_role("dialog").get_by_text("Für wie viele Antwortmöglichkeiten").wait_for()


def test_help_can_be_read_on_a_phone_and_links_to_its_places(people: Any) -> None:
    person = people(PHONE, "dark", "de-DE")
    for name in PAGES:
        person.go(f"/help/{name}" if name != "index" else "/help")
        person.check_width(DESK)
    person.check()
    person.go("/help/privacy")
    person.check()
    person.press("Glossar", role="link")
    person.page.get_by_role("heading", name="Glossar").wait_for()
    person.check()
    person.press("English", role="link")
    person.page.get_by_role("heading", name="Glossary").wait_for()
