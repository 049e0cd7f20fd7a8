"""Participants choose the language of the page, which keeps what they have answered."""

from __future__ import annotations

from typing import Any

from support.people import HOSTILE, PHONE, add_task, ask, sent_bodies
from support.serving import ServeProcess

ABOUT = {
    "question": "Which films did you like?",
    "low_label": "awful",
    "middle_label": "fair",
    "high_label": "great",
    "translations": {
        "de": {
            "question": "Welche Filme mochten Sie?",
            "low_label": "furchtbar",
            "middle_label": "mittelmäßig",
            "high_label": "großartig",
        },
        "fr": {"question": "Quels films ?", "keys": ["Extraterrestre", "Chaleur", HOSTILE, "Jouets", "Autre"]},
    },
}


def choose_language(person: Any, name: str) -> None:
    person.page.locator("#language").select_option(label=name)


def test_another_language_keeps_the_answers(people: Any, server: ServeProcess) -> None:
    segment = {"name": "Age", "labels": ["under 40", "40 or older"]}
    task = add_task(server, name="languages", other="Other", padding=2, about=ABOUT, segment=segment)
    person = people(PHONE)
    person.go(f"/join/{task.id}")
    page = person.page
    page.get_by_role("group", name="Heat").get_by_role("radio", name="4").check()
    page.get_by_label("Something else?").fill("Dune")
    person.press("Add")
    page.get_by_label("Something else?").fill("Brazil")
    page.get_by_label("40 or older").check()
    options = page.locator("#language option").all_inner_texts()
    assert options == ["Deutsch", "English", "Français"]
    choose_language(person, "Deutsch")
    page.get_by_role("heading", name="Welche Filme mochten Sie?").wait_for()
    assert page.locator("html").get_attribute("lang") == "de"
    # The choice has the focus again, for those who do not see the page.
    page.locator("#language:focus").wait_for()
    assert page.get_by_role("group", name="Heat, von 1 (furchtbar) bis 5").get_by_role("radio", name="4").is_checked()
    assert page.get_by_label("Etwas anderes?").input_value() == "Brazil"
    assert page.get_by_label("40 or older").is_checked()
    assert page.locator("#chosen").inner_text() == "2 gewählt"
    person.press("Dune entfernen")
    page.get_by_label("Etwas anderes?").fill("")
    person.check()
    # The page itself has no French: its sentences are those of the browser's language.
    choose_language(person, "Français")
    page.get_by_role("heading", name="Quels films ?").wait_for()
    assert page.get_by_role("group", name="Chaleur").get_by_role("radio", name="4").is_checked()
    assert person.sent == []
    person.press("Send my answers")
    person.state("sent")
    assert len(sent_bodies(person)) == 1
    # It is remembered, and what is shown after sending speaks it too.
    choose_language(person, "Deutsch")
    page.get_by_role("heading", name="Vielen Dank").wait_for()
    assert "Heat: 4" in page.locator(".compare > div").first.inner_text()
    page.reload()
    page.get_by_text("Auf diesem Gerät wurde schon geantwortet.").wait_for()
    person.check()


def test_half_entered_values_and_long_lists_keep_theirs_too(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="long in two languages", keys=[f"film {n}" for n in range(40)], values=(0, 100))
    person = people()
    person.go(f"/join/{task.id}")
    page = person.page
    page.get_by_label("Search").fill("film 39")
    box = page.get_by_role("spinbutton", name="film 39")
    box.fill("101")
    choose_language(person, "Deutsch")
    page.get_by_role("button", name="Nur meine Antworten (1)").click()
    assert (box.input_value(), box.get_attribute("aria-invalid")) == ("101", "true")
    box.fill("12.5")
    choose_language(person, "English")
    person.press("Only my answers (1)")
    assert (box.input_value(), page.get_by_role("slider").get_attribute("aria-valuetext")) == ("12.5", "12.5")


def test_what_cannot_be_answered_says_so_in_another_language(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="closed in two languages")
    ask(server, "POST", f"/tasks/{task.id}/close")
    person = people()
    titles = {task.id: "Diese Umfrage ist geschlossen", "A" * 43: "Hier gibt es keine solche Umfrage"}
    for name, title in titles.items():
        person.go(f"/join/{name}")
        person.page.locator(".panel").wait_for()
        choose_language(person, "Deutsch")
        person.page.get_by_role("heading", name=title).wait_for()
        choose_language(person, "English")
    person.forgive("403", "404")


def test_nothing_is_said_about_chance_where_nothing_is_named(people: Any, server: ServeProcess) -> None:
    """One report in many names something: all randomness is one byte, once for a report that names and once for one that does not."""
    task = add_task(server, name="named or not", keys=["Alien", "Heat"], padding=1, mechanism="ue", epsilon=1)
    found = set()
    for byte in (0, 255):
        person = people()
        person.alter(f"crypto.getRandomValues = (data) => data.fill({byte});")
        person.go(f"/join/{task.id}")
        person.hold_nothing()
        person.press("Send my answers")
        person.state("sent")
        leaves = person.page.locator(".leaves")
        leaves.wait_for()
        names = leaves.locator("li").count()
        found.add(names > 0)
        assert ("by chance" in leaves.inner_text()) == (names > 0)
    assert found == {False, True}


def test_sentences_are_loaded_where_they_are_spoken(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="loads one language", other="Other", about=ABOUT)
    for locale in ("en-US", "de-AT"):
        person = people(locale=locale)
        asked: list[str] = []
        person.page.on("request", lambda request, asked=asked: asked.append(request.url))
        person.go(f"/join/{task.id}")
        person.page.locator("#language").wait_for()
        assert sum("/strings-de.js" in url for url in asked) == (locale == "de-AT")


def test_where_the_sentences_do_not_come_the_page_goes_on_in_its_own(people: Any, server: ServeProcess) -> None:
    task = add_task(server, name="loses a language", other="Other", about=ABOUT)
    person = people()
    person.page.route("**/strings-de.js", lambda route: route.abort())
    person.go(f"/join/{task.id}")
    page = person.page
    page.get_by_role("group", name="Heat").get_by_role("radio", name="4").check()
    choose_language(person, "Deutsch")
    # The operator's texts came with the page.
    page.get_by_role("heading", name="Welche Filme mochten Sie?").wait_for()
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.get_by_role("group", name="Heat").get_by_role("radio", name="4").is_checked()
    person.press("Send my answers")
    person.state("sent")
    person.forgive("ERR_FAILED", "Failed to fetch dynamically imported module")
    page.unroute("**/strings-de.js")
